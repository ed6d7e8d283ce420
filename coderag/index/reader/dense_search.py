"""A question's vector to the chunks whose vectors are nearest to it.

A small index compares all of them. In a large one the signs of the numbers tell first which are worth it: a question
and a vector agree in the more signs the nearer they are (Charikar, "Similarity estimation techniques from rounding
algorithms", 2002), and the numbers of the question say how much a sign counts. Counting bits reads an eighth of the
bytes, in half of the time, and needs nothing that would have to be trained or kept true with updates; what a filter
leaves out takes no place among those that are compared. Where an index has a graph over its vectors, that tells which
are worth it, unless a filter leaves out so many that too few of those would remain.
"""

from __future__ import annotations

from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from coderag.index.reader.corpus import Corpus
from coderag.index.reader.order import best_chunks
from coderag.index.storage.arrays.arrays import Array
from coderag.index.storage.manifest import SEGMENTS
from coderag.index.storage.vectors import SIGN_BITS, Vectors, cosines, signs_of
from coderag.record import record

if TYPE_CHECKING:
    from coderag.index.storage.vector_graph import VectorGraph

__all__ = ["COMPARED", "EXACT_UP_TO", "DenseHits", "How", "cosines_of", "dense_search", "way"]

# Chunks, up to which all are compared: 3.3 ms, where signs first would save 1.2; of a million, 18 ms and 10.
EXACT_UP_TO = 200_000
# Vectors that are compared after their signs were. Of a million, .999 of the 10 nearest are among them, and .99 of the
# 200 nearest; with half as many, .97.
COMPARED = 4_000
MOST_BESIDE = 0.2  # of the chunks, which a graph was not made of and which are compared beside it
BLOCK = 1 << 15  # chunks whose signs are counted at a time, which keeps what is counted near the processor
BYTE_VALUES = 256
SAMPLED = 16  # a power of two; of about so many chunks one tells which estimate COMPARED of them reach


class How(StrEnum):
    """How the nearest are found."""

    ALL = "all"  # every vector is compared
    SIGNS = "signs"  # ... of those whose signs are most like the question's
    GRAPH = "graph"  # ... of those that a graph leads to


@record
class DenseHits:
    """The chunks that are nearest to a question."""

    chunks: Array  # i64[k], best first
    scores: Array  # f32[k]: the cosine times what the chunk counts


def way(corpus: Corpus) -> How:
    """Return how the nearest chunks of a corpus are found: by its size, and by whether it has graphs that fit it."""
    if corpus.live_chunks <= EXACT_UP_TO:
        return How.ALL
    return How.SIGNS if _graphs_of(corpus) is None else How.GRAPH


def dense_search(corpus: Corpus, query: Array, counts: Array, *, k: int, how: How | None = None) -> DenseHits:
    """Return the k chunks whose cosine with f32[dimensions], times what they count (f32[chunks]), is the highest.

    What counts 0, or is no nearer than a right angle, is left out. Of chunks that equal the k-th, the first by path
    and line are taken.
    """
    how = how or way(corpus)
    if how is How.ALL:
        scores = corpus.cosines(query) * counts
        best = best_chunks(corpus, scores, k)
        return DenseHits(best, scores[best])
    if how is How.GRAPH and query.any() and (found := _by_graph(corpus, query, counts, k)) is not None:
        return found
    return _compared(corpus, query, counts, _promising(corpus, query, counts), k)


def _compared(corpus: Corpus, query: Array, counts: Array, chosen: Array, k: int) -> DenseHits:
    """Return the best of some chunks, i64[n] ascending."""
    scores = cosines_of(corpus, query, chosen) * counts[chosen]
    best = best_chunks(corpus, scores, k, chunks=chosen)
    return DenseHits(chosen[best], scores[best])


@record
class _Graphs:
    """The graphs of a corpus, and where it has what they were made of."""

    placed: tuple[tuple[VectorGraph, Array, Array], ...]  # each with the first vector of a segment, and its chunk or -1
    beside: Array  # i64[n]: chunks of segments that are in no graph


def _graphs_of(corpus: Corpus) -> _Graphs | None:
    """Return the graphs of a corpus, None where too much of it is in none."""
    if not corpus.vector_graphs:
        return None
    graphs = corpus.companion(_Graphs, lambda: _placed(corpus))
    return graphs if len(graphs.beside) <= MOST_BESIDE * len(corpus) else None


def _placed(corpus: Corpus) -> _Graphs:
    members = {member.segment.folder: member for member in corpus.members}
    placed = []
    for folder, graph in corpus.vector_graphs:
        own = [members.get(folder / SEGMENTS / name) for name in graph.segments]
        fits = [
            one is not None and one.segment.vectors is not None and len(one.segment) == size
            for one, size in zip(own, graph.sizes, strict=True)
        ]
        firsts = [one.first_chunk if one is not None and fit else -1 for one, fit in zip(own, fits, strict=True)]
        for name, fit in zip(graph.segments, fits, strict=True):
            if fit:
                del members[folder / SEGMENTS / name]
        starts = np.cumsum([0, *graph.sizes], dtype=np.int64)[:-1]
        placed.append((graph, starts, np.array(firsts, dtype=np.int64)))
    beside = [np.arange(one.first_chunk, one.first_chunk + len(one.segment)) for one in members.values()]
    return _Graphs(tuple(placed), np.concatenate([np.zeros(0, dtype=np.int64), *beside]))


