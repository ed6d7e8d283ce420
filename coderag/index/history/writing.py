"""Commits and what they changed to the arrays that a history is read of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from coderag.index.history.history import BLOB_BYTES, ID_BYTES
from coderag.index.history.records import LoggedCommit
from coderag.index.history.trace import Touch
from coderag.index.storage.arrays.arrays import Array
from coderag.index.storage.arrays.strings import pack_strings
from coderag.index.storage.postings import Postings, build_postings, saturate
from coderag.text.subjects import question_of
from coderag.text.tokens import term_hash, terms, words

__all__ = ["blob_key", "history_arrays"]

MOST_FILES, MOST_LINES = (1 << 16) - 1, (1 << 32) - 1
K1, B, USUAL_TERMS = 1.2, 0.75, 8.0  # BM25 over subjects: a constant pivot, as for chunks


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
    return {
        "head": np.frombuffer(bytes.fromhex(head), dtype=np.uint8),
        **_commit_arrays(commits),
        **_packed("file", paths),
        "file_id": _ids([blob_key(blobs[path]) for path in paths], BLOB_BYTES),
        "touch_starts": _starts([file for (file, _), _ in rows], len(paths)),
        "touch_commit": np.array([commit for (_, commit), _ in rows], dtype=np.uint16),
        **_span_arrays([_joined(found) for _, found in rows]),
        **_subject_postings([commit.subject for commit in commits]).arrays("term"),
    }


def _commit_arrays(commits: Sequence[LoggedCommit]) -> dict[str, Array]:
    """Return the arrays of commits by themselves."""
    authors = sorted({commit.author for commit in commits})
    return {
        "commit_id": _ids([commit.id for commit in commits], ID_BYTES),
        "commit_time": np.array([commit.time for commit in commits], dtype=np.int64),
        "commit_author": np.array([authors.index(commit.author) for commit in commits], dtype=np.uint16),
        "commit_files": np.array([min(commit.files, MOST_FILES) for commit in commits], dtype=np.uint16),
        "commit_lines": np.array([min(commit.lines, MOST_LINES) for commit in commits], dtype=np.uint32),
        **_packed("author", authors),
        **_packed("subject", [commit.subject for commit in commits]),
    }


def _span_arrays(touched: Sequence[Sequence[tuple[int, int]]]) -> dict[str, Array]:
    """Return the arrays of the lines that each of some touches changed."""
    spans = [span for several in touched for span in several]
    return {
        "span_starts": np.cumsum([0, *map(len, touched)], dtype=np.uint32),
        "span_first": np.array([first for first, _ in spans], dtype=np.uint32),
        "span_last": np.array([last for _, last in spans], dtype=np.uint32),
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
