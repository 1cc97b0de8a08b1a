"""For nbval: `pytest --nbval notebooks/05*.ipynb` compares what a reader would."""

from pathlib import Path

CLEANED = Path(__file__).parent / "tests" / "nbval.cfg"
GUESS_FIRST = (
    "Make your guess first, then run this cell.\n"  # folding adds it, no cell prints it
)


def pytest_configure(config):
    option = config.option
    if hasattr(option, "nbval"):
        option.nbval_sanitize_with = option.nbval_sanitize_with or str(CLEANED)
        option.nbval_current_env = option.nbval_current_env or not option.nbval_kernel_name
        option.nbval_cell_timeout = min(option.nbval_cell_timeout, 600)


def pytest_collectstart(collector):
    """Pictures as HTML are compared no more than pictures as PNG."""
    if hasattr(collector, "skip_compare"):
        collector.skip_compare += ("text/html", "image/svg+xml")


def pytest_itemcollected(item):
    outputs = getattr(item, "cell", {}).get("outputs", [])
    for output in (o for o in outputs if o["output_type"] == "stream"):
        output["text"] = output["text"].removeprefix(GUESS_FIRST)
    outputs[:] = [o for o in outputs if o.get("text", "some")]
