"""Text that may stand in a cell of a table, whoever wrote it."""


def one_line(text: str) -> str:
    """Printable, in one line, and not too long."""
    words = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return words if len(words) < 400 else words[:397] + "..."


def harmless(value: str) -> str:
    """Text in one line; what a spreadsheet would take for a formula is quoted."""
    shown = one_line(value.encode("utf-8", "replace").decode())
    return "'" + shown if shown.startswith(("=", "+", "-", "@")) else shown
