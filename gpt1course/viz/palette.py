"""One color for each role, the same in figures and explorers: both read palette.json."""

import json
from collections.abc import Sequence
from pathlib import Path

from matplotlib.colors import to_hex, to_rgb
from matplotlib.typing import ColorType

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


def luminance(color: ColorType) -> float:
    """Relative luminance (WCAG): 0 black, 1 white."""
    linear = [
        v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in to_rgb(color)
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def ink(color: ColorType) -> str:
    """Black or white, whichever has more contrast on the color."""
    return "white" if luminance(color) < 0.179 else "black"


def dark(color: str) -> str:
    """The color, darkened until text in it reads on white (contrast 4.5, WCAG AA)."""
    r, g, b = to_rgb(color)
    while 1.05 / (luminance((r, g, b)) + 0.05) < 4.5:
        r, g, b = 0.95 * r, 0.95 * g, 0.95 * b
    return to_hex((r, g, b))
