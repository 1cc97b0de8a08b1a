"""Views that draw a column or a bar for each token refuse what they cannot show."""

import pytest

from gpt1course.viz import explorers
from gpt1course.viz.explorers import journey, tying


@pytest.mark.parametrize(
    ("make", "most"),
    [
        (explorers.JourneyExplorer.from_checkpoint, journey.MOST_TOKENS),
        (explorers.TyingExplorer.from_checkpoint, tying.MOST_TOKENS),
    ],
)
def test_too_long_a_text_is_refused_and_the_longest_is_shown(novelist, make, most):
    assert len(make(novelist, "the " * most).tokens) >= 1
    with pytest.raises(ValueError, match=f"has {most + 1} tokens, this page shows {most}"):
        make(novelist, "the " * (most + 1))
