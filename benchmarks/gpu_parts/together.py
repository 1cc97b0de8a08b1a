"""Many small trainings at once on one GPU: an update of each is one CUDA graph.

A model of 5 million parameters leaves most of a large GPU idle, and asking for each of its
thousand small products takes longer than the products. So each training has a stream of its
own, and all of them are recorded once, with everything that changes (the place in the data,
the rates) in tensors; then an update of all is one call.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from gpt1lib import GPT, losses, optim
from gpt1lib.pretrain import Objective, muon

EAGER = 2  # updates that are made one by one before the others are recorded


@dataclass(frozen=True)
class Rates:
    """What sets the steps of a training: highest rates, schedule, decay, clipping.

    factors: (steps,), shares of the highest rates.
    """

    lr: float
    matrix_lr: float
    betas: tuple[float, float]
    momentum: float
    weight_decay: float
    factors: np.ndarray
    grad_clip: float = 1.0
    ema: float = 0.999


class Taught:
    """The loss of a student: half of the next token's, half of what its teachers think.

    The second half is the cross-entropy of the mean of the teachers' probabilities (Hinton and
    others 2015, without a temperature).
    """

    def __init__(self, model: GPT, teachers: Sequence[GPT]):
        self.model, self.teachers = model, [teacher.eval() for teacher in teachers]

    def __call__(self, ids: Tensor) -> Tensor:
        """The loss of ids (B, T)."""
        logits = self.model.logits(self.model.hidden(ids)[:, :-1])  # (B, T - 1, V)
        of_text = losses.cross_entropy(logits, ids[:, 1:])
        return (of_text + F.cross_entropy(logits.flatten(0, 1), self.thought(ids))) / 2

    @torch.no_grad()
    def thought(self, ids: Tensor) -> Tensor:
        """The mean of the teachers' probabilities, (B (T - 1), V)."""
        probs = [
            t.logits(t.hidden(ids)[:, :-1]).softmax(dim=-1).flatten(0, 1) for t in self.teachers
        ]
        return torch.stack(probs).mean(dim=0)


class Training:
    """One model, its optimizers, and one update without a word to the CPU.

    teachers: models whose mean probabilities count as much as the text, see `Taught`.
    """

    def __init__(self, model: GPT, rates: Rates, teachers: Sequence[GPT] = ()):
        self.model, self.rates = model.train(), rates
        plain = Objective(model, chunked=False)
        self.objective = Taught(model, teachers) if teachers else plain
        device = model.device
        self.params = list(model.parameters())
        self.mean = [p.detach().clone() for p in self.params]  # of the weights, exponential
        self.at = torch.zeros(1, dtype=torch.int64, device=device)  # place in the windows
        self.step = torch.zeros(1, dtype=torch.int64, device=device)
        self.factors = torch.tensor(rates.factors, dtype=torch.float32, device=device)
        self.losses = torch.zeros(len(rates.factors), device=device)
        self.windows, self.frozen = torch.empty(0), False
        self._prepare_optimizers()

    def _prepare_optimizers(self) -> None:
        r, device = self.rates, self.model.device
        self.matrices = muon.matrices(self.model) if r.matrix_lr else []
        self.momenta = [torch.zeros_like(p) for p in self.matrices]
        self.lr = torch.zeros((), device=device)
        groups = optim.decay_groups(self.model, 0.0, without=self.matrices)
        self.decayed = groups[0]["params"]
        on_gpu = device.type == "cuda"
        params = [p for group in groups for p in group["params"]]
        self.adam = torch.optim.AdamW(
            params, lr=self.lr, betas=r.betas, eps=1e-8, weight_decay=0.0,
            fused=True, capturable=on_gpu,
        )  # fmt: skip

    def read(self, windows: np.ndarray, frozen: bool = False) -> None:
        """Take these windows (n, B, T) for the next n updates; frozen: keep the tokens."""
        kind = torch.int16 if windows.max() < 2**15 else torch.int32
        self.windows = torch.from_numpy(windows).to(self.model.device, kind)
        self.at.zero_()
        self.frozen = frozen

    def update(self) -> None:
        """One update on the next windows."""
        self._gradients()
        self._apply()

    def _gradients(self) -> None:
        """The gradients of the next windows, clipped."""
        ids = self.windows.index_select(0, self.at)[0].long()  # (B, T)
        loss = self.objective(ids)
        grads = list(torch.autograd.grad(loss, self.params))
        self.losses.index_copy_(0, self.step, loss.detach().float().view(1))
        norm = torch.stack(torch._foreach_norm(grads)).norm()
        scale = (self.rates.grad_clip / (norm + 1e-6)).clamp(max=1.0)
        torch._foreach_mul_(grads, scale)
        for p, grad in zip(self.params, grads, strict=True):
            p.grad = grad
        if self.frozen:
            self.model.tokens.weight.grad.zero_()

    @torch.no_grad()
    def _apply(self) -> None:
        """One step of the optimizers by these gradients."""
        r = self.rates
        factor = self.factors.index_select(0, self.step)[0]
        self.lr.copy_(factor * r.lr)
        torch._foreach_mul_(self.decayed, 1 - self.lr * r.weight_decay)
        self.adam.step()
        if self.matrices:
            self._muon(factor * r.matrix_lr)
        torch._foreach_lerp_(self.mean, self.params, 1 - r.ema)
        self.at += 1
        self.step += 1

    def _muon(self, lr: Tensor) -> None:
        """`muon.MUD.step`, with rates in tensors."""
        grads = [p.grad for p in self.matrices]
        torch._foreach_lerp_(self.momenta, grads, 1 - self.rates.momentum)
        ahead = torch._foreach_lerp(grads, self.momenta, self.rates.momentum)
        cut = [muon.squares(x) for x in ahead]
        new = muon.decorrelate(torch.cat(cut)).split([len(x) for x in cut])
        torch._foreach_mul_(self.matrices, 1 - lr * self.rates.weight_decay)
        for p, u in zip(self.matrices, new, strict=True):
            muon.squares(p).sub_(u * (lr * 0.2 * math.sqrt(u.shape[-1])))

    def averaged(self) -> GPT:
        """A copy of the model with the mean of its weights."""
        copy = GPT(self.model.config).to(self.model.device)
        with torch.no_grad():
            for p, mean in zip(copy.parameters(), self.mean, strict=True):
                p.copy_(mean)
        return copy.eval()


class Together:
    """Trainings that make each update at the same time."""

    def __init__(self, trainings: Sequence[Training]):
        self.trainings = list(trainings)
        self.on_gpu = self.trainings[0].model.device.type == "cuda"
        if self.on_gpu:
            self.streams = [torch.cuda.Stream() for _ in self.trainings]

    def update(self) -> None:
        """One update of each training, on its stream."""
        if not self.on_gpu:
            for training in self.trainings:
                training.update()
            return
        now = torch.cuda.current_stream()
        for training, stream in zip(self.trainings, self.streams, strict=True):
            stream.wait_stream(now)
            with torch.cuda.stream(stream):
                training.update()
        for stream in self.streams:
            now.wait_stream(stream)

    def updates(self, n: int, ticks: Callable[[], object] = lambda: None) -> None:
        """n updates of all. ticks: called after each."""
        n_eager = min(n, EAGER) if self.on_gpu else n
        for _ in range(n_eager):
            self.update()
            ticks()
        if n == n_eager:
            return
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            self.update()
        for _ in range(n - n_eager):
            graph.replay()
            ticks()
        torch.cuda.synchronize()
