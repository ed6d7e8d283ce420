"""A token that a page posts to the cookie that pages are asked for with."""

from __future__ import annotations

import json
from collections.abc import Sequence
from urllib.parse import parse_qs

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from coderag.serve.http.guard import cookie_name
from coderag.serve.http.keys import Key, find_key
from coderag.serve.http.login_page import PAGE, SCRIPT
from coderag.serve.http.responses import error_response, json_response

__all__ = ["login_routes"]


def login_routes(keys: Sequence[Key] | None) -> list[Route]:
    """Return the page that asks for a token, its script, and what they post it to."""

    async def login(request: Request) -> Response:
        return await _login(request, keys)

    return [
        Route("/api/login", login, methods=["POST"]),
        Route("/login", lambda _: Response(PAGE, media_type="text/html"), methods=["GET"]),
        Route("/login.js", lambda _: Response(SCRIPT, media_type="text/javascript"), methods=["GET"]),
    ]


async def _login(request: Request, keys: Sequence[Key] | None) -> Response:
    is_form = request.headers.get("content-type", "").partition(";")[0] == "application/x-www-form-urlencoded"
    token = _token(await request.body(), is_form=is_form)
    if token is None:
        return error_response(400, 'give {"token": TOKEN} as JSON')
    if keys is not None and find_key(keys, token) is None:
        return error_response(401, "this is no token of this server")
    answer = RedirectResponse("/", 303) if is_form else json_response({"ok": True})
    if keys is not None:
        answer.set_cookie(cookie_name(request.scope), token, httponly=True, samesite="strict", path="/")
    return answer


def _token(body: bytes, *, is_form: bool) -> str | None:
    """Return the token of a body, None if it has none."""
    try:
        if is_form:
            return parse_qs(body.decode()).get("token", [None])[0]
        record = json.loads(body)
    except (ValueError, RecursionError):
        return None
    token = record.get("token") if isinstance(record, dict) else None
    return token if isinstance(token, str) else None
