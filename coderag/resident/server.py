"""The resident helper: it waits for commands, and answers each in a copy of itself.

It has a single thread, so that no copy waits for what another thread held, and it reads nothing that a connection
sends: the copy does. Between commands it does the chores of its `IndexKeeper`. It ends when nobody asked for a while,
when the indexes that it keeps are gone, when its code is replaced, and when its socket is.
"""

from __future__ import annotations

import fcntl
import gc
import json
import os
import select
import signal
import socket
import sys
import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import Self

from coderag._version import __version__
from coderag.api.roots import Root
from coderag.index.workers.process import is_alone
from coderag.resident.answering import Run, Surroundings, answer
from coderag.resident.code_on_disk import LoadedCode
from coderag.resident.keeper import IndexKeeper
from coderag.resident.records import Answered, decode_answered
from coderag.resident.sockets import ENDING, is_own_folder, process_identity, runtime_folder, socket_name

__all__ = ["serve"]

IDLE_SECONDS = 600.0  # without a command, after which it ends
LOOK_SECONDS = 30.0  # between two looks at whether it is of use
MOST_COPIES = 16  # that answer at once; whoever comes then answers by itself
BACKLOG = 64  # connections that wait to be accepted
MOST_REPORT_BYTES = 200_000
FIRST_FREE = 3  # descriptors below are the standard streams


@dataclass(frozen=True, slots=True)
class Listener:
    """The socket of a helper, which no other process has while its lock is held."""

    socket: socket.socket
    path: str
    inode: int
    lock: int

    @classmethod
    def open(cls, path: str) -> Self | None:
        """Listen at a path, in place of a helper that has gone; None if one listens there."""
        folder = os.path.dirname(path)  # noqa: PTH120 - a text like the others here
        os.makedirs(os.path.dirname(folder), exist_ok=True)  # noqa: PTH103, PTH120
        with suppress(FileExistsError):
            os.mkdir(folder, 0o700)  # noqa: PTH102
        if not is_own_folder(folder):
            return None
        lock = os.open(
            f"{path.removesuffix(ENDING)}.lock", os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600
        )
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(lock)
            return None
        with suppress(FileNotFoundError):
            os.unlink(path)  # noqa: PTH108
        listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        os.umask(0o077)
        listening.bind(path)
        listening.listen(BACKLOG)
        listening.setblocking(False)
        return cls(listening, path, os.lstat(path).st_ino, lock)

    def is_reachable(self) -> bool:
        """Tell whether who connects to the path comes here."""
        try:
            return os.lstat(self.path).st_ino == self.inode
        except OSError:
            return False

    def close(self) -> None:
        """Listen no more."""
        if self.is_reachable():
            os.unlink(self.path)  # noqa: PTH108
        self.socket.close()
        os.close(self.lock)


def serve(run: Run, *, roots: Iterable[tuple[Root, ...]] = (), idle_seconds: float = IDLE_SECONDS) -> bool:
    """Answer commands by `run` until nobody gives any; tell whether this process was the helper.

    `roots` are those of the indexes to open first. One helper listens for all processes that are alike.
    """
    _detach()
    identity = process_identity()
    listener = Listener.open(f"{runtime_folder()}/{socket_name(identity)}")
    if listener is None:
        return False
    try:
        helper = _Helper(listener, identity, run)
        helper.keeper.note(Answered(roots=tuple(roots)))
        helper.serve(idle_seconds)
    finally:
        listener.close()
    return True


def _detach() -> None:
    """Hold no folder and no file of who started this process."""
    os.chdir("/")
    os.closerange(FIRST_FREE, os.sysconf("SC_OPEN_MAX"))


