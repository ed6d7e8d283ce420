"""The format of chat completions, which OpenAI, Ollama, vLLM, llama.cpp, LM Studio and others speak.

https://platform.openai.com/docs/api-reference/chat. No temperature is sent: reasoning models refuse any but their own.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from coderag.ask.models.events import Event
from coderag.ask.models.model import JsonSchema, Message, Role, ToolSpec
from coderag.ask.models.piece import CallPart, Piece, Stop, Wire, as_object, as_text

__all__ = ["CHAT", "DONE"]

DONE = "[DONE]"  # the last event, which is no JSON
STOPS = {"length": Stop.LENGTH, "content_filter": Stop.REFUSED}


def _body(model: str, messages: Sequence[Message], schema: JsonSchema | None) -> dict[str, Any]:
    body: dict[str, Any] = {
        "model": model,
        "messages": [_message(message) for message in messages],
        "stream": True,
    }
    if schema is None:
        return body
    response_format = {"name": "answer", "schema": schema, "strict": True}
    return body | {"response_format": {"type": "json_schema", "json_schema": response_format}}


def _tools_body(model: str, messages: Sequence[Message], tools: Sequence[ToolSpec]) -> dict[str, Any]:
    listed = [
        {"name": tool.name, "description": tool.description, "parameters": dict(tool.parameters)} for tool in tools
    ]
    return _body(model, messages, None) | {"tools": [{"type": "function", "function": one} for one in listed]}


def _message(message: Message) -> dict[str, Any]:
    table: dict[str, Any] = {"role": str(message.role), "content": message.text}
    if message.role is Role.TOOL:
        return table | {"tool_call_id": message.call_id}
    if not message.calls:
        return table
    calls = [
        {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
        for call in message.calls
    ]
    return table | {"tool_calls": calls}


def _of_event(event: Event, data: Any) -> Piece:
    if event.data.strip() == DONE:
        return Piece(stop=Stop.END)
    return _piece(data, "delta")


def _of_answer(answer: Any) -> Piece:
    return _piece(answer, "message")


def _piece(data: Any, field: str) -> Piece:
    table = as_object(data)
    if error := table.get("error"):
        return Piece(error=as_text(as_object(error).get("message")) or as_text(error) or "an error without words")
    choices = table.get("choices")
    if not isinstance(choices, list) or not choices:
        return Piece()
    choice = as_object(choices[0])
    message = as_object(choice.get(field))
    reason = as_text(choice.get("finish_reason"))
    refusal = as_text(message.get("refusal"))
    stop = STOPS.get(reason, Stop.END if reason else Stop.NO)
    return Piece(as_text(message.get("content")), stop, refusal, calls=tuple(_calls(message.get("tool_calls"))))


def _calls(listed: Any) -> Iterator[CallPart]:
    for place, one in enumerate(listed if isinstance(listed, list) else ()):
        table = as_object(one)
        function = as_object(table.get("function"))
        index, arguments = table.get("index"), function.get("arguments")
        yield CallPart(
            index if isinstance(index, int) else place,
            as_text(table.get("id")),
            as_text(function.get("name")),
            json.dumps(arguments) if isinstance(arguments, dict) else as_text(arguments),
        )


CHAT = Wire(_body, _of_event, _of_answer, _tools_body)
