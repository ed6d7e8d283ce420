"""An index that answers: opened, made on first use, brought up to date."""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING

from coderag.api.index import Index
from coderag.api.preloaded import is_copy, is_own_writer, leave_to_asker
from coderag.api.roots import Root
from coderag.cli.output.notes import note
from coderag.cli.output.progress import Bar
from coderag.cli.output.text import visible
from coderag.cli.roots import given_roots
from coderag.errors import (
    IndexDamagedError,
    IndexFormatError,
    IndexLockedError,
    IndexMissingError,
    IndexTooNewError,
    IndexWriteError,
    StoredIndexError,
)
from coderag.text.counted import counted

if TYPE_CHECKING:
    from coderag.index.storage.folder.lock import Holder

__all__ = [
    "follow_up",
    "has_background",
    "note",
    "note_repairs",
    "note_untrusted",
    "note_writer",
    "open_index",
    "tidy_later",
]

VARIABLE = "CODERAG_BACKGROUND"

FEW_PATHS = 8  # of those that changed, which tell the languages to prepare for
PATIENCE_SECONDS = 2.0  # that an answer waits for another writer; then it comes from the index as it was
MOST_WAITS = 30  # of so many seconds, for a process that reads the very changes which are waited for


def open_index(options: argparse.Namespace) -> Index:
    """Return the index of the roots that a command was given.

    A missing one, or one that this version cannot read, is built; unless --no-refresh is set, what changed is read.
    """
    placed = given_roots(options, options.root)
    try:
        index = Index.of(placed)
    except IndexTooNewError:
        raise
    except (IndexMissingError, IndexFormatError, IndexDamagedError):
        if options.no_refresh:
            raise
        leave_to_asker()  # to build an index takes a while, and all cores
        for root in placed:
            _make_sure(root)
        index = Index.of(placed)
    if not options.no_refresh and (stale := index.stale_paths()) != []:
        _refresh(index, stale)
    return index


def note_writer(holder: Holder | None) -> None:
    """Say which process the command waits for."""
    note(f"waiting for {holder or 'another process'}, which writes the index")


def _make_sure(one: Root) -> None:
    """Build the index of a root that has none, or none that can be read."""
    try:
        Index.of([one])
    except StoredIndexError:
        pass
    else:
        return
    note_untrusted(one)
    with Bar(f"Indexing {visible(one.repository)}", at_once=True) as bar:
        index = Index.ensure(one.root, index=one.index, graph=not has_background(), watch=bar, waiting=note_writer)
    index.close()
    note_repairs(index)
    follow_up(one)
    report = index.reports[0]
    if report.read or report.rebuilt or not report.repaired:
        what = f"{counted(report.read, 'file')}, {counted(report.chunks, 'chunk')}"
        note(f"indexed {one.root}: {what} in {report.seconds:.1f} s")


def _refresh(index: Index, stale: list[str] | None) -> None:
    """Read what changed; where the index cannot be written now, answer from what there is."""
    from coderag.index.workers.fork_server import Load, prepare_readers  # most searches find nothing changed

    prepare_readers(Load(paths=tuple((stale or [])[:FEW_PATHS])))
    try:
        with Bar("Reading changes") as bar:
            _update(index, stale, bar)
    except (IndexWriteError, IndexLockedError) as error:
        note(f"answers come from the index as it was: {error}")
        return
    note_repairs(index)
    tidy_later(index)


def _update(index: Index, stale: list[str] | None, bar: Bar) -> None:
    """Read what changed; a process of the same helper is waited for longer than another writer."""
    for _ in range(MOST_WAITS):
        try:
            index.update(paths=stale, watch=bar, lock_seconds=PATIENCE_SECONDS)
        except IndexLockedError:
            if not any(_is_written_for_us(root) for root in index.roots):
                raise
        else:
            return
    index.update(paths=stale, watch=bar, lock_seconds=PATIENCE_SECONDS)


def _is_written_for_us(root: Root) -> bool:
    if not is_copy():
        return False
    from coderag.index.storage.folder.lock import holder_of

    holder = holder_of(root.folder)
    return holder is None or is_own_writer(holder.pid)


def note_untrusted(one: Root) -> None:
    """Say that an index is built beside that of somebody else, unless there is one already."""
    if one.untrusted is not None and not one.folder.exists():
        note(
            f"{one.untrusted} was not made by you on this machine, so it is not believed; another index is built at "
            f'{one.folder} ("coderag index --trust" takes over the one that is there)'
        )


def note_repairs(index: Index) -> None:
    """Say which parts of an index were damaged or outdated."""
    for report in index.reports:
        if report.rebuilt:
            note(f"{report.rebuilt}; it was rebuilt")
        if report.repaired:
            note(f"{counted(report.repaired, 'damaged segment')} left out; {counted(report.read, 'file')} read again")


def tidy_later(index: Index) -> None:
    """Start background processes that merge and link what updates left."""
    if any(report.merge_due or report.graph_due for report in index.reports) and has_background():
        from coderag.api.background import spawn_due

        spawn_due(index.roots, index.reports)


def follow_up(one: Root, *, graph: bool = True) -> bool:
    """Start a background process that makes the graph and reads the history of a root, unless both are up to date.

    Tell whether the graph is made. Without `graph`, it is not.
    """
    if not has_background():
        return False
    from coderag.api.background import spawn_maintenance
    from coderag.graph.store import is_graph_outdated
    from coderag.index.history.store import is_history_outdated

    graph = graph and is_graph_outdated(one.folder)
    history = is_history_outdated(one.folder, one.root)
    if graph or history:
        spawn_maintenance(one.folder, one.root, graph=graph, history=history)
    return graph


def has_background() -> bool:
    """Tell whether a command may leave a process behind that goes on with its index."""
    return os.environ.get(VARIABLE) != "0"
