"""How the files of a root differ from what an index says of them, without reading any."""

from __future__ import annotations

from collections.abc import Sequence

from coderag.index.build.known_files import FileStamp, KnownFiles, changed_files, changed_times
from coderag.index.build.segment_ref import SegmentRef, file_locations
from coderag.index.storage.listing import Listed
from coderag.index.storage.manifest import Manifest
from coderag.index.storage.segment import Segment

__all__ = ["FileComparison"]


class FileComparison:
    """The files of a root as an index knows them, to be compared with the disk again and again."""

    def __init__(self, manifest: Manifest, segments: Sequence[Segment], listed: Listed) -> None:
        """Read the paths and stamps of all files."""
        self._root = manifest.root
        self._listed = listed
        self._stamps: list[FileStamp] | None = None  # None: the listing is one of other segments
        if len(listed.stamps) == len(segments):
            parts = map(SegmentRef, manifest.segments, segments, listed.stamps)
            self._stamps = list(KnownFiles(self._root, listed, file_locations(dict(enumerate(parts))), ()).stamps())

    def stale_paths(self) -> list[str] | None:
        """Return what is not as it was: files, folders and rule files, from the root; None for all of it.

        A folder's modification time changes when an entry comes or goes, so files that are not indexed need no look,
        unless they were left out for what they held.
        """
        if self._stamps is None:
            return None
        paths = []
        for path, decides in changed_times(self._root, self._listed):
            if decides:
                return None
            paths.append(path)
        return [*paths, *changed_files(self._root, self._stamps)]
