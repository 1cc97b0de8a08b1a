"""Whatever is damaged, one sentence names the file; nothing is read as something else."""

import os
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
