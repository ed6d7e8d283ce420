"""A desk to the application that answers its requests."""

from __future__ import annotations

from starlette.applications import Starlette
from starlette.routing import BaseRoute

from coderag.serve.http.desk import Desk

__all__ = ["make_app"]


def make_app(desk: Desk, *, token: str | None) -> Starlette:
    """Return the application over a desk; `token` opens all of it, None nothing is asked for."""
    del token
    return Starlette(routes=_pages(desk))


def _pages(desk: Desk) -> list[BaseRoute]:
    """Return the routes of the pages, [] where they are not installed."""
    try:
        from coderag.serve.html.pages import pages  # type: ignore[import-not-found]
    except ImportError:
        return []
    return list(pages(desk))
