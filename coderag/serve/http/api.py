"""The endpoints to routes: a request to its parameters, and what a thread answers to JSON."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from coderag.errors import CoderagError, QueryError
from coderag.serve.http.desk import Desk
from coderag.serve.http.endpoints import ENDPOINTS, Asking, Endpoint, answer_record
from coderag.serve.http.event_stream import Event, Tell, accepts_events
from coderag.serve.http.failures import failure_of
from coderag.serve.http.openapi import openapi
from coderag.serve.http.parameters import decoded
from coderag.serve.http.responses import error_response, json_response

__all__ = ["answered", "api_routes"]


def api_routes(desk: Desk) -> list[Route]:
    """Return the routes of all endpoints, and of what describes them."""

    async def describe(_: Request) -> Response:
        return json_response(openapi())

    described = Route("/api/openapi.json", describe, methods=["GET"])
    return [described, *(_route(desk, endpoint) for endpoint in ENDPOINTS.values())]


def _route(desk: Desk, endpoint: Endpoint) -> Route:
    async def handle(request: Request) -> Response:
        return await _handle(request, desk, endpoint)

    path = f"/api/{endpoint.name}" + (f"/{{{endpoint.in_path}:path}}" if endpoint.in_path else "")
    return Route(path, handle, methods=["GET", *(["POST"] if endpoint.posts else [])])


async def _handle(request: Request, desk: Desk, endpoint: Endpoint) -> Response:
    try:
        asked = decoded(endpoint.parameters, await _given(request))
    except QueryError as error:
        return error_response(400, str(error))
    except ClientDisconnect:
        return error_response(400, "the request ended before its body")
    workspace, owner = desk.workspace(request), desk.owner(request)
    if endpoint.told is not None and (asked.stream or accepts_events(request)):

        def answer(tell: Tell) -> Event:
            return Event("answer", answer_record(endpoint, workspace, asked, Asking(owner, tell)))

        return desk.events(answer)
    asks_model = endpoint.told is not None and bool(workspace.language_model)

    def whole() -> Response:
        return json_response(answer_record(endpoint, workspace, asked, Asking(owner)))

    return await answered(desk, whole, asks_model=asks_model)


async def answered(desk: Desk, answer: Callable[[], Response], *, asks_model: bool = False) -> Response:
    """Return the response that a function gives in a thread, or that of what it raises."""
    try:
        return await desk.in_thread(answer, asks_model=asks_model)
    except (CoderagError, TimeoutError) as error:
        return error_response(*failure_of(error))


async def _given(request: Request) -> list[tuple[str, Any]]:
    """Return the parameters of a request by their names; raises QueryError."""
    given: list[tuple[str, Any]] = [*request.query_params.multi_items(), *request.path_params.items()]
    if request.method != "POST":
        return given
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        raise QueryError("a body is JSON: Content-Type: application/json")
    try:
        record = json.loads(await request.body())
    except (ValueError, RecursionError) as error:
        raise QueryError(f"the body is not JSON: {error}") from None
    if not isinstance(record, dict):
        raise QueryError("the body is no object")
    return [*given, *record.items()]
