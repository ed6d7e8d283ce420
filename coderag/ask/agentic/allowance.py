"""What is left of the limits of a run, over all parts of a question."""

from __future__ import annotations

import time
from collections.abc import Callable

from coderag.ask.agentic.records import Ending, Limits
from coderag.limits import STEP_SECONDS, STEP_TOKENS, STEPS, check_number

__all__ = ["Allowance", "OutOfTimeError", "check_limits"]


def check_limits(limits: Limits) -> None:
    """Raise QueryError for a limit beyond what there may be, and TypeError for what is no number."""
    check_number(STEPS, limits.steps)
    check_number(STEPS, limits.planned)
    check_number(STEP_TOKENS, limits.tokens)
    check_number(STEP_SECONDS, limits.seconds)


class OutOfTimeError(Exception):
    """The model is still writing when its time is up."""


class Allowance:
    """Calls, tokens and time; what is spent is gone."""

    def __init__(self, limits: Limits, *, clock: Callable[[], float] = time.monotonic) -> None:
        """Start the time."""
        self.most_planned = self.planned = min(limits.planned, limits.steps)
        self._limits = limits
        self._steps = limits.steps
        self._tokens = limits.tokens
        self._clock = clock
        self._deadline = clock() + limits.seconds

    def spend(self, *, steps: int = 0, tokens: int = 0) -> None:
        """Take what was used from what is left."""
        self._steps -= steps
        self._tokens -= tokens

    @property
    def used_up(self) -> Ending | None:
        """The limit that is reached, None while nothing is."""
        if self._steps <= 0:
            return Ending.STEPS
        if self._tokens <= 0:
            return Ending.TOKENS
        return Ending.SECONDS if self._clock() >= self._deadline else None

    def limit_of(self, ending: Ending) -> str:
        """Return the limit that ended a run, "" for any other reason."""
        limits = self._limits
        shown = {
            Ending.STEPS: str(limits.steps),
            Ending.TOKENS: f"{limits.tokens:,}",
            Ending.SECONDS: f"{limits.seconds:g} s",
        }
        return shown.get(ending, "")

    def check_time(self) -> None:
        """Raise OutOfTimeError when the time is up."""
        if self._clock() >= self._deadline:
            raise OutOfTimeError
