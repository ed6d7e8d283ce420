"""Answers of the server, and the headers that all of them have."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from starlette.responses import Response

__all__ = ["SAFE_HEADERS", "body_response", "error_response", "fault_response", "json_bytes", "json_response"]

RETRY_SECONDS = 2
NOTES = "coderag-notes"
SAFE_HEADERS = (
    (b"content-security-policy", b"default-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'"),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
)


def json_bytes(value: Any) -> bytes:
    """Return a value as JSON in ASCII; names of files that are not UTF-8 survive as lone surrogates."""
    return json.dumps(value).encode("ascii") + b"\n"


def body_response(body: bytes, status: int = 200, *, notes: Sequence[str] = (), **headers: str) -> Response:
    """Return what is JSON already, with notes on what is not in it as a list in the header `coderag-notes`."""
    known = {"cache-control": "no-store", **headers}
    if notes:
        known[NOTES] = json.dumps(notes)
    return Response(body, status, known, media_type="application/json")


def json_response(value: Any, status: int = 200, *, headers: Mapping[str, str] | None = None) -> Response:
    """Return a value as JSON."""
    return body_response(json_bytes(value), status, **(headers or {}))


def error_response(status: int, why: str) -> Response:
    """Return what went wrong, and where it helps to come again, when."""
    headers = {"retry-after": str(RETRY_SECONDS)} if status == 503 else {}
    if status == 401:
        headers["www-authenticate"] = 'Bearer realm="coderag"'
    if status in (408, 413, 431):
        headers["connection"] = "close"  # the rest of the request is not read
    return json_response({"error": why}, status, headers=headers)


def fault_response(error: Exception) -> Response:
    """Return that something went wrong which should not; the log has the rest."""
    return error_response(500, f"{type(error).__name__}; this is a fault of coderag, and its log says more")
