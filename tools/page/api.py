"""The reference of the two packages, made from their docstrings: a page for each module."""

import ast
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("gpt1lib", "gpt1course")
LEFT_OUT = ("gpt1course.exercises",)  # solutions
SIGNS = re.compile(r"([*$<\[\]_|])")
Definition = ast.FunctionDef | ast.ClassDef


def pages() -> dict[str, str]:
    """Name -> Markdown: a page for each file or folder of a package, and a list of them."""
    made, index = {}, ["# The library, function by function", ""]
    for package in PACKAGES:
        parts = parts_of(ROOT / package)
        index += [f"## {package}", ""]
        for name, files in parts.items():
            page = page_name(f"{package}.{name}")
            made[page] = page_of(f"{package}.{name}", files)
            index.append(f"- [{package}.{name}]({page}.md): {summary(files[0])}")
        index.append("")
    listed = "\n".join(made)
    index.append(f"```{{toctree}}\n:hidden:\n\n{listed}\n```\n")
    return {"api": "\n".join(index)} | made


def page_name(module: str) -> str:
    """gpt1lib.model -> api_gpt1lib_model"""
    return f"api_{module.replace('.', '_')}"


def parts_of(package: Path) -> dict[str, list[Path]]:
    """Name -> files of each part of a package: a file alone, or a folder with its __init__."""
    parts = {}
    for path in sorted(package.iterdir()):
        if path.suffix == ".py" and not path.stem.startswith("__"):
            parts[path.stem] = [path]
        elif (path / "__init__.py").is_file():
            rest = sorted(p for p in path.rglob("*.py") if not p.stem.startswith("__"))
            parts[path.name] = [path / "__init__.py", *rest]
    return {k: v for k, v in parts.items() if f"{package.name}.{k}" not in LEFT_OUT}


def summary(path: Path) -> str:
    """The first sentence of a file's docstring."""
    text = ast.get_docstring(parsed(path)) or ""
    return escaped(text.split("\n\n")[0].replace("\n", " "))


def parsed(path: Path) -> ast.Module:
    """A file's syntax tree."""
    return ast.parse(path.read_text(encoding="utf-8"))


def page_of(module: str, files: list[Path]) -> str:
    """The Markdown of a part: what each of its files says, and all public things in it."""
    blocks = [f"# {module}"]
    for path in files:
        tree, own = parsed(path), path.stem not in ("__init__", module.split(".")[-1])
        blocks += [f"## {escaped(path.stem)}"] * own + [prose(ast.get_docstring(tree))]
        for node in tree.body:
            if isinstance(node, Definition) and not node.name.startswith("_"):
                blocks += described(node, 3 if own else 2)
    return "\n\n".join(filter(None, blocks)) + "\n"


def described(node: Definition, level: int, owner: str = "") -> list[str]:
    """A function or a class: heading, signature, docstring; a class with its methods.

    level: of the heading, 2 or 3.
    """
    heading = f"{'#' * level} {escaped(owner + node.name)}"
    blocks = [heading, f"```python\n{signature(node)}\n```", prose(ast.get_docstring(node))]
    if isinstance(node, ast.ClassDef):
        for inner in node.body:
            if isinstance(inner, ast.FunctionDef) and not inner.name.startswith("_"):
                blocks += described(inner, level + 1, f"{node.name}.")
    return blocks


def signature(node: Definition) -> str:
    """The line that defines something, and for a class the values that it takes."""
    if isinstance(node, ast.FunctionDef):
        returned = f" -> {ast.unparse(node.returns)}" if node.returns else ""
        return f"{node.name}({ast.unparse(node.args)}){returned}"
    bases = ", ".join(map(ast.unparse, node.bases))
    fields = [ast.unparse(x) for x in node.body if isinstance(x, ast.AnnAssign)]
    start = [x for x in node.body if isinstance(x, ast.FunctionDef) and x.name == "__init__"]
    fields += [signature(x) for x in start]
    return "\n    ".join(
        [f"class {node.name}({bases})" if bases else f"class {node.name}", *fields]
    )


def prose(docstring: str | None) -> str:
    """A docstring as Markdown: what is indented stays as it is typed."""
    lines = (docstring or "").splitlines()
    return "\n".join(line if line.startswith("    ") else escaped(line) for line in lines)


def escaped(text: str) -> str:
    """A line in which Markdown's signs are signs, but for code between backticks."""
    parts = re.split(r"(`[^`]*`)", text)
    return "".join(part if part.startswith("`") else SIGNS.sub(r"\\\1", part) for part in parts)
