"""A model on this machine that calls `search` once and then answers from its result, in the protocols of agents.

It streams the Responses and Chat Completions of OpenAI and the Messages of Anthropic, so that agents run without an
account.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

__all__ = ["ScriptedModel", "running_model"]

PLACE = re.compile(r"[\w./-]+\.py:\d+")
CALL = "call_1"
WAITING = "WaitForMcpServers"  # which Claude Code offers while servers start
Record = dict[str, Any]
Event = tuple[str, Record]


@dataclass(slots=True)
class ScriptedModel:
    """What a model says: it asks the tool that is offered as `search` a question, and cites the first place it gets."""

    question: str
    address: str = ""  # without a path
    offered: set[str] = field(default_factory=set)  # the names of all tools that an agent has sent
    results: list[str] = field(default_factory=list)  # what the calls brought, as an agent sent it

    @property
    def arguments(self) -> str:
        """Return the arguments of the call."""
        return json.dumps({"query": self.question})

    def answer(self, result: str) -> str:
        """Return the last words, which only the result of the call can lead to."""
        self.results.append(result)
        place = PLACE.search(result)
        return f"It is at {place[0] if place else 'no place'}."


@contextmanager
def running_model(question: str) -> Iterator[ScriptedModel]:
    """Yield a model that answers on a port of its own until the block ends."""
    model = ScriptedModel(question)
    handler = type("Handler", (_Handler,), {"model": model})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        server.daemon_threads = True
        model.address = f"http://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield model
        finally:
            server.shutdown()
            thread.join()


class _Handler(BaseHTTPRequestHandler):
    """Requests of an agent to events of a stream."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # else a body waits for the 40 ms after which headers are acknowledged
    model: ScriptedModel

    def log_message(self, *_: object) -> None:
        """Print nothing."""

    def do_HEAD(self) -> None:
        self._send(b"", "application/json")

    def do_GET(self) -> None:
        self._send(b'{"object": "list", "data": [{"id": "scripted", "object": "model"}]}', "application/json")

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["content-length"])) or b"{}")
        path = self.path.partition("?")[0]
        speakers = {"/responses": _responses, "/messages": _messages, "/chat/completions": _completions}
        speak = next((speak for end, speak in speakers.items() if path.endswith(end)), None)
        if speak is None:  # such as one that counts tokens
            self._send(b'{"input_tokens": 1}', "application/json")
            return
        events = "".join(f"event: {name}\ndata: {json.dumps(event)}\n\n" for name, event in speak(self.model, request))
        if speak is _completions:
            events = re.sub(r"^event: .*\n", "", events, flags=re.MULTILINE) + "data: [DONE]\n\n"
        self._send(events.encode(), "text/event-stream")

    def _send(self, body: bytes, kind: str) -> None:
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def _search(model: ScriptedModel, names: Iterable[str]) -> str:
    """Return the name under which an agent offers our tool, "" if it does not, as in a request for a title."""
    offered = [name for name in names if name]
    model.offered.update(offered)
    return next((name for name in offered if "coderag" in name and name.endswith("search")), "")


def _text(content: Any) -> str:
    """Return the texts of a content, which may be one text or blocks of several kinds."""
    if isinstance(content, str):
        return content
    if isinstance(content, Mapping):
        return _text(content.get("text") or content.get("content") or "")
    return "\n".join(map(_text, content or ()))


def _responses(model: ScriptedModel, request: Record) -> Iterator[Event]:
    """Answer as OpenAI's Responses do; Codex puts the tools of a server into a namespace."""
    names = {}
    for tool in request.get("tools") or ():
        for inner in tool.get("tools") or ():
            names[f"{tool['name']}.{inner['name']}"] = {"namespace": tool["name"], "name": inner["name"]}
        if tool.get("type") == "function":
            names[tool["name"]] = {"name": tool["name"]}
    name = _search(model, names)
    outputs = [item["output"] for item in request.get("input") or () if item.get("type") == "function_call_output"]
    item: Record = {"type": "function_call", "id": "item_1", "call_id": CALL, "status": "completed"}
    if name and not outputs:
        item |= {"arguments": model.arguments, **names[name]}
    else:
        words = model.answer(_text(outputs[-1])) if outputs else "Nothing to search with."
        part = {"type": "output_text", "text": words, "annotations": []}
        item |= {"type": "message", "role": "assistant", "content": [part]}
    usage = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
    usage_details = {"input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
    whole = {"id": "response_1", "object": "response", "model": "scripted", "usage": usage | usage_details}
    created = whole | {"status": "in_progress", "output": []}
    yield "response.created", {"type": "response.created", "response": created}
    yield "response.output_item.done", {"type": "response.output_item.done", "output_index": 0, "item": item}
    completed = whole | {"status": "completed", "output": [item]}
    yield "response.completed", {"type": "response.completed", "response": completed}


def _messages(model: ScriptedModel, request: Record) -> Iterator[Event]:
    """Answer as Anthropic's Messages do."""
    names = [tool.get("name", "") for tool in request.get("tools") or ()]
    name = _search(model, names)
    blocks = [
        block
        for message in request["messages"]
        if isinstance(message["content"], list)
        for block in message["content"]
        if block.get("type") == "tool_result" and block.get("tool_use_id") == CALL
    ]
    is_waiting = not name and WAITING in names
    is_call = is_waiting or (bool(name) and not blocks)
    if is_call:
        start: Record = {"type": "tool_use", "id": WAITING if is_waiting else CALL, "name": name or WAITING}
        start["input"] = {}
        delta = {"type": "input_json_delta", "partial_json": "{}" if is_waiting else model.arguments}
    else:
        start = {"type": "text", "text": ""}
        words = model.answer(_text(blocks[-1])) if blocks else "Nothing to search with."
        delta = {"type": "text_delta", "text": words}
    message: Record = {"id": "message_1", "type": "message", "role": "assistant", "model": "scripted", "content": []}
    message |= {"stop_reason": None, "stop_sequence": None, "usage": {"input_tokens": 1, "output_tokens": 1}}
    stop = {"stop_reason": "tool_use" if is_call else "end_turn", "stop_sequence": None}
    for event in (
        {"type": "message_start", "message": message},
        {"type": "content_block_start", "index": 0, "content_block": start},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": stop, "usage": {"output_tokens": 1}},
        {"type": "message_stop"},
    ):
        yield str(event["type"]), event


def _completions(model: ScriptedModel, request: Record) -> Iterator[Event]:
    """Answer as OpenAI's Chat Completions do."""
    name = _search(model, (tool["function"]["name"] for tool in request.get("tools") or ()))
    results = [message["content"] for message in request["messages"] if message["role"] == "tool"]
    is_call = bool(name) and not results
    delta: Record = {"role": "assistant", "content": None}
    if is_call:
        function = {"name": name, "arguments": model.arguments}
        delta["tool_calls"] = [{"index": 0, "id": CALL, "type": "function", "function": function}]
    else:
        delta["content"] = model.answer(_text(results[-1])) if results else "Nothing to search with."
    chunk = {"id": "completion_1", "object": "chat.completion.chunk", "created": 1, "model": "scripted"}
    yield "", chunk | {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
    end = {"index": 0, "delta": {}, "finish_reason": "tool_calls" if is_call else "stop"}
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    yield "", chunk | {"choices": [end], "usage": usage}
