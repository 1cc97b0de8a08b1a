"""The data is what data/README.md says, to the byte."""

import errno
import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
import torch

from gpt1course import paper
from gpt1lib import corpus, evaluate, tasks
from gpt1lib.checkpoints import checkpoint, snapshots
from gpt1lib.io import checksums, files, paths
from tools.data import checksums as seal_data
from tools.language_models import check_books

FOLDERS = ("books", "heldout_books", "tasks")


def test_checksums_both_ways():
    """Every file is bound, as the tool would bind it, and nothing else is."""
    bound = seal_data.bound()
    assert len(bound[paths.DATA]) == 25
    assert bound.keys() == {path.parent for path in paths.DATA.rglob("checksums.json")}
    for folder, names in bound.items():
        found = {name: files.sha256(folder / name) for name in names}
        assert found == checksums.of(folder) and found
        places = [paths.DATA / name for name in FOLDERS] if folder == paths.DATA else [folder]
        there = {path for place in places for path in place.glob("[!.]*") if path.is_file()}
        assert there - {folder / "checksums.json"} == {folder / name for name in names}


def test_only_files_of_the_course_are_bound(tmp_path):
    for name in ("books/a.txt", "books/.DS_Store", "books/notes.md", "tasks/a.jsonl"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    assert seal_data.matching(tmp_path, seal_data.TEXTS) == ["books/a.txt", "tasks/a.jsonl"]


@pytest.mark.parametrize("name", ["books/austen_emma.txt", "tasks/schemas.jsonl"])
def test_a_changed_file_of_the_course_is_named(tmp_path, monkeypatch, name):
    data, path = tmp_path / "data", tmp_path / "data" / name
    path.parent.mkdir(parents=True)
    (data / "checksums.json").write_bytes((paths.DATA / "checksums.json").read_bytes())
    path.write_bytes((paths.DATA / name).read_bytes().replace(b" the ", b" The ", 1))
    monkeypatch.setattr(checksums, "DATA", data)
    with pytest.raises(ValueError, match=f"{name} is not the file that was written"):
        corpus.read_books(path.parent) if path.suffix == ".txt" else tasks.read_lines(path, ())
    path.with_stem("mine").write_bytes(path.read_bytes())
    checksums.verify_shipped(path.with_stem("mine"))  # somebody's own


def test_the_stages_are_bound_by_checksums(novelist):
    kept = snapshots.paths(novelist.folder)
    assert checksums.of(kept[0].parent).keys() >= {kept[0].name}


def test_without_its_data_the_library_says_so(tmp_path, monkeypatch):
    for module in (paths, checksums):
        monkeypatch.setattr(module, "DATA", tmp_path / "data")
    where = tmp_path / "data" / "checkpoints" / "novelist"
    message = "installed without its data.*pip install -e"
    with pytest.raises(FileNotFoundError, match=message):
        checkpoint.load_ours(where)
    with pytest.raises(FileNotFoundError, match=message):
        corpus.read_books(tmp_path / "data" / "books")
    with pytest.raises(FileNotFoundError, match=message):
        tasks.read_lines(tmp_path / "data" / "tasks" / "schemas.jsonl", ())
    with pytest.raises(FileNotFoundError, match=message):
        files.write_text(tmp_path / "data" / "results" / "a.json", "{}")
    assert not (tmp_path / "data").exists()


def test_what_is_synced_may_be_written(tmp_path, monkeypatch):
    """As Windows has it: there os.fsync fails for a file that is open for reading alone."""
    fcntl = pytest.importorskip("fcntl")

    def fsync(descriptor):
        if fcntl.fcntl(descriptor, fcntl.F_GETFL) & os.O_ACCMODE == os.O_RDONLY:
            raise OSError(errno.EBADF, "Bad file descriptor")

    monkeypatch.setattr(os, "fsync", fsync)
    files.write_text(tmp_path / "a.txt", "kept")
    assert (tmp_path / "a.txt").read_text() == "kept"


def test_every_result_that_the_readme_names_is_there():
    readme = files.read_text(paths.DATA / "README.md").split("## Results")[1]
    named = re.findall(r"^- `([^`]+)`", readme, flags=re.MULTILINE)
    assert len(named) >= 5
    for pattern in named:
        assert list((paths.DATA / "results").glob(pattern)), pattern


def test_readme_names_every_file():
    readme = files.read_text(paths.DATA / "README.md")
    for folder in FOLDERS:
        for p in (paths.DATA / folder).iterdir():
            assert f"{folder}/{p.stem}" in readme


def test_the_shipped_model_read_these_books(novelist):
    books, heldout = corpus.read_books(), corpus.read_books(paths.HELDOUT_BOOKS)
    assert novelist.meta["books"] == sorted(books)
    check_books(novelist, books, heldout)
    with pytest.raises(ValueError, match="heldout_books are not those of"):
        check_books(novelist, books, {**heldout, "another": "book"})
    with pytest.raises(ValueError, match="the books are not those of"):
        check_books(novelist, {"one": "book"}, heldout)
    assert not books.keys() & heldout.keys()


def test_the_shipped_model_is_small_and_documented(novelist):
    size = sum(p.stat().st_size for p in novelist.folder.iterdir() if p.is_file())
    assert size < 30e6
    for key in ("command", "commit", "recipe", "heldout", "weights_sha256"):
        assert novelist.meta[key]
    weights = novelist.folder / "model.safetensors"
    assert files.sha256(weights) == novelist.meta["weights_sha256"]
    assert novelist.log[-1]["step"] == novelist.meta["recipe"]["steps"]


@pytest.mark.slow
def test_the_shipped_snapshots_are_stages_of_the_shipped_model(novelist):
    recipe, found = novelist.meta["recipe"], list(snapshots.stages(novelist.folder))
    steps = [facts["step"] for _, facts in found]
    kept = snapshots.steps_to_keep(recipe["steps"], recipe["snapshots"])
    assert steps == sorted({*steps, 1000, 8000} & set(kept))
    text = corpus.read_books(paths.HELDOUT_BOOKS)["joyce_dubliners"][10_000:16_000]
    ids = torch.tensor(novelist.bpe.encode(text))
    nats = [evaluate.heldout_nats(model, ids) for model, _ in found]
    assert nats == sorted(nats, reverse=True) and nats[-1] < nats[0] - 0.4


@pytest.mark.slow
def test_8_bits_a_weight_cost_next_to_nothing(novelist, tmp_path):
    snapshots.save_snapshot(tmp_path, novelist.model, {"step": 8000})
    stored, _ = snapshots.load_snapshot(snapshots.paths(tmp_path)[0])
    text = corpus.read_books(paths.HELDOUT_BOOKS)["joyce_dubliners"][10_000:16_000]
    ids = torch.tensor(novelist.bpe.encode(text))
    nats = evaluate.heldout_nats(stored, ids)
    assert nats == pytest.approx(evaluate.heldout_nats(novelist.model, ids), abs=0.01)


def test_the_scores_of_all_stages_are_stored(novelist):
    recipe = novelist.meta["recipe"]
    kept = snapshots.steps_to_keep(recipe["steps"], recipe["snapshots"])
    lines = paper.stored_lines("zeroshot")
    for kind in ("novelist", "LSTM"):
        assert [x["step"] for x in lines if x["model"] == kind] == kept
    for _, facts in snapshots.stages(novelist.folder):
        stored = next(x for x in lines if x["step"] == facts["step"])
        assert {k: stored[k] for k in facts} == facts


def test_the_tracked_files_weigh_less_than_67_mb():
    """A clone is light, and stays so: the history keeps whatever was once added."""
    if shutil.which("git") is None or not (paths.ROOT / ".git").exists():
        pytest.skip("no git checkout: nothing tells which files are tracked")
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=paths.ROOT, capture_output=True, text=True
    )
    if listed.returncode:
        pytest.skip(f"git does not list the files: {listed.stderr}")
    tracked = [paths.ROOT / name for name in listed.stdout.split("\0") if name]
    sizes = {p: p.stat().st_size for p in tracked if p.is_file()}
    assert len(sizes) > 200
    largest = sorted(sizes, key=sizes.get, reverse=True)[:5]
    assert sum(sizes.values()) < 67e6, f"the largest: {[p.name for p in largest]}"


