"""Runs a lesson once, as it is shipped, and tells what its cells print and which claims fail.

The cells run in order in a process of their own and in the notebook's folder, by IPython: as
in Jupyter, but without a kernel to start. A claim is asserted right after its cell. A quick
run computes less: it gives the names in the cell tagged `parameters` the values of quick.py.
"""

import difflib
import gc
import importlib
import io
import multiprocessing
import os
import random
import re
import tempfile
import traceback
from collections import defaultdict
from configparser import ConfigParser
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

import matplotlib.pyplot  # noqa: F401 (here and not in each lesson's process: takes a second)
import nbformat
import numpy as np
import torch
import torch._dynamo  # noqa: F401 (the same: every optimizer asks for it)
from claim import Claim
from IPython.core.displayhook import CapturingDisplayHook
from IPython.core.displaypub import CapturingDisplayPublisher
from IPython.core.interactiveshell import InteractiveShell
from quick import PARAMETERS, QUICK, tags
from traitlets.config import Config

from gpt1course.viz import figure
from tools.notebooks import outputs

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = ROOT / "notebooks"
PATHS = [  # the lessons, the mistakes, and what is optional as a whole
    *sorted(NOTEBOOKS.glob("[0-9m]*.ipynb")),
    *sorted(NOTEBOOKS.glob("deeper/*.ipynb")),
]
FRESH_SEED = 67280421310721  # torch's own at the start of a process
COARSE = 50  # dots per inch of a quick run's figures
COMPARED = ("stdout", "text/plain", "figures")
TORCHS = "torchinductor_"  # a cache of torch's own, one for all runs


@dataclass
class Run:
    """What came of a run. Cells and claims that are in neither dict were not reached."""

    printed: dict[str, dict] = field(default_factory=dict)  # cell -> kind -> text
    errors: dict[str, str] = field(default_factory=dict)  # cell -> traceback
    claims: dict[str, str] = field(default_factory=dict)  # claim -> why it is false, or ""
    left: list[str] = field(default_factory=list)  # temporary files that nobody removes


# ---- what stands in the files -------------------------------------------------------


def label(path: Path) -> str:
    """A lesson's number, or the name of a notebook that has none."""
    return path.name[:2] if path.name[:2].isdigit() else path.stem


def claims_of(path: Path) -> list[Claim]:
    """What a notebook's text claims."""
    name = label(path)
    module = importlib.import_module(f"lesson_{name}" if name.isdigit() else name)
    return module.CLAIMS


def code_cells(path: Path) -> list:
    """The code cells, without what folding adds to their outputs."""
    cells = nbformat.read(path, as_version=4).cells
    code = [cell for cell in cells if cell.cell_type == "code"]
    for cell in code:
        outputs.drop_neutral_line(cell.outputs)
    return code


def stored(cell) -> dict[str, str]:
    """Kind of output -> all texts of that kind."""
    found = defaultdict(str)
    for output in cell.outputs:
        if output.output_type == "stream":
            found[output.name] += output.text
        for kind, text in output.get("data", {}).items():
            found[kind] += f"{text}\n"
    return compared(found)


def compared(found: dict[str, str]) -> dict[str, str]:
    """What is compared of a cell: texts, and whether the colors of its figures are numbers."""
    drawn = re.findall(r'<figure(?: class="([a-z-]*)")? style', found.get("text/html", ""))
    found = {**found, "figures": "".join(f"{kind or 'a drawing'}\n" for kind in drawn)}
    return {kind: found[kind] for kind in COMPARED if found.get(kind)}


# ---- comparing ----------------------------------------------------------------------


def patterns() -> list[tuple[str, str]]:
    """(regular expression, what stands for it) of what differs from machine to machine."""
    parser = ConfigParser(interpolation=None)
    parser.read(ROOT / "tests" / "nbval.cfg")
    return [
        (parser[name]["regex"], parser[name].get("replace", "")) for name in parser.sections()
    ]


def cleaned(text: str) -> str:
    for pattern, replacement in patterns():
        text = re.sub(pattern, replacement, text)
    return text


