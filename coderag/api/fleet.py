"""The indexes of many repositories brought up to date, one after another, whatever happens to one of them."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from enum import StrEnum
from pathlib import Path

from coderag.api.clone import clone_of_tree
from coderag.api.index import Index
from coderag.api.remote_roots import Fetch, Telling
from coderag.api.repositories import ListedRepository
from coderag.api.roots import Root, check_folders, resolve_roots
from coderag.errors import CoderagError, RetrievalWarning, StoredIndexError
from coderag.record import record

__all__ = ["RepositoryState", "State", "index_repositories"]


class State(StrEnum):
    """How a repository of a list fared."""

    INDEXED = "indexed"
    UNCHANGED = "unchanged"
    FAILED = "failed"


@record
class RepositoryState:
    """What was done for a repository of a list."""

    repository: str  # as the list names it, without credentials
    state: State
    root: str = ""
    commit: str = ""  # of a clone
    files: int = 0  # in the index
    chunks: int = 0
    read: int = 0
    seconds: float = 0.0
    reason: str = ""  # why it failed


def index_repositories(
    listed: Iterable[ListedRepository],
    bring_up: Callable[[Root], Index],
    *,
    is_as_asked: Callable[[Root], bool],
    telling: Telling | None = None,
) -> Iterator[RepositoryState]:
    """Yield how each repository fared, as soon as it is done.

    Clones are fetched; where neither the commit nor a file differs from the index, and that is as it was asked for,
    nothing is read. So a run that was killed goes on where it ended. `bring_up` indexes a root.
    """
    for repository in listed:
        started = time.monotonic()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error", RetrievalWarning)  # of a clone that could not be fetched
                tree = repository.root(Fetch.ALWAYS, telling)
            state = _state_of(tree, bring_up, is_as_asked)
        except (CoderagError, RetrievalWarning, OSError) as error:
            state = RepositoryState("", State.FAILED, reason=_reason(error))
        yield replace(state, repository=str(repository), seconds=round(time.monotonic() - started, 3))


def _state_of(tree: Path, bring_up: Callable[[Root], Index], is_as_asked: Callable[[Root], bool]) -> RepositoryState:
    placed = resolve_roots([tree])
    check_folders(placed)
    (root,) = placed
    clone = clone_of_tree(root.root)
    about = RepositoryState("", State.UNCHANGED, root=str(root.root), commit=clone.commit if clone else "")
    with suppress(StoredIndexError):
        index = Index.of(placed)
        if is_as_asked(root) and index.stale_paths() == []:
            files = index.status(compare=False, schema=False)[0].files
            return replace(about, files=files, chunks=len(index))
    index = bring_up(root)
    files = index.status(compare=False, schema=False)[0].files
    return replace(about, state=State.INDEXED, files=files, chunks=len(index), read=index.reports[0].read)


def _reason(error: Exception) -> str:
    return str(error) if not isinstance(error, OSError) else error.strerror or str(error)
