"""Lessons in a kernel without a browser; tests/browser runs each of them solved."""

import os
from pathlib import Path

import nbformat
import pytest

import gpt1lib as g
from gpt1lib.checkpoints import released
from tools.notebooks import commands as tools

PATHS = sorted((Path(__file__).resolve().parents[2] / "notebooks").glob("[0-9]*.ipynb"))


@pytest.mark.slow
def test_the_lesson_on_the_release_runs_with_a_named_folder(tmp_path, monkeypatch):
    """CI has no released weights: a model in their layout stands in for them."""
    novelist = g.load_novelist()
    released.save_openai(tmp_path, novelist.model, novelist.bpe)
    monkeypatch.setitem(os.environ, "GPT1_RELEASED", str(tmp_path))
    path = next(p for p in PATHS if p.name.startswith("11"))
    notebook = nbformat.read(path, as_version=4)
    tools.execute(notebook, path.parent)
    said = "".join(o.get("text", "") for c in notebook.cells for o in c.get("outputs", ()))
    assert "the released GPT-1" in said and "goes on with the course's own" not in said
