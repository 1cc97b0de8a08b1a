"""What figures write: names at their own lines, numbers, ink that can be read."""

import io
import itertools
import math

import matplotlib
import numpy as np
import pytest

from gpt1course.viz import chains, explorers, figure, numbers, palette, plots

X = np.arange(150)
FALL = np.exp(-X / 20)
HUMP = np.exp(-((X - 70) ** 2) / 400)
LEVEL = np.ones(150)

LINES = {
    "a level between two others": lambda: plots.lines(
        {"training": 3.6 + 5 * FALL, "lstm": 4.58 * LEVEL, "trigram": 4.85 * LEVEL,
         "bigram": 5.2 * LEVEL},
        marks={"held out": [(20, 5.3), (149, 4.4)]},
    ),
    "one at the very top": lambda: plots.lines(
        {"entropy": 12.9 - 9 * FALL, "uniform": 13 * LEVEL}
    ),
    "three at their floor": lambda: plots.lines(
        {"plain": 0.52 + FALL, "Adam": 0.49 + FALL, "floor": 0.48 * LEVEL}
    ),
    "a log axis": lambda: plots.lines({"a": FALL + 1e-4, "b": 3 * FALL + 1e-4}, logy=True),
    "one ends early": lambda: plots.lines({"a": FALL, "b": ([0, 70], [1, 0.4])}),
    "seven alike": lambda: plots.lines({f"run {i}": FALL + i / 1000 for i in range(7)}),
    "learning curves": lambda: plots.learning_curves(
        {
            "pre-trained": {10: {"mean": 0.6, "half": 0.1}, 1000: {"mean": 0.9, "half": 0.01}},
            "LSTM": {10: {"mean": 0.5, "half": None}, 100: {"mean": 0.7, "half": 0.1}},
        },
        {"zero-shot": 0.89, "guessing": 0.5},
    ),
    "means of a sweep": lambda: plots.sweep(
        ["0", "1"],
        {n: [{"mean": m, "half": 0.1, "seeds": [m]} for m in (0.5, 0.51)] for n in "abc"},
    ),
}  # fmt: skip


def svg(made) -> str:
    """What is drawn, with its words as words."""
    buffer = io.StringIO()
    with matplotlib.rc_context({"svg.fonttype": "none"}):
        made.savefig(buffer, format="svg")
    return buffer.getvalue()


@pytest.mark.parametrize("case", LINES)
def test_every_line_is_named_at_its_own_end(case):
    made = LINES[case]()
    axes, drawn = made.axes[0], svg(made)
    names = [t for t in axes.texts if t.arrow_patch]
    assert len(names) == len({t.get_text() for t in names}) >= 2
    ends = {
        tuple(line.get_xydata()[-1]): line for line in axes.lines if len(line.get_xdata()) > 1
    }
    for name in names:
        line = ends[tuple(name.xy)]  # a KeyError: the leader begins at no line's end
        assert f">{name.get_text()}</text>" in drawn
        assert name.arrow_patch.get_edgecolor()[:3] == matplotlib.colors.to_rgb(
            line.get_color()
        )
        assert name.get_color() == palette.dark(line.get_color())
        box = matplotlib.text.Text.get_window_extent(name)
        assert made.bbox.x0 <= box.x0 and box.x1 <= made.bbox.x1
    for a, b in itertools.pairwise(
        sorted(names, key=lambda t: axes.transData.transform(t.xy)[1])
    ):
        low, high = (matplotlib.text.Text.get_window_extent(t) for t in (a, b))
        assert low.y1 <= high.y0 + 1 or low.x1 < high.x0, f"{a} and {b}"


def test_names_move_both_ways_and_no_further_than_they_must():
    moved = plots.arrays.apart([4.0, 4.1, 9.0], [1, 1, 1], 0, 10)
    assert np.allclose(moved, [3.55, 4.55, 9.0])
    assert np.allclose(plots.arrays.apart([0, 0], [1, 1], 0, 10), [0.5, 1.5])
    assert np.allclose(plots.arrays.apart([10, 9.9], [1, 1], 0, 10), [9.5, 8.5])


def test_lines_that_end_together_are_named_where_they_stand_out():
    left, right = HUMP + 0.3 * np.roll(HUMP, -25), HUMP + 0.3 * np.roll(HUMP, 25)
    made = plots.lines({"left": left, "right": right})
    names = {t.get_text(): t for t in made.axes[0].texts}
    svg(made)
    assert names["left"].xy[0] < 65 and names["right"].xy[0] > 75, "the peaks are at 70"
    boxes = [t.get_window_extent() for t in names.values()]
    assert boxes[0].x1 < boxes[1].x0


def test_twins_share_a_color_and_differ_in_dashes():
    curve = ([1, 2, 4], [0.1, 0.2, 0.4])
    two = {"a": curve, "b": curve}
    solid = plots.twin_lines(two, two, ("ours", "theirs"), logx=2).axes[0]
    dashed, whole = solid.lines[:2]
    assert dashed.get_color() == whole.get_color() != solid.lines[3].get_color()
    assert dashed.get_linestyle() != whole.get_linestyle() == "-"
    assert [t.get_text() for t in solid.get_legend().get_texts()] == ["ours", "theirs"]


