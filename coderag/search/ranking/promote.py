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

# How much of the question a chunk has as it is written, its place among those that have as much, how near it is to the
# key that it asks for, and how many rare names it has.
Level = tuple[float, int, float, float]
# Of what has as much of a question, code is first that has it or asks for it by its key, then where it is translated.
# Tests and documents that have it count as other uses.
IN_CODE, BEST_USE, BEST_ENTRY, OTHER_USE, OTHER_ENTRY = 4, 3, 2, 1, 0


def promoted(ranking: Ranking, ranked: Sequence[Ranked], verbatim: Verbatim) -> tuple[Ranked, ...]:
    """Return as many ranked chunks as are given, those first that have the question or names of it as it is written.

    The more of it they have the earlier they come; those that have as much stay in the order of their scores.
    """
    matching = np.flatnonzero(np.isin(ranking.chunks, verbatim.chunks)).tolist()
    certain = ranked_chunks(ranking, [(position, float(ranking.scores[position])) for position in matching])
    level_of = _levels(certain, verbatim)
    ordered = sorted(certain, key=lambda one: level_of[one.chunk], reverse=True)
    chunks = {one.chunk for one in certain}
    rest = [one for one in ranked if one.chunk not in chunks]
    groups = [(level, list(group)) for level, group in groupby(ordered, key=lambda one: level_of[one.chunk])]
    floor = rest[0].score if rest else 0.0
    lifted: list[Ranked] = []
    for (message, place, *_), group in reversed(groups):
        lift = max(0.0, floor - group[-1].score) + MARGIN
        by_key = place in (BEST_USE, OTHER_USE)
        part = {KEY_PART if by_key else MESSAGE_PART if message else NAME_PART: lift}
        raised = [Ranked(one.chunk, one.score + lift, {**one.parts, **part}) for one in group]
        floor = raised[0].score
        lifted[:0] = raised
    return (*lifted, *rest)[: max(len(ranked), len(lifted))]


def least_confidence(chunks: Array, verbatim: Verbatim) -> Array:
    """Return the least confidence of each of i64[n] chunks, f32[n]; 0 for one that has nothing as it is written."""
    least = [
        MESSAGE_CONFIDENCE
        if chunk in verbatim.messages
        else NAME_CONFIDENCE
        if chunk in verbatim.names or chunk in verbatim.uses
        else 0.0
        for chunk in chunks.tolist()
    ]
    return np.array(least, dtype=np.float32)


def _levels(certain: Sequence[Ranked], verbatim: Verbatim) -> dict[int, Level]:
    """Return the level of each of some chunks, given best first."""
    uses, messages = verbatim.uses, verbatim.messages
    chunks = [one.chunk for one in certain]
    best_use = max(
        (one for one in chunks if one in uses), key=lambda one: (uses[one].message, uses[one].nearness), default=None
    )
    best_entry = max((one for one in chunks if one in verbatim.entries), key=messages.__getitem__, default=None)
    found: dict[int, Level] = {}
    for chunk in chunks:
        use = uses.get(chunk)
        if use is not None:
            place = BEST_USE if chunk == best_use else OTHER_USE
        elif chunk in verbatim.entries:
            place = BEST_ENTRY if chunk == best_entry or not uses else OTHER_ENTRY
        else:
            place = OTHER_USE if uses and chunk in verbatim.aside else IN_CODE
        message, near = (use.message, use.nearness) if use is not None else (messages.get(chunk, 0.0), 0.0)
        found[chunk] = round(message, DIGITS), place, near, verbatim.names.get(chunk, 0.0)
    return found
