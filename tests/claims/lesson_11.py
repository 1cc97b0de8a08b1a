"""What lesson 11, The real GPT-1, says."""

import json

import numpy as np
import torch
from claim import after

import gpt1lib as g
from gpt1lib import text


def stored_shares(kind: str) -> list[float]:
    """Percent of each held-out book's first 1,500 sentences, as tools/pipelines.py found."""
    stored = json.loads((g.paths.RESULTS / "pipelines.json").read_text(encoding="utf-8"))
    return [round(100 * shares[kind]) for shares in stored["differing_shares"].values()]


def cut_as_stored(row: dict) -> bool:
    """Whether the released pipeline cuts a stored text into OpenAI's pieces."""
    words = g.text.released_words(row["text"])
    return ["\n" if "\n" in w else w.lower() for w in words] == row["openai"]


@after("cell-008")
def the_text_says_146_arrays_two_and_twelve_per_block(table):
    assert len(table) == 146 == 2 + 12 * 12


@after("count-0")
def the_text_says_116_534_784_numbers(everything):
    assert everything == 116_534_784


@after("cell-013")
def of_which_116_414_976_decay(decaying):
    assert decaying == 116_414_976


@after("cell-013")
def and_119_808_do_not(everything, decaying):
    assert everything - decaying == 119_808


@after("cell-019")
def the_text_says_48_arrays_hold_99_percent(held):
    assert held[46] < 0.99 <= held[47]


@after("striking-2")
def the_broken_matrix_is_square(square):
    assert square.shape == (256, 256)


@after("cell-068")
def spacy_s_cuts_are_as_the_text_says(raw, words):
    assert words[2:7] == ["ca", "n't", "pay", "$", "3.50"] and words[-2] == "U.S.A."
    if text.released_pipeline_installed():
        assert text.released_words(raw) == words


@after("cell-028")
def nothing_is_missing(stream, novelist):
    assert len(stream) == novelist.model.count_parameters()


@after("cell-035")
def two_fifths_have_moved(away):
    assert 0.35 < away < 0.45


@after("cell-035")
def the_best_word_keeps_half(wrong, best, right):
    assert wrong.argmax() == best[0]
    assert 0.45 < wrong[best[0]] / right[best[0]] < 0.55


@after("cell-045")
def rows_40_481_to_40_992(first, last):
    assert (first, last + 1) == (40_481, 40_993)


@after("gaps-2")
def no_gap_is_large_and_the_embeddings_are_the_same(gaps):
    assert gaps()[0] == 0
    assert 0 < gaps()[1:].max() < 2e-4


@after("cell-048")
def some_probability_was_lost(lost):
    assert 0 < lost < 0.5


@after("cell-048")
def a_few_percent_of_the_courses_model(is_real, lost):
    assert is_real or 0.02 < lost < 0.04


@after("cell-058")
def the_text_says_0_007_to_0_06_and_0_001_to_0_008(planted, is_real):
    ends = [planted[name][at] for name in ("variance by C - 1", "exact GELU") for at in (1, -1)]
    assert is_real or np.allclose(ends, [0.0075, 0.058, 0.0012, 0.008], rtol=0.15)


@after("cell-058")
def each_mistake_is_some_thousandfold_from_block_0_on(planted, is_real):
    for name in ("variance by C - 1", "exact GELU", "eps outside the root"):
        above = planted[name][1:] / planted["no mistake"][1:]
        assert above.min() > (10 if is_real else 100), name


@after("cell-061")
def less_than_a_thousandth_of_a_nat_apart(is_real, tanh_loss, exact_loss):
    assert is_real or abs(tanh_loss - exact_loss) < 1e-3


@after("cell-070")
def here_it_cuts_as_openai_did(stored):
    if text.released_pipeline_installed():
        assert all(map(cut_as_stored, stored))


@after("cell-070")
def a_double_dash_is_cut_by_the_fallback_and_by_the_port(stored):
    differ = {
        name: [x["text"] for x in stored if x[name] != x["openai"]]
        for name in ("fallback", "port")
    }
    assert [len(texts) for texts in differ.values()] == [7, 14]
    assert len(stored) == 18 and all(any("--" in x for x in texts) for texts in differ.values())
    assert text.split_words(text.standardize("a -- b")) == ["a", "-", "-", "b"]
    assert text.split_words("W. ") == ["W", "."], "as are initials"


@after("cell-072")
def from_10_to_22_percent(shares):
    assert [round(100 * share) for share in shares.values()] == [22, 20, 10]


@after("cell-072")
def with_openais_own_pipeline_17_to_27_percent():
    assert stored_shares("port") == [27, 21, 17]


@after("cell-072")
def two_to_seven_percent_contain_a_double_dash_and_little_else_differs():
    assert stored_shares("double dash") == [7, 2, 6]
    assert stored_shares("fallback") == [8, 3, 9]


@after("cell-074")
def the_backslash_is_not_padded():
    assert text.standardize("a/b a\\b") == "a / b a\\b"


@after("cell-065")
def hidden_scores_of_the_ports_number_leaked_nothing(leaks):
    assert leaks[-1e4] == 0


@after("cell-065")
def minus_5_leaked_percents(is_real, leaks):
    assert is_real or 0.05 < leaks[-5.0] < 0.15


@after("cell-078")
def none_is_unknown(unknown):
    assert max(unknown.values()) == 0


@after("cell-083")
def the_letter_and_and_look_at_opened(is_real, real_steps):
    if not is_real:
        verbs = real_steps.weights[3, 3].argmax(dim=1).tolist()
        assert verbs[2:5] == [1] * 3, "the, letter and and look at opened"
        assert real_steps.weights[3, 3, 2:5, 1].min() > 0.7, (
            "the, letter and and look at opened"
        )
        assert verbs[5:] == [5] * 3, "read, it and twice at read"


@after("cell-091")
def the_right_order_was_likelier_in_all_three(mean_log_prob, PAIRS):
    all_three = all(mean_log_prob(good) > mean_log_prob(bad) for good, bad in PAIRS)
    assert all_three


@after("cell-091")
def the_text_says_3_nats_3_nats_nearly_6(mean_log_prob, PAIRS, is_real):
    apart = [mean_log_prob(good) - mean_log_prob(bad) for good, bad in PAIRS]
    assert is_real or np.allclose(apart, [2.9, 3.2, 5.8], atol=0.1)


@after("cell-004")
def the_fifty_matrices_are_99_9_percent_of_the_numbers():
    with torch.device("meta"):
        arrays = list(g.GPT(g.GPT1).parameters())
    matrices = [a for a in arrays if a.ndim == 2]
    share = sum(a.numel() for a in matrices) / sum(a.numel() for a in arrays)
    assert len(matrices) == 50 and round(100 * share, 1) == 99.9
