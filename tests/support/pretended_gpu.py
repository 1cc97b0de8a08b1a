"""A device that only pretends to be a GPU, for the many machines without one.

Its tensors live in the CPU's memory and have the CPU's numbers, but torch takes them for
another device's. As on a GPU, an operation on tensors of both is an error, and so is one that
draws for the device from a generator of the CPU. Not pretended: other kernels, 16 bits, speed.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves, tree_map
from torch.utils.backend_registration import (
    _DummyBackendModule,
    _setup_privateuseone_for_python_backend,
)

NAME = "pretended"
aten = torch.ops.aten
COPIES = {aten.copy_, aten._to_copy}
INDEXING = {aten.index, aten.index_put, aten.index_put_, aten._index_put_impl_}


class Elsewhere(Tensor):
    """A tensor that torch takes for one of the device; `here` has its numbers."""

    here: Tensor

    @staticmethod
    def __new__(cls, here: Tensor):
        it = Tensor._make_wrapper_subclass(
            cls,
            here.size(),
            strides=here.stride(),
            storage_offset=here.storage_offset(),
            dtype=here.dtype,
            device=torch.device(NAME, 0),
        )
        it.here = here
        return it

    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        with Device():
            return func(*args, **(kwargs or {}))

    def tolist(self):
        return self.here.tolist()


class Device(TorchDispatchMode):
    """Every operation: on the CPU's numbers, but first what a GPU would refuse."""

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = dict(kwargs or {})
        if func._can_decompose():  # in inference mode: torch knows what it consists of
            with self:
                return func.decompose(*args, **kwargs)
        tensors = [x for x in tree_leaves((args, kwargs)) if isinstance(x, Tensor)]
        theirs = {id(x.here): x for x in tensors if isinstance(x, Elsewhere)}
        goes = bool(theirs)
        if (device := kwargs.get("device")) is not None:
            goes = torch.device(device).type == NAME
            kwargs["device"] = torch.device("cpu")
        if theirs or goes:
            check(func, args, kwargs)
        found = func(*tree_map(here, args), **tree_map(here, kwargs))
        if not goes:
            return found
        # what is changed in place comes back as the tensor that it was
        return tree_map(lambda x: theirs[id(x)] if id(x) in theirs else elsewhere(x), found)


def check(func, args: tuple, kwargs: dict) -> None:
    """RuntimeError for an operation that a GPU would refuse."""
    if func.overloadpacket in INDEXING:  # a GPU's tensor takes indices of the CPU
        args = (args[0], *args[2:])
    tensors = [x for x in tree_leaves((args, kwargs)) if isinstance(x, Tensor)]
    left_behind = [x for x in tensors if x.dim() and not isinstance(x, Elsewhere)]
    if left_behind and func.overloadpacket not in COPIES:
        devices = ", ".join(str(x.device) for x in tensors)
        raise RuntimeError(f"{func}: tensors that are not all on one device: {devices}")
    if kwargs.get("generator") is not None:
        raise RuntimeError(f"{func}: the generator is the CPU's, the tensor is not")


def here(x):
    """The CPU's tensor behind one of the device; anything else as it is."""
    return x.here if isinstance(x, Elsewhere) else x


def elsewhere(x):
    """A tensor as one of the device; anything else as it is."""
    return Elsewhere(x) if isinstance(x, Tensor) else x


class Module(_DummyBackendModule):
    """What torch asks of a kind of device."""

    def get_amp_supported_dtype(self):
        return [torch.bfloat16]


@contextmanager
def pretended() -> Iterator[torch.device]:
    """The device; torch knows it from now on, and its tensors work inside."""
    if torch._C._get_privateuse1_backend_name() != NAME:
        _setup_privateuseone_for_python_backend(NAME, Module())
    one_thread = torch.autograd.set_multithreading_enabled(False)  # no thread of a device
    before = torch.__future__.get_swap_module_params_on_conversion()
    torch.__future__.set_swap_module_params_on_conversion(True)  # model.to keeps parameters
    try:
        with one_thread, Device():
            yield torch.device(NAME, 0)
    finally:
        torch.__future__.set_swap_module_params_on_conversion(before)
