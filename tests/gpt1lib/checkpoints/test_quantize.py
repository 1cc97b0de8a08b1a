"""One 8-bit rounding, by which each file that we ship was written."""

import numpy as np
import pytest
import torch

from gpt1course.paper.after import twins
from gpt1lib.checkpoints import load, quantize, snapshots
from gpt1lib.checkpoints.quantize import dequantize_rows, quantize_rows
from gpt1lib.io.paths import LSTM_DIR, NOVELIST_DIR
from gpt1lib.io.tensors import read_tensors


def test_quantizing_is_off_by_half_a_step_at_most():
    weight = torch.randn(5, 64) * torch.tensor([[1e-3], [1], [10], [0.1], [0]])
    rows, scale = quantize_rows(weight)
    assert rows.dtype == torch.int8 and rows.abs().max() == 127
    assert ((dequantize_rows(rows, scale) - weight).abs() <= 0.5001 * scale).all()
    assert torch.equal(rows[4], torch.zeros(64, dtype=torch.int8)) and scale[4] == 1


@pytest.mark.parametrize("folder", [NOVELIST_DIR, LSTM_DIR])
def test_numpy_rounds_every_shipped_matrix_to_the_same_bytes(folder):
    """What the page's engine reads does not hang on who divides."""
    for weight in load(folder).model.state_dict().values():
        if weight.dim() == 2:
            rows, scale = quantize_rows(weight)
            wanted = np.abs(weight.numpy()).max(axis=1, keepdims=True) / np.float32(127)
            assert scale.numpy().tobytes() == wanted.tobytes() and wanted.min() > 1e-9
            assert np.array_equal(rows.numpy(), np.rint(weight.numpy() / wanted))


@pytest.mark.parametrize(
    ("path", "suffix"),
    [(path, snapshots.SCALE) for path in snapshots.paths(NOVELIST_DIR)]
    + [(twins.TWINS_DIR / f"{kind}.safetensors", twins.SCALE) for kind in twins.KINDS],
    ids=lambda x: getattr(x, "stem", ""),
)
def test_a_shipped_file_is_written_again_as_it_is(path, suffix):
    stored, _ = read_tensors(path)
    again = quantize.quantize_matrices(quantize.dequantize_matrices(stored, suffix), suffix)
    assert again.keys() == stored.keys() and any(name.endswith(suffix) for name in stored)
    for name, tensor in stored.items():
        if name.endswith(suffix):  # 127 x scale / 127 may be one rounding away
            torch.testing.assert_close(again[name], tensor, rtol=2e-7, atol=0)
        else:
            assert again[name].dtype == tensor.dtype and torch.equal(again[name], tensor), name
