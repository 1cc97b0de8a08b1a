"""What the README and the pages beside it say is so: costs, links, commands, names."""

import importlib
import json
import re
from pathlib import Path
from urllib.parse import unquote

import nbformat
import pytest
import torch

from gpt1course.paper import released
from gpt1lib import GPT, GPT1
from gpt1lib.pretrain.config import RECIPES
from tools import check, readme

ROOT = Path(__file__).resolve().parents[2]
PAGES = {
    p.relative_to(ROOT).as_posix(): p.read_text(encoding="utf-8")
    for p in (
        *ROOT.glob("*.md"),
        *sorted([*ROOT.glob("docs/*.md"), *ROOT.glob("teaching/*.md")]),
        ROOT / "data/README.md",
    )
}
each_page = pytest.mark.parametrize("name", PAGES)
COMMAND = re.compile(r"-m (gpt1lib[\w.]*)((?:[^`\n]|\\\n)*)")
OPTION = re.compile(r"(?<![\w-])--[a-z][\w-]*")
TORCHRUN = {"--nproc-per-node", "--nnodes", "--rdzv-backend", "--rdzv-endpoint"}
TOOLS = (ROOT / "tools/setup.py",)
SLURM = {"--nodes", "--ntasks-per-node", "--gpus-per-node", "--time", "--requeue"}
OTHERS = TORCHRUN | SLURM | {"--max-restarts", "--rdzv-id", "--help"}


def test_the_costs_of_gpt1():
    with torch.device("meta"):
        n = GPT(GPT1).count_parameters()
    recipe = RECIPES["gpt1"]
    tokens = recipe.batch * GPT1.n_ctx
    update = 6 * n * tokens
    stored = ROOT / "data" / "results" / "benchmarks" / "training_full.json"
    rate = json.loads(stored.read_text())["ours"]
    page = " ".join(PAGES["docs/training.md"].split())
    for said in (
        f"{n:,} parameters",
        f"= {tokens:,} tokens",
        f"{update:.2e}".replace("e+", "e"),
        f"{update / 1e14:.2f} s for an update",
        f"{update * 1e6 / 1e14 / 3600:.0f} hours",
        f"{update * 1e6 / 1e14 / 3600 / 8:.0f} hours",
        f"{16 * n / 1e9:.1f} GB",
        f"{4 * tokens * GPT1.n_vocab / 1e9:.1f} GB",
        f"{rate} tokens/s of [speed](speed.md)",
        f"need {tokens * 1e6 / rate / 3600 / 24 / 365:.0f} years",
    ):
        assert said in page, said
    assert f"{n:,} parameters" in " ".join(PAGES["README.md"].split())


def test_the_sizes_beside_gpt1s_are_the_models_own():
    ours = json.loads((ROOT / "data/checkpoints/novelist/meta.json").read_text())["recipe"]
    theirs = vars(RECIPES["gpt1"]) | vars(GPT1)
    found = re.findall(
        r"^\| (\w+) \| ([\d.]+) \| ([\d.]+) \|$", PAGES["docs/differences.md"], re.M
    )
    assert len(found) == 11
    for name, paper, novelist in found:
        assert float(paper) == theirs[name] and float(novelist) == (ours | ours["model"])[name]


def test_the_readme_is_for_a_newcomer():
    page = PAGES["README.md"]
    for part in ("Who it is for.", "How long it takes.", "make lab", "tools/setup.py lab"):
        assert part in page
    assert page.count("\n") <= 90, "the map of the files and what few need belong to docs"


@pytest.mark.parametrize("name", [path.relative_to(ROOT).as_posix() for path in readme.PAGES])
def test_what_a_page_takes_from_elsewhere_is_up_to_date(name):
    """When this fails: python -m tools.readme"""
    assert PAGES[name] == readme.updated(PAGES[name])
    parts = re.findall(r"<!-- (.*) -->\n(?:.*\n)*?<!-- /\1 -->", PAGES[name])
    assert set(parts) & set(readme.TABLES)


ADDRESS = "https://example.org/someone/gpt1-course"


def test_runs_with_other_settings_of_the_peer_have_a_row_of_their_own(monkeypatch):
    ours = [
        {"who": "ours", "day": "d", "minutes": 5, "bits_per_character": x} for x in (1, 2, 3)
    ]
    other = {"who": "nanogpt", "day": "d", "minutes": 20, "bits_per_character": 4}
    stored = readme.stored
    runs = [*ours, other, {**other, "beta2": 0.99, "bits_per_character": 5}]
    monkeypatch.setattr(
        readme, "stored", lambda name: runs if name == "quality_for_time" else stored(name)
    )
    rows = [line for line in readme.speed().splitlines() if "run of d" in line]
    assert [row.split(" | ")[2] for row in rows] == [
        "nanoGPT's way 4.000 after 20 min",
        "nanoGPT's way with beta2 0.99 5.000 after 20 min",
    ]
    assert all("| 1.000, 2.000 and 3.000 after 5 min |" in row for row in rows)


def test_without_an_address_the_pages_have_none():
    assert readme.badge("") == ""
    assert "--depth 1 ADDRESS " in readme.clone("") and "green *Code*" in readme.clone("")


