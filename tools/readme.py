"""Write what pages take from elsewhere: lessons, speeds, the map, the repository's address.

    python -m tools.readme

What a lesson is comes from its notebook (see tools/notebooks/index.py), speeds from
data/results/benchmarks (written by the scripts in benchmarks), the map in
docs/maintaining.md from the docstrings of the two packages. The address comes from
[project.urls] in pyproject.toml; where there is none, README.md and CITATION.cff have none.
"""

import argparse
import re
import tomllib
from functools import partial
from typing import Any

import torch

import gpt1course
import gpt1lib
from benchmarks import record
from benchmarks.shared.by_clock import stored_runs
from gpt1lib import GPT, NOVELIST
from gpt1lib.io.files import read_json, read_text, write_text
from gpt1lib.io.paths import BENCHMARKS, ROOT
from tools import gpu_tables, trial_tables
from tools.notebooks import index

PAGES = tuple(
    ROOT / name
    for name in (
        "README.md",
        "AGENTS.md",
        "docs/maintaining.md",
        "docs/paper.md",
        "docs/record.md",
        "docs/speed.md",
        "docs/training.md",
    )
)
CITATION = ROOT / "CITATION.cff"
NOTEBOOKS = ROOT / "notebooks"


def lessons() -> str:
    """The table of lessons, in their order, and how long they take together."""
    known = index.lessons_of(NOTEBOOKS)
    return f"{index.rows(known, 'notebooks/')}\n{together([x.time for x in known])}"


def titles() -> str:
    """The lessons as a list: file and question."""
    known = index.lessons_of(NOTEBOOKS)
    return "".join(f"- [{x.title}](notebooks/{x.name}): {x.question}\n" for x in known)


def together(times: list[str]) -> str:
    """A sentence: the hours of all main paths, and of all deeper parts where there are any."""
    main = sum(int(time.split()[0]) for time in times)
    deeper = sum(int(m[1]) for m in (re.search(r"deeper (\d+) min", t) for t in times) if m)
    more = f", and their deeper parts {round(deeper / 60)} more" if deeper else ""
    return f"The lessons take about {round(main / 60)} hours{more}.\n"


# ---- the repository's address -----------------------------------------------------------


def address() -> str:
    """Where the repository lives, from pyproject.toml; empty where that does not say."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return project.get("urls", {}).get("Repository", "").rstrip("/")


def badge(url: str) -> str:
    """Whether the tests pass, as GitHub shows it."""
    page = f"{url}/actions/workflows/course.yml"
    return f"[![course]({page}/badge.svg)]({page})\n" if url else ""


def clone(url: str) -> str:
    """The commands to begin with, one on a line, because PowerShell knows no `&&`."""
    commands = f"git clone --depth 1 {url or 'ADDRESS'} gpt1-course\ncd gpt1-course\nmake lab"
    where = (
        "\nHere ADDRESS is the address behind the green *Code* button of the page where you "
        "found the course.\n"
    )
    return f"```\n{commands}\n```\n" + ("" if url else where)


def cited(text: str, url: str) -> str:
    """CITATION.cff with the address, or without one."""
    rest = "".join(x for x in text.splitlines(True) if not x.startswith("repository-code:"))
    line = f"repository-code: {url}\n" if url else ""
    return re.sub(r"^(license: .*\n)", rf"\1{line}", rest, flags=re.MULTILINE)


# ---- the map ----------------------------------------------------------------------------


def files() -> str:
    """The files of the two packages, as their docstrings name them."""
    blocks = [
        f"{package.__name__}/\n\n{indented(package)}" for package in (gpt1lib, gpt1course)
    ]
    return "```\n" + "\n\n".join(blocks) + "\n```\n"


def indented(package) -> str:
    """The indented lines of a package's docstring, with a blank line between blocks."""
    lines = [x for x in package.__doc__.splitlines() if not x or x.startswith("    ")]
    return re.sub(r"\n{2,}", "\n\n", "\n".join(lines)).strip("\n")


# ---- tables -----------------------------------------------------------------------------


def from_docs(table) -> str:
    """A table of the lessons, for a page in docs."""
    return table(index.lessons_of(NOTEBOOKS), "../notebooks/")


def stored(name: str) -> Any:
    """What one benchmark stored: its result, or a list of runs."""
    return read_json(BENCHMARKS / f"{name}.json", object)


BETA2 = 0.95  # of Adam in the runs of nanoGPT's settings that name none


def quality(day: str, who: str, beta2: float | None = None) -> str:
    """What each run of quality_for_time.py reached on a day, and in how many minutes.

    beta2: that of nanoGPT's runs, where a day may have both.
    """
    scores: dict[float, list[str]] = {}
    for run in stored("quality_for_time"):
        its = run.get("beta2", BETA2) if who == "nanogpt" else None
        if (run["day"], run["who"], its) == (day, who, beta2):
            reached = f"{run['bits_per_character']:.3f}"
            scores.setdefault(run["minutes"], []).append(reached)
    return ", ".join(f"{listed(x)} after {m:.0f} min" for m, x in sorted(scores.items()))


