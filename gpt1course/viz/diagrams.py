"""Drawings of the model, made from a config so that they cannot disagree with it."""

from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch, Patch, Rectangle
from numpy.typing import ArrayLike

from gpt1lib.config import GPTConfig

from .figure import new_figure, set_headline, style
from .palette import SERIES

PAPER, INK = "#f4f4f6", "#222222"
WARM, COOL, WIDE = "#fde9cf", "#dfeafe", "#ecdffa"  # embeddings, attention, feed-forward


def architecture(config: GPTConfig, n_classes: int = 0) -> Figure:
    """The model of the paper's Figure 1 (left): from ids to logits, with shapes.

    n_classes: draw the second head, too, with as many classes; 0 leaves it out.
    """
    T, C, V, H = "T", config.n_embd, config.n_vocab, config.n_head
    rows = [  # label, shape that comes out, color
        ("token ids", f"({T},)", PAPER),
        ("token embedding + position embedding", f"({T}, {C})", WARM),
        (f"masked self-attention, {H} heads", f"({T}, {C})", COOL),
        ("add, then LayerNorm", f"({T}, {C})", PAPER),
        (f"feed-forward {C} to {4 * C} to {C}, GELU", f"({T}, {C})", WIDE),
        ("add, then LayerNorm", f"({T}, {C})", PAPER),
        ("times the token embedding, transposed", f"({T}, {V})", WARM),
    ]
    with style():
        figure = new_figure(7.2, 5.4)
        axes = figure.add_subplot()
        axes.set_axis_off()
        axes.set_xlim(-2.4, 9.2)
        axes.set_ylim(-0.6, len(rows) * 1.15)
        for i, (label, shape, color) in enumerate(rows):
            y = i * 1.12
            draw_box(axes, 1, y, 5, 0.66, color)
            axes.text(3.5, y + 0.33, label, ha="center", va="center", fontsize=9.5)
            axes.text(6.4, y + 0.33, shape, va="center", fontsize=9, color="#555555")
            if i:
                arrow(axes, (3.5, y - 0.44), (3.5, y - 0.02))
        around_blocks(axes, config.n_layer)
        tie(axes, len(rows))
        if n_classes:
            second_head(axes, len(rows) - 1, C, n_classes)
        axes.set_title("The first matrix is also the last (read from the bottom up)")
    return figure


def second_head(axes: Axes, row: int, n_embd: int, n_classes: int) -> None:
    """The task classifier, beside the top row: it reads the last state alone."""
    y = row * 1.12
    draw_box(axes, -2.3, y, 2.6, 0.66, PAPER)
    axes.text(
        -1,
        y + 0.33,
        f"last row times $W_y$\n({n_embd} x {n_classes})",
        ha="center",
        va="center",
        fontsize=9.5,
        parse_math=True,
    )
    axes.text(-1, y + 0.8, f"task classifier ({n_classes},)", ha="center", fontsize=9)
    axes.text(3.5, y + 0.8, "text prediction", ha="center", fontsize=9)
    axes.plot([3.5, -1], [y - 0.24, y - 0.24], color=INK, linewidth=1)
    arrow(axes, (-1, y - 0.24), (-1, y - 0.02))


def draw_box(
    axes: Axes, x: float, y: float, width: float, height: float, color: str, **options
) -> None:
    """A rounded box."""
    shape = "round,pad=0.02,rounding_size=0.1"
    box = FancyBboxPatch(
        (x, y),
        width,
        height,
        boxstyle=shape,
        facecolor=color,
        edgecolor=INK,
        linewidth=1,
        **options,
    )
    axes.add_patch(box)


def arrow(axes: Axes, start: tuple[float, float], end: tuple[float, float], **options) -> None:
    """A thin arrow."""
    look = {"arrowstyle": "-|>", "color": INK, "linewidth": 1, **options}
    axes.annotate("", end, start, arrowprops=look)


def around_blocks(axes: Axes, n_layer: int) -> None:
    """The frame around one block, its two residual paths, and how often it repeats."""
    draw_box(axes, 0.25, 1.9, 7.6, 4.5, "none", linestyle="--")
    axes.text(0.1, 4.2, f"{n_layer} x", ha="right", va="center", fontsize=15)
    for low in (1, 3):
        branch, top = low * 1.12 + 0.88, (low + 2) * 1.12 + 0.33
        axes.plot([3.5, 0.6, 0.6], [branch, branch, top], color=INK, linewidth=1)
        arrow(axes, (0.6, top), (1.0, top))


