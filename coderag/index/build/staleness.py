"""How the files of a root differ from what an index says of them, without reading any."""

from __future__ import annotations

from collections.abc import Sequence

from coderag.index.build.known_files import KnownFiles, differences
from coderag.index.build.segment_ref import SegmentRef, file_locations
from coderag.index.storage.listing import Listed
from coderag.index.storage.manifest import Manifest
from coderag.index.storage.segment import Segment

__all__ = ["stale_paths"]


def stale_paths(root: str, manifest: Manifest, segments: Sequence[Segment], listed: Listed) -> list[str] | None:
    """Return what is not as it was of a root: files, folders and rule files, from the root; None for all of it.

    A folder's modification time changes when an entry comes or goes, so files that are not indexed need no look, unless
    they were left out for what they held.
    """
    if len(listed.stamps) != len(segments):
        return None
    parts = [
        SegmentRef(entry, segment, stamps)
        for entry, segment, stamps in zip(manifest.segments, segments, listed.stamps, strict=True)
    ]
    paths = []
    for path, decides in differences(KnownFiles(root, listed, file_locations(dict(enumerate(parts))), ())):
        if decides:
            return None
        paths.append(path)
    return paths
