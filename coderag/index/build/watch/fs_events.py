"""Folders to what changes in them, as the operating system tells it.

watchfiles (the Rust crate notify) has three traps, which shape this module. It watches a tree with all that is ignored
in it, so folders are watched one by one. It forgets what it saw when it returns without changes, and does not tell when
the system's queue ran over, so a wait that ends without changes means that all is to be looked at. And after a name
that is not UTF-8 it does nothing but fail, so it is restarted.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Protocol

from coderag.errors import WatchError

if TYPE_CHECKING:
    from watchfiles._rust_notify import RustNotify

__all__ = ["Changes", "Stop", "Watcher"]

QUIET_MS = 25  # without another change, after which a batch is complete
LONGEST_BATCH_MS = 1000  # changes that do not end are handed on after so long
ADDED = 1  # watchfiles' number for what came
ATTEMPTS = 5  # to watch folders while some of them vanish
LIMITS = "watch limit reached", "Too many open files"


class Stop(Protocol):
    """What ends a wait: threading.Event, or anything like it."""

    def is_set(self) -> bool:
        """Tell whether to end."""

    def wait(self, timeout: float | None = None, /) -> bool:
        """Wait until it is set, at most so many seconds, and tell whether it is."""


@dataclass(frozen=True, slots=True)
class Changes:
    """What happened: absolute paths of files and folders that came, changed or went."""

    paths: frozenset[str] = frozenset()
    came: frozenset[str] = frozenset()  # those of them that are new: a folder among them is not watched yet
    lost: bool = False  # some may be missing, so that all has to be looked at


class Watcher:
    """Some folders that are watched, each without those in it; use it in a `with` block."""

    def __init__(self, folders: Iterable[str]) -> None:
        """Begin to watch; raises WatchError where the system watches no more folders.

        Folders that vanished or may not be read are left out, and so are those whose names are not UTF-8.
        """
        self._folders = sorted({folder for folder in folders if _is_text(folder)})
        self._notify = _notify(self._folders)

    def __enter__(self) -> Watcher:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Watch no more."""
        self._notify.close()

    def wait(self, stop: Stop, *, seconds: float) -> Changes:
        """Return the next changes once it is quiet; without paths when `stop` is set, lost when `seconds` have passed.

        Raises KeyboardInterrupt, and WatchError where it has to watch again and cannot.
        """
        from watchfiles._rust_notify import WatchfilesRustInternalError

        try:
            changed = self._notify.watch(LONGEST_BATCH_MS, QUIET_MS, max(int(seconds * 1000), 1), stop)
        except WatchfilesRustInternalError:
            self._notify.close()
            self._notify = _notify(self._folders)
            return Changes(lost=True)
        if changed == "signal":
            raise KeyboardInterrupt
        if isinstance(changed, str):
            return Changes(lost=changed == "timeout")
        return Changes(
            frozenset(path for _, path in changed), frozenset(path for kind, path in changed if kind == ADDED)
        )


def _notify(folders: list[str]) -> RustNotify:
    from watchfiles._rust_notify import RustNotify, WatchfilesRustInternalError

    for _ in range(ATTEMPTS):
        present = [folder for folder in folders if Path(folder).is_dir() and os.access(folder, os.R_OK)]
        try:
            # Not told to ignore what may not be read: it would ignore that the limit is reached as well.
            return RustNotify(present, False, False, 0, False, False)
        except (FileNotFoundError, PermissionError):
            continue  # one vanished between the two looks
        except (OSError, WatchfilesRustInternalError) as error:
            if any(words in str(error) for words in LIMITS):
                raise WatchError(_limit_text(len(present))) from error
            raise WatchError(f"{len(present):,} folders cannot be watched: {error}") from error
    raise WatchError(f"{len(folders):,} folders cannot be watched: some vanish all the time")


def _limit_text(count: int) -> str:
    return (
        f"the system does not let {count:,} more folders be watched; raise its limits, for instance with "
        f'"sysctl fs.inotify.max_user_watches={max(524_288, 2 * count)} fs.inotify.max_user_instances=1024"'
    )


def _is_text(path: str) -> bool:
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True
