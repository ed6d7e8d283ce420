"""The tools for agents at /mcp, whose library is imported when the first agent asks: it takes most of a second."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import anyio
import anyio.to_thread
from anyio.abc import TaskGroup, TaskStatus
from starlette.types import Receive, Scope, Send

from coderag.serve.http.desk import Desk

if TYPE_CHECKING:
    from coderag.serve.mcp.over_http import HttpTools

__all__ = ["ToolsApp"]


class ToolsApp:
    """An ASGI application over the tools."""

    def __init__(self, desk: Desk) -> None:
        """Answer from a desk."""
        self._desk = desk
        self._tools: HttpTools | None = None
        self._group: TaskGroup | None = None
        self._opening = anyio.Lock()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        tools = await self._opened()
        await tools(scope, receive, send)

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Answer requests in this block."""
        async with anyio.create_task_group() as group:
            self._group = group
            yield
            group.cancel_scope.cancel()

    async def _opened(self) -> HttpTools:
        async with self._opening:
            if self._tools is None:
                assert self._group is not None, "a request before the server started"
                tools = await anyio.to_thread.run_sync(self._imported)
                await self._group.start(_keep_running, tools)
                self._tools = tools
        return self._tools

    def _imported(self) -> HttpTools:
        from coderag.serve.mcp.over_http import HttpTools
        from coderag.serve.tools import offered

        return HttpTools(
            self._desk.workspace, tools=tuple(offered(self._desk.language_model)), owner_of=self._desk.owner
        )


async def _keep_running(tools: HttpTools, *, task_status: TaskStatus[None]) -> None:
    async with tools.running():
        task_status.started()
        await anyio.sleep_forever()
