"""Run the parts one after the other; whatever ends one, what it found is kept."""

import json
import multiprocessing
import os
import signal
import time
import traceback
from collections.abc import Callable
from contextlib import redirect_stderr, suppress
from dataclasses import replace
from importlib import import_module
from multiprocessing.process import BaseProcess
from pathlib import Path

from gpt1lib.io.files import write_json

from .measure import Machine, Report, said

PARTS = {
    "same_numbers": 180,
    "training": 360,
    "generation": 150,
    "checks": 90,
    "finetune": 120,
    "novelist": 600,
    "recipes": 600,
    "longer": 600,
    "copying": 600,
}
"""Each part, in this order, and the seconds after which it is given up."""


def run_part(name: str, machine: Machine) -> None:
    """Measure one part; its report ends with the status done or failed.

    Progress, warnings and tracebacks go to a log in --out.
    """
    report, start = Report(machine, name), time.perf_counter()
    machine.out.mkdir(parents=True, exist_ok=True)
    with open(machine.out / f"{name}.log", "w") as log, redirect_stderr(log):
        try:
            import_module(f"{__package__}.{name}").measure(machine, report)
        except (Exception, SystemExit) as error:
            traceback.print_exc()
            report.keep(error=said(error))
            report.n_failed += 1
    took = round(time.perf_counter() - start, 1)
    report.keep(status="failed" if report.n_failed else "done", took_seconds=took)


def run_apart(name: str, machine: Machine, limit: float) -> None:
    """The same in a process of its own, which cannot take the others with it."""
    server = multiprocessing.get_context("forkserver")
    server.set_forkserver_preload(["gpt1lib.pretrain"])
    process = server.Process(target=in_a_group, args=(run_part, name, machine))
    process.start()
    try:
        process.join(limit)
        late = process.is_alive()
    finally:  # Ctrl-C, too, ends what was started
        if process.is_alive():
            stop(process)
    if late:
        fail(name, machine, f"given up after {limit:.3g} s")
    elif process.exitcode:
        fail(name, machine, f"its process ended with exit code {process.exitcode}")


def in_a_group(act: Callable, *args) -> None:
    """Do something with a process group of one's own, which can be killed as a whole."""
    os.setpgrp()
    act(*args)


def stop(process: BaseProcess) -> None:
    """Kill a process and what it started, which would go on to use the device."""
    with suppress(ProcessLookupError):  # killed before it had a group
        os.killpg(process.pid, signal.SIGKILL)
    process.kill()
    process.join()


def fail(name: str, machine: Machine, why: str) -> None:
    """Note in a part's report why it ended, beside all that it had found."""
    path = path_of(name, machine)
    found = outcome(name, machine) if path.exists() else {"part": name}
    write_json(path, found | {"status": "failed", "error": why})


def path_of(name: str, machine: Machine) -> Path:
    """The file of a part."""
    return machine.results / f"gpu_{name}.json"


def outcome(name: str, machine: Machine) -> dict:
    """What became of a part."""
    return json.loads(path_of(name, machine).read_text())


def summary(name: str, machine: Machine) -> str:
    """One line on a part; what it found was printed as it went."""
    found = outcome(name, machine)
    tables = [value for value in found.values() if isinstance(value, list)]
    rows = [row for table in tables for row in table]
    n_failed = sum("error" in row for row in rows)
    line = f"{name}: {found['status']}, {len(rows)} rows, {n_failed} failed"
    if "took_seconds" in found:
        line += f", {found['took_seconds']} s"
    return f"{line}, {found['error']}" if "error" in found else line


def within(machine: Machine, limit: float) -> Machine:
    """The machine with minutes that leave a tenth of a limit in seconds."""
    return replace(machine, minutes=min(machine.minutes, 0.9 * limit / 60))


def run(names: list[str], machine: Machine, minutes: float, apart: bool) -> bool:
    """Run these parts; whether all went through.

    minutes: only a part that runs apart can be ended there.
    """
    end = time.monotonic() + 60 * minutes
    for name in names:
        print(f"{name} ...", flush=True)
        path_of(name, machine).unlink(missing_ok=True)  # what is there is of this run
        limit = max(0.0, min(PARTS[name], end - time.monotonic()))
        given = within(machine, limit)
        if apart:
            run_apart(name, given, limit)
        else:
            run_part(name, given)
    print(*(summary(name, machine) for name in names), f"in {machine.results}", sep="\n")
    return all(outcome(name, machine)["status"] == "done" for name in names)
