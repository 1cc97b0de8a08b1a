"""The formula sheet: its formulas and numbers are the library's, and it fits on two pages."""

import math
import re

import torch

import gpt1lib as g
from gpt1lib import generate, losses, metrics, optim
from gpt1lib.finetune import Settings
from gpt1lib.finetune.classifier import Classifier
from gpt1lib.io.paths import ROOT
from gpt1lib.pretrain import Recipe

SHEET = (ROOT / "docs/formulas.md").read_text(encoding="utf-8")
CONFIG = g.GPTConfig(n_vocab=13, n_ctx=6, n_layer=2, n_head=2, n_embd=8, dropout=0.0)


def formulas() -> set[str]:
    """The LaTeX of all formulas on the sheet, without mere names such as $W_e$."""
    found = {" ".join(x.split()) for x in re.findall(r"\$([^$]+)\$", SHEET)}
    return {x for x in found if not re.fullmatch(r"\\?\w+(_\w)?|-\\infty", x)}


def near(a, b) -> bool:
    return torch.allclose(torch.as_tensor(a).double(), torch.as_tensor(b).double(), atol=1e-6)


def numbers(*shape):
    return torch.randn(*shape, dtype=torch.float64)


class Small:
    """A small GPT in double precision, with random parameters, and what it reads."""

    def __init__(self):
        torch.manual_seed(0)
        self.gpt = g.GPT(CONFIG).double().eval()
        for p in self.gpt.parameters():
            torch.nn.init.normal_(p)
        self.block = self.gpt.blocks[0]
        self.attention = self.block.attention
        self.ids = torch.tensor([[3, 1, 4, 1, 5]])
        self.h = self.gpt.embed(self.ids)  # (1, 5, C)
        self.W_e = self.gpt.tokens.weight


def first_states(s):
    U = torch.nn.functional.one_hot(s.ids, 13).double()
    return near(U @ s.W_e + s.gpt.positions.weight[:5], s.gpt.embed(s.ids))


def query(s):
    W_q, b_q = s.attention.qkv.weight[:8].T, s.attention.qkv.bias[:8]
    q = s.h @ W_q + b_q
    return near(q[..., 4:], s.attention.split_heads(s.h)[0][:, 1])


def scores(s):
    q, k, v = s.attention.split_heads(s.h)
    z = (q @ k.mT / math.sqrt(4)).masked_fill(torch.ones(5, 5).triu(1) > 0, -math.inf)
    return near(z.softmax(-1) @ v, s.attention.attend(q, k, v))


def gelu(x):
    return 1 / 2 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


def mlp(s):
    W_1, W_2 = s.block.expand.weight.T, s.block.shrink.weight.T
    wanted = gelu(s.h @ W_1 + s.block.expand.bias) @ W_2 + s.block.shrink.bias
    return near(wanted, s.block.mlp(s.h)) and W_1.shape == (8, 4 * 8)


def post_ln(s):
    n = s.block.ln_1(s.h + s.attention(s.h))
    return near(s.block.ln_2(n + s.block.mlp(n)), s.block(s.h))


def layer_norm(s):
    x, ln = 1e-2 * s.h, s.block.ln_1  # small, so that 10^-5 counts
    mu, variance = x.mean(-1, keepdim=True), x.var(-1, keepdim=True, correction=0)
    return near(ln.weight * (x - mu) / (variance + 10**-5).sqrt() + ln.bias, ln(x))


def log_p(s):
    return s.gpt(s.ids)[0, :-1].log_softmax(-1)[torch.arange(4), s.ids[0, 1:]]


def classifier(s):
    model = Classifier(s.gpt, "classification", 3, dropout=0.0).eval()
    W_y = torch.nn.init.normal_(model.head.weight)
    logits, h = model(s.ids, torch.tensor([4]))
    return near((h[0, 4] @ W_y.T).softmax(-1), logits[0].softmax(-1))