def _by_graph(corpus: Corpus, query: Array, counts: Array, k: int) -> DenseHits | None:
    """Return the nearest chunks that graphs lead to, None where others could be among them: then a filter is narrow."""
    graphs = _graphs_of(corpus)
    if graphs is None:
        return None
    found, least = [graphs.beside], 0.0
    for graph, starts, firsts in graphs.placed:
        keys, near = graph.nearest(query)
        segments = np.searchsorted(starts, keys, side="right") - 1
        chunks = firsts[segments] + keys - starts[segments]
        found.append(chunks[firsts[segments] >= 0])
        if 0 < len(near) < sum(graph.sizes):
            least = max(least, float(near[-1]))  # whatever it did not lead to is no nearer
    chosen = np.unique(np.concatenate(found))
    hits = _compared(corpus, query, counts, chosen[counts[chosen] > 0], k)
    worst = float(hits.scores[-1]) if len(hits.scores) == k else 0.0
    return hits if worst >= least * float(counts.max(initial=0.0)) else None


def cosines_of(corpus: Corpus, query: Array, chunks: Array) -> Array:
    """Return the cosine of some chunks' vectors with f32[dimensions], f32[chunks]; 0 if there is none.

    Chunks of one segment that follow each other cost the least.
    """
    found = np.zeros(len(chunks), dtype=np.float32)
    for member, rows, local in corpus.by_member(chunks):
        if (vectors := member.segment.vectors) is not None:
            found[rows] = cosines(Vectors(vectors.rows[local], vectors.lengths[local]), query)
    return found


def _sample(corpus: Corpus) -> Array:
    """Return about one in SAMPLED chunks of files that count, i64[n].

    Their ids choose them, not their numbers, and nothing dead is among them: the same files give the same sample.
    """
    found = []
    for member, dead in zip(corpus.members, corpus.dead_chunks, strict=True):
        chosen = np.flatnonzero(member.segment.arrays["chunk_id"] & np.uint64(SAMPLED - 1) == 0)
        found.append(member.first_chunk + np.setdiff1d(chosen, dead, assume_unique=True))
    return np.concatenate(found)


def _promising(corpus: Corpus, query: Array, counts: Array) -> Array:
    """Return the chunks, ascending, that are worth comparing: about COMPARED, by their signs; i64[n]."""
    if np.count_nonzero(counts > 0) <= COMPARED:
        return np.flatnonzero(counts)
    found = np.zeros(len(corpus), dtype=np.float32)
    estimates = _Estimates(_QuestionSigns.of(query))
    for member in corpus.members:
        if (vectors := member.segment.vectors) is not None:
            here = slice(member.first_chunk, member.first_chunk + len(member.segment))
            signs = vectors.signs
            if signs is None:
                signs = corpus.remembered(("signs", member.first_chunk), partial(signs_of, vectors.rows))
            estimates.write(signs, counts[here], found[here])
    sample = found[corpus.remembered(("sample", SAMPLED), lambda: _sample(corpus))]
    place = len(sample) - min(COMPARED // SAMPLED, len(sample))
    least = float(np.partition(sample, place)[place]) if len(sample) else 0.0
    return np.flatnonzero(found >= max(least, float(np.finfo(np.float32).tiny)))


@record
class _QuestionSigns:
    """A question's signs, and what they count: those of its larger numbers more than those of its smaller."""

    signs: Array  # u64[words]
    large: Array  # u64[words]: bits of the larger half
    small_weight: np.float32  # of a sign that differs
    large_weight: np.float32  # ... of the larger half, beside
    most: np.float32  # how near what agrees in every sign is

    @classmethod
    def of(cls, query: Array) -> _QuestionSigns:
        sizes = np.abs(query)
        large = np.zeros(len(query), dtype=bool)
        large[np.argsort(sizes, kind="stable")[len(query) // 2 :]] = True
        small_weight, large_weight = (float(sizes[half].mean()) if half.any() else 0.0 for half in (~large, large))
        return cls(
            signs_of(query[np.newaxis])[:, 0],
            signs_of(large[np.newaxis])[:, 0],
            np.float32(2 * small_weight),
            np.float32(2 * (large_weight - small_weight)),
            np.float32(sizes.sum()),
        )


class _Estimates:
    """About how near some vectors are to a question, by their signs; above 0 where more agree than differ."""

    def __init__(self, asked: _QuestionSigns) -> None:
        self._asked = asked
        # Differing bits of up to 256 are counted in a byte: 256 of them become 0, which costs one comparison later.
        kind = np.uint8 if len(asked.signs) * SIGN_BITS <= BYTE_VALUES else np.uint16
        self._word, self._bits = np.empty(BLOCK, dtype=np.uint64), np.empty(BLOCK, dtype=np.uint8)
        self._all, self._large = np.empty(BLOCK, dtype=kind), np.empty(BLOCK, dtype=kind)
        self._share = np.empty(BLOCK, dtype=np.float32)

    def write(self, signs: Array, counts: Array, out: Array) -> None:
        """Write the estimates of u64[words, n], times what each counts (f32[n]), to f32[n]."""
        for begin in range(0, signs.shape[1], BLOCK):
            here = slice(begin, begin + BLOCK)
            self._block(signs[:, here], out[here])
            np.multiply(out[here], counts[here], out=out[here])

    def _block(self, signs: Array, out: Array) -> None:
        asked, size = self._asked, signs.shape[1]
        word, bits, share = self._word[:size], self._bits[:size], self._share[:size]
        differing, large = self._all[:size], self._large[:size]
        differing.fill(0)
        large.fill(0)
        for row, own, mask in zip(signs, asked.signs, asked.large, strict=True):
            np.bitwise_xor(row, own, out=word)
            np.add(differing, np.bitwise_count(word, out=bits), out=differing)
            np.bitwise_and(word, mask, out=word)
            np.add(large, np.bitwise_count(word, out=bits), out=large)
        np.multiply(differing, asked.small_weight, out=out)
        np.multiply(large, asked.large_weight, out=share)
        np.add(out, share, out=out)
        np.subtract(asked.most, out, out=out)
