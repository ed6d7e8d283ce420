"""Threads in which answers are made: so many at once, each for so long."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import anyio
import anyio.to_thread

__all__ = ["Threads"]

R = TypeVar("R")


class Threads:
    """Room for some answers at once."""

    def __init__(self, most: int, *, seconds: float) -> None:
        """Run so many functions at once, none of which may take longer than so many seconds."""
        self._most, self._seconds = most, seconds
        self._limiter: anyio.CapacityLimiter | None = None  # of the event loop that asks first

    async def run(self, function: Callable[[], R]) -> R:
        """Return what a function returns that is run in a thread; raises TimeoutError after the limit."""
        if self._limiter is None:
            self._limiter = anyio.CapacityLimiter(self._most)
        with anyio.fail_after(self._seconds):
            return await anyio.to_thread.run_sync(function, abandon_on_cancel=True, limiter=self._limiter)
