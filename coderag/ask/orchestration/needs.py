"""Parts of a question that go their own ways: each still needs the part before it that it needed."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate

from coderag.ask.turn import Evidence

__all__ = ["joined", "restored", "within"]


def within(places: Sequence[int], part: Evidence) -> Evidence:
    """Return a part as one of those at some places alone; what it needs of the others goes another way."""
    return replace(part, needs=places.index(part.needs) if part.needs in places else -1)


def restored(found: Evidence, given: Evidence, part: Evidence) -> Evidence:
    """Return what stages made of a part that was given to them, which needs what it did unless they saw to it."""
    return replace(found, needs=part.needs if found.needs == given.needs else -1)


def joined(rows: Mapping[int, Sequence[Evidence]], cut: Collection[int]) -> tuple[Evidence, ...]:
    """Return the parts of all rows in order, each with the number in the whole of the part that it needs.

    In the rows of `cut` a part needs one of the same row, elsewhere the first part of another row.
    """
    places = sorted(rows)
    begins = dict(zip(places, accumulate((len(rows[place]) for place in places), initial=0), strict=False))
    found: list[Evidence] = []
    for place in places:
        for part in rows[place]:
            if part.needs >= 0 and place in cut:
                number = begins[place] + part.needs
            else:
                number = begins[part.needs] if rows.get(part.needs) else -1
            found.append(replace(part, needs=number if number < len(found) else -1))
    return tuple(found)