class _Helper:
    """The state between two commands."""

    def __init__(self, listener: Listener, identity: str, run: Run) -> None:
        self._listener = listener
        self._identity = identity
        self._run = run
        self._code = LoadedCode()
        self._started = time.time()
        self._last = time.monotonic()
        self._answered = 0
        self._copies: set[int] = set()
        self._is_stopped = False
        self._reports, self._from_copies = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.keeper = IndexKeeper(self._from_copies, let_go=self._let_go)
        self._woken, self._wake = socket.socketpair()
        for one in (self._reports, self._woken, self._wake):
            one.setblocking(False)

    def serve(self, idle_seconds: float) -> None:
        """Answer until there is a reason to end."""
        signal.set_wakeup_fd(self._wake.fileno(), warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, self._stop)
        look_at = time.monotonic() + LOOK_SECONDS
        waited: list[socket.socket] = [self._listener.socket, self._reports, self._woken]
        while not self._is_stopped:
            wait = 0.0 if self.keeper.has_chores else max(min(look_at - time.monotonic(), idle_seconds), 0.0)
            ready, _, _ = select.select(waited, [], [], wait)
            if self._woken in ready:
                self._woken.recv(MOST_REPORT_BYTES)
                self._reap()
            if self._reports in ready:
                self._learn()
            if self._listener.socket in ready:
                self._accept()
            elif not ready and self.keeper.has_chores:
                self.keeper.do_chore()
                self._settle()
            if time.monotonic() >= min(look_at, self._last + idle_seconds):
                look_at = time.monotonic() + LOOK_SECONDS
                self._is_stopped = self._is_stopped or not self._is_of_use(idle_seconds)

    def _stop(self, *_: object) -> None:
        self._is_stopped = True

    def _settle(self) -> None:
        """Let what is loaded be shared with the copies, when the last chore is done."""
        if not self.keeper.has_chores and self.keeper.has_loaded():
            gc.collect()
            gc.freeze()
            self._code.note_modules()

    def _accept(self) -> None:
        """Let a copy of this process answer."""
        try:
            connection, _ = self._listener.socket.accept()
        except OSError:
            return
        self._last = time.monotonic()
        if len(self._copies) >= MOST_COPIES:
            connection.close()
            return
        if not is_alone():  # a library started a thread, which a copy might wait for
            connection.close()
            self._is_stopped = True
            return
        pid = os.fork()
        if pid:
            connection.close()
            self._copies.add(pid)
            return
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        self._let_go()
        answer(connection, self._surroundings())

    def _let_go(self) -> None:
        """Close what only the helper needs, in a copy of it."""
        signal.set_wakeup_fd(-1)
        for one in (self._listener.socket, self._reports, self._woken, self._wake):
            one.close()
        os.close(self._listener.lock)
        self.keeper.close_pipes()

    def _surroundings(self) -> Surroundings:
        helper = os.getppid()
        return Surroundings(
            self._identity,
            is_current=self._code.is_current,
            describe=lambda: self._described(helper),
            stop=lambda: os.kill(helper, signal.SIGTERM),
            reports=self._from_copies,
            run=self._run,
        )

    def _described(self, pid: int) -> bytes:
        table = {
            "pid": pid,
            "version": __version__,
            "python": sys.executable,
            "started": self._started,
            "answered": self._answered,
            "running": len(self._copies),
            "indexes": [[str(root.root) for root in roots] for roots in self.keeper.indexes],
        }
        return json.dumps(table).encode()

    def _learn(self) -> None:
        """Take note of what a copy did."""
        with suppress(OSError):
            answered = decode_answered(self._reports.recv(MOST_REPORT_BYTES))
            self._answered += answered.is_asked
            self.keeper.note(answered)

    def _reap(self) -> None:
        """Forget the copies that have ended."""
        with suppress(ChildProcessError):
            while (pid := os.waitpid(-1, os.WNOHANG)[0]) > 0:
                self._copies.discard(pid)
                self.keeper.note_ended(pid)

    def _is_of_use(self, idle_seconds: float) -> bool:
        """Tell whether somebody may still ask; indexes that are gone or forgotten are closed."""
        if self._copies:
            return True
        had = self.keeper.indexes
        self.keeper.close_gone(idle_seconds=idle_seconds)
        if had and not self.keeper.indexes:
            return False
        is_idle = time.monotonic() - self._last >= idle_seconds
        return not is_idle and self._listener.is_reachable() and self._code.is_current()
