"""A record out of a model's answer: JSON of a schema, also in a fence, with one try to repair it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Protocol, TypeVar, runtime_checkable

import msgspec

from coderag.ask.models.model import JsonSchema, LanguageModel, Message, Role
from coderag.ask.models.thoughts import final_text
from coderag.decoding import json_decoder
from coderag.errors import LanguageModelError

__all__ = ["Remembering", "ask_for", "first_block", "read_json", "schema_of"]

T = TypeVar("T", bound=msgspec.Struct)


@runtime_checkable
class Remembering(LanguageModel, Protocol):
    """A model that knows what it replied before."""

    def recalled(self, messages: Sequence[Message], schema: JsonSchema) -> str:
        """Return what was replied to messages, "" if nothing was."""

    def remember(self, messages: Sequence[Message], schema: JsonSchema, text: str) -> None:
        """Keep a reply."""


FENCE = re.compile(r"^[ \t]{0,3}```\w*[ \t]*\n(.*?)^[ \t]{0,3}```", re.DOTALL | re.MULTILINE)
REPAIR = "That is not the JSON that was asked for: {fault}. Answer with the corrected JSON alone."
SHAPE = "Answer with JSON alone, of this schema:\n{schema}"


def schema_of(kind: type[msgspec.Struct]) -> JsonSchema:
    """Return the JSON schema of a record with its root written out, as services want it.

    A field must have no default: the strict mode of services wants every field.
    """
    (root,), definitions = msgspec.json.schema_components([kind])
    table: dict[str, Any] = definitions.pop(root["$ref"].rpartition("/")[2])
    table["additionalProperties"] = False
    return {**table, "$defs": definitions} if definitions else table


def ask_for(kind: type[T], messages: Sequence[Message], model: LanguageModel) -> T:
    """Return the record that a model answers with; raises LanguageModelError where a second try gives none either.

    One that remembers what it replied is not asked again; what cannot be read is not remembered.
    """
    schema = schema_of(kind)
    shape = SHAPE.format(schema=msgspec.json.encode(schema).decode())
    prompt = [*messages[:-1], Message(messages[-1].role, f"{messages[-1].text}\n\n{shape}")]
    if not isinstance(model, Remembering):
        return _asked(kind, prompt, model, schema=schema)[0]
    with suppress(LanguageModelError):
        return read_json(kind, model.recalled(prompt, schema))
    found, text = _asked(kind, prompt, model, schema=schema)
    model.remember(prompt, schema, text)
    return found


def _asked(kind: type[T], asked: Sequence[Message], model: LanguageModel, *, schema: JsonSchema) -> tuple[T, str]:
    """Return the record that a model answers with, and the text that it was read from."""
    answer = final_text(model.complete(asked, schema=schema))
    try:
        return read_json(kind, answer), answer
    except LanguageModelError as error:
        repair = Message(Role.USER, REPAIR.format(fault=error))
        again = [*asked, Message(Role.ASSISTANT, answer), repair]
    answer = final_text(model.complete(again, schema=schema))
    return read_json(kind, answer), answer


def read_json(kind: type[T], text: str) -> T:
    """Return the record that a text holds as JSON, alone or in a fence; raises LanguageModelError."""
    block = first_block(text)
    try:
        return json_decoder(kind).decode(text if block is None else block)
    except (msgspec.DecodeError, RecursionError, UnicodeError) as error:
        raise LanguageModelError(f"the model's answer is no JSON of the form asked for: {error}") from error


def first_block(text: str) -> str | None:
    """Return what stands in the first fence of a text, None if it has none."""
    block = FENCE.search(text)
    return block[1] if block else None
