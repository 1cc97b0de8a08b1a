"""What the pages say about the GPUs that were tried is what is stored."""

import json
import re
from dataclasses import replace
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
    assert "Fine-tuning was not measured" in page("speed.md")


def test_the_hours_of_gpt1_on_one_gpu():
    best = max(x["tokens_per_s"]["median"] for x in part("training")["settings"])
    hours = 1e6 * RECIPES["gpt1"].batch * GPT1.n_ctx / best / 3600
    assert f"{best:,} tokens/s, which would be {hours:.0f} hours" in page("training.md")


def test_with_dropout_copying_is_learned_and_erased(trials):
    copied = {k: v for k, v in trials.items() if v["recipe"]["first"]}
    assert len(copied) == 5 and {v["curve"][0]["update"] for v in copied.values()} == {798}
    assert {v["recipe"]["dropout"] for v in trials.values()} == {0.1}
    for row in copied.values():
        taught, after = row["curve"][:2]
        assert taught["second_time"] < 1.4 and taught["prefix_matching"] > 0.9
        assert after["update"] - taught["update"] == 83 and after["second_time"] > 8.5
        assert row["prefix_matching"] < 0.03
    for said in ("798 updates", "within 83 updates"):
        assert said in page("training.md")


@pytest.fixture(scope="module")
def without_dropout():
    return {row["trial"]: row for row in part("copying")["recipes"]}


def test_without_dropout_copying_lasts_if_enough_repeats_stay(without_dropout):
    kept = {k: v for k, v in without_dropout.items() if "to the end" in k and "5%" in k}
    dropouts = sorted(v["recipe"]["dropout"] for v in kept.values())
    assert dropouts == [0.0, 0.0, 0.05]
    assert all(v["second_time"] < 0.14 and v["prefix_matching"] > 0.9 for v in kept.values())
    for name in ("2% random to the end", "10% passages falling to 0"):
        row = without_dropout[f"first repeats, {name}"]
        assert row["second_time"] > 9 and row["prefix_matching"] < 0.03
        assert next(x for x in row["curve"] if x["update"] == 1300)["prefix_matching"] < 0.04
    falling = without_dropout["first repeats, 5% random falling to 0"]
    at = {x["update"]: x for x in falling["curve"]}
    assert at[4549]["second_time"] < 1.3 and falling["second_time"] > 10
    assert 0.25 < falling["prefix_matching"] < 0.35


def test_models_that_kept_copying_end_a_little_lower(without_dropout):
    def bits(*names):
        return [without_dropout[name]["bits_heldout"] for name in names]

    first = "first repeats, "
    copied = bits(*(f"{first}5% random to the end, seed {i}" for i in range(2)))
    copied += bits(f"{first}5% random falling to 0")
    lost = bits(f"{first}2% random to the end", f"{first}10% passages falling to 0")
    books = bits(*(f"no dropout, seed {i}" for i in range(2)))
    assert (min(copied), max(copied)) == (1.5384, 1.5417)
    assert [round(x, 3) for x in lost] == [1.55, 1.55]
    assert [round(x, 3) for x in books] == [1.532, 1.526]
    gains = [round(lost[0] - x, 3) for x in (max(copied), min(copied))]
    assert gains == [0.008, 0.012], "as the notebook on induction heads says"
    (little,) = bits(f"{first}5% random to the end, dropout 0.05")
    assert [round(little - x, 3) for x in copied[:2]] == [0.007, 0.004]
    assert "is .004 to .007 worse" in page("training.md")
    averaged = min(x["mean_of_weights"]["bits_heldout"] for x in without_dropout.values())
    assert round(averaged, 3) == 1.522
    for said in ("1.538 to 1.542", "at 1.550", "1.526 and 1.532", "1.522 averaged"):
        assert said in page("training.md")


def test_dropout_alone_makes_the_difference_of_a_pair():
    longer = part("longer")
    assert longer["status"] == "failed" and longer["error"].startswith("given up")
    of = {row["trial"]: row for row in longer["recipes"]}
    pair = [of[f"first repeats, 5% random to the end{x}"] for x in ("", ", no dropout")]
    a, b = (
        {k: v for k, v in x["recipe"].items() if k not in ("dropout", "name")} for x in pair
    )
    assert a == b and [x["tokens"] for x in pair] == [10483712] * 2
    assert [round(x["bits_heldout"], 3) for x in pair] == [1.607, 1.564]
    assert [round(x["second_time"], 1) for x in pair] == [9.0, 0.2]
    assert "end at 1.564 without it and 1.607 with 0.1" in page("training.md")


def test_the_command_for_a_better_reader_has_the_settings_of_its_trial(without_dropout):
    trial = without_dropout["no dropout, seed 0"]
    shown = r"pretrain (--recipe quick) --no-previous-token-heads (--batch .*?) --out"
    found = re.search(shown, page("training.md"))
    words = " ".join(found.groups()).split()
    options = {k[2:].replace("-", "_"): v for k, v in zip(words[::2], words[1::2], strict=True)}
    base = RECIPES[options.pop("recipe")]
    given = {k: type(getattr(base, k))(v) for k, v in options.items()}
    recipe, wanted = replace(base, **given), trial["recipe"]
    for name in ("lr", "matrix_lr", "weight_decay", "warmdown", "seed"):
        assert getattr(recipe, name) == wanted[name], name
    assert recipe.steps == trial["updates"] and recipe.warmup == recipe.steps // 40
    assert recipe.steps * recipe.batch * recipe.model.n_ctx == trial["tokens"]
    assert [[recipe.warmup_ctx_share, recipe.warmup_ctx]] == wanted["short"]
    assert (recipe.model.dropout, recipe.count_vectors) == (wanted["dropout"], wanted["counts"])
    assert recipe.even_windows and recipe.matrix_momentum == 0.95 and recipe.block_std == 0.04


def test_two_seeds_differ_by_up_to_6_thousandths(trials, without_dropout):
    both = {**trials, **without_dropout, "word vectors, seed 0": trials["word vectors"]}
    pairs = [
        (row, both[f"{name[:-1]}1"]) for name, row in both.items() if name.endswith("seed 0")
    ]
    apart = [abs(a["bits_heldout"] - b["bits_heldout"]) for a, b in pairs]
    assert len(apart) == 3 and round(max(apart), 3) == 0.006
    assert "differ by up to 0.006" in page("training.md")


def test_a_larger_model_is_not_better():
    larger = {x["trial"]: x for x in part("longer")["recipes"]}["larger"]
    assert round(larger["parameters"] / 1e6, 1) == 13.9 and larger["tokens"] == 17698816
    assert larger["bits_heldout"] > 1.534
    best = min(x["bits_heldout"] for x in part("copying")["recipes"])
    assert best > 1.5, "the aim"


def test_two_seeds_and_word_vectors(trials):
    a, b = (trials[k] for k in ("word vectors", "word vectors, seed 1"))
    none = trials["random embeddings"]
    assert f"{a['bits_heldout'] - b['bits_heldout']:.3f}" == "0.003"
    early = [f"{row['curve'][0]['bits_ends']:.2f}" for row in (a, b, none)]
    assert early == ["1.62", "1.62", "1.64"] and none["curve"][0]["update"] == 881
    assert none["updates"] == 9771 and min(a["bits_ends"], b["bits_ends"]) < none["bits_ends"]
    assert none["bits_ends"] < max(a["bits_ends"], b["bits_ends"])