def listed(words: list[str]) -> str:
    """One, two and three."""
    *before, last = words
    return f"{', '.join(before)} and {last}" if before else last


def peers() -> list[tuple[str, float]]:
    """The days of nanoGPT's runs, and the second beta that its Adam had on each."""
    runs = [run for run in stored("quality_for_time") if run["who"] == "nanogpt"]
    return sorted({(run["day"], run.get("beta2", BETA2)) for run in runs})


def speed() -> str:
    """The table of speeds: ours, another, how many times as fast."""
    lines = ["| on two cores | ours | beside it | ratio |", "|---|---|---|---|"]
    for size in ("tiny", "novelist", "full"):
        f = stored(f"training_{size}")
        lines.append(
            f"| training, {size} size | {f['ours']:,} tokens/s | transformers "
            f"{f['theirs']:,} | {f['ratio']:.2f} |"
        )
    f = stored("generation_full")
    lines.append(
        f"| greedy generation, full size, {f['prompt']} + {f['new']} tokens, same output | "
        f"{f['ours']} tokens/s | transformers {f['theirs']} | {f['ratio']:.1f} |"
    )
    f = stored("import")
    lines.append(
        f"| import | {f['ours_seconds']} s | torch alone {f['torch_seconds']} s | "
        f"{f['ratio']:.2f} of the time |"
    )
    for day, beta2 in peers():
        way = "nanoGPT's way" + (f" with beta2 {beta2}" if beta2 != BETA2 else "")
        lines.append(
            f"| bits per character, unseen books, each run of {day} | "
            f"{quality(day, 'ours')} | {way} {quality(day, 'nanogpt', beta2)} | |"
        )
    return "\n".join(lines) + "\n"


EXPLAINER = {
    "model": "GPT-2 (small), 12 blocks",
    "parameters": "124 million",
    "to load": "63 files of up to 10 MiB, 650 to 661 MB",
    "computed by": "ONNX Runtime Web 1.23.0",
    "without a network": "no: a web server, the runtime and the tokenizer are needed; the "
    "model stays in the browser's cache",
    "on a phone": "stored examples",
    "to be seen": "embeddings, q, k and v, attention of a chosen block and head, the next "
    "token; temperature, top-k, top-p",
}
"""What github.com/poloclub/transformer-explainer holds at commit 6e2ec37, of February 2026:
src/components/article/Article.svelte, src/routes/+page.svelte, src/utils/model/chunk.py."""


def in_the_page() -> str:
    """The model in the page beside Transformer Explainer's, which publishes no times."""
    f = stored("engine")
    with torch.device("meta"):
        parameters = GPT(NOVELIST).count_parameters()

    def median(name: str, digits: int = 0) -> str:
        return f"{f[name]['median']:,.{digits}f}"

    ours = {
        "model": f"GPT-1, {NOVELIST.n_layer} blocks, our twelve books",
        "parameters": f"{parameters / 1e6:.1f} million",
        "to load": f"{f['bytes'] / 1e6:.1f} MB",
        "computed by": "JavaScript and WebAssembly of our own, 8-bit weights",
        "without a network": "yes, opened from disk",
        "on a phone": "the same",
        "to be seen": "every number on the way (map.html), all heads at once, the next token; "
        "temperature, top-k, top-p; writing",
        "first answer": f"{f['first answer, ms']['median'] / 1000:.2f} s",
        "a prompt of 32 tokens": f"{median('WebAssembly, prompt of 32 tokens, ms')} ms; "
        f"{median('plain, prompt of 32 tokens, ms')} ms in plain JavaScript",
        "writing": f"{median('WebAssembly, tokens/s')} tokens/s; "
        f"{median('plain, tokens/s')} in plain JavaScript",
    }
    lines = ["| in the browser | this course | Transformer Explainer |", "|---|---|---|"]
    for name, here in ours.items():
        lines.append(f"| {name} | {here} | {EXPLAINER.get(name, 'not published')} |")
    return "\n".join(lines) + "\n"


TABLES = {
    "badge": lambda: badge(address()),
    "clone": lambda: clone(address()),
    "lessons": lessons,
    "titles": titles,
    "map": files,
    "speed": speed,
    "one GPU": gpu_tables.speed,
    "recipes": gpu_tables.recipes,
    "learning rates": trial_tables.rates,
    "whole runs": trial_tables.whole_runs,
    "in the page": in_the_page,
    "record": lambda: record.table(stored_runs(record.STORED)),
    "record defaults": record.free,
    "paper": partial(from_docs, index.paper),
    "by lesson": partial(from_docs, index.by_lesson),
}


def updated(page: str) -> str:
    """A page with today's table between each pair of markers that it has."""
    for name, table in TABLES.items():
        part = re.compile(f"(<!-- {name} -->\n).*?(?=<!-- /{name} -->)", re.DOTALL)
        page = part.sub(lambda m, table=table: m[1] + table(), page)
    return page


if __name__ == "__main__":
    argparse.ArgumentParser(description=__doc__).parse_args()
    for path in PAGES:
        write_text(path, updated(read_text(path)))
    write_text(CITATION, cited(read_text(CITATION), address()))
