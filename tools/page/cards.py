"""A drawing for each lesson's card on the front page: one idea, no axes, no words.

Each is SVG that follows the page's colors, so it needs no second one for the dark.
"""

import math
from collections.abc import Callable, Iterable, Sequence

from gpt1course.viz.palette import ROLES, SERIES

W, H = 240, 130
BLUE, ORANGE, RED, PURPLE, GRAY, VIOLET = SERIES
INK = "currentColor"
Point = tuple[float, float]


def shape(kind: str, **look: object) -> str:
    """One element; stroke_width becomes stroke-width."""
    given = " ".join(f'{name.replace("_", "-")}="{value}"' for name, value in look.items())
    return f"<{kind} {given}/>"


def rect(x: float, y: float, w: float, h: float, fill: str = BLUE, **look: object) -> str:
    return shape("rect", x=round(x, 1), y=round(y, 1), width=w, height=h, fill=fill, **look)


def dot(x: float, y: float, r: float = 4, fill: str = BLUE, **look: object) -> str:
    return shape("circle", cx=round(x, 1), cy=round(y, 1), r=r, fill=fill, **look)


def curve(points: Iterable[Point], color: str = INK, width: float = 2.5, **look) -> str:
    path = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
    return shape("path", d=path, fill="none", stroke=color, stroke_width=width, **look)


def boxes(x: float, y: float, n: int, color: str = GRAY, size: float = 18) -> str:
    """A row of tokens."""
    return "".join(rect(x + i * (size + 5), y, size, size, color, rx=4) for i in range(n))


def bars(x: float, y: float, shares: Sequence[float], width: float, color: str = BLUE) -> str:
    """Bars one below the other, the first at y."""
    rows = enumerate(shares)
    return "".join(rect(x, y + 16 * i, max(2, width * p), 10, color, rx=2) for i, p in rows)


def triangle(x: float, y: float, n: int, side: float, look: Callable[[int, int], float]) -> str:
    """The lower half of a matrix, each cell as dark as look(row, column)."""
    return "".join(
        rect(x + side * k, y + side * q, side - 1, side - 1, VIOLET, opacity=look(q, k))
        for q in range(n)
        for k in range(q + 1)
    )


def start() -> str:
    return (
        boxes(20, 24, 5)
        + rect(135, 24, 84, 18, BLUE, rx=4)
        + bars(135, 58, (1, 0.45, 0.2, 0.1), 84)
    )


