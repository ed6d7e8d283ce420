"""Trees of files that change, and whether two indexes of one say the same."""

from __future__ import annotations

import numpy as np

from coderag import Index
from coderag.index.storage.folder.index_path import IndexPath
from coderag.index.storage.listing import Listed
from coderag.index.storage.manifest import SEGMENTS, listing_of, read_manifest
from coderag.index.storage.segment import Segment

__all__ = ["QUESTIONS", "State", "indexed", "listing_at", "state_of", "wrong_stamps"]

QUESTIONS = ("where is alpha counted", "beta_total", "restore the gamma backup", "delta of orders")

State = dict[str, object]


def listing_at(folder: IndexPath) -> Listed:
    """Return what the index in a folder has listed."""
    return listing_of(folder, read_manifest(folder))


def indexed(folder: IndexPath) -> dict[str, tuple[bytes, int]]:
    """Return the blob and the treatment of each file that counts in an index."""
    found: dict[str, tuple[bytes, int]] = {}
    for entry in read_manifest(folder).segments:
        segment = Segment(folder / SEGMENTS / entry.name)
        for number in set(range(entry.files)) - set(entry.dead):
            path = segment.paths[number]
            assert path not in found, f"{path} counts twice"
            file = segment.file(number)
            found[path] = file.blob, file.treatment
    return found


def state_of(index: Index) -> State:
    """Return all that an index says of its root, as far as it does not depend on how it came to be."""
    folder = index.roots[0].folder
    listed = listing_at(folder)
    files = indexed(folder)
    skipped = {one.path: (one.reason, one.detail) for one in listed.skipped}
    assert list(skipped) == sorted(one.path for one in listed.skipped), "a path is left out twice, or out of order"
    hits = [
        [(hit.chunk.id, hit.chunk.path, hit.chunk.span, round(hit.score, 5)) for hit in index.search(question, k=6)]
        for question in QUESTIONS
    ]
    return {
        "files": files,
        "outlines": {path: index.outline(path) for path in files},
        "skipped": skipped,
        "folders": sorted(listed.folders),
        "rules": sorted(listed.rules),
        "hits": hits if len(index) else [],
        "chunks": len(index),
        "tables": sorted(str(table.name) for table in index.tables()),
    }


def wrong_stamps(index: Index) -> list[str]:
    """Return the files whose stamp is sure and is not what the file system says."""
    root, folder = index.roots[0].root, index.roots[0].folder
    manifest, listed = read_manifest(folder), listing_at(folder)
    wrong = []
    for entry, stamps in zip(manifest.segments, listed.stamps, strict=True):
        segment = Segment(folder / SEGMENTS / entry.name)
        for number in sorted(set(range(entry.files)) - set(entry.dead)):
            size, mtime_ns, _ = np.asarray(stamps[number]).tolist()
            path = segment.paths[number]
            found = (root / path).lstat()
            if size >= 0 and (size, mtime_ns) != (found.st_size, found.st_mtime_ns):
                wrong.append(path)
    return wrong
