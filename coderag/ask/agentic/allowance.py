"""What is left of the limits of a run, over all parts of a question."""

from __future__ import annotations

import time
from collections.abc import Callable

from coderag.ask.agentic.records import Ending, Limits

__all__ = ["Allowance", "OutOfTimeError"]


class OutOfTimeError(Exception):
    """The model is still writing when its time is up."""


class Allowance:
    """Calls, tokens and time; what is spent is gone."""

    def __init__(self, limits: Limits, *, clock: Callable[[], float] = time.monotonic) -> None:
        """Start the time."""
        self.planned = limits.planned
        self._calls = limits.calls
        self._tokens = limits.tokens
        self._clock = clock
        self._deadline = clock() + limits.seconds

    def spend(self, *, calls: int = 0, tokens: int = 0) -> None:
        """Take what was used from what is left."""
        self._calls -= calls
        self._tokens -= tokens

    @property
    def used_up(self) -> Ending | None:
        """The limit that is reached, None while nothing is."""
        if self._calls <= 0:
            return Ending.CALLS
        if self._tokens <= 0:
            return Ending.TOKENS
        return Ending.SECONDS if self._clock() >= self._deadline else None

    def check_time(self) -> None:
        """Raise OutOfTimeError when the time is up."""
        if self._clock() >= self._deadline:
            raise OutOfTimeError