def test_the_shipped_model_beats_every_baseline(novelist):
    stored = json.loads((paths.RESULTS / "language_models.json").read_text())
    assert stored["books"]["novelist"] == novelist.meta["heldout"]
    bits = {k: row["bits_per_character"] for k, row in stored["all_books"].items()}
    assert bits.keys() >= {"unigram", "trigram", "novelist"}
    best = min(bits[k] for k in bits if k != "novelist")
    assert round(best - bits["novelist"], 4) == 0.0385
    samples = stored["samples"]
    assert len(samples["texts"]) == len(samples["prompts"]) and all(samples["texts"])


@pytest.mark.slow
def test_the_stored_scores_are_the_models(novelist):
    """One book again, from the text on."""
    name = "wells_island_of_doctor_moreau"
    text = corpus.read_books(paths.HELDOUT_BOOKS)[name]
    found = evaluate.score_books(novelist.model, novelist.bpe, {name: text})[name]
    for key, value in novelist.meta["heldout"][name].items():
        assert found[key] == pytest.approx(value, rel=1e-3), key


def test_write_is_all_or_nothing(tmp_path):
    path = tmp_path / "a.txt"
    files.write_text(path, "good")
    try:
        with files.atomic_write(path) as temporary:
            Path(temporary).write_text("half")
            raise KeyboardInterrupt
    except KeyboardInterrupt:
        assert path.read_text() == "good"
    assert list(tmp_path.iterdir()) == [path]