def task_sum(s):
    z, y = numbers(3, 2), torch.tensor([0, 1, 1])
    one_by_one = sum(z[i].softmax(0)[y[i]].log() for i in range(3))
    return near(one_by_one, -3 * losses.task_loss(z, y))


def gradient_of_logits(s):
    z, true = numbers(5).requires_grad_(), torch.tensor(2)
    torch.nn.functional.cross_entropy(z, true).backward()
    return near(z.softmax(0) - torch.eye(5)[2], z.grad)


def gradients_of_a_product(s):
    x, W, dy = numbers(4, 3).requires_grad_(), numbers(3, 2).requires_grad_(), numbers(4, 2)
    (x @ W).backward(dy)
    return near(dy @ W.T, x.grad) and near(x.T @ dy, W.grad)


def adam(s):
    """Three updates; a decay of 0 leaves Adam."""
    layer = torch.nn.Linear(3, 2, bias=False).double()
    step = optim.adamw(layer, lr=0.1, weight_decay=0.0)
    w, m, v = layer.weight.detach().clone(), 0.0, 0.0
    (beta_1, beta_2), epsilon = step.defaults["betas"], step.defaults["eps"]
    for t in range(1, 4):
        gradient = numbers(2, 3)
        layer.weight.grad = gradient.clone()
        step.step()
        m = beta_1 * m + (1 - beta_1) * gradient
        v = beta_2 * v + (1 - beta_2) * gradient**2
        w = w - 0.1 * (m / (1 - beta_1**t)) / ((v / (1 - beta_2**t)).sqrt() + epsilon)
    return near(w, layer.weight)


def betas(s):
    return optim.adamw(torch.nn.Linear(2, 2)).defaults["betas"]


