"""An index folder to the index that a builder works on, as far as it is sound."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from coderag.errors import IndexDamagedError
from coderag.index.build.known_files import KnownFiles
from coderag.index.build.segment_ref import FileLocations, SegmentRef, file_locations
from coderag.index.storage.checksums import check_segment, is_sound
from coderag.index.storage.folder.index_path import IndexPath
from coderag.index.storage.listing import Listed
from coderag.index.storage.manifest import (
    NO_SUM,
    SEGMENTS,
    Manifest,
    SegmentEntry,
    listing_of,
    without_history,
)
from coderag.index.storage.segment import Segment
from coderag.record import record

__all__ = ["PreviousIndex", "known_files", "open_previous"]


@record
class PreviousIndex:
    """An index as the last build or update left it."""

    manifest: Manifest
    listed: Listed
    parts: tuple[SegmentRef, ...]
    places: FileLocations


def known_files(root: Path, opened: PreviousIndex) -> KnownFiles:
    """Return what an index knows of its root."""
    treatments = [part.segment.arrays["file_treatment"] for part in opened.parts]
    listed = replace(opened.listed, stamps=tuple(part.stamps for part in opened.parts))
    return KnownFiles(str(root), listed, opened.places, treatments)


def open_previous(folder: IndexPath, manifest: Manifest, *, checked: bool) -> PreviousIndex:
    """Return an index without the segments that are damaged; `checked`: every byte is compared with its sum.

    What a damaged catalog or segment told of schemas is to be folded again, which an empty key of the catalog says. A
    damaged graph is dropped.
    """
    listed = _sound_listing(folder, manifest, checked=checked)
    parts: list[SegmentRef] = []
    for position, entry in enumerate(manifest.segments):
        with suppress(IndexDamagedError):
            parts.append(_open_part(folder, manifest, entry, listed, position, checked=checked))
    lost_catalog = manifest.catalog and checked and not is_sound(folder / manifest.catalog, manifest.catalog_sum)
    if lost_catalog or len(parts) < len(manifest.segments) or not _has_catalog(folder, manifest):
        manifest = replace(manifest, catalog_key="")
    if manifest.graph and checked and not is_sound(folder / manifest.graph, manifest.graph_sum):
        manifest = replace(manifest, graph="", graph_sum=NO_SUM, graph_key="")
    if manifest.history and checked and not is_sound(folder / manifest.history, manifest.history_sum):
        manifest = without_history(manifest)
    if manifest.hnsw and checked and not is_sound(folder / manifest.hnsw, manifest.hnsw_sum):
        manifest = replace(manifest, hnsw="", hnsw_sum=NO_SUM)
    return PreviousIndex(manifest, listed, tuple(parts), file_locations(dict(enumerate(parts))))


def _sound_listing(folder: IndexPath, manifest: Manifest, *, checked: bool) -> Listed:
    """Return the listing; an empty one where it is damaged: then every file is hashed, and found to be known."""
    if checked and not is_sound(folder / manifest.listing, manifest.listing_sum):
        return Listed()
    try:
        listed = listing_of(folder, manifest)
    except IndexDamagedError:
        return Listed()
    return listed if len(listed.stamps) == len(manifest.segments) else Listed()


def _has_catalog(folder: IndexPath, manifest: Manifest) -> bool:
    return not manifest.catalog or (folder / manifest.catalog).exists()


def _open_part(
    folder: IndexPath, manifest: Manifest, entry: SegmentEntry, listed: Listed, position: int, *, checked: bool
) -> SegmentRef:
    path = folder / SEGMENTS / entry.name
    if checked:
        check_segment(path, entry)
    if not listed.stamps:
        return SegmentRef.open(folder, entry, vectors=manifest.vectors, stamps={})
    return SegmentRef(entry, Segment.of(folder, entry, vectors=manifest.vectors), listed.stamps[position])
