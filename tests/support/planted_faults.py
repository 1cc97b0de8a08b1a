"""Faults of training_faults.txt, planted in copies of the engine."""

import re
import shutil
from pathlib import Path

from learner_in_node import FOLDER

FAULTS = Path(__file__).with_name("training_faults.txt")


def faults_in(part):
    """Name -> (module, what stands there, what then stands there)."""
    text = FAULTS.read_text("utf-8")
    lines = text.split(f"== {part}\n\n")[1].split("\n== ")[0]
    entry = re.compile(r"^(.+) \((\w+)\)\n((?:- .*\n)+)((?:\+ ?.*\n)+)", re.M)
    strip = re.compile(r"^[-+] ?", re.M)
    return {
        name: (module, strip.sub("", right[:-1]), strip.sub("", wrong[:-1]))
        for name, module, right, wrong in entry.findall(lines)
    }


def planted(folder, module, right, wrong):
    """A copy of the engine with one fault."""
    (folder / "train").mkdir(parents=True)
    for path in [FOLDER / "numbers.js", FOLDER / "arena.js", *(FOLDER / "train").glob("*.js")]:
        shutil.copy(path, folder / path.relative_to(FOLDER))
    path = folder / "train" / f"{module}.js"
    text = path.read_text(encoding="utf-8")
    assert text.count(right) == 1, right
    path.write_text(text.replace(right, wrong), encoding="utf-8")
    return folder
