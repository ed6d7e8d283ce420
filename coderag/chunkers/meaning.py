"""A text to chunks that end where the meaning changes: where neighbouring sentences are least similar."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from coderag.chunkers.packing import check_sizes, chunks_of, lengths_of, packed
from coderag.chunkers.records import TextChunk
from coderag.chunkers.sentences import LONGEST, sentence_starts
from coderag.encoders.encoder import Passage
from coderag.limits import PERCENTILE, check_number

if TYPE_CHECKING:
    from coderag.encoders.encoder import Array, Encoder

__all__ = ["chunk_by_meaning"]

CONTEXT = 2  # sentences on either side of a gap that are compared: a short one says little by itself


def chunk_by_meaning(
    text: str, *, percentile: float = 90, size: int = 2000, overlap: int = 0, encoder: Encoder | None = None
) -> list[TextChunk]:
    """Return chunks of whole sentences that end where neighbouring sentences are least similar.

    A chunk ends between two sentences whose distance (1 - cosine) is above the `percentile` of all distances in the
    text: with 90, at about a tenth of the sentences. A chunk has at most `size` characters; of those before it, it
    repeats the last sentences of at most `overlap` characters. `encoder` is the shipped one where it is not given.
    Raises QueryError for a percentile outside of 0..100, a size below 1 and an overlap above half of it.
    """
    check_sizes(size, overlap)
    check_number(PERCENTILE, percentile)
    starts = sentence_starts(text, longest=min(size, LONGEST))
    borders = [*starts, len(text)]
    lengths = lengths_of(starts, len(text))
    sentences = [text[begin:end] for begin, end in pairwise(borders)]
    spans: list[tuple[int, int]] = []
    for first, behind in _groups(_distances(sentences, encoder), percentile):
        parts = packed(lengths[first:behind], size=size, overlap=0)
        spans += [(first + begin, first + end) for begin, end in parts]
    return chunks_of(text, list(_lapped(spans, borders, size=size, overlap=overlap)))


def _distances(sentences: Sequence[str], encoder: Encoder | None) -> Array:
    """Return how far the sentences before each gap are from those behind it, f32[gaps]; 0 if no word is known."""
    if len(sentences) < 2:
        return np.zeros(0, dtype=np.float32)
    if encoder is None:
        from coderag.encoders.static import shipped_encoder

        encoder = shipped_encoder()
    count = len(sentences)
    before = [" ".join(sentences[max(0, number - CONTEXT + 1) : number + 1]) for number in range(count - 1)]
    behind = [" ".join(sentences[number : number + CONTEXT]) for number in range(1, count)]
    rows = {passage: row for row, passage in enumerate(dict.fromkeys([*before, *behind]))}
    vectors = encoder.encode_passages([Passage("", "", "", passage) for passage in rows])
    left, right = vectors[[rows[one] for one in before]], vectors[[rows[one] for one in behind]]
    cosines = np.einsum("ij,ij->i", left, right)
    is_known = left.any(axis=1) & right.any(axis=1)
    distances: Array = np.where(is_known, 1 - cosines, 0).astype(np.float32)
    return distances


def _groups(distances: Array, percentile: float) -> Iterator[tuple[int, int]]:
    """Yield the first sentence of each group and the one behind its last."""
    first = 0
    if len(distances):
        for last in np.flatnonzero(distances > np.percentile(distances, percentile)).tolist():
            yield first, last + 1
            first = last + 1
    yield first, len(distances) + 1


def _lapped(
    spans: Sequence[tuple[int, int]], borders: Sequence[int], *, size: int, overlap: int
) -> Iterator[tuple[int, int]]:
    """Yield where chunks begin and end, once each begins with the last sentences of the one before it."""
    previous = 0
    for first, behind in spans:
        begin, own = first, borders[behind] - borders[first]
        while (
            begin - 1 > previous
            and borders[first] - borders[begin - 1] <= overlap
            and own + borders[first] - borders[begin - 1] <= size
        ):
            begin -= 1
        yield borders[begin], borders[behind]
        previous = first
