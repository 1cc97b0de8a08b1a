"""Let a pre-trained model write.

python -m gpt1lib.pretrain.write runs/mine "It was a dark night"
"""

import argparse
from pathlib import Path

from .. import decode
from ..checkpoints import open_source
from ..storage.run_folder import one_line_errors


def parser() -> argparse.ArgumentParser:
    """The options of the command line."""
    p = argparse.ArgumentParser(
        prog="python -m gpt1lib.pretrain.write", description=(__doc__ or "").split("\n")[0]
    )
    p.add_argument("folder", type=Path, help="a checkpoint, such as pretrain's --out was")
    p.add_argument(
        "prompt", nargs="?", default="", help="what to go on from (default: nothing)"
    )
    p.add_argument("--n-tokens", type=int, default=60, help="how much to write (default: 60)")
    p.add_argument(
        "--temperature", type=float, default=0.8, help="lower is safer (default: 0.8)"
    )
    p.add_argument("--top-k", type=int, help="draw from the k likeliest tokens only")
    p.add_argument("--top-p", type=float, help="draw from the likeliest tokens of this share")
    p.add_argument(
        "--seed", type=int, default=0, help="another seed, another text (default: 0)"
    )
    return p


def main(argv: list[str] | None = None) -> None:
    """The command line: one text."""
    options = vars(parser().parse_args(argv))
    with one_line_errors("write"):
        print(decode.write(open_source(options.pop("folder")), **options))


if __name__ == "__main__":
    main()
