"""An index that answers: opened, made on first use, brought up to date."""

from __future__ import annotations

import argparse
import io
import os
from collections.abc import Collection
from contextlib import redirect_stderr, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from coderag.api.index import Index
from coderag.api.preloaded import is_copy, is_own_writer, leave_to_asker
from coderag.api.roots import Root
from coderag.cli.groups import as_seen, callers, is_hidden
from coderag.cli.output.notes import note
from coderag.cli.output.progress import Bar
from coderag.cli.roots import given_roots, is_marked, root_around
from coderag.errors import (
    IndexDamagedError,
    IndexFormatError,
    IndexLockedError,
    IndexMissingError,
    IndexTooNewError,
    IndexWriteError,
    QueryError,
    RootError,
    StoredIndexError,
)
from coderag.text.counted import counted

if TYPE_CHECKING:
    from coderag.index.storage.folder.lock import Holder

__all__ = [
    "check_seen",
    "follow_up",
    "has_background",
    "note",
    "note_repairs",
    "note_untrusted",
    "note_writer",
    "open_for_caller",
    "open_graph_for_caller",
    "open_index",
    "roots_for_caller",
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
    if options.no_refresh:
        _note_outdated(index)
    elif (stale := index.stale_paths()) != []:
        _refresh(index, stale)
    return index


def _note_outdated(index: Index) -> None:
    """Say that an index which is not to be refreshed was made by another version."""
    if why := index.outdated:
        note(f'answers come from the index as it is: {why}; "coderag index" rebuilds it')


def open_for_caller(options: argparse.Namespace) -> Index:
    """Return the index of the roots that a command was given, as its caller sees it; brought up to date before."""
    asking = callers(options)
    if not asking:
        return open_index(options)
    roots_for_caller(options)
    # What an update says counts files that the caller may not see.
    with redirect_stderr(io.StringIO()):
        index = open_index(options)
    return as_seen(index, asking)


def open_graph_for_caller(options: argparse.Namespace) -> Index:
    """Return the same with the graph of each root: one that is being made is waited for, one that is missing is made.

    What callers of groups see tells nothing of the work on the whole.
    """
    index = open_for_caller(options)
    if options.no_refresh and not callers(options):
        _note_age(index)
    with Bar("Making the graph") as bar:
        index.graphs(making=bar.linking, waiting=lambda: note("waiting for the graph, which another process makes"))
    return index


def _note_age(index: Index) -> None:
    """Say that files changed since the graph was made of them."""
    stale = index.stale_paths()
    if stale != []:
        what = "files changed" if stale is None else f"{counted(len(stale), 'path')} changed"
        note(f"the graph is older than the files: {what} since; without --no-refresh they are read first")


def roots_for_caller(options: argparse.Namespace) -> list[Root]:
    """Return the roots that a command was given; raises RootError, also for one that its caller may not see."""
    asking = callers(options)
    for name in options.root if asking else ():
        _check_root(name, asking)
    placed = given_roots(options, options.root)
    for root in placed if asking else ():
        _check_root(str(root.root), asking)
    return placed


def _check_root(name: str, asking: Collection[frozenset[str]]) -> None:
    """Raise RootError for a root that the caller may not see, in the words for one that is missing."""
    if is_hidden(name, asking):
        raise RootError(f"{name!r} does not exist; give the folder of a repository")


def check_seen(file: str, options: argparse.Namespace) -> None:
    """Raise QueryError for a file that the caller may not see, in the words for one that is not indexed."""
    asking = callers(options)
    path = Path(os.path.realpath(file))
    root = root_around(path.parent)
    while root != root.parent and is_hidden(str(root), asking):
        root = root_around(root.parent)
    if not is_marked(root):  # the file may lie anywhere, and no one asked for an index of that
        raise IndexMissingError(f'there is no index around {file!r}; run "coderag index"')
    index = open_for_caller(argparse.Namespace(root=[str(root)], index=None, no_refresh=False, groups=options.groups))
    with suppress(QueryError):
        index.chunks(path.relative_to(root).as_posix())
        if not is_hidden(file, asking):  # a link that is hidden may lead to a file that is not
            return
    raise QueryError(f"{file} is not in the index, or not for its caller to see")


def note_writer(holder: Holder | None) -> None:
    """Say which process the command waits for."""
    note(f"waiting for {holder or 'another process'}, which writes the index")


def _make_sure(root: Root) -> None:
    """Build the index of a root that has none, or none that can be read."""
    try:
        Index.of([root])
    except StoredIndexError:
        pass
    else:
        return
    note_untrusted(root)
    from coderag.cli.remote import ensured  # most searches find an index

    index = ensured(
        root,
        lambda parts, bar: Index.ensure(
            root.root, index=root.index, graph=not has_background(), parts=parts, watch=bar, waiting=note_writer
        ),
        waiting=note_writer,
    )
    index.close()
    note_repairs(index)
    follow_up(root)
    report = index.reports[0]
    if report.read or report.rebuilt or not report.repaired:
        what = f"{counted(report.read, 'file')}, {counted(report.chunks, 'chunk')}"
        note(f"indexed {root.root}: {what} in {report.seconds:.1f} s")


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


def note_untrusted(root: Root) -> None:
    """Say that an index is built beside that of somebody else, unless there is one already."""
    if root.untrusted is not None and not root.folder.exists():
        note(
            f"{root.untrusted} was not made by you on this machine, so it is not trusted; another index is built at "
            f'{root.folder} ("coderag index --trust" takes over the one that is there)'
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


def follow_up(root: Root, *, graph: bool = True) -> bool:
    """Start a background process that makes the graph and reads the history of a root, unless both are up to date.

    Tell whether the graph is made. Without `graph`, it is not.
    """
    if not has_background():
        return False
    from coderag.api.background import spawn_maintenance
    from coderag.graph.store import is_graph_outdated
    from coderag.index.history.store import is_history_outdated

    graph = graph and is_graph_outdated(root.folder)
    history = is_history_outdated(root.folder, root.root)
    if graph or history:
        spawn_maintenance(root.folder, root.root, graph=graph, history=history)
    return graph


def has_background() -> bool:
    """Tell whether a command may leave a process behind that goes on with its index."""
    return os.environ.get(VARIABLE) != "0"
