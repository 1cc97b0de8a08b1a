"""Commits that stored results name are in the history, or it is said what replaced them."""

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
# a commit that was rewritten before it was published: the one that stored its results
REWRITTEN = {
    "c48e36d916e6190ff7e750904f3dcd9e2918b554": "3df12026",
    "98419a4307c20302ea2977d2e5d7bcbc829a65bc": "e0755028",
    "4ac64b4f547a3cc2dc3908d75409cec0686adf73": "df6674c4",
    "16f1d446703560c923c5f687f5ed009648f04850": "155da49c",
    "271a0bc7954504600c191bf1e7f1acb15baeec9c": "8cad46f4",
    "6fce073e67c8bdace425e2a467a7606710fb3f0a": "0d1b6bd4",
}


def git(*args: str) -> subprocess.CompletedProcess:
    return subprocess.run(["git", *args], cwd=ROOT, capture_output=True, text=True)


def whole_history() -> bool:
    """Whether this is a clone that is not cut off; an archive has no history."""
    return git("rev-parse", "--is-shallow-repository").stdout.strip() == "false"


def stored_commits() -> set[str]:
    found = set()
    for path in [*(ROOT / "data").rglob("*.json"), *(ROOT / "data").rglob("*.jsonl")]:
        text = path.read_text(encoding="utf-8")
        found.update(re.findall(r'"commit": ?"([0-9a-f]{40})"', text))
    return found


@pytest.mark.skipif(not whole_history(), reason="needs the history of a whole clone")
def test_stored_results_name_commits_of_this_history():
    known = set(git("rev-list", "HEAD").stdout.split())
    named = stored_commits()
    assert len(named) > 50
    assert named - known == REWRITTEN.keys(), "not in the history, or no longer named"
    short = {commit[:8] for commit in known}
    assert short >= set(REWRITTEN.values())
