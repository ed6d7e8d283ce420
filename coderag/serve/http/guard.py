"""What every request passes before it is answered: who asks, by which name, how much at once, and for how long."""

from __future__ import annotations

import sys
import time
import traceback
from collections.abc import Sequence
from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie

import anyio
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from coderag.serve.http.desk import GROUPS, OWNER
from coderag.serve.http.keys import Key, find_key
from coderag.serve.http.login_page import PAGE
from coderag.serve.http.metrics import Metrics
from coderag.serve.http.origins import Hosts
from coderag.serve.http.responses import SAFE_HEADERS, error_response, fault_response

__all__ = ["MAX_BODY_BYTES", "Guard", "Rules", "cookie_name"]

MAX_BODY_BYTES = 4_000_000  # four times the longest SQL, as JSON escapes it
MAX_HEADER_BYTES = 16_384
BODY_SECONDS = 10.0  # that a body may take to arrive
LINGER_SECONDS = 1.0  # that the rest of a body is read which nobody wants
MOST_REQUESTS = 512  # at once, those that wait for a thread included
OPEN = frozenset({"/healthz", "/api/login", "/login", "/login.js"})  # for whoever has no token yet
NO_ROUTE = "other"
EVERYBODY = "everybody"  # who asks where there are no tokens
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


@dataclass(frozen=True, slots=True)
class Rules:
    """Who is let in."""

    keys: Sequence[Key] | None  # None: everyone
    hosts: Hosts


class Guard:
    """An application around another one, which it asks only what its rules allow."""

    def __init__(self, app: ASGIApp, *, rules: Rules, metrics: Metrics) -> None:
        """Guard an application, and count its answers."""
        self._app = app
        self._rules = rules
        self._metrics = metrics
        self._last = time.monotonic()  # when a request came or an answer ended

    def idle_seconds(self) -> float:
        """Return for how long nothing was asked."""
        return 0.0 if self._metrics.in_flight else time.monotonic() - self._last

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        exchange = _Exchange(scope, receive, send)
        started = time.perf_counter()
        self._metrics.in_flight += 1
        try:
            await self._answer(scope, exchange)
        finally:
            self._metrics.in_flight -= 1
            self._last = time.monotonic()
            route = getattr(scope.get("route"), "path", NO_ROUTE)
            method = scope["method"] if scope["method"] in METHODS else NO_ROUTE
            self._metrics.count(route, method, exchange.status, seconds=time.perf_counter() - started)

    async def _answer(self, scope: Scope, exchange: _Exchange) -> None:
        try:
            self._check(scope)
            await self._app(scope, exchange.receive, exchange.send)
        except HTTPException as error:
            shown = error.status_code == 401 and _is_page(scope)
            refusal = error_response(error.status_code, error.detail)
            response = Response(PAGE, 401, media_type="text/html") if shown else refusal
            await exchange.refuse(response)
        except ClientDisconnect:
            return
        except Exception as error:  # noqa: BLE001 - a fault in one answer must not end the others
            traceback.print_exception(error, file=sys.stderr)
            await exchange.refuse(fault_response(error))

    def _check(self, scope: Scope) -> None:
        """Set the groups of the caller; raises HTTPException."""
        if sum(len(name) + len(value) for name, value in scope["headers"]) + len(_target(scope)) > MAX_HEADER_BYTES:
            raise HTTPException(431, f"the head of this request has more than {MAX_HEADER_BYTES:,} bytes")
        headers = Headers(scope=scope)
        if why := self._rules.hosts.fault_of(headers):
            raise HTTPException(403, why)
        length = headers.get("content-length", "0")
        if len(length) > 18 or int(length) > MAX_BODY_BYTES:
            raise HTTPException(413, f"the body of this request has more than {MAX_BODY_BYTES:,} bytes")
        if "transfer-encoding" in headers and "content-length" in headers:
            raise HTTPException(400, "a body has a Content-Length or is chunked, not both")
        if self._metrics.in_flight > MOST_REQUESTS:
            raise HTTPException(503, f"{MOST_REQUESTS} requests are being answered; ask again in a moment")
        scope[GROUPS] = self._groups(headers, scope)

    def _groups(self, headers: Headers, scope: Scope) -> frozenset[str] | None:
        """Return the groups of the caller, None for one who may see all, and note whose token it is.

        Raises HTTPException.
        """
        scope[OWNER] = EVERYBODY
        if self._rules.keys is None:
            return None
        token = _token(headers, cookie_name(scope))
        key = find_key(self._rules.keys, token) if token else None
        if key is not None:
            scope[OWNER] = key.owner
            return key.groups
        if scope["path"] in OPEN:
            return frozenset()
        raise HTTPException(401, "give the token of this server: Authorization: Bearer TOKEN")


