"""A desk to the application that answers its requests: the API, the pages, the tools, and how all of it does."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from importlib.util import find_spec

import anyio.to_thread
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from coderag._version import __version__
from coderag.errors import AccessError
from coderag.serve.http.api import answered, api_routes
from coderag.serve.http.desk import GROUPS, THREADS, Desk
from coderag.serve.http.guard import Guard, Rules
from coderag.serve.http.keys import Key, key_of
from coderag.serve.http.login import login_routes
from coderag.serve.http.metrics import CONTENT_TYPE, Metrics
from coderag.serve.http.origins import hosts_of
from coderag.serve.http.responses import error_response, fault_response, json_response
from coderag.serve.http.tools import ToolsApp

__all__ = ["fail", "health", "make_app", "refuse"]


def make_app(
    desk: Desk, *, token: str | None, keys: Sequence[Key] = (), host: str = "127.0.0.1", is_one_of_many: bool = False
) -> Guard:
    """Return the application over a desk.

    `token` opens all of it, and each of `keys` what its groups may see; without any of both nothing is asked for.
    `host` is what it is bound to, by whose names it is asked for. The metrics of one of several processes say which.
    """
    known = [*([key_of(token)] if token is not None else []), *keys] or None
    metrics = Metrics(worker=str(os.getpid()) if is_one_of_many else "")
    tools = ToolsApp(desk) if find_spec("mcp") is not None else None
    routes: list[BaseRoute] = [
        *api_routes(desk),
        *login_routes(known),
        Route("/healthz", health, methods=["GET"]),
        _metrics_route(desk, metrics),
        *([Route("/mcp", tools)] if tools is not None else []),
        *_pages(desk),
        Route("/", _front, methods=["GET"]),  # where there are no pages
    ]

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        anyio.to_thread.current_default_thread_limiter().total_tokens = THREADS  # in which pages are made
        async with AsyncExitStack() as stack:
            if tools is not None:
                await stack.enter_async_context(tools.running())
            yield

    app = Starlette(routes=routes, lifespan=lifespan, exception_handlers={HTTPException: refuse, Exception: fail})
    app.router.redirect_slashes = False
    return Guard(app, rules=Rules(known, hosts_of(host)), metrics=metrics)


def _pages(desk: Desk) -> list[BaseRoute]:
    """Return the routes of the pages, [] if they are not installed."""
    try:
        from coderag.serve.html.pages import pages
    except ModuleNotFoundError:
        return []
    return list(pages(desk))


def _metrics_route(desk: Desk, metrics: Metrics) -> Route:
    async def handle(request: Request) -> Response:
        return await answered(desk, lambda: _metrics(request, desk, metrics))

    return Route("/metrics", handle, methods=["GET"])


def _metrics(request: Request, desk: Desk, metrics: Metrics) -> Response:
    """Return what was counted; raises AccessError for who may not see all, as it tells what others ask."""
    if request.scope[GROUPS] is not None:
        raise AccessError("metrics are for who may see all")
    statuses = desk.view(request).index.status(compare=False, schema=False)
    return Response(metrics.text(statuses, desk.responses.counts()), media_type=CONTENT_TYPE)


async def health(_: Request) -> Response:
    """Answer that the server does."""
    return json_response({"status": "ok"})


async def _front(_: Request) -> Response:
    return json_response({"name": "coderag", "version": __version__, "description": "/api/openapi.json"})


async def refuse(request: Request, error: Exception) -> Response:
    """Return the answer to a request that has no other."""
    assert isinstance(error, HTTPException)
    if error.status_code == 404:
        return error_response(404, f"there is no {request.url.path[:200]}; /api/openapi.json lists what there is")
    if error.status_code == 405:
        allowed = ", ".join(sorted((error.headers or {}).get("Allow", "").split(", ")))
        response = error_response(405, f"{request.method[:20]} is not for this path; {allowed} is")
        response.headers["allow"] = allowed
        return response
    return error_response(error.status_code, error.detail)


async def fail(_: Request, error: Exception) -> Response:
    """Return the answer where there should have been one."""
    return fault_response(error)
