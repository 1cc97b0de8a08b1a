"""How a lesson lies on the page: answers folded under their question, honest times.

A prediction is a blue box (`<div class="alert alert-info">` around "**Predict.** ..."). The
code cell below it holds the answer: its stored output is folded until it is run. So are
the outputs of cells tagged `answer`. A code cell that begins with `# plot` folds to that
line. A markdown cell that says `DEEPER` becomes the border between the main path
and the deeper part; where a main path is longer than a sitting, one that says `PAUSE` becomes
a place to stop.
"""

import re
from pathlib import Path

from nbformat.v4 import new_output

from gpt1course.notebooks import mark
from tools.notebooks.outputs import GUESS_FIRST

PREDICT, TRY = "**Predict", "**Try"
LAST = "This is the last lesson."  # what only the last one has among its ways on
ASIDE = "# plot"  # how a cell begins that only draws
BOX = '<div class="alert alert-{kind}">\n\n{text}\n\n</div>'
WAY_BACK = "Before this: "  # the last line of a lesson, which nobody reads in order
SITTING = 75  # minutes
PICTURE = re.compile(r'src="data:image/png;base64,([^"]+)"')
ABOUT = re.compile(r"\*About \d+ minutes?\.\*")  # how a deeper section begins
HEADING = re.compile(r"^(?=## )", re.MULTILINE)
LOOKED_UP = ("stub", "hints", "map")  # parts that nobody reads from top to bottom

# minutes, as readers needed them
WORDS, LINES = 180, 10  # read per minute: words of prose, lines of code
PER_PREDICTION, PER_TRY, PER_EXPLORER, PER_QUESTION = 1.0, 2.0, 3.0, 0.5


def box(kind: str, text: str) -> str:
    """One of JupyterLab's own boxes around Markdown: info, success or warning."""
    return BOX.format(kind=kind, text=text.strip())


# ---- what is folded -----------------------------------------------------------------


def is_prediction(cell) -> bool:
    """Whether a cell asks for a guess."""
    return cell.cell_type == "markdown" and PREDICT in cell.source


def answers(cells) -> list[int]:
    """The code cells whose output answers a prediction: the one below it, and tagged ones."""
    found = []
    for i, cell in enumerate(cells):
        if cell.cell_type != "code":
            continue
        below = i > 0 and is_prediction(cells[i - 1])
        if below or "answer" in cell.metadata.get("tags", []):
            found.append(i)
    return found


def fold(notebook) -> None:
    """Fold answers and plotting code; what stands folded shows a neutral first line."""
    hidden = answers(notebook.cells)
    for i, cell in enumerate(notebook.cells):
        if cell.cell_type != "code":
            continue
        folded = {}
        if i in hidden:
            folded["outputs_hidden"] = True
            cell.outputs.insert(0, new_output("stream", name="stdout", text=GUESS_FIRST))
        if is_aside(cell):
            folded["source_hidden"] = True
        if folded:
            cell.metadata["jupyter"] = folded
        else:
            cell.metadata.pop("jupyter", None)


def is_aside(cell) -> bool:
    """Whether a cell only draws, and so folds to its first line."""
    return cell.cell_type == "code" and cell.source.startswith(ASIDE)


def stored_picture(output) -> str:
    """The PNG in an output's HTML, base64; empty where there is none."""
    shown = PICTURE.search(output.get("data", {}).get("text/html", ""))
    return shown[1] if shown else ""


# ---- how long it takes --------------------------------------------------------------


def prose_words(cells) -> int:
    """Words of markdown without code, math, tags, addresses and the way back."""
    text = "\n".join(c.source for c in cells if c.cell_type == "markdown")
    text = re.sub(rf"^{WAY_BACK}.*", "", text, flags=re.MULTILINE)
    for pattern in (r"```.*?```", r"\$\$.*?\$\$", r"<[^>]+>", r"\]\([^)]*\)"):
        text = re.sub(pattern, " ", text, flags=re.DOTALL)
    return len(re.findall(r"[A-Za-z][\w'-]*", text))


def code_lines(cell) -> int:
    """Lines of a code cell that are not blank."""
    return sum(bool(line.strip()) for line in cell.source.splitlines())


def reading_minutes(cell) -> float:
    """To read a cell, answer its questions and try what it offers; no exercises."""
    if mark(cell).get("part") in LOOKED_UP:
        return 0.0
    if cell.cell_type == "code":
        lines = 0 if is_aside(cell) else code_lines(cell)
        return lines / LINES + PER_EXPLORER * ("Explorer" in cell.source)
    asked = re.match(r"## (Recall|Review questions)\n", cell.source)
    questions = cell.source.split("<details>")[0]
    count = len(re.findall(r"^\d+\. ", questions, re.MULTILINE)) if asked else 0
    return (
        prose_words([cell]) / WORDS
        + PER_QUESTION * count
        + PER_PREDICTION * cell.source.count(PREDICT)
        + PER_TRY * cell.source.count(TRY)
    )


