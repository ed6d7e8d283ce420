"""The address of a git repository to the folder of its clone, which is made on first use and fetched when it is old."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

from filelock import Timeout

from coderag.api.clone import Clone, mark_used, read_clone, write_clone
from coderag.api.clones import ClonePlace
from coderag.errors import CloneError, RetrievalWarning
from coderag.files.git_address import GitAddress
from coderag.files.git_fetch import FetchLimits, checkout, fetch
from coderag.index.storage.folder.lock import file_lock
from coderag.text.counted import ago

__all__ = ["Fetch", "cloned_root"]

FRESH_SECONDS = 600.0  # after which a clone is fetched again when it is used
RETRY_SECONDS = 60.0  # after which a fetch is tried again that failed
PATIENCE_SECONDS = 60.0  # that a fetch may take where an older commit can answer
BUSY_SECONDS = 2.0  # that it waits for another process then
LIMITS = FetchLimits()
POLL_SECONDS = 0.05

Telling = Callable[[str], None]


class Fetch(StrEnum):
    """When a clone that is there is fetched."""

    WHEN_OLD = "when old"
    ALWAYS = "always"
    NEVER = "never"


def cloned_root(
    address: GitAddress,
    *,
    fetching: Fetch = Fetch.WHEN_OLD,
    limits: FetchLimits = LIMITS,
    telling: Telling | None = None,
) -> Path:
    """Return the work tree of an address's clone.

    Where it cannot be fetched, the clone that is there answers, and a RetrievalWarning says so. `telling` hears what
    takes long. Raises CloneError where there is no clone and none can be made.
    """
    job = _Job(address, ClonePlace.of(address), limits, telling or _say_nothing)
    clone = read_clone(job.place.folder)
    if clone is None and fetching is Fetch.NEVER:
        raise CloneError(f'there is no clone of {address}; run "coderag index {address}"')
    if clone is None:
        clone = job.make()
    elif fetching is Fetch.ALWAYS or (fetching is Fetch.WHEN_OLD and _is_old(clone)):
        clone = job.refresh(clone, at_once=fetching is Fetch.WHEN_OLD)
    mark_used(clone)
    return clone.tree


def _say_nothing(_: str) -> None:
    return


def _is_old(clone: Clone) -> bool:
    return not clone.commit or not 0 <= time.time() - clone.fetched < FRESH_SECONDS


@dataclass(frozen=True, slots=True)
class _Job:
    """An address whose clone is made or fetched, by one process at a time."""

    address: GitAddress
    place: ClonePlace
    limits: FetchLimits
    telling: Telling

    def make(self) -> Clone:
        """Return the clone, which another process may have made meanwhile; raises CloneError."""
        self.place.folder.base.mkdir(mode=0o700, parents=True, exist_ok=True)
        with self._locked(self.limits.seconds):
            return read_clone(self.place.folder) or self._make()

    def refresh(self, clone: Clone, *, at_once: bool) -> Clone:
        """Return the clone as it is after a fetch; with `at_once` it is rather returned as it is than late."""
        if at_once and clone.commit and 0 <= time.time() - clone.tried < RETRY_SECONDS:
            self._warn(clone, "the last fetch failed")
            return clone
        limits = replace(self.limits, seconds=min(self.limits.seconds, PATIENCE_SECONDS)) if at_once else self.limits
        try:
            with self._locked(BUSY_SECONDS if at_once else self.limits.seconds):
                now = read_clone(self.place.folder)
                if now is None:
                    return self._make()
                return now if now.fetched > clone.fetched else self._fetch(now, limits)
        except CloneError as error:
            self._warn(clone, str(error))
        except OSError as error:
            self._warn(clone, f"{self.address} cannot be fetched: {error.strerror or error}")
        return clone

    def _warn(self, clone: Clone, why: str) -> None:
        since = ago(time.time() - clone.fetched)
        text = f"{why}; answers come from the clone of {self.address} that was fetched {since}"
        warnings.warn(text, RetrievalWarning, stacklevel=2)

    def _make(self) -> Clone:
        self.telling(f"cloning {self.address}")
        new = self.place.new
        new.remove_tree()  # what a process left that was killed
        tree = new.path / self.place.tree.name
        try:
            commit = fetch(self.address, tree, self.limits)
            checkout(self.address, tree, self.limits)
            now = time.time()
            parts = (*self.address.parts[:-1], self.address.parts[-1] + f"@{self.address.revision}".rstrip("@"))
            clone = Clone(str(self.address), parts, self.address.name, commit, now, 0.0, tree)
            write_clone(new, clone)
            self.place.folder.remove_tree()  # which is no clone
            new.replace(self.place.folder)
        except BaseException:
            with suppress(OSError):
                new.remove_tree()
            raise
        return replace(clone, tree=self.place.tree)

    def _fetch(self, clone: Clone, limits: FetchLimits) -> Clone:
        self.telling(f"fetching {self.address}")
        now = time.time()
        try:
            commit = fetch(self.address, clone.tree, limits)
        except CloneError:
            write_clone(self.place.folder, replace(clone, tried=now))
            raise
        if commit != clone.commit:
            write_clone(self.place.folder, replace(clone, commit=""))
            checkout(self.address, clone.tree, limits)
        clone = replace(clone, commit=commit, fetched=now, tried=0.0)
        write_clone(self.place.folder, clone)
        return clone

    @contextmanager
    def _locked(self, seconds: float) -> Iterator[None]:
        lock = file_lock(self.place.lock)
        try:
            lock.acquire(timeout=0)
        except Timeout:
            self.telling(f"waiting for another process, which fetches {self.address}")
            try:
                lock.acquire(timeout=seconds, poll_interval=POLL_SECONDS)
            except Timeout:
                raise CloneError(f"another process has been fetching {self.address} for {seconds:g} s") from None
        try:
            yield
        finally:
            lock.release()
