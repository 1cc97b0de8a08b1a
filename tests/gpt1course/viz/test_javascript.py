"""The explorers' JavaScript as text; tools/javascript.py lints it where Node.js is."""

import json
import os
import re
import shutil
import subprocess
import sys
import textwrap
from itertools import takewhile
from pathlib import Path

import numpy as np
import pytest
from matplotlib import colormaps
from node import node_or_skip

from gpt1course.viz import explorers, palette
from gpt1course.viz.engine.bundle import BUNDLES, bundled
from tools import javascript

ROOT = Path(__file__).resolve().parents[3]
FOLDER = ROOT / "gpt1course" / "viz" / "explorers"
FILES = sorted(FOLDER.glob("*.js"))
TEXTS = {p.stem: p.read_text(encoding="utf-8") for p in FILES}
MODULES = sorted(name for name, text in TEXTS.items() if "\nexport default " in text)
SHARED = {name for name in TEXTS if name.startswith("common.")} | {"picture", "start"}
LONGEST = 45
NAME = re.compile(r"^(?:export )?(?:async )?(?:function\*?|const|let|class) ([\w$]+)", re.M)
ENGINE_FOLDER = ROOT / "gpt1course" / "viz" / "engine"
ENGINE = {
    f"engine/{p.relative_to(ENGINE_FOLDER).with_suffix('')}": p.read_text(encoding="utf-8")
    for p in sorted(ENGINE_FOLDER.rglob("*.js"))
}
ALL = TEXTS | ENGINE
CLASS = re.compile(r"^(?:export )?class \w+[^\n]*\{\n(.*?)^\}", re.M | re.S)
METHOD = re.compile(r"^(  )(?:get |async |\*)?(\w+)\(", re.M)  # a call stands deeper
each_file = pytest.mark.parametrize("name", ALL)


def functions(text):
    """(name, number of lines) of what is defined at the top of a formatted file.

    Its body is indented, up to a line that closes it in the first column.
    """
    lines = text.splitlines()
    for i, line in enumerate(lines):
        if name := NAME.match(line):
            inner = list(takewhile(lambda x: not x or x[0] == " ", lines[i + 1 :]))
            rest = lines[i + 1 + len(inner) :]
            closes = bool(rest) and rest[0][0] in ")]}"
            while inner and not inner[-1]:
                inner.pop()
            yield name[1], 1 + len(inner) + closes


def functions_and_methods(text):
    """Name -> number of lines: a class counts by its methods."""
    lengths = dict(functions(CLASS.sub("", text)))
    for body in CLASS.findall(text):
        methods = textwrap.dedent(METHOD.sub(r"\1function \2(", body))
        lengths |= dict(functions(methods))
    return lengths


@each_file
def test_functions_are_short(name):
    lengths = functions_and_methods(ALL[name])
    assert not {f: n for f, n in lengths.items() if n > LONGEST}
    assert lengths


def test_a_long_function_would_be_found():
    body = "  if (x) {\n    act();\n  }\n" * 20
    assert dict(functions(f"function long(x) {{\n{body}}}\n\nconst a = 1;\n"))["long"] == 62
    assert dict(functions(f"const long = x => {{\n{body}}};\n")) == {"long": 62}
    method = f"  long(x) {{\n{textwrap.indent(body, '  ')}  }}\n"
    assert functions_and_methods(f"export class A {{\n{method}}}\n") == {"long": 62}
    assert dict(functions("const one =\n  1;\n\nconst two = 2;")) == {"one": 2, "two": 1}


@each_file
def test_lines_are_short_and_nothing_is_remote(name):
    lines = ALL[name].splitlines()
    assert max(map(len, lines)) <= 96
    addresses = re.findall(r"\w+://[^\s\"'`]+|//cdn[^\s\"'`]*", ALL[name])
    assert set(addresses) <= {"http://www.w3.org/2000/svg"}  # a name, not a place


# ---- bundles ----------------------------------------------------------------------------


def test_the_bundles_are_what_the_modules_say():
    node = node_or_skip()
    if not javascript.is_installed():
        pytest.skip("esbuild is not installed: python tools/javascript.py does that")
    done = subprocess.run(
        [node, "tools/bundle.js", "--check"], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


def test_a_changed_module_would_be_found(tmp_path):
    """The check is made in a copy, with one word of one module changed."""
    node = node_or_skip()
    if not javascript.is_installed():
        pytest.skip("esbuild is not installed: python tools/javascript.py does that")
    for place in ("gpt1course/viz", "tools"):
        shutil.copytree(ROOT / place, tmp_path / place)
    shutil.copy(ROOT / "package.json", tmp_path)
    (tmp_path / "node_modules").symlink_to(ROOT / "node_modules")
    path = tmp_path / "gpt1course/viz/explorers/sampling.js"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("Draw one", "Draw 1"), encoding="utf-8")
    check = [node, "tools/bundle.js", "--check"]
    done = subprocess.run(check, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr.startswith("gpt1course/viz/bundles/sampling.js: not what")


def test_a_bundle_needs_no_other_file():
    for path in (*BUNDLES.glob("*.js"), ROOT / "tools/page/bundles/front.js"):
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"\bimport\b ?[({*\"']|\brequire\(", text), path.name
        assert set(re.findall(r"\w+://[^\s\"'`]+", text)) <= {"http://www.w3.org/2000/svg"}


