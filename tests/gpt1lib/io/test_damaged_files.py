"""Whatever is damaged, one sentence names the file; nothing is read as something else."""

from collections import Counter

import damage
import pytest


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
