"""Parts of calls, as a stream has them, to whole calls of tools."""

from __future__ import annotations

from collections.abc import Iterable

from coderag.ask.models.model import ToolCall
from coderag.ask.models.piece import CallPart

__all__ = ["calls_of"]


def calls_of(parts: Iterable[CallPart]) -> tuple[ToolCall, ...]:
    """Return the calls that parts make up, in the order in which they began; one without an id is given one."""
    by_index: dict[int, list[CallPart]] = {}
    for part in parts:
        by_index.setdefault(part.index, []).append(part)
    return tuple(_call(number, group) for number, group in enumerate(by_index.values()))


def _call(number: int, parts: list[CallPart]) -> ToolCall:
    given = next((part.id for part in parts if part.id), f"call_{number}")
    name = next((part.name for part in parts if part.name), "")
    return ToolCall(given, name, "".join(part.arguments for part in parts))
