"""Write the tables: lessons in README.md and docs/paper.md, benchmarks in docs/speed.md.

    python tools/readme.py

What a lesson is comes from its notebook (see tools/notebooks/index.py), its run time from
data/results/run_times.json (written by `python -m tools.notebooks run`), speeds from
data/results/benchmarks (written by the scripts in benchmarks).
"""

import json
import re
from functools import partial
from pathlib import Path
from typing import Any

import torch

from gpt1lib import GPT, NOVELIST
from tools.notebooks import index

ROOT = Path(__file__).resolve().parents[1]
PAGES = (ROOT / "README.md", ROOT / "docs/speed.md", ROOT / "docs/paper.md")
BENCHMARKS = ROOT / "data/results/benchmarks"
NOTEBOOKS = ROOT / "notebooks"


def row(lesson: index.Lesson, seconds: int | None) -> str:
    """One line of the table; seconds: None where no full run was timed."""
    name = f"[{lesson.title}](notebooks/{lesson.name})"
    ran = f"{seconds} s" if seconds else ""
    return f"| {name} | {lesson.question} | {lesson.time} | {ran} |"


def lessons() -> str:
    """The table of lessons, in their order."""
    times = json.loads((ROOT / "data/results/run_times.json").read_text(encoding="utf-8"))
    names = ("lesson", "the question", "to work through", "Run All, 2 cores")
    head = f"| {' | '.join(names)} |\n|---|---|---|---|\n"
    known = index.lessons_of(NOTEBOOKS)
    return head + "\n".join(row(x, times.get(x.name)) for x in known) + "\n"


def from_docs(table) -> str:
    """A table of the lessons, for a page in docs."""
    return table(index.lessons_of(NOTEBOOKS), "../notebooks/")


def found(name: str) -> Any:
    """What one benchmark stored: its result, or a list of runs."""
    return json.loads((BENCHMARKS / f"{name}.json").read_text(encoding="utf-8"))


def quality(who: str, minutes: int) -> str:
    """What each run of quality_for_time.py reached in its minutes."""
    runs = [x for x in found("quality_for_time") if (x["who"], x["minutes"]) == (who, minutes)]
    scores = " and ".join(f"{x['bits_per_character']:.3f}" for x in runs)
    return f"{scores} after {minutes} min"


def speed() -> str:
    """The table of speeds: ours, another, how many times as fast."""
    lines = ["| on two cores | ours | beside it | ratio |", "|---|---|---|---|"]
    for size in ("tiny", "novelist", "full"):
        f = found(f"training_{size}")
        lines.append(
            f"| training, {size} size | {f['ours']:,} tokens/s | transformers "
            f"{f['theirs']:,} | {f['ratio']:.2f} |"
        )
    f = found("generation_full")
    lines.append(
        f"| greedy generation, full size, {f['prompt']} + {f['new']} tokens, same output | "
        f"{f['ours']} tokens/s | transformers {f['theirs']} | {f['ratio']:.1f} |"
    )
    f = found("import")
    lines.append(
        f"| import | {f['ours_seconds']} s | torch alone {f['torch_seconds']} s | "
        f"{f['ratio']:.2f} of the time |"
    )
    lines.append(
        "| bits per character, unseen books, each run | "
        f"{quality('ours', 5)} | nanoGPT's way {quality('nanogpt', 20)} | |"
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
    f = found("engine")
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
    "lessons": lessons,
    "speed": speed,
    "in the page": in_the_page,
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
    for path in PAGES:
        path.write_text(updated(path.read_text(encoding="utf-8")), encoding="utf-8")
