"""The house: imports run one way, one definition of each thing, all of it documented."""

import ast
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[1] / "gpt1lib"
FILES = sorted(PACKAGE.rglob("*.py"))
TREES = {p: ast.parse(p.read_text(encoding="utf-8")) for p in FILES}
# a room may import from rooms of a lower floor, and from its own
FLOORS = {
    "paths": 0,
    "files": 0,
    "text": 0,
    "config": 0,
    "baselines": 0,
    "metrics": 0,
    "freezing": 0,
    "printed": 0,
    "bpe": 1,
    "model": 1,
    "objectives": 1,
    "optim": 1,
    "muon": 1,
    "recipes": 1,
    "runs": 1,
    "workers": 1,
    "chunked_loss": 1,
    "numpy_gpt": 1,
    "lstm": 2,
    "variants": 2,
    "corpus": 2,
    "tasks": 2,
    "published": 2,
    "fast_decode": 2,
    "decode": 2,
    "inputs": 2,
    "checkpoint": 3,
    "snapshots": 3,
    "task_baselines": 3,
    "readout": 4,
    "released": 4,
    "pretrain": 4,
    "classifier": 4,
    "classify": 5,
    "finetune": 5,
    "experiments": 5,
    "zeroshot": 4,
    "paper": 6,
    "show": 6,
    "lessons": 7,
}


def room(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imported_rooms(path, tree):
    """Rooms of the package that a file imports, directly or in a function."""
    depth = len(path.relative_to(PACKAGE).parts)
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.level >= depth:
            names = [node.module.split(".")[0]] if node.module else [a.name for a in node.names]
            yield from (n for n in names if n in FLOORS)


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_imports_run_one_way(path):
    if path == PACKAGE / "__init__.py":
        return  # it opens all rooms
    for name in imported_rooms(path, TREES[path]):
        assert FLOORS[name] <= FLOORS[room(path)], f"{room(path)} imports {name}"


def test_every_room_has_a_floor():
    assert {room(p) for p in FILES} - {"__init__"} == set(FLOORS)


def test_one_definition_of_each_thing():
    names = Counter(
        node.name
        for path, tree in TREES.items()
        if not path.stem.startswith("lesson")
        for node in tree.body
        if isinstance(node, ast.FunctionDef | ast.ClassDef)
    )
    shared = {"main", "load", "save", "checksum", "write", "sync", "draw"}
    twice = {n for n, k in names.items() if k > 1 and not n.startswith("_")} - shared
    assert not twice


def public(tree):
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_"):
            yield node


def is_wrong_answer(node):
    """An exercise's wrong answer says what it does in the message of its decorator."""
    return any(ast.unparse(d).split("(")[0].endswith(".wrong") for d in node.decorator_list)


def test_public_things_have_docstrings():
    overridden = {"forward", "backward", "figure", "sentence"}  # documented where first defined
    for path, tree in TREES.items():
        assert ast.get_docstring(tree), path
        inner = {
            child
            for node in ast.walk(tree)
            if isinstance(node, ast.FunctionDef)
            for child in ast.walk(node)
            if child is not node
        }
        for node in public(tree):
            documented = node.name in overridden or is_wrong_answer(node)
            if node not in inner and not documented:
                assert ast.get_docstring(node), f"{path.name}: {node.name}"


def test_functions_are_short():
    for path, tree in TREES.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef):
                body = node.body[1:] if ast.get_docstring(node) else node.body
                length = body[-1].end_lineno - body[0].lineno + 1 if body else 0
                assert length <= 45, f"{path.name}: {node.name} has {length} lines"


def test_import_is_light():
    code = (
        "import sys, gpt1lib as g; "
        "heavy = {'matplotlib', 'ipywidgets', 'anywidget', 'transformers', 'pandas'}; "
        "print(sorted(heavy & set(sys.modules)))"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert out.stdout.strip() == "[]", out.stderr


def test_unknown_names_are_named():
    import gpt1lib as g

    with pytest.raises(AttributeError, match="has no 'nothing'"):
        getattr(g, "nothing")  # noqa: B009
