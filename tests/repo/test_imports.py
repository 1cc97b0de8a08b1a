"""The library and the course: imports run one way, one definition of each thing, docstrings."""

import ast
import graphlib
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
# who may import whom: a file or folder imports from lines above its own, a file of a folder
# also from its own folder; what stands on one line does not know each other
ORDER = {
    "gpt1lib": """
        settings validate
        interrupts
        cli io
        config rng text losses optim metrics
        bpe model numpy_gpt
        tasks
        tracing corpus inputs fast baselines
        checkpoints evaluate induction
        generate
        sample
        pretrain finetune
        paper
    """,
    "gpt1course": """
        settings statistics ngrams carry
        workspace
        progress viz paper
        checking
        exercises notebooks
        handout questions figures nbgrader
        otter
        grading
        __main__
    """,
}
FLOORS = {
    package: {name: i for i, line in enumerate(order.split("\n")) for name in line.split()}
    for package, order in ORDER.items()
}
FILES = sorted(path for package in ORDER for path in (ROOT / package).rglob("*.py"))
TREES = {p: ast.parse(p.read_text(encoding="utf-8")) for p in FILES}


def module_of(path: Path) -> str:
    """gpt1lib/tasks/task.py -> gpt1lib.tasks.task; a package's __init__ -> its name."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_of(p): p for p in FILES}


def package_and_part(module: str) -> tuple[str, str]:
    """gpt1lib.tasks.task -> gpt1lib, tasks; a package itself has no part."""
    package, part, *_ = [*module.split("."), ""]
    return package, part


def imports(module: str, path: Path, tree: ast.AST) -> set[str]:
    """The modules of both packages that a file imports, at its top or in a function."""
    own = module.split(".") if path.stem == "__init__" else module.split(".")[:-1]
    targets = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            targets |= {a.name for a in node.names}
        if isinstance(node, ast.ImportFrom):
            base = own[: len(own) - node.level + 1] if node.level else []
            source = ".".join([*base, *(node.module or "").split(".")]).strip(".")
            names = [f"{source}.{a.name}" for a in node.names]
            targets |= {n if n in MODULES else source for n in names}
    return {t for t in targets if t.split(".")[0] in ORDER} - {module}


IMPORTS = {module: imports(module, path, TREES[path]) for module, path in MODULES.items()}


def allowed(module: str, target: str) -> bool:
    """Whether one module may import another."""
    (package, part), (other, aim) = package_and_part(module), package_and_part(target)
    if package != other:
        return package == "gpt1course"
    floors = FLOORS[package]
    return not part or not aim or part == aim or floors[aim] < floors[part]


def forbidden(graph: dict[str, set[str]]) -> list[str]:
    """Every import against ORDER."""
    return [
        f"{module} imports {target}"
        for module, targets in graph.items()
        for target in sorted(targets)
        if not allowed(module, target)
    ]


def circle(graph: dict[str, set[str]]) -> list[str]:
    """A way of imports that comes back to where it began; empty where there is none.

    A package's __init__ only hands names on, so its own files may import its folders' names.
    """
    try:
        graphlib.TopologicalSorter(graph).prepare()
    except graphlib.CycleError as error:
        return error.args[1]
    return []


def test_imports_run_one_way():
    assert forbidden(IMPORTS) == []
    for package, floors in FLOORS.items():
        parts = {package_and_part(m)[1] for m in MODULES if m.startswith(package)}
        assert parts - {""} == set(floors), "every file and folder has a line"


def test_there_is_no_circle():
    assert circle(IMPORTS) == []


@pytest.mark.parametrize(
    ("module", "target", "may"),
    [
        ("gpt1lib.model", "gpt1lib.finetune.trainer", False),
        ("gpt1lib.model", "gpt1course.viz", False),
        ("gpt1course.viz.plots", "gpt1lib.model", True),
        ("gpt1lib.pretrain.trainer", "gpt1lib.finetune.trainer", False),  # of one line
        ("gpt1lib.pretrain.trainer", "gpt1lib.pretrain.muon", True),
        ("gpt1lib.bpe", "gpt1lib.io.files", True),
        ("gpt1course.checking.exercise", "gpt1course.grading.report", False),
        ("gpt1course.grading.report", "gpt1course.checking.exercise", True),
        ("gpt1course.viz.explorers.scaling", "gpt1course.paper.after", False),
        ("gpt1course.paper.run", "gpt1course.viz.plots", False),
    ],
)
def test_the_rule_tells_a_good_import_from_a_bad_one(module, target, may):
    assert allowed(module, target) == may
    assert bool(forbidden({module: {target}})) != may


def test_the_rule_finds_a_circle_and_an_import_in_a_function():
    assert circle({"a.x": {"a.y"}, "a.y": {"a.z"}, "a.z": {"a.x"}})
    tree = ast.parse("def f():\n    from ..viz import plots\n    import gpt1lib.bpe, torch")
    path = ROOT / "gpt1course" / "paper" / "run.py"
    assert imports("gpt1course.paper.run", path, tree) == {
        "gpt1course.viz.plots",
        "gpt1lib.bpe",
    }


# ---- the map in the docstring ----------------------------------------------------------


def tree_lines(text: str) -> dict[str, str]:
    """name -> what is said of it, of the indented lines of the map; a comma may end a line."""
    text = re.sub(r",\n {17}", ", ", text)
    return dict(re.findall(r"^ {4}([a-z_0-9]+/?) +([^>\n]+)$", text, re.MULTILINE))


def folder_lines() -> dict[str, set[str]]:
    """What the map must name: files, and folders with their files."""
    package = ROOT / "gpt1lib"
    ground = {p.stem: set() for p in package.glob("*.py")}
    rooms = {}
    for p in (p for p in package.iterdir() if (p / "__init__.py").is_file()):
        inside = {
            q.stem for q in p.iterdir() if q.suffix == ".py" or (q / "__init__.py").exists()
        }
        rooms[f"{p.name}/"] = inside - {"__init__", "__main__"}
    del ground["__init__"], ground["paper"]  # the old name of a command of the course
    return ground | rooms


def test_the_map_shows_the_folder_as_it_is():
    said, there = (
        tree_lines(ast.get_docstring(TREES[ROOT / "gpt1lib" / "__init__.py"], clean=False)),
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
        if path.is_relative_to(ROOT / "gpt1lib") and path.stem != "numpy_gpt"
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
        "import sys, gpt1lib as g; g.metrics.accuracy([1, 0], [1, 1]); "
        "heavy = {'matplotlib', 'ipywidgets', 'anywidget', 'transformers', 'pandas'}; "
        "heavy |= {'scipy', 'sklearn'}; "  # not for a share of right answers
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
