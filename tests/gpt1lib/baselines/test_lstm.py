"""The paper's comparison: same parameters, same tying, and it reads from left to right."""

from dataclasses import replace

import pytest
import torch

from gpt1lib import GPT, GPT1, NOVELIST, TINY
from gpt1lib.baselines.lstm import LSTM, matching_units


@pytest.mark.parametrize("config", [TINY, NOVELIST])
def test_it_has_the_parameters_of_the_gpt(config):
    gpt, lstm = GPT(config).count_parameters(), LSTM(config).count_parameters()
    units = matching_units(config)
    one_unit = 4 * (2 * units + 1 + config.n_embd + 2) + config.n_embd
    assert gpt <= lstm < gpt + one_unit


def test_for_gpt1_it_would_need_more_units_than_the_papers_2048():
    assert matching_units(GPT1) > 2048


def test_later_tokens_do_not_change_earlier_predictions():
    torch.manual_seed(0)
    model = LSTM(TINY).eval()
    ids = torch.randint(TINY.n_vocab, (1, 12))
    changed = ids.clone()
    changed[0, 8:] = (changed[0, 8:] + 1) % TINY.n_vocab
    a, b = model(ids), model(changed)
    assert torch.equal(a[:, :8], b[:, :8]) and not torch.equal(a[:, 8:], b[:, 8:])


def test_each_text_is_read_from_its_first_token_on_and_by_itself():
    torch.manual_seed(0)
    model = LSTM(TINY).eval()
    ids = torch.randint(TINY.n_vocab, (2, 12))
    changed = ids.clone()
    changed[0, 0] = (changed[0, 0] + 1) % TINY.n_vocab
    a, b = model(ids), model(changed)
    assert not torch.allclose(a[0, 7], b[0, 7]), "token 7 follows token 0"
    assert torch.equal(a[1], b[1]), "the other text stayed as it was"


def test_its_output_matrix_is_its_embedding():
    model = LSTM(TINY)
    assert model.output_matrix is model.tokens.weight
    names = {name for name, _ in model.named_parameters()}
    assert not any("output" in name for name in names)


def test_bad_ids_are_refused_as_by_the_gpt():
    with pytest.raises(ValueError, match="token id 64"):
        LSTM(TINY)(torch.tensor([[64]]))


def test_it_has_no_output_matrix_of_its_own():
    with pytest.raises(ValueError, match="tied is False, but an LSTM has no output matrix"):
        LSTM(replace(TINY, tied=False))
