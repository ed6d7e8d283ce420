"""Changes in roots to updates of their indexes, for as long as somebody wants them."""

from __future__ import annotations

import math
import os
import subprocess
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from posixpath import dirname

from coderag.errors import CoderagError, RootError, StoredIndexError, WatchError
from coderag.files.git_index import git_folder
from coderag.files.walk import SkipReason
from coderag.index.build.job import BuildOptions, Report
from coderag.index.build.watch.fs_events import Changes, Stop, Watcher
from coderag.index.reader.rule_files import OWN, is_above
from coderag.index.storage.folder.index_path import IndexPath
from coderag.index.storage.manifest import MANIFEST, Manifest, listing_of, read_manifest
from coderag.index.workers.processes import available_cores

__all__ = ["NICENESS", "SLICE_FILES", "Followed", "Update", "follow", "gentle_options"]

NICENESS = 5  # of the processes that read and merge: those who search get three times as much of a core

POLL_SECONDS = 2.0  # between two looks where folders cannot be watched
POLL_SHARE = 20  # a look costs at most a twentieth of the time
LOOK_SECONDS = 300.0  # without changes, after which all is looked at: a system may lose some
SLICE_FILES = 500  # changed files that are read before what they say can be found
MERGED_SLICES = 4  # slices after which their segments are merged
LOCK_SECONDS = 5.0  # for another writer, before that is told
GRACE_SECONDS = 1.0  # for a root that is replaced to be there again
FIRST_RETRY, LAST_RETRY = 2.0, 60.0  # seconds after a failure, doubled with each
GIT_SECONDS = 10.0  # an index.lock that is older was left behind
GIT_STEP = 0.02  # seconds between two looks whether git is done
# What is left out because of its name: it may change as it likes.
BY_NAME = frozenset(
    {
        SkipReason.IGNORED,
        SkipReason.BUILD_FOLDER,
        SkipReason.DEPENDENCIES,
        SkipReason.INTERNAL,
        SkipReason.SECRET,
        SkipReason.UNKNOWN_TYPE,
        SkipReason.CONFIGURATION,
        SkipReason.NOT_ASKED,
    }
)
# ... unless it has no ending, and a first line may tell the language.
BY_ENDING = frozenset({SkipReason.UNKNOWN_TYPE, SkipReason.CONFIGURATION, SkipReason.NOT_ASKED})


@dataclass(frozen=True, slots=True)
class Followed:
    """A root to follow, and how its index is brought up to date."""

    root: Path
    folder: IndexPath  # of the index
    repository: str
    update: Callable[[Sequence[str] | None, int], Report]  # of these paths, absolute; None: all; reads so many at most
    stale: Callable[[], Sequence[str] | None]  # the paths of what changed, absolute; None: all has to be looked at
    tidy: Callable[[], subprocess.Popen[bytes]]  # starts a process that merges what updates left, and the like


@dataclass(frozen=True, slots=True)
class Update:
    """What one update of a followed root did, or why it could not: it is tried again then."""

    root: Path
    repository: str
    report: Report | None = None
    error: CoderagError | OSError | None = None


def gentle_options(folder: IndexPath, known: Manifest, *, workers: int | None, most_files: int) -> BuildOptions:
    """Return how to update an index while others search: as it was made last, which may be later than `known`.

    Without a number of workers there is one per core, less one.
    """
    with suppress(StoredIndexError):
        known = read_manifest(folder)
    count = max(available_cores() - 1, 1) if workers is None else workers
    options = BuildOptions(workers=count, niceness=NICENESS, most_files=most_files, lock_seconds=LOCK_SECONDS)
    return options.completed(known)


def follow(roots: Sequence[Followed], *, stop: Stop, poll: float | None = None) -> Iterator[Update]:
    """Bring indexes up to date as files change, and yield what was done, until `stop` is set.

    The first look is at all. Many changes are taken in slices, each of which can be found before the next is read.
    With `poll` all is looked at every so many seconds; so it is where the system watches no more folders, and a
    warning says so. Raises RootError when a root is removed; any other failure is an update with an error.
    """
    states = [_State(root, stop) for root in roots]
    with _Source(states, poll) as source:
        while not stop.is_set():
            source.watch_what_is_read()
            started = time.monotonic()
            changed = 0
            for state in states:
                for update in state.bring_up():
                    changed += 1
                    yield update
            spent = time.monotonic() - started
            if source.is_behind():
                stop.wait(min(spent, 1.0))  # folder after folder may come
                continue
            changes = source.wait(stop, spent=0.0 if changed else spent)
            for state in states:
                state.note(changes)


