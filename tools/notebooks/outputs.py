"""In what the outputs of two runs may differ: nbval (conftest.py) and tests/claims go by it.

Not compared are pictures, progress bars and warnings. What a machine measures is made alike
by tests/nbval.cfg, and decimals may differ by one in their last place: another processor adds
up in another order, and may round 0.6135 the other way.
"""

import re

GUESS_FIRST = "Make your guess first, then run this cell.\n"  # folding adds it
FULL_RUN = "full-run"  # a tag: a quick run prints something else, see tests/claims/runner.py
NOT_COMPARED = ("text/html", "image/svg+xml", "stderr")  # beside what nbval leaves out itself
NUMBER = re.compile(r" *-?\d+(?:\.\d+|(?= ?%))")  # with a decimal, or a percentage


def drop_neutral_line(outputs: list) -> None:
    """Take what folding adds out of the stored outputs of a cell."""
    for output in (o for o in outputs if o["output_type"] == "stream"):
        output["text"] = output["text"].removeprefix(GUESS_FIRST)
    outputs[:] = [o for o in outputs if o.get("text", "some")]


def nearly(found: str, stored: str) -> bool:
    """Whether two texts are alike but for one in the last places of their numbers."""
    if NUMBER.sub("#", found) != NUMBER.sub("#", stored):
        return False
    pairs = zip(NUMBER.findall(found), NUMBER.findall(stored), strict=True)
    return all(abs(float(a) - float(b)) < 1.01 * last_place(a, b) for a, b in pairs)


def last_place(*numbers: str) -> float:
    """What one is worth in the last place of the number with the most decimals."""
    return 10.0 ** -max(len(number.partition(".")[2]) for number in numbers)
