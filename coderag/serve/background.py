"""A server to a process without a terminal: one for the same roots and port, which is found again and ended.

Its record, with the address and the log, lies in the state folder of the user. The process holds a lock on its record
as long as it lives, so nobody mistakes another process for it.
"""

from __future__ import annotations

import fcntl
import json
import os
import signal
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import IO

from coderag.api.roots import Root
from coderag.errors import CoderagError
from coderag.resources import user_folder
from coderag.serve.copies import exit_after

__all__ = ["Background", "running", "start", "stop"]

READY = b"ready\n"
STARTING_SECONDS = 10.0  # until a server that holds its record has written it
HOLDING_SECONDS = 2.0  # that others may look at a record
ENDING_SECONDS = 15.0  # for a server that was told to end
POLL_SECONDS = 0.05
MAX_RECORD_BYTES = 1_000_000


@dataclass(frozen=True, slots=True)
class Background:
    """Where the server of some roots and a port leaves its record and its log."""

    record: Path
    log: Path

    @classmethod
    def of(cls, roots: Sequence[Root], *, host: str, port: int) -> Background:
        """Return the places of a server; raises CoderagError where the user has no folder for them."""
        key = "\0".join([host, *(str(root.root) for root in roots), *(str(root.folder) for root in roots)])
        stem = f"{sha256(key.encode('utf-8', 'surrogateescape')).hexdigest()[:16]}-{port}"
        try:
            folder = user_folder("XDG_STATE_HOME", ".local/state", os.environ) / "servers"
        except FileNotFoundError:
            raise CoderagError("there is no folder for the log of a server; set HOME or XDG_STATE_HOME") from None
        return cls(folder / f"{stem}.json", folder / f"{stem}.log")


def running(place: Background) -> str:
    """Return the address of a server that runs, "" if none does."""
    deadline = time.monotonic() + STARTING_SECONDS
    while (record := _record(place)) == {} and time.monotonic() < deadline:
        time.sleep(POLL_SECONDS)
    return str(record.get("address", "")) if record else ""


def start(place: Background, serve: Callable[[Callable[[], None]], None], *, address: str) -> None:
    """Run a server in a process of its own, and return once it answers; raises CoderagError where it does not.

    `serve` gets what it calls when requests are accepted. It is run in a copy of this process, which must have no
    other thread.
    """
    try:
        place.record.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        held = os.open(place.record, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
        log = os.open(place.log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
    except OSError as error:
        raise CoderagError(f"{error.filename}: {error.strerror}; set XDG_STATE_HOME to a folder of your own") from None
    reading, writing = os.pipe()
    sys.stdout.flush()
    sys.stderr.flush()
    if not os.fork():
        os.close(reading)
        os.setsid()
        if os.fork():  # what is no leader of a session gets no terminal again
            os._exit(0)
        exit_after(lambda: _detached(place, serve, held=held, log=log, writing=writing, address=address))
    for descriptor in (held, log, writing):
        os.close(descriptor)
    os.wait()
    with os.fdopen(reading, "rb") as pipe:
        if pipe.read() != READY:
            raise CoderagError(f"the server did not start; {place.log} says why")


def stop(place: Background) -> bool:
    """End the server, and tell whether there was one; raises CoderagError for one that does not end."""
    record = _record(place)
    if not record or not isinstance(process := record.get("process"), int):
        return False
    os.kill(process, signal.SIGTERM)
    deadline = time.monotonic() + ENDING_SECONDS
    while (_record(place) or {}).get("process") == process:
        if time.monotonic() > deadline:
            raise CoderagError(f"the server, process {process}, did not end in {ENDING_SECONDS:g} s; see {place.log}")
        time.sleep(POLL_SECONDS)
    return True


def _record(place: Background) -> dict[str, object] | None:
    """Return what a server that runs wrote of itself, {} before it did; None if none runs."""
    try:
        with place.record.open("rb") as file:
            if _locked(file):
                return None
            text = file.read(MAX_RECORD_BYTES)
    except OSError:
        return None
    try:
        record = json.loads(text or b"{}")
    except ValueError:
        return None
    return record if isinstance(record, dict) else None


def _locked(file: IO[bytes]) -> bool:
    """Take the lock of a record, and tell whether nobody else has it."""
    try:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _detached(
    place: Background,
    serve: Callable[[Callable[[], None]], None],
    *,
    held: int,
    log: int,
    writing: int,
    address: str,
) -> None:
    """Serve in a process that no terminal owns."""
    nothing = os.open(os.devnull, os.O_RDONLY)
    for source, target in ((nothing, 0), (log, 1), (log, 2)):
        os.dup2(source, target)
    _hold(held)
    os.ftruncate(held, 0)
    os.write(held, json.dumps({"process": os.getpid(), "address": address, "log": str(place.log)}).encode())
    serve(lambda: _say(writing))
    place.record.unlink(missing_ok=True)


def _hold(held: int) -> None:
    """Take the lock of a record for life; who only looks at it has it for a moment."""
    deadline = time.monotonic() + HOLDING_SECONDS
    while True:
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > deadline:
                raise CoderagError("another server of these roots and this port is starting") from None
            time.sleep(POLL_SECONDS)
        else:
            return


def _say(writing: int) -> None:
    os.write(writing, READY)
    os.close(writing)
