"""The tools over streamable HTTP: each request is answered by itself, and no session is kept."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any

from mcp.server.context import ServerRequestContext
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

from coderag.serve.mcp.calls import Calls
from coderag.serve.mcp.opening import Opening
from coderag.serve.mcp.server import make_server
from coderag.serve.workspace import Workspace

__all__ = ["HttpTools"]


class HttpTools:
    """An ASGI application that answers the protocol's requests while it is running."""

    def __init__(
        self, workspace_of: Callable[[Any], Workspace], *, tools: Sequence[str], owner_of: Callable[[Any], str]
    ) -> None:
        """Answer calls of `tools`, each HTTP request from the workspace that a function has for it.

        `owner_of` tells the callers of requests apart, whose conversations are not shared.
        """
        self._tools = tuple(tools)
        self._workspace_of = workspace_of
        self._calls: dict[Workspace, Calls] = {}
        self._lock = threading.Lock()
        server = make_server(self._calls_of, self._tools, owner_of=lambda context: owner_of(context.request))
        self._manager = StreamableHTTPSessionManager(server, json_response=True, stateless=True)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer a request."""
        await self._manager.handle_request(scope, receive, send)

    def running(self) -> AbstractAsyncContextManager[None]:
        """Return the time in which requests are answered; it can be entered once."""
        return self._manager.run()

    def _calls_of(self, context: ServerRequestContext[Any]) -> Calls:
        workspace = self._workspace_of(context.request)
        with self._lock:
            if workspace not in self._calls:
                self._calls[workspace] = Calls(Opening(lambda: workspace), tools=self._tools, structured=False)
            return self._calls[workspace]
