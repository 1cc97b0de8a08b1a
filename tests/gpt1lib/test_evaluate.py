"""How well a model predicts a text, against sums that can be done by hand."""

import math

import pytest
import torch

import gpt1lib as g
from gpt1lib import evaluate, metrics
from gpt1lib.bpe import BPE

IDS = torch.arange(8)  # in windows of four: 0 to 3, 3 to 6, 6 and 7


def first_id(window):
    """The loss of each target: the id that its window (1, T) begins with."""
    return window[:, :1].expand(1, window.shape[1] - 1).float()


def mean_of_windows(*arguments):
    return torch.cat(evaluate.nats_of_windows(first_id, *arguments)).mean().item()


@pytest.fixture(scope="module")
def letters():
    return BPE.learn("a b c d", 0)


@pytest.fixture
def uniform(letters):
    """A model whose logits are all 0, so that each token costs log V."""
    model = g.GPT(g.GPTConfig(letters.n_vocab, n_ctx=4, n_layer=1, n_head=1, n_embd=4))
    torch.nn.init.zeros_(model.tokens.weight)
    return model


def test_a_window_counts_by_its_targets():
    # 3 targets at 0, 3 at 3 and 1 at 6
    assert mean_of_windows(IDS, 4) == pytest.approx(15 / 7)


@pytest.mark.parametrize(("n", "wanted"), [(1, 0), (2, 9 / 6), (3, 15 / 7), (99, 15 / 7)])
def test_fewer_windows_are_evenly_spaced_whole_ones(n, wanted):
    assert mean_of_windows(IDS, 4, n) == pytest.approx(wanted)


def test_a_text_of_one_token_cannot_be_scored():
    with pytest.raises(ValueError, match="the text has 1 tokens, scoring needs at least 2"):
        mean_of_windows(IDS[:1], 4)


@pytest.mark.parametrize("first", [0, 1])
def test_the_loss_by_position_begins_with_a_range_of_positions(first):
    with pytest.raises(ValueError, match=f"first is {first}, it must be .*2"):
        evaluate.nats_by_position([torch.ones(3)], first=first)


def test_the_loss_by_position_is_a_mean_over_windows():
    losses = torch.arange(1, 8).float()  # of the targets at 1 to 7: each costs its position
    nats = [losses, losses + 1, torch.tensor([9.0])]  # the last window has two tokens
    wanted = {"1 to 1": (1 + 2 + 9) / 3, "2 to 3": 3.0, "4 to 7": 6.0}
    assert evaluate.nats_by_position(nats, first=2) == pytest.approx(wanted)
    assert evaluate.nats_by_position(nats) == pytest.approx({"1 to 7": (28 + 35 + 9) / 15})
    longer = [torch.arange(1, 20).float()]
    assert [*evaluate.nats_by_position(longer)] == ["1 to 7", "8 to 15", "16 to 19"]
    assert evaluate.nats_by_position(longer)["16 to 19"] == 17.5


@pytest.mark.parametrize("training", [True, False])
def test_a_uniform_model_pays_log_v_in_either_mode(uniform, training):
    uniform.train(training)
    nats = evaluate.heldout_nats(uniform, torch.tensor([5, 6, 7, 8, 5, 6]))
    assert nats == pytest.approx(math.log(10)) and uniform.training == training


def test_dropout_is_off_while_scoring():
    torch.manual_seed(0)
    model = g.GPT(g.GPTConfig(8, n_ctx=4, n_layer=1, n_head=1, n_embd=4, dropout=0.5)).train()
    assert evaluate.heldout_nats(model, IDS) == evaluate.heldout_nats(model, IDS)


def test_the_score_of_a_book(uniform, letters):
    score = evaluate.score_books(uniform, letters, {"abc": "a b c"})["abc"]
    assert (score["tokens"], score["characters"]) == (3, 5)
    assert score["nats_per_token"] == pytest.approx(math.log(10))
    assert score["perplexity"] == pytest.approx(10)
    assert score["bits_per_character"] == pytest.approx(2 * math.log2(10) / 5)  # 2 targets


def test_books_together_count_by_their_length():
    one, two = evaluate.book_score(1.0, 3, 4), evaluate.book_score(2.0, 5, 6)
    both = evaluate.all_books({"one": one, "two": two})  # 2 + 8 nats
    assert both["perplexity"] == pytest.approx(math.exp(10 / 6))
    assert both["bits_per_character"] == pytest.approx(10 / math.log(2) / 10)
    alone = evaluate.all_books({"one": one})
    assert alone == {name: pytest.approx(one[name]) for name in alone}


def test_scores_are_rounded_for_print_only():
    score = metrics.rounded({"a": evaluate.book_score(1.23456, 10, 40)})["a"]
    assert score["nats_per_token"] == 1.2346 and score["perplexity"] == 3.44
    assert score["tokens"] == 10
