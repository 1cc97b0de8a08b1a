"""GPT-1: embeddings, causal attention, post-LayerNorm blocks, a tied softmax.

Follows the released code (finetune-transformer-lm, train.py) and the paper, Eq. 2 and
Figure 1. Known differences, none of which changes a trained model's numbers:
the mask writes -inf where the released code adds -1e9; token and position embeddings
are two tables where the released code keeps one; dropout on the embeddings acts on
their sum where the released code drops entries of the table.

Names: in the releases of GPT-1 and GPT-2, and in most code after them, `qkv` is c_attn,
`project` is c_proj, `expand` is the MLP's c_fc and `shrink` its c_proj; GPT-2's wte and wpe
are `tokens` and `positions`. checkpoints/released.py translates GPT-1's.

Letters: B batch, T tokens, C n_embd, H heads, D = C / H, V vocabulary.
"""

from abc import ABC, abstractmethod

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from . import validate
from .config import INIT_STD, LN_EPS, GPTConfig
from .rng import own_rng


def causal_mask(n_query: int, n_key: int | None = None, device=None) -> Tensor:
    """Which keys each query may attend to: (n_query, n_key) booleans.

    True where the key is not later than the query. With more keys than queries (a cache), the
    queries are the last ones: query i is at position n_key - n_query + i.
    """
    n_key = n_query if n_key is None else validate.check_int("n_key", n_key, n_query)
    seen = torch.ones(n_query, n_key, dtype=torch.bool, device=device)
    return seen.tril(n_key - n_query)  # (n_query, n_key)


def gelu(x: Tensor) -> Tensor:
    """GELU in the tanh form of the released code (train.py, gelu)."""
    return F.gelu(x, approximate="tanh")


