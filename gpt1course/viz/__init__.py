"""Pictures and widgets: `plots` (arrays in, a Figure out), explorers, `show_figure`."""

from . import chains, diagrams, explorers, plots
from .explorers import *  # noqa: F403  explorers.__all__ is the one list of explorers
from .figure import show_figure
from .labels import readable, token_labels

__all__ = ["chains", "diagrams", "plots", "readable", "show_figure", "token_labels"]
__all__ += explorers.__all__
