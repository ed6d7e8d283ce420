"""Chunks in order of path and line, whichever segments they are stored in, and the best of them by score.

Copies score alike, and the number of a chunk tells when its file was read. Were equal scores cut off by number, an
updated index would find another copy than a fresh one.
"""

from __future__ import annotations

import numpy as np

from coderag.index.reader.corpus import Corpus
from coderag.index.storage.arrays.arrays import Array
from coderag.index.storage.postings import contenders

__all__ = ["best_chunks", "place_order"]


def place_order(corpus: Corpus, chunks: Array) -> Array:
    """Return the positions of some chunks, i64[n], by path and line; of equal paths the earlier root comes first."""
    ranks = corpus.path_ranks(corpus.file_numbers(chunks))
    return np.lexsort((chunks, corpus.first_rows(chunks), ranks))


def best_chunks(corpus: Corpus, scores: Array, k: int, *, chunks: Array | None = None) -> Array:
    """Return the positions of the k best positive scores of some chunks, f32[n], best first.

    Of those that equal the k-th, the first by path and line are taken. `chunks` are the chunks' numbers, i64[n]; None
    where the scores are those of every chunk.
    """
    found = contenders(scores, k)
    order = found[np.argsort(-scores[found], kind="stable")]
    if len(order) <= k or scores[order[k]] < scores[order[k - 1]]:
        return order[:k]
    first, past = (np.searchsorted(-scores[order], -scores[order[k]], side=side) for side in ("left", "right"))
    equal = order[first:past]
    by_place = equal[place_order(corpus, equal if chunks is None else chunks[equal])]
    return np.concatenate([order[:first], by_place[: k - first]])
