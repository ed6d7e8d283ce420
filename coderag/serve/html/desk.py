"""What the pages need of a server."""

from __future__ import annotations

from typing import Protocol

from starlette.requests import HTTPConnection

from coderag.serve.workspace import View

__all__ = ["Desk"]


class Desk(Protocol):
    """What answers requests, each as its caller may see the index; both methods may wait, and raise CoderagError."""

    def view(self, request: HTTPConnection) -> View:
        """Return the index as the caller of a request sees it."""

    def graph_view(self, request: HTTPConnection) -> View:
        """Return the same with a graph that answers at once; raises IndexMissingError while it is being made."""