def test_an_address_reaches_badge_clone_and_citation():
    badge, clone = readme.badge(ADDRESS), readme.clone(ADDRESS)
    assert badge.count(f"({ADDRESS}/actions/workflows/course.yml") == 2
    assert f"--depth 1 {ADDRESS} " in clone and "ADDRESS" not in clone
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    cited = readme.cited(citation, ADDRESS)
    assert f"\nrepository-code: {ADDRESS}\n" in cited
    assert readme.cited(cited, ADDRESS) == cited and readme.cited(cited, "") == citation


def test_the_hours_are_those_of_the_lessons():
    main = ["50 min", "80 min, two sittings"]
    assert readme.together(main) == "The lessons take about 2 hours.\n"
    both = [main[0] + ", deeper 60 min", main[1] + ", deeper 65 min"]
    said = "The lessons take about 2 hours, and their deeper parts 2 more.\n"
    assert readme.together(both) == said


OURS = (
    "is too {}. This course needs 3.11 to 3.14.",
    "Python could not make .venv. On Debian and Ubuntu one package is missing:",
    "No package could be downloaded: there is no network, or a proxy is in the way.",
    "GB free in {}, but the packages need about {:.0f} GB.",
    "Port {} is taken. Choose another one: make lab PORT={}",
    "is missing: gpt1lib was installed without its data.",
    "is not the file that was written: its SHA-256 differs from the one in",
)


@pytest.mark.parametrize("message", OURS)
def test_troubleshooting_shows_what_is_really_said(message):
    page = " ".join(PAGES["docs/troubleshooting.md"].split())
    assert re.search(re.sub(r"\\\{.*?\\\}", r"[\\w./ -]+", re.escape(message)), page)
    code = (p.read_text(encoding="utf-8") for p in (*TOOLS, *ROOT.glob("gpt1lib/io/*.py")))
    assert message in re.sub(r'"\s*f?"', "", "".join(code))


# ---- links, paths, commands ---------------------------------------------------------------


def anchors(path: Path) -> set[str]:
    """The places that a link can name, as GitHub makes them, or JupyterLab in a lesson."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".ipynb":
        cells = nbformat.reads(text, as_version=4).cells
        prose = "\n".join(c.source for c in cells if c.cell_type == "markdown")
        found = re.findall(r"^#+ (.*)$", prose, re.MULTILINE)
        return {h.replace("`", "").replace(" ", "-") for h in found}
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w -]", "", h).strip().lower().replace(" ", "-") for h in headings}


@each_page
def test_links_lead_somewhere(name):
    for target in re.findall(r"\]\(([^)\s]+)\)", PAGES[name]):
        if readme.address() and target.startswith(readme.address()):  # the badge
            continue
        path, _, place = target.partition("#")
        there = ((ROOT / name).parent / path) if path else ROOT / name
        assert "://" not in target and there.exists(), target
        if place:
            assert unquote(place) in anchors(there), target


def test_every_page_is_linked_from_the_readme():
    linked, within = (
        set(re.findall(r"\]\(([^)\s]+)\)", PAGES[name]))
        for name in ("README.md", "teaching/README.md")
    )
    there = linked | {f"teaching/{target}" for target in within}
    assert {n for n in PAGES if n != "README.md"} <= there
    assert "teaching/README.md" in linked


@each_page
def test_paths_that_are_named_exist(name):
    folders = "gpt1lib|tools|tests|docs|data|benchmarks|notebooks|teaching|\\.ci"
    for path in re.findall(rf"`((?:{folders})/[^`\s]*)`", PAGES[name]):
        pattern = path.rstrip("/").replace("lessonNN", "lesson??")
        folder = ROOT / "data/results" if path.endswith(".json") else ROOT
        assert list(folder.glob(pattern)), path


def commands() -> list[tuple[str, str]]:
    """(module, its arguments) of every command of the library in the pages."""
    return [m for text in PAGES.values() for m in COMMAND.findall(text)]


def flags(module: str, capsys) -> set[str]:
    """The options that a command of the library takes."""
    package = importlib.import_module(module)
    if hasattr(package, "__path__"):
        package = importlib.import_module(f"{module}.__main__")
    ways = [["--help"]]
    if module == "gpt1course":
        ways += [[command, "--help"] for command in ("again", "grade", "solve")]
    for way in ways:
        with pytest.raises(SystemExit):
            package.main(way)
    return set(OPTION.findall(capsys.readouterr().out))


def test_commands_and_their_options_are_real(capsys):
    assert len(commands()) >= 12
    for module, arguments in commands():
        used = set(OPTION.findall(arguments))
        assert used <= flags(module, capsys), (module, arguments)


def test_options_in_the_prose_are_real(capsys):
    modules = ("gpt1lib.pretrain", "gpt1lib.finetune", "gpt1lib.sample", "gpt1course.paper")
    known = set.union(*(flags(module, capsys) for module in modules))
    known |= set(OPTION.findall(released.parser().format_help()))
    for name in ("docs/training.md", "docs/cluster.md", "docs/speed.md"):
        used = set(OPTION.findall(PAGES[name]))
        assert used <= known | OTHERS, name


@each_page
def test_make_targets_are_real(name):
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    used = re.findall(r"(?:`|^|/model )make ([a-z-]+)", PAGES[name], re.MULTILINE)
    assert set(used) <= set(targets)


def test_every_part_of_make_test_is_explained():
    explained = re.findall(r"^\| (\w+) \| ", PAGES["docs/maintaining.md"], re.MULTILINE)
    assert set(explained[1:]) == set(check.parts(quick=False, slow=False))