def test_every_explorer_runs_the_bundle_of_the_module_beside_it():
    kinds = [getattr(explorers, n) for n in explorers.__all__ if n.endswith("Explorer")]
    kinds.remove(explorers.Explorer)
    codes = {kind.__module__.split(".")[-1]: kind._esm for kind in kinds}
    assert codes == {name: bundled(name) for name in MODULES}


# ---- colors and names are defined once ------------------------------------------------


def test_the_colors_are_those_of_the_figures():
    assert 'import palette from "../palette.json"' in TEXTS["common.colors"]
    magma = colormaps["magma"](np.linspace(0, 1, 9))[:, :3]
    stops = [[int(h[i : i + 2], 16) for i in (1, 3, 5)] for h in palette.PALETTE["magma"]]
    assert np.allclose(stops, 255 * magma, atol=0.51)


def test_no_color_of_the_figures_is_typed_again():
    for name, text in TEXTS.items():
        assert not set(palette.SERIES) & set(re.findall(r"#[0-9a-f]{6}\b", text)), name
    styles = "".join(p.read_text(encoding="utf-8") for p in FOLDER.glob("*.css"))
    others = set(re.findall(r"#[0-9a-f]{6}\b", styles)) - set(palette.SERIES)
    assert others == {"#1565c0", "#64b5f6", "#c62828", "#ff8a80"}  # accents, errors


def test_a_constant_of_the_shared_part_is_not_defined_again():
    constant = re.compile(r"^(?:export )?const \w+ = (.{12,}?);", re.M)
    shared = set(constant.findall("\n".join(TEXTS[name] for name in SHARED)))
    assert '"In the notebook the model answers here."' in shared
    for name in TEXTS.keys() - SHARED:
        assert not shared & set(constant.findall(TEXTS[name])), name


# ---- the tool ---------------------------------------------------------------------------


@pytest.mark.parametrize(("required", "status"), [("", 0), ("1", 1)])
def test_without_node_the_check_says_so(tmp_path, required, status):
    alone = {"PATH": str(tmp_path), "GPT1_REQUIRE_BROWSER": required}
    done = subprocess.run(
        [sys.executable, ROOT / "tools" / "javascript.py"],
        env={**{k: v for k, v in os.environ.items() if k != "PATH"}, **alone},
        capture_output=True,
        text=True,
    )
    assert done.returncode == status, done.stderr
    assert "there is no Node.js on this machine" in done.stdout


@pytest.mark.parametrize("biome", [0, 1, -9])
@pytest.mark.parametrize("bundle", [0, 1])
@pytest.mark.parametrize("kernel", [0, 1])
def test_linter_bundles_and_kernel_are_all_asked(monkeypatch, biome, bundle, kernel):
    monkeypatch.setattr(javascript.shutil, "which", lambda name: name)
    monkeypatch.setattr(javascript, "is_installed", lambda: True)
    said = {str(javascript.BIOME / "bin" / "biome"): biome, "tools/kernel.js": kernel}
    said["tools/bundle.js"] = bundle
    monkeypatch.setattr(javascript, "run", lambda node, script, *words: said[script])
    assert javascript.main([]) == any((biome, bundle, kernel))


def test_the_version_of_the_linter_is_pinned():
    package = json.loads((ROOT / "package.json").read_text())
    assert package["private"] is True
    assert all(re.fullmatch(r"\d+\.\d+\.\d+", v) for v in package["devDependencies"].values())
    assert not (ROOT / "package-lock.json").exists()  # it would name the registry


# ---- style sheets: all views of a page share them -----------------------------------

SHEETS = {p.stem: p.read_text(encoding="utf-8") for p in sorted(FOLDER.glob("*.css"))}


def styled(sheet):
    """The classes by which the rules of a style sheet begin, dark mode aside."""
    selectors = ",".join(re.findall(r"([^{};]+)\{", sheet)).split(",")
    chains = (re.findall(r"\.(gx[\w-]*)", s) for s in selectors if "@" not in s)
    return {next((c for c in chain if c not in ("gx", "gx-dark")), "") for chain in chains}


@pytest.mark.parametrize("view", sorted(SHEETS.keys() - {"common"}))
def test_a_view_styles_only_what_is_its_own(view):
    """Or two views on one page would lay out each other's parts."""
    others = {name: text for name, text in TEXTS.items() if name.split(".")[0] != view}
    for cls in styled(SHEETS[view]) - {""}:
        users = [name for name, text in others.items() if re.search(rf"\b{cls}\b(?!-)", text)]
        assert not users, f"{view}.css styles .{cls}, which {users} use"