def minutes(cells, exercises: dict) -> tuple[float, float]:
    """(reading, exercises) of some cells. exercises: name -> Exercise."""
    stubs = [mark(c)["exercise"] for c in cells if mark(c).get("part") == "stub"]
    return sum(map(reading_minutes, cells)), sum(exercises[n].minutes for n in stubs)


def rounded(minutes: float) -> int:
    """To five minutes, as one would say it."""
    return max(5, 5 * round(minutes / 5))


def main_and_deeper(cells: list) -> tuple[list, list]:
    """The cells before the border and those after it; without a border all are main."""
    borders = [i for i, cell in enumerate(cells) if mark(cell).get("part") == "deeper"]
    border = borders[0] if borders else len(cells)
    return cells[:border], cells[border + 1 :]


def sittings(cells, exercises: dict) -> list[int]:
    """Minutes of each sitting of the main path, as the pauses divide it."""
    parts = [[]]
    for cell in main_and_deeper(cells)[0]:
        parts.append([]) if mark(cell).get("part") == "pause" else parts[-1].append(cell)
    return [rounded(sum(minutes(part, exercises))) for part in parts]


def state_times(notebook, path: str | Path, exercises: dict) -> None:
    """Write the times into the first cell, the border, the pauses and the deeper sections.

    Raises ValueError if a sitting is longer than SITTING minutes, naming it.
    """
    parts = sittings(notebook.cells, exercises)
    if max(parts) > SITTING:
        raise ValueError(f"{path}: sittings of {parts} minutes, {SITTING} at most: add a PAUSE")
    first = notebook.cells[0]
    first.source = re.sub(
        r"\*\*Time:\*\* [^·]*? ·",
        lambda _: f"**Time:** {time_text(notebook.cells, exercises)} ·",
        first.source,
        count=1,
    )
    pauses = [c for c in notebook.cells if mark(c).get("part") == "pause"]
    for number, cell in enumerate(pauses, start=1):
        behind, ahead = sum(parts[:number]), sum(parts[number:])
        cell.source = pause_text(behind, ahead)
    last = any(LAST in cell.source for cell in notebook.cells)
    for cell in notebook.cells:
        if mark(cell).get("part") == "deeper":
            deeper = rounded(deeper_minutes(notebook.cells, exercises))
            cell.source = border_text(deeper, last)
    state_section_times(main_and_deeper(notebook.cells)[1], exercises)


def state_section_times(cells, exercises: dict) -> None:
    """Write into each deeper section how long it takes, as the border counts it."""
    found = sections(cells)
    for i, (cell, text) in enumerate(found):
        if ABOUT.search(text):
            n = max(1, round(sum(minutes(section_from(found, i), exercises))))
            said = f"*About {n} minute{'s' if n > 1 else ''}.*"
            cell.source = cell.source.replace(text, ABOUT.sub(said, text))


def sections(cells) -> list[tuple]:
    """(cell, text) of all cells, in parts where a heading stands in the middle of a cell."""
    found = []
    for cell in cells:
        prose = cell.cell_type == "markdown"
        texts = filter(None, HEADING.split(cell.source)) if prose else [cell.source]
        found += [(cell, text) for text in texts]
    return found


def section_from(found: list[tuple], i: int) -> list:
    """The cells of the section that begins with part i, each with the text that is its own."""
    rest = [k for k in range(i + 1, len(found)) if HEADING.match(found[k][1])]
    part = found[i : rest[0] if rest else len(found)]
    return [type(cell)({**cell, "source": text}) for cell, text in part]


def deeper_minutes(cells, exercises: dict) -> float:
    """Minutes of all deeper sections together; 0 where there are none."""
    return sum(minutes(main_and_deeper(cells)[1], exercises))


def time_text(cells, exercises: dict) -> str:
    """What the first cell says of the time that a lesson takes."""
    parts = sittings(cells, exercises)
    at_exercises = minutes(main_and_deeper(cells)[0], exercises)[1]
    doing = min(rounded(at_exercises), sum(parts) - 5)
    split = f", in {_number(len(parts))} sittings" if len(parts) > 1 else ""
    reading = sum(parts) - doing  # so that the numbers add up
    times = f": {reading} to read and try, {doing} for the exercises" if at_exercises else ""
    text = f"about {sum(parts)} minutes{split}{times}"
    deeper = deeper_minutes(cells, exercises)
    return text + (f"; {rounded(deeper)} more for the deeper part" if deeper else "")


def border_text(minutes: int, last: bool = False) -> str:
    """What separates the main path from the deeper part; last: of the last lesson."""
    above = (
        "This is the end of the main path."
        if last
        else "The next lesson builds only on the part above."
    )
    return (
        "---\n\n## You can stop here\n\n"
        f"**{above}** The sections below are optional "
        "and independent of each other: take those whose question interests you. All of them "
        f"together take about {minutes} minutes.\n\n---"
    )


def pause_text(behind: int, ahead: int) -> str:
    """What separates two sittings."""
    return (
        "---\n\n**A good place to stop.** "
        f"About {behind} minutes are behind you, and about {ahead} are ahead. "
        "When you come back, choose *Run*, *Run All Above Selected Cell*.\n\n---"
    )


def _number(n: int) -> str:
    return {2: "two", 3: "three"}.get(n, str(n))
