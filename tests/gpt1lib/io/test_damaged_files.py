"""Whatever is damaged, one sentence names the file; nothing is read as something else."""

import os
import shutil
from collections import Counter

import damage
import pytest

from gpt1lib.io import files


@pytest.mark.parametrize("name", damage.KINDS)
def test_a_damaged_file_is_named(name, tmp_path):
    """A change that checksums would see is seen; any other is refused by name, or harmless."""
    kind, folder = damage.KINDS[name], tmp_path / "whole"
    folder.mkdir()
    found = list(damage.trials(kind, folder, seed=0, n=2))
    accepted = {"named", "same"} if kind.bound else {"named", "same", "silent"}
    assert [trial for trial in found if trial[2] not in accepted] == []
    count = Counter(outcome for _, _, outcome in found)
    assert count["named"] > count["same"] and len(found) >= 5


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
@pytest.mark.parametrize("name", damage.KINDS)
def test_a_named_pipe_in_the_place_of_a_file_is_named(name, tmp_path):
    """To open one would wait for ever."""
    kind, folder = damage.KINDS[name], tmp_path / "whole"
    folder.mkdir()
    kind.write(folder)
    wanted = damage.frozen(kind.read(folder))
    pristine = shutil.copytree(folder, tmp_path / "pristine")
    outcomes = {}
    for part in (p.relative_to(pristine) for p in pristine.rglob("*") if p.is_file()):
        if part.name not in ("lock", kind.may_be_gone):
            (folder / part).unlink()
            os.mkfifo(folder / part)
            found = damage.outcome(kind, folder, folder / part, wanted, seconds=10)
            outcomes[part.as_posix()] = found
            shutil.rmtree(folder)
            shutil.copytree(pristine, folder)
    assert set(outcomes.values()) <= {"named", "same"}, outcomes


@pytest.mark.skipif(os.name == "nt", reason="links take a right there")
@pytest.mark.parametrize("target", ["book.txt", "other.txt"])
def test_a_link_that_leads_nowhere_is_named(tmp_path, target):
    """To itself, or to another that leads back."""
    (tmp_path / "book.txt").symlink_to(target)
    (tmp_path / "other.txt").symlink_to("book.txt")
    with pytest.raises(OSError, match=r"book\.txt"):
        files.read_text(tmp_path / "book.txt")
    with pytest.raises(OSError, match=r"book\.txt"):
        files.write_text(tmp_path / "book.txt" / "below.txt", "text")
