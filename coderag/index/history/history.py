"""The history of one index as arrays: commits, newest first, the lines that they brought, and the words of subjects."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import pairwise

import numpy as np

from coderag.index.history.records import FileHistory, LoggedCommit
from coderag.index.history.trace import Touch
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
from coderag.index.storage.arrays.strings import Strings, pack_strings
from coderag.index.storage.folder.index_path import IndexPath
from coderag.index.storage.postings import Postings, build_postings, saturate
from coderag.index.storage.segment import Segment
from coderag.text.subjects import question_of
from coderag.text.tokens import term_hash, terms, words

__all__ = ["BLOB_BYTES", "ID_BYTES", "History", "blob_key", "history_arrays"]

ID_BYTES = 10  # of a commit's hash: enough to name it
BLOB_BYTES = 8  # of a file's, which says whether it is the version of HEAD
MAX_SEGMENTS = 64  # of which it is remembered where they have the files
MOST_FILES, MOST_LINES = (1 << 16) - 1, (1 << 32) - 1
K1, B, USUAL_TERMS = 1.2, 0.75, 8.0  # BM25 over subjects: a constant pivot, as for chunks
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


def blob_key(blob: str) -> str:
    """Return as much of a blob's id as a history keeps."""
    return blob[: 2 * BLOB_BYTES]


def history_arrays(
    head: str, commits: Sequence[LoggedCommit], touches: Sequence[Touch], blobs: Mapping[str, str]
) -> dict[str, Array]:
    """Return the arrays of a history; `touches` name commits by the beginning of their hash, `blobs` are HEAD's."""
    numbers = {commit.id: number for number, commit in enumerate(commits)}
    paths = sorted({touch.path for touch in touches})
    files = {path: number for number, path in enumerate(paths)}
    merged: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for touch in touches:
        merged.setdefault((files[touch.path], numbers[touch.commit]), []).extend(touch.spans)
    rows = sorted(merged.items())
    spans = [span for _, found in rows for span in _joined(found)]
    authors = sorted({commit.author for commit in commits})
    return {
        "head": np.frombuffer(bytes.fromhex(head), dtype=np.uint8),
        "commit_id": _ids([commit.id for commit in commits], ID_BYTES),
        "commit_time": np.array([commit.time for commit in commits], dtype=np.int64),
        "commit_author": np.array([authors.index(commit.author) for commit in commits], dtype=np.uint16),
        "commit_files": np.array([min(commit.files, MOST_FILES) for commit in commits], dtype=np.uint16),
        "commit_lines": np.array([min(commit.lines, MOST_LINES) for commit in commits], dtype=np.uint32),
        **_packed("author", authors),
        **_packed("subject", [commit.subject for commit in commits]),
        **_packed("file", paths),
        "file_id": _ids([blob_key(blobs[path]) for path in paths], BLOB_BYTES),
        "touch_starts": _starts([file for (file, _), _ in rows], len(paths)),
        "touch_commit": np.array([commit for (_, commit), _ in rows], dtype=np.uint16),
        "span_starts": np.cumsum([0, *(len(_joined(found)) for _, found in rows)], dtype=np.uint32),
        "span_first": np.array([first for first, _ in spans], dtype=np.uint32),
        "span_last": np.array([last for _, last in spans], dtype=np.uint32),
        **_subject_postings([commit.subject for commit in commits]).arrays("term"),
    }


def _joined(spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return spans in order, those that touch as one."""
    joined: list[tuple[int, int]] = []
    for first, last in sorted(spans):
        if joined and first <= joined[-1][1] + 1:
            joined[-1] = joined[-1][0], max(last, joined[-1][1])
        else:
            joined.append((first, last))
    return joined


def _ids(written: Sequence[str], width: int) -> Array:
    raw = b"".join(bytes.fromhex(one[: 2 * width]) for one in written)
    return np.frombuffer(raw, dtype=np.uint8).reshape(-1, width)


def _packed(name: str, texts: Sequence[str]) -> dict[str, Array]:
    blob, offsets = pack_strings(texts)
    return {f"{name}_blob": blob, f"{name}_offsets": offsets}


def _starts(files: Sequence[int], count: int) -> Array:
    """Return where the touches of each file begin, and where the last ones end."""
    return np.searchsorted(np.array(files, dtype=np.int64), np.arange(count + 1)).astype(np.uint32)


def _subject_postings(subjects: Sequence[str]) -> Postings:
    """Return which subjects hold a term; what says nothing of code (a release, a revert, layout) has none."""
    hashes, docs, frequencies = [], [], []
    for number, subject in enumerate(subjects):
        found = {term for word in words(question_of(subject)[0]) for term in terms(word)}
        length = 1 - B + B * len(found) / USUAL_TERMS
        for term in found:
            hashes.append(term_hash(term))
            docs.append(number)
            frequencies.append(1 / length)
    weights = saturate(np.array(frequencies, dtype=np.float32), K1)
    return build_postings(np.array(hashes, dtype=np.uint64), np.array(docs, dtype=np.uint32), weights)


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

    def touches(self) -> Iterator[Touch]:
        """Yield all that commits changed, by file."""
        ids = [bytes(row).hex() for row in self.arrays["commit_id"]]
        for path in self.paths.all():
            for touch in self.of_file(path):
                yield Touch(path, ids[touch.commit], touch.spans)

    def blob(self, number: int) -> str:
        """Return the beginning of the id that HEAD has for a file."""
        return bytes(self.arrays["file_id"][number]).hex()

    def check(self) -> None:
        """Raise ValueError where numbers refer to what is not there."""
        arrays = self.arrays
        in_order(arrays["touch_starts"], len(arrays["touch_commit"]), what="commits of files")
        in_order(arrays["span_starts"], len(arrays["span_first"]), what="lines of commits")
        within(arrays["touch_commit"], len(self), what="a file")
