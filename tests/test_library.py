"""The house: imports run one way, one definition of each thing, all of it documented."""

import ast
import graphlib
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[1] / "gpt1lib"
FILES = sorted(PACKAGE.rglob("*.py"))
TREES = {p: ast.parse(p.read_text(encoding="utf-8")) for p in FILES}
ROOT = PACKAGE.parent
# who may import whom, from the ground up: a file or room imports from lines above its own,
# a file of a room also from its own room; rooms on one line do not know each other
ORDER = """
validate
io
config rng text losses optim metrics
bpe model numpy_gpt
tasks
tracing corpus inputs fast baselines
checkpoints evaluate
generate
pretrain finetune sample
"""
FLOOR = {name: i for i, line in enumerate(ORDER.split("\n")) for name in line.split()}


def module_of(path: Path) -> str:
    """gpt1lib/tasks/task.py -> tasks.task; a package's __init__ -> its name."""
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_of(p): p for p in FILES}


def room(module: str) -> str:
    return module.split(".")[0]


def arrows(module: str, path: Path, tree: ast.AST) -> set[str]:
    """The modules of the package that a file imports, at its top or in a function."""
    package = module.split(".") if path.stem == "__init__" else module.split(".")[:-1]
    package = [part for part in package if part]
    targets = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            whole = [a.name for a in node.names if a.name.split(".")[0] == PACKAGE.name]
            targets |= {name.removeprefix("gpt1lib").removeprefix(".") for name in whole}
        if isinstance(node, ast.ImportFrom):
            if node.level:
                base = package[: len(package) - node.level + 1]
            elif (node.module or "").split(".")[0] == PACKAGE.name:
                base = []
            else:
                continue
            inner = (node.module or "").removeprefix("gpt1lib").strip(".")
            source = ".".join([*base, *inner.split(".")]).strip(".")
            names = [f"{source}.{a.name}".strip(".") for a in node.names]
            targets |= {n if n in MODULES else source for n in names}
    return targets - {module}


ARROWS = {module: arrows(module, path, TREES[path]) for module, path in MODULES.items()}


def forbidden(graph: dict[str, set[str]]) -> list[str]:
    """Every arrow against ORDER."""
    return [
        f"{module} imports {target}"
        for module, targets in graph.items()
        for target in targets
        if module and target  # the package itself opens all rooms, on top of all
        if room(module) != room(target) and FLOOR[room(target)] >= FLOOR[room(module)]
    ]


def circle(graph: dict[str, set[str]]) -> list[str]:
    """A way of imports that comes back to where it began; empty where there is none.

    A package's __init__ only hands names on, so its own files may import its rooms' names.
    """
    try:
        graphlib.TopologicalSorter(graph).prepare()
    except graphlib.CycleError as error:
        return error.args[1]
    return []


def test_imports_run_one_way():
    assert forbidden(ARROWS) == []
    assert {room(m) for m in MODULES} - {""} == set(FLOOR), "every file and room has a floor"


def test_there_is_no_circle():
    assert circle(ARROWS) == []


def test_the_rule_finds_an_arrow_against_it_and_a_circle_on_a_floor():
    assert forbidden({"model": {"show.plots"}}) == ["model imports show.plots"]
    assert forbidden({"pretrain.run": {"finetune.run"}}), "rooms of one floor are strangers"
    assert (
        forbidden({"pretrain.run": {"pretrain.muon"}, "bpe": {"text", "storage.files"}}) == []
    )
    assert circle({"tasks.a": {"tasks.b"}, "tasks.b": {"tasks.c"}, "tasks.c": {"tasks.a"}})
    in_a_function = ast.parse("def f():\n    from ..show import plots")
    assert arrows("paper.run", PACKAGE / "paper" / "run.py", in_a_function) == {"show.plots"}


# ---- the map in the docstring ----------------------------------------------------------


def tree_lines(text: str) -> dict[str, str]:
    """name -> what is said of it, of the indented lines of the map; a comma may end a line."""
    text = re.sub(r",\n {17}", ", ", text)
    return dict(re.findall(r"^ {4}([a-z_0-9]+/?) +([^>\n]+)$", text, re.MULTILINE))


def folder_lines() -> dict[str, set[str]]:
    """What the map must name: ground files, and rooms with their files."""
    ground = {p.stem: set() for p in PACKAGE.glob("*.py") if p.stem != "__init__"}
    rooms = {}
    for p in (p for p in PACKAGE.iterdir() if (p / "__init__.py").is_file()):
        inside = {
            q.stem for q in p.iterdir() if q.suffix == ".py" or (q / "__init__.py").exists()
        }
        names = {re.sub(r"lesson\d\d", "lessonNN", n) for n in inside}
        rooms[f"{p.name}/"] = names - {"__init__", "__main__"}
    return ground | rooms


def test_the_map_shows_the_folder_as_it_is():
    said, there = (
        tree_lines(ast.get_docstring(TREES[PACKAGE / "__init__.py"], clean=False)),
        folder_lines(),
    )
    assert said.keys() == there.keys()
    for name, files in there.items():
        if name.endswith("/"):
            assert set(said[name].split(":")[0].split(", ")) == files, name


def test_one_definition_of_each_thing():
    names = Counter(
        node.name
        for path, tree in TREES.items()
        # numpy_gpt.py is the same model again, in numpy: its functions keep their names
        if not path.stem.startswith("lesson") and path.stem != "numpy_gpt"
        for node in tree.body
        if isinstance(node, ast.FunctionDef | ast.ClassDef)
    )
    shared = {"main", "parser", "train", "load", "save", "checksum", "write", "sync", "draw"}
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
    overridden = {"figure", "sentence"}  # documented where first defined
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
        "print(sorted(heavy & set(sys.modules))); "
        "import gpt1course.paper; g.pretrain; "
        # a kernel should not wait for what a lesson leaves alone
        "late = {'sklearn', 'torch.distributed.checkpoint'}; "
        "print(sorted(late & set(sys.modules)))"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert out.stdout.split() == ["[]", "[]"], out.stderr


def test_unknown_names_are_named():
    import gpt1lib as g

    with pytest.raises(AttributeError, match="has no 'nothing'"):
        getattr(g, "nothing")  # noqa: B009