class KVCache:
    """Keys and values of the tokens already read, one pair per block."""

    def __init__(self, n_layer: int):
        self.keys: list[Tensor | None] = [None] * n_layer
        self.values: list[Tensor | None] = [None] * n_layer

    def __len__(self) -> int:
        return 0 if self.keys[0] is None else self.keys[0].shape[2]  # T of (B, H, T, D)

    def append(self, layer: int, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        """Add new keys and values (B, H, T, D) of a block; return all of them."""
        earlier_k, earlier_v = self.keys[layer], self.values[layer]
        if earlier_k is not None and earlier_v is not None:
            k = torch.cat([earlier_k, k], dim=2)  # (B, H, T, D)
            v = torch.cat([earlier_v, v], dim=2)  # (B, H, T, D)
        self.keys[layer], self.values[layer] = k, v
        return k, v


class Attention(nn.Module):
    """Masked multi-head self-attention; one matrix makes q, k and v."""

    def __init__(self, config: GPTConfig):
        super().__init__()
        self.n_head, self.dropout = config.n_head, config.dropout
        self.qkv = nn.Linear(config.n_embd, 3 * config.n_embd)
        self.project = nn.Linear(config.n_embd, config.n_embd)

    def split_heads(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """q, k, v of every head from the states x (B, T, C)."""
        B, T, C = x.shape
        heads = (B, T, self.n_head, C // self.n_head)
        q, k, v = self.qkv(x).split(C, dim=-1)  # 3 x (B, T, C)
        return tuple(t.view(heads).transpose(1, 2) for t in (q, k, v))  # (B, H, T, D)

    def forward(self, x: Tensor, cache: KVCache | None = None, layer: int = 0) -> Tensor:
        """x (B, T, C) -> (B, T, C); a cache gives the keys and values of earlier tokens.

        layer: which entry of the cache is this block's.
        """
        q, k, v = self.split_heads(x)
        if cache is not None:
            k, v = cache.append(layer, k, v)
        heads = self.attend(q, k, v)  # (B, H, T, D)
        return self.project(heads.transpose(1, 2).flatten(2))  # (B, T, C)

    def attend(self, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        """softmax(q k^T / sqrt(D) + mask) v, by torch's fused kernel."""
        T, S = q.shape[2], k.shape[2]
        rate = self.dropout if self.training else 0.0
        if T == S:
            return F.scaled_dot_product_attention(q, k, v, None, rate, is_causal=True)
        mask = causal_mask(T, S, q.device)  # (T, S)
        return F.scaled_dot_product_attention(q, k, v, mask, rate)  # (B, H, T, D)


class Block(nn.Module):
    """One block, LayerNorm after each residual sum (Figure 1, left).

    n = LN(x + attention(x));  h = LN(n + mlp(n)).
    """

    def __init__(self, config: GPTConfig):
        super().__init__()
        C = config.n_embd
        self.attention = Attention(config)
        self.ln_1 = nn.LayerNorm(C, eps=LN_EPS)
        self.expand = nn.Linear(C, 4 * C)
        self.shrink = nn.Linear(4 * C, C)
        self.ln_2 = nn.LayerNorm(C, eps=LN_EPS)
        self.drop = nn.Dropout(config.dropout)

    def mlp(self, n: Tensor) -> Tensor:
        """Position by position: widen four times, GELU, shrink."""
        return self.shrink(gelu(self.expand(n)))  # (B, T, C)

    def forward(self, x: Tensor, cache: KVCache | None = None, layer: int = 0) -> Tensor:
        """The states after this block: x (B, T, C) -> (B, T, C). layer: see Attention."""
        n = self.ln_1(x + self.drop(self.attention(x, cache, layer)))  # (B, T, C)
        return self.ln_2(n + self.drop(self.mlp(n)))  # (B, T, C)


class LanguageModel(nn.Module, ABC):
    """What every model here keeps to: token ids (B, T) in, logits (B, T, V) out.

    A model sets config, tokens and blocks, and computes `hidden`; training,
    fine-tuning, decoding and scoring ask for nothing else. has_cache: whether `hidden` can
    go on from a KVCache.
    """

    config: GPTConfig
    tokens: nn.Embedding  # W_e
    output: nn.Linear  # where it is not tied to W_e
    blocks: nn.ModuleList  # empty where there are none
    has_cache = True

    @abstractmethod
    def hidden(self, ids: Tensor, cache: KVCache | None = None) -> Tensor:
        """States (B, T, C) from which the next tokens are predicted; ids (B, T).

        With a cache, ids follow what was read. Raises ValueError for ids of the wrong shape
        or kind, out of the vocabulary, or more than n_ctx of them.
        """

    @property
    def device(self) -> torch.device:
        """The device that its parameters are on."""
        return self.tokens.weight.device

    @property
    def output_matrix(self) -> Tensor:
        """The (V, C) matrix of the softmax: W_e itself, but in an untied variant."""
        return self.tokens.weight if self.config.tied else self.output.weight

    def logits(self, h: Tensor) -> Tensor:
        """Scores of every token: h W_e^T, no bias (Eq. 2)."""
        return h @ self.output_matrix.T  # (..., V)

    def forward(self, ids: Tensor, cache: KVCache | None = None) -> Tensor:
        """Logits (B, T, V) of ids (B, T)."""
        return self.logits(self.hidden(ids, cache))  # (B, T, V)

    def count_parameters(self) -> int:
        """Every number that training may change, tied ones once."""
        return sum(p.numel() for p in self.parameters())

    def depth_of(self, name: str) -> int:
        """How deep a parameter is: 0 embeddings, 1 the first block, 2 the second ...

        What follows the last block is as deep as that block; without blocks all else is 1.
        """
        part, _, rest = name.partition(".")
        if part in ("tokens", "positions"):
            return 0
        return 1 + int(rest.split(".")[0]) if part == "blocks" else max(1, len(self.blocks))


class GPT(LanguageModel):
    """GPT-1: embeddings, a stack of blocks, the tied softmax (Eq. 2)."""

    block: type[Block] = Block  # baselines/variants.py puts another one here

    def __init__(self, config: GPTConfig):
        super().__init__()
        self.config = config
        self.tokens = nn.Embedding(config.n_vocab, config.n_embd)  # W_e
        self.positions = nn.Embedding(config.n_ctx, config.n_embd)  # W_p
        self.drop = nn.Dropout(config.dropout)
        self.blocks = nn.ModuleList(self.block(config) for _ in range(config.n_layer))
        self.apply(initialize)
        if not config.tied:
            with own_rng("output"):
                self.output = nn.Linear(config.n_embd, config.n_vocab, bias=False)
                initialize(self.output)

    def embed(self, ids: Tensor, start: int = 0) -> Tensor:
        """h_0 = U W_e + W_p for ids (B, T) at positions start, start + 1, ..."""
        where = torch.arange(start, start + ids.shape[1], device=ids.device)  # (T,)
        return self.drop(self.tokens(ids) + self.positions(where))  # (B, T, C)

    def hidden(self, ids: Tensor, cache: KVCache | None = None) -> Tensor:
        """States h_n (B, T, C) after the last block; a cache has what was read."""
        start = 0 if cache is None else len(cache)
        check_ids(ids, self.config, start)
        h = self.embed(ids, start)  # (B, T, C)
        for layer, block in enumerate(self.blocks):
            h = block(h, cache, layer)  # (B, T, C)
        return h  # (B, T, C)


def initialize(module: nn.Module) -> None:
    """N(0, 0.02) for every matrix, 0 for biases, LayerNorm at 1 and 0 (section 4.1)."""
    if isinstance(module, nn.Linear | nn.Embedding):
        nn.init.normal_(module.weight, std=INIT_STD)
    if isinstance(module, nn.Linear) and module.bias is not None:
        nn.init.zeros_(module.bias)


IDS = "a tensor of int64 or int32, such as torch.tensor([bpe.encode(text)])"


def check_ids(ids: Tensor, config: GPTConfig, start: int = 0, on_gpu: bool = False) -> None:
    """Raise ValueError unless ids (B, T) can be read by a model of this config.

    Their values are compared with n_vocab on the CPU, and on_gpu, where that takes time.
    """
    if not isinstance(ids, Tensor) or ids.dtype not in (torch.int64, torch.int32):
        kind = getattr(ids, "dtype", type(ids).__name__)
        raise ValueError(f"ids are {kind}, they must be {IDS}")
    if ids.dim() != 2 or ids.numel() == 0:
        raise ValueError(f"ids have shape {tuple(ids.shape)}, they need (B, T), B, T > 0")
    n_tokens = start + ids.shape[1]
    if n_tokens > config.n_ctx:
        raise ValueError(f"sequence has {n_tokens} tokens, the context is {config.n_ctx}")
    if on_gpu or ids.device.type == "cpu":  # a GPU would have to stop and answer at each batch
        validate.check_indices("token id", ids, config.n_vocab)
