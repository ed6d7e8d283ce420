"""The words of a question to the chunks that commits changed whose subjects have them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from coderag.index.history.history import History
from coderag.index.reader.corpus import Corpus, Member, text_keys
from coderag.index.storage.arrays.arrays import Array
from coderag.index.storage.postings import idf, summed
from coderag.search.query.understand import STOP_WEIGHT, Question

__all__ = ["NO_EVIDENCE", "Evidence", "history_evidence"]

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
        scores = _commit_scores(history, question)
        if scores.any():
            for member in corpus.members:
                if member.repository == repository:
                    _add(found, member, history, scores)
    chunks = np.flatnonzero(found)
    return Evidence(chunks, found[chunks])


def _commit_scores(history: History, question: Question) -> Array:
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
    starts = arrays["touch_starts"]
    touched = np.flatnonzero(np.add.reduceat(np.append(worth, 0), starts[:-1]) * (starts[1:] > starts[:-1]))
    named = {path: number for number, path in zip(touched.tolist(), history.paths.some(touched), strict=True)}
    for file, path in enumerate(segment.paths.all()):
        number = named.get(path)
        if number is None or file in member.dead:
            continue
        first, last = (int(bound) for bound in np.searchsorted(segment.chunk_file, [file, file + 1]))
        begin, end = int(starts[number]), int(starts[number + 1])
        of_chunks = _of_file(
            history, begin, end, worth=worth[begin:end], parts=_parts(member, first, last), count=last - first
        )
        found[member.first_chunk + first : member.first_chunk + last] = of_chunks


def _parts(member: Member, first: int, last: int) -> tuple[Array, Array, Array]:
    """Return of the parts of some chunks of a file their first and last rows, and the number of their chunk."""
    arrays = member.segment.arrays
    offsets = arrays["chunk_part_offsets"][first : last + 1]
    parts = arrays["parts"][offsets[0] : offsets[-1]]
    chunk = np.repeat(np.arange(last - first), np.diff(offsets))
    order = np.argsort(parts[:, 0], kind="stable")
    return parts[order, 0], parts[order, 1], chunk[order]


def _of_file(history: History, begin: int, *, worth: Array, parts: tuple[Array, Array, Array], count: int) -> Array:
    """Return what some commits of a file say of its chunks, f32[count]."""
    arrays = history.arrays
    firsts, lasts, chunk = parts
    best = np.zeros(count, dtype=np.float32)
    more = np.zeros(count, dtype=np.float32)
    for touch in np.flatnonzero(worth).tolist():
        spans = slice(*arrays["span_starts"][begin + touch : begin + touch + 2].tolist())
        value = worth[touch]
        hit = np.zeros(count, dtype=bool)
        for span_first, span_last in zip(
            arrays["span_first"][spans].tolist(), arrays["span_last"][spans].tolist(), strict=True
        ):
            low, high = np.searchsorted(lasts, span_first - 1), np.searchsorted(firsts, span_last - 1, side="right")
            hit[chunk[low:high]] = True
        more[hit] += value
        best[hit] = np.maximum(best[hit], value)
    of_file = float(worth.max(initial=0.0))
    scores = np.maximum(best + ALSO * np.minimum(more - best, best), OF_FILE * of_file)
    return np.minimum(scores, 1.0)
