"""Opened indexes to what callers of some groups see of them: everything as if the rest were not there."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property

from coderag.files.walk import Skipped, SkipReason
from coderag.index.build.embed import Embedding
from coderag.index.build.schema import fold_schema
from coderag.index.build.segment_ref import SegmentRef
from coderag.index.catalog.catalog import Catalog, joined_catalog, made_catalog
from coderag.index.reader.access_control import AccessScope, Denied, access_of, access_scope, visible_manifest
from coderag.index.reader.corpus import Corpus
from coderag.index.reader.opened_root import OpenedRoot
from coderag.index.reader.status import Status, take_stock
from coderag.index.storage.database_snapshots import DatabaseSnapshot, read_snapshots

__all__ = ["AccessView", "RootView"]

LINKS = frozenset({SkipReason.LINK, SkipReason.LINK_OUTSIDE})  # what they lead to is told with them


class RootView:
    """What is seen of one root where some rules are not met."""

    def __init__(self, whole: OpenedRoot, denied: tuple[Denied, ...]) -> None:
        self.whole = whole
        self.sight: AccessScope = access_scope(whole.manifest, whole.segments, denied=denied, catalog=whole.catalog)
        self.manifest = visible_manifest(whole.manifest, whole.segments, self.sight)

    @cached_property
    def snapshots(self) -> list[DatabaseSnapshot]:
        """The databases that were asked and are seen."""
        root = self.manifest.root
        return [
            read_snapshot
            for read_snapshot in read_snapshots(self.whole.folder)
            if not self.sight.hides_database(read_snapshot, root)
        ]

    @cached_property
    def catalog(self) -> Catalog | None:
        """The schemas of the visible files and databases, None if there are none.

        A table may be made of several files, so this is folded from those that are seen, and not cut out of the whole.
        """
        whole = self.whole
        if whole.catalog is None or not self._hides_facts():
            return whole.catalog
        parts = [
            SegmentRef(*one) for one in zip(self.manifest.segments, whole.segments, whole.listed.stamps, strict=True)
        ]
        settings = access_of(self.manifest).settings
        folded = fold_schema(parts, self.snapshots, settings, embedding=Embedding.made(self.manifest))
        return made_catalog(folded[0], vectors=folded[1]) if folded else None

    def _hides_facts(self) -> bool:
        """Tell whether something is hidden that declares or uses schemas."""
        if len(self.snapshots) < len(read_snapshots(self.whole.folder)):
            return True
        entries = zip(self.whole.manifest.segments, self.manifest.segments, self.whole.segments, strict=True)
        return any(
            not set(segment.files_with_facts()).isdisjoint(set(seen.dead) - set(whole.dead))
            for whole, seen, segment in entries
        )

    def status(self, *, compare: bool, is_unchanged: bool, schema: bool) -> Status:
        """Return the status of what is seen: without what only the whole index can tell, such as its size on disk."""
        found = take_stock(
            self.whole.folder,
            self.manifest,
            self.whole.segments,
            compare=compare,
            is_unchanged=is_unchanged,
            listed=self.whole.listed,
            catalog=self.catalog if schema else None,
            snapshots=self.snapshots,
        )
        if self.sight.is_whole:
            return found
        changes = found.changes and replace(
            found.changes,
            # What a new file says of databases is known when it is read.
            new=() if self.sight.hides_databases else self._seen(found.changes.new),
            changed=self._seen(found.changes.changed),
            gone=self._seen(found.changes.gone),
        )
        skipped = tuple(self._told(one) for one in found.skipped if not self.sight.hides(one.path))
        return replace(
            found,
            skipped=skipped,
            changes=changes,
            updated_ns=0,
            build_seconds=0.0,
            graph=None,
            segments=0,
            index_bytes=0,
        )

    def _told(self, skipped: Skipped) -> Skipped:
        """Return why a file was left out, for who may not see what a link leads to: there it leads nowhere."""
        if skipped.reason not in LINKS or not skipped.detail:
            return skipped
        target = os.path.relpath(os.path.join(self.manifest.root, skipped.detail), self.manifest.root)
        return replace(skipped, reason=SkipReason.BROKEN_LINK, detail="") if self.sight.hides(target) else skipped

    def _seen(self, paths: Sequence[str]) -> tuple[str, ...]:
        return tuple(path for path in paths if not self.sight.hides(path))


class AccessView:
    """What is seen of several roots."""

    def __init__(self, opened: Sequence[OpenedRoot], corpus: Corpus, *, denied: Sequence[tuple[Denied, ...]]) -> None:
        """Look at roots and their corpus; of each root some rules are not met."""
        self.roots = tuple(RootView(one, rules) for one, rules in zip(opened, denied, strict=True))
        self.corpus = corpus.with_dead([entry.dead for root in self.roots for entry in root.manifest.segments])

    @cached_property
    def catalog(self) -> Catalog:
        """The schemas of all roots as one catalog."""
        return joined_catalog(self.catalogs)

    @cached_property
    def catalogs(self) -> Mapping[str, Catalog]:
        """The catalogs of the roots that have any, by repository."""
        return {root.manifest.repository: root.catalog for root in self.roots if root.catalog is not None}
