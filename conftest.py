"""For nbval: `pytest --nbval notebooks/05*.ipynb` compares what a reader would."""

from pathlib import Path

from tools.notebooks import outputs

CLEANED = Path(__file__).parent / "tests" / "nbval.cfg"
PATIENCE = 300  # seconds: both cores may be busy


def pytest_configure(config):
    option = config.option
    if hasattr(option, "nbval"):
        option.nbval_sanitize_with = option.nbval_sanitize_with or str(CLEANED)
        option.nbval_current_env = option.nbval_current_env or not option.nbval_kernel_name
        option.nbval_cell_timeout = min(option.nbval_cell_timeout, 600)
        option.nbval_kernel_startup_timeout = max(option.nbval_kernel_startup_timeout, PATIENCE)


def pytest_collectstart(collector):
    if hasattr(collector, "skip_compare"):
        collector.skip_compare += outputs.NOT_COMPARED


def pytest_itemcollected(item):
    if not hasattr(item, "compare_outputs"):
        return
    item.output_timeout = PATIENCE  # of what a kernel says after a cell's end
    outputs.drop_neutral_line(item.cell.get("outputs", []))
    item.compare_outputs = forgiving(item.compare_outputs, item.sanitize)


def forgiving(compare, cleaned):
    """As `compare`, where decimals may differ by one in their last place."""

    def forgiven(found, stored):
        found, stored = cleaned(found), cleaned(stored)
        return stored if outputs.nearly(found, stored) else found

    def compared(test, ref, skip_compare=None):
        for a, b in zip(test, ref, strict=False):
            if "text" in a and "text" in b:
                a["text"] = forgiven(a["text"], b["text"])
            plain = "text/plain"
            if plain in a.get("data", {}) and plain in b.get("data", {}):
                a["data"][plain] = forgiven(a["data"][plain], b["data"][plain])
        return compare(test, ref, skip_compare)

    return compared
