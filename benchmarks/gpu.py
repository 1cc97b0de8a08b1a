"""What one GPU does: training, generation, fine-tuning, and whether its numbers are ours.

    python benchmarks/gpu.py [--only training checks] [--minutes 6]
    python benchmarks/gpu.py --device cpu --tiny

The first needs a GPU of 80 GB. Not all parts fit into the 14.5 minutes that it takes at most
(--at-most): make several calls, with some parts each (--only). The second line checks the
benchmark itself in seconds. Each part writes data/results/benchmarks/gpu_PART.json as it goes,
so that whatever ends it, what was found is kept. A part that fails says why in its file, the
next goes on, and the exit status is 1. --minutes is the time of each of the parts `novelist`,
`recipes`, `longer` and `copying`: six, or a second with --tiny. Checkpoints lie in --out, with
a log per part.
"""

import argparse
import sys
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # gpt1lib, if not installed

from benchmarks.gpu_parts.measure import Machine
from benchmarks.gpu_parts.run import PARTS, run
from gpt1lib import validate
from gpt1lib.cli import one_line_errors
from gpt1lib.io.paths import BENCHMARKS, ROOT


def machine_of(args: argparse.Namespace) -> Machine:
    """Device, size and folders by the command line; a check writes nothing into data/."""
    device = args.device or ("cuda" if torch.cuda.is_available() else "cpu")
    if device == "cuda" and not torch.cuda.is_available():
        raise SystemExit("gpu: torch finds no GPU on this machine; --device cpu --tiny checks")
    if device == "cpu" and not args.tiny:
        raise SystemExit("gpu: full sizes need a GPU; --device cpu --tiny checks in seconds")
    results = args.results or (args.out / "results" if args.tiny else BENCHMARKS)
    minutes = args.minutes or (1 / 60 if args.tiny else 6.0)
    return Machine(torch.device(device), args.tiny, minutes, args.out, results)


def parser() -> argparse.ArgumentParser:
    """The command line."""
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("--only", nargs="+", choices=PARTS, metavar="PART", help=", ".join(PARTS))
    p.add_argument("--device", choices=["cuda", "cpu"], help="default: cuda where there is one")
    p.add_argument("--tiny", action="store_true", help="sizes that check the benchmark itself")
    p.add_argument("--minutes", type=float, help="of such a part: 6, --tiny a second")
    p.add_argument("--out", type=Path, default=ROOT / "runs/gpu", help="runs and checkpoints")
    p.add_argument("--results", type=Path, help="default: data/results/benchmarks")
    p.add_argument("--at-most", type=float, default=14.5, help="minutes in all, --apart")
    p.add_argument(
        "--apart",
        action=argparse.BooleanOptionalAction,
        help="each part in a process of its own (default: on a GPU)",
    )
    return p


def main(argv: list[str] | None = None) -> int:
    """Run the parts; the exit status is 1 where one failed."""
    args = parser().parse_args(argv)
    with one_line_errors("gpu"):
        for name in ("minutes", "at_most"):
            if (value := getattr(args, name)) is not None:
                validate.check_float(name, value, gt=0)
        machine = machine_of(args)
        apart = machine.on_gpu if args.apart is None else args.apart
        return int(not run(args.only or list(PARTS), machine, args.at_most, apart))


if __name__ == "__main__":
    sys.exit(main())