def tie(axes: Axes, n_rows: int) -> None:
    """The bracket between the two uses of W_e."""
    low, high = 1.12 + 0.33, (n_rows - 1) * 1.12 + 0.33
    axes.plot([8.0, 8.6, 8.6, 8.0], [low, low, high, high], color=INK, linewidth=1)
    axes.text(
        8.7,
        (low + high) / 2,
        "the same\nmatrix $W_e$",
        va="center",
        fontsize=9,
        parse_math=True,
    )


def two_stages() -> Figure:
    """Pre-training and fine-tuning side by side: one model, trained twice.

    Read from the bottom up. What comes from the first stage has one color in both.
    """
    with style():
        figure = new_figure(8, 3.5)
        axes = figure.add_subplot()
        axes.set_axis_off()
        axes.set_xlim(-0.1, 10.4)
        axes.set_ylim(-0.7, 4.6)
        stage(axes, 0, "1. Pre-training", "text without labels", "GPT, random at first")
        stage(axes, 5.6, "2. Fine-tuning", "texts with labels", "the same GPT")
        labeled_box(axes, 0.9, 3.3, 2.4, "next token", PAPER)
        labeled_box(axes, 5.7, 3.3, 1.6, "next token", PAPER, linestyle="--")
        labeled_box(axes, 7.6, 3.3, 2.3, "new layer: label", WARM)
        arrow(axes, (2.1, 2.45), (2.1, 3.25))
        arrow(axes, (6.5, 2.45), (6.5, 3.25), linestyle="--")
        arrow(axes, (8.75, 2.45), (8.75, 3.25))
        arrow(axes, (4.05, 1.95), (5.75, 1.95), linewidth=1.6)
        axes.text(4.9, 2.12, "its weights", ha="center", fontsize=9)
        axes.set_title("The second stage begins with the weights of the first")
    return figure


def stage(axes: Axes, x: float, name: str, data: str, model: str) -> None:
    """One stage of training: the data below, the model above them, the name at the foot."""
    width = 4.2
    labeled_box(axes, x + 0.4, 0.3, width - 0.8, data, PAPER)
    labeled_box(axes, x + 0.2, 1.5, width - 0.4, model, COOL, height=0.9)
    arrow(axes, (x + width / 2, 0.95), (x + width / 2, 1.45))
    axes.text(x + width / 2, -0.35, name, ha="center", fontsize=11, weight="bold")


def labeled_box(
    axes: Axes,
    x: float,
    y: float,
    width: float,
    label: str,
    color: str,
    height: float = 0.62,
    fontsize: float = 9.5,
    **options,
) -> None:
    """A box with its label in the middle."""
    draw_box(axes, x, y, width, height, color, **options)
    axes.text(x + width / 2, y + height / 2, label, ha="center", va="center", fontsize=fontsize)


small_box = partial(labeled_box, height=0.66, fontsize=9)


def one_query(words: list[str]) -> Figure:
    """How the last of a few words attends to all of them: q, k and v of their states."""
    last = len(words) - 1
    with style():
        figure = new_figure(7.2, 4.9)
        axes = figure.add_subplot()
        axes.set_axis_off()
        axes.set_xlim(-1.9, 2.6 * len(words))
        axes.set_ylim(-0.5, 6.9)
        levels = ("states", "projections", "scores", "softmax", "output")
        for y, name in zip((0, 1.5, 3, 4.5, 6), levels, strict=True):
            axes.text(-1.8, y + 0.33, name, va="center", fontsize=9, color="#555555")
        for i, word in enumerate(words):
            _keys_and_values(axes, 2.6 * i, word)
            arrow(axes, (2.6 * last + 2.3, 2.18), (2.6 * i + 0.8, 2.96), color="#777777")
        small_box(axes, 2.6 * last + 2.05, 1.5, 0.5, "q", COOL)
        arrow(axes, (2.6 * last + 0.95, 0.7), (2.6 * last + 2.3, 1.46))
        middle = 1.3 * last
        small_box(axes, middle - 0.95, 6, 3.8, "weighted sum of the values", COOL)
        for i in range(len(words)):
            arrow(axes, (2.6 * i + 0.95, 5.2), (middle + 0.95, 5.96))
        axes.set_title("The last word compares its query with every key and adds up values")
    return figure


