"""Whether a file holds the texts that a framework is recognised by: the test that every file has to stand."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["holds"]


def holds(data: bytes, lists: Sequence[Sequence[bytes]]) -> bool:
    """Tell whether a file holds at least one text of each list; plain loops, since nothing is asked more often."""
    for texts in lists:
        for text in texts:
            if text in data:
                break
        else:
            return False
    return True
