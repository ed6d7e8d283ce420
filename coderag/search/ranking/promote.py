"""A ranking to one in which what stands in code as the question has it comes first.

Scores stay in their order: each group is lifted above the best of those behind it.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

import numpy as np

from coderag.index.storage.arrays.arrays import Array
from coderag.search.ranking.rank import Ranked, Ranking, ranked_chunks
from coderag.search.retrieval.verbatim import Verbatim

__all__ = ["KEY_PART", "MESSAGE_PART", "NAME_PART", "least_confidence", "promoted"]

# Of a score: what lifts a chunk above those that lack the question as it is written, or a rare name of it.
MESSAGE_PART, KEY_PART, NAME_PART = "verbatim", "translation", "rare_name"
MESSAGE_CONFIDENCE, NAME_CONFIDENCE = 0.95, 0.9  # the least of a chunk that has the question, or a rare name of it
MARGIN = 0.01  # of a score, by which a group stands above what is behind it
DIGITS = 3  # of how much of a question a chunk has; what is left is rounding

# How much of the question a chunk has as it is written, whether it has the key of it, and how many rare names it has.
Level = tuple[float, bool, float]


def promoted(ranking: Ranking, ranked: Sequence[Ranked], verbatim: Verbatim) -> tuple[Ranked, ...]:
    """Return as many ranked chunks as are given, those first that have the question or names of it as it is written.

    The more of it they have the earlier they come; those that have as much stay in the order of their scores.
    """
    matching = np.flatnonzero(np.isin(ranking.chunks, verbatim.chunks)).tolist()
    certain = ranked_chunks(ranking, [(position, float(ranking.scores[position])) for position in matching])
    ordered = sorted(certain, key=lambda one: _level(one, verbatim), reverse=True)
    chunks = {one.chunk for one in certain}
    rest = [one for one in ranked if one.chunk not in chunks]
    groups = [(level, list(group)) for level, group in groupby(ordered, key=lambda one: _level(one, verbatim))]
    floor = rest[0].score if rest else 0.0
    lifted: list[Ranked] = []
    for (message, by_key, _), group in reversed(groups):
        lift = max(0.0, floor - group[-1].score) + MARGIN
        part = {MESSAGE_PART if message else KEY_PART if by_key else NAME_PART: lift}
        raised = [Ranked(one.chunk, one.score + lift, one.parts | part) for one in group]
        floor = raised[0].score
        lifted[:0] = raised
    return (*lifted, *rest)[: max(len(ranked), len(lifted))]


def least_confidence(chunks: Array, verbatim: Verbatim) -> Array:
    """Return the least confidence of each of i64[n] chunks, f32[n]; 0 for one that has nothing as it is written."""
    least = [
        MESSAGE_CONFIDENCE
        if chunk in verbatim.messages
        else NAME_CONFIDENCE
        if chunk in verbatim.names or chunk in verbatim.keys
        else 0.0
        for chunk in chunks.tolist()
    ]
    return np.array(least, dtype=np.float32)


def _level(ranked: Ranked, verbatim: Verbatim) -> Level:
    message = verbatim.messages.get(ranked.chunk, 0.0)
    return round(message, DIGITS), ranked.chunk in verbatim.keys, verbatim.names.get(ranked.chunk, 0.0)
