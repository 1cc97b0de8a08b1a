"""What the makers of labeled sets share: the command line, and rows to data/tasks."""

import argparse
import json
from collections.abc import Callable
from pathlib import Path

from gpt1lib import validate
from gpt1lib.cli import one_line_errors
from gpt1lib.io.files import write_text
from gpt1lib.io.paths import TASKS

Rows = list[dict]


def write_set(
    name: str, make: Callable[[], Rows], description: str, argv: list[str] | None = None
) -> None:
    """The command line of a maker: makes the rows and writes them, one per line."""
    args = _parser(name, description).parse_args(argv)
    _write(args.out, make())


def write_any_size(
    name: str,
    make: Callable[[int | None], Rows],
    description: str,
    argv: list[str] | None = None,
) -> None:
    """The same for a set whose training rows are made from the pre-training books.

    --train N makes a file of another size; the rows to validate and test on stay.
    """
    parser = _parser(name, description)
    parser.add_argument(
        "--train", type=int, help="at most N training rows, into another file", metavar="N"
    )
    args = parser.parse_args(argv)
    if args.train is not None:
        with one_line_errors(name):
            validate.check_int("--train", args.train, 1)
        if args.out.resolve().is_relative_to(TASKS):
            parser.error("with --train, name another file: --out FILE, not in data/tasks")
    _write(args.out, make(args.train))


def _parser(name: str, description: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=description.split("\n")[0])
    parser.add_argument("--out", type=Path, default=TASKS / f"{name}.jsonl")
    return parser


def _write(path: Path, rows: Rows) -> None:
    lines = (json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    write_text(path, "".join(lines))
    print(f"{len(rows):,} rows in {path.name}")