def _keys_and_values(axes: Axes, x: float, word: str) -> None:
    """One word, from its state at the bottom to its weight, which multiplies its value."""
    small_box(axes, x, 0, 1.9, word, WARM)
    small_box(axes, x + 0.15, 1.5, 0.5, "k", COOL)
    small_box(axes, x + 1.35, 1.5, 0.5, "v", COOL)
    small_box(axes, x, 3, 1.3, "q · k / √D", COOL)
    small_box(axes, x, 4.5, 1.9, "weight × v", COOL)
    for target in (0.4, 1.6):
        arrow(axes, (x + 0.95, 0.7), (x + target, 1.46))
    arrow(axes, (x + 0.4, 2.2), (x + 0.4, 2.96))
    arrow(axes, (x + 0.65, 3.7), (x + 0.65, 4.46))
    arrow(axes, (x + 1.6, 2.2), (x + 1.6, 4.46))


def post_ln_block(config: GPTConfig) -> Figure:
    """One block of GPT-1, data flowing upward: twice a part, a sum and a LayerNorm."""
    C = config.n_embd
    half = [
        (0.9, f"masked self-attention\n{config.n_head} heads", COOL, "$n$"),
        (4.9, f"feed-forward\n{C} to {4 * C}, GELU, to {C}", WIDE, "$h$"),
    ]
    with style():
        figure = new_figure(6, 6.2)
        axes = figure.add_subplot()
        axes.set_axis_off()
        axes.set_xlim(0, 7)
        axes.set_ylim(-0.2, 8.5)
        label_state(axes, 0, "$x$", C)
        for y, name, color, state in half:
            half_of_block(axes, y, name, color)
            label_state(axes, y + 3.1, state, C)
        axes.set_title("Each part is added, and then comes a LayerNorm")
    return figure


def half_of_block(axes: Axes, y: float, name: str, color: str) -> None:
    """A part from height y on, the residual path around it, the sum and the LayerNorm."""
    arrow(axes, (3.5, y - 0.5), (3.5, y))
    draw_box(axes, 2, y + 0.05, 3, 0.8, color)
    axes.text(3.5, y + 0.45, name, ha="center", va="center", fontsize=9.5)
    arrow(axes, (3.5, y + 0.9), (3.5, y + 1.25))
    axes.plot([3.5, 1, 1], [y - 0.25, y - 0.25, y + 1.45], color=INK, linewidth=1)
    arrow(axes, (1, y + 1.45), (3.3, y + 1.45), shrinkA=0)
    axes.text(3.5, y + 1.45, "+", ha="center", va="center", fontsize=15)
    axes.plot(3.5, y + 1.45, "o", markersize=17, markerfacecolor="none", color=INK)
    arrow(axes, (3.5, y + 1.68), (3.5, y + 2.05))
    draw_box(axes, 2, y + 2.1, 3, 0.6, PAPER)
    axes.text(3.5, y + 2.4, "LayerNorm", ha="center", va="center", fontsize=9.5)
    axes.plot([3.5, 3.5], [y + 2.75, y + 2.9], color=INK, linewidth=1)


def label_state(axes: Axes, y: float, name: str, n_embd: int) -> None:
    """A state on its way up, with its shape."""
    axes.text(3.5, y + 0.15, name, ha="center", va="center", fontsize=12, parse_math=True)
    axes.text(5.3, y + 0.15, f"(T, {n_embd})", va="center", fontsize=9, color="#555555")


