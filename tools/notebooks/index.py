"""The maps of the course, made from the lessons themselves.

A lesson's first cell says its title, question, time and place in the paper; what follows
"After this lesson you can" are its objectives. A code cell that computes what the paper numbers
says so in a comment, `# paper: Eq. 4; Eq. 5`; a text that only tells of it has
`<!-- paper: section 2 -->`. From these come the table of lessons, the table of the paper, and
the lines from lesson to lesson.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import nbformat

from gpt1course import workspace
from tools.notebooks.layout import WAY_BACK, mark

PAPER = {
    "abstract": "ahead on nine of twelve sets; gains of 8.9, 5.7 and 1.5 points (section 1 "
    "adds GLUE's 5.5, which is 3.9 by Table 4)",
    "Eq. 1": "the pre-training objective $L_1$; `lm_log_likelihood`",
    "Eq. 2": "embeddings, blocks, tied softmax; `GPT`",
    "Eq. 3": "the linear head at the last token",
    "Eq. 4": "the task objective $L_2$; `gpt1lib/losses.py`",
    "Eq. 5": "the combined objective $L_3 = L_2 + \\lambda L_1$",
    "Figure 1, left": "the architecture",
    "Figure 1, right": "input transformations; `gpt1lib/inputs.py`",
    "Figure 2, left": "layers transferred",
    "Figure 2, right": "zero-shot over training",
    "Table 1": "the twelve data sets",
    "Table 2": "results: natural language inference",
    "Table 3": "results: question answering and story endings",
    "Table 4": "results: similarity and classification",
    "Table 5": "ablations",
    "section 1, why pre-train": "text is plentiful, labels are scarce",
    "section 2": "related work",
    "section 3.1, embeddings": "token and position tables, the first line of Eq. 2",
    "section 3.1, attention": "queries, keys, values",
    "section 3.1, masked self-attention": "who may see whom; `causal_mask`",
    "section 3.1, block": "residuals, LayerNorm, the position-wise layer",
    "section 3.2, parameters": "all that fine-tuning adds: $W_y$ and three rows",
    "section 3.2, convergence": "what the auxiliary loss does to the first updates",
    "section 4.1, model": "sizes; [what is ours](../docs/differences.md)",
    "section 4.1, initialization": "N(0, 0.02), and the loss of an untrained model",
    "section 4.1, heads": "12 of 64 numbers each",
    "section 4.1, GELU": "the activation function of the feed-forward part",
    "section 4.1, dropout": "0.1, in four places",
    "section 4.1, training": "Adam, warm-up, cosine, weight decay",
    "section 4.1, fine-tuning": "three epochs, 6.25e-5, $\\lambda$ = 0.5",
    "section 4.1, merges": "40,000 of them, learned by counting",
    "section 4.1, tokenizer": "ftfy, punctuation, spaCy, BPE",
    "section 4.1, perplexity": "what 18.4 means in nats and bits",
    "section 4.1, whole books": "what shuffled sentences lose",
    "section 4.2": "set sizes against gains",
    "section 5, zero-shot": "heuristics without fine-tuning",
    "section 6": "the conclusion, and what came of it",
    "not in the paper": "choosing the next token",
}
"""What a mark may name, in the paper's order, and what it is."""
MARK = re.compile(r"^(?:#|<!--) paper: (.+?)(?: -->)?$", re.MULTILINE)
NEXT = re.compile(r"(Next in this course: )\[[^\]]*\]\(([^)]*)\)([^.]*\.)")
BEFORE = re.compile(rf"\n*^{WAY_BACK}.*$", re.MULTILINE)
CAN = "After this lesson you can"  # a list of objectives follows
HEAD = "| lesson | the question | time |\n|---|---|---|\n"


@dataclass(frozen=True)
class Lesson:
    """What a notebook says of itself. places: (what of the paper, section that computes it)."""

    name: str
    title: str
    question: str
    time: str
    paper: str
    objectives: tuple[str, ...]
    places: tuple[tuple[str, str], ...]

    @property
    def number(self) -> str:
        """Two digits."""
        return self.name[:2]

    @property
    def short(self) -> str:
        """05 The causal mask: what a sentence calls it."""
        return self.title.replace(" · ", " ").split(":")[0]


# ---- read from a notebook -----------------------------------------------------------


