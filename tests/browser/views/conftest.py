"""A blank tab for one explorer at a time, without a kernel."""

import pytest


@pytest.fixture
def page(chromium):
    """A blank tab; at its end no script may have failed."""
    page, failed = chromium.new_page(), []
    page.on("pageerror", lambda e: failed.append(str(e)))
    yield page
    page.close()
    assert not failed


@pytest.fixture
def stopped_clock(page):
    """Time passes only when the test says so: a slow click would take as long as a stage."""
    page.clock.install(time=0)
    yield page.clock
    page.clock.resume()  # all pages share it
