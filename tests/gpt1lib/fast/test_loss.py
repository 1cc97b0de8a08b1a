"""The trainer's loss in chunks is the loss of the model file, and so are its gradients."""

import pytest
import torch

from gpt1lib import losses
from gpt1lib.fast.loss import chunked_lm_loss, chunked_padded_loss


@pytest.mark.parametrize("rows", [1, 7, 18, 100])
def test_it_equals_lm_loss_in_value_and_in_both_gradients(rows):
    torch.manual_seed(0)
    h = torch.randn(2, 10, 8, dtype=torch.float64, requires_grad=True)
    W = torch.randn(50, 8, dtype=torch.float64, requires_grad=True)
    ids = torch.randint(50, (2, 10))
    plain = losses.lm_loss(h @ W.T, ids)
    wanted = torch.autograd.grad(3 * plain, (h, W))
    loss = chunked_lm_loss(h[:, :-1], W, ids[:, 1:], rows)
    found = torch.autograd.grad(3 * loss, (h, W))  # 3: what comes from above counts
    assert loss.item() == pytest.approx(plain.item(), abs=1e-12)
    for a, b in zip(found, wanted, strict=True):
        assert torch.allclose(a, b, atol=1e-12)


def test_without_gradients_the_loss_is_the_same_and_no_gradient_is_computed(monkeypatch):
    torch.manual_seed(0)
    h, W = torch.randn(2, 10, 8, requires_grad=True), torch.randn(50, 8, requires_grad=True)
    targets = torch.randint(50, (2, 10))
    loss = chunked_lm_loss(h, W, targets, 7)
    with torch.no_grad():
        monkeypatch.setattr(torch, "mm", None)  # the first product of a gradient
        found = chunked_lm_loss(h, W, targets, 7)
    assert found.item() == loss.item() and not found.requires_grad


def test_a_second_derivative_is_refused():
    """The gradients are numbers when backward begins, so it would be silently wrong."""
    h = torch.randn(1, 4, 8, requires_grad=True)
    loss = chunked_lm_loss(h, torch.randn(50, 8), torch.randint(50, (1, 4)))
    (gradient,) = torch.autograd.grad(loss.square(), h, create_graph=True)
    with pytest.raises(RuntimeError, match="once_differentiable"):
        gradient.sum().backward()


@pytest.mark.parametrize("rows", [1, 7, 100])
def test_padding_costs_nothing_and_changes_nothing(rows):
    torch.manual_seed(0)
    h = torch.randn(3, 10, 8, dtype=torch.float64, requires_grad=True)
    W = torch.randn(50, 8, dtype=torch.float64, requires_grad=True)
    ids, real = torch.randint(50, (3, 10)), torch.ones(3, 10)
    real[0, 4:], real[2, 9:] = 0, 0
    plain = losses.lm_loss(h @ W.T, ids, real)
    loss = chunked_padded_loss(h, W, ids, real, rows)
    assert loss.item() == pytest.approx(plain.item(), abs=1e-12)
    for a, b in zip(
        torch.autograd.grad(loss, (h, W)), torch.autograd.grad(plain, (h, W)), strict=True
    ):
        assert torch.allclose(a, b, atol=1e-12)
    real[1, 1:] = 0
    with pytest.raises(ValueError, match="0 targets in the mask"):
        chunked_padded_loss(h, W, ids, real)


def test_huge_scores_do_not_overflow():
    h, W = torch.full((1, 2, 4), 100.0), torch.randn(9, 4) * 100
    loss = chunked_lm_loss(h, W, torch.tensor([[3, 4]]))
    assert torch.isfinite(loss)
