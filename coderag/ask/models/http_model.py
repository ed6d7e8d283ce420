"""A language model behind HTTP: a request, and the answer as it is written."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from coderag.ask.models.calls import calls_of
from coderag.ask.models.chat import CHAT, DONE
from coderag.ask.models.events import Event, events
from coderag.ask.models.messages import HEADERS, KEY_HEADER, MESSAGES
from coderag.ask.models.model import JsonSchema, Message, Said, ToolSpec
from coderag.ask.models.piece import Piece, Stop, Wire
from coderag.ask.models.spec import Format, ModelSpec, parse_model
from coderag.ask.models.thoughts import final_text, without_thoughts
from coderag.encoders.inference.endpoint import Endpoint, Reply, open_endpoint
from coderag.errors import LanguageModelError

__all__ = ["HttpModel", "open_model"]

WIRES = {Format.CHAT: CHAT, Format.MESSAGES: MESSAGES}
STREAM = "text/event-stream"
MAX_CHARACTERS = 200_000  # of an answer with its thoughts; a model that repeats itself does not end
MAX_BYTES = 8 << 20  # of an answer that comes at once
TOO_LONG = "; is the prompt too long for this model?"


def open_model(spec: str | ModelSpec, *, environment: Mapping[str, str] = os.environ) -> HttpModel:
    """Return the language model that a line names; nothing is sent yet.

    The key is read from the environment: CODERAG_API_KEY, else the variable of the service. Raises LanguageModelError
    for a line that names none, and for an endpoint that the user did not name.
    """
    named = parse_model(spec) if isinstance(spec, str) else spec
    endpoint = open_endpoint(
        named.url,
        error=LanguageModelError,
        trusted=named.trusted,
        timeout=named.timeout,
        environment=environment,
    )
    endpoint = replace(endpoint, too_long=TOO_LONG)
    if named.format is Format.MESSAGES:
        endpoint = replace(endpoint, headers=HEADERS, key_header=KEY_HEADER)
    return HttpModel(endpoint, named.model, wire=WIRES[named.format])


class HttpModel:
    """A language model that an endpoint knows by a name."""

    def __init__(self, endpoint: Endpoint, model: str, *, wire: Wire) -> None:
        """Ask `endpoint` in the format of `wire`."""
        self._endpoint = endpoint
        self._model = model
        self._wire = wire
        self.name = f"{endpoint.name} ({model})"

    def complete(self, messages: Sequence[Message], *, schema: JsonSchema | None = None) -> Iterator[str]:
        """Yield the answer as it is written, without thoughts; raises LanguageModelError."""
        size = 0
        pieces = self._pieces(self._wire.body(self._model, messages, schema))
        for text in without_thoughts(piece.text for piece in pieces if piece.text):
            size += len(text.strip())
            yield text
        if not size:
            raise LanguageModelError(f"{self.name} gave an empty answer")

    def call(
        self, messages: Sequence[Message], tools: Sequence[ToolSpec], *, watch: Callable[[], None] | None = None
    ) -> Said:
        """Return the answer to messages, with the calls of tools in it; raises LanguageModelError.

        `watch` is called for each piece, and may raise to break it off.
        """
        pieces: list[Piece] = []
        for piece in self._pieces(self._wire.tools_body(self._model, messages, tools)):
            if watch is not None:
                watch()
            pieces.append(piece)
        text = final_text(without_thoughts(piece.text for piece in pieces if piece.text and not piece.calls))
        return Said(text, calls_of(part for piece in pieces for part in piece.calls))

    def _pieces(self, body: Mapping[str, Any]) -> Iterator[Piece]:
        size, ended, refusal = 0, False, ""
        with self._endpoint.open(body) as reply:
            for piece in self._read(reply):
                self._check(piece)
                size += len(piece.text) + sum(1 + len(part.name) + len(part.arguments) for part in piece.calls)
                if size > MAX_CHARACTERS:
                    raise LanguageModelError(f"{self.name} wrote more than {MAX_CHARACTERS:,} characters")
                refusal += piece.refusal
                if piece.text or piece.calls:
                    yield piece
                if piece.stop is Stop.END:
                    ended = True
        if refusal:
            raise LanguageModelError(f"{self.name} refused to answer: {self._shown(refusal)}")
        if not ended:
            raise LanguageModelError(f"{self.name} broke off its answer after {size:,} characters")

    def _read(self, reply: Reply) -> Iterator[Piece]:
        if reply.media_type != STREAM:
            yield self._whole(reply)
            return
        for event in events(reply.parts):
            yield self._wire.of_event(event, self._json(event))
            if event.data.strip() == DONE:
                return

    def _whole(self, reply: Reply) -> Piece:
        """Return an answer that came at once, as from servers that do not stream."""
        data = b""
        for part in reply.parts:
            data += part
            if len(data) > MAX_BYTES:
                raise LanguageModelError(f"{self.name} answered with more than {MAX_BYTES >> 20} MB")
        with suppress(ValueError, RecursionError):
            return self._wire.of_answer(json.loads(data))
        raise LanguageModelError(f"{self.name} answered with what is no JSON: {self._endpoint.shown(data)!r}")

    def _json(self, event: Event) -> Any:
        with suppress(ValueError, RecursionError):
            return json.loads(event.data)
        if event.data.strip() == DONE:
            return None
        raise LanguageModelError(f"{self.name} sent an event that is no JSON: {self._shown(event.data)!r}")

    def _check(self, piece: Piece) -> None:
        if piece.error:
            raise LanguageModelError(f"{self.name} broke off with an error: {self._shown(piece.error)}")
        if piece.stop is Stop.LENGTH:
            raise LanguageModelError(f"{self.name} came to its limit of tokens before the end of its answer")
        if piece.stop is Stop.REFUSED:
            raise LanguageModelError(
                f"{self.name} refused to answer: {self._shown(piece.refusal or 'it says no more')}"
            )

    def _shown(self, text: str) -> str:
        return self._endpoint.shown(text.encode())
