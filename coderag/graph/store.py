"""The graph of an index on disk: made of what its segments and its catalog hold, and made again when they differ."""

from __future__ import annotations

import gc
import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from filelock import Timeout

from coderag.errors import IndexDamagedError, IndexLockedError, IndexMissingError, IndexWriteError
from coderag.files.root_file import read_root_file
from coderag.graph.graph import Graph
from coderag.index.storage.arrays.arrays import Array, write_arrays
from coderag.index.storage.columns import unpack_labels
from coderag.index.storage.folder.entries import check_entries
from coderag.index.storage.folder.index_path import IndexPath
from coderag.index.storage.folder.lock import file_lock, locked
from coderag.index.storage.manifest import GRAPH_LOCK, Manifest, SegmentEntry, numbered_name, read_manifest
from coderag.index.storage.manifest_writer import synced_sum, write_manifest
from coderag.index.storage.segment import Segment
from coderag.index.storage.symptoms import writing
from coderag.sql.records import Schema

if TYPE_CHECKING:
    from coderag.graph.edges.reused import ReusedEdges
    from coderag.graph.files import LinkedFile

__all__ = [
    "current_graph",
    "graph_key",
    "is_current",
    "is_graph_outdated",
    "made_graph",
    "open_graph",
    "write_graph",
]

GRAPH_VERSION = (
    9  # raise it when the same links of files give another graph; changed tables of rules count by themselves
)
RULES = ("rules.toml", "standard.toml")
IDENTITY_BYTES = 8
MADE_BY = "graph_identity"  # the array with the identity of what made a graph
LOCK_SECONDS = 60.0
MOST_CHANGED = 200  # files; with more, all is resolved
SILENT_SECONDS = 0.2  # a wait for who makes the graph that is worth no word
MAKING_SECONDS = 1800.0  # ... and the longest one: Linux's takes minutes

# What communities and centrality are computed from, besides the paths.
WEIGHED = ("node_kind", "node_file", "file_labels", "edge_source", "edge_target", "edge_kind", "edge_candidates")

Told = Callable[[], object]


@dataclass(frozen=True, slots=True)
class _Outdated:
    """An index whose graph is missing or of other files."""

    manifest: Manifest
    segments: list[Segment]
    key: str  # of the graph that it should have


@dataclass(frozen=True, slots=True)
class _Live:
    """A segment and the files of it that count."""

    segment: Segment
    files: tuple[int, ...]

    def paths(self) -> list[str]:
        """Return the paths of the files."""
        return self.segment.paths.some(self.files)


def graph_identity() -> bytes:
    """Return the identity of what makes graphs: a graph of another one is made again, of links that are stored."""
    return _identity(GRAPH_VERSION)


@cache  # nobody changes what is installed while it runs
def _identity(version: int) -> bytes:
    known = blake2b(str(version).encode(), digest_size=IDENTITY_BYTES)
    folder = Path(__file__).with_name("resolve")
    for name in RULES:
        known.update(b"\0" + (folder / name).read_bytes())
    return known.digest()


def graph_key(entries: Sequence[SegmentEntry], segments: Sequence[Segment], catalog_key: str) -> str:
    """Return the identity of a graph: of its rules, of paths and contents of the files that count, and of the schema.

    Which segments hold them does not matter, so a merge leaves a graph as it is.
    """
    known = blake2b(graph_identity() + f"\0{catalog_key}\0".encode("utf-8", "surrogatepass"), digest_size=8)
    rows = []
    for live in _live(entries, segments):
        blobs = live.segment.arrays["file_blob"]
        paths = live.paths()
        rows += [
            path.encode("utf-8", "surrogateescape") + b"\0" + bytes(blobs[number])
            for path, number in zip(paths, live.files, strict=True)
        ]
    for row in sorted(rows):
        known.update(row)
    return known.hexdigest()


def made_graph(
    entries: Sequence[SegmentEntry],
    segments: Sequence[Segment],
    schema: Schema,
    *,
    root: Path,
    hides: Callable[[str], bool] = lambda _: False,
    earlier: Graph | None = None,
) -> dict[str, Array]:
    """Return the arrays of the graph of the files that count, what matters in it included.

    `hides` tells which files of settings are not to be read. Of an `earlier` graph of the same index, what still holds
    is taken. Raises IndexDamagedError.
    """
    with _uncollected():
        # By a function of its own, whose records are free again before anything looks at them for cycles.
        return _graph_arrays(entries, segments, schema, root=root, read=_reading(root, hides), earlier=earlier)