class _State:
    """A root that is followed: what its index knows of it, and what has changed since."""

    def __init__(self, followed: Followed, stop: Stop) -> None:
        self.followed = followed
        self.replaced = False  # whether it became another folder of the same name
        self._stop = stop
        self._base = os.path.join(str(followed.root), "")
        self._identity = self._identify()
        found = git_folder(str(followed.root))
        self._git = found[1] if found else None
        self._changed: set[str] = set()
        self._everything = True
        self._failures = 0
        self._tidying: threading.Thread | None = None  # waits for the process that merges
        self.retry_at = math.inf
        self.folders: frozenset[str] = frozenset()  # absolute
        self._rules: frozenset[str] = frozenset()  # absolute
        self._ignored: frozenset[str] = frozenset()  # relative to the root; folders end with a slash
        self._learn()

    @property
    def pending(self) -> bool:
        """Whether something changed that the index does not know."""
        return self._everything or bool(self._changed)

    def look_at_everything(self) -> None:
        """Take it that anything may have changed."""
        self._everything = True

    def note(self, changes: Changes) -> None:
        """Keep the changes that concern this root; raises RootError when it is gone."""
        identity = self._identify()
        if identity != self._identity:
            self._identity = identity
            self.replaced = True
            self._everything = True
        if changes.lost:
            self._everything = True
        paths = [path for path in changes.paths if self._concerns(path)]
        if paths:
            self._changed.update(paths)
            self.retry_at = math.inf

    def bring_up(self) -> Iterator[Update]:
        """Read what changed, slice by slice; after a failure it stays to be read."""
        if not self.pending or time.monotonic() < (0 if math.isinf(self.retry_at) else self.retry_at):
            return
        self._wait_for_git()
        if not (self.followed.folder / MANIFEST).exists():
            self._stop.wait(GRACE_SECONDS)  # it may be the root that is being removed, and must not be rebuilt
            self._identify()
        written = 0
        while self.pending and not self._stop.is_set():
            update = self._step()
            if update.error is not None:
                yield update
                return
            if update.report is not None:
                self._learn()
            if update.report is not None and _did_something(update.report):
                written += 1
                if _leaves_work(update.report) and (written % MERGED_SLICES == 0 or not self.pending):
                    self._tidy()
                yield update

    def _step(self) -> Update:
        """Read one slice of what changed."""
        followed = self.followed
        report = None
        try:
            if self._everything:
                stale = self._stale()
                report = followed.update(None, SLICE_FILES) if stale is None else None
                self._everything = report is not None and report.left > 0
                self._changed = set(stale or ()) if not self._everything else self._changed
            else:
                paths = self._next_paths()
                report = followed.update(paths, max(len(paths), SLICE_FILES))
                if not report.left:
                    self._changed.difference_update(paths)
        except (CoderagError, OSError) as error:
            self._identify()
            self._failures += 1
            pause = min(FIRST_RETRY * 2 ** (self._failures - 1), LAST_RETRY)
            self.retry_at = time.monotonic() + pause
            return Update(followed.root, followed.repository, error=error)
        self._failures = 0
        self.retry_at = math.inf
        return Update(followed.root, followed.repository, report)

    def _stale(self) -> Sequence[str] | None:
        try:
            return self.followed.stale()
        except StoredIndexError:
            return None

    def _next_paths(self) -> list[str]:
        """Return the next paths to look at: a slice of them, or two so as not to list their last folder twice."""
        paths = sorted(self._changed, key=lambda path: (dirname(path), path))
        end = SLICE_FILES
        while end < min(len(paths), 2 * SLICE_FILES) and dirname(paths[end]) == dirname(paths[end - 1]):
            end += 1
        return paths[:end]

    def _tidy(self) -> None:
        """Have what updates left tidied up, by a process that nobody waits for."""
        if self._tidying is not None and self._tidying.is_alive():
            return
        with suppress(OSError):  # the index is as good as before, and the next update tries again
            process = self.followed.tidy()
            self._tidying = threading.Thread(target=process.wait, daemon=True)
            self._tidying.start()
            os.setpriority(os.PRIO_PROCESS, process.pid, NICENESS)

    def _learn(self) -> None:
        """Take from the index what is read and what is left out."""
        try:
            listed = listing_of(self.followed.folder, read_manifest(self.followed.folder))
        except StoredIndexError:
            self.folders = frozenset({str(self.followed.root)})
            return
        self.folders = frozenset(os.path.join(self._base, folder).rstrip("/") for folder in listed.folders)
        # Access rules above the root are looked at by who asks for some groups, and up there much else changes.
        rules = (one for one in listed.rules if not (is_above(one) and one.endswith(f"/{OWN}")))
        self._rules = frozenset(os.path.normpath(self._base + rule) for rule in rules)
        self._ignored = frozenset(
            left.path
            for left in listed.skipped
            if left.reason in BY_NAME and (left.reason not in BY_ENDING or "." in left.path.rpartition("/")[2][1:])
        )

    def watched(self) -> set[str]:
        """Return the folders to watch: those that are read, and those of rules that lie elsewhere."""
        return {*self.folders, *map(dirname, self._rules)}

    def _concerns(self, path: str) -> bool:
        """Tell whether the index may have to change because of a path."""
        if path in self._rules or path in self.folders:
            return True
        if dirname(path) not in self.folders:
            return False
        relative = path[len(self._base) :]
        if Path(path).is_dir():
            return f"{relative}/" not in self._ignored
        if relative in self._ignored:
            return False
        return f"{relative}/" not in self._ignored or os.path.lexists(path)

    def _identify(self) -> tuple[int, int]:
        """Return what tells the root from another folder; raises RootError when it is gone."""
        root = self.followed.root
        for _ in range(2):
            try:
                status = os.stat(root)
            except OSError:
                self._stop.wait(GRACE_SECONDS)
                continue
            if root.is_dir():
                return status.st_dev, status.st_ino
        raise RootError(f"{root} was removed, so there is nothing left to follow")

    def _wait_for_git(self) -> None:
        """Wait while git changes files; half a branch is nothing that anybody asks for."""
        if self._git is None:
            return
        while not self._stop.is_set():
            try:
                age = time.time() - os.stat(self._git / "index.lock").st_mtime
            except OSError:
                return
            if abs(age) > GIT_SECONDS:
                return
            self._stop.wait(GIT_STEP)


