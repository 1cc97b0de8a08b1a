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
