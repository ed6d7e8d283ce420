"""Tables to the families of near copies among them: an archive, a staging table or a release of the same table.

Families that differ by numbers alone and are alike to the last column are one table already (coderag.catalog.replay);
these here may differ in columns, and rows of each may be asked for, so all stay and their original comes first.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache

from coderag.text.tokens import split_identifier

__all__ = ["CopyFamily", "copy_families", "mark_of"]

# Words in names of copies, one kind of copy per line; people ask for it by any of them.
MARKS = """
    all
    archive archived arch arc
    audit audited audits
    backup backups bak bkp
    copy copied copies
    deleted removed
    history historical histories hist past
    load loaded loads
    log logs logged
    new
    old legacy
    shadow
    snapshot snapshots snap
    staging staged stage stg
    temporary temp tmp
    version ver release rel
"""
SAYS_NOTHING = frozenset(("table", "tables", "tbl"))
MIN_SHARED = 0.6  # of the columns of the smaller table; copies gain columns as who changed a row, and lose some


@dataclass(frozen=True, slots=True)
class CopyFamily:
    """Near copies of one table, with what marks each: kinds of copies and numbers."""

    members: tuple[tuple[int, frozenset[str]], ...]  # by number in the catalog, the original first
    original: bool  # whether the first has fewer marks than all others


@cache
def _marks() -> dict[str, str]:
    return {word: line.split()[0] for line in MARKS.strip().split("\n") for word in line.split()}


def mark_of(word: str) -> str:
    """Return the kind of copy that a lower-case word marks, or the number that it is; "" if it marks none."""
    return word if word.isdigit() else _marks().get(word, "")


def copy_families(
    names: Sequence[str], places: Iterable[Hashable], columns: Callable[[int], frozenset[str]]
) -> list[CopyFamily]:
    """Return the families among tables of one place each (database and schema), in order of their originals."""
    alike: defaultdict[Hashable, list[tuple[int, frozenset[str]]]] = defaultdict(list)
    for number, (name, place) in enumerate(zip(names, places, strict=True)):
        pieces = _pieces(name)
        core = tuple(piece for piece in pieces if not mark_of(piece))
        if core:
            alike[place, core].append((number, frozenset(filter(None, map(mark_of, pieces)))))
    families = []
    for members in alike.values():
        if len(members) > 1:
            first, *others = sorted(members, key=lambda member: (len(member[1]), len(names[member[0]]), member[0]))
            own = columns(first[0])
            near = [other for other in others if other[1] != first[1] and _are_near(own, columns(other[0]))]
            if near:
                families.append(CopyFamily((first, *near), all(len(first[1]) < len(marks) for _, marks in near)))
    return sorted(families, key=lambda family: family.members[0][0])


def _pieces(name: str) -> list[str]:
    """Return the words by which a name differs from others, without the v of v2."""
    pieces = split_identifier(name)
    return [
        piece
        for piece, after in zip(pieces, [*pieces[1:], ""], strict=False)
        if piece not in SAYS_NOTHING and not (piece == "v" and after.isdigit())
    ]


def _are_near(one: frozenset[str], other: frozenset[str]) -> bool:
    smaller = min(len(one), len(other))
    return smaller > 0 and len(one & other) >= MIN_SHARED * smaller
