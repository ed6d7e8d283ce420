"""A language model that counts what it is asked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from coderag.ask.models.model import JsonSchema, LanguageModel, Message
from coderag.evaluate.answers.records import Usage
from coderag.text.budget import tokens_of

__all__ = ["CountingModel"]


class CountingModel:
    """Passes on what another model says, and counts calls and tokens."""

    def __init__(self, model: LanguageModel) -> None:
        """Count what `model` is asked from now on."""
        self._model = model
        self.name = model.name
        self._usage = Usage()

    def complete(self, messages: Sequence[Message], *, schema: JsonSchema | None = None) -> Iterator[str]:
        """Yield the answer of the other model; raises LanguageModelError as that does."""
        asked = sum(tokens_of(message.text) for message in messages)
        self._add(Usage(1, asked, 0))
        characters = 0
        try:
            for piece in self._model.complete(messages, schema=schema):
                characters += len(piece)
                yield piece
        finally:
            self._add(Usage(0, 0, tokens_of("-" * characters)))

    def take(self) -> Usage:
        """Return what was counted since the last time."""
        taken, self._usage = self._usage, Usage()
        return taken

    def _add(self, more: Usage) -> None:
        self._usage = Usage(
            self._usage.calls + more.calls,
            self._usage.prompt_tokens + more.prompt_tokens,
            self._usage.reply_tokens + more.reply_tokens,
        )
