"""A desk over one workspace, and the pages of it as an application under the policy that a server sends."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import anyio.to_thread
from starlette.applications import Starlette
from starlette.datastructures import MutableHeaders
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from coderag.api.roots import resolve_roots
from coderag.serve.html.pages import pages
from coderag.serve.http.event_stream import Event, EventStream, Tell
from coderag.serve.http.response_cache import ResponseCache
from coderag.serve.workspace import View, Workspace

__all__ = ["POLICY", "OneDesk", "application"]

POLICY = "default-src 'self'"


class OneDesk:
    """A desk whose callers see all."""

    def __init__(self, *roots: Path, language_model: str = "") -> None:
        self.workspace = Workspace(resolve_roots(roots))
        self.language_model = language_model
        self.responses = ResponseCache()

    def owner(self, request: HTTPConnection) -> str:
        del request
        return "somebody"

    def view(self, request: HTTPConnection) -> View:
        del request
        return self.workspace.view()

    def graph_view(self, request: HTTPConnection) -> View:
        return self.workspace.with_graph(self.view(request))

    def events(self, answer: Callable[[Tell], Event]) -> EventStream:
        async def make(tell: Tell) -> Event:
            return await anyio.to_thread.run_sync(lambda: answer(tell))

        return EventStream(make)


def application(desk: OneDesk) -> ASGIApp:
    """Return the pages, each with the policy in its headers."""
    inner = Starlette(routes=pages(desk))

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        async def with_policy(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message)["content-security-policy"] = POLICY
            await send(message)

        await inner(scope, receive, with_policy)

    return answer
