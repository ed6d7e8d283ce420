"""The helpers of this user: what they are doing, and how they are ended."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Collection
from contextlib import closing, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from coderag.resident.request import HEADER, MAGIC, MOST_BYTES, STATUS, STOP, encode
from coderag.resident.sockets import AVAILABLE, ENDING, connect, process_identity, runtime_folder

if TYPE_CHECKING:
    from _socket import socket

__all__ = ["HelperState", "running_helpers", "stop_helpers"]

SECONDS = 5.0  # for a helper that is busy to answer, or to end
POLL_SECONDS = 0.01


@dataclass(frozen=True, slots=True)
class HelperState:
    """What a helper says of itself."""

    pid: int
    version: str
    python: str  # the interpreter
    started: float  # in seconds since 1970
    answered: int  # commands
    running: int  # commands that it is answering now
    indexes: tuple[tuple[str, ...], ...]  # the roots of each index that it has open


def running_helpers() -> list[HelperState]:
    """Return the helpers of this user that listen, of any version."""
    states = [_asked(path, STATUS) for path in _sockets()]
    return [state for state in states if state is not None]


def stop_helpers(*, of: Collection[str] | None = None) -> list[HelperState]:
    """End helpers of this user, and return what they were doing; commands that they are answering end first.

    All of them; or those that have the index of one `of` some roots open.
    """
    stopped = []
    for path in _sockets():
        if of is not None and not _serves(_asked(path, STATUS), of):
            continue
        state = _asked(path, STOP)
        if state is None:
            continue
        stopped.append(state)
        until = time.monotonic() + SECONDS
        while os.path.lexists(path) and time.monotonic() < until:
            time.sleep(POLL_SECONDS)
    return stopped


def _serves(state: HelperState | None, roots: Collection[str]) -> bool:
    """Tell whether a helper has the index of one of some roots open."""
    return state is not None and any(not set(roots).isdisjoint(index) for index in state.indexes)


def _sockets() -> list[str]:
    folder = runtime_folder()
    if not AVAILABLE:
        return []
    with suppress(OSError):
        return sorted(os.path.join(folder, name) for name in os.listdir(folder) if name.endswith(ENDING))  # noqa: PTH208
    return []


def _asked(path: str, kind: str) -> HelperState | None:
    """Return the state of the helper at a path, None if nobody answers there."""
    try:
        with closing(connect(path, seconds=SECONDS)) as connection:
            connection.sendall(encode(kind, process_identity(), []))
            return _state(_table(connection))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _table(connection: socket) -> dict[str, Any]:
    data = b""
    while part := connection.recv(65_536):
        data += part
        if len(data) > MOST_BYTES:
            raise ValueError("too long")
    magic, size = HEADER.unpack_from(data.ljust(HEADER.size))
    if magic != MAGIC or len(data) != HEADER.size + size:
        raise ValueError("another protocol")
    table: dict[str, Any] = json.loads(data[HEADER.size :])
    return table


def _state(table: dict[str, Any]) -> HelperState:
    return HelperState(
        int(table["pid"]),
        str(table["version"]),
        str(table["python"]),
        float(table["started"]),
        int(table["answered"]),
        int(table["running"]),
        tuple(tuple(map(str, roots)) for roots in table["indexes"]),
    )
