"""What the page on installing says of the memory of lessons is what was measured."""

from gpt1course.workspace import lessons
from gpt1lib.io.files import read_json
from gpt1lib.io.paths import BENCHMARKS, ROOT


def test_the_memory_of_the_lessons():
    found = read_json(BENCHMARKS / "lesson_memory.json", dict)["megabytes"]
    assert set(found) == {path.name for path in lessons(ROOT / "notebooks")}
    page = " ".join((ROOT / "docs/installing.md").read_text(encoding="utf-8").split())
    large = found.pop("13_fine_tuning.ipynb")
    least, most = min(found.values()), max(found.values())
    assert f"takes {least / 1000:.1f} to {most / 1000:.1f} GB of memory at its peak" in page
    assert (
        f"that of lesson 13, which keeps many fine-tuned models, {large / 1000:.1f} GB" in page
    )
