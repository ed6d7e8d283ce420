"""Messages of the protocol to answers of the tools, for as long as there is somebody to answer."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Sequence
from typing import Any

import anyio
from mcp.server.caching import CacheHint
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp_types import (
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
    Tool,
    ToolAnnotations,
)

from coderag._version import __version__
from coderag.errors import CoderagError
from coderag.serve.descriptors import Descriptors
from coderag.serve.mcp.calls import Calls
from coderag.serve.mcp.opening import Opening
from coderag.serve.mcp.parent import call_when_orphaned
from coderag.serve.mcp.wire import open_wire
from coderag.serve.tools import INSTRUCTIONS, MODEL_TOOLS, TOOLS

__all__ = ["make_server", "serve"]

NAME = "coderag"
ENDING_SECONDS = 5.0  # after which the process ends though something hangs
LASTING = CacheHint(ttl_ms=3_600_000)  # what a server says of itself does not change while it runs
READ_ONLY = ToolAnnotations(read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False)
ASKS_MODEL = ToolAnnotations(read_only_hint=True, destructive_hint=False, idempotent_hint=False, open_world_hint=True)


def serve(opening: Opening, descriptors: Descriptors, *, tools: Sequence[str], structured: bool) -> None:
    """Answer calls of `tools` until the input ends, nobody reads the output, the parent dies, or a signal says so."""
    calls = Calls(opening, tools=tools, structured=structured)
    server = make_server(lambda _: calls, tools)
    try:
        anyio.run(_run, server, opening, descriptors)
    finally:
        _end_soon()
        opening.close()


def make_server(
    calls_of: Callable[[ServerRequestContext[Any]], Calls],
    tools: Sequence[str],
    *,
    owner_of: Callable[[ServerRequestContext[Any]], str] = lambda _: "",
) -> Server[Any]:
    """Return a server that offers tools and has what answers the caller of each request answer it.

    `owner_of` tells callers apart, whose conversations are not shared; "" is the user.
    """
    offered = [
        Tool(
            name=tool.name,
            description=tool.description,
            input_schema=tool.parameters,
            annotations=ASKS_MODEL if tool.asks_model else READ_ONLY,
        )
        for tool in ({**TOOLS, **MODEL_TOOLS}[name] for name in tools)
    ]

    async def list_tools(_: ServerRequestContext[Any], __: PaginatedRequestParams | None) -> ListToolsResult:
        return ListToolsResult(tools=offered)

    async def call_tool(context: ServerRequestContext[Any], params: CallToolRequestParams) -> CallToolResult:
        return await calls_of(context).answer(params.name, params.arguments or {}, owner=owner_of(context))

    return Server(
        NAME,
        version=__version__,
        instructions=INSTRUCTIONS,
        cache_hints={"tools/list": LASTING, "server/discover": LASTING},
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


async def _run(server: Server[Any], opening: Opening, descriptors: Descriptors) -> None:
    loop = asyncio.get_running_loop()
    with anyio.CancelScope() as scope:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            loop.add_signal_handler(number, scope.cancel)
        call_when_orphaned(lambda: _orphaned(loop, scope))
        threading.Thread(target=_prepare, args=(opening,), name="prepare", daemon=True).start()
        async with open_wire(descriptors) as (incoming, outgoing):
            await server.run(incoming, outgoing, server.create_initialization_options())


def _orphaned(loop: asyncio.AbstractEventLoop, scope: anyio.CancelScope) -> None:
    _end_soon()
    loop.call_soon_threadsafe(scope.cancel)


def _prepare(opening: Opening) -> None:
    try:
        opening.workspace().prepare()
    except CoderagError:  # the first call says it
        return
    except Exception:  # noqa: BLE001 - so does this
        traceback.print_exc(file=sys.stderr)


def _end_soon() -> None:
    """Let the process end within a time, whatever its threads wait for."""
    timer = threading.Timer(ENDING_SECONDS, os._exit, (0,))
    timer.daemon = True
    timer.start()
