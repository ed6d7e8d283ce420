"""What a language model is to the rest: messages in, pieces of text out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from typing import Any, Protocol

from coderag.record import record

__all__ = ["JsonSchema", "LanguageModel", "Message", "Role"]

JsonSchema = Mapping[str, Any]


class Role(StrEnum):
    """Who says something."""

    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"


@record
class Message:
    """What one of the two said."""

    role: Role
    text: str


class LanguageModel(Protocol):
    """A model that answers messages."""

    @property
    def name(self) -> str:
        """What to call it in a message to the user."""

    def complete(self, messages: Sequence[Message], *, schema: JsonSchema | None = None) -> Iterator[str]:
        """Yield the answer piece by piece as it is written; with a schema it is asked to be JSON of that form.

        Raises LanguageModelError, also after some pieces: an answer that is cut off is a failure.
        """
