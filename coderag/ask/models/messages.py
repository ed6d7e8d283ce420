"""The format of Anthropic's messages: https://docs.anthropic.com/en/api/messages.

JSON is asked for as the arguments of a tool that must be called, which every model of the format knows.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import groupby
from typing import Any

from coderag.ask.models.events import Event
from coderag.ask.models.model import JsonSchema, Message, Role, ToolSpec
from coderag.ask.models.piece import CallPart, Piece, Stop, Wire, as_object, as_text

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
        "messages": list(_turns([message for message in messages if message.role is not Role.SYSTEM])),
        "stream": True,
    }
    if schema is None:
        return body
    tool = {"name": TOOL, "description": "Give the answer.", "input_schema": schema}
    return body | {"tools": [tool], "tool_choice": {"type": "tool", "name": TOOL}}


def _tools_body(model: str, messages: Sequence[Message], tools: Sequence[ToolSpec]) -> dict[str, Any]:
    listed = [
        {"name": tool.name, "description": tool.description, "input_schema": dict(tool.parameters)} for tool in tools
    ]
    return _body(model, messages, None) | {"tools": listed}


def _turns(messages: Sequence[Message]) -> Iterator[dict[str, Any]]:
    """Yield messages; the outputs of tools that follow each other are one of the user's, as the format wants it."""
    for is_output, group in groupby(messages, key=lambda message: message.role is Role.TOOL):
        if is_output:
            outputs = [
                {"type": "tool_result", "tool_use_id": message.call_id, "content": message.text} for message in group
            ]
            yield {"role": "user", "content": outputs}
            continue
        for message in group:
            yield {"role": str(message.role), "content": _content(message)}


def _content(message: Message) -> Any:
    if not message.calls:
        return message.text
    text = [{"type": "text", "text": message.text}] if message.text else []
    return [
        *text,
        *(
            {"type": "tool_use", "id": call.id, "name": call.name, "input": _input(call.arguments)}
            for call in message.calls
        ),
    ]


def _input(arguments: str) -> dict[str, Any]:
    """Return arguments as an object, {} for text of another kind: the format takes nothing else."""
    with suppress(ValueError, RecursionError):
        return as_object(json.loads(arguments))
    return {}


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
    index = table.get("index")
    place = index if isinstance(index, int) else 0
    if kind == "content_block_start":
        block = as_object(table.get("content_block"))
        return Piece(calls=tuple(_called(block, place, arguments="")))
    if kind == "content_block_delta" and (arguments := as_text(delta.get("partial_json"))):
        return Piece(arguments, calls=(CallPart(place, arguments=arguments),))
    return Piece(as_text(delta.get("text"))) if kind == "content_block_delta" else Piece()


def _of_answer(answer: Any) -> Piece:
    table = as_object(answer)
    if table.get("type") == "error":
        return _error(table)
    content = table.get("content")
    blocks = [as_object(block) for block in content] if isinstance(content, list) else []
    calls = [
        call
        for place, block in enumerate(blocks)
        for call in _called(block, place, arguments=json.dumps(block.get("input")))
    ]
    return Piece("".join(map(_block, blocks)), _stop(table), calls=tuple(calls))


def _called(block: dict[str, Any], index: int, *, arguments: str) -> Iterator[CallPart]:
    """Yield the call of a tool that a block is, if it is one."""
    if block.get("type") == "tool_use":
        yield CallPart(index, as_text(block.get("id")), as_text(block.get("name")), arguments)


def _block(block: dict[str, Any]) -> str:
    if block.get("type") != "tool_use":
        return as_text(block.get("text"))
    return json.dumps(block.get("input"))


def _stop(table: dict[str, Any]) -> Stop:
    reason = as_text(table.get("stop_reason"))
    return STOPS.get(reason, Stop.END if reason else Stop.NO)


def _error(table: dict[str, Any]) -> Piece:
    return Piece(error=as_text(as_object(table.get("error")).get("message")) or "an error without words")


MESSAGES = Wire(_body, _of_event, _of_answer, _tools_body)
