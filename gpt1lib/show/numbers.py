"""Numbers as figures write them; the explorers follow the same rule."""


def percent(share: float) -> str:
    """A share from 0 to 1: '38%', '9.4%', '0.12%', '<0.1%'; '>99%' is not yet all."""
    if 0 < share < 0.001:
        return "<0.1%"
    if 0.995 <= share < 1:
        return ">99%"
    digits = 0 if share >= 0.0995 or share == 0 else 1 if share >= 0.00995 else 2
    return f"{100 * share:.{digits}f}%"


def minus(text: str) -> str:
    """A written number with a true minus, and none before a zero."""
    return text.replace("-", "−") if text.strip("-+0., %") else text.replace("-", "")


def decimal(value: float, digits: int = 2) -> str:
    """'1,234.50', '−0.25', and '0.00' for what rounds to it."""
    return minus(f"{value:,.{digits}f}")


def tick(value: float, _=None) -> str:
    """A number beside an axis, as short as it is: '4,096', '0.1', '−2'."""
    return minus(f"{value:,.6g}")
