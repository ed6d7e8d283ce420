"""The format of Anthropic's messages: https://docs.anthropic.com/en/api/messages.

JSON is asked for as the arguments of a tool that must be called, which every model of the format knows.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from coderag.ask.models.events import Event
from coderag.ask.models.model import JsonSchema, Message, Role
from coderag.ask.models.piece import Piece, Stop, Wire, as_object, as_text

__all__ = ["HEADERS", "KEY_HEADER", "MESSAGES"]

HEADERS = {"anthropic-version": "2023-06-01"}
KEY_HEADER = "x-api-key"
MAX_TOKENS = 4096  # of an answer; the format wants a limit
TOOL = "answer"
STOPS = {"max_tokens": Stop.LENGTH, "model_context_window_exceeded": Stop.LENGTH, "refusal": Stop.REFUSED}


def _body(model: str, messages: Sequence[Message], schema: JsonSchema | None) -> dict[str, Any]:
    body: dict[str, Any] = {
        "model": model,
        "max_tokens": MAX_TOKENS,
        "system": "\n\n".join(message.text for message in messages if message.role is Role.SYSTEM),
        "messages": [
            {"role": str(message.role), "content": message.text}
            for message in messages
            if message.role is not Role.SYSTEM
        ],
        "stream": True,
    }
    if schema is None:
        return body
    tool = {"name": TOOL, "description": "Give the answer.", "input_schema": schema}
    return body | {"tools": [tool], "tool_choice": {"type": "tool", "name": TOOL}}


def _of_event(event: Event, data: Any) -> Piece:
    table = as_object(data)
    delta = as_object(table.get("delta"))
    kind = as_text(table.get("type")) or event.name
    if kind == "error":
        return _error(table)
    if kind == "message_stop":
        return Piece(stop=Stop.END)
    if kind == "message_delta":
        return Piece(stop=_stop(delta))
    if kind == "content_block_delta":
        return Piece(as_text(delta.get("text")) or as_text(delta.get("partial_json")))
    return Piece()


def _of_answer(answer: Any) -> Piece:
    table = as_object(answer)
    if table.get("type") == "error":
        return _error(table)
    blocks = table.get("content")
    texts = [_block(as_object(block)) for block in blocks] if isinstance(blocks, list) else []
    return Piece("".join(texts), _stop(table))


def _block(block: dict[str, Any]) -> str:
    if block.get("type") != "tool_use":
        return as_text(block.get("text"))
    return json.dumps(block.get("input"))


def _stop(table: dict[str, Any]) -> Stop:
    reason = as_text(table.get("stop_reason"))
    return STOPS.get(reason, Stop.END if reason else Stop.NO)


def _error(table: dict[str, Any]) -> Piece:
    return Piece(error=as_text(as_object(table.get("error")).get("message")) or "an error without words")


MESSAGES = Wire(_body, _of_event, _of_answer)
