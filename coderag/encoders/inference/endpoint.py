"""A request to a model behind HTTP, to its answer: retried where that helps, refused where it is no answer."""

from __future__ import annotations

import json
import os
import random
import socket
import ssl
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.message import Message
from email.utils import parsedate_to_datetime
from http.client import HTTPException, HTTPResponse
from typing import Any, NoReturn, TypeVar
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from coderag._version import __version__
from coderag.encoders.presets import key_names
from coderag.encoders.trust import check_host
from coderag.errors import ModelError

__all__ = ["TRIES_IN_A_HURRY", "Endpoint", "Reply", "open_endpoint"]

TIMEOUT = 60  # seconds, for one request with its answer
TRIES = 5
TRIES_IN_A_HURRY = 2  # while somebody waits for the answer to a question
TRIES_OF_THE_SILENT = 2  # an endpoint that says nothing for so long will hardly speak
AT_ONCE = 4  # requests
FIRST_WAIT = 0.5  # seconds, doubled from try to try
LONGEST_WAIT = 60.0
AGAIN = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
MAX_BYTES = 256 << 20
READ_BYTES = 1 << 16
SHOWN = 300  # characters of what an endpoint says about an error
STREAM_TIMEOUTS = 5  # how many times the limit for one request a stream may take that keeps coming
CUT_TEXTS = "; texts that are too long for it are cut with max_tokens="

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer that is read while it is written."""

    media_type: str
    parts: Iterator[bytes]  # of any size


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where a model answers; `repr` and errors show no key."""

    url: str
    error: type[ModelError]
    key: str = field(default="", repr=False)
    timeout: float = TIMEOUT
    headers: Mapping[str, str] = field(default_factory=dict)  # that the API asks for besides
    key_header: str = ""  # that the key alone is the value of; "": Authorization
    too_long: str = CUT_TEXTS  # what to do about a request that is refused for what is in it

    @property
    def name(self) -> str:
        """The address to show."""
        parts = urlsplit(self.url)
        return f"{parts.scheme}://{parts.netloc}{parts.path}"

    def post(self, body: Mapping[str, Any], *, tries: int = TRIES) -> Any:
        """Return the JSON that an endpoint answers with; raises its error, with what the endpoint said."""
        request = self._request(body)
        return self._repeated(lambda: self._answer(request), tries)

    @contextmanager
    def open(self, body: Mapping[str, Any], *, tries: int = TRIES_IN_A_HURRY) -> Iterator[Reply]:
        """Open an answer that is read while it is written; it is asked for again only until its first part came.

        Opening it and reading its parts raise the endpoint's error.
        """
        request = self._request(body)
        with self._repeated(lambda: self._opened(request), tries) as response:
            yield Reply(response.headers.get_content_type(), self._parts(response))

    def post_all(self, bodies: Sequence[Mapping[str, Any]], *, tries: int = TRIES) -> list[Any]:
        """Return the answers to several requests, in order, a few at a time; the first error ends them all."""
        if len(bodies) == 1:
            return [self.post(bodies[0], tries=tries)]
        with ThreadPoolExecutor(AT_ONCE) as pool:
            waiting = [pool.submit(self.post, body, tries=tries) for body in bodies]
            try:
                return [one.result() for one in waiting]
            finally:
                pool.shutdown(wait=False, cancel_futures=True)

    def shown(self, data: bytes) -> str:
        """Return the beginning of what the endpoint said, on one line and without the key."""
        text = " ".join(data[: 4 * SHOWN].decode("utf-8", "replace").split())[:SHOWN]
        return text.replace(self.key, "***") if self.key else text

    def _request(self, body: Mapping[str, Any]) -> Request:
        return Request(self.url, json.dumps(body).encode(), self._headers(), method="POST")

    def _repeated(self, ask: Callable[[], T], tries: int) -> T:
        """Return what asking gives, the first time or a later one."""
        for attempt in range(1, tries + 1):
            try:
                return ask()
            except _AgainError as again:
                if attempt >= min(tries, again.tries):
                    raise self.error(f"{self.name} {again.reason}; tried {_times(attempt)}") from again
                time.sleep(self._wait(again, attempt))
        raise AssertionError("tries is 1 at least")

    def _headers(self) -> dict[str, str]:
        headers = {
            "Content-Type": "application/json",
            "Accept": "application/json",
            "User-Agent": f"coderag/{__version__}",
            **self.headers,
        }
        if not self.key:
            return headers
        if self.key_header:
            return headers | {self.key_header: self.key}
        azure = (urlsplit(self.url).hostname or "").endswith(".azure.com")
        return headers | ({"api-key": self.key} if azure else {"Authorization": f"Bearer {self.key}"})

    def _answer(self, request: Request) -> Any:
        deadline = time.monotonic() + self.timeout
        with self._excused(), build_opener(_NoRedirects).open(request, timeout=self.timeout) as response:
            data = self._read(response, deadline)
        try:
            return json.loads(data)
        except (ValueError, RecursionError) as error:
            raise self.error(f"{self.name} answered with what is no JSON: {self.shown(data)!r}") from error

    def _opened(self, request: Request) -> HTTPResponse:
        with self._excused():
            response: HTTPResponse = build_opener(_NoRedirects).open(request, timeout=self.timeout)
            return response
        raise AssertionError("what is excused is raised as something else")

    @contextmanager
    def _excused(self) -> Iterator[None]:
        """Raise what goes wrong on the way as the endpoint's error, or as one after which asking again may help."""
        try:
            yield
        except HTTPError as error:
            self._refused(error)
        except TimeoutError as error:
            raise _AgainError(f"did not answer within {self.timeout:g} s", tries=TRIES_OF_THE_SILENT) from error
        except URLError as error:
            self._unreachable(error)
        except (HTTPException, ConnectionError) as error:
            raise _AgainError(f"broke off its answer ({type(error).__name__})") from error

    def _parts(self, response: HTTPResponse) -> Iterator[bytes]:
        """Yield an answer part by part; neither its pauses nor all of it may take too long."""
        deadline = time.monotonic() + STREAM_TIMEOUTS * self.timeout
        size = 0
        try:
            while part := self._part(response):
                size += len(part)
                if size > MAX_BYTES:
                    raise self.error(f"{self.name} answered with more than {MAX_BYTES >> 20} MB")
                if time.monotonic() > deadline:
                    raise self.error(f"{self.name} did not end its answer within {STREAM_TIMEOUTS * self.timeout:g} s")
                yield part
        except _AgainError as again:
            raise self.error(f"{self.name} {again.reason}") from again

    def _part(self, response: HTTPResponse) -> bytes:
        with self._excused():
            return response.read1(READ_BYTES)
        raise AssertionError("what is excused is raised as something else")

    def _read(self, response: HTTPResponse, deadline: float) -> bytes:
        """Return the answer; one that comes in drops does not get around the time limit."""
        parts: list[bytes] = []
        size = 0
        while part := response.read1(READ_BYTES):
            parts.append(part)
            size += len(part)
            if size > MAX_BYTES:
                raise self.error(f"{self.name} answered with more than {MAX_BYTES >> 20} MB")
            if time.monotonic() > deadline:
                raise TimeoutError
        return b"".join(parts)

    def _refused(self, error: HTTPError) -> NoReturn:
        with error:
            try:
                body = self.shown(error.read(READ_BYTES))
            except (OSError, HTTPException):
                body = ""
        reason = f"answered {error.code}: {body or error.reason}"
        if error.code in AGAIN:
            raise _AgainError(reason, wait=_retry_after(error.headers)) from error
        if error.code in {401, 403}:
            reason += f"; is the key right in {' or '.join(key_names(self.url))}?"
        if error.code in {400, 413, 422}:
            reason += self.too_long
        raise self.error(f"{self.name} {reason}") from error

    def _unreachable(self, error: URLError) -> NoReturn:
        reason = error.reason
        if isinstance(reason, TimeoutError):
            raise _AgainError(f"did not answer within {self.timeout:g} s", tries=TRIES_OF_THE_SILENT) from error
        if isinstance(reason, OSError) and not isinstance(reason, socket.gaierror | ssl.SSLCertVerificationError):
            raise _AgainError(f"cannot be reached: {reason.strerror or reason}") from error
        raise self.error(f"{self.name} cannot be reached: {reason}") from error

    def _wait(self, again: _AgainError, attempt: int) -> float:
        """Return how long to wait in seconds, a little random so that many do not come back at once."""
        if again.wait > LONGEST_WAIT:
            raise self.error(f"{self.name} {again.reason}; it asks to come back in {again.wait:.0f} s")
        usual = FIRST_WAIT * 2 ** (attempt - 1)
        return again.wait if again.wait >= 0 else min(LONGEST_WAIT, usual * random.uniform(1, 1.25))


