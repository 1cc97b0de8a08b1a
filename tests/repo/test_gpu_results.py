"""What the pages say about the GPUs that were tried is what is stored."""

import json
from pathlib import Path

import pytest

from gpt1lib.config import GPT1
from gpt1lib.pretrain import RECIPES

ROOT = Path(__file__).resolve().parents[2]


def part(name: str) -> dict:
    return json.loads((ROOT / f"data/results/benchmarks/gpu_{name}.json").read_text())


def page(name: str) -> str:
    return " ".join((ROOT / "docs" / name).read_text(encoding="utf-8").split())


@pytest.fixture(scope="module")
def trials():
    return {row["trial"]: row for row in part("recipes")["recipes"]}


def test_the_numbers_of_a_gpu_are_the_cpus():
    found = {row["compared"]: row for row in part("same_numbers")["same_numbers"]}
    assert found["logits, float32"]["largest_difference"] < 1e-5
    assert found["two runs as the trainer is"]["same"]
    resumed = found["killed and resumed, deterministic"]
    assert resumed["same"] and len(resumed["went_on_from"]) == 3
    short = found["losses, bfloat16"]
    assert short["updates"] == 200
    assert round(short["mean_share"], 2) == 0.02 and 0.3 < short["largest_share"] < 0.36
    assert "2% on average, and in one update by a third" in page("speed.md")


def test_what_was_not_measured_is_said():
    assert (
        part("training")["error"].startswith("given up")
        and len(part("training")["settings"]) == 9
    )
    assert part("generation")["error"].startswith("given up")
    assert all(row["same_tokens"] == 1 for row in part("generation")["generation"])
    assert not (ROOT / "data/results/benchmarks/gpu_finetune.json").exists()
    for said in ("its last setting", "its last row", "fine-tuning was not measured"):
        assert said in page("speed.md")


def test_the_hours_of_gpt1_on_one_gpu():
    best = max(x["tokens_per_s"]["median"] for x in part("training")["settings"])
    hours = 1e6 * RECIPES["gpt1"].batch * GPT1.n_ctx / best / 3600
    assert f"{best:,} tokens/s, which would be {hours:.0f} hours" in page("training.md")


def test_copying_is_learned_erased_and_no_gain(trials):
    copied = {k: v for k, v in trials.items() if v["recipe"]["first"]}
    assert len(copied) == 5 and {v["curve"][0]["update"] for v in copied.values()} == {798}
    for row in copied.values():
        taught, after = row["curve"][:2]
        assert taught["second_time"] < 1.4 and taught["prefix_matching"] > 0.9
        assert after["update"] - taught["update"] == 83 and after["second_time"] > 8.5
        assert row["prefix_matching"] < 0.03
    books = [v["bits_heldout"] for k, v in trials.items() if k not in copied]
    assert len(books) == 3 and max(books) < min(v["bits_heldout"] for v in copied.values())
    assert min(books) > 1.5, "the aim"
    for said in ("798 updates", "next 83 updates", "slightly worse than the three"):
        assert said in page("training.md")


def test_two_seeds_and_word_vectors(trials):
    a, b = (trials[k] for k in ("word vectors", "word vectors, seed 1"))
    none = trials["random embeddings"]
    assert f"{a['bits_heldout'] - b['bits_heldout']:.3f}" == "0.003"
    early = [f"{row['curve'][0]['bits_ends']:.2f}" for row in (a, b, none)]
    assert early == ["1.62", "1.62", "1.64"] and none["curve"][0]["update"] == 881
    assert none["updates"] == 9771 and min(a["bits_ends"], b["bits_ends"]) < none["bits_ends"]
    assert none["bits_ends"] < max(a["bits_ends"], b["bits_ends"])