def guessing() -> str:
    cells = ((i * 7 + j * j * 3 + i * j) % 11 for i in range(6) for j in range(12))
    shades = (
        rect(24 + 16 * (n % 12), 20 + 16 * (n // 12), 15, 15, ORANGE, opacity=0.08 + 0.06 * v)
        for n, v in enumerate(cells)
    )
    return "".join(shades) + rect(24 + 16 * 8, 20 + 16 * 3, 15, 15, RED)


def merging() -> str:
    lines, rows = [], [[30, 70, 110, 150, 190], [50, 110, 170], [80, 170], [125]]
    for k, (low, high) in enumerate(zip(rows, rows[1:], strict=False)):
        for x in low:
            to = min(high, key=lambda h, x=x: abs(h - x))
            lines.append(curve([(x, 112 - 28 * k), (to, 84 - 28 * k)], GRAY, 2))
    found = (
        rect(x - 12, 104 - 28 * k, 24, 17, SERIES[(k + i) % 4], rx=4)
        for k, row in enumerate(rows)
        for i, x in enumerate(row)
    )
    return "".join(lines) + "".join(found)


def positions() -> str:
    turn = [0.22 * i for i in range(28)]
    return "".join(
        dot(120 + (14 + 7 * t) * math.cos(t) * 1.5, 66 + (14 + 5 * t) * math.sin(t),
            3.6, ORANGE, opacity=0.35 + 0.023 * i)
        for i, t in enumerate(turn)
    )  # fmt: skip


def query() -> str:
    keys = [(170, 30, 11), (60, 40, 5), (200, 92, 4), (80, 100, 4), (140, 106, 3)]
    arrow = curve([(115, 68), (160, 36)], INK, 3)
    return "".join(dot(x, y, r) for x, y, r in keys) + arrow + dot(160, 36, 5, RED)


def mask() -> str:
    later = (
        rect(66 + 18 * k, 11 + 18 * q, 17, 17, GRAY, opacity=0.2)
        for q in range(6)
        for k in range(q + 1, 6)
    )
    return triangle(66, 11, 6, 18, lambda q, k: 0.25 + 0.75 * (k + 1) / (q + 1)) + "".join(
        later
    )


def heads() -> str:
    looks: list[Callable[[int, int], float]] = [
        lambda q, k: 1 if k == q else 0.15,
        lambda q, k: 1 if k == max(0, q - 1) else 0.15,
        lambda q, k: 1 if k == 0 else 0.15,
        lambda q, k: 1 / (q + 1) + 0.15,
    ]
    return "".join(
        triangle(12 + 56 * (i % 4), 12 + 56 * (i // 4), 6, 8, looks[(i + i // 4) % 4])
        for i in range(8)
    )


def block() -> str:
    bed = "M108 8H132V30Q132 46 160 46V58Q132 60 132 72V84Q132 96 172 96V108H132V122H108Z"
    sides = curve([(30, 36), (104, 50)], ROLES["attention"], 9, opacity=0.8) + curve(
        [(30, 82), (104, 98)], ROLES["feed-forward"], 9, opacity=0.8
    )
    return sides + shape("path", d=bed, fill=BLUE, opacity=0.75)


def whole() -> str:
    parts = ["token embedding", "attention", "feed-forward", "attention", "feed-forward"]
    rows = "".join(rect(70, 12 + 22 * i, 100, 17, ROLES[p], rx=4) for i, p in enumerate(parts))
    tie = curve([(170, 20), (194, 20), (194, 124), (170, 124)], INK, 2)
    return rows + rect(70, 116, 100, 10, ROLES["token embedding"], rx=4) + tie


def by_hand() -> str:
    def valley(i: float) -> Point:
        return 30 + 9 * i, 116 - 100 * ((i - 10) / 10) ** 2

    ball = (valley(i) for i in (1, 3, 5, 7))
    marks = "".join(dot(x + 5, y - 6, 5, RED) for x, y in ball)
    return curve(map(valley, range(21)), GRAY) + marks


def falling(low: float, high: float, sharp: float = 4) -> list[Point]:
    return [
        (20 + 5 * i, high - (high - low) * (1 - math.exp(-sharp * i / 40))) for i in range(41)
    ]


def learning() -> str:
    floors = "".join(
        curve([(20, y), (220, y)], GRAY, 1.5, stroke_dasharray="5 4") for y in (48, 74, 96)
    )
    points = [(x, 130 - y) for x, y in falling(8, 118)]
    return floors + curve(points, BLUE, 3.5)


def released() -> str:
    left = "".join(rect(40, 14 + 26 * i, 60, 20, BLUE, rx=4) for i in range(4))
    right = "".join(rect(140, 14 + 26 * i, 60, 20, ORANGE, rx=4) for i in range(4))
    links = "".join(curve([(102, 24 + 26 * i), (138, 24 + 26 * i)], INK, 2) for i in range(4))
    return left + right + links


def decoding() -> str:
    sets = [
        (1, 0.1, 0.04, 0.02, 0.01),
        (0.7, 0.4, 0.25, 0.15, 0.1),
        (0.4, 0.37, 0.34, 0.3, 0.3),
    ]
    return "".join(
        bars(18 + 72 * i, 26, p, 60, (BLUE, VIOLET, RED)[i]) for i, p in enumerate(sets)
    )


def tasks() -> str:
    rows = "".join(
        boxes(24, 14 + 30 * i, 6, (BLUE, ORANGE, PURPLE, VIOLET)[i]) for i in range(4)
    )
    ends = "".join(curve([(162, 23 + 30 * i), (206, 66)], INK, 1.6) for i in range(4))
    return rows + ends + dot(210, 66, 9, RED)


def zero_shot() -> str:
    found = []
    for i, (end, color) in enumerate([(14, BLUE), (34, ORANGE), (60, PURPLE), (92, VIOLET)]):
        found.append(curve(falling(end, 118, 2 + i), color, 3))
    return "".join(found)


def few_labels() -> str:
    ours = [(24 + 38 * i, y) for i, y in enumerate((92, 52, 34, 26, 22, 20))]
    others = [(24 + 38 * i, y) for i, y in enumerate((112, 110, 98, 70, 40, 28))]
    marks = "".join(dot(x, y, 5) for x, y in ours)
    return curve(ours, BLUE) + marks + curve(others, RED, stroke_dasharray="6 4")


def ablation() -> str:
    there = (0, 1, 3, 4)
    rows = "".join(rect(70, 10 + 23 * i, 100, 18, BLUE, rx=4) for i in there)
    gone = rect(
        70, 56, 100, 18, "none", rx=4, stroke=INK, stroke_width=2, stroke_dasharray="5 4"
    )
    return rows + gone


def capstone() -> str:
    line = [(20, 28), (220, 104)]
    points = [(44, 36), (84, 54), (124, 66), (164, 82)]
    marks = "".join(dot(x, y, 6) for x, y in points)
    ring = dot(206, 98, 7, "none", stroke=RED, stroke_width=3)
    return curve(line, GRAY, 2, stroke_dasharray="6 4") + marks + ring


DRAWN: list[Callable[[], str]] = [
    start, guessing, merging, positions, query, mask, heads, block, whole, by_hand, learning,
    released, decoding, tasks, zero_shot, few_labels, ablation, capstone,
]  # fmt: skip


def drawing(lesson: str) -> str:
    """The drawing of a lesson, by the number that its name begins with."""
    inner = DRAWN[int(lesson[:2])]()
    return f'<svg viewBox="0 0 {W} {H}" aria-hidden="true" focusable="false">{inner}</svg>'
