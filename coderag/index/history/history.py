"""The history of one index: commits, newest first, the lines that they changed, and the words of their subjects."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from itertools import pairwise

import numpy as np

from coderag.index.history.records import FileHistory, LoggedCommit
from coderag.index.storage.arrays.arrays import Array, open_arrays
from coderag.index.storage.arrays.specs import (
    Specs,
    bounds,
    check_arrays,
    column,
    in_order,
    postings,
    strings,
    within,
)
from coderag.index.storage.arrays.strings import Strings
from coderag.index.storage.folder.index_path import IndexPath
from coderag.index.storage.postings import Postings
from coderag.index.storage.segment import Segment

__all__ = ["BLOB_BYTES", "ID_BYTES", "History"]

ID_BYTES = 10  # of a commit's hash: enough to name it
BLOB_BYTES = 8  # of a file's, which says whether it is the version of HEAD
MAX_SEGMENTS = 64  # of which it is remembered where they have the files
ARRAYS: Specs = {
    "head": column("head", "u"),
    "commit_id": column("commits", "u", width=ID_BYTES),
    **{f"commit_{name}": column("commits") for name in ("time", "author", "files", "lines")},
    **strings("author", "authors"),
    **strings("subject", "commits"),
    **strings("file", "files"),
    "file_id": column("files", "u", width=BLOB_BYTES),
    "touch_starts": bounds("files"),
    "touch_commit": column("touches"),
    "span_starts": bounds("touches"),
    "span_first": column("spans"),
    "span_last": column("spans"),
    **postings("term"),
}


class History:
    """A stored history; what is read of it is mapped."""

    def __init__(self, arrays: Mapping[str, Array]) -> None:
        """Take the arrays of a file, or of `history_arrays`."""
        self.arrays = arrays
        self._places: dict[IndexPath, Array] = {}  # by segment

    @classmethod
    def open(cls, path: IndexPath, held: Array | None = None) -> History:
        """Open a file without reading it (of `held_file`, where it was called before); raises IndexDamagedError."""
        arrays = open_arrays(path, held)
        check_arrays(path, arrays, ARRAYS)
        return cls(arrays)

    def __len__(self) -> int:
        """Return how many commits there are."""
        return len(self.arrays["commit_time"])

    @property
    def head(self) -> str:
        """The commit that the history leads to."""
        return bytes(self.arrays["head"]).hex()

    @cached_property
    def terms(self) -> Postings:
        """The terms of subjects; documents are commits."""
        return Postings.from_arrays(self.arrays, "term")

    @cached_property
    def subjects(self) -> Strings:
        """The subject of each commit."""
        return Strings(self.arrays["subject_blob"], self.arrays["subject_offsets"])

    @cached_property
    def paths(self) -> Strings:
        """The path of each file, in order."""
        return Strings(self.arrays["file_blob"], self.arrays["file_offsets"])

    @cached_property
    def files(self) -> dict[str, int]:
        """The number of each file by its path."""
        return {path: number for number, path in enumerate(self.paths.all())}

    def files_in(self, segment: Segment) -> Array:
        """Return the number in a segment of each file, i64[files]; -1 for one that it does not have."""
        found = self._places.get(segment.folder)
        if found is None:
            numbers = {path: number for number, path in enumerate(segment.paths.all())}
            found = np.array([numbers.get(path, -1) for path in self.files], dtype=np.int64)
            self._places = {**dict(list(self._places.items())[-MAX_SEGMENTS:]), segment.folder: found}
        return found

    def commit(self, number: int) -> LoggedCommit:
        """Return a commit by its number."""
        arrays = self.arrays
        return LoggedCommit(
            bytes(arrays["commit_id"][number]).hex(),
            int(arrays["commit_time"][number]),
            Strings(arrays["author_blob"], arrays["author_offsets"])[int(arrays["commit_author"][number])],
            self.subjects[number],
            int(arrays["commit_files"][number]),
            int(arrays["commit_lines"][number]),
        )

    def of_file(self, path: str) -> list[FileHistory]:
        """Return the commits that changed a file, newest first."""
        number = self.files.get(path)
        if number is None:
            return []
        arrays = self.arrays
        begin, end = arrays["touch_starts"][number : number + 2].tolist()
        starts = arrays["span_starts"][begin : end + 1].tolist()
        spans = list(
            zip(
                arrays["span_first"][starts[0] : starts[-1]].tolist(),
                arrays["span_last"][starts[0] : starts[-1]].tolist(),
                strict=True,
            )
        )
        commits = arrays["touch_commit"][begin:end].tolist()
        return [
            FileHistory(commit, path, tuple(spans[first - starts[0] : last - starts[0]]))
            for commit, (first, last) in zip(commits, pairwise(starts), strict=True)
        ]

    def blob(self, number: int) -> str:
        """Return the beginning of the id that HEAD has for a file."""
        return bytes(self.arrays["file_id"][number]).hex()

    def check(self) -> None:
        """Raise ValueError where numbers refer to what is not there."""
        arrays = self.arrays
        in_order(arrays["touch_starts"], len(arrays["touch_commit"]), what="commits of files")
        in_order(arrays["span_starts"], len(arrays["span_first"]), what="lines of commits")
        within(arrays["touch_commit"], len(self), what="a file")
