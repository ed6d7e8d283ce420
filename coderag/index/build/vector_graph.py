"""The graph over the vectors of an index: made where it is asked for, and again when it no longer fits."""

from __future__ import annotations

from dataclasses import replace

from coderag.errors import QueryError
from coderag.extras import Extra, how_to_install
from coderag.index.storage.arrays.arrays import write_arrays
from coderag.index.storage.folder.entries import check_entries
from coderag.index.storage.folder.index_path import IndexPath
from coderag.index.storage.folder.lock import locked
from coderag.index.storage.manifest import NO_SUM, Manifest, numbered_name, read_manifest
from coderag.index.storage.manifest_writer import synced_sum, write_manifest
from coderag.index.storage.segment import Segment
from coderag.index.storage.symptoms import writing
from coderag.index.storage.vector_graph import VectorGraph, is_installed, vector_graph_arrays

__all__ = ["drop_vector_graph", "refresh_vector_graph", "write_vector_graph"]

LOCK_SECONDS = 60.0
FITS = 0.9  # of the chunks, which are in the graph; below .8 it is not used


def write_vector_graph(folder: IndexPath) -> bool:
    """Make the graph over the vectors of an index if it has none that fits it, and tell whether it was made.

    Of several processes that make one, the last to end counts. Raises QueryError where the extra is missing,
    IndexMissingError, IndexFormatError, IndexDamagedError, IndexLockedError and IndexWriteError.
    """
    if not is_installed():
        raise QueryError(f"a graph over vectors needs an extra; {how_to_install(Extra.HNSW)}")
    manifest = read_manifest(folder)
    if _fits(folder, manifest):
        return False
    check_entries(folder)
    opened = ((entry.name, Segment.of(folder, entry, vectors=manifest.vectors).vectors) for entry in manifest.segments)
    segments = [(name, vectors) for name, vectors in opened if vectors is not None and len(vectors)]
    if not segments:
        return False
    arrays = vector_graph_arrays(segments)
    with writing(folder), locked(folder, LOCK_SECONDS):
        now = read_manifest(folder)
        if now.vectors != manifest.vectors:
            return False
        path = folder / numbered_name("hnsw", now.generation + 1)
        write_arrays(path, arrays)
        write_manifest(folder, replace(now, hnsw=path.name, hnsw_sum=synced_sum(path)), None)
    return True


def refresh_vector_graph(folder: IndexPath) -> bool:
    """Make the graph of an index again if it has one that no longer fits, and tell whether it was made.

    Raises like `write_vector_graph`; without the extra, nothing is made.
    """
    return bool(is_installed() and read_manifest(folder).hnsw and write_vector_graph(folder))


def drop_vector_graph(folder: IndexPath) -> None:
    """Remove the graph of an index; raises IndexLockedError and IndexWriteError."""
    if not read_manifest(folder).hnsw:
        return
    with writing(folder), locked(folder, LOCK_SECONDS):
        write_manifest(folder, replace(read_manifest(folder), hnsw="", hnsw_sum=NO_SUM), None)


def _fits(folder: IndexPath, manifest: Manifest) -> bool:
    """Tell whether most of an index's chunks are in its graph."""
    if not manifest.hnsw or not (folder / manifest.hnsw).exists():
        return False
    known = set(VectorGraph(folder / manifest.hnsw).segments)
    inside = sum(entry.chunks for entry in manifest.segments if entry.name in known)
    outside = sum(entry.chunks for entry in manifest.segments if entry.name not in known)
    return inside >= FITS * (inside + outside)
