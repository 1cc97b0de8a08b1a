"""How far one pass in JavaScript is from torch's, state by state, and with a planted fault.

    python benchmarks/languages.py

The page's engine runs in Node.js: plain JavaScript and WebAssembly, the weights in float32
and in the page's 8 bits. Each state of the text of lesson 08 is compared with torch's in
float32 ("torch") and in float64 ("exact"), the 8-bit ones also with torch on the same rounded
weights ("rounded"); then the logits of 20 other texts, medians. Largest differences. The
faults are one line of gpt.js each. Writes data/results/benchmarks/languages.json.
"""

import argparse
import copy
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import torch

from gpt1course.exercises.lesson08 import TEXT, apart, states, states_in_numpy
from gpt1course.viz import engine
from gpt1lib.checkpoints import load_novelist
from gpt1lib.corpus import read_books
from gpt1lib.io.files import write_json
from gpt1lib.io.paths import BENCHMARKS, HELDOUT_BOOKS, ROOT
from gpt1lib.io.provenance import provenance
from gpt1lib.numpy_gpt import nested

sys.path.insert(0, str(ROOT / "tests"))
from engine_in_node import FOLDER, EngineInNode, numbers  # noqa: E402

NAMES = {"scores": "scores", "weights": "weights", "attention": "attended"}  # ours: theirs
FAULTS = {
    "F": ("variance / C + EPS", "variance / (C - 1) + EPS"),
    "G": ("const EPS = 1e-5", "const EPS = 1e-2"),
    "H": ("0.044715", "0.0447"),
}
WAYS = {"JavaScript": False, "WebAssembly": True}


def in_javascript(mind: EngineInNode, text: str, bits=32, **how) -> dict[str, np.ndarray]:
    """The engine's states of one pass, named and shaped as `lesson08.states`."""
    told = mind.ask(["trace", text, []], bits=bits, **how)[0]
    T, H = len(told["ids"]), mind.checkpoint.model.config.n_head
    found = {"h0": numbers(told["h0"], T, -1)}
    for i, block in enumerate(told["blocks"]):
        for name in ("scores", "weights", "attention", "n", "mlp", "h"):
            shape = (H, T, T) if name in ("scores", "weights") else (T, -1)
            found[f"block {i} {name}"] = numbers(block[NAMES.get(name, name)], *shape)
    return found | {"logits": numbers(told["logits"], T, -1)}


def torch_states(source, text: str) -> dict[str, dict]:
    """The same pass by torch: in float32, in float64, and on weights of 8 bits."""
    ids = torch.tensor(source.bpe.encode(text))
    models = {
        "torch": source.model,
        "exact": copy.deepcopy(source.model).double(),
        "rounded": engine.as_stored(source.model),
    }
    return {name: states(ids, model) for name, model in models.items()}


def one_text(mind: EngineInNode, source, text: str) -> dict[str, dict]:
    """Differences of each state, by column and by what it is compared with."""
    ours = torch_states(source, text)
    columns = {"torch, float32": {"exact": apart(ours["torch"], ours["exact"])}}
    for bits in (32, 8):
        kind = "float32" if bits == 32 else f"{bits} bits"
        for way, simd in WAYS.items():
            found = in_javascript(mind, text, bits, simd=simd)
            with_ = ("torch", "exact") if bits == 32 else ("torch", "exact", "rounded")
            columns[f"{way}, {kind}"] = {name: apart(found, ours[name]) for name in with_}
    return columns


def in_numpy(source, text: str) -> dict[str, dict]:
    """The two columns that the lesson computes itself, for the many texts."""
    ours, ids = torch_states(source, text), np.array(source.bpe.encode(text))
    columns = {}
    for kind in ("float32", "float64"):
        weights = {n: p.detach().numpy() for n, p in source.model.named_parameters()}
        params = nested({name: p.astype(kind) for name, p in weights.items()})
        found = states_in_numpy(ids, params, source.model.config.n_head)
        columns[f"numpy, {kind}"] = {n: apart(found, ours[n]) for n in ("torch", "exact")}
    return columns


def with_fault(mind: EngineInNode, source, right: str, wrong: str) -> dict[str, float]:
    """Differences from torch with one line of gpt.js changed."""
    with tempfile.TemporaryDirectory() as home:
        folder = shutil.copytree(FOLDER, Path(home) / "engine")
        (folder.parent / "package.json").write_text('{"type": "module"}')
        code = (folder / "gpt.js").read_text(encoding="utf-8")
        assert code.count(right) == 1, right
        (folder / "gpt.js").write_text(code.replace(right, wrong), encoding="utf-8")
        found = in_javascript(mind, TEXT, folder=folder, simd=False)
    return apart(found, torch_states(source, TEXT)["torch"])


def medians(tables: list[dict[str, dict]]) -> dict[str, dict]:
    """Of the logits' largest differences, by column and by what they are compared with."""
    return {
        column: {
            name: statistics.median(table[column][name]["logits"] for table in tables)
            for name in tables[0][column]
        }
        for column in tables[0]
    }


def texts(n: int) -> list[str]:
    """n passages of twelve words from a held-out novel."""
    words = read_books(HELDOUT_BOOKS)["austen_northanger_abbey"].split()[3000:]
    return [" ".join(words[500 * i : 500 * i + 12]) for i in range(n)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--texts", type=int, default=20)
    args = parser.parse_args()
    node = shutil.which("node")
    if node is None:
        sys.exit("languages: no Node.js on this machine")
    source = load_novelist()
    with tempfile.TemporaryDirectory() as home:
        mind = EngineInNode(node, source, Path(home))
        columns = one_text(mind, source, TEXT)
        faults = {
            name: {"right": a, "wrong": b, "torch": with_fault(mind, source, a, b)}
            for name, (a, b) in FAULTS.items()
        }
        many = [one_text(mind, source, t) | in_numpy(source, t) for t in texts(args.texts)]
        mind.close()
    version = subprocess.run([node, "--version"], capture_output=True, text=True).stdout.strip()
    result = {"text": TEXT, "columns": columns, "faults": faults}
    result |= {"logits of the texts": {"texts": args.texts, "medians": medians(many)}}
    rounded = without_digits(result) | {"node": version} | provenance()
    write_json(BENCHMARKS / "languages.json", rounded)
    for name, row in result["logits of the texts"]["medians"].items():
        print(f"{name:<22}", "  ".join(f"{what} {x:.1e}" for what, x in row.items()))


def without_digits(value):
    """All numbers to three digits: more would differ from machine to machine."""
    if isinstance(value, dict):
        return {name: without_digits(v) for name, v in value.items()}
    return float(f"{value:.3g}") if isinstance(value, float) else value


if __name__ == "__main__":
    main()
