"""`python -m gpt1course COMMAND ...`

For learners, of their own copies in the folder work:

update     bring new lessons there; what you wrote stays
again 05   start a lesson over
progress   print which exercises have passed

For lecturers:

handout    write a copy of a lesson without solutions, or a lab sheet, see `handout --help`
grade      mark submitted notebooks, see `grade --help`
questions  the lessons' questions for Anki, Moodle and as a table, see `questions --help`
figures    figures of the lessons as SVG, for slides, see `figures --help`
gradebook  marks for Moodle, for Canvas and for each student, see `gradebook --help`
nbgrader   a lesson as an assignment of nbgrader, see `nbgrader --help`
otter      a lesson as an assignment of otter-grader, see `otter --help`
solve      write copies of notebooks with every stub replaced by its solution
"""

import argparse
import sys
from pathlib import Path

from gpt1lib.cli import one_line_errors

from . import figures, handout, nbgrader, notebooks, otter, progress, questions, workspace
from .grading import gradebook, report

LECTURERS = {
    "handout": handout,
    "gradebook": gradebook,
    "questions": questions,
    "figures": figures,
    "nbgrader": nbgrader,
    "otter": otter,
}
"""Commands that are modules: each has add_options and run."""


def main(argv: list[str] | None = None) -> int:
    """Run one command."""
    args = parse(argv)
    if args.command == "grade":
        return report.run(args)
    with one_line_errors("gpt1course"):
        if args.command == "update":
            workspace.update()
        elif args.command == "again":
            progress.forget(workspace.again(args.lesson))
        elif args.command == "progress":
            progress.print_progress()
        elif args.command in LECTURERS:
            LECTURERS[args.command].run(args)
        else:
            for path in args.notebooks:
                print(notebooks.write_solved(path, args.out))
    return 0


def parse(arguments: list[str] | None) -> argparse.Namespace:
    """The command and what it takes."""
    parser = argparse.ArgumentParser(
        prog="python -m gpt1course",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("update")
    commands.add_parser("progress")
    commands.add_parser("again").add_argument("lesson", help="its number, such as 05")
    for name, module in {"grade": report, **LECTURERS}.items():
        described = commands.add_parser(
            name,
            description=module.__doc__,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        module.add_options(described)
    solve = commands.add_parser("solve", description="Copies of notebooks, every stub solved.")
    solve.add_argument("notebooks", nargs="+", type=Path, help="such as notebooks/05*.ipynb")
    solve.add_argument("--out", type=Path, default=Path("build/solved"), help="the folder")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
