"""What a lesson says in words, held to what its cells compute."""

import os


def fewer(n: int) -> int:
    """n examples to train on; a twentieth where GPT1_LIGHT=1 asks for a quick run.

    The project's tests run each lesson several times, for its code and not for its
    scores. The stored outputs come from full runs.
    """
    return max(20, n // 20) if os.environ.get("GPT1_LIGHT") == "1" else n


def some(examples: list) -> list:
    """All examples to ask; every fourth of them in a quick run."""
    return examples if fewer(1000) == 1000 else examples[::4]


def holds(claim: str, *conditions) -> None:
    """Nothing if all conditions are true, else AssertionError with the claim in words.

    conditions: bools of Python, numpy or torch (a single one each). Anything else raises
    TypeError: a number or a list that happens to count as true proves nothing.
    """
    if not conditions:
        raise TypeError(f"nothing to hold the claim to: {claim}")
    for number, condition in enumerate(conditions, start=1):
        if not _truth(condition, claim):
            which = f" (condition {number} of {len(conditions)})" if len(conditions) > 1 else ""
            raise AssertionError(f"This no longer holds: {claim}{which}")


def learned(claim: str, *conditions) -> None:
    """As holds, for what takes all examples to learn; a quick run is not held to it."""
    if fewer(1000) == 1000:
        holds(claim, *conditions)


def _truth(condition, claim: str) -> bool:
    """A single truth value as a bool."""
    if isinstance(condition, bool):
        return condition
    kind = str(getattr(condition, "dtype", type(condition).__name__)).removeprefix("torch.")
    if kind == "bool" and condition.ndim == 0:
        return bool(condition)
    shape = tuple(getattr(condition, "shape", ()))
    what = f"{kind} of shape {shape}" if shape else f"{kind} {condition!r}"
    raise TypeError(f"a claim needs one truth value, not {what[:80]}: {claim}")


def leads(sweep, task: str, value: str, other: str) -> bool:
    """Whether one value of a SweepExplorer beats another with every seed."""
    a, b = (sweep.tasks[task][sweep.values.index(v)]["seeds"] for v in (value, other))
    return all(x > y for x, y in zip(a, b, strict=True))
