"""Calls of tools to results of the protocol: each in a thread, a few at once, none for longer than a limit."""

from __future__ import annotations

import asyncio
import json
import sys
import threading
import traceback
from collections.abc import Collection, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from mcp_types import CallToolResult, TextContent

from coderag.errors import CoderagError
from coderag.serve.answer import Answer
from coderag.serve.mcp.opening import Opening
from coderag.serve.tools import MODEL_TOOLS, call

__all__ = ["Calls"]

MOST_AT_ONCE = 4  # calls; an agent asks for as many at once, and more would only share the cores
LONGEST_SECONDS = 30.0  # no tool takes as long, unless something hangs
MODEL_CALLS = 2  # that wait for a language model at once, apart from the others
MODEL_SECONDS = 300.0  # that such a call may take: a draft, a repair, and what the model looks up before


class Calls:
    """The threads that answer the calls of some tools over a workspace."""

    def __init__(self, opening: Opening, *, tools: Collection[str], structured: bool) -> None:
        """Answer calls of `tools` as text; where `structured`, also as data."""
        self._opening = opening
        self._tools = tools
        self._structured = structured
        self._threads = ThreadPoolExecutor(MOST_AT_ONCE, thread_name_prefix="call")
        self._model_threads = ThreadPoolExecutor(MODEL_CALLS, thread_name_prefix="ask")

    async def answer(self, name: str, arguments: Mapping[str, Any], *, owner: str = "") -> CallToolResult:
        """Return the result of a call; what went wrong is one that says so. A cancelled call is let go.

        `owner` is the caller of several whose conversations it may go on with.
        """
        if name not in self._tools:
            return _failure(f"unknown tool {name!r}; there are {', '.join(self._tools)}")
        asks_model = name in MODEL_TOOLS
        threads, seconds = (self._model_threads, MODEL_SECONDS) if asks_model else (self._threads, LONGEST_SECONDS)
        stopped = threading.Event()
        future = asyncio.wrap_future(threads.submit(self._answered, name, arguments, stopped, owner))
        try:
            done, _ = await asyncio.wait({future}, timeout=seconds)
        finally:
            future.cancel()  # which a call that waits for a thread obeys, and one that has it cannot
            stopped.set()  # which one obeys that waits for the words of a language model
        if not done:
            return _failure(f"{name} took more than {seconds:.0f} s and was given up; ask for less, or again")
        try:
            return self._result(future.result())
        except CoderagError as error:
            return _failure(str(error))
        except Exception as error:  # noqa: BLE001 - a fault of a tool must not end the server
            traceback.print_exception(error, file=sys.stderr)
            return _failure(
                f"{name} failed: {type(error).__name__}; this is a fault of coderag, and its standard error says more"
            )

    def _answered(self, name: str, arguments: Mapping[str, Any], stopped: threading.Event, owner: str) -> Answer:
        return call(self._opening.workspace(), name, arguments, stopped=stopped.is_set, owner=owner)

    def _result(self, answer: Answer) -> CallToolResult:
        content = TextContent(type="text", text=_encodable(answer.text))
        if not self._structured:
            return CallToolResult(content=[content])
        record = json.loads(_encodable(json.dumps(answer.record, ensure_ascii=False)))
        return CallToolResult(content=[content], structured_content=record)


def _failure(why: str) -> CallToolResult:
    return CallToolResult(content=[TextContent(type="text", text=_encodable(why))], is_error=True)


def _encodable(text: str) -> str:
    """Return a text without halves of surrogate pairs, which stand for bytes of file names and are no UTF-8."""
    return text.encode("utf-8", "replace").decode()