def difference(found: dict[str, str], wanted: dict[str, str]) -> str:
    """Lines that differ between what was printed and what is stored; empty if none."""
    told = []
    for kind in sorted(found.keys() | wanted.keys()):
        a, b = (cleaned(of.get(kind, "")) for of in (wanted, found))
        if a != b and not outputs.nearly(b, a):
            told += difflib.unified_diff(
                a.splitlines(), b.splitlines(), f"stored {kind}", f"printed {kind}", lineterm=""
            )
    return "\n".join(told)


# ---- running ------------------------------------------------------------------------


class Stdout(io.TextIOBase):
    """What cells print, kept."""

    def __init__(self):
        self.text = ""

    def write(self, text: str) -> int:
        self.text += text
        return len(text)


class Notebook:
    """An IPython that runs cells and keeps their outputs."""

    def __init__(self):
        quiet = Config({"HistoryManager": {"enabled": False}})
        self.shell = InteractiveShell.instance(config=quiet)
        self.shell.display_pub = CapturingDisplayPublisher(parent=self.shell)
        self.hook = CapturingDisplayHook(self.shell, [])
        self.shell.display_trap.hook = self.hook
        self.shell.showtraceback = self.shell.showsyntaxerror = lambda *a, **k: None
        self.values = self.shell.user_ns

    def run(self, source: str) -> tuple[dict[str, str], str]:
        """(kind of output -> text, the traceback of an error or "")."""
        self.shell.display_pub.outputs = self.hook.outputs = shown = []
        with redirect_stdout(Stdout()) as stdout, redirect_stderr(io.StringIO()):
            result = self.shell.run_cell(source)
        found = defaultdict(str, {"stdout": stdout.text} if stdout.text else {})
        for kind, text in (item for output in shown for item in output["data"].items()):
            found[kind] += f"{text}\n"
        error = result.error_before_exec or result.error_in_exec
        return compared(found), "".join(traceback.format_exception(error)) if error else ""


@contextmanager
def same_chance():
    """What is drawn inside changes nothing that is drawn after it."""
    kept = torch.get_rng_state(), np.random.get_state(), random.getstate()
    yield
    torch.set_rng_state(kept[0])
    np.random.set_state(kept[1])
    random.setstate(kept[2])


def why_false(claim, values: dict) -> str:
    """What a claim says if it is false, else an empty text."""
    try:
        with same_chance(), redirect_stdout(io.StringIO()):
            claim.assert_of(values)
    except Exception as error:
        return "".join(
            traceback.format_exception(error.with_traceback(error.__traceback__.tb_next))
        )
    return ""


def execute(path: Path, quick: bool) -> Run:
    """Run a notebook's cells and assert its claims, here and now."""
    with TemporaryDirectory() as folder:
        tempfile.tempdir = folder  # what the cells ask for
        run = run_cells(path, quick)
        InteractiveShell.instance().reset()  # as at the kernel's end
        gc.collect()
        run.left = [name for name in os.listdir(folder) if not name.startswith(TORCHS)]
        tempfile.tempdir = None
    return run


def run_cells(path: Path, quick: bool) -> Run:
    """Run all cells in order until one fails, and assert each claim after its cell."""
    os.chdir(path.parent)
    torch.set_num_threads(1)
    torch.manual_seed(FRESH_SEED)
    figure.DPI = COARSE if quick else figure.DPI  # nobody looks
    claims, notebook, run = claims_of(path), Notebook(), Run()
    for cell in code_cells(path):
        run.printed[cell.id], error = notebook.run(cell.source)
        if error:
            run.errors[cell.id] = error
            break
        if quick and PARAMETERS in tags(cell):
            notebook.values.update(QUICK[label(path)])
        for claim in claims:
            if claim.cell == cell.id and not (quick and claim.full_run):
                run.claims[claim.name] = why_false(claim, notebook.values)
    return run


def _send(path: Path, quick: bool, end) -> None:
    end.send(execute(path, quick))


def run_apart(path: Path, quick: bool) -> Run:
    """The same in a process of its own; ChildProcessError if that process dies."""
    way = "fork" if hasattr(os, "fork") else "spawn"
    context = multiprocessing.get_context(way)
    here, there = context.Pipe(duplex=False)
    process = context.Process(target=_send, args=(path, quick, there))
    process.start()
    there.close()
    try:
        return here.recv()
    except EOFError:
        process.join()
        raise ChildProcessError(f"{path.name} ended with {process.exitcode}") from None
    finally:
        process.join()