def test_between_two_updates_there_is_no_tick():
    def ticks(x):
        axes = plots.lines({"a": (x, [2, 1, 0])}).axes[0]
        return [float(at) for at in axes.get_xticks() if x[0] <= at <= x[-1]]

    for last in (2, 4, 20):
        assert all(at.is_integer() for at in ticks([0, 1, last]))
    assert not all(at.is_integer() for at in ticks([0, 0.5, 2]))


def test_a_constant_is_a_level_and_noise_is_averaged():
    noise = np.random.default_rng(0).normal(size=200)
    axes = plots.lines({"a": noise, "limit": np.ones(200)}, xlabel="update").axes[0]
    raw, mean, level = axes.lines
    assert raw.get_alpha() == 0.35 and np.allclose(
        mean.get_ydata()[[0, 4]], [noise[0], noise[:9].mean()]
    )
    assert axes.get_xlabel() == "update (thick: means of 9)"
    assert level.get_color() == palette.ROLES["reference"] and level.get_linestyle() == "--"


def test_a_log_axis_has_plain_numbers():
    drawn = svg(plots.lines({"a": ([16, 256, 4096], [1, 2, 3])}, logx=2))
    assert all(f">{number}</text>" in drawn for number in ("16", "256", "4,096"))


@pytest.mark.parametrize(
    ("share", "written"),
    [(0, "0%"), (0.0004, "<0.1%"), (0.0025, "0.25%"), (0.05, "5.0%"), (0.381, "38.1%"),
     (0.99951, ">99.9%"), (1, "100%"), (1 - 1e-12, "100%")],
)  # fmt: skip
def test_percent(share, written):
    assert numbers.percent(share) == written


@pytest.mark.parametrize(
    ("value", "written"),
    [(-1.72, "−1.72"), (-0.001, "0.00"), (1234.5, "1,234.50"), (-math.inf, "−∞")],
)
def test_numbers(value, written):
    assert numbers.decimal(value) == written


def test_a_million_on_an_axis_is_written_in_full():
    assert [numbers.tick(x) for x in (1e6, 2.5e7, 4096, 0.1)] == [
        "1,000,000",
        "25,000,000",
        "4,096",
        "0.1",
    ]


@pytest.mark.parametrize("color", [*palette.SERIES, *palette.ROLES.values()])
def test_words_in_a_color_can_be_read(color):
    def contrast(a, b):
        light, dim = sorted((palette.luminance(a), palette.luminance(b)))[::-1]
        return (light + 0.05) / (dim + 0.05)

    assert contrast("white", palette.dark(color)) >= 4.5
    assert contrast(color, palette.ink(color)) >= 4.5


def test_words_in_cells_are_light_on_dark():
    made = plots.written_grid([[0.55, 0.1]], [["at", "to"]], ["row"], ["a", "b"])
    assert [t.get_color() for t in made.axes[0].texts] == ["white", "black"]


def test_one_series_has_no_legend_and_chance_is_named_once():
    rows = {"x": {"accuracy": (0.6, 0.5, 0.7)}, "y": {"accuracy": (0.7, None, None)}}
    made = plots.intervals(rows, {"x": 0.5, "y": 0.5})
    assert not made.legends and svg(made).count(">chance</text>") == 1
    rows["x"]["bigram"] = (0.5, 0.4, 0.6)
    assert [t.get_text() for t in plots.intervals(rows).legends[0].get_texts()] == [
        "accuracy", "bigram"]  # fmt: skip


def test_every_part_of_a_bar_is_named():
    drawn = svg(plots.stacked({"embedding": 500, "positions": 3, "blocks": 800, "norms": 0.9}))
    for words in (">embedding</", ">61.4%</", "positions · 3 · 0.23%", "norms · 0 · &lt;0.1%"):
        assert words in drawn


@pytest.mark.parametrize("n", [1, 3, 12])
def test_boxes_of_tokens_keep_their_height(n):
    made = plots.pieces([["the", "cat"]] * n, [["special", "segment 1"]] * n)
    box = made.axes[0].patches[0].get_window_extent()
    assert abs(box.height / made.dpi - 0.24) < 0.02


def test_nothing_empty_around_a_picture():
    from PIL import Image

    pixels = np.asarray(
        Image.open(io.BytesIO(figure.png(plots.pieces([["one"]])))).convert("L")
    )
    rows, columns = np.nonzero(pixels < 250)
    rim = round(0.15 * figure.DPI)
    assert rows.min() <= rim and columns.max() >= pixels.shape[1] - rim