class _AgainError(Exception):
    """An answer that may be another one when asked again; `wait` is what the endpoint asks for, -1 for nothing."""

    def __init__(self, reason: str, *, wait: float = -1.0, tries: int = TRIES) -> None:
        super().__init__(reason)
        self.reason, self.wait, self.tries = reason, wait, tries


class _NoRedirects(HTTPRedirectHandler):
    """Redirects are errors: a key must not follow one to another host."""

    def redirect_request(self, *_args: Any, **_named: Any) -> None:
        """Follow none."""


def open_endpoint(
    url: str,
    *,
    error: type[ModelError],
    trusted: bool,
    timeout: float = 0,
    environment: Mapping[str, str] = os.environ,
) -> Endpoint:
    """Return the endpoint at an address, with the key that the environment holds for it; nothing is sent yet.

    Raises the error for one on another machine that the user did not name.
    """
    check_host(url, trusted=trusted, error=error, environment=environment)
    key = next((environment[name] for name in key_names(url) if environment.get(name)), "")
    if not key.isprintable() or not key.isascii():
        raise error("the key for the endpoint has characters that no header may hold")
    return Endpoint(url, error, key, timeout or TIMEOUT)


def _retry_after(headers: Message) -> float:
    """Return the seconds that Retry-After asks for (RFC 9110, 10.2.3: a number or a date), -1 for none."""
    value = (headers.get("Retry-After") or "").strip()
    if value.isdigit():
        return float(value)
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - time.time())
    except ValueError:
        return -1.0


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"
