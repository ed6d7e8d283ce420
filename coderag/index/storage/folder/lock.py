"""Who writes an index: one process at a time, by a lock that the system drops with the process that holds it.

lock       the lock itself (flock)
lock.json  who holds it, for those who wait; whatever it says counts only while the lock is held
"""

from __future__ import annotations

import json
import os
import socket
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from filelock import FileLock, Timeout

from coderag.errors import IndexLockedError, IndexUnsafeError
from coderag.index.storage.folder.index_path import IndexPath

__all__ = ["LOCK", "LOCK_SECONDS", "Holder", "file_lock", "holder_of", "is_locked", "locked", "the_only_one"]

LOCK, HOLDER = "lock", "lock.json"
LOCK_SECONDS = 60.0  # how long a writer waits for another one
POLL_SECONDS = 0.02
SILENT_SECONDS = 0.5  # a wait that is worth no word
HOLDER_BYTES = 1 << 12
LATEST = 1 << 40  # seconds since 1970 that a clock can show


@dataclass(frozen=True, slots=True)
class Holder:
    """A process that writes an index."""

    pid: int
    host: str
    command: str
    since: float  # seconds since 1970

    def __str__(self) -> str:
        """Return it in words."""
        where = "" if self.host == socket.gethostname() else f" on {self.host}"
        clock = time.strftime("%H:%M:%S", time.localtime(self.since))
        return f"process {self.pid}{where} ({self.command}), since {clock}"


@contextmanager
def locked(
    folder: IndexPath, seconds: float, *, waiting: Callable[[Holder | None], None] | None = None
) -> Iterator[None]:
    """Hold the write lock of an index folder, which has to be there.

    `waiting` hears once who holds it when that takes a while. Raises IndexLockedError after `seconds`, and OSError.
    """
    lock = file_lock(folder / LOCK)
    try:
        lock.acquire(timeout=min(seconds, SILENT_SECONDS), poll_interval=POLL_SECONDS)
    except Timeout:
        if waiting is not None:
            waiting(holder_of(folder))
        try:
            lock.acquire(timeout=max(seconds - SILENT_SECONDS, 0), poll_interval=POLL_SECONDS)
        except Timeout as error:
            who = holder_of(folder) or "another process"
            raise IndexLockedError(
                f"{who} has been writing the index at {folder} for more than {seconds:g} s; wait until it is done"
            ) from error
    try:
        _tell(folder)
        yield
    finally:
        with suppress(OSError):
            (folder / HOLDER).remove()
        lock.release()


@contextmanager
def the_only_one(path: IndexPath) -> Iterator[bool]:
    """Hold a lock if nobody else does, and tell whether that is so; raises OSError and IndexUnsafeError."""
    lock = file_lock(path)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        yield False
        return
    try:
        yield True
    finally:
        lock.release()


def is_locked(path: IndexPath) -> bool:
    """Tell whether some process holds a lock; raises OSError and IndexUnsafeError."""
    if path.stat() is None:
        return False
    with the_only_one(path) as alone:
        return not alone


def file_lock(path: IndexPath) -> FileLock:
    """Return a lock by a regular file, which neither follows a link nor changes what the file holds."""
    found = path.stat()
    if found is not None and found.st_nlink > 1:  # some versions of filelock empty what they lock
        raise IndexUnsafeError(f"{path} is also a file of another name, which locking could change; remove it")
    return FileLock(path.path)


def holder_of(folder: IndexPath) -> Holder | None:
    """Return who said last that it writes an index, None if that process has gone or nobody said so."""
    try:
        told = json.loads((folder / HOLDER).read_bytes(HOLDER_BYTES))
        holder = Holder(int(told["pid"]), str(told["host"]), str(told["command"]), float(told["since"]))
    except (OSError, ValueError, TypeError, LookupError, OverflowError, RecursionError):
        return None  # being written, or left by a process that was killed while it wrote it
    if holder.pid <= 0 or not 0 <= holder.since <= LATEST:
        return None
    return holder if holder.host != socket.gethostname() or _is_running(holder.pid) else None


def _tell(folder: IndexPath) -> None:
    holder = Holder(os.getpid(), socket.gethostname(), _command(), time.time())
    with suppress(OSError):  # on a full disk the lock alone has to do
        (folder / HOLDER).write_bytes(json.dumps(asdict(holder)).encode())


def _command() -> str:
    """Return the command of this process without its options, which may hold a password."""
    name = Path(sys.argv[0] if sys.argv and sys.argv[0] else "python")
    shown = name.parent.name if name.name == "__main__.py" else name.name
    words = [word for word in sys.argv[1:2] if word.isalpha()]
    return " ".join([shown, *words])


def _is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:
        return True  # it belongs to somebody else
    return True
