"""The words of a question to the chunks that commits changed whose subjects have them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from coderag.index.reader.corpus import Corpus, Member, text_keys
from coderag.index.storage.arrays.arrays import Array
from coderag.index.storage.arrays.ranges import distinct, ranges
from coderag.index.storage.postings import idf, summed
from coderag.record import record
from coderag.search.query.understand import STOP_WEIGHT, Question

if TYPE_CHECKING:
    from coderag.index.history.history import History
    from coderag.index.storage.segment import Segment

__all__ = ["NO_EVIDENCE", "Evidence", "commit_scores", "history_evidence"]

MASS_FILES, MASS_LINES = 50, 1_000  # a commit that changed more describes no single place
MOST_COMMITS = 64  # that are looked at; the others fit less
OF_FILE = 0.35  # worth of a commit that changed another place of the file
ROW_BITS = 32  # of a row, below the number of its file
ALSO = 0.3  # worth of each further commit, beside the best


@record
class Evidence:
    """How well the subjects of the commits that changed a chunk fit a question."""

    chunks: Array  # i64[n], ascending
    scores: Array  # f32[n], 0..1

    def of(self, chunks: Array) -> Array:
        """Return the scores of some chunks, f32[n]; 0 where no commit says anything."""
        if not len(self.chunks):
            return np.zeros(len(chunks), dtype=np.float32)
        places = np.minimum(np.searchsorted(self.chunks, chunks), len(self.chunks) - 1)
        return np.where(self.chunks[places] == chunks, self.scores[places], np.float32(0))


NO_EVIDENCE = Evidence(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.float32))


def history_evidence(corpus: Corpus, question: Question, histories: Mapping[str, History]) -> Evidence:
    """Return the evidence of the histories of some repositories."""
    found = np.zeros(len(corpus), dtype=np.float32)
    for repository, history in histories.items():
        scores = commit_scores(history, question)
        if scores.any():
            for member in corpus.members:
                if member.repository == repository:
                    _add(found, member, history, scores)
    chunks = np.flatnonzero(found)
    return Evidence(chunks, found[chunks])


def commit_scores(history: History, question: Question) -> Array:
    """Return how well the subject of each commit fits, by BM25 over subjects: f32[commits], 0..1."""
    terms = [term for term, weight in question.terms.items() if weight > STOP_WEIGHT]
    weights = np.array([question.terms[term] for term in terms], dtype=np.float32)
    positions = history.terms.find(text_keys(terms))
    counts = [history.terms.frequency(position) if position >= 0 else 0 for position in positions.tolist()]
    rarity = np.array([idf(len(history), count) for count in counts], dtype=np.float32) * weights
    total = float(rarity.sum())
    here = positions >= 0
    if not total or not here.any():
        return np.zeros(len(history), dtype=np.float32)
    docs, shares, _ = history.terms.joined(positions[here], rarity[here] / np.float32(total))
    scores = summed(docs, shares, len(history)).astype(np.float32)
    is_mass = (history.arrays["commit_files"] > MASS_FILES) | (history.arrays["commit_lines"] > MASS_LINES)
    scores[is_mass] = 0
    if np.count_nonzero(scores) > MOST_COMMITS:
        scores[scores < np.partition(scores, -MOST_COMMITS)[-MOST_COMMITS]] = 0
    return scores


def _add(found: Array, member: Member, history: History, scores: Array) -> None:
    """Add what the commits say of the chunks of a segment."""
    arrays, segment = history.arrays, member.segment
    touches = np.flatnonzero(scores[arrays["touch_commit"]])
    files = history.files_in(segment)[np.searchsorted(arrays["touch_starts"], touches, side="right") - 1]
    here = (files >= 0) & ~np.isin(files, member.dead)
    touches, files = touches[here], files[here]
    if not len(touches):
        return
    worth = scores[arrays["touch_commit"][touches]]
    known, own = np.unique_inverse(files)  # everything is numbered within these files, touches and chunks
    chunks, file_of_chunk = ranges(*member.chunk_bounds(known))
    chunk_of_part, part_first, part_last = _parts(segment, chunks, file_of_chunk)
    spans, touch_of_span = ranges(arrays["span_starts"][touches], arrays["span_starts"][touches + 1])
    base = (own.astype(np.int64)[touch_of_span] << ROW_BITS) - 1  # lines are counted from 1, rows from 0
    low = np.searchsorted(part_last, base + arrays["span_first"][spans])
    high = np.searchsorted(part_first, base + arrays["span_last"][spans], side="right")
    parts, span_of_part = ranges(low, np.maximum(low, high))
    pairs = distinct(touch_of_span[span_of_part] * np.int64(len(chunks)) + chunk_of_part[parts])
    by, chunk = np.divmod(pairs, len(chunks) or 1)
    best, of_file = np.zeros(len(chunks), dtype=np.float32), np.zeros(len(known), dtype=np.float32)
    np.maximum.at(best, chunk, worth[by])
    np.maximum.at(of_file, own, worth)
    total = np.bincount(chunk, weights=worth[by], minlength=len(chunks)).astype(np.float32)
    with_more = best + ALSO * np.minimum(total - best, best)
    found[member.first_chunk + chunks] = np.clip(with_more, OF_FILE * of_file[file_of_chunk], 1.0)


def _parts(segment: Segment, chunks: Array, file_of_chunk: Array) -> tuple[Array, Array, Array]:
    """Return the parts of chunks by file and row: their chunk, and their first and last row after the file's number.

    They do not overlap.
    """
    offsets = segment.arrays["chunk_part_offsets"]
    parts, chunk_of_part = ranges(offsets[chunks], offsets[chunks + 1])
    rows = segment.arrays["parts"][parts]
    base = file_of_chunk[chunk_of_part] << ROW_BITS
    order = np.argsort(base + rows[:, 0], kind="stable")
    return chunk_of_part[order], (base + rows[:, 0])[order], (base + rows[:, 1])[order]
