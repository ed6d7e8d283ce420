"""The C library's heaps of a process with many threads: few, and what is free in them goes back to the system."""

from __future__ import annotations

import ctypes
import sys
from typing import Any

__all__ = ["release_free_memory", "share_heaps"]

M_ARENA_MAX = -8  # mallopt(3); without it glibc gives eight heaps a core to threads, each with its own remains
HEAPS = 2


def share_heaps() -> None:
    """Let all threads of this process share a few heaps; what is no glibc does so anyway, or is left as it is."""
    set_option = _glibc("mallopt")
    if set_option is not None:
        set_option(M_ARENA_MAX, HEAPS)


def release_free_memory() -> None:
    """Give back what lies free between what is used, which glibc by itself never does; it takes milliseconds."""
    trim = _glibc("malloc_trim")
    if trim is not None:
        trim(0)


def _glibc(name: str) -> Any:
    """Return a function of the C library, None if there is none of that name."""
    return getattr(ctypes.CDLL(None), name, None) if sys.platform.startswith("linux") else None
