"""A ranking for a change in which a chunk gains by what it uses.

What a change names is often done by a small function that few others use, and the change is made in one of these, too.
The index tells it by words: a chunk uses what it mentions by name, so the same files rank the same with any graph.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from coderag.index.reader.corpus import Corpus
from coderag.index.storage.arrays.arrays import Array
from coderag.search.ranking.rank import Ranking, in_order
from coderag.search.ranking.spelled import NO_KEY, name_key

__all__ = ["with_callers"]

BEST = 100  # of a ranking: whose users are looked for
SHARE = np.float32(0.12)  # of the score of the best that it uses, which a chunk gains
MAX_USERS = 2  # candidates that use a chunk; what more use is a tool, and says nothing of them
LEAST_MENTIONS, MOST_MENTIONS = 1.5, 10.5  # chunks that have a name: its own, and few others
MIN_LETTERS = 3  # of a name
NOWHERE = np.empty(0, dtype=np.int64)
REMEMBERED = 20_000


def with_callers(corpus: Corpus, ranking: Ranking) -> Ranking:
    """Return the ranking of a question for a change with a share for each chunk of the best score that it uses."""
    users, used = _uses(corpus, ranking.chunks, best=_rarely_named(corpus, ranking))
    gained = np.zeros_like(ranking.scores)
    np.maximum.at(gained, users, ranking.scores[used])
    return in_order(ranking, ranking.scores + SHARE * gained)


def _rarely_named(corpus: Corpus, ranking: Ranking) -> Array:
    """Return which of the best have a name that few other chunks have in their text, i64[n]: positions."""
    mentions = ranking.rows.columns["mentions"][ranking.order[:BEST]]
    chunks_with_it = np.expm1(mentions.astype(np.float64) * np.log1p(max(corpus.live_chunks, 1)))
    return np.flatnonzero((chunks_with_it > LEAST_MENTIONS) & (chunks_with_it < MOST_MENTIONS))


def _uses(corpus: Corpus, chunks: Array, *, best: Array) -> tuple[Array, Array]:
    """Return which of some chunks mention which of the best (positions) by its name: i64[pairs] each, positions."""
    keys = np.array([_key(name) for name, _ in corpus.names(chunks[best])], dtype=np.uint64)
    holders, callees = [NOWHERE], [NOWHERE]
    for member, positions in zip(corpus.members, corpus.text_positions(keys), strict=True):
        is_there = positions >= 0
        found = [member.segment.text_postings.docs_of(position) for position in positions[is_there].tolist()]
        if found:
            holders.append(np.concatenate(found).astype(np.int64) + member.first_chunk)
            callees.append(np.repeat(best[is_there], list(map(len, found))))
    docs, used = np.concatenate(holders), np.concatenate(callees)
    by_number = np.argsort(chunks)
    users = by_number[np.minimum(chunks.searchsorted(docs, sorter=by_number), len(chunks) - 1)]
    is_use = (chunks[users] == docs) & (users != used)
    users, used = users[is_use], used[is_use]
    few = np.bincount(used, minlength=len(chunks)) <= MAX_USERS
    return users[few[used]], used[few[used]]


@lru_cache(maxsize=REMEMBERED)
def _key(name: str) -> int:
    """Return the key of a name without what encloses it in the postings of texts, NO_KEY where it is too short."""
    own = name.rpartition(".")[2].rpartition(":")[2]
    return name_key(own) if len(own) >= MIN_LETTERS else NO_KEY
