"""For nbval: pictures as HTML are compared no more than pictures as PNG."""


def pytest_collectstart(collector):
    if hasattr(collector, "skip_compare"):
        collector.skip_compare += ("text/html", "image/svg+xml")
