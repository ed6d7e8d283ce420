"""An index in a store to the application that answers from it, and says of the rest that files are needed."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from coderag._version import __version__
from coderag.api.records import hit_record, plain
from coderag.degraded import retrieval_warnings
from coderag.errors import CoderagError, IndexUntrustedError, RemoteStoreError
from coderag.record import record
from coderag.serve.http.app import fail, health, refuse
from coderag.serve.http.desk import GROUPS
from coderag.serve.http.endpoints import ENDPOINTS, file_answer, outline_answer, read_search
from coderag.serve.http.failures import failure_of
from coderag.serve.http.guard import Guard, Rules
from coderag.serve.http.keys import Key, key_of
from coderag.serve.http.metrics import CONTENT_TYPE, Metrics
from coderag.serve.http.origins import hosts_of
from coderag.serve.http.parameters import decoded
from coderag.serve.http.response_cache import ResponseCounts
from coderag.serve.http.responses import body_response, error_response, json_bytes, json_response
from coderag.serve.http.store_desk import StoreDesk
from coderag.stores.stored_index import StoredIndex
from coderag.text.visible import visible

__all__ = ["make_store_app"]

GONE = "the store does not answer; the log of this server says more"


@record
class StoredStatus:
    """An index in a store, as its caller sees it."""

    repository: str
    index: str
    generation: int
    age_seconds: float  # of the generation
    segments: int
    chunks: int


def _search(index: StoredIndex, asked: Any) -> Any:
    return [hit_record(hit, whole=asked.context == "whole") for hit in index.search(read_search(asked))]


def _status(index: StoredIndex, _: object) -> Any:
    published, view = index.published()
    return [
        StoredStatus(
            repository=view.generation.repository,
            index=published.name,
            generation=published.number,
            age_seconds=round(published.age, 1),
            segments=len(view.segments),
            chunks=view.live_chunks,
        )
    ]


ANSWERS: Mapping[str, Callable[[StoredIndex, Any], Any]] = {
    "search": _search,
    "file": file_answer,
    "outline": outline_answer,
    "status": _status,
}
NAMES = f"{', '.join(list(ANSWERS)[:-1])} and {list(ANSWERS)[-1]}"


def make_store_app(
    desk: StoreDesk,
    *,
    token: str | None,
    keys: Sequence[Key] = (),
    host: str = "127.0.0.1",
) -> Guard:
    """Return the application over an index in a store; arguments are those of `make_app`."""
    known = [*([key_of(token)] if token is not None else []), *keys] or None
    metrics = Metrics()
    routes = [
        Route("/api/openapi.json", _describe, methods=["GET"]),
        *(_route(desk, name) for name in ENDPOINTS),
        Route("/healthz", health, methods=["GET"]),
        Route("/metrics", _metrics(metrics), methods=["GET"]),
        Route("/mcp", _needs_files, methods=["GET", "POST", "DELETE"]),
        Route("/", _front, methods=["GET"]),
    ]

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        yield
        desk.close()

    app = Starlette(routes=routes, lifespan=lifespan, exception_handlers={HTTPException: refuse, Exception: fail})
    app.router.redirect_slashes = False
    return Guard(app, rules=Rules(known, hosts_of(host)), metrics=metrics)


def _route(desk: StoreDesk, name: str) -> Route:
    endpoint = ENDPOINTS[name]

    async def handle(request: Request) -> Response:
        if name not in ANSWERS:
            return await _needs_files(request)
        try:
            parameters = decoded(endpoint.parameters, request.query_params.multi_items())
            return await desk.in_thread(lambda: desk.answer(request, lambda index: _answer(index, name, parameters)))
        except (RemoteStoreError, IndexUntrustedError) as error:
            # Who asks need not know where the database is, and as whom it is asked.
            print(f"coderag: {visible(str(error))}", file=sys.stderr, flush=True)
            return error_response(503, GONE)
        except (CoderagError, TimeoutError) as error:
            return error_response(*failure_of(error))

    path = f"/api/{name}" + (f"/{{{endpoint.in_path}:path}}" if endpoint.in_path else "")
    return Route(path, handle, methods=["GET", *(["POST"] if endpoint.posts else [])])


def _answer(index: StoredIndex, name: str, asked: Any) -> Response:
    with retrieval_warnings() as warnings:
        body = json_bytes(plain(ANSWERS[name](index, asked)))
    return body_response(body, notes=tuple(warnings))


async def _needs_files(request: Request) -> Response:
    what = request.url.path.removeprefix("/api/").strip("/").partition("/")[0]
    return error_response(501, f"a store answers {NAMES}; {what} needs the index in files: coderag serve --root")


async def _describe(_: Request) -> Response:
    from coderag.serve.http.openapi import openapi  # few ask for it, and it needs the types of all answers

    return json_response(openapi({name: ENDPOINTS[name] for name in ANSWERS}))


async def _front(_: Request) -> Response:
    return json_response({"name": "coderag", "version": __version__, "description": "/api/openapi.json"})


def _metrics(metrics: Metrics) -> Callable[[Request], Any]:
    async def handle(request: Request) -> Response:
        if request.scope[GROUPS] is not None:
            return error_response(403, "metrics are for who may see all")
        return Response(metrics.text((), ResponseCounts(0, 0, 0, 0)), media_type=CONTENT_TYPE)

    return handle
