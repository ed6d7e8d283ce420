"""What a language model is to the rest: messages in, pieces of text out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import StrEnum
from typing import Any, Protocol, runtime_checkable

from coderag.record import record

__all__ = ["JsonSchema", "LanguageModel", "Message", "Role", "Said", "ToolCall", "ToolModel", "ToolSpec"]

JsonSchema = Mapping[str, Any]


class Role(StrEnum):
    """Who says something."""

    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"  # the output of a tool that the model called


@record
class ToolSpec:
    """A tool as a model sees it."""

    name: str
    description: str
    parameters: JsonSchema  # of an object


@record
class ToolCall:
    """A call as a model wrote it: nothing of it is checked."""

    id: str
    name: str
    arguments: str  # JSON, if the model keeps to the format


@record
class Message:
    """What one of the two said."""

    role: Role
    text: str
    calls: tuple[ToolCall, ...] = ()  # of the assistant
    call_id: str = ""  # of a tool's output: the call that it answers


@record
class Said:
    """A whole answer of a model that may call tools."""

    text: str = ""
    calls: tuple[ToolCall, ...] = ()


class LanguageModel(Protocol):
    """A model that answers messages."""

    @property
    def name(self) -> str:
        """What to call it in a message to the user."""

    def complete(self, messages: Sequence[Message], *, schema: JsonSchema | None = None) -> Iterator[str]:
        """Yield the answer piece by piece as it is written; with a schema it is asked to be JSON of that form.

        Raises LanguageModelError, also after some pieces: an answer that is cut off is a failure.
        """


@runtime_checkable
class ToolModel(LanguageModel, Protocol):
    """A model that may call tools besides."""

    def call(
        self, messages: Sequence[Message], tools: Sequence[ToolSpec], *, watch: Callable[[], None] | None = None
    ) -> Said:
        """Return the answer to messages with the calls in it, in order; `watch` is called for each piece of it.

        Raises LanguageModelError, and whatever `watch` raises.
        """
