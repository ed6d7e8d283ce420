"""The roots that a server answers from: opened, kept fresh, and indexed in the background where there is no index.

Nothing here takes long. What cannot be done in a moment goes on in a thread or in a process that all servers of a root
share, and the notes of a view say what is missing until then.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Self

from coderag.api.background import spawn_due, spawn_maintenance
from coderag.api.index import Index
from coderag.api.indexing import IndexingProgress, indexing_progress, spawn_indexing
from coderag.api.roots import Root
from coderag.errors import (
    CoderagError,
    IndexDamagedError,
    IndexFormatError,
    IndexMissingError,
    IndexTooNewError,
    RootError,
)
from coderag.serve.shared import Shared

__all__ = ["View", "Workspace"]

FIRST_SECONDS = 3.5  # that an answer waits for the first part of an index
REFRESH_SECONDS = 2.0  # ... and for changed files to be read
GRAPH_SECONDS = 0.8  # ... and for a first graph
QUICK_GRAPH_SECONDS = 0.7  # a graph that takes less is rebuilt for an answer
POLL_SECONDS = 0.05
GLANCE_SECONDS = 2.0  # between two looks at the files that nobody waits for
FEW_FILES = 150  # changed files that are read at once; more are left to a process in the background
LOCK_SECONDS = 1.0  # for another writer
IDLE_SECONDS = 20.0  # after an update, until the processes that read files end
SPAWN_SECONDS = 15.0  # between two processes in the background for one root


@dataclass(frozen=True, slots=True)
class View:
    """What can be answered from now."""

    index: Index
    notes: tuple[str, ...] = ()  # what is not as it is on disk, or not there yet, in sentences

    def noted(self, *notes: str) -> View:
        """Return the view with further notes."""
        return replace(self, notes=(*self.notes, *notes))


class Workspace:
    """Several roots of one caller; its methods may be called from several threads."""

    def __init__(
        self, roots: Sequence[Root], *, callers: Iterable[frozenset[str]] = (), language_model: str = ""
    ) -> None:
        """Answer from roots as callers of some groups see them; () sees all.

        `language_model` names the model that the user lets write answers, "" for none.
        """
        self.language_model = language_model
        self._roots = tuple(roots)
        self._callers = tuple(callers)
        self._index: Index | None = None
        self._lock = threading.Lock()
        self._update: _Update | None = None
        self._looks: Shared[_Update | list[str]] = Shared()
        self._glancing = threading.Lock()
        self._closing: threading.Timer | None = None
        self._spawned: dict[tuple[str, Root], float] = {}  # when a process was started last, by its task

    def __enter__(self) -> Self:
        """Return the workspace; the processes that it started for itself end with the block."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close it."""
        self.close()

    @property
    def roots(self) -> tuple[Root, ...]:
        """The roots, in the order given."""
        return self._roots

    def close(self) -> None:
        """End the processes that read files."""
        if self._closing is not None:
            self._closing.cancel()
        if self._index is not None:
            self._index.close()

    def prepare(self) -> None:
        """Open the indexes before the first call, start to index what has none, and import what a search needs."""
        with suppress(CoderagError):
            self.view().index.search("main", k=1)

    def view(self) -> View:
        """Return the index with what changed since it was written, as far as a moment allows.

        Raises IndexMissingError where nothing is indexed yet, RootError where all roots are gone, and other errors of
        an index that cannot be read. Of a root that is gone a note says so, and the others answer.
        """
        index, notes = self._opened()
        notes += self._refreshed(index)
        return self._seen(index, notes)

    def glance(self) -> View:
        """Return the index as it is, and look beside at what changed, for the answers after this one.

        For who asks at each keystroke: comparing the files with the disk takes longer than such an answer may. Raises
        like `view`.
        """
        index, notes = self._opened()
        if self._glancing.acquire(blocking=False):
            threading.Thread(target=self._look_beside, args=(index,), name="look", daemon=True).start()
        return self._seen(index, notes)

    def _seen(self, index: Index, notes: Sequence[str]) -> View:
        for groups in self._callers:
            index = index.as_seen_by(groups)
        return View(index, tuple(notes))

    def _look_beside(self, index: Index) -> None:
        try:
            self._refreshed(index)
            time.sleep(GLANCE_SECONDS)
        except CoderagError:
            return  # the next view raises it to somebody
        finally:
            self._glancing.release()

    def with_graph(self, view: View) -> View:
        """Return a view whose questions about the graph are answered in a moment; raises IndexMissingError."""
        state = view.index.graph_state()
        if self._callers or state.is_current or (state.is_stored and state.seconds < QUICK_GRAPH_SECONDS):
            return view
        for root in view.index.roots:
            self._spawn("maintenance", root)
        if not state.is_stored:
            return self._awaiting_graph(view)
        age = time.strftime("%H:%M:%S", time.localtime(state.made))
        note = f"calls and references are those of {age}; newer edits are being added"
        return View(view.index.with_stored_graph(), (*view.notes, note))

    def _awaiting_graph(self, view: View) -> View:
        deadline = time.monotonic() + GRAPH_SECONDS
        while time.monotonic() < deadline:
            with self._lock:
                view.index.reload()
            if view.index.graph_state().is_stored:
                return View(view.index.with_stored_graph(), view.notes)
            time.sleep(POLL_SECONDS)
        raise IndexMissingError(
            "the graph of calls and references is being made; ask again in some seconds. Definitions and search "
            "answer already"
        )

    def _opened(self) -> tuple[Index, list[str]]:
        """Return the index of the roots that have one, and say which have none yet, and which are gone."""
        present = tuple(root for root in self._roots if root.root.is_dir())
        gone = [
            f"{root.root} is gone; the server answers again when it is back"
            for root in self._roots
            if root not in present
        ]
        if not present:
            raise RootError("; ".join(gone))
        deadline = time.monotonic() + FIRST_SECONDS
        while True:
            with self._lock:
                index = self._opened_now(present)
            if index is not None and index.roots == present:
                return index, gone
            if time.monotonic() > deadline:
                break
            time.sleep(POLL_SECONDS)
        missing = [root for root in present if index is None or root not in index.roots]
        if index is None:
            raise IndexMissingError(
                f"{_first_index(missing)}; nothing can be searched yet. Ask again in some seconds; use other tools "
                f"until then"
            )
        return index, [*gone, _first_index(missing)]

    def _opened_now(self, roots: tuple[Root, ...]) -> Index | None:
        """Return the index of those of some roots that have one, None if none has; the others get a process."""
        if self._index is not None and self._index.roots == roots:
            try:
                self._index.reload()
            except (IndexMissingError, IndexFormatError, IndexDamagedError):
                self._index = None
            else:
                return self._index
        ready = tuple(root for root in roots if self._is_ready(root))
        if self._index is None or self._index.roots != ready:
            self._index = Index.of(ready) if ready else None
        return self._index

    def _is_ready(self, root: Root) -> bool:
        """Tell whether a root has an index that can be read; one that has none gets a process that makes it."""
        try:
            Index.of([root])
        except IndexTooNewError:
            raise
        except (IndexMissingError, IndexFormatError, IndexDamagedError):
            self._spawn("indexing", root)
            return False
        return True

    def _refreshed(self, index: Index) -> list[str]:
        """Read what changed since an index was written; return what is left out."""
        running = [(root, progress) for root in index.roots if (progress := indexing_progress(root.folder))]
        if running:
            return [self._how_far(root, progress) for root, progress in running]
        # Files are compared with the disk for every answer, which takes longer than a search where there are many.
        update = self._update or self._looks.get(lambda: self._looked(index))
        if not isinstance(update, _Update):
            return update
        if not update.wait(REFRESH_SECONDS):
            return ["files that changed in the last moments are still being read"]
        with self._lock:
            if self._update is update:  # the first of those who waited for it
                self._update = None
                self._close_when_idle(index)
                if update.error is None:  # else there may be no reports yet
                    spawn_due(index.roots, index.reports)
        if update.error is not None:
            return [f"changed files could not be read: {update.error}"]
        return self._catch_up(index) if any(report.left for report in index.reports) else []

    def _looked(self, index: Index) -> _Update | list[str]:
        """Return the update that reads what changed; where none is needed, or too much changed, what to say of it."""
        stale = index.stale_paths(watched=True)
        with self._lock:
            if self._update is not None:
                return self._update
            if stale == []:
                return []
            if stale is None or len(stale) > FEW_FILES:
                return self._catch_up(index)
            self._update = _Update(index, stale)
            return self._update

    def _catch_up(self, index: Index) -> list[str]:
        """Leave many changed files to a process in the background."""
        for root in index.roots:
            self._spawn("indexing", root)
        return ["many files changed; they are being read in the background, and are not all in this answer"]

    def _how_far(self, root: Root, progress: IndexingProgress) -> str:
        if self._callers or not progress.all_files:
            return f"{root.repository} is being indexed; this is an answer from a part of it"
        return (
            f"{root.repository} is being indexed, {progress.files:,} of {progress.all_files:,} files are read: this "
            f"is an answer from a part of it"
        )

    def _spawn(self, task: str, root: Root) -> None:
        """Start a process in the background, unless one was started a moment ago."""
        now = time.monotonic()
        if now - self._spawned.get((task, root), -SPAWN_SECONDS) < SPAWN_SECONDS:
            return
        self._spawned[task, root] = now
        if task == "indexing":
            spawn_indexing(root)
        else:
            spawn_maintenance(root.folder, root.root, graph=True, history=True)

    def _close_when_idle(self, index: Index) -> None:
        """End the processes that read files when no file changes for a while."""
        if self._closing is not None:
            self._closing.cancel()
        self._closing = threading.Timer(IDLE_SECONDS, self._close_readers, [index])
        self._closing.daemon = True
        self._closing.start()

    def _close_readers(self, index: Index) -> None:
        with self._lock:
            if self._update is None:
                index.close()


class _Update:
    """An update of an index in a thread of its own."""

    def __init__(self, index: Index, stale: Sequence[str]) -> None:
        self.error: Exception | None = None
        self._index = index
        self._stale = stale
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            self._index.update(paths=self._stale, lock_seconds=LOCK_SECONDS, most_files=FEW_FILES)
        except (CoderagError, OSError) as error:
            self.error = error

    def is_done(self) -> bool:
        """Tell whether it ended."""
        return not self._thread.is_alive()

    def wait(self, seconds: float) -> bool:
        """Wait for it, and tell whether it ended."""
        self._thread.join(seconds)
        return self.is_done()


def _first_index(roots: Sequence[Root]) -> str:
    """Return how far the first indexes of roots are."""
    names = []
    for root in roots:
        progress = indexing_progress(root.folder)
        share = f" ({progress.files:,} of {progress.all_files:,} files)" if progress and progress.all_files else ""
        names.append(f"{root.repository}{share}")
    return f"the first index of {', '.join(names)} is being made"
