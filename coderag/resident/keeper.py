"""What a helper does between answers: indexes opened and warmed up, modules imported, grammars compiled.

Each chore is short, since whoever asks meanwhile waits for it, or answers by itself.
"""

from __future__ import annotations

import socket
import time
import warnings
from collections import deque
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import partial
from importlib import import_module

from coderag.api import preloaded
from coderag.api.index import Index
from coderag.api.roots import Root
from coderag.api.snapshot import Snapshot, open_snapshot
from coderag.errors import CoderagError
from coderag.index.storage.manifest import MANIFEST
from coderag.index.workers.process import is_alone
from coderag.index.workers.readers import warm_up
from coderag.resident.follower import Following, follow_changes
from coderag.resident.records import Answered, send_report

__all__ = ["IndexKeeper"]

MOST_INDEXES = 8  # that are kept open; the one that was asked longest ago is closed for another
QUESTION = "where is the entry point?"  # which has an index read what every search needs
LIBRARIES_LEFT_OUT = ("torch", "transformers", "onnxruntime")  # start threads of their own

Roots = tuple[Root, ...]


class IndexKeeper:
    """The indexes that a helper keeps, and what is left to be done for them."""

    def __init__(self, reports: socket.socket, *, let_go: Callable[[], None]) -> None:
        """Keep none yet; copies send to `reports`, and `let_go` closes in them what only the helper needs."""
        self._asked: dict[Roots, float] = {}  # when an index was asked last, the oldest first
        self._chores: deque[Callable[[], object]] = deque()
        self._languages: set[str] = set()
        self._following: dict[Roots, Following] = {}
        self._reports = reports
        self._let_go = let_go
        self._has_loaded = False

    @property
    def has_chores(self) -> bool:
        """Whether something is left to be done."""
        return bool(self._chores)

    @property
    def indexes(self) -> list[Roots]:
        """The roots of each index that is kept."""
        return list(self._asked)

    def do_chore(self) -> None:
        """Do the next thing; what fails is found, and told, by who asks for it."""
        with warnings.catch_warnings(), suppress(Exception):
            warnings.simplefilter("ignore")
            self._chores.popleft()()

    def has_loaded(self) -> bool:
        """Tell whether something was opened or imported since this was asked last."""
        told, self._has_loaded = self._has_loaded, False
        return told

    def note(self, answered: Answered) -> None:
        """Plan what makes the next answer faster than one was."""
        for roots in answered.roots:
            if answered.is_asked:
                self._asked.pop(roots, None)
                self._asked[roots] = time.monotonic()
            self._chores.append(partial(self._keep, roots))
        for roots in list(self._asked)[:-MOST_INDEXES]:
            self.close(roots)
        wanted = [name for name in answered.modules if name.partition(".")[0] not in LIBRARIES_LEFT_OUT]
        if wanted:
            self._chores.append(partial(self._import, wanted))

    def close(self, roots: Roots) -> None:
        """Keep the index of some roots no longer."""
        self._asked.pop(roots, None)
        preloaded.drop(roots)
        if following := self._following.pop(roots, None):
            following.close()

    def close_pipes(self) -> None:
        """Let go of the processes that follow changes, in a copy of the helper."""
        for following in self._following.values():
            following.close()

    def note_ended(self, pid: int) -> None:
        """Note that a process ended; one that followed changes is started again when its index is asked next."""
        preloaded.forget_writer(pid)
        for roots in [roots for roots, following in self._following.items() if following.pid == pid]:
            self._following.pop(roots).close()

    def close_gone(self, *, idle_seconds: float) -> None:
        """Close the indexes that were removed, and those that nobody asked for a while."""
        limit = time.monotonic() - idle_seconds
        for roots, asked in list(self._asked.items()):
            if asked < limit or not all((root.folder / MANIFEST).exists() for root in roots):
                self.close(roots)

    def _keep(self, roots: Roots) -> None:
        """Open an index unless it is kept as it is, and plan what it needs."""
        snapshot, is_current = preloaded.kept_for(roots)
        if roots not in self._asked or (snapshot is not None and is_current and roots in self._following):
            return
        try:
            snapshot = open_snapshot(roots)
        except (CoderagError, OSError):
            self.close(roots)
            return
        preloaded.keep(snapshot)
        self._has_loaded = True
        index = Index(snapshot)
        for step in (partial(index.search, QUESTION), index.stale_paths, partial(_read_graph, index)):
            self._chores.append(step)
        for language in sorted(_languages(snapshot) - self._languages):
            self._languages.add(language)
            self._chores.append(partial(warm_up, names=[language]))
        if roots not in self._following:
            self._chores.append(partial(self._follow, roots, snapshot))

    def _follow(self, roots: Roots, snapshot: Snapshot) -> None:
        """Have the changes of some roots followed."""
        if roots in self._asked and roots not in self._following and is_alone():
            tell = partial(send_report, self._reports, Answered((roots,), is_asked=False))
            following = self._following[roots] = follow_changes(snapshot, let_go=self._let_go, tell=tell)
            preloaded.note_writer(following.pid)

    def _import(self, names: Iterable[str]) -> None:
        """Import what a copy had to import."""
        for name in names:
            with suppress(ImportError):
                import_module(name)
        self._has_loaded = True


def _read_graph(index: Index) -> None:
    """Read the graph of an index if it is current; it is not made here."""
    if index.graph_state().is_current:
        index.graphs()


def _languages(snapshot: Snapshot) -> set[str]:
    return {language for root in snapshot.opened for segment in root.segments for language in segment.languages}
