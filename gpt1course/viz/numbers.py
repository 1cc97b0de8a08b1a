"""Numbers as figures write them; `percent` is that of explorers/common.words.js."""


def percent(share: float) -> str:
    """A share from 0 to 1: '38.1%', '4.0%', '0.25%', '<0.1%'; 0% and 100% where it is so."""
    if 1e-9 < share < 0.001:
        return "<0.1%"
    if 0.9995 < share < 1 - 1e-9:
        return ">99.9%"
    digits = 0 if not 1e-9 < share < 1 - 1e-9 else 2 if share < 0.01 else 1
    return f"{100 * share:.{digits}f}%"


def minus(text: str) -> str:
    """A written number with a true minus, and none before a zero."""
    return text.replace("-", "−") if text.strip("-+0., %") else text.replace("-", "")


def decimal(value: float, digits: int = 2) -> str:
    """'1,234.50', '−0.25', '−∞', and '0.00' for what rounds to it."""
    return minus(f"{value:,.{digits}f}".replace("inf", "∞"))


def tick(value: float, _=None) -> str:
    """A number beside an axis, as short as it is: '4,096', '0.1', '−2'."""
    return minus(f"{value:,.0f}" if abs(value) >= 1e6 else f"{value:,.6g}")
