"""What a run of tools consists of: calls, what they found, how much it may cost, and why it ended."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from coderag.ask.records import Finding
from coderag.record import record
from coderag.types import Hit

__all__ = ["Call", "Ending", "Limits", "Observation", "Run"]


class Ending(StrEnum):
    """Why no further tool is called."""

    NOTHING_LACKING = "the first results lack nothing that a tool could find"
    PLAN_DONE = "the plan is done"
    ENOUGH = "the model needs no more"
    STEPS = "the limit of steps is reached"
    TOKENS = "the limit of tokens is reached"
    SECONDS = "the limit of time is reached"
    REPEATED = "the model repeats a call"
    INVALID = "the model's calls are not valid"
    FAILED = "the model failed"


@record
class Limits:
    """How much may be spent on all parts of a question together."""

    planned: int = 4  # calls without a model
    steps: int = 8  # calls in all; a model may make as many
    tokens: int = 8_000  # of what the tools show a model, and of what it writes
    seconds: float = 60.0  # that a model may take


@record
class Call:
    """A tool with its arguments, which are valid."""

    tool: str
    arguments: Mapping[str, Any]

    @property
    def shown(self) -> str:
        """The call in a line, as the trace has it."""
        return f"{self.tool}({', '.join(f'{name}={value!r}' for name, value in self.arguments.items())})"


@record
class Observation:
    """What a call found."""

    findings: tuple[Finding, ...] = ()
    hits: tuple[Hit, ...] = ()
    lines: tuple[str, ...] = ()  # what there is to say that no source states

    @property
    def shown(self) -> str:
        """What was found in a line, as the trace has it."""
        places = list(dict.fromkeys(finding.source.place for finding in self.findings))
        summary = ", ".join(places) or "; ".join(self.lines)
        return summary or "nothing"


@record
class Run:
    """The calls for a part of a question with what they found, and why there are no more."""

    calls: tuple[tuple[Call, Observation], ...] = ()
    ending: Ending = Ending.NOTHING_LACKING
    why: str = ""  # more of that, in words
