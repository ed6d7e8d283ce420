"""What a cache says of itself."""

from __future__ import annotations

from coderag.record import record

__all__ = ["CacheCounts"]


@record
class CacheCounts:
    """How often a cache had an answer, and what it holds."""

    hits: int
    misses: int
    answers: int
    bytes: int
