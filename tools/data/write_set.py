"""What the makers of labeled sets share: the command line, and rows to data/tasks."""

import argparse
import json
from collections.abc import Callable
from pathlib import Path

from gpt1lib.storage.files import write_text
from gpt1lib.storage.paths import TASKS


def write_set(name: str, make: Callable[[], list[dict]], description: str) -> None:
    """The command line of a maker: makes the rows and writes them, one per line."""
    parser = argparse.ArgumentParser(description=description.split("\n")[0])
    parser.add_argument("--out", type=Path, default=TASKS / f"{name}.jsonl")
    args, rows = parser.parse_args(), make()
    lines = (json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    write_text(args.out, "".join(lines))
    print(f"{len(rows):,} rows in {args.out.name}")
