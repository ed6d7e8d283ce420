"""A text that breaks something to a smaller one that still does (Zeller, Hildebrandt: delta debugging, 2002)."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TypeVar

__all__ = ["reduced", "shrunk"]

SECONDS = 20.0

Part = TypeVar("Part")


def shrunk(data: bytes, still: Callable[[bytes], bool]) -> bytes:
    """Return a text as small as it was found in SECONDS for which `still` holds, as it does for the given one."""
    until = time.monotonic() + SECONDS
    lines = data.splitlines(keepends=True)
    data = b"".join(reduced(lines, lambda parts: still(b"".join(parts)), until))
    return b"".join(reduced([bytes([one]) for one in data], lambda parts: still(b"".join(parts)), until))


def reduced(parts: Sequence[Part], still: Callable[[Sequence[Part]], bool], until: float) -> Sequence[Part]:
    """Return the parts without those that are not needed: halves first, then ever smaller runs."""
    size = len(parts) // 2
    while size:
        at = 0
        while at < len(parts):
            if time.monotonic() > until:
                return parts
            fewer = [*parts[:at], *parts[at + size :]]
            if still(fewer):
                parts = fewer
            else:
                at += size
        size //= 2
    return parts
