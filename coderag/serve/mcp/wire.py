"""Lines on a descriptor to messages of the protocol, and messages to lines.

The SDK's own transport drops what is no message without an answer, reads lines of any length, and cannot end while its
pipe is open.
"""

from __future__ import annotations

import json
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, BinaryIO

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared.message import SessionMessage
from mcp_types import (
    INVALID_REQUEST,
    PARSE_ERROR,
    ErrorData,
    JSONRPCError,
    JSONRPCMessage,
    JSONRPCNotification,
    RequestId,
    jsonrpc_message_adapter,
)
from pydantic import ValidationError

from coderag.serve.descriptors import Descriptors

__all__ = ["open_wire"]

MAX_BYTES = 32_000_000  # of a message; no argument of a tool may be nearly as long
SKIPPED_BYTES = 1 << 20  # of the rest of a line that is too long, at a time
NO_MESSAGE = "this is no request and no notification of JSON-RPC 2.0"
LAST_SECONDS = 1.0  # that the answers to the last messages may take to be written

Incoming = MemoryObjectReceiveStream[SessionMessage | Exception]
Outgoing = MemoryObjectSendStream[SessionMessage]


class _NoMessageError(Exception):
    """A line that is no message, and the answer to it."""

    def __init__(self, code: int, message: str, number: RequestId | None = None) -> None:
        super().__init__(message)
        self.answer = JSONRPCError(jsonrpc="2.0", id=number, error=ErrorData(code=code, message=message))


@asynccontextmanager
async def open_wire(descriptors: Descriptors) -> AsyncIterator[tuple[Incoming, Outgoing]]:
    """Yield the messages that arrive, and where those go that are sent.

    The first end when the descriptor does; the block is cancelled when nobody reads the second.
    """
    arrived, incoming = anyio.create_memory_object_stream[SessionMessage | Exception]()
    outgoing, sent = anyio.create_memory_object_stream[SessionMessage]()
    async with anyio.create_task_group() as sending:
        sending.start_soon(_send, descriptors.writing, sent, sending.cancel_scope)
        async with anyio.create_task_group() as receiving:
            receiving.start_soon(_receive, descriptors.reading, arrived, outgoing.clone())
            yield incoming, outgoing
            receiving.cancel_scope.cancel()
        sending.cancel_scope.deadline = anyio.current_time() + LAST_SECONDS


async def _receive(
    descriptor: int, arrived: MemoryObjectSendStream[SessionMessage | Exception], refusals: Outgoing
) -> None:
    """Pass messages on until the input ends, and refuse lines that hold no message."""
    # Not closed: a thread may wait in it for as long as the process lives.
    file = os.fdopen(descriptor, "rb", closefd=False)
    async with arrived, refusals:
        while line := await anyio.to_thread.run_sync(_read_line, file, abandon_on_cancel=True):
            if not line.strip():
                continue
            try:
                await arrived.send(SessionMessage(_parse(line)))
            except _NoMessageError as error:
                await refusals.send(SessionMessage(error.answer))
            except anyio.BrokenResourceError:  # the server ends
                return


def _read_line(file: BinaryIO) -> bytes:
    """Return a line, b"" at the end; of one that is too long, no more than shows that it is."""
    try:
        line = rest = file.readline(MAX_BYTES + 1)
        while len(line) > MAX_BYTES and rest and not rest.endswith(b"\n"):
            rest = file.readline(SKIPPED_BYTES)
    except OSError:
        return b""
    return line


def _parse(line: bytes) -> JSONRPCMessage:
    """Return the message of a line; raises _NoMessageError."""
    if len(line) > MAX_BYTES:
        raise _NoMessageError(INVALID_REQUEST, f"a message has more than {MAX_BYTES:,} bytes")
    try:
        message = jsonrpc_message_adapter.validate_json(line.decode("utf-8", "replace"), by_name=False)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        if first["type"] == "json_invalid":
            raise _NoMessageError(PARSE_ERROR, first["msg"]) from None
        raise _NoMessageError(INVALID_REQUEST, NO_MESSAGE, _id(line)) from None
    # The SDK takes a request for a notification, which has no answer, where its id is null.
    if isinstance(message, JSONRPCNotification) and "id" in json.loads(line):
        raise _NoMessageError(INVALID_REQUEST, "the id of a request is a text or a whole number")
    return message


def _id(line: bytes) -> RequestId | None:
    """Return the id of what is JSON but no message, None if it has none."""
    record = json.loads(line)
    number = record.get("id") if isinstance(record, dict) else None
    return number if isinstance(number, str | int) and not isinstance(number, bool) else None


async def _send(descriptor: int, sent: MemoryObjectReceiveStream[SessionMessage], scope: anyio.CancelScope) -> None:
    """Write messages until there are no more, or nobody reads them."""
    async with sent:
        async for message in sent:
            line = _line(message.message.model_dump(by_alias=True, exclude_unset=True))
            try:
                await anyio.to_thread.run_sync(_write, descriptor, line, abandon_on_cancel=True)
            except OSError:  # the reader has gone, and with it what the server is for
                scope.cancel()
                return


def _line(message: dict[str, Any]) -> bytes:
    # Halves of surrogate pairs, which names of files may hold, are no UTF-8.
    return json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace") + b"\n"


def _write(descriptor: int, data: bytes) -> None:
    left = memoryview(data)
    while left:
        left = left[os.write(descriptor, left) :]
