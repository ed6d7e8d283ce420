"""The index of a root as it was opened: its manifest, its segments, and files that are read when they are needed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from coderag.errors import IndexDamagedError, IndexPartError
from coderag.index.reader.corpus import Member, open_members
from coderag.index.storage.arrays.arrays import Array, held_file
from coderag.index.storage.folder.index_path import IndexPath
from coderag.index.storage.manifest import Manifest, listing_of, manifest_stamp, read_manifest
from coderag.index.storage.segment import Segment
from coderag.record import record, replaced

if TYPE_CHECKING:
    from coderag.index.catalog.catalog import Catalog
    from coderag.index.storage.listing import Listed
    from coderag.index.storage.vector_graph import VectorGraph

__all__ = ["OpenedRoot", "PinnedFiles", "open_root"]

NO_STAMP = 0, 0, 0


@record
class PinnedFiles:
    """Files of an index that are read when they are needed; by then an update may have removed them."""

    listing: Array
    catalog: Array | None
    graph: Array | None
    history: Array | None
    hnsw: Array | None


@dataclass(frozen=True, eq=False)
class OpenedRoot:
    """The index of a root, with all that it holds."""

    folder: IndexPath
    manifest: Manifest
    members: tuple[Member, ...]
    pinned: PinnedFiles
    stamp: tuple[int, int, int]  # of the manifest's file

    @cached_property
    def segments(self) -> tuple[Segment, ...]:
        """The segments that the manifest names."""
        return tuple(member.segment for member in self.members)

    @cached_property
    def catalog(self) -> Catalog | None:
        """The schemas of the root, None if there are none; raises IndexDamagedError."""
        from coderag.index.catalog.catalog import Catalog  # a search needs none

        return Catalog.open(self.folder / self.manifest.catalog, self.pinned.catalog) if self.manifest.catalog else None

    @cached_property
    def vector_graph(self) -> VectorGraph | None:
        """The graph over the vectors, None where there is none or the extra is missing; raises IndexDamagedError."""
        if self.pinned.hnsw is None:
            return None
        from coderag.index.storage.vector_graph import VectorGraph, is_installed  # few indexes have one
        from coderag.index.storage.verified import is_verified

        if not is_installed():
            return None
        path = self.folder / self.manifest.hnsw
        if path.exists() and not is_verified(path, self.manifest.hnsw_sum):  # else an update has replaced it
            raise IndexDamagedError(f'{path} is damaged: it is not what was written; run "coderag index"')
        return VectorGraph(path, self.pinned.hnsw)

    @cached_property
    def listed(self) -> Listed:
        """What the file system said of the root; raises IndexDamagedError."""
        return listing_of(self.folder, self.manifest, self.pinned.listing)

    def was_replaced(self) -> bool:
        """Tell whether the index on disk is a newer one."""
        # Reading it for each answer would cost as much as all else that an answer takes which is kept.
        is_same_file = _stamp(self.folder) == self.stamp != NO_STAMP
        return not is_same_file and read_manifest(self.folder).generation != self.manifest.generation

    def verify(self) -> None:
        """Compare every byte of what was opened with its checksum; raises IndexDamagedError."""
        from coderag.index.storage.checksums import is_sound  # a search needs none of it

        for segment in self.segments:
            segment.verify()
        manifest = self.manifest
        for name, known in (
            (manifest.listing, manifest.listing_sum),
            (manifest.catalog, manifest.catalog_sum),
            (manifest.graph, manifest.graph_sum),
            (manifest.history, manifest.history_sum),
            (manifest.hnsw, manifest.hnsw_sum),
        ):
            if name and (path := self.folder / name).exists() and not is_sound(path, known):
                raise IndexDamagedError(f'{path} is damaged; run "coderag index"')


def open_root(folder: IndexPath, *, root: str, repository: str, known: Mapping[IndexPath, Segment]) -> OpenedRoot:
    """Open the index of a root; segments that are known are not opened again.

    Raises IndexMissingError, IndexFormatError, IndexPartError and IndexDamagedError.
    """
    while True:
        stamp, written = _stamp(folder), read_manifest(folder)
        if written.portion:
            raise IndexPartError(f'{folder} holds part {written.portion} of an index; join all with "coderag merge"')
        # The names are those of today: the index may have been made alone, or under another name.
        manifest = replaced(written, root=root, repository=repository)
        try:
            members = open_members(folder, manifest, known=known)
            return OpenedRoot(folder, manifest, tuple(members), _pin_files(folder, manifest), stamp)
        except IndexDamagedError:
            # Another process may have replaced the index meanwhile, and removed the segments of the old one.
            if read_manifest(folder) == written:
                raise


def _stamp(folder: IndexPath) -> tuple[int, int, int]:
    """Return the stamp of a manifest; of one that cannot be looked at none, so that reading it says why."""
    try:
        return manifest_stamp(folder)
    except OSError:
        return NO_STAMP


def _pin_files(folder: IndexPath, manifest: Manifest) -> PinnedFiles:
    """Return the files of an index that are read late; raises IndexDamagedError."""
    catalog = held_file(folder / manifest.catalog) if manifest.catalog else None
    graph = held_file(folder / manifest.graph) if manifest.graph else None
    history = held_file(folder / manifest.history) if manifest.history else None
    hnsw = held_file(folder / manifest.hnsw) if manifest.hnsw else None
    return PinnedFiles(held_file(folder / manifest.listing), catalog, graph, history, hnsw)
