"""A stored run of a notebook is taken for its page as long as nothing that it needs changed."""

import os

import pytest
from nbformat.v4 import new_code_cell, new_notebook, writes

from tools import site


@pytest.mark.parametrize(
    "changed", ["lesson.ipynb", "gpt1lib/a.py", "gpt1course/a.js", "data/model/config.json"]
)
def test_a_stored_run_is_made_again_after_a_change(tmp_path, monkeypatch, changed):
    ran = []
    monkeypatch.setattr(site, "ROOT", tmp_path)
    monkeypatch.setattr(site, "BUILD", tmp_path / "build")
    monkeypatch.setattr(site, "execute", lambda notebook, folder: ran.append(folder))
    for name in ("lesson.ipynb", "gpt1lib/a.py", "gpt1course/a.js", "data/model/config.json"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(writes(new_notebook(cells=[new_code_cell("Explorer()")])))
        os.utime(tmp_path / name, (1, 1))
    site.live(tmp_path / "lesson.ipynb")
    site.live(tmp_path / "lesson.ipynb")
    assert ran == [tmp_path]
    kept = (tmp_path / "build/live/lesson.ipynb").stat().st_mtime
    os.utime(tmp_path / changed, (kept + 1, kept + 1))
    site.live(tmp_path / "lesson.ipynb")
    assert ran == [tmp_path] * 2
