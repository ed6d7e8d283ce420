"""A part of an answer, whatever the format that it came in."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import Any

from coderag.ask.models.events import Event
from coderag.ask.models.model import JsonSchema, Message, ToolSpec
from coderag.record import record

__all__ = ["CallPart", "Piece", "Stop", "Wire", "as_object", "as_text"]


class Stop(StrEnum):
    """Why an answer ends."""

    NO = ""  # it goes on
    END = "end"
    LENGTH = "length"  # the model's own limit
    REFUSED = "refused"


@record
class CallPart:
    """Some of the call of a tool; parts of one index are one call."""

    index: int
    id: str = ""
    name: str = ""
    arguments: str = ""


@record
class Piece:
    """Some text of an answer, or what else there is to know."""

    text: str = ""
    stop: Stop = Stop.NO
    refusal: str = ""
    error: str = ""  # what the server says went wrong
    calls: tuple[CallPart, ...] = ()


@record
class Wire:
    """A format: the body of a request, and the piece that an event of a stream, or a whole answer, holds.

    What is not of the format is an empty piece.
    """

    body: Callable[[str, Sequence[Message], JsonSchema | None], dict[str, Any]]
    of_event: Callable[[Event, Any], Piece]  # the event and its data as JSON, None for data of another kind
    of_answer: Callable[[Any], Piece]
    tools_body: Callable[[str, Sequence[Message], Sequence[ToolSpec]], dict[str, Any]]  # of a request with tools


def as_object(value: Any) -> dict[str, Any]:
    """Return a JSON object as it is, {} for anything else."""
    return value if isinstance(value, dict) else {}


def as_text(value: Any) -> str:
    """Return a JSON string as it is, "" for anything else."""
    return value if isinstance(value, str) else ""
