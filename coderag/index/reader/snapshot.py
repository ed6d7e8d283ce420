"""The indexes of several roots, all of one moment: after an update, another takes its place."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from coderag.index.reader.corpus import Corpus
from coderag.index.storage.arrays.arrays import Array, held_file
from coderag.index.storage.folder.index_path import IndexPath
from coderag.index.storage.manifest import Manifest, listing_of
from coderag.index.storage.segment import Segment

if TYPE_CHECKING:
    from coderag.index.catalog.catalog import Catalog
    from coderag.index.reader.access_view import AccessView
    from coderag.index.storage.listing import Listed

__all__ = ["PinnedFiles", "Snapshot", "pin_files"]

MAX_SEEN = 16  # sets of rules for which what is seen is kept


@dataclass(frozen=True, slots=True)
class PinnedFiles:
    """Files of an index that are read when they are needed; by then an update may have removed them."""

    listing: Array
    catalog: Array | None
    graph: Array | None


def pin_files(folder: IndexPath, manifest: Manifest) -> PinnedFiles:
    """Return the files of an index that are read late; raises IndexDamagedError."""
    catalog = held_file(folder / manifest.catalog) if manifest.catalog else None
    graph = held_file(folder / manifest.graph) if manifest.graph else None
    return PinnedFiles(held_file(folder / manifest.listing), catalog, graph)


class Snapshot:
    """Roots with their manifests, segments and catalogs, and what callers see of them."""

    def __init__(
        self,
        folders: Sequence[IndexPath],
        *,
        manifests: Sequence[Manifest],
        segments: Sequence[Sequence[Segment]],
        held: Sequence[PinnedFiles],
        corpus: Corpus,
    ) -> None:
        self.folders = tuple(folders)
        self.manifests = tuple(manifests)
        self.segments = tuple(map(tuple, segments))
        self.corpus = corpus
        self.held = tuple(held)
        self._seen: dict[Hashable, AccessView] = {}  # by what hides the rest

    @cached_property
    def catalogs(self) -> Mapping[str, Catalog]:
        """The catalogs of the roots that have any, by repository."""
        from coderag.index.catalog.catalog import Catalog  # a search needs none

        parts = zip(self.folders, self.manifests, self.held, strict=True)
        return {
            one.repository: Catalog.open(folder / one.catalog, held.catalog)
            for folder, one, held in parts
            if one.catalog
        }

    @cached_property
    def catalog(self) -> Catalog:
        """The schemas of all roots as one catalog."""
        from coderag.index.catalog.catalog import joined_catalog

        return joined_catalog(self.catalogs)

    @cached_property
    def listings(self) -> tuple[Listed, ...]:
        """What the file system said of each root."""
        parts = zip(self.folders, self.manifests, self.held, strict=True)
        return tuple(listing_of(folder, manifest, held.listing) for folder, manifest, held in parts)

    def seen_by(self, callers: Iterable[frozenset[str]]) -> AccessView:
        """Return what callers of some groups all see.

        Raises IndexDamagedError, SettingsError where the rules cannot be read, and AccessError where it cannot be told
        what they hide.
        """
        from coderag.index.reader.access_control import denied_rules, others_state  # who sees all needs none of it
        from coderag.index.reader.access_view import AccessView

        asking = tuple(callers)
        parts = zip(self.manifests, self.listings, strict=True)
        denied = tuple(denied_rules(manifest, listed.folders, asking) for manifest, listed in parts)
        told_by = (others_state(manifest.root, one) for manifest, one in zip(self.manifests, denied, strict=True))
        key = denied, tuple(told_by)
        seen = self._seen.get(key)
        if seen is None:
            seen = AccessView(self, denied)
            for oldest in list(self._seen)[: 1 - MAX_SEEN]:
                self._seen.pop(oldest, None)
            self._seen[key] = seen
        return seen