def many_heads(config: GPTConfig) -> Figure:
    """Attention in several heads, data flowing upward: split, attend, merge, and W_O."""
    H, C = config.n_head, config.n_embd
    wide = [  # height, label, color, shape that comes out
        (0, "states of T tokens", WARM, f"(T, {C})"),
        (1.4, "one matrix makes all queries, keys and values", COOL, f"3 × (T, {C})"),
        (7, "the output matrix adds the heads up", COOL, f"(T, {C})"),
    ]
    with style():
        figure = new_figure(7.2, 5.2)
        axes = figure.add_subplot()
        axes.set_axis_off()
        axes.set_xlim(-1.7, 12.2)
        axes.set_ylim(-0.3, 8)
        for y, label, color, shape in wide:
            small_box(axes, 0, y, 9.6, label, color)
            _beside(axes, y, shape)
        for y, name, shape in (
            (2.8, "split", f"3 × {H} × (T, {C // H})"),
            (4.2, "attend", f"{H} × (T, {C // H})"),
            (5.6, "merge", f"(T, {C})"),
        ):
            axes.text(-1.6, y + 0.33, name, va="center", fontsize=9, color="#555555")
            _beside(axes, y, shape)
        arrow(axes, (4.8, 0.72), (4.8, 1.36))
        for head in range(H):
            _one_of_the_heads(axes, head, 9.6 / H, C // H)
        arrow(axes, (4.8, 6.32), (4.8, 6.96))
        axes.set_title("Each head attends with a slice of its own, and then all are added up")
    return figure


def _beside(axes: Axes, y: float, shape: str) -> None:
    """The shape of what comes out, at the right."""
    axes.text(9.9, y + 0.33, shape, va="center", fontsize=9, color="#555555")


def _one_of_the_heads(axes: Axes, head: int, width: float, n: int) -> None:
    """One head, from its slices to its place in the merged rows."""
    x, gap = head * width, 0.12 * width
    left, middle = x + gap, x + width / 2
    small_box(axes, left, 2.8, width - 2 * gap, "q k v", COOL)
    small_box(
        axes, left, 4.2, width - 2 * gap, f"head {head}" if width > 1.5 else f"{head}", COOL
    )
    small_box(axes, x, 5.6, width, f"{n} numbers" if width > 1.5 else f"{n}", COOL)
    for y in (2.12, 3.52, 4.92):
        arrow(axes, (middle, y), (middle, y + 0.64))


def colored_tables(
    tables: Mapping[str, ArrayLike],
    groups: Mapping[str, ArrayLike],
    names: Sequence[str],
    title: str,
) -> Figure:
    """Small tables of numbers side by side; cells of one group have one color.

    tables: name -> (n, m) numbers. groups: name -> (n, m) indices of names, which become
    the legend.
    """
    with style():
        figure = new_figure(8, 2.7)
        axes = figure.add_subplot()
        axes.set_axis_off()
        x = 0.0
        for name, table in tables.items():
            numbers, of = np.asarray(table), np.asarray(groups[name])
            _colored_table(axes, x, name, numbers, of)
            x += numbers.shape[1] + 1.2
        handles = [Patch(color=_tint(i), label=name) for i, name in enumerate(names)]
        axes.legend(
            handles=handles, loc="upper center", bbox_to_anchor=(0.5, 0), ncols=len(names)
        )
        axes.set_xlim(0, x - 1.2)
        axes.set_ylim(max(len(np.asarray(t)) for t in tables.values()), -0.8)
        axes.set_aspect("equal")
        set_headline(figure, title)
    return figure


def _tint(group: int) -> tuple[float, float, float]:
    """A light color, so that black numbers can be read on it."""
    r, g, b = to_rgb(SERIES[group % len(SERIES)])
    return 0.55 + 0.45 * r, 0.55 + 0.45 * g, 0.55 + 0.45 * b


def _colored_table(axes: Axes, x: float, title: str, numbers, groups) -> None:
    """A table whose upper left corner is at (x, 0), rows downward."""
    axes.text(x, -0.25, title, fontsize=10)
    for (i, j), number in np.ndenumerate(numbers):
        cell = Rectangle(
            (x + j, i), 1, 1, facecolor=_tint(int(groups[i, j])), edgecolor="white"
        )
        axes.add_patch(cell)
        axes.text(x + j + 0.5, i + 0.5, f"{number}", ha="center", va="center", fontsize=10)


LANE, NEXT_LANE = 5.6, 6.6  # the width of a sequence, and from one to the next


def input_formats() -> Figure:
    """The four kinds of task as sequences, the paper's Figure 1 (right), data flowing upward.

    All sequences go through the same model; the answer is read at Extract.
    """
    with style():
        figure = new_figure(8.4, 8.2)
        axes = figure.add_subplot()
        axes.set_axis_off()
        axes.set_xlim(-0.1, NEXT_LANE + LANE + 0.5)
        axes.set_ylim(-0.9, 15)
        _one_sequence_each(axes, 11)
        _two_orders(axes, 5.6)
        _an_answer_each(axes, 0)
        axes.set_title("Four kinds of task, one model: the answer is read at Extract")
    return figure


def _one_sequence_each(axes: Axes, y: float) -> None:
    """Classification and entailment, side by side."""
    for x, kind, texts in (
        (0.0, "classification", ["text"]),
        (NEXT_LANE, "entailment", ["premise", "hypothesis"]),
    ):
        at = sequence_lane(axes, x, y, texts)
        _read_at(axes, at, y)
        axes.text(
            at - 0.75, y + 2.83, "softmax over classes", ha="right", va="center", fontsize=9
        )
        _name_kind(axes, x + LANE / 2, y, kind)


def _two_orders(axes: Axes, y: float) -> None:
    """Similarity: both orders of a pair, their states added, one linear layer."""
    left = sequence_lane(axes, 0, y, ["text a", "text b"])
    right = sequence_lane(axes, NEXT_LANE, y, ["text b", "text a"])
    middle, height = NEXT_LANE / 2 + LANE / 2, y + 2.55
    _join(axes, (left, right), y + 2.05, height, middle, 0.28)
    axes.plot(middle, height, "o", markersize=17, markerfacecolor="none", color=INK)
    axes.text(middle, height, "+", ha="center", va="center", fontsize=15)
    _read_at(axes, middle, y + 0.75)
    axes.text(middle + 0.75, y + 3.58, "softmax over classes", va="center", fontsize=9)
    _name_kind(axes, middle, y, "similarity: both orders")


def _an_answer_each(axes: Axes, y: float) -> None:
    """Multiple choice: a sequence and a score for each answer, which compete."""
    ends = [
        sequence_lane(axes, x, y, ["context", answer])
        for x, answer in ((0.0, "answer 1"), (NEXT_LANE, "answer 2"))
    ]
    for at in ends:
        _read_at(axes, at, y)
        axes.text(at - 0.75, y + 2.83, "one score", ha="right", va="center", fontsize=9)
    middle = NEXT_LANE / 2 + LANE / 2
    _join(axes, ends, y + 3.2, y + 3.7, middle, 0.62)
    small_box(axes, middle - 0.6, y + 3.37, 1.2, "softmax", PAPER)
    _name_kind(axes, middle, y, "multiple choice: a sequence for each answer")


def _join(axes: Axes, starts, low: float, height: float, middle: float, half: float) -> None:
    """Lines that lead up from two places and on to something half as wide in the middle."""
    for at in starts:
        end = middle + half if at > middle else middle - half
        axes.plot([at, at], [low, height], color=INK, linewidth=1)
        arrow(axes, (at, height), (end, height), shrinkA=0)


def sequence_lane(axes: Axes, x: float, y: float, texts: list[str]) -> float:
    """[start] texts [extract] below the model; returns where Extract is, from left to right."""
    width = (LANE - 2 * 0.95 - 0.95 * (len(texts) - 1)) / len(texts)
    between = [name for text in texts for name in ("delim", text)][1:]
    left = x
    for name in ("start", *between, "extract"):
        special = name not in texts
        wide = 0.95 if special else width
        small_box(axes, left + 0.04, y, wide - 0.08, name, PAPER if special else WARM)
        arrow(axes, (left + wide / 2, y + 0.7), (left + wide / 2, y + 1.16))
        left += wide
    labeled_box(axes, x + 0.04, y + 1.2, LANE - 0.08, "GPT", COOL, height=0.8)
    return left - 0.95 / 2


def _read_at(axes: Axes, at: float, y: float) -> None:
    """The linear layer on the state at Extract."""
    arrow(axes, (at, y + 2.05), (at, y + 2.46))
    small_box(axes, at - 0.6, y + 2.5, 1.2, "linear", WARM)


def _name_kind(axes: Axes, x: float, y: float, kind: str) -> None:
    """The name of a kind of task, below its sequences."""
    axes.text(x, y - 0.55, kind, ha="center", fontsize=10, weight="bold")