def _is_page(scope: Scope) -> bool:
    """Tell whether a person looks at the answer."""
    is_data = scope["path"].startswith(("/api/", "/mcp", "/metrics"))
    return scope["method"] == "GET" and not is_data and "text/html" in Headers(scope=scope).get("accept", "")


def _has_body(scope: Scope) -> bool:
    headers = Headers(scope=scope)
    return "transfer-encoding" in headers or headers.get("content-length", "0") != "0"


def _target(scope: Scope) -> bytes:
    path: bytes = scope.get("raw_path") or b""
    query: bytes = scope["query_string"]
    return path + query


def _token(headers: Headers, cookie: str) -> str:
    """Return the token of a request, "" for none; a cookie is what the pages have."""
    scheme, _, token = headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer":
        return token.strip()
    try:
        morsel = SimpleCookie(headers.get("cookie", "")).get(cookie)
    except CookieError:
        return ""
    return morsel.value if morsel is not None else ""


def cookie_name(scope: Scope) -> str:
    """Return the name of the cookie that has the token; browsers share cookies between the ports of a host."""
    _, port = scope["server"]
    return f"coderag-token-{port}"


class _Exchange:
    """A request as it arrives, and its answer as it is sent, within limits."""

    def __init__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.status = 500
        self._scope = scope
        self._receive = receive
        self._send = send
        self._started = False
        self._arrived = not _has_body(scope)  # all of it
        self._bytes = 0
        self._deadline = anyio.current_time() + BODY_SECONDS

    async def receive(self) -> Message:
        """Return the next message; raises HTTPException for a body that is too long or too slow."""
        if self._arrived:
            return await self._receive()
        with anyio.move_on_at(self._deadline) as scope:
            message: Message = await self._receive()
        if scope.cancelled_caught:
            raise HTTPException(408, f"the body of this request took more than {BODY_SECONDS:g} s")
        self._bytes += len(message.get("body", b""))
        if self._bytes > MAX_BODY_BYTES:
            raise HTTPException(413, f"the body of this request has more than {MAX_BODY_BYTES:,} bytes")
        self._arrived = not message.get("more_body", False)
        return message

    async def send(self, message: Message) -> None:
        """Send a message, with the headers that all answers have."""
        if message["type"] == "http.response.start":
            self._started = True
            self.status = message["status"]
            names = {name for name, _ in message.get("headers", ())}
            more = [header for header in SAFE_HEADERS if header[0] not in names]
            message = {**message, "headers": [*message.get("headers", ()), *more]}
        elif not (self._arrived or message.get("more_body", False)):
            await self._send({**message, "more_body": True})
            await self._discard()
            message = {"type": "http.response.body"}
        await self._send(message)

    async def _discard(self) -> None:
        """Read on for a moment: a connection that is closed before takes the answer with it."""
        with anyio.move_on_after(LINGER_SECONDS):
            while not self._arrived:
                message = await self._receive()
                self._arrived = not message.get("more_body", False)

    async def refuse(self, response: Response) -> None:
        """Answer that something went wrong; nothing where an answer has begun."""
        if not self._started:
            await response(self._scope, self._receive, self.send)
