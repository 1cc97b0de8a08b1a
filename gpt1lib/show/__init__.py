"""Pictures and widgets: `plots` (arrays in, a Figure out), explorers, `show_figure`."""

from . import diagrams, plots
from .explorers import (
    AttentionExplorer,
    BigramExplorer,
    MaskExplorer,
    ParameterExplorer,
    SamplingExplorer,
    TrainingExplorer,
)
from .figure import show_figure
from .labels import readable, token_labels

__all__ = ["AttentionExplorer", "BigramExplorer", "MaskExplorer", "ParameterExplorer",
           "SamplingExplorer", "TrainingExplorer", "diagrams", "plots", "readable",
           "show_figure", "token_labels"]  # fmt: skip
