"""The machine that is measured, how time and memory are, and the report of each part."""

import gc
import platform
import statistics
import subprocess
import time
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import torch

from gpt1lib.io.files import write_json
from gpt1lib.io.provenance import provenance


@dataclass(frozen=True)
class Machine:
    """Where to measure, at which size, and where to write.

    tiny: a check of the benchmark itself, in seconds. out: runs and checkpoints; results:
    one JSON file per part.
    """

    device: torch.device
    tiny: bool
    minutes: float
    out: Path
    results: Path

    @property
    def on_gpu(self) -> bool:
        return self.device.type == "cuda"

    def size(self, full, tiny):
        """The one of two values that fits the size of the run."""
        return tiny if self.tiny else full

    def wait(self) -> None:
        """Return when the device has done all that it was given."""
        if self.on_gpu:
            torch.cuda.synchronize(self.device)

    def bfloat16(self):
        """A context that computes in bfloat16, as training on a GPU does; not on a CPU."""
        return torch.autocast(self.device.type, torch.bfloat16, enabled=self.on_gpu)

    def settle(self) -> None:
        """Free what nobody needs, and forget the highest use of memory so far."""
        gc.collect()
        if self.on_gpu:
            torch.cuda.empty_cache()
            torch.cuda.reset_peak_memory_stats(self.device)

    def memory(self) -> int:
        """Bytes that tensors hold on the GPU; 0 on a CPU."""
        return torch.cuda.memory_allocated(self.device) if self.on_gpu else 0

    def peak_memory_gb(self, others: int = 0) -> float | None:
        """The most memory held by tensors since `settle`, in 10^9 bytes; None on a CPU.

        others: bytes that were held already, by what is not measured.
        """
        if not self.on_gpu:
            return None
        return round((torch.cuda.max_memory_allocated(self.device) - others) / 1e9, 3)


def facts(machine: Machine) -> dict:
    """What must be stored with a result: device, driver, versions, command, commit."""
    gpu = machine.on_gpu
    return {
        "device": torch.cuda.get_device_name(machine.device) if gpu else "cpu",
        "driver": driver() if gpu else None,
        "cuda": torch.version.cuda,
        "python": platform.python_version(),
        "transformers": installed("transformers"),
        "tiny": machine.tiny,
        **provenance(),
    }


def driver() -> str:
    """The version of NVIDIA's driver, or 'unknown'."""
    command = ["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"]
    try:
        answer = subprocess.run(command, capture_output=True, text=True, check=True, timeout=20)
    except (OSError, subprocess.SubprocessError):
        return "unknown"
    return answer.stdout.strip().split("\n")[0]


def installed(package: str) -> str | None:
    """The version of a package, or None."""
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def unused(folder: Path) -> Path:
    """The folder, or where it is there already: folder_2, folder_3 ..."""
    n, free = 1, folder
    while free.exists():
        n += 1
        free = folder.with_name(f"{folder.name}_{n}")
    return free


class Report:
    """What one part has found, on disk as soon as it is found."""

    def __init__(self, machine: Machine, part: str):
        self.path = machine.results / f"gpu_{part}.json"
        self.found: dict = {"part": part, "status": "started", **facts(machine)}
        self.n_failed = 0
        self.keep()

    def keep(self, **found) -> None:
        """Write these values with all that was kept before."""
        self.found |= found
        write_json(self.path, self.found)

    def add(self, table: str, row: dict) -> None:
        """Write one row more of a table, and print it."""
        self.found.setdefault(table, []).append(row)
        self.keep()
        print(f"  {table}: {in_words(row)}", flush=True)

    def attempt(
        self,
        table: str,
        setting: dict,
        measured: Callable[[], dict],
        foreseen: tuple[type[Exception], ...] = (),
    ) -> None:
        """Add a row, whatever comes: too little memory is a result, another error a failure.

        foreseen: errors that are results, too, such as what a peer does not support.
        """
        try:
            found = measured()
        except torch.OutOfMemoryError:
            found = {"out_of_memory": True}
        except foreseen as error:
            found = {"refused": said(error)}
        except (Exception, SystemExit) as error:  # a command ends with SystemExit
            traceback.print_exc()
            found = {"error": said(error)}
            self.n_failed += 1
        self.add(table, setting | found)


def said(error: BaseException) -> str:
    """An error in one line of at most 300 characters."""
    lines = str(error).strip().split("\n")
    return f"{type(error).__name__}: {lines[0]}"[:300]


def in_words(row: dict) -> str:
    """A row for the eye: `batch 8, tokens per s 1,234 (1,200 to 1,250)`."""
    known = {name: value for name, value in row.items() if value is not None}
    return ", ".join(f"{k.replace('_', ' ')} {shown(v)}" for k, v in known.items())


def shown(value) -> str:
    """A value for the eye: of spread values the median and the ends, long ones cut."""
    if isinstance(value, dict) and "median" in value:
        ends = (shown(value[k]) for k in ("lowest", "highest"))
        return f"{shown(value['median'])} ({' to '.join(ends)})"
    if isinstance(value, list):
        return (
            " / ".join(map(shown, value)) if len(value) < 5 else f"({len(value)} in the file)"
        )
    if isinstance(value, str) and len(value) > 90:
        return value[:87] + "..."
    whole = isinstance(value, int) and not isinstance(value, bool)
    return f"{value:,}" if whole or isinstance(value, float) else str(value)


def spread(values: list[float], digits: int = 4) -> dict:
    """Median, lowest and highest of repeated measurements, to some significant digits."""
    ends = {"median": statistics.median(values), "lowest": min(values), "highest": max(values)}
    return {k: rounded(v, digits) for k, v in ends.items()} | {"n": len(values)}


def rounded(x: float, digits: int = 4) -> float:
    """x to some significant digits; whole from 1,000 on."""
    return round(x) if abs(x) >= 1000 else float(f"{x:.{digits}g}")


def seconds(machine: Machine, act: Callable[[], object], n: int = 1) -> float:
    """Seconds per call, until the device has done all of n calls."""
    machine.wait()
    start = time.perf_counter()
    for _ in range(n):
        act()
    machine.wait()
    return (time.perf_counter() - start) / n


def in_turns(
    machine: Machine, acts: Mapping[str, Callable[[], object]], rounds: int, n: int = 1
) -> dict[str, list[float]]:
    """Seconds per call of each act, which take turns; a first round warms up."""
    times: dict[str, list[float]] = {name: [] for name in acts}
    for i in range(rounds + 1):
        for name, act in acts.items():
            took = seconds(machine, act, n)
            if i:
                times[name].append(took)
    return times
