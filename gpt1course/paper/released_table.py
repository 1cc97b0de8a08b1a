"""The results of `python -m gpt1course.paper released`, beside what the paper printed."""

from collections import defaultdict
from pathlib import Path

from gpt1lib.io import files

from . import paper_numbers

RESULT = "result.json"
COLUMNS = {
    "cola": "CoLA", "sst-2": "SST2", "mrpc": "MRPC", "sts-b": "STSB", "qqp": "QQP",
    "mnli": "MNLI-m", "qnli": "QNLI", "rte": "RTE", "snli": "SNLI", "scitail": "SciTail",
    "race": "RACE", "story-cloze": "Story Cloze",
}  # fmt: skip
"""Our name of a set -> the paper's, in Tables 2 to 4."""
PARTS = {"middle": "RACE-m", "high": "RACE-h"}
HEAD = """\
| set | row | scored by | ours | seeds | the paper | scored on |
|---|---|---|---|---|---|---|
"""
NOTE = """
The paper scored GLUE's hidden test sets, and we score the development sets, whose labels are
published. A tenth of the training set is set apart.

For MNLI we score the matched part. The paper's number beside it is of that part in the row
"full" alone. In the other rows, and in the means, it is that of Table 5, which is the mean of
both parts: 81.8 for the full model, which has 82.1 on the matched part and 81.4 on the other.
"""


def printed(name: str, row: str) -> float | None:
    """What the paper printed for a set and a row of Table 5; None where it did not.

    NOTE says which part of MNLI it is of.
    """
    column = COLUMNS.get(name, name)
    if row == "full":
        return paper_numbers.best_before(column)[1]
    tasks, scores = paper_numbers.TABLE5_TASKS, paper_numbers.TABLE5[row][1]
    short = column.removesuffix("-m")
    return scores[tasks.index(short)] if short in tasks else None


def stored(out: Path) -> dict[tuple[str, str], list[dict]]:
    """(set, row) -> its results, seed by seed."""
    found = defaultdict(list)
    for path in sorted(out.glob(f"*/{RESULT}")):
        result = files.read_json(path)
        found[result["task"], result["row"]].append(result)
    return found


def line(name: str, row: str, values: list[float], metric: str, on: str) -> str:
    """A line of the table; values: from 0 to 1, one for each seed."""
    paper = printed(name, row)
    beside = "" if paper is None else f"{paper:.1f}"
    mean = 100 * sum(values) / len(values)
    shown = f"{COLUMNS.get(name, name)} | {row} | {metric} | {mean:.1f}"
    return f"| {shown} | {len(values)} | {beside} | {on} |\n"


def table(out: Path) -> str:
    """All results in a folder, as a table in Markdown."""
    text, of_row = HEAD, defaultdict(dict)
    results = stored(out)
    for name, row in sorted(results, key=lambda k: ([*COLUMNS].index(k[0]), k[1])):
        runs = results[name, row]
        metric, on = runs[0]["metric"], runs[0]["on"]
        values = [run["scores"][metric] for run in runs]
        of_row[row][name] = sum(values) / len(values)
        text += line(name, row, values, metric, on)
        for part, column in PARTS.items() if name == "race" and row == "full" else ():
            of_part = [run["scores"]["groups"][part]["accuracy"] for run in runs]
            text += line(column, row, of_part, metric, on)
    return text + "".join(averages(of_row)) + NOTE


def averages(of_row: dict[str, dict[str, float]]) -> list[str]:
    """Table 5's average of each row that has all of its eight sets."""
    eight = [name for name, column in COLUMNS.items()
             if column.removesuffix("-m") in paper_numbers.TABLE5_TASKS]  # fmt: skip
    lines = []
    for row, scores in of_row.items():
        if all(name in scores for name in eight):
            mean = 100 * sum(scores[name] for name in eight) / len(eight)
            paper = paper_numbers.TABLE5[row][0]
            lines.append(f"| mean of eight | {row} | | {mean:.1f} | | {paper} | dev |\n")
    return lines
