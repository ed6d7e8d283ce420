"""What a tool returns."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

__all__ = ["Answer"]


@dataclass(frozen=True, slots=True)
class Answer:
    """What a tool says: text for a language model, and the same as plain data for a program."""

    text: str
    record: dict[str, Any] = field(default_factory=dict)  # serialisable as JSON
