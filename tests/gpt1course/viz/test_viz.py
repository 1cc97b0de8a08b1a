"""Figures at their extremes, labels, and explorers as Python sees them."""

import numpy as np
import pytest
from matplotlib.figure import Figure

from gpt1course.viz import explorers, figure, labels, palette, plots

CAUSAL = np.tril(np.ones((2, 3, 5, 5))) / np.arange(1, 6)[:, None]
WORDS = ["the</w>", "old</w>", "th", "e</w>", "\n</w>"]


@pytest.mark.parametrize("n", [1, 4, 30])
def test_attention_of_any_length(n):
    weights = np.tril(np.ones((n, n))) / np.arange(1, n + 1)[:, None]
    made = plots.attention(weights, [f"w{i}" for i in range(n)])
    assert isinstance(made, Figure)
    shown = made.axes[0].images[0].get_array()
    assert np.array_equal(shown.mask, np.triu(np.ones((n, n), bool), 1))
    assert len(made.axes[0].patches) == n * (n - 1) // 2, "masked cells are hatched"


def test_a_measured_zero_is_not_a_masked_cell():
    made = plots.heatmap([[0.0, 0.5], [1.0, 0.0]], masked=[[False, True], [False, False]])
    shown = made.axes[0].images[0].get_array()
    assert shown.mask.tolist() == [[False, True], [False, False]]
    texts = [t.get_text() for t in made.axes[0].texts]
    assert texts == ["0.00", "1.00", "0.00"]


INFINITE = [[0.0, -np.inf], [np.inf, 2.0]]


@pytest.mark.parametrize(
    ("made", "ends"),
    [
        (lambda: plots.heatmap(INFINITE), [0, 1]),
        (lambda: plots.heatmap(INFINITE, vmin=None, vmax=None), [0, 2]),
        (lambda: plots.heatmap([[-np.inf, np.inf]], vmin=None, vmax=None), [0, 1]),
        (lambda: plots.heatmaps({"a": INFINITE}, ranges={"a": (-3, 3)}), [-3, 3]),
    ],
)
def test_an_infinite_cell_is_written_so_with_the_color_of_the_end(made, ends):
    axes = made().axes[0]
    texts = [t.get_text() for t in axes.texts]
    shown = axes.images[0].get_array().ravel()
    assert [shown[texts.index("−∞")], shown[texts.index("∞")]] == ends
    assert texts.count("0.00") == (0 if len(texts) == 2 else 1)


def test_a_hidden_infinite_cell_is_hatched_and_has_no_number():
    axes = plots.heatmap(INFINITE, masked=np.isinf(INFINITE), vmin=None, vmax=None).axes[0]
    assert [t.get_text() for t in axes.texts] == ["0.00", "2.00"] and len(axes.patches) == 2
    assert axes.images[0].get_clim() == (0, 2)


def test_a_line_of_one_point_has_a_mark():
    axes = plots.lines({"one": [1.0], "two": [1.0, 2.0]}).axes[0]
    marks = {len(line.get_xdata()): line.get_marker() for line in axes.lines[:2]}
    assert marks == {1: "o", 2: "None"}


def test_a_mean_of_one_seed_has_no_bar():
    one, two = {"mean": 0.5, "half": None, "seeds": [0.5]}, {"mean": 0.6, "half": 0.1}
    made = plots.sweep(["0", "1"], {"a": [one, two | {"seeds": [0.5, 0.7]}]})
    assert figure.png(made)[:4] == b"\x89PNG"
    (bars,) = made.axes[0].collections
    assert [np.ptp(bar[:, 1]).round(3) for bar in bars.get_segments()] == [0, 0.2]


@pytest.mark.parametrize(
    "made",
    [
        lambda: plots.head_grid(CAUSAL),
        lambda: plots.heatmaps({"a": np.eye(3), "b": -np.eye(3)}, ranges={"b": (-1, 1)}),
        lambda: plots.probabilities(["a"], [1.0]),
        lambda: plots.probabilities(list("abc"), [0, 0, 0], [0.5, 0.3, 0.1], 0.1, 7),
        lambda: plots.bars(["a", "b"], [0.0, 0.0]),
        lambda: plots.columns(["a"] * 50, np.zeros(50)),
        lambda: plots.lines({"a": [1.0], "b": ([1, 2], [3, 3])}, marks={"c": [(1, 2)]}),
        lambda: plots.stacked({"a": 1, "b": 0}),
        lambda: plots.twin_lines({"a": ([1, 2], [0, 1])}, {"a": ([1, 2], [1, 0])}, ("x", "y")),
        lambda: plots.sweep(["0"], {"a": [{"mean": 0.5, "half": 0.1, "seeds": [0.5]}]}),
    ],
)
def test_every_plot_draws(made):
    data = figure.png(made())
    assert data[:4] == b"\x89PNG" and len(data) > 1000


