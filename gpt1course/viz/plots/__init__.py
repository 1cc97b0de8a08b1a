"""Figures: arrays in, a Figure out, nothing else touched."""

from .arrays import as_matrix
from .bars import bars, columns, intervals, probabilities, stacked
from .curves import lines, sweep, twin_lines
from .learning import learning_curves
from .matrices import attention, head_grid, heatmap, heatmaps, written_grid
from .plane import path, word_map
from .tokens import pieces

__all__ = [
    "as_matrix",
    "attention",
    "bars",
    "columns",
    "head_grid",
    "heatmap",
    "heatmaps",
    "intervals",
    "learning_curves",
    "lines",
    "path",
    "pieces",
    "probabilities",
    "stacked",
    "sweep",
    "twin_lines",
    "word_map",
    "written_grid",
]
