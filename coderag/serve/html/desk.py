"""What the pages need of a server."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from starlette.requests import HTTPConnection
from starlette.responses import Response

from coderag.serve.http.event_stream import Event, Tell
from coderag.serve.http.response_cache import ResponseCache
from coderag.serve.workspace import View

__all__ = ["Desk"]


class Desk(Protocol):
    """What answers requests, each as its caller may see the index; the views may wait, and raise CoderagError."""

    @property
    def language_model(self) -> str:
        """The model that writes answers to questions, "" for none."""

    @property
    def responses(self) -> ResponseCache:
        """The pages that were made of a state of an index."""

    def owner(self, request: HTTPConnection) -> str:
        """Return what tells the caller of a request from others, whose conversations are not shared."""

    def view(self, request: HTTPConnection) -> View:
        """Return the index as the caller of a request sees it."""

    def graph_view(self, request: HTTPConnection) -> View:
        """Return the same with a graph that answers at once; raises IndexMissingError while it is being made."""

    def events(self, answer: Callable[[Tell], Event]) -> Response:
        """Return what a function tells that runs in a thread, as events; it returns the last one."""
