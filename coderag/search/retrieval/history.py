"""The words of a question to the chunks that commits changed whose subjects have them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from coderag.index.reader.corpus import Corpus, Member, text_keys
from coderag.index.storage.arrays.arrays import Array
from coderag.index.storage.postings import idf, summed
from coderag.search.query.understand import STOP_WEIGHT, Question

if TYPE_CHECKING:
    from coderag.index.history.history import History

__all__ = ["NO_EVIDENCE", "Evidence", "commit_scores", "history_evidence"]

MASS_FILES, MASS_LINES = 50, 1_000  # a commit that changed more is about all of them, and tells of none
OF_FILE = 0.35  # worth of a commit that changed another place of the file
ALSO = 0.3  # worth of each further commit, beside the best


@dataclass(frozen=True, slots=True)
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
    return scores


def _add(found: Array, member: Member, history: History, scores: Array) -> None:
    """Add what the commits say of the chunks of a segment."""
    arrays, segment = history.arrays, member.segment
    worth = scores[arrays["touch_commit"]]
    touch_starts = arrays["touch_starts"].tolist()
    telling = np.flatnonzero(np.diff(np.concatenate([[0], np.cumsum(worth > 0)])[arrays["touch_starts"]]))
    for number, file in zip(telling.tolist(), history.files_in(segment)[telling].tolist(), strict=True):
        if file < 0 or file in member.dead:
            continue
        touches = slice(touch_starts[number], touch_starts[number + 1])
        first, last = (int(bound) for bound in np.searchsorted(segment.chunk_file, [file, file + 1]))
        if first < last:
            here = slice(member.first_chunk + first, member.first_chunk + last)
            found[here] = _of_file(history, touches, worth[touches], _parts(member, first, last))


@dataclass(frozen=True, slots=True)
class _Parts:
    """The parts of the chunks of a file, which do not overlap, in the order of their rows."""

    first_row: Array
    last_row: Array
    chunk: Array  # counted from the first of the file
    chunks: int


def _parts(member: Member, first: int, last: int) -> _Parts:
    arrays = member.segment.arrays
    offsets = arrays["chunk_part_offsets"][first : last + 1]
    parts = arrays["parts"][offsets[0] : offsets[-1]]
    order = np.argsort(parts[:, 0], kind="stable")
    chunk = np.repeat(np.arange(last - first), np.diff(offsets))
    return _Parts(parts[order, 0], parts[order, 1], chunk[order], last - first)


def _of_file(history: History, touches: slice, worth: Array, parts: _Parts) -> Array:
    """Return what some commits of a file say of its chunks, f32[chunks]."""
    arrays = history.arrays
    best, total = np.zeros(parts.chunks, dtype=np.float32), np.zeros(parts.chunks, dtype=np.float32)
    for at in np.flatnonzero(worth).tolist():
        begin, end = arrays["span_starts"][touches.start + at : touches.start + at + 2].tolist()
        low = np.searchsorted(parts.last_row, arrays["span_first"][begin:end].astype(np.int64) - 1)
        high = np.searchsorted(parts.first_row, arrays["span_last"][begin:end].astype(np.int64) - 1, side="right")
        touched = np.zeros(parts.chunks, dtype=bool)
        for one, past in zip(low.tolist(), high.tolist(), strict=True):
            touched[parts.chunk[one:past]] = True
        total[touched] += worth[at]
        best[touched] = np.maximum(best[touched], worth[at])
    of_chunk = best + ALSO * np.minimum(total - best, best)
    scores: Array = np.clip(of_chunk, OF_FILE * float(worth.max(initial=0.0)), 1.0)
    return scores
