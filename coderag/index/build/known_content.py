"""Files that look changed to what is known of their content: what need not be read again.

A checkout, a copy or a touch gives a file another time; a switch between branches gives it the content of another day.
What an index holds of a file stays good as long as path, content and treatment are the same, also where it counted as
dead meanwhile. The content is told by git's id: from git's own index where that is sure, else by hashing the file.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path

from coderag.files.blob import blob_id
from coderag.files.git_index import Checked, checked_in
from coderag.files.walk import SourceFile, read_start
from coderag.index.build.segment_ref import FileLocation, FileLocations, SegmentRef
from coderag.index.storage.arrays.keys import treatment_of
from coderag.record import record

__all__ = ["Contents", "Found", "find_known"]

MANY_FILES = 64  # with fewer, reading them is quicker than reading git's index


@record
class Found:
    """A file whose content lies in a segment."""

    file: SourceFile
    part: int  # position of the segment
    number: int  # of the file in it


class Contents:
    """The ids of the content of some files of a root, each found when it is asked for."""

    def __init__(self, root: Path, files: Sequence[SourceFile]) -> None:
        self._root = root
        self._checked: Mapping[str, Checked] = checked_in(str(root)) if len(files) >= MANY_FILES else {}

    def blob(self, file: SourceFile) -> bytes:
        """Return the id of a file's content; b"" where it cannot be read, or is not what was listed."""
        checked = self._checked.get(file.path)
        # With another size or time it is not what git saw.
        if checked is not None and checked.mtime_ns == file.mtime_ns and checked.size == file.size:
            return checked.blob
        try:
            raw = read_start(str(self._root / file.path), file.size + 1)
        except OSError:
            return b""
        return blob_id(raw) if len(raw) == file.size else b""


def find_known(
    files: Iterable[SourceFile], parts: Sequence[SegmentRef], places: FileLocations, contents: Contents
) -> Iterator[Found]:
    """Yield those of some files whose content lies in a segment, dead or not, each once."""
    files = list(files)
    dead = _dead_places(files, parts)
    for file in files:
        treatment = treatment_of(file)
        for position, number in chain([places[file.path]] if file.path in places else [], dead.get(file.path, ())):
            known = parts[position].segment.arrays
            if int(known["file_size"][number]) != file.size or int(known["file_treatment"][number]) != treatment:
                continue
            if bytes(known["file_blob"][number]) == contents.blob(file):
                yield Found(file, position, number)
                break


def _dead_places(files: Iterable[SourceFile], parts: Sequence[SegmentRef]) -> dict[str, list[FileLocation]]:
    """Return where segments hold something of some files that counts no longer."""
    file_paths = {file.path for file in files}
    places: dict[str, list[FileLocation]] = {}
    for position, part in enumerate(parts):
        numbers = part.entry.dead
        for number, path in zip(numbers, part.segment.paths.some(numbers), strict=True):
            if path in file_paths:
                places.setdefault(path, []).append((position, number))
    return places
