"""Lines of a source to the best of them that a number of tokens has room for, with a mark where others are left out."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from coderag.text.budget import CHARACTERS_PER_TOKEN, tokens_of

__all__ = ["ELIDED", "elided"]

ELIDED = "…"  # stands for one line or more
NEAR = 1  # lines beside a good one that come next


def elided(lines: Sequence[str], scores: Sequence[float], *, tokens: int, kept: Collection[int] = ()) -> str:
    """Return the lines of `kept`, the first and the best others, in order, of at most so many tokens together.

    Lines are 0-based; those of equal score are taken in order, and those beside good ones before other lines without
    a score. The first line is given however long it is.
    """
    if tokens_of("\n".join(lines)) <= tokens:
        return "\n".join(lines)
    best = sorted(
        (number for number, score in enumerate(scores) if score), key=lambda number: (-scores[number], number)
    )
    beside = [near for number in best for near in range(number - NEAR, number + NEAR + 1) if 0 <= near < len(lines)]
    chosen = [True, *(False for _ in lines[1:])]
    size = len(_joined(lines, chosen))
    for number in dict.fromkeys([*sorted(kept), *best, *beside, *range(len(lines))]):
        grown = size if chosen[number] else size + _growth(lines, chosen, number)
        if grown <= tokens * CHARACTERS_PER_TOKEN:
            chosen[number], size = True, grown
    return _joined(lines, chosen)


def _growth(lines: Sequence[str], chosen: Sequence[bool], number: int) -> int:
    """Return how many characters a line adds; with it a mark may go, or become two."""
    before, after = chosen[number - 1], number + 1 == len(lines) or chosen[number + 1]
    marks = 1 - before - after
    return len(lines[number]) + 1 + marks * (len(ELIDED) + 1)


def _joined(lines: Sequence[str], chosen: Sequence[bool]) -> str:
    found: list[str] = []
    for line, is_chosen in zip(lines, chosen, strict=True):
        if is_chosen:
            found.append(line)
        elif found[-1:] != [ELIDED]:
            found.append(ELIDED)
    return "\n".join(found)