class _Source:
    """Where changes come from: the system, or a look at everything now and then."""

    def __init__(self, states: Sequence[_State], poll: float | None) -> None:
        self._states = states
        self._poll = poll
        self._watcher: Watcher | None = None
        self._watched: set[str] = set()
        self._anew: set[str] = set()  # folders that came, and are not watched though they were

    def __enter__(self) -> _Source:
        return self

    def __exit__(self, *_: object) -> None:
        self._close()

    def _close(self) -> None:
        if self._watcher is not None:
            self._watcher.close()
            self._watcher = None

    def is_behind(self) -> bool:
        """Tell whether folders are read that are not watched."""
        if self._poll is not None:
            return False
        folders = self._wanted()
        return (
            not folders <= self._watched or bool(self._anew & folders) or any(state.replaced for state in self._states)
        )

    def watch_what_is_read(self) -> None:
        """Watch the folders that the indexes know, and have all looked at where some are new to the watch."""
        if not self.is_behind():
            return
        folders = self._wanted()
        try:
            watcher = Watcher(folders)
        except WatchError as error:
            self._close()
            self._poll = POLL_SECONDS
            warnings.warn(f"{error}; all is looked at every {self._poll:.0f} s instead", RuntimeWarning, stacklevel=4)
            return
        self._close()
        self._watcher, self._watched, self._anew = watcher, folders, set()
        for state in self._states:
            state.replaced = False
            state.look_at_everything()

    def _wanted(self) -> set[str]:
        return set[str]().union(*(state.watched() for state in self._states))

    def wait(self, stop: Stop, *, spent: float) -> Changes:
        """Return the next changes; `spent` is how many seconds it took to see that there were none."""
        if self._watcher is None:
            stop.wait(max(self._poll or POLL_SECONDS, POLL_SHARE * spent))
            return Changes(lost=True)
        retry = min(state.retry_at for state in self._states) - time.monotonic()
        changes = self._watcher.wait(stop, seconds=max(min(retry, LOOK_SECONDS), GIT_STEP))
        self._anew |= changes.came & self._watched
        return changes


def _leaves_work(report: Report) -> bool:
    return report.merge_due or report.graph_due


def _did_something(report: Report) -> bool:
    return bool(report.read or report.removed or report.reused or report.embedded or report.repaired or report.rebuilt)
