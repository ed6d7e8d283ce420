"""Patches, newest first, to where the lines that each commit changed stand in today's files.

Each version of a file is known by its blob, with a map of its lines to those of today: a commit that leads to that
blob is mapped by it, and tells the map of the blob before; merges tell it of those that they made of two. Where a blob
is unknown all the same, the map of the last version of the path that was met stands in.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice

from coderag.files.log.records import Change, Patch
from coderag.index.history.line_map import IDENTITY, LineMap, before, places

__all__ = ["Touch", "Tracer", "Version"]

MAX_VERSIONS = 16  # of a path that are remembered: what parallel branches need
MAX_SPANS = 64  # of a file that a commit changed


@dataclass(frozen=True, slots=True)
class Touch:
    """A commit that changed a file."""

    path: str  # as the file is called today
    commit: str
    spans: tuple[tuple[int, int], ...]  # lines of today, first and last, ascending; () if none is left


@dataclass(frozen=True, slots=True)
class Version:
    """A version of a file."""

    path: str  # as the file is called today
    lines: LineMap


class Tracer:
    """The versions of files as far as patches were followed."""

    def __init__(self, blobs: Mapping[str, str]) -> None:
        """Begin with the blob of each file of today."""
        self._blobs = blobs
        self._versions: dict[str, dict[str, Version]] = {}  # by path and blob; the last one is the oldest

    def touches(self, patch: Patch) -> list[Touch]:
        """Return what the commit changed of today's files, and go on with the versions before it."""
        found = []
        for change in patch.changes:
            version = self.version(change.new_path, change.new_blob) if change.new_path else None
            if version is not None and patch.is_merge:
                self._follow(change, version)
            elif version is not None:
                spans = places(version.lines, change.hunks)
                found.append(Touch(version.path, patch.commit, tuple(islice(sorted(spans), MAX_SPANS))))
                self._follow(change, version)
        return found

    def version(self, path: str, blob: str) -> Version | None:
        """Return a version by its path and its blob of then; the oldest known of the path where the blob is unknown."""
        versions = self._versions.get(path)
        if versions is None and path in self._blobs:
            versions = self._versions[path] = {self._blobs[path]: Version(path, IDENTITY)}
        if not versions:
            return None
        return versions.get(blob) or next(reversed(versions.values()), None)

    def _follow(self, change: Change, version: Version) -> None:
        if change.old_path != change.new_path:  # it came by this commit, by this name
            self._versions[change.new_path] = {}
        if not change.old_path:
            return
        versions = self._versions.setdefault(change.old_path, {})
        versions[change.old_blob] = Version(version.path, before(version.lines, change.hunks))
        while len(versions) > MAX_VERSIONS:
            del versions[next(iter(versions))]
