"""What the page on speed says of the explorers is what was measured."""

from gpt1lib.io.files import read_json
from gpt1lib.io.paths import BENCHMARKS, ROOT


def test_the_times_of_the_explorers():
    of = read_json(BENCHMARKS / "explorers.json", dict)["milliseconds"]
    button = of.pop("a button that does nothing")
    interact = of.pop("interact with matplotlib, a head")
    prompt = of.pop("a new prompt of 32 tokens")
    page = " ".join((ROOT / "docs/speed.md").read_text(encoding="utf-8").split())
    medians = [row["median"] for row in of.values()]
    assert len(medians) == 12
    for said in (
        f"in {min(medians):.0f} to {max(medians):.0f} ms",
        f"on each within {max(row['p95'] for row in of.values()):.0f} ms",
        f"takes longer than {max(row['longest task']['p95'] for row in of.values()):.0f} ms",
        f"does nothing takes {button['median']:.0f} ms",
        f"from the model in {prompt['median']:.0f} ms",
        f"matplotlib takes {interact['median']:.0f} ms",
    ):
        assert said in page