def wilson(s):
    p, n, z = 0.3, 20, 1.96
    middle = (p + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z / (1 + z**2 / n) * math.sqrt(p * (1 - p) / n + z**2 / (4 * n**2))
    return near([middle - half, middle + half], metrics.wilson(6, 20))


def parameters(config) -> dict[str, int]:
    with torch.device("meta"):
        model = g.GPT(config)
    parts = {"W_e": model.tokens, "W_p": model.positions, "block": model.blocks[0]}
    return {name: sum(p.numel() for p in part.parameters()) for name, part in parts.items()}


V, C, GPT1 = g.GPT1.n_vocab, g.GPT1.n_embd, parameters(g.GPT1)
FORMULAS = {
    r"h_0 = U W_e + W_p": first_states,
    r"q = h W_q + b_q": query,
    r"q\,k^\top / \sqrt{D}": scores,
    r"\text{mlp}(n) = \text{GELU}(n W_1 + b_1)\,W_2 + b_2": mlp,
    r"n = \text{LN}(h + \text{attention}(h))": post_ln,
    r"h' = \text{LN}(n + \text{mlp}(n))": post_ln,
    r"h_{12} W_e^\top": lambda s: near(s.h @ s.W_e.T, s.gpt.logits(s.h)),
    r"P(u) = \text{softmax}(\text{logits})": lambda s: near(
        s.h.softmax(-1), generate.next_token_probs(s.h)
    ),
    r"\text{softmax}(z)_i = e^{z_i} / \sum_j e^{z_j}": lambda s: near(
        s.h.exp() / s.h.exp().sum(-1, keepdim=True), generate.next_token_probs(s.h)
    ),
    r"\text{LN}(x) = g \odot (x - \mu) / \sqrt{\sigma^2 + 10^{-5}} + b": layer_norm,
    r"\sigma^2": layer_norm,
    r"\text{GELU}(x) = \tfrac{1}{2}\,x\,(1 + \tanh(\sqrt{2/\pi}\,(x + 0.044715\,x^3)))": mlp,
    r"V C": lambda s: V * C == GPT1["W_e"],
    r"512\,C": lambda s: 512 * C == GPT1["W_p"],
    r"12\,C^2 + 13\,C": lambda s: 12 * C**2 + 13 * C == GPT1["block"],
    r"L_1 = \sum_i \log P(u_i \mid u_{i-k}, \ldots, u_{i-1})": lambda s: near(
        log_p(s).sum(), losses.lm_log_likelihood(s.gpt(s.ids), s.ids)
    ),
    r"P(y \mid x) = \text{softmax}(h_{12}^{\text{Extract}}\,W_y)": classifier,
    r"L_2 = \sum_{(x, y)} \log P(y \mid x)": task_sum,
    r"L_3 = L_2 + \lambda\,L_1": lambda s: losses.combined_loss(2.0, 3.0, 0.7) == 2 + 0.7 * 3,
    r"\lambda = 0.5": lambda s: (
        Settings().lm_coef == 0.5 and losses.combined_loss(2.0, 3.0) == 2 + 0.5 * 3
    ),
    r"\text{nats} = -\log P": lambda s: near(
        -log_p(s).mean(), losses.lm_loss(s.gpt(s.ids), s.ids)
    ),
    r"\text{bits} = \text{nats} / \log 2": lambda s: near(
        3 / math.log(2), losses.bits_per_character(3.0, 1)
    ),
    r"\text{perplexity} = e^{\text{nats}}": lambda s: near(math.e**3, losses.perplexity(3.0)),
    r"1/V": lambda s: near(torch.zeros(V).softmax(0), torch.full((V,), 1 / V)),
    r"\log V": lambda s: f"for GPT-1 {math.log(V):.1f} nats" in SHEET,
    r"P - y": gradient_of_logits,
    r"y = x W": gradients_of_a_product,
    r"dx = dy\,W^\top": gradients_of_a_product,
    r"dW = x^\top dy": gradients_of_a_product,
    r"m \leftarrow \beta_1 m + (1 - \beta_1)\,g": adam,
    r"v \leftarrow \beta_2 v + (1 - \beta_2)\,g^2": adam,
    r"1 - \beta^t": adam,
    r"w \leftarrow w - \eta\,m / (\sqrt{v} + \epsilon)": adam,
    r"\beta_1 = 0.9": lambda s: betas(s)[0] == 0.9,
    r"\beta_2 = 0.999": lambda s: betas(s)[1] == 0.999,
    r"2.5 \cdot 10^{-4}": lambda s: Recipe().lr == 2.5e-4,
    r"z = 1.96": wilson,
    r"(p + z^2/2n) / (1 + z^2/n)": wilson,
    r"\frac{z}{1 + z^2/n} \sqrt{p(1 - p)/n + z^2/4n^2}": wilson,
}
"""The LaTeX of each formula -> whether the same, in Python, is what the library computes."""


def test_every_formula_is_the_library_s():
    assert formulas() == set(FORMULAS)
    for latex, check in FORMULAS.items():
        assert bool(check(Small())), latex


def test_sizes_and_parameters_are_gpt1_s():
    c = g.GPT1
    sizes = [f"C = {c.n_embd}", f"H = {c.n_head}", f"D = {c.n_embd // c.n_head}"]
    for said in (*sizes, f"V = {c.n_vocab:,}", f"T ≤ {c.n_ctx}", f"are {c.n_layer} blocks"):
        assert said in SHEET, said
    C = c.n_embd
    total = c.n_vocab * C + c.n_ctx * C + c.n_layer * (12 * C * C + 13 * C)
    assert f"{total:,} in GPT-1" in SHEET
    with torch.device("meta"):
        assert g.GPT(c).count_parameters() == total
    assert f"for GPT-1 {math.log(c.n_vocab):.1f} nats" in SHEET


def test_it_fits_on_two_pages():
    words = re.sub(r"\]\([^)]*\)", "]", SHEET).split()
    assert len(words) < 900 and SHEET.count("\n") < 100
