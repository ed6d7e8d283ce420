"""A connection to an answer, in a copy of the helper: what a command would have done in the process that gave it.

The copy takes over the standard streams, the folder, the environment and the umask of that process, runs the command,
and ends. Nothing of it comes back to the helper but the names of what it opened and imported.
"""

from __future__ import annotations

import fcntl
import io
import os
import signal
import socket
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import NoReturn, Self

from coderag.api.preloaded import LeftToAsker, become_copy, opened_roots
from coderag.resident.records import Answered, send_report
from coderag.resident.request import (
    ACCEPTED,
    ANSWER,
    BY_LINE,
    DECLINED,
    ENDED,
    GO,
    HEADER,
    INTERRUPT,
    MAGIC,
    MOST_BYTES,
    STATUS,
)
from coderag.resident.sockets import is_own_peer

__all__ = ["Run", "Surroundings", "answer"]

Run = Callable[[Sequence[str]], int]
DESCRIPTORS = 4  # the current folder and the standard streams
PART_BYTES = 65_536  # of a request that are read at once
SECONDS = 10.0  # for a request to arrive
PYTHON_FAILED = 1  # the exit code of an interpreter that ended with a traceback


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a copy gets from the helper."""

    identity: str
    is_current: Callable[[], bool]  # whether the code is what is installed
    describe: Callable[[], bytes]  # what the helper is doing, as JSON
    stop: Callable[[], None]  # ends the helper
    reports: socket.socket
    run: Run


@dataclass(frozen=True, slots=True)
class _Request:
    """A command and what of the process that gave it matters."""

    kind: str
    identity: str
    umask: int
    niceness: int
    streams: tuple[tuple[str, str, str], ...]
    arguments: tuple[str, ...]
    variables: dict[str, str]

    @classmethod
    def of(cls, body: bytes) -> Self:
        """Decode a request; raises ValueError."""
        kind, identity, umask, niceness, *texts = body.decode("utf-8", "surrogateescape").split("\0")
        told, (count, *rest) = texts[:9], texts[9:]
        streams = tuple((told[at], told[at + 1], told[at + 2]) for at in range(0, 9, 3))
        arguments, variables = rest[: int(count)], rest[int(count) :]
        pairs = dict(variable.split("=", 1) for variable in variables)
        return cls(kind, identity, int(umask), int(niceness), streams, tuple(arguments), pairs)


def answer(connection: socket.socket, surroundings: Surroundings) -> NoReturn:
    """Answer what comes over a connection, and end this process."""
    try:
        _answer(connection, surroundings)
    except OSError:  # who asked has gone, or does not follow the protocol
        pass
    except BaseException:  # noqa: BLE001 - a copy has nobody to tell, and must never go on as the helper
        traceback.print_exc()
    finally:
        os._exit(PYTHON_FAILED)


def _answer(connection: socket.socket, surroundings: Surroundings) -> None:
    if not is_own_peer(connection):
        return
    connection.settimeout(SECONDS)
    request, descriptors = _received(connection)
    if request.kind != ANSWER:
        _control(connection, request.kind, surroundings)
        return
    if not surroundings.is_current():
        surroundings.stop()
        connection.sendall(DECLINED + b"\0")
        return
    if request.identity != surroundings.identity:
        connection.sendall(DECLINED + b"\0")
        return
    if len(descriptors) != DESCRIPTORS:
        return
    loaded = set(sys.modules)
    _take_place(request, descriptors)
    connection.sendall(ACCEPTED + b"\0")
    if connection.recv(1) != GO:
        return
    connection.settimeout(None)
    _follow(connection)
    code = _run(request.arguments, surroundings.run)
    signal.signal(signal.SIGIO, signal.SIG_IGN)
    if code is None:
        connection.sendall(DECLINED + b"\0")
    else:
        connection.sendall(ENDED + bytes([code]))
    connection.close()
    _release_streams()
    modules = tuple(sorted(set(sys.modules) - loaded))
    send_report(surroundings.reports, Answered(tuple(opened_roots()), modules=modules))


def _control(connection: socket.socket, kind: str, surroundings: Surroundings) -> None:
    """Tell how the helper is; all but a question about that ends it."""
    if kind != STATUS:
        surroundings.stop()
    told = surroundings.describe()
    connection.sendall(HEADER.pack(MAGIC, len(told)) + told)


def _received(connection: socket.socket) -> tuple[_Request, list[int]]:
    """Return a request and the descriptors with it; raises OSError for what is no request."""
    data, descriptors, _, _ = socket.recv_fds(connection, PART_BYTES, DESCRIPTORS)
    while len(data) < HEADER.size and (part := connection.recv(HEADER.size)):
        data += part
    if len(data) < HEADER.size:
        raise ConnectionError("no request")
    magic, size = HEADER.unpack_from(data)
    if magic != MAGIC or size > MOST_BYTES:
        raise ConnectionError("another protocol")
    while len(data) < HEADER.size + size and (part := connection.recv(PART_BYTES)):
        data += part
    try:
        return _Request.of(data[HEADER.size :]), descriptors
    except (ValueError, UnicodeError) as error:
        raise ConnectionError("no request") from error


def _take_place(request: _Request, descriptors: list[int]) -> None:
    """Make this process like the one that asks."""
    os.setpgid(0, 0)
    folder, *streams = descriptors
    os.fchdir(folder)
    os.close(folder)
    for number, descriptor in enumerate(streams):
        os.dup2(descriptor, number)
        os.close(descriptor)
    os.umask(request.umask)
    with suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, 0, request.niceness)
    os.environ.clear()
    os.environ.update(request.variables)
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    time.tzset()
    tempfile.tempdir = None  # it depends on the environment
    sys.argv[1:] = request.arguments
    _open_streams(request.streams)
    become_copy()


def _open_streams(told: Sequence[tuple[str, str, str]]) -> None:
    modes = ("rb", "wb", "wb")
    sys.stdin, sys.stdout, sys.stderr = (
        io.TextIOWrapper(os.fdopen(number, mode, closefd=False), encoding, errors, line_buffering=buffering == BY_LINE)
        for number, (mode, (encoding, errors, buffering)) in enumerate(zip(modes, told, strict=True))
    )


def _follow(connection: socket.socket) -> None:
    """Be interrupted when who asked is, and end when that process has gone."""

    def react(*_: object) -> None:
        try:
            received = connection.recv(1, socket.MSG_DONTWAIT)
        except BlockingIOError:
            return
        except OSError:
            received = b""
        os.kill(os.getpid(), signal.SIGINT if received == INTERRUPT else signal.SIGTERM)

    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGIO, react)
    fcntl.fcntl(connection, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(connection, fcntl.F_SETFL, fcntl.fcntl(connection, fcntl.F_GETFL) | os.O_ASYNC)


def _run(arguments: Sequence[str], run: Run) -> int | None:
    """Return the exit code of a command, None where who asked has to run it."""
    try:
        code = run(arguments)
    except LeftToAsker:
        return None
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else PYTHON_FAILED
    except BaseException:  # noqa: BLE001 - shown as the interpreter shows it
        traceback.print_exc()
        code = PYTHON_FAILED
    with suppress(OSError, ValueError):  # who reads has gone
        sys.stdout.flush()
        sys.stderr.flush()
    return code & 0xFF


def _release_streams() -> None:
    """Let go of what was printed to, as its reader waits for its end."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for number in range(3):
        os.dup2(nothing, number)
