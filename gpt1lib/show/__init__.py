"""Pictures and widgets: `plots` (arrays in, a Figure out), explorers, `show_figure`."""

from . import diagrams, plots, walk
from .explorers import (
    AttentionExplorer,
    BigramExplorer,
    BlockExplorer,
    FormatsExplorer,
    HeadsExplorer,
    JourneyExplorer,
    MaskExplorer,
    MergeExplorer,
    ModelMapExplorer,
    ParameterExplorer,
    PositionExplorer,
    QueryExplorer,
    SamplingExplorer,
    SweepExplorer,
    TokenExplorer,
    TrainingExplorer,
    TwoTextsExplorer,
    TyingExplorer,
    WritingExplorer,
)
from .figure import show_figure
from .labels import readable, token_labels

__all__ = [
    "AttentionExplorer",
    "BigramExplorer",
    "BlockExplorer",
    "FormatsExplorer",
    "HeadsExplorer",
    "JourneyExplorer",
    "MaskExplorer",
    "MergeExplorer",
    "ModelMapExplorer",
    "ParameterExplorer",
    "PositionExplorer",
    "QueryExplorer",
    "SamplingExplorer",
    "SweepExplorer",
    "TokenExplorer",
    "TrainingExplorer",
    "TwoTextsExplorer",
    "TyingExplorer",
    "WritingExplorer",
    "diagrams",
    "plots",
    "readable",
    "show_figure",
    "token_labels",
    "walk",
]
