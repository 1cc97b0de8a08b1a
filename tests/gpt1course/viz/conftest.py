"""Figures of a quarter of the dots: nobody looks, and drawing is half of these tests' time."""

import pytest

from gpt1course.viz import figure


@pytest.fixture(autouse=True, scope="module")
def coarse():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(figure, "DPI", 100)
        yield
