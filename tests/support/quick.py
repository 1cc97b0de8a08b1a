"""How much a lesson computes when the project tests itself: enough to run each line once.

The cell tagged `parameters` says what a reader's run computes. Tests that compare nothing that
depends on it give its names these values instead.
"""

PARAMETERS = "parameters"  # the tag
QUICK = {
    "06": {"n_windows": 2, "n_spots": 12},
    "10": {"n_short": 20, "n_updates": 25, "n_gaps": 20},
    "13": {
        "n_labels": 20,
        "passes": {"pre-trained": 1, "random weights": 1},
        "n_tested": 50,
        "n_characters": 600,
    },
    "14": {"every": 12, "few": 10},
    "induction_heads": {"n_copying": 25, "n_reading": 25},
    "17": {"n_passages": 20, "every": 4, "n_windows": 1},
}
"""Lesson -> name -> value."""


def tags(cell) -> list[str]:
    """The tags of a notebook's cell."""
    return cell.metadata.get("tags", [])


def shorten(notebook, lesson: str) -> None:
    """Write the quick values below those of a lesson's parameters, as papermill does."""
    lines = [f"{name} = {value}" for name, value in QUICK.get(lesson, {}).items()]
    for cell in notebook.cells:
        if PARAMETERS in tags(cell):
            cell.source = "\n".join([cell.source, *lines])
