"""The numbers by which the page on training says how to read the log."""

import json
import math
import statistics
from dataclasses import replace

import torch

from gpt1lib import GPT, induction
from gpt1lib.config import NOVELIST
from gpt1lib.io.paths import BENCHMARKS, ROOT
from gpt1lib.pretrain import init
from gpt1lib.pretrain.config import RECIPES


def training_page() -> str:
    return " ".join((ROOT / "docs/training.md").read_text(encoding="utf-8").split())


def test_what_guessing_and_even_attention_are_measured_as():
    page = training_page()
    sizes = RECIPES["quick"].model
    n = 2 * (sizes.n_ctx // 8)  # a span is said twice: see induction.measures
    even = torch.tril(torch.ones(n, n))
    even /= even.sum(dim=1, keepdim=True)
    prefix = induction.prefix_matching_scores(even).item()
    before = induction.previous_token_scores(even).item()
    assert (
        f"a prefix-matching score of {prefix:.2f} and a previous-token score of {before:.2f}"
        in page
    )
    n_vocab = NOVELIST.n_vocab
    assert (
        f"a vocabulary of {n_vocab:,} tokens, `first_time` is about {math.log(n_vocab):.1f}"
        in page
    )


def test_looking_back_from_the_start_saves_much_of_a_short_run():
    stored = json.loads((BENCHMARKS / "recipe_trials.json").read_text(encoding="utf-8"))
    without, back = (x for x in stored if x["seconds"] == 240)
    only = {"command", "commit", "updates", "curve", "bits_per_character"}
    changed = {k for k in back if back[k] != without[k]} - only
    assert changed == {"previous_token_heads"} and back["previous_token_heads"]
    assert back["commit"] == without["commit"]
    assert (
        "Four minutes on one core end at "
        f"{back['bits_per_character']:.3f} bits per character of unseen pages with them, "
        f"and at {without['bits_per_character']:.3f} without" in training_page()
    )


def runs_by_clock() -> list[dict]:
    """The stored runs of benchmarks/quality_for_time.py."""
    return json.loads((BENCHMARKS / "quality_for_time.json").read_text(encoding="utf-8"))


def speed_page() -> str:
    """docs/speed.md in one line."""
    return " ".join((ROOT / "docs/speed.md").read_text(encoding="utf-8").split())


def test_after_1_8_million_tokens_it_still_helps():
    trials = json.loads((BENCHMARKS / "novelist_trials.json").read_text(encoding="utf-8"))
    runs = runs_by_clock()
    (back,) = (x for x in trials if x["changed"].get("previous_token_heads"))
    (without,) = (x for x in runs if x["tokens"] == back["tokens"])
    assert round(back["tokens"] / 1e6, 1) == 1.8 and without["who"] == "ours"
    assert (
        f"the held-out books cost {back['bits_per_character']:.3f} bits per character with "
        f"them, and {without['bits_per_character']:.3f} without" in training_page()
    )


def test_the_previous_token_score_of_quick_is_high_from_the_start():
    assert "(in `quick` the previous-token score is high from the start)" in training_page()
    model = GPT(replace(NOVELIST, n_layer=1))
    init.init_previous_token_heads(model)
    assert induction.measures(model, n_spans=2)["previous_token"] > 0.7


def test_our_second_run_read_a_quarter_more_tokens_in_the_same_time():
    runs = runs_by_clock()
    days = ("2026-11-23", "2026-11-27")
    day = days[1]
    kind = ("ours", 3, day)
    ours = [x["tokens"] for x in runs if (x["who"], x["minutes"], x["day"]) == kind]
    assert len(ours) == 2 and round(ours[1] / ours[0], 2) == 1.25
    page = speed_page()
    assert "our second run read a quarter more tokens than the first" in page
    theirs = {d: [x for x in runs if x["who"] == "nanogpt" and x["day"] == d] for d in days}
    assert [len(theirs[d]) for d in days] == [2, 2]
    slower, faster = (max(x["tokens"] for x in theirs[d]) for d in (day, days[0]))
    assert slower < faster and "The machine was slower on the second day" in page
    means = {
        who: statistics.mean(
            x["bits_per_character"] for x in runs if (x["who"], x["day"]) == (who, day)
        )
        for who in ("ours", "nanogpt")
    }
    assert (
        f"our three minutes ended at {means['ours']:.3f}, and nanoGPT's twenty at "
        f"{means['nanogpt']:.3f}" in page
    )


def test_beside_the_small_examples_setting_five_minutes_are_level_with_twenty():
    runs = runs_by_clock()
    today = [x for x in runs if x["day"] == "2026-11-29"]
    assert {x.get("beta2") for x in today if x["who"] == "nanogpt"} == {0.99}
    kinds = (("ours", 3), ("ours", 5), ("nanogpt", 20))
    bits = [
        [x["bits_per_character"] for x in today if (x["who"], x["minutes"]) == kind]
        for kind in kinds
    ]
    assert [len(scores) for scores in bits] == [2, 2, 2]
    seconds = [x["seconds"] for x in today if (x["who"], x["minutes"]) == ("ours", 3)]
    three, five, twenty = (statistics.mean(scores) for scores in bits)
    page = speed_page()
    assert (
        f"Our three minutes (in fact {seconds[0]} and {seconds[1]} seconds) ended at "
        f"{three:.3f}, {three - twenty:.3f} behind nanoGPT's twenty "
        f"with {twenty:.3f}, and our five at {five:.3f}" in page
    )
    assert abs(five - twenty) < 0.02 < three - twenty, "level, and not level"
    assert f"the peer's two differ by {max(bits[2]) - min(bits[2]):.3f}" in page
    slow = [x for x in runs if (x["who"], x["day"]) == ("ours", "2026-11-27")]
    ours = [x["bits_per_character"] for x in slow]
    assert round(max(ours) - min(ours), 3) == 0.029
    assert min(x["tokens"] for x in today if x["minutes"] == 20) > 5_000_000, "a faster day"