def _graph_arrays(
    entries: Sequence[SegmentEntry],
    segments: Sequence[Segment],
    schema: Schema,
    *,
    root: Path,
    read: Callable[[str], bytes | None],
    earlier: Graph | None,
) -> dict[str, Array]:
    from coderag.graph.build import build_graph  # a graph that is there needs none of it
    from coderag.graph.recent import is_small, recent_arrays
    from coderag.graph.settings_read import RecordedSettings, settings_known
    from coderag.index.storage.misread import DATA_ERRORS

    files = sorted(_linked(_live(entries, segments)), key=lambda file: file.path)
    settings, reused = RecordedSettings(read, {}), None
    with suppress(IndexDamagedError, *DATA_ERRORS):  # of an earlier graph with nonsense in it, nothing is taken
        if earlier is not None and _made_by(earlier) == graph_identity():
            known = settings_known(earlier.arrays, root, read)
            if known is not None:
                recorded = RecordedSettings(read, known)
                reused = _reused(earlier, files, segments, recorded.read)
                settings = recorded if reused is not None else settings
    arrays = build_graph(files, schema, read=settings.read, reused=reused).arrays()
    made_by = {MADE_BY: np.frombuffer(graph_identity(), np.uint8)}
    small = {
        path for live in _live(entries, segments) if is_small(len(live.files), len(files)) for path in live.paths()
    }
    made_by |= settings.arrays() | recent_arrays(files, small)
    return arrays | made_by | _weights(arrays, earlier if reused is not None else None)


def _weights(arrays: dict[str, Array], earlier: Graph | None) -> dict[str, Array]:
    """Return how much nodes matter and which belong together: as in an earlier graph whose edges are the same."""
    if earlier is not None and all(np.array_equal(arrays[name], earlier.arrays[name]) for name in WEIGHED):
        return {name: np.array(earlier.arrays[name]) for name in ("node_rank", "node_community")}
    from coderag.graph.queries.centrality import importance
    from coderag.graph.queries.communities import communities

    graph = Graph(arrays)
    return {"node_rank": importance(graph), "node_community": communities(graph)}


def _made_by(graph: Graph) -> bytes:
    """Return the identity of what made a graph; b"" for one that does not say."""
    return bytes(graph.arrays[MADE_BY]) if MADE_BY in graph.arrays else b""


def _reused(
    earlier: Graph,
    files: Sequence[LinkedFile],
    segments: Sequence[Segment],
    read: Callable[[str], bytes | None],
) -> ReusedEdges | None:
    """Return what of an earlier graph holds; None where nobody knows what a file was."""
    from coderag.graph.earlier import EarlierGraph, reused_edges
    from coderag.graph.recent import recent_files

    recent, blobs = recent_files(earlier), earlier.arrays["file_blob"]
    present = {file.path: file.blob for file in files}
    changed: dict[str, LinkedFile] = {}
    for number, path in enumerate(earlier.paths.all()):
        blob = bytes(blobs[number])
        if blob != present.get(path):
            if len(changed) > MOST_CHANGED:
                return None
            before = recent.get(path) or _stored(segments, path, blob)
            if before is None:
                return None
            changed[path] = before
    return reused_edges(EarlierGraph(earlier, changed, read), files)


def _stored(segments: Sequence[Segment], path: str, blob: bytes) -> LinkedFile | None:
    """Return a version of a file that some segment still has, though it does not count any more."""
    for segment in segments:
        alike = np.flatnonzero((segment.arrays["file_blob"] == np.frombuffer(blob, np.uint8)).all(axis=1)).tolist()
        for linked_file in _linked([_Live(segment, tuple(alike))]):
            if linked_file.path == path:
                return linked_file
    return None


