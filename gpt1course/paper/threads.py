"""How many threads torch uses: with one, results do not depend on the machine's cores."""

from collections.abc import Iterator
from contextlib import contextmanager

import torch

from gpt1lib import validate


@contextmanager
def threads(n: int) -> Iterator[None]:
    """Let torch use n threads inside."""
    before = torch.get_num_threads()
    torch.set_num_threads(validate.check_int("n", n, 1, 1024))
    try:
        yield
    finally:
        torch.set_num_threads(before)
