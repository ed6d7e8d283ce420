"""The format of chat completions, which OpenAI, Ollama, vLLM, llama.cpp, LM Studio and others speak.

https://platform.openai.com/docs/api-reference/chat. No temperature is sent: reasoning models refuse any but their own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from coderag.ask.models.events import Event
from coderag.ask.models.model import JsonSchema, Message
from coderag.ask.models.piece import Piece, Stop, Wire, as_object, as_text

__all__ = ["CHAT", "DONE"]

DONE = "[DONE]"  # the last event, which is no JSON
STOPS = {"length": Stop.LENGTH, "content_filter": Stop.REFUSED}


def _body(model: str, messages: Sequence[Message], schema: JsonSchema | None) -> dict[str, Any]:
    body: dict[str, Any] = {
        "model": model,
        "messages": [{"role": str(message.role), "content": message.text} for message in messages],
        "stream": True,
    }
    if schema is None:
        return body
    wanted = {"name": "answer", "schema": schema, "strict": True}
    return body | {"response_format": {"type": "json_schema", "json_schema": wanted}}


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
    said = as_object(choice.get(field))
    reason = as_text(choice.get("finish_reason"))
    refusal = as_text(said.get("refusal"))
    stop = STOPS.get(reason, Stop.END if reason else Stop.NO)
    return Piece(as_text(said.get("content")), stop, refusal)


CHAT = Wire(_body, _of_event, _of_answer)