def test_pictures_are_the_same_each_time():
    assert figure.png(plots.head_grid(CAUSAL)) == figure.png(plots.head_grid(CAUSAL))
    drawing = plots.bars(["a"], [1.0])
    assert len(figure.png(drawing, colors=16)) < 0.9 * len(figure.png(drawing))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: plots.heatmap([[np.nan]]), "1 nan"),
        (lambda: plots.heatmap([1.0]), r"shape \(1,\)"),
        (lambda: plots.heatmap(np.eye(2), masked=[[True]]), r"masked has shape \(1, 1\)"),
        (lambda: plots.heatmap(np.eye(2), rows=["a"]), "1 names for 2"),
        (lambda: plots.attention(np.eye(3), ["a"]), "there are 1 tokens"),
        (lambda: plots.bars(["a"], [1.0, 2.0]), "1 labels for 2"),
        (lambda: plots.sweep(["0", "1"], {"a": [{}]}), "a: 1 places, 2 values"),
        (lambda: plots.probabilities(["a"], [0.5, 0.5]), "1 words for 2"),
        (lambda: plots.twin_lines({"a": ()}, {}, ("x", "y")), "each needs both"),
        (lambda: explorers.AttentionExplorer(CAUSAL, ["a"]), "there are 1 tokens"),
        (lambda: explorers.AttentionExplorer(CAUSAL, WORDS, head=6), "head is 6"),
        (lambda: explorers.MaskExplorer(np.eye(3), ["a"]), "there are 1 tokens"),
        (lambda: explorers.SamplingExplorer([0.0], ["a", "b"]), "2 words for 1"),
        (lambda: explorers.BigramExplorer(np.eye(2), ["a"]), "there are 1 names"),
        (lambda: explorers.ParameterExplorer({}), "configs is empty"),
        (lambda: explorers.masked_steps(np.eye(2), "sideways"), "'sideways' is unknown"),
    ],
)
def test_bad_input_is_named(make, message):
    with pytest.raises(ValueError, match=message):
        make()


# ---- pictures carry their alt text ------------------------------------------------


def test_a_picture_has_an_alt_text():
    bundle = figure.picture(plots.bars(["a"], [1.0]), 'one "bar" & more')
    assert 'alt="one &quot;bar&quot; &amp; more"' in bundle["text/html"]
    assert bundle["text/plain"] == 'one "bar" & more' and bundle["image/png"]
    with pytest.raises(ValueError, match="alt text is empty"):
        figure.picture(plots.bars(["a"], [1.0]), "  ")


def test_a_role_keeps_its_color_and_the_others_do_not_take_it():
    blue, orange, red = palette.SERIES[:3]
    assert palette.hues(["film_snippets", "mine", "Entailment"]) == [red, orange, blue]
    assert palette.hues(["bigram", "lstm", "trigram"]) == ["#7a7a80", orange, "#7a7a80"]
    assert len(palette.hues([f"run {i}" for i in range(20)])) == 20


def test_the_style_stays_inside():
    import matplotlib

    before = matplotlib.rcParams["axes.spines.top"]
    plots.bars(["a"], [1.0])
    assert matplotlib.rcParams["axes.spines.top"] == before


def test_labels():
    assert labels.token_labels(["the</w>", "cat</w>", "the</w>", "\n</w>", "</w>"]) == [
        "the (0)",
        "cat",
        "the (2)",
        "⏎",
        "",
    ]


# ---- explorers ------------------------------------------------------------------------


def make_all():
    return [
        explorers.AttentionExplorer(CAUSAL, WORDS),
        explorers.MaskExplorer(np.arange(9.0).reshape(3, 3), list("abc")),
        explorers.SamplingExplorer([2.0, 1.0, 0.0], WORDS[:3], text="x"),
        explorers.BigramExplorer([[0.5, 0.5], [1, 0]], list("ab")),
        explorers.TrainingExplorer(
            [{"step": 1, "loss": 4.0, "heldout": 4.2}, {"step": 9, "loss": 2.5}],
            references={"u": 3.0},
        ),
        explorers.ParameterExplorer(
            {
                "t": {
                    "n_vocab": 5,
                    "n_ctx": 4,
                    "n_layer": 1,
                    "n_head": 1,
                    "n_embd": 2,
                    "tied": True,
                }
            }
        ),
    ]


