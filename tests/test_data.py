"""The data is what data/README.md says, to the byte."""

import json
from pathlib import Path

import pytest

from gpt1lib import corpus, files, paths

FOLDERS = ("books", "heldout_books", "tasks")


def test_checksums_both_ways():
    wanted = json.loads((paths.DATA / "checksums.json").read_text())
    found = {
        p.relative_to(paths.DATA).as_posix(): files.sha256(p)
        for folder in FOLDERS
        for p in (paths.DATA / folder).iterdir()
    }
    assert len(found) == 18 and found == wanted


def test_readme_names_every_file():
    readme = (paths.DATA / "README.md").read_text()
    for folder in FOLDERS:
        for p in (paths.DATA / folder).iterdir():
            assert f"{folder}/{p.stem}" in readme


def test_the_shipped_model_read_these_books(novelist):
    books, heldout = corpus.read_books(), corpus.read_books(paths.HELDOUT_BOOKS)
    assert novelist.meta["books"] == sorted(books)
    novelist.check_books(books, heldout)
    with pytest.raises(ValueError, match="heldout_books are not those of"):
        novelist.check_books(books, {**heldout, "another": "book"})
    with pytest.raises(ValueError, match="the books are not those of"):
        novelist.check_books({"one": "book"}, heldout)
    assert not books.keys() & heldout.keys()


def test_the_shipped_model_is_small_and_documented(novelist):
    size = sum(p.stat().st_size for p in novelist.folder.iterdir() if p.is_file())
    assert size < 30e6
    for key in ("command", "commit", "recipe", "heldout", "weights_sha256"):
        assert novelist.meta[key]
    weights = novelist.folder / "model.safetensors"
    assert files.sha256(weights) == novelist.meta["weights_sha256"]
    assert novelist.log[-1]["step"] == novelist.meta["recipe"]["steps"]


def test_write_is_all_or_nothing(tmp_path):
    path = tmp_path / "a.txt"
    files.write_text(path, "good")
    try:
        with files.replacing(path) as temporary:
            Path(temporary).write_text("half")
            raise KeyboardInterrupt
    except KeyboardInterrupt:
        assert path.read_text() == "good"
    assert list(tmp_path.iterdir()) == [path]
