"""A few of many, the same few for the same seed."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TypeVar

__all__ = ["sample"]

T = TypeVar("T")


def sample(items: Sequence[T], most: int, *, seed: int) -> list[T]:
    """Return at most so many of some items, in their order."""
    if len(items) <= most:
        return list(items)
    chosen = random.Random(seed).sample(range(len(items)), most)
    return [items[number] for number in sorted(chosen)]