def described(notebook, name: str) -> Lesson:
    """What a notebook says of itself; ValueError, naming it, if a part is missing."""
    first = notebook.cells[0].source
    can = next((c.source for c in notebook.cells if CAN in c.source), "")
    time = re.search(r"\*\*Time:\*\* about (\d+) minutes(?:, in (\w+ sittings))?", first)
    parts = (
        re.match(r"# (.*)", first),
        re.search(r"\*\*The question:\*\* (.*)", first),
        re.search(r"\*\*In the paper:\*\* (.*)", first),
    )
    if time is None or None in parts:
        raise ValueError(f"{name}: its first cell lacks title, question, time or paper")
    title, question, paper = (part[1] for part in parts if part)
    minutes = f"{time[1]} min" + (f", {time[2]}" if time[2] else "")
    deeper = re.search(r"; (\d+) more for the deeper part", first)
    minutes += f", deeper {deeper[1]} min" if deeper else ""
    objectives = tuple(re.findall(r"^- (.*?)[;.]?$", can.partition(CAN)[2], re.MULTILINE))
    places = tuple(dict.fromkeys(_places(notebook.cells, name)))
    return Lesson(name, title, question, minutes, paper, objectives, places)


def _places(cells, name: str):
    """(what of the paper, heading above) of each mark; ValueError for an unknown one."""
    heading = ""
    for cell in cells:
        if cell.cell_type == "markdown":
            heading = ([heading] + re.findall(r"^## (.*)", cell.source, re.MULTILINE))[-1]
        for said in MARK.findall(cell.source):
            for what in said.split("; "):
                if what not in PAPER:
                    raise ValueError(f"{name}: no {what!r} in the paper, see index.PAPER")
                yield what, heading


def lessons_of(folder: Path) -> list[Lesson]:
    """The lessons of a folder, in their order."""
    paths = workspace.lessons(folder)
    return [described(nbformat.read(path, as_version=4), path.name) for path in paths]


def anchor(heading: str) -> str:
    """The place of a heading in a link, as JupyterLab and nbconvert name it.

    A formula has no such name: then it is the notebook alone.
    """
    if "$" in heading:
        return ""
    return "#" + quote(heading.replace("`", "").replace(" ", "-"), safe="-.,:;'?!")


# ---- written ------------------------------------------------------------------------


def rows(lessons: Sequence[Lesson], folder: str = "") -> str:
    """The table of lessons. folder: the way from the page to the notebooks."""
    return HEAD + "".join(
        f"| [{x.title}]({folder}{x.name}) | {x.question} | {x.time} |\n" for x in lessons
    )


def paper(lessons: Sequence[Lesson], folder: str = "") -> str:
    """The table of the paper: what it numbers, and the sections that compute it.

    folder: the way from the page to the notebooks, such as "../notebooks/".
    """
    table = "| in the paper | what it says | computed in |\n|---|---|---|\n"
    for what, says in PAPER.items():
        found = [_place(x, h, folder) for x in lessons for w, h in x.places if w == what]
        table += f"| {what} | {says} | {', '.join(found)} |\n" if found else ""
    return table


def _place(lesson: Lesson, heading: str, folder: str) -> str:
    section = re.match(r"\d+", heading)
    where = f"lesson {lesson.number}" + (f", section {section[0]}" if section else "")
    return f"[{where}]({folder}{lesson.name}{anchor(heading)})"


def by_lesson(lessons: Sequence[Lesson], folder: str = "") -> str:
    """The same the other way around, as the lessons' first cells say it."""
    lines = (f"| [{x.short}]({folder}{x.name}) | {x.paper} |\n" for x in lessons)
    return "| lesson | in the paper |\n|---|---|\n" + "".join(lines)


def neighbors(source: str, here: str, lessons: Sequence[Lesson]) -> str:
    """A last cell with links to the next lesson, or the first, and to the one before.

    What a sentence says of the next lesson stays while it leads there.
    """
    names = [x.name for x in lessons]
    i = names.index(here)
    following = lessons[(i + 1) % len(lessons)]

    def link(found) -> str:
        rest = found[3] if found[2] == following.name else "."
        return f"{found[1]}[{following.short}]({following.name}){rest}"

    source = BEFORE.sub("", NEXT.sub(link, source)).rstrip()
    if i == 0:
        return source
    return f"{source}\n\n{WAY_BACK}[{lessons[i - 1].short}]({lessons[i - 1].name})."


def renew(notebook, name: str, lessons: Sequence[Lesson]) -> None:
    """Write again what a notebook says of other lessons: its map, and the way on and back."""
    for cell in notebook.cells:
        if mark(cell).get("part") == "map":
            cell.source = rows(lessons).rstrip()
    last = notebook.cells[-1]
    last.source = neighbors(last.source, name, lessons)
