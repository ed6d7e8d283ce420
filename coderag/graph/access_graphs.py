"""The graphs of what some callers see of several roots: made once, kept beside the indexes, and used again.

views/RULES-FILES-X.bin    in an index folder: the graph as store.py writes it, and how many seconds it took. RULES is a
                           hash of the access rules that are not met, FILES one of what is seen, X a signature of both,
                           so that a file which somebody else puts there has no such name. Whatever is not there is
                           made again.
"""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path

import msgspec
import numpy as np

from coderag.errors import IndexDamagedError, IndexUnsafeError
from coderag.graph.graph import Graph
from coderag.graph.queries.relations import Relations
from coderag.graph.store import current_graph, graph_key, made_graph
from coderag.index.reader.access_view import RootView
from coderag.index.storage.arrays.arrays import Array, damaged_array, open_arrays, write_arrays
from coderag.index.storage.folder.index_path import IndexPath
from coderag.index.storage.folder.signing import sign
from coderag.sql.records import Schema

__all__ = ["SeenGraphs"]

FOLDER = "views"
SIGNATURE_CHARACTERS = 16
NAME = re.compile(r"([0-9a-f]{16}-[0-9a-f]+)-([0-9a-f]{16})\.bin")
LEFT_OVER = re.compile(r"[0-9a-f]{8}\.tmp")
SECONDS = "view_seconds"  # the array that says how long a graph took
MOST_VIEWS = 8  # that an index folder keeps
PAUSE = 30  # times as long as a graph takes, for which relations come from one that is older than the index
LEFTOVER_SECONDS = 3600.0  # an unfinished file that is older is nobody's any more


class SeenGraphs:
    """The graphs of several roots as some callers see them, which belong to indexes of one moment."""

    def __init__(self, roots: Sequence[RootView]) -> None:
        self._roots = tuple(roots)
        self._current: tuple[Graph, ...] | None = None
        self._relations: Mapping[str, Relations] | None = None

    def current(self) -> tuple[Graph, ...]:
        """Return the graph of each root, exactly that of the files that are seen; raises IndexDamagedError."""
        if self._current is None:
            self._current = tuple(map(_current, self._roots))
        return self._current

    def relations(self, whole: Callable[[], Mapping[str, Graph]]) -> Mapping[str, Relations]:
        """Return the relations of hits by repository; like those of whole indexes they may be a little older.

        `whole` gives the graphs that the whole indexes have; a root without one has none here. Raises
        IndexDamagedError.
        """
        if self._relations is None:
            stored, found = whole(), dict[str, Relations]()
            for number, root_view in enumerate(self._roots):
                name = root_view.manifest.repository
                if name not in stored:
                    continue
                if root_view.sight.is_whole:
                    found[name] = Relations(stored[name])
                else:
                    found[name] = Relations(_recent(root_view) if self._current is None else self._current[number])
            self._relations = found
        return self._relations

    def verify(self) -> None:
        """Compare every byte of the files in use with their sums; remove what is damaged, with IndexDamagedError."""
        for root in self._roots:
            path = _place(root)
            if not root.sight.is_whole and path.exists() and (name := damaged_array(path)):
                path.remove()
                raise IndexDamagedError(f"{path} is damaged: {name} is not what was written; it is made again")


def _current(root: RootView) -> Graph:
    whole = root.whole
    if root.sight.is_whole:
        return current_graph(whole.folder, whole.manifest, whole.segments, schema=lambda: _schema(root))
    known = _opened(_place(root))
    return _made(root) if known is None else known


def _recent(root: RootView) -> Graph:
    """Return the graph of what is seen, or one that is older by less than it is worth to make it again."""
    path = _place(root)
    known = _opened(path)
    if known is None:
        known = _older(root, path)
    return _made(root) if known is None else known


def _older(root: RootView, path: IndexPath) -> Graph | None:
    """Return the last graph for the same rules, where it is young enough and contains no file that is hidden now."""
    rules = path.name.partition("-")[0]
    for index_path in [index_path for index_path in _kept(path.parent) if index_path.name.startswith(f"{rules}-")][:1]:
        graph = _opened(index_path)
        if graph is None or time.time() - _changed(index_path) > PAUSE * float(graph.arrays[SECONDS][0]):
            return None
        return None if _hidden(root) & set(graph.paths.all()) else graph
    return None


def _kept(folder: IndexPath) -> list[IndexPath]:
    """Return the graphs that were kept by this user, the last one first."""
    matches = [NAME.fullmatch(name) for name in folder.entries()]
    own = [folder / match[0] for match in matches if match is not None and match[2] == _signature(match[1])]
    return sorted(own, key=_changed, reverse=True)


def _hidden(root: RootView) -> set[str]:
    """Return the files that the whole index has and the caller does not see."""
    entries = zip(root.whole.manifest.segments, root.manifest.segments, root.whole.segments, strict=True)
    return {
        segment.paths[number] for whole, seen, segment in entries for number in set(seen.dead).difference(whole.dead)
    }


def _place(root: RootView) -> IndexPath:
    """Return where the graph of what is seen of a root is kept."""
    # Files may have names of bytes that are no UTF-8, which are lone surrogates here and which json escapes.
    rules = json.dumps(msgspec.to_builtins([(denied.file, denied.rule) for denied in root.sight.denied])).encode()
    databases = "\0".join(f"{snapshot.name}\0{snapshot.taken}" for snapshot in root.snapshots)
    key = graph_key(root.manifest.segments, root.whole.segments, f"{root.manifest.catalog_key}\0{databases}")
    name = f"{blake2b(rules, digest_size=8).hexdigest()}-{key}"
    return root.whole.folder / FOLDER / f"{name}-{_signature(name)}.bin"


def _signature(name: str) -> str:
    return sign("view", name.encode())[:SIGNATURE_CHARACTERS]


def _opened(path: IndexPath) -> Graph | None:
    """Return a graph that was kept, None where there is none that can be read."""
    try:
        arrays = open_arrays(path)
    except IndexDamagedError:
        return None
    return Graph(arrays) if SECONDS in arrays else None


def _made(root: RootView) -> Graph:
    whole, manifest = root.whole, root.manifest
    started = time.monotonic()
    arrays = made_graph(
        manifest.segments, whole.segments, _schema(root), root=Path(manifest.root), hides=root.sight.hides
    )
    arrays |= {SECONDS: np.array([time.monotonic() - started])}
    with suppress(OSError, IndexUnsafeError):  # it is made again next time
        _keep(_place(root), arrays)
    return Graph(arrays)


def _schema(root: RootView) -> Schema:
    return root.catalog.schema() if root.catalog is not None else Schema()


def _keep(path: IndexPath, arrays: Mapping[str, Array]) -> None:
    """Write a graph, and remove the oldest of many; raises OSError."""
    folder = path.parent
    folder.make_folder(exist_ok=True)
    temporary = folder / f"{os.urandom(4).hex()}.tmp"
    try:
        write_arrays(temporary, arrays)
        temporary.sync()
        temporary.replace(path)
    finally:
        temporary.remove()
    for index_path in _kept(folder)[MOST_VIEWS:]:
        index_path.remove()
    for name in folder.entries():
        if LEFT_OVER.fullmatch(name) and time.time() - _changed(folder / name) > LEFTOVER_SECONDS:
            (folder / name).remove()


def _changed(path: IndexPath) -> float:
    """Return when a file was written; 0 for one that another process removed meanwhile."""
    found = path.stat()
    return found.st_mtime if found is not None else 0.0
