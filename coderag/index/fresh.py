"""Whether an index still says what the files say, without reading them."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from coderag.errors import StoredIndexError
from coderag.index.manifest import Manifest, read_listing
from coderag.index.segment import Segment

__all__ = ["is_fresh"]


def is_fresh(root: str, folder: Path, manifest: Manifest, segments: Iterable[Segment]) -> bool:
    """Tell whether no file, folder or ignore file changed since the index was written.

    A folder's modification time changes when an entry comes or goes, so files that are not indexed need no look,
    unless one that was left out (too large, binary) was changed in place: `coderag index` notices that.
    """
    try:
        listed = read_listing(folder, manifest)
    except StoredIndexError:
        return False
    base = os.path.join(root, "")
    newest = manifest.updated_ns  # a file as new as this may have been written again within one tick of the clock
    try:
        for path, mtime in (*listed.folders.items(), *listed.rules.items()):
            if os.stat(base + path).st_mtime_ns != mtime or mtime >= newest:
                return False
        for entry, segment in zip(manifest.segments, segments, strict=True):
            dead = set(entry.dead)
            for number, (path, size, mtime, inode) in enumerate(segment.file_stats()):
                if number in dead:
                    continue
                found = os.lstat(base + path)
                if found.st_mtime_ns != mtime or found.st_size != size or found.st_ino != inode or mtime >= newest:
                    return False
    except OSError:
        return False
    return True