@contextmanager
def _uncollected() -> Iterator[None]:
    """Do without the collector of cycles, which looks at a million records again and again, and finds none to free."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


def open_graph(folder: IndexPath, manifest: Manifest, held: Array | None = None) -> Graph | None:
    """Return the graph of an index, None where there is none; it may be older than the index.

    Raises IndexDamagedError.
    """
    return Graph.open(folder / manifest.graph, held) if manifest.graph else None


def is_current(folder: IndexPath, manifest: Manifest, segments: Sequence[Segment]) -> bool:
    """Tell whether the stored graph is of what the index has now."""
    return _is_of(folder, manifest, graph_key(manifest.segments, segments, manifest.catalog_key))


def _is_of(folder: IndexPath, manifest: Manifest, key: str) -> bool:
    """Tell whether the stored graph is that of a key."""
    return bool(manifest.graph) and manifest.graph_key == key and (folder / manifest.graph).exists()


def is_graph_outdated(folder: IndexPath) -> bool:
    """Tell whether an index has no graph, or one that is older than itself; raises like `write_graph`."""
    return _outdated(folder) is not None


def write_graph(folder: IndexPath, root: Path, *, making: Told | None = None, waiting: Told | None = None) -> bool:
    """Make the graph of the index of a root if it is older than the index, and tell whether it was.

    Of several processes one makes it, and the others wait for it. Another writer may change the index meanwhile, and
    then the graph is older than the index again, as its key says. `making` is called before it is made, `waiting` when
    another process makes it. Raises IndexMissingError, IndexFormatError, IndexDamagedError, IndexLockedError and
    IndexWriteError.
    """
    if _outdated(folder) is None:
        return False
    with _only_maker(folder, waiting):
        outdated = _outdated(folder)
        if outdated is None:  # another process made it meanwhile
            return False
        if making is not None:
            making()
        _write(folder, root, outdated)
    return True


def _outdated(folder: IndexPath) -> _Outdated | None:
    manifest = read_manifest(folder)
    segments = [Segment.of(folder, entry) for entry in manifest.segments]
    key = graph_key(manifest.segments, segments, manifest.catalog_key)
    return None if _is_of(folder, manifest, key) else _Outdated(manifest, segments, key)


@contextmanager
def _only_maker(folder: IndexPath, waiting: Told | None) -> Iterator[None]:
    """Be the only process that makes the graph of an index; raises IndexLockedError and IndexWriteError."""
    with writing(folder):
        lock = file_lock(folder / GRAPH_LOCK)
        try:
            lock.acquire(timeout=SILENT_SECONDS)
        except Timeout:
            if waiting is not None:
                waiting()
            try:
                lock.acquire(timeout=MAKING_SECONDS)
            except Timeout as error:
                raise IndexLockedError(
                    f"another process has been making the graph of the index at {folder} for more than "
                    f"{MAKING_SECONDS:g} s; wait until it is done"
                ) from error
    try:
        yield
    finally:
        lock.release()


def _write(folder: IndexPath, root: Path, outdated: _Outdated) -> None:
    from coderag.index.catalog.catalog import Catalog

    started = time.monotonic()
    manifest = outdated.manifest
    schema = Catalog.open(folder / manifest.catalog).schema() if manifest.catalog else Schema()
    earlier = None
    with suppress(IndexDamagedError):  # it is made of nothing
        earlier = open_graph(folder, manifest)
    arrays = made_graph(manifest.segments, outdated.segments, schema, root=root, earlier=earlier)
    check_entries(folder)
    with locked(folder, LOCK_SECONDS), writing(folder):
        now = read_manifest(folder)
        path = folder / numbered_name("graph", now.generation + 1)
        write_arrays(path, arrays)
        made = replace(
            now,
            graph=path.name,
            graph_sum=synced_sum(path),
            graph_key=outdated.key,
            graph_ns=time.time_ns(),
            graph_seconds=time.monotonic() - started,
        )
        write_manifest(folder, made, None)


def current_graph(
    folder: IndexPath,
    manifest: Manifest,
    segments: Sequence[Segment],
    *,
    schema: Callable[[], Schema],
    making: Told | None = None,
    waiting: Told | None = None,
) -> Graph:
    """Return the graph of an index as it was opened, made and stored where there is none that fits.

    Where it cannot be stored, or the index on disk is another one by now, it is made in memory. `making` and `waiting`
    as for `write_graph`. Raises IndexDamagedError.
    """
    key = graph_key(manifest.segments, segments, manifest.catalog_key)
    if _is_of(folder, manifest, key):
        with suppress(IndexDamagedError):  # it is rebuilt
            if (known := open_graph(folder, manifest)) is not None:
                return known
    with suppress(IndexLockedError, IndexWriteError, IndexMissingError):
        write_graph(folder, Path(manifest.root), making=making, waiting=waiting)
        stored = read_manifest(folder)
        if stored.graph_key == key and (graph := open_graph(folder, stored)) is not None:
            return graph
    return Graph(made_graph(manifest.segments, segments, schema(), root=Path(manifest.root)))


def _live(entries: Sequence[SegmentEntry], segments: Sequence[Segment]) -> Iterator[_Live]:
    for entry, segment in zip(entries, segments, strict=True):
        dead = set(entry.dead)
        yield _Live(segment, tuple(number for number in range(entry.files) if number not in dead))


def _linked(parts: Iterable[_Live]) -> Iterator[LinkedFile]:
    """Yield files with their links."""
    from coderag.graph.files import LinkedFile

    for live in parts:
        segment = live.segment
        arrays, languages = segment.arrays, list(segment.languages)
        labels = arrays["file_labels"].tolist()
        codes, blobs = arrays["file_language"].tolist(), arrays["file_blob"]
        for number, path in zip(live.files, segment.paths.some(live.files), strict=True):
            links = segment.links(number)
            yield LinkedFile(
                path,
                languages[codes[number]],
                links,
                unpack_labels(labels[number]),
                bytes(blobs[number]),
            )


def _reading(root: Path, hides: Callable[[str], bool]) -> Callable[[str], bytes | None]:
    """Return what reads files of settings below a root, and nothing that is hidden or outside of it."""
    real = os.path.realpath(root)

    def read(path: str) -> bytes | None:
        with suppress(OSError, ValueError):  # ValueError: a NUL in the path
            full = os.path.realpath(os.path.join(real, path))
            if not hides(os.path.normpath(path)) and not hides(os.path.relpath(full, real)):
                return read_root_file(root, path)
        return None

    return read
