"""Node.js for tests of what a page computes."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from gpt1course import settings, viz

EXPLORERS = Path(viz.__file__).parent / "explorers"


def node_or_skip() -> str:
    """Where Node.js is; skips where it is not, unless CI requires it."""
    path = shutil.which("node")
    if path is None:
        if settings.require_browser():
            pytest.fail("no Node.js found, and GPT1_REQUIRE_BROWSER=1 asks for one")
        pytest.skip("no Node.js on this machine")
    return path


def evaluate(name: str, expression: str, **values):
    """A JavaScript expression of these values and of what a module of an explorer exports.

    name: of the module without its ending, such as "merge.race".
    """
    script = (
        f"import * as module from {json.dumps((EXPLORERS / f'{name}.js').as_uri())};"
        f"const {{ {', '.join(values)} }} = JSON.parse(process.argv[1]);"
        f"console.log(JSON.stringify({expression}));"
    )
    command = [node_or_skip(), "--input-type=module", "-e", script, json.dumps(values)]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
