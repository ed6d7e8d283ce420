"""The C library's heaps of a process with many threads: few, so that what an answer frees serves the next one."""

from __future__ import annotations

import ctypes
import sys

__all__ = ["share_heaps"]

M_ARENA_MAX = -8  # mallopt(3); without it glibc gives eight heaps a core to threads, each with its own remains
HEAPS = 2


def share_heaps() -> None:
    """Let all threads of this process share a few heaps; what is no glibc does so anyway, or is left as it is."""
    if not sys.platform.startswith("linux"):
        return
    set_option = getattr(ctypes.CDLL(None), "mallopt", None)
    if set_option is not None:
        set_option(M_ARENA_MAX, HEAPS)
