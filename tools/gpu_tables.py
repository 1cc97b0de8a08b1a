"""Tables of what was measured on a GPU, for the pages in docs: see benchmarks/gpu.py."""

import re

from benchmarks import novelist_trials
from benchmarks.shared.by_clock import stored_runs
from gpt1lib import checkpoints, evaluate, metrics
from gpt1lib.io.files import read_json
from gpt1lib.io.paths import BENCHMARKS, NOVELIST_DIR


def part(name: str) -> dict:
    """What one part of the benchmark stored."""
    return read_json(BENCHMARKS / f"gpu_{name}.json", dict)


def table(head: list[str], rows: list[list[str]]) -> str:
    """A table in Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def speed() -> str:
    """Training and generation at full size, ours beside transformers'."""
    training, generation = part("training"), part("generation")
    beside = {row["who"]: row for row in training["beside_transformers"]}
    theirs = beside["transformers, eager"]["tokens_per_s"]["median"]
    rows = []
    for who in ("ours", "ours, compiled"):
        row = beside[who]
        mine = row["tokens_per_s"]["median"]
        rows.append(
            [f"training, batch {row['batch']}, {who}", training["device"], f"{mine:,} tokens/s",
             f"{row['model_flops_utilization']:.0%}", f"{theirs:,}", f"{mine / theirs:.1f}"]
        )  # fmt: skip
    best = max(training["settings"], key=lambda x: x["tokens_per_s"]["median"])
    rows.append(
        [f"training, batch {best['batch']}, compiled, our fastest", training["device"],
         f"{best['tokens_per_s']['median']:,} tokens/s",
         f"{best['model_flops_utilization']:.0%}", "", ""]
    )  # fmt: skip
    for row in generation["generation"]:
        mine, other = row["ours"]["median"], row["transformers"]["median"]
        rows.append(
            [f"greedy generation, batch {row['batch']}, {row['numbers']}", generation["device"],
             f"{mine:,.0f} tokens/s", "", f"{other:,.0f}",
             f"{row['ours_times_as_fast']['median']:.1f}"]
        )  # fmt: skip
    return table(
        ["full size", "GPU", "ours", "share of its peak", "transformers", "ratio"], rows
    )


HEAD = [
    "recipe",
    "dropout",
    "trained on",
    "million tokens",
    "second time, before the books",
    "second time, at the end",
    "prefix matching, at the end",
    "bits per character, held-out books",
    "averaged weights",
]


def recipes() -> str:
    """Recipes for the novelist: on two cores, then those tried at once on a GPU."""
    shipped = checkpoints.load(NOVELIST_DIR)
    score = metrics.rounded(evaluate.all_books(shipped.meta["heldout"]))["bits_per_character"]
    best = min(stored_runs(novelist_trials.STORED), key=lambda x: x["bits_per_character"])
    on_cpu = [
        ("shipped: the paper's method", 0.0, shipped.log[-1]["tokens"], score),
        ("MUD, short windows first", best["changed"].get("dropout", 0.0), best["tokens"],
         best["bits_per_character"]),
    ]  # fmt: skip
    rows = [
        [name, f"{dropout:g}", "two cores", f"{tokens / 1e6:.1f}", *[""] * 3, f"{bits:.3f}", ""]
        for name, dropout, tokens, bits in on_cpu
    ]
    for name in ("recipes", "longer", "copying"):
        tried = part(name)
        rows += [trial(row, tried["device"]) for row in tried["recipes"]]
    return table(HEAD, rows)


def trial(row: dict, device: str) -> list[str]:
    """A trial on a GPU as a row; its name without the dropout, which has a column."""
    recipe, mean = row["recipe"], row["mean_of_weights"]["bits_heldout"]
    before = recipe["first"] // 3 * 3  # updates: three kinds of windows, equally many of each
    taught = before and next(x for x in row["curve"] if x["update"] == before)
    return [
        re.sub(r", (no dropout|dropout [0-9.]+)$", "", row["trial"]).replace(
            "no dropout", "books"
        ),
        f"{recipe['dropout']:g}",
        device,
        f"{row['tokens'] / 1e6:.1f}",
        f"{taught['second_time']:.1f}" if taught else "",
        f"{row['second_time']:.1f}",
        f"{row['prefix_matching']:.2f}",
        f"{row['bits_heldout']:.3f}",
        f"{mean:.3f}",
    ]
