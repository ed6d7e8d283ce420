"""A segment as an update sees it: its entry in the manifest, and what the file system said of its files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from coderag.index.storage.arrays.arrays import Array
from coderag.index.storage.folder.index_path import IndexPath
from coderag.index.storage.listing import UNKNOWN, Stamp, stamps_of
from coderag.index.storage.manifest import SegmentEntry
from coderag.index.storage.segment import Segment
from coderag.record import record, replaced

__all__ = ["FileLocation", "FileLocations", "SegmentRef", "file_locations"]

FileLocation = tuple[int, int]  # a segment's position in the manifest, and a file's number in it
FileLocations = dict[str, FileLocation]  # of each file that is what was indexed, by its path


@record
class SegmentRef:
    """A segment of an index, opened."""

    entry: SegmentEntry
    segment: Segment
    stamps: Array  # i64[files, 3]

    @classmethod
    def open(cls, folder: IndexPath, entry: SegmentEntry, *, vectors: str, stamps: Mapping[str, Stamp]) -> SegmentRef:
        """Open a segment that was just made, with the stamps of its files by path; raises IndexDamagedError."""
        segment = Segment.of(folder, entry, vectors=vectors)
        return cls(entry, segment, stamps_of([stamps.get(path, UNKNOWN) for path in segment.paths.all()]))

    @property
    def live_files(self) -> Array:
        """Which files are what was indexed, bool[files]."""
        live = np.ones(self.entry.files, dtype=bool)
        live[list(self.entry.dead)] = False
        return live

    @property
    def live_chunks(self) -> int:
        """How many of its chunks can be found."""
        dead = self.entry.dead
        return self.entry.chunks - (int(np.isin(self.segment.chunk_file, dead).sum()) if dead else 0)

    @property
    def is_empty(self) -> bool:
        """Whether no file of it counts any longer."""
        return len(self.entry.dead) >= self.entry.files

    def with_dead(self, numbers: Iterable[int]) -> SegmentRef:
        """Return it with exactly these files dead."""
        dead = tuple(sorted(set(numbers)))
        return self if dead == self.entry.dead else replaced(self, entry=replaced(self.entry, dead=dead))

    def with_stamps(self, stamps: Mapping[int, Stamp]) -> SegmentRef:
        """Return it with other stamps for some of its files."""
        if not stamps:
            return self
        changed = self.stamps.copy()
        changed[list(stamps)] = stamps_of(list(stamps.values()))
        return replaced(self, stamps=changed)


def file_locations(parts: Mapping[int, SegmentRef]) -> FileLocations:
    """Return where each file lies that is what was indexed, of segments by their positions."""
    places: FileLocations = {}
    for position, part in parts.items():
        dead = set(part.entry.dead)
        for number, path in enumerate(part.segment.paths.below_root()):
            if number not in dead:
                places[path] = position, number
    return places
