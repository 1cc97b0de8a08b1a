"""Format and lint of our JavaScript, and whether its bundles and kernels are up to date.

    python tools/javascript.py [--write]

Biome, esbuild and wabt are installed where they are missing. Without Node.js, or without a
network at the first run, this is skipped with a sentence; with GPT1_REQUIRE_BROWSER=1, as in
CI, it fails then. --write fixes the format and makes the bundles.
"""

import argparse
import json
import shutil
import subprocess
import sys
from pathlib import Path

from gpt1course import settings

ROOT = Path(__file__).resolve().parents[1]
BIOME = ROOT / "node_modules" / "@biomejs" / "biome"
INSTALL = ["install", "--no-audit", "--no-fund", "--no-package-lock", "--loglevel=error"]
CHECK = ["ci", "--error-on-warnings", "--colors=off"]
WRITE = ["check", "--write", "--error-on-warnings", "--colors=off"]


def without(reason: str) -> int:
    """Say why nothing was checked; the exit status, 1 where the check is required."""
    required = settings.require_browser()
    print(f"JavaScript is {'NOT' if required else 'not'} checked: {reason}")
    return int(required)


def is_installed() -> bool:
    """Does node_modules hold all that package.json names, in these versions?"""
    wanted = json.loads((ROOT / "package.json").read_text(encoding="utf-8"))["devDependencies"]
    return all(installed_version(name) == version for name, version in wanted.items())


def installed_version(name: str) -> str | None:
    """The version of a package in node_modules; None where it is missing."""
    package = ROOT / "node_modules" / name / "package.json"
    if not package.exists():
        return None
    return json.loads(package.read_text(encoding="utf-8"))["version"]


def install(npm: str | None) -> str | None:
    """Install what is missing; returns None, or a sentence that says why it could not be."""
    if not npm:
        return "Biome is not installed, and there is no npm to install it"
    done = subprocess.run([npm, *INSTALL], cwd=ROOT, text=True, capture_output=True)
    if done.returncode == 0:
        return None
    lines = done.stderr.strip().splitlines() or [f"it exited with {done.returncode}"]
    return f"npm could not install Biome; is there a network? It said: {lines[0]}"


def main(argv: list[str] | None = None) -> int:
    """Check all scripts; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--write", action="store_true", help="fix the format, make the bundles")
    args = parser.parse_args(argv)
    node = shutil.which("node")
    if not node:
        return without("there is no Node.js on this machine")
    reason = None if is_installed() else install(shutil.which("npm"))
    if reason:
        return without(reason)
    biome = [str(BIOME / "bin" / "biome"), *(WRITE if args.write else CHECK)]
    bundle = ["tools/bundle.js", *([] if args.write else ["--check"])]
    made = [run(node, *bundle), run(node, "tools/kernel.js", "--check")]
    return int(any([run(node, *biome), *made]))


def run(*command: str) -> int:
    """The exit status of a command, run in the project's folder."""
    return subprocess.run(command, cwd=ROOT).returncode


if __name__ == "__main__":
    sys.exit(main())
