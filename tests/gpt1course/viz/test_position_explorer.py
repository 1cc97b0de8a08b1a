"""The explorer of positions and its picture, against the library's numbers."""

import numpy as np
import pytest
import torch

from gpt1course.viz import explorers, plots
from gpt1lib.baselines.variants import Sinusoids

WAVES = Sinusoids(60, 16).table.numpy()


def test_it_computes_what_torch_computes(novelist):
    table = novelist.model.positions.weight.detach()
    e = explorers.PositionExplorer({"learned": table}, place=10)
    unit = torch.nn.functional.normalize(table, dim=1)
    assert np.allclose(e.cosines[0], unit @ unit.T, atol=1e-5)
    spread = torch.linalg.svdvals(table - table.mean(0)) ** 2
    assert e.held == [pytest.approx(float(spread[:2].sum() / spread.sum()), abs=1e-3)]
    flat = e.places[0]
    assert np.allclose((flat**2).sum(0), spread[:2], rtol=1e-3), "the widest axes"
    assert abs(flat.mean(0)).max() < 1e-5
    other, cosine = e.most_alike()
    assert other != 10 and cosine == pytest.approx(np.sort(e.cosines[0, 10])[-2])
    assert f"Position 10 is most like {other}" in e.sentence()
    share = f"{100 * e.held[0]:.1f}% of the variance"
    assert f"256 positions on two axes with {share}" in e.sentence()


def test_the_finding_tells_a_path_from_a_cloud():
    cloud = np.random.default_rng(0).normal(size=WAVES.shape)
    e = explorers.PositionExplorer({"waves": WAVES, "random": cloud})
    assert e.finding() == "waves: a path, with near positions close together"
    e.table = 1
    assert e.finding() == "random: a cloud, the next position may be anywhere"


@pytest.mark.parametrize(
    ("tables", "told"),
    [
        ({}, "no tables"),
        ({"a": WAVES, "b": WAVES[:9]}, "different numbers of positions: {'a': 60, 'b': 9}"),
        ({"a": WAVES[:1]}, "2 to 1024 rows"),
        ({"a": np.ones((1025, 2))}, "rows of 2 numbers or more, not .*1025"),
        ({"a": WAVES[:, :1]}, "2 numbers or more"),
        ({"a": np.eye(3) - np.diag([0, 1, 0])}, "'a' has a row of zeros"),
        ({"a": np.full((3, 3), np.nan)}, "nan"),
    ],
)
def test_tables_that_cannot_be_drawn_are_refused(tables, told):
    with pytest.raises(ValueError, match=told.replace("{", r"\{")):
        explorers.PositionExplorer(tables)


def test_a_map_names_the_words_it_is_asked_for():
    points = np.random.default_rng(0).normal(size=(6, 2))
    figure = plots.word_map(points, list("abcdef"), [(0, 1), (0, 3)], [5])
    texts = {t.get_text(): t for t in figure.axes[0].texts}
    assert set(texts) == set("abdf")
    assert {name for name, t in texts.items() if t.get_fontweight() == "bold"} == set("abd")
    ends = {
        tuple(line.get_xdata()) for line in figure.axes[0].lines if len(line.get_xdata()) == 2
    }
    assert ends == {tuple(points[[0, 1], 0]), tuple(points[[0, 3], 0])}
    with pytest.raises(ValueError, match="there are 5 words"):
        plots.word_map(points, list("abcde"))


@pytest.mark.parametrize("n", [2, 60, 120])
def test_a_path_marks_the_chosen_place(n):
    points = np.random.default_rng(0).normal(size=(n, 2))
    figure = plots.path(points, np.linspace(-1, 1, n), n - 1)
    rings = [line for line in figure.axes[0].lines if len(line.get_xdata()) == 1]
    assert [float(r.get_xdata()[0]) for r in rings] == [points[-1, 0]]
    names = [int(t.get_text()) for t in figure.axes[0].texts]
    assert names == list(range(0, n, {2: 1, 60: 12, 120: 50}[n]))
    with pytest.raises(ValueError, match=f"place {n}"):
        plots.path(points, np.zeros(n), n)
