"""The endpoints to routes: a request to its parameters, and what a thread answers to JSON."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from typing import Any

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from coderag.api.index import Index
from coderag.api.records import plain
from coderag.degraded import retrieval_warnings
from coderag.errors import CoderagError, QueryError
from coderag.serve.http.desk import Desk
from coderag.serve.http.endpoints import ENDPOINTS, Asking, Endpoint, view_of
from coderag.serve.http.event_stream import Event, Tell, accepts_events
from coderag.serve.http.failures import failure_of
from coderag.serve.http.parameters import decoded
from coderag.serve.http.response_cache import Made, digest_of
from coderag.serve.http.responses import body_response, error_response, json_bytes, json_response
from coderag.serve.workspace import Workspace

__all__ = ["answered", "api_routes"]


def api_routes(desk: Desk) -> list[Route]:
    """Return the routes of all endpoints, and of what describes them."""

    async def describe(_: Request) -> Response:
        from coderag.serve.http.openapi import openapi  # few ask for it, and it needs the types of all answers

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
        parameters = decoded(endpoint.parameters, await _given(request))
    except QueryError as error:
        return error_response(400, str(error))
    except ClientDisconnect:
        return error_response(400, "the request ended before its body")
    workspace, owner = desk.workspace(request), desk.owner(request)
    told = endpoint.told
    if told is not None and (parameters.stream or accepts_events(request)):

        def answer(tell: Tell) -> Event:
            return Event("answer", plain(told(workspace, parameters, Asking(owner, tell))))

        return desk.events(answer)
    if told is None:
        return await answered(desk, lambda: _answer(desk, endpoint, workspace, parameters))
    return await answered(
        desk,
        lambda: json_response(plain(told(workspace, parameters, Asking(owner)))),
        asks_model=bool(workspace.language_model),
    )


def _answer(desk: Desk, endpoint: Endpoint, workspace: Workspace, asked: Any) -> Response:
    """Return the answer of an endpoint, which may have been made for another request; raises CoderagError."""
    assert endpoint.answer is not None
    view = view_of(endpoint, workspace)
    make = partial(_made, endpoint.answer, view.index, asked)
    state = view.index.state
    made = (
        desk.responses.get((endpoint.name, state, digest_of(asked)), make, still=lambda: view.index.state == state)
        if endpoint.is_kept
        else make()
    )
    return body_response(made.body, notes=(*view.notes, *made.warnings))


def _made(answer: Callable[[Index, Any], Any], index: Index, asked: Any) -> Made:
    with retrieval_warnings() as warnings:
        body = json_bytes(plain(answer(index, asked)))
    return Made(body, tuple(warnings))


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
