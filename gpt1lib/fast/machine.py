"""The process on its machine: freed memory that is kept."""

import ctypes


def keep_memory() -> None:
    """Ask the C library to keep freed buffers instead of handing them back.

    Each step frees and asks for the same large buffers; without this the kernel clears
    them again every time, which takes a tenth of a step. Linux with glibc only.
    """
    try:
        libc = ctypes.CDLL("libc.so.6")
        libc.mallopt(-4, 0)  # M_MMAP_MAX: no buffer of its own mapping
        libc.mallopt(-1, 2**31 - 1)  # M_TRIM_THRESHOLD: never shrink
        libc.mallopt(-2, 256 << 20)  # M_TOP_PAD: grow in large steps
    except (OSError, AttributeError):
        return  # another C library: slower, not wrong
