"""A copy of the helper that follows the changes of some roots, so that questions find nothing left to read.

It ends with the helper, and when the index of one of its roots is gone: that is for a command to make again.
"""

from __future__ import annotations

import os
import signal
import threading
import warnings
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import NoReturn

from coderag.api.root_follower import RootFollower
from coderag.api.snapshot import Snapshot
from coderag.errors import CoderagError
from coderag.index.build.job import Report
from coderag.index.build.watch.watch_loop import NICENESS, Followed, follow
from coderag.index.storage.manifest import MANIFEST
from coderag.index.workers.fork_server import Load, prepare_readers

__all__ = ["Following", "follow_changes"]


class _IndexGoneError(BaseException):
    """The index that is followed was removed."""


@dataclass(frozen=True, slots=True)
class Following:
    """A process that follows changes, for as long as a pipe to it is open."""

    pid: int
    pipe: int

    def close(self) -> None:
        """End it; what it is writing is finished first."""
        os.close(self.pipe)


def follow_changes(snapshot: Snapshot, *, let_go: Callable[[], None], tell: Callable[[], None]) -> Following:
    """Start a copy of this process that brings the indexes of a snapshot up to date as files change.

    `let_go` closes what only this process needs, in the copy; `tell` is called there after each update.
    """
    theirs, ours = os.pipe()
    pid = os.fork()
    if pid:
        os.close(theirs)
        return Following(pid, ours)
    try:
        os.close(ours)
        let_go()
        for number in (signal.SIGCHLD, signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, signal.SIG_DFL)
        _follow(snapshot, theirs, tell)
    finally:
        os._exit(0)


def _follow(snapshot: Snapshot, pipe: int, tell: Callable[[], None]) -> NoReturn:
    os.nice(NICENESS)
    stop = threading.Event()
    # Before there are threads: what reads files is then a copy of this process, and not a program to be loaded.
    prepare_readers(Load(strings=True))
    threading.Thread(target=_wait_for_end, args=(pipe, stop), daemon=True).start()
    parts = zip(snapshot.roots, snapshot.opened, strict=True)
    followers = [RootFollower(root, opened, workers=None) for root, opened in parts]
    with warnings.catch_warnings(), suppress(CoderagError, OSError, _IndexGoneError):
        warnings.simplefilter("ignore")
        for _ in follow([_guarded(one.followed) for one in followers], stop=stop):
            tell()
    for follower in followers:
        follower.close()
    os._exit(0)


def _wait_for_end(pipe: int, stop: threading.Event) -> None:
    """Wait until the other side of a pipe is closed."""
    while os.read(pipe, 1):
        pass
    stop.set()


def _guarded(followed: Followed) -> Followed:
    """Return a root to follow whose index is brought up to date only while there is one."""

    def update(paths: Sequence[str] | None, most_files: int) -> Report:
        if not (followed.folder / MANIFEST).exists():
            raise _IndexGoneError
        return followed.update(paths, most_files)

    return replace(followed, update=update)
