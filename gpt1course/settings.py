"""Environment variables that the course reads, each when it is asked for.

GPT1_STRICT=1            a check that does not pass raises, as the tests need it
GPT1_LIVE_PAGES=1        explorers that need no kernel work on pages, too
GPT1_REQUIRE_BROWSER=1   tests fail, and are not skipped, without Chromium or Node.js
"""

import os

LIVE_PAGES = "GPT1_LIVE_PAGES"
"""Set by tools/site.py while it builds the pages."""


def strict() -> bool:
    """Whether a check that does not pass raises AssertionError."""
    return os.environ.get("GPT1_STRICT") == "1"


def live_pages() -> bool:
    """Whether explorers are made to work on a page without a kernel."""
    return os.environ.get(LIVE_PAGES) == "1"


def require_browser() -> bool:
    """Whether tests must find Chromium and Node.js."""
    return os.environ.get("GPT1_REQUIRE_BROWSER") == "1"