@pytest.mark.parametrize("explorer", make_all(), ids=lambda e: type(e).__name__)
def test_explorers_describe_and_draw_themselves(explorer, monkeypatch):
    shown = []
    monkeypatch.setattr(explorers.base, "display", lambda data, raw: shown.append(data))
    explorer._ipython_display_()
    static, live = shown
    assert static["text/plain"] == explorer.sentence() and "data-static" in static["text/html"]
    assert "application/vnd.jupyter.widget-view+json" in live
    assert repr(explorer) == f"{type(explorer).__name__}: {explorer.sentence()}"
    assert " at 0x" not in repr(explorer)


@pytest.mark.parametrize("kind", explorers.MASKS)
def test_masked_steps_by_definition(kind):
    scores = np.random.default_rng(0).normal(size=(4, 4))
    masked, weights = explorers.masked_steps(scores, kind)
    for q in range(4):
        seen = {"correct": q + 1, "after": 4, "none": 4, "ahead": min(4, q + 2), "strict": q}[
            kind
        ]
        powers = np.exp(scores[q, :seen])
        wanted = np.zeros(4)
        wanted[:seen] = powers / powers.sum() if seen else 0
        if kind == "after":
            wanted[q + 1 :] = 0
        if seen == 0:
            assert np.isnan(weights[q]).all()
        else:
            assert np.allclose(weights[q], wanted)


def test_sampling_traits_move_the_distribution():
    e = explorers.SamplingExplorer([2.0, 1.0, 0.0], WORDS[:3])
    e.temperature, e.top_k = 0.5, 2
    before, after = e.distribution()
    wanted = np.exp([4.0, 2.0, 0.0])
    own = np.exp([2.0, 1.0, 0.0])
    assert np.allclose(before, own / own.sum()), "what the model says is of no temperature"
    assert np.allclose(after, [*(wanted[:2] / wanted[:2].sum()), 0])
    e.temperature = 0
    assert e.distribution()[1].tolist() == [1, 0, 0] and "1 of 3 tokens" in e.sentence()


def test_the_picture_writes_two_numbers_only_where_they_differ():
    """At temperature 1 with nothing cut, "22% → 22%" would ask what has changed."""

    def written(e):
        (axes,) = e.figure().axes
        return axes.get_title(loc="left") + axes.get_title(), [t.get_text() for t in axes.texts]

    e = explorers.SamplingExplorer([2.0, 1.0, 0.0], WORDS[:3], text="x")
    title, numbers = written(e)
    assert numbers == ["66.5%", "24.5%", "9.0%"]
    assert title == "After 'x' at temperature 1: 'the' with 66.5%"
    e.temperature = 0.5
    assert written(e)[1][0] == "66.5% → 86.7%"


def test_a_new_text_asks_the_model_and_errors_become_messages():
    def predict(text):
        if text == "bad":
            raise ValueError("too strange")
        return [0.0, float(len(text)), 0.0]

    e = explorers.SamplingExplorer(predict(""), WORDS[:3], predict=predict)
    e.text = "four"
    assert np.frombuffer(e.data, "<f4").tolist() == [0, 4, 0]
    e.text = "bad"
    assert "too strange" in e.message and np.frombuffer(e.data, "<f4")[1] == 4


def test_parameter_parts_of_gpt1():
    import gpt1lib as g

    assert sum(explorers.parameter_parts(**vars(g.GPT1)).values()) == 116_534_784
    assert sum(explorers.parameter_parts(**vars(g.NOVELIST)).values()) == 5_303_296


def test_a_run_that_goes_on_is_drawn_further():
    e = explorers.TrainingExplorer(total=20)
    assert e.sentence() == "A training run that has not begun." and e.figure() is None
    assert figure.picture(None, "a < b")["text/html"] == "<figure>a &lt; b</figure>"
    e.add({"step": 1, "loss": 4.0}, "qx")
    e.add({"step": 11, "loss": 3.0, "heldout": 3.5})
    assert e.points == [[1, 4.0], [11, 3.0]] and e.heldout == [[11, 3.5]]
    assert e.samples == [[1, "qx"]]
    assert e.sentence().endswith("to 3.00 after 11, held out 3.50.")
