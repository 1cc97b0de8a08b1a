"""Tables of what was measured on a GPU, for the pages in docs: see benchmarks/gpu.py."""

import json

from benchmarks import novelist_trials
from gpt1lib import evaluate, metrics
from gpt1lib.io.paths import BENCHMARKS, NOVELIST_DIR


def part(name: str) -> dict:
    """What one part of the benchmark stored."""
    return json.loads((BENCHMARKS / f"gpu_{name}.json").read_text(encoding="utf-8"))


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


def recipes() -> str:
    """Recipes for the novelist: on two cores, then those tried at once on a GPU."""
    shipped = json.loads((NOVELIST_DIR / "meta.json").read_text(encoding="utf-8"))
    score = metrics.rounded(evaluate.all_books(shipped["heldout"]))["bits_per_character"]
    stored = json.loads(novelist_trials.STORED.read_text(encoding="utf-8"))
    best = min(stored, key=lambda x: x["bits_per_character"])
    rows = [
        ["shipped: the paper's method", "two cores", "16.4", "", "", f"{score:.3f}"],
        [
            "Muon, dropout 0.1, short windows first",
            "two cores",
            f"{best['tokens'] / 1e6:.1f}",
            "",
            "",
            f"{best['bits_per_character']:.3f}",
        ],
    ]
    tried = part("recipes")
    for row in tried["recipes"]:
        first = row["recipe"]["first"]
        taught = next((x for x in row["curve"] if first and x["second_time"] < 5), None)
        rows.append(
            [
                row["trial"],
                tried["device"],
                f"{row['tokens'] / 1e6:.1f}",
                f"{taught['second_time']:.1f}" if taught else "",
                f"{row['second_time']:.1f}",
                f"{row['bits_heldout']:.3f}",
            ]
        )
    return table(
        [
            "recipe",
            "trained on",
            "million tokens",
            "second time, before the books",
            "second time, at the end",
            "bits per character",
        ],
        rows,
    )