def test_learning_curves_can_be_told_apart_without_color():
    places = {n: {"mean": 0.5 + n / 1e4, "half": 0.02} for n in (10, 100, 3000, 3500)}
    rows = dict.fromkeys(("pre-trained", "random weights", "LSTM", "bag of words"), places)
    axes = plots.learning_curves(rows, {"zero-shot": 0.8, "guessing": 0.5}).axes[0]
    marked = [line for line in axes.lines if line.get_marker() in set("osD^")]
    assert len(marked) == 4
    assert len({line.get_marker() for line in marked}) == 4
    dashes = {str(line._dash_pattern) for line in marked}  # get_linestyle says "--" of all
    assert len(dashes) == 4
    bars = [bar for bar in axes.collections if len(bar.get_segments()) == 4]
    ends = {round(bar.get_segments()[0][0, 0], 3) for bar in bars}
    assert len(bars) == len(ends) == 4, "bars stand beside each other"
    low, high = bars[0].get_segments()[0][:, 1]
    assert (low, high) == pytest.approx((0.481, 0.521))
    assert [t.get_text() for t in axes.get_xticklabels()] == ["10", "100", "3,500"]
    with pytest.raises(ValueError, match="no row"):
        plots.learning_curves({"LSTM": {}})


def test_a_sweep_says_what_is_significant():
    runs = {
        "0": [0.5, 0.6, 0.7],
        "1": [0.61, 0.7, 0.8],
        "2": [0.4, 0.69, 0.9],
        "4": [0.2, 0.3, 0.41],
    }
    tasks = {v: {"film_snippets": dict(enumerate(a))} for v, a in runs.items()}
    swept = explorers.SweepExplorer(tasks, chosen="1", compared="0")
    wanted = (
        "2 of 3 differences from λ = 0 are significant: film snippets +10.3 points at 1, "
        "−29.7 points at 4"
    )
    assert swept.finding() == wanted
    title = swept.figure().axes[0].get_title("left")
    assert title == wanted.replace(": ", ":\n")
    del tasks["1"], tasks["4"]
    alike = explorers.SweepExplorer(tasks, chosen="2", compared="0")
    assert alike.finding() == "None of 1 difference from λ = 0 is significant"


@pytest.mark.parametrize(
    ("kind", "said"),
    [("correct", "adds up to 1"), ("none", "A leak: 33.3%"), ("after", "less than 1"),
     ("strict", "nothing to look at")],
)  # fmt: skip
def test_a_mask_says_what_is_wrong_with_it(kind, said):
    mask = explorers.MaskExplorer(np.zeros((3, 3)), list("abc"))
    mask.kind = kind
    made = mask.figure()
    assert said in made.get_suptitle()


# ---- the walk back --------------------------------------------------------------------


@pytest.mark.parametrize("part", chains.CHAINS)
def test_every_station_and_every_shape_is_drawn(part):
    chain = chains.CHAINS[part]
    for name, label, gradients in chain.stations:
        (axes,) = chains.walk_back([part], [name]).axes
        words = [t.get_text() for t in axes.texts]
        assert {label, *([gradients] if gradients else [])} <= {*words}
        assert [t.get_text() for t in axes.texts if t.get_color() == "white"] == [label]
        shapes = [t for t in words if t.startswith("(") and t.endswith(")") and "+" not in t]
        assert sorted(shapes) == sorted(shape for _, shape in chain.values)
    assert len(chain.values) == len(chain.stations) + 1


@pytest.mark.parametrize(("parts", "here"), [([], []), (["top"], []), (["mlp"], ["mix"])])
def test_a_walk_past_what_is_not_there_is_refused(parts, here):
    with pytest.raises(ValueError, match="must be in"):
        chains.walk_back(parts, here)


# ---- which figures a dark page leaves as they are ---------------------------------------

TRIANGLE = np.tril(np.ones((3, 3))) / np.arange(1, 4)[:, None]
WITH_SCALE = {
    "heat map": lambda: plots.heatmap(TRIANGLE),
    "several heat maps": lambda: plots.heatmaps({"a": TRIANGLE, "b": -TRIANGLE}),
    "attention": lambda: plots.attention(TRIANGLE, list("abc")),
    "all heads": lambda: plots.head_grid(np.ones((2, 2, 3, 3)) / 3),
    "dots colored by place": lambda: plots.path(np.random.rand(9, 2), np.ones(9), 3),
}


def rings():
    made = figure.new_figure()
    made.add_subplot().contour(TRIANGLE, colors="#bbbbbb")
    return made


WITHOUT = {
    "rings of one color": rings,
    "lines": lambda: LINES["seven alike"](),
    "bars": lambda: plots.bars(["a", "b"], [1.0, 2.0]),
    "pieces": lambda: plots.pieces([["let", "ter"]]),
    "words": lambda: plots.word_map(np.random.rand(5, 2), list("abcde"), [(0, 1)]),
}


@pytest.mark.parametrize("case", WITH_SCALE | WITHOUT)
def test_a_figure_whose_colors_are_numbers_is_marked(case):
    made = (WITH_SCALE | WITHOUT)[case]()
    marked = 'class="color-scale"' in figure.picture(made, "what it shows")["text/html"]
    assert marked == (case in WITH_SCALE)
