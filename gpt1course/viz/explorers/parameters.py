"""Where the parameters of a GPT sit."""

from collections.abc import Mapping
from dataclasses import asdict

import traitlets
from matplotlib.figure import Figure

from gpt1lib.config import GPTConfig

from .. import plots
from ..numbers import percent
from .base import Explorer
from .controls import CleanUnicode


def parameter_parts(
    n_vocab: int, n_ctx: int, n_layer: int, n_embd: int, tied: bool = True, **_
) -> dict[str, int]:
    """Where the parameters of a GPT sit; the sum is all of them."""
    C, L = n_embd, n_layer
    return {
        "token embedding": n_vocab * C,
        "positions": n_ctx * C,
        "attention": L * (4 * C * C + 4 * C),
        "feed-forward": L * (8 * C * C + 5 * C),
        "LayerNorm": L * 4 * C,
        "output matrix": 0 if tied else n_vocab * C,
    }


class ParameterExplorer(Explorer):
    """Sizes to parameter counts, live. configs: name -> a GPTConfig, or a dict of sizes."""

    configs = traitlets.Dict(key_trait=CleanUnicode()).tag(sync=True)

    def __init__(self, configs: Mapping[str, GPTConfig | dict]):
        if not configs:
            raise ValueError("configs is empty, it needs at least one size to start from")
        sizes = {k: GPTConfig(**c) if isinstance(c, dict) else c for k, c in configs.items()}
        super().__init__(configs={k: asdict(c) for k, c in sizes.items()})

    def sentence(self) -> str:
        totals = {k: sum(parameter_parts(**c).values()) for k, c in self.configs.items()}
        return "Parameters: " + ", ".join(f"{k} {n:,}" for k, n in totals.items()) + "."

    def figure(self) -> Figure:
        name, config = next(iter(self.configs.items()))
        parts = {k: v for k, v in parameter_parts(**config).items() if v}
        largest = max(parts, key=lambda part: parts[part])
        share = percent(parts[largest] / sum(parts.values()))
        return plots.stacked(parts, f"{name}: {share} of the parameters are {largest}")
