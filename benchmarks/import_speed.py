"""Seconds to import gpt1lib, against torch alone.

python benchmarks/import_speed.py [--rounds 7]
"""

import argparse
import statistics
import subprocess
import sys
import time

from gpt1lib.io.files import write_json
from gpt1lib.io.paths import BENCHMARKS
from gpt1lib.io.provenance import provenance


def seconds(code: str) -> float:
    """Wall time of a fresh Python that runs the code."""
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", code], check=True)
    return time.perf_counter() - start


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=7)
    rounds = parser.parse_args().rounds
    seconds("import gpt1lib")  # files into memory
    pairs = [(seconds("import torch"), seconds("import gpt1lib")) for _ in range(rounds)]
    torch_s, ours_s = (statistics.median(x) for x in zip(*pairs, strict=True))
    ratio = statistics.median(b / a for a, b in pairs)
    print(f"import torch {torch_s:.2f} s, import gpt1lib {ours_s:.2f} s, ratio {ratio:.2f}")
    write_json(
        BENCHMARKS / "import.json",
        {
            "torch_seconds": round(torch_s, 2),
            "ours_seconds": round(ours_s, 2),
            "ratio": round(ratio, 3),
            **provenance(),
        },
    )


if __name__ == "__main__":
    main()
