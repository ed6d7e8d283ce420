"""An index while it changes: which files of which segments count, and what is still to be read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from coderag.files.walk import Skipped, SourceFile
from coderag.index.build.known_content import Found
from coderag.index.build.previous_index import PreviousIndex
from coderag.index.build.scan import Scan
from coderag.index.build.segment_ref import FileLocations, SegmentRef, file_locations
from coderag.index.storage.folder.index_path import IndexPath
from coderag.index.storage.listing import Left, Listed, Stamp, stamp_of
from coderag.index.storage.manifest import SegmentEntry
from coderag.index.storage.segment import Segment

__all__ = ["IndexChange"]


class IndexChange:
    """The segments of an index and what a scan found, until every file has its place."""

    def __init__(self, opened: PreviousIndex, scan: Scan) -> None:
        self._scan = scan
        self._places = opened.places
        self._parts = list(opened.parts)
        self._dead = [set(part.entry.dead) for part in opened.parts]
        self._stamps: list[dict[int, Stamp]] = [{} for _ in opened.parts]
        self._files = {file.path: file for file in scan.differing}
        self._left: list[Left] = []
        self._new: list[SegmentRef] = []
        self._revived: set[tuple[int, int]] = set()
        self._died: set[tuple[int, int]] = set()
        self.reused = 0
        for path in scan.gone:
            self._kill(path)

    @property
    def to_read(self) -> list[SourceFile]:
        """The files whose content is not known, in order of path."""
        return list(self._files.values())

    @property
    def unchanged(self) -> int:
        """How many files of the index are what they were."""
        return len(self._places) - len(self._died)

    @property
    def did_something(self) -> bool:
        """Whether some file came, changed or went."""
        return bool(self._files or self._died or self._revived or self._new)

    @property
    def removed(self) -> int:
        """How many files are there no longer, or are not read any longer."""
        return len(self._scan.gone)

    def take_known(self, found: Iterable[Found]) -> None:
        """Let files count whose content lies in a segment."""
        for one in found:
            place = one.part, one.number
            if self._places.get(one.file.path) != place:
                self._kill(one.file.path)
                self._dead[one.part].discard(one.number)
                self._revived.add(place)
                self.reused += 1
            self._stamps[one.part][one.number] = stamp_of(one.file, self._scan.now)
            del self._files[one.file.path]

    def add_parts(self, parts: Sequence[SegmentRef]) -> None:
        """Take segments of another index; their files that count need not be read."""
        for part in parts:
            paths = part.segment.paths.all()
            for number, live in enumerate(part.live_files.tolist()):
                if live:
                    self._kill(paths[number])
                    del self._files[paths[number]]
                    self.reused += 1
        self._new += parts

    def leave_out(self, skipped: Iterable[Skipped]) -> None:
        """Note files that turned out to be no text; they are looked at again when they change."""
        for file in skipped:
            stamp = stamp_of(self._files[file.path], self._scan.now)
            self._left.append(Left(file.path, str(file.reason), file.detail, stamp))

    def add(self, folder: IndexPath, entries: Iterable[SegmentEntry], *, vectors: str) -> None:
        """Take the segments that the files to read became."""
        stamps = {path: stamp_of(file, self._scan.now) for path, file in self._files.items()}
        self._new += [SegmentRef.open(folder, entry, vectors=vectors, stamps=stamps) for entry in entries]

    def finished(self) -> list[SegmentRef]:
        """Return the segments of which some file counts."""
        for path in self._files:
            self._kill(path)
        old = zip(self._parts, self._dead, self._stamps, strict=True)
        parts = [part.with_dead(dead).with_stamps(stamps) for part, dead, stamps in old]
        return [part for part in (*parts, *self._new) if not part.is_empty]

    def listed(self) -> Listed:
        """Return what is listed now, without stamps."""
        skipped = sorted((*self._scan.listed.skipped, *self._left), key=lambda left: left.path)
        return replace(self._scan.listed, skipped=tuple(skipped))

    def places(self, parts: Sequence[SegmentRef]) -> FileLocations:
        """Return where each file lies that counts, in the segments that there are in the end."""
        at = {part.entry.name: position for position, part in enumerate(parts)}
        moved = [at.get(part.entry.name, -1) for part in self._parts]
        places = {
            path: (moved[part], number)
            for path, (part, number) in self._places.items()
            if moved[part] >= 0 and (part, number) not in self._died
        }
        for part, number in self._revived:
            if moved[part] >= 0:
                places[self._parts[part].segment.paths[number]] = moved[part], number
        made = {position: part for position, part in enumerate(parts) if position not in moved}
        return places | file_locations(made)

    def concerned(self) -> list[tuple[Segment, Iterable[int]]]:
        """Return the files that came, changed or went, or have another time than they had, by segment."""
        touched: dict[int, set[int]] = {
            position: {number for number, stamp in stamps.items() if stamp.mtime_ns != part.stamps[number][1]}
            for position, (part, stamps) in enumerate(zip(self._parts, self._stamps, strict=True))
        }
        for part, number in self._died | self._revived:
            touched.setdefault(part, set()).add(number)
        found: list[tuple[Segment, Iterable[int]]] = [
            (self._parts[part].segment, numbers) for part, numbers in touched.items()
        ]
        return [*found, *((part.segment, range(part.entry.files)) for part in self._new)]

    def _kill(self, path: str) -> None:
        place = self._places.get(path)
        if place is not None and place not in self._died:
            self._dead[place[0]].add(place[1])
            self._died.add(place)
