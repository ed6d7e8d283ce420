"""The endpoints to routes: a request to its parameters, and what a thread answers to JSON."""

from __future__ import annotations

import json
from typing import Any

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from coderag.errors import AccessError, CoderagError, QueryError, RootError, StoredIndexError
from coderag.serve.http.desk import Desk
from coderag.serve.http.endpoints import ENDPOINTS, Endpoint, NotIndexedError, answer_record
from coderag.serve.http.openapi import openapi
from coderag.serve.http.parameters import decoded
from coderag.serve.http.responses import error_response, json_response

__all__ = ["answered", "api_routes"]

# The first that fits.
STATUS: tuple[tuple[type[Exception], int], ...] = (
    (NotIndexedError, 404),
    (QueryError, 400),
    (AccessError, 403),
    (RootError, 503),
    (StoredIndexError, 503),
    (CoderagError, 503),
    (TimeoutError, 503),
)


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
    return await answered(desk, lambda: json_response(answer_record(endpoint, desk.workspace(request), asked)))


async def answered(desk: Desk, answer: Any) -> Response:
    """Return the response that a function gives in a thread, or that of what it raises."""
    try:
        response: Response = await desk.in_thread(answer)
    except (CoderagError, TimeoutError) as error:
        status = next(status for kind, status in STATUS if isinstance(error, kind))
        why = (
            "this took too long and was given up; ask for less, or again" if isinstance(error, TimeoutError) else error
        )
        return error_response(status, str(why))
    return response


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
