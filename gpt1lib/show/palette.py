"""One color for each role, the same in figures and explorers: both read palette.json."""

import json
from collections.abc import Sequence
from pathlib import Path

PALETTE = json.loads(Path(__file__).with_name("palette.json").read_text(encoding="utf-8"))
SERIES: list[str] = PALETTE["series"]  # for what has no role, in this order
ROLES: dict[str, str] = PALETTE["roles"]
BY_NAME = {role.casefold(): color for role, color in ROLES.items()}


def role(name: str) -> str | None:
    """The color of a role, however it is spelled: 'film_snippets', 'lstm', 'Task loss'."""
    plain = name.replace("_", " ").casefold()
    return BY_NAME.get("n-gram" if plain.endswith("gram") else plain)


def hues(names: Sequence[str]) -> list[str]:
    """A color for each name: that of its role, else the next one that is still free."""
    known = [role(name) for name in names]
    free = [color for color in SERIES if color not in known] or SERIES
    others = iter(free * len(names))
    return [color or next(others) for color in known]
