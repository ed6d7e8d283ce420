"""What a helper does between answers: indexes opened and warmed up, modules imported, grammars compiled.

Each chore is short, since whoever asks meanwhile waits for it, or answers by itself.
"""

from __future__ import annotations

import time
import warnings
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from importlib import import_module

from coderag.api import preloaded
from coderag.api.index import Index
from coderag.api.roots import Root
from coderag.api.snapshot import Snapshot, open_snapshot
from coderag.errors import CoderagError
from coderag.index.storage.manifest import MANIFEST
from coderag.index.workers.readers import warm_up
from coderag.resident.records import Answered

__all__ = ["IndexKeeper"]

MOST_INDEXES = 8  # that are kept open; the one that was asked longest ago is closed for another
QUESTION = "where is the entry point?"  # which has an index read what every search needs
LIBRARIES_LEFT_OUT = ("torch", "transformers", "onnxruntime")  # start threads of their own

Roots = tuple[Root, ...]


class IndexKeeper:
    """The indexes that a helper keeps, and what is left to be done for them."""

    def __init__(self) -> None:
        self._asked: dict[Roots, float] = {}  # when an index was asked last, the oldest first
        self._chores: deque[Callable[[], object]] = deque()
        self._languages: set[str] = set()

    @property
    def has_chores(self) -> bool:
        """Whether something is left to be done."""
        return bool(self._chores)

    @property
    def indexes(self) -> list[Roots]:
        """The roots of each index that is kept."""
        return list(self._asked)

    def do_chore(self) -> None:
        """Do the next thing; what fails for an index closes that."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self._chores.popleft()()

    def note(self, answered: Answered) -> None:
        """Plan what makes the next answer faster than one was."""
        for roots in answered.roots:
            self._asked.pop(roots, None)
            self._asked[roots] = time.monotonic()
            self._chores.append(partial(self._keep, roots))
        for roots in list(self._asked)[:-MOST_INDEXES]:
            self.close(roots)
        wanted = [name for name in answered.modules if name.partition(".")[0] not in LIBRARIES_LEFT_OUT]
        self._chores.extend(partial(_import, name) for name in wanted)

    def close(self, roots: Roots) -> None:
        """Keep the index of some roots no longer."""
        self._asked.pop(roots, None)
        preloaded.drop(roots)

    def close_gone(self, *, idle_seconds: float) -> None:
        """Close the indexes that were removed, and those that nobody asked for a while."""
        limit = time.monotonic() - idle_seconds
        for roots, asked in list(self._asked.items()):
            if asked < limit or not all((root.folder / MANIFEST).exists() for root in roots):
                self.close(roots)

    def _keep(self, roots: Roots) -> None:
        """Open an index unless it is kept as it is, and plan what it needs."""
        snapshot, is_current = preloaded.kept_for(roots)
        if roots not in self._asked or (snapshot is not None and is_current):
            return
        try:
            snapshot = open_snapshot(roots)
        except (CoderagError, OSError):
            self.close(roots)
            return
        preloaded.keep(snapshot)
        index = Index(snapshot)
        for step in (partial(index.search, QUESTION), index.stale_paths, partial(_read_graph, index)):
            self._chores.append(partial(_try, step))
        for language in sorted(_languages(snapshot) - self._languages):
            self._languages.add(language)
            self._chores.append(partial(warm_up, names=[language]))


def _try(step: Callable[[], object]) -> None:
    with suppress(CoderagError, OSError):  # whoever asks is told
        step()


def _import(name: str) -> None:
    with suppress(ImportError):
        import_module(name)


def _read_graph(index: Index) -> None:
    """Read the graph of an index if it is current; it is not made here."""
    if index.graph_state().is_current:
        index.graphs()


def _languages(snapshot: Snapshot) -> set[str]:
    return {language for root in snapshot.opened for segment in root.segments for language in segment.languages}
