"""What a language model replied to stages, in the user's cache folder: no stage pays twice for the same prompt.

A file is named by a hash of the model and of all that it was asked, and holds what could be read as the record that was
asked for. It is a model's reply and no more trusted than one. Of what some groups see nothing is kept.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

import msgspec

from coderag.ask.cached_files import read_cached, sizes_of, trim_cached, write_cached
from coderag.ask.models.model import JsonSchema, Message, Said, ToolModel, ToolSpec
from coderag.ask.private_files import UnfitFileError
from coderag.resources import user_folder

__all__ = ["MOST_BYTES", "RememberingModel", "replies_folder", "replies_size", "trim_replies"]

FORMAT = 1
MOST_BYTES = 4 << 20  # of all replies; the oldest go first
MOST_REPLY_BYTES = 64 << 10
NAME = re.compile(r"[0-9a-f]{64}\.reply")


def replies_folder(environment: Mapping[str, str] = os.environ) -> Path:
    """Return the folder of replies: under $XDG_CACHE_HOME, or ~/.cache; raises FileNotFoundError without both."""
    return user_folder("XDG_CACHE_HOME", ".cache", environment) / "replies"


def replies_size() -> int:
    """Return how many bytes are kept."""
    return sum(size for _, size, _ in sizes_of(replies_folder(), NAME))


def trim_replies(most_bytes: int) -> int:
    """Remove the oldest replies until no more than so many bytes are left; return the bytes removed."""
    return trim_cached(replies_folder(), NAME, most_bytes)


class RememberingModel:
    """A language model that knows what it replied before (coderag.ask.models.structured asks it for that)."""

    def __init__(self, model: ToolModel, *, spec: str) -> None:
        """Ask `model`, which a line names."""
        self.name = model.name
        self._model = model
        self._spec = spec

    def complete(self, messages: Sequence[Message], *, schema: JsonSchema | None = None) -> Iterator[str]:
        """Yield the answer of the model piece by piece; raises LanguageModelError."""
        return self._model.complete(messages, schema=schema)

    def call(
        self, messages: Sequence[Message], tools: Sequence[ToolSpec], *, watch: Callable[[], None] | None = None
    ) -> Said:
        """Return the answer of the model with its calls of tools; raises LanguageModelError."""
        return self._model.call(messages, tools, watch=watch)

    def recalled(self, messages: Sequence[Message], schema: JsonSchema) -> str:
        """Return what was replied to messages, "" if nothing was."""
        with suppress(OSError, UnicodeDecodeError):
            data = read_cached(self._path(messages, schema), most_bytes=MOST_REPLY_BYTES)
            return "" if data is None else data.decode()
        return ""

    def remember(self, messages: Sequence[Message], schema: JsonSchema, text: str) -> None:
        """Keep a reply; where that is not possible it is done without."""
        data = text.encode("utf-8", "replace")
        if len(data) > MOST_REPLY_BYTES:
            return
        with suppress(OSError, UnfitFileError):
            write_cached(self._path(messages, schema), data)
            trim_replies(MOST_BYTES)

    def _path(self, messages: Sequence[Message], schema: JsonSchema) -> Path:
        request = msgspec.json.encode([FORMAT, self._spec, _plain(messages), schema])
        return replies_folder() / f"{sha256(request).hexdigest()}.reply"


def _plain(messages: Sequence[Message]) -> list[list[str]]:
    """Return messages as plain lists; halves of surrogate pairs, which stand for bytes, as escapes."""
    return [[str(message.role), message.text.encode("utf-8", "backslashreplace").decode()] for message in messages]
