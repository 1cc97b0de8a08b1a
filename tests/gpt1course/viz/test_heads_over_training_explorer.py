"""What HeadsOverTrainingExplorer computes, by hand, and the run that comes with the course."""

import numpy as np
import pytest

from gpt1course.viz.explorers import HeadsOverTrainingExplorer
from gpt1course.viz.explorers import heads_over_training as stored

STEPS, LOSSES = [0, 1, 2, 4], [9.0, 8.0, 7.0, 6.0]


def looking_back(share, n_tokens=5):
    """A pattern (T, T) whose rows put so much on the previous token, the rest on themselves."""
    weights = np.diag(np.full(n_tokens - 1, share), -1)
    return weights + np.diag(1 - weights.sum(1))


def explorer(shares, **chosen):
    """A run of two blocks with one head each; shares: (S, 2) on the previous token."""
    patterns = np.array([[[looking_back(x)] for x in row] for row in shares])
    texts = [patterns, np.array([[[looking_back(0.2, 4)]] * 2] * len(shares))]
    tokens = [[f"{c}</w>" for c in "abcde"], [f"{c}</w>" for c in "abcd"]]
    return HeadsOverTrainingExplorer(texts, tokens, STEPS, LOSSES, **chosen)


def test_weights_are_kept_in_steps_of_a_255th():
    shares = stored.as_shares([[1.0, 0, 0], [0.5, 0.5, 0], [0.2, 0.3, 0.5]])
    assert shares.tolist() == [255, 128, 128, 51, 76, 128]
    weights = stored.as_weights(np.stack([shares, shares]))
    assert weights.shape == (2, 3, 3) and np.triu(weights[1], 1).sum() == 0
    assert weights[0, 2].tolist() == [51 / 255, 76 / 255, 128 / 255]


def test_a_loss_is_a_mean_of_those_near_it():
    losses = list(range(100))
    assert stored.smoothed(losses, 0) == 0 and stored.smoothed(losses, 5) == 5
    assert stored.smoothed(losses, 20) == 20, "the mean of 18 to 22"
    assert stored.smoothed(losses, 100) == 94, "the mean of the last eleven, 89 to 99"
    curve = stored.curve_of(losses)
    assert curve[0] == [0, 0] and curve[-1] == [100, 94]


@pytest.mark.parametrize(
    ("shares", "head", "stage", "finding"),
    [
        (
            [(0.2, 0.2), (0.2, 0.6), (0.8, 0.7), (0.9, 0.9)], 1, 1,
            "Block 1, head 0 is the first to focus: after 1 update, “d” puts 60.0% of its "
            "weight on “c”.",
        ),
        (
            [(0.2, 0.2), (0.2, 0.3), (0.6, 0.8), (0.9, 0.2)], 1, 2,
            "Block 1, head 0 is among the first to focus: after 2 updates, “d” puts 80.0% of "
            "its weight on “c”.",
        ),
        (
            [(0.2, 0.2), (0.4, 0.3), (0.2, 0.2), (0.2, 0.2)], 0, 1,
            "Block 0, head 0 never focuses: at most 40.0% on one earlier token, after 1 "
            "update.",
        ),
    ],
)  # fmt: skip
def test_it_opens_on_the_head_that_is_first(shares, head, stage, finding):
    e = explorer(shares)
    assert (e.head, e.stage, e.row) == (head, stage, 3)
    assert e.finding() == finding
    assert finding in e.sentence() and e.figure()


def test_a_head_that_is_later_says_so():
    e = explorer([(0.2, 0.2), (0.6, 0.2), (0.2, 0.2), (0.2, 0.8)], head=1)
    assert e.stage == 3, "where the chosen head first does"
    wanted = "Block 1, head 0 focuses: after 4 updates, “d” puts 80.0% of its weight on “c”."
    assert e.finding() == wanted
    e.chosen = 1  # a shorter sentence, in which no head does
    assert e.finding().startswith("Block 1, head 0 never focuses: at most 20.0%")


def test_rows_with_little_choice_and_looks_at_oneself_do_not_count():
    weights = np.tile(np.eye(5), (4, 1, 2, 1, 1))
    weights[:, 0, 0, 2] = [0, 0.9, 0.1, 0, 0]
    weights[2:, 0, 1, 4] = [0.6, 0.4, 0, 0, 0]
    e = HeadsOverTrainingExplorer([weights], [list("abcde")], STEPS, LOSSES)
    assert (e.head, e.stage, e.row) == (1, 2, 4) and e.sharpest()[:, 0].max() == 0


def test_what_does_not_belong_together_is_named():
    good, four = np.full((4, 1, 1, 4, 4), 0.25), list("abcd")
    for given, message in (
        (([good], [list("abc")], STEPS, LOSSES), r"shape \(4, 1, 1, 4, 4\), expected"),
        (([good[..., :3, :3]], [list("abc")], STEPS, LOSSES), "has 3 tokens, it takes 4"),
        (([good], [four], STEPS[:3], LOSSES), "3 steps and patterns of 4 stages"),
        (([good], [four], [1, 2, 3, 4], LOSSES), "must rise from 0"),
        (([good], [four], STEPS, LOSSES[:3]), "losses end after 3 of 4"),
    ):
        with pytest.raises(ValueError, match=message):
            HeadsOverTrainingExplorer(*given)


def test_what_is_written_is_read_again(tmp_path):
    patterns = [np.array([[[looking_back(0.2)]]] * 4), np.array([[[looking_back(0.6, 4)]]] * 4)]
    facts = {"tokens": [list("abcde"), list("abcd")], "steps": STEPS, "losses": LOSSES}
    path = tmp_path / "run.safetensors"
    stored.write_patterns(path, patterns, facts)
    back, told = stored.read_patterns(path)
    assert told == facts
    for one, other in zip(patterns, back, strict=True):
        assert np.allclose(one, other, atol=0.5 / 255)
    e = HeadsOverTrainingExplorer.from_file(path, chosen=1, head=0)
    assert "to focus: after 0 updates, “d” puts 60.0%" in e.finding()
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(ValueError, match=r"run\.safetensors is cut short or damaged"):
        HeadsOverTrainingExplorer.from_file(path)


# ---- the run that comes with the course


@pytest.fixture(scope="module")
def run():
    return stored.read_patterns()


def test_the_stored_run_is_whole_and_small(run, novelist):
    patterns, facts = run
    assert stored.STORED.stat().st_size < 1e6
    assert facts["command"].startswith("python benchmarks/heads_over_training.py")
    assert len(facts["commit"]) == 40 and facts["recipe"]["seed"] == 0
    assert len(patterns) == 10 and len(facts["steps"]) == 12
    assert facts["steps"][0] == 0 and facts["steps"][-1] == facts["recipe"]["steps"]
    assert len(facts["losses"]) == facts["recipe"]["steps"]
    for weights, pieces, text in zip(patterns, facts["tokens"], facts["texts"], strict=True):
        assert pieces == novelist.bpe.pieces(novelist.bpe.encode(text))
        assert weights.shape == (12, 4, 4, len(pieces), len(pieces)) and len(pieces) <= 14
        assert np.allclose(weights.sum(-1), 1, atol=0.5 * len(pieces) / 255)


def test_at_the_start_no_head_focuses_and_then_many_do(run):
    _, facts = run
    for chosen in range(len(facts["tokens"])):
        shares = HeadsOverTrainingExplorer.from_file(chosen=chosen).sharpest()
        assert shares[0].max() < 0.5 < shares[-1].max()
    assert np.mean(facts["losses"][-50:]) < facts["losses"][0] - 3
