"""Node.js for tests of what a page computes."""

import shutil

import pytest

from gpt1course import settings


def node_or_skip() -> str:
    """Where Node.js is; skips where it is not, unless CI requires it."""
    path = shutil.which("node")
    if path is None:
        if settings.require_browser():
            pytest.fail("no Node.js found, and GPT1_REQUIRE_BROWSER=1 asks for one")
        pytest.skip("no Node.js on this machine")
    return path
