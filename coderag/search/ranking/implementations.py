"""A ranking to one in which what declares a function, or hands on to it, is followed by the one that does the work.

A method of an interface has the words of a question in its documentation, and its implementation may have none of them.
The graph would know more, but it may be older than the index, and a ranking is the same for the same files.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from coderag.index.reader.corpus import Corpus
from coderag.index.storage.arrays.arrays import Array
from coderag.search.query.understand import QueryType
from coderag.search.ranking.priors import short_callables
from coderag.search.ranking.rank import Ranking
from coderag.search.ranking.surroundings import CALLABLES, forms

__all__ = ["with_implementations"]

DEPTH = 10  # of a ranking; further down nobody looks for what is behind a declaration
ASKING_FOR_WORK = frozenset({QueryType.BEHAVIOR, QueryType.EDIT})


def with_implementations(corpus: Corpus, ranking: Ranking) -> Ranking:
    """Return a ranking in which each short function among the first has the best longer one of its name right behind.

    Only candidates come forward, and what is a test or the like does not come behind what is none.
    """
    chunks = ranking.chunks
    if ranking.rows.query_type not in ASKING_FOR_WORK or not len(chunks):
        return ranking
    kinds, _ = forms(corpus, chunks)
    short = short_callables(corpus, chunks, kinds)
    if not short[:DEPTH].any():
        return ranking
    working = np.flatnonzero((CALLABLES[kinds] > 0) & ~short).tolist()
    names = [_own(name) for name, _ in corpus.names(chunks)]
    prior = ranking.rows.prior[ranking.order]
    scores = ranking.scores.copy()
    for place in np.flatnonzero(short[:DEPTH]).tolist():
        named = [other for other in working if names[other] == names[place] and prior[other] >= prior[place]]
        if named and named[0] > place:
            scores[named[0]] = max(scores[named[0]], scores[place])
    return _in_order(ranking, scores)


def _own(name: str) -> str:
    """Return a name without what encloses it, in lower case."""
    return name.rpartition(".")[2].rpartition(":")[2].lower()


def _in_order(ranking: Ranking, scores: Array) -> Ranking:
    """Return a ranking by other scores, f32[n] in its order; of equal ones the first stays first."""
    order = np.argsort(-scores, kind="stable")
    return replace(ranking, order=ranking.order[order], scores=scores[order])
