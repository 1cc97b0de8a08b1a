"""For nbval: `pytest --nbval notebooks/05*.ipynb` compares what a reader would."""

import os
import re
from pathlib import Path

CLEANED = Path(__file__).parent / "tests" / "nbval.cfg"
GUESS_FIRST = (
    "Make your guess first, then run this cell.\n"  # folding adds it, no cell prints it
)
FULL_RUN = "full-run"  # a tag: a quick run prints something else, see gpt1course.exercises.fewer
PATIENCE = 300  # seconds: both cores may be busy
NUMBER = re.compile(r" *-?\d+(?:\.\d+|(?= ?%))")  # with a decimal, or a percentage


def pytest_configure(config):
    option = config.option
    if hasattr(option, "nbval"):
        option.nbval_sanitize_with = option.nbval_sanitize_with or str(CLEANED)
        option.nbval_current_env = option.nbval_current_env or not option.nbval_kernel_name
        option.nbval_cell_timeout = min(option.nbval_cell_timeout, 600)
        option.nbval_kernel_startup_timeout = max(option.nbval_kernel_startup_timeout, PATIENCE)


def pytest_collectstart(collector):
    """Not compared: pictures as HTML, as little as PNG; progress bars and warnings."""
    if hasattr(collector, "skip_compare"):
        collector.skip_compare += ("text/html", "image/svg+xml", "stderr")


def pytest_itemcollected(item):
    if not hasattr(item, "compare_outputs"):
        return
    item.output_timeout = PATIENCE  # of what a kernel says after a cell's end
    outputs, tags = item.cell.get("outputs", []), item.cell.metadata.get("tags", [])
    for output in (o for o in outputs if o["output_type"] == "stream"):
        output["text"] = output["text"].removeprefix(GUESS_FIRST)
    outputs[:] = [o for o in outputs if o.get("text", "some")]
    if FULL_RUN in tags and os.environ.get("GPT1_LIGHT") == "1":
        item.options["check"] = False
    item.compare_outputs = forgiving(item.compare_outputs, item.sanitize)


def forgiving(compare, cleaned):
    """As `compare`, where decimals may differ by one in their last place.

    Another processor adds up in another order, and may round 0.6135 the other way.
    """

    def forgiven(found, stored):
        found, stored = cleaned(found), cleaned(stored)
        return stored if nearly(found, stored) else found

    def compared(test, ref, skip_compare=None):
        for a, b in zip(test, ref, strict=False):
            if "text" in a and "text" in b:
                a["text"] = forgiven(a["text"], b["text"])
            plain = "text/plain"
            if plain in a.get("data", {}) and plain in b.get("data", {}):
                a["data"][plain] = forgiven(a["data"][plain], b["data"][plain])
        return compare(test, ref, skip_compare)

    return compared


def nearly(found: str, stored: str) -> bool:
    """Whether two texts are alike but for one in the last places of their numbers."""
    if NUMBER.sub("#", found) != NUMBER.sub("#", stored):
        return False
    pairs = zip(NUMBER.findall(found), NUMBER.findall(stored), strict=True)
    return all(abs(float(a) - float(b)) < 1.01 * last_place(a, b) for a, b in pairs)


def last_place(*numbers: str) -> float:
    """What one is worth in the last place of the number with the most decimals."""
    return 10.0 ** -max(len(number.partition(".")[2]) for number in numbers)
