"""A GPT-1 that learns in the page, from a text that the reader may paste."""

import json
from pathlib import Path

import numpy as np
import traitlets
from matplotlib.figure import Figure

from gpt1lib.corpus import read_books
from gpt1lib.io.paths import BOOKS

from .. import engine, plots
from .base import Explorer
from .controls import CleanUnicode

CHARACTERS = 3000
LEVELS = {"uniform": "guessing", "letters": "letter frequencies", "pairs": "letter pairs"}
STORED = Path(__file__).with_name("learning.json")


def emma(n: int = CHARACTERS) -> str:
    """The first n characters of Emma's first chapter, one paragraph per line."""
    (book,) = read_books(BOOKS / "austen_emma.txt").values()
    begin = book.index("Emma Woodhouse")
    return "\n".join(line for line in book[begin : begin + 2 * n].splitlines() if line)[:n]


class LearningExplorer(Explorer):
    """A small GPT-1 that is trained in the page while one watches, without a kernel.

    text: what it learns, character by character; by default the beginning of Emma. The
    trainer (worker, wasm) is the page's own: engine/train. The static picture shows a stored
    run on Emma, which benchmarks/training_in_page.py makes.
    """

    text = CleanUnicode("").tag(sync=True)
    worker = CleanUnicode("").tag(sync=True)
    wasm = traitlets.Bytes(b"").tag(sync=True)
    picture_colors = 64

    def __init__(self, text: str = "", **traits):
        worker, wasm = engine.training_parts()
        super().__init__(text=text or emma(), worker=worker, wasm=wasm, **traits)

    def sentence(self) -> str:
        run = stored_run()
        first, last = run["losses"][0][1], run["losses"][-1][1]
        return (
            f"A stored run on {CHARACTERS:,} characters of Emma: the loss goes from "
            f"{first:.2f} to {last:.2f} nats per character in {run['updates']:,} updates. It "
            f"falls below letter frequencies after {run['crossed']['letters']:,} updates and "
            f"below letter pairs after {run['crossed']['pairs']:,}."
        )

    def figure(self) -> Figure:
        run = stored_run()
        steps, losses = np.array(run["losses"]).T
        ends = [1, steps[-1] + 1]
        series = {"the model": (steps + 1, losses)}
        series |= {name: (ends, [run["levels"][key]] * 2) for key, name in LEVELS.items()}
        title = f"The model falls below letter pairs after {run['crossed']['pairs']:,} updates"
        return plots.lines(
            series, xlabel="updates", ylabel="nats per character", title=title, logx=True
        )


def stored_run() -> dict:
    """The run that the static picture shows: losses [step, nats], levels, crossed."""
    return json.loads(STORED.read_text(encoding="utf-8"))
