"""Cases and the edges of a graph to figures: what is right, what is missing, what should not be there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TypeVar

from scripts.embedded.cases import Case, ColumnEdge, TableEdge
from scripts.embedded.found import Found, Place, Uses

__all__ = ["Figures", "Verdict", "judged", "misjudged", "summed"]

SCHEMA = ".sql"
OUTSIDE = "outside of functions"
CODE = frozenset({"plain", "entity in memory"})  # decoys that are merely code: constructors
SURE = 1  # candidates of an edge that claims to be the one

Edge = TypeVar("Edge", TableEdge, ColumnEdge)
NOTHING = Uses({}, {}, said=False)


@dataclass(frozen=True, slots=True)
class Verdict:
    """A case and how the graph does at it."""

    case: Case
    right: tuple[int, int]  # edges to tables, to columns
    missing: tuple[TableEdge | ColumnEdge, ...]
    false: tuple[TableEdge | ColumnEdge, ...]
    said: bool  # of a dynamic one: the graph says that it does not know

    @property
    def is_right(self) -> bool:
        """Whether there is nothing to object to."""
        return not self.missing and not self.false


@dataclass(frozen=True, slots=True)
class Figures:
    """Counts over some verdicts; pairs are of tables and of columns."""

    cases: int = 0
    decoys: int = 0
    right: tuple[int, int] = (0, 0)
    missing: tuple[int, int] = (0, 0)
    false: tuple[int, int] = (0, 0)
    from_decoys: int = 0  # edges that start in decoys
    dynamic: int = 0
    said: int = 0

    def precision(self, part: int) -> float:
        """Return the share of the edges found that is right: 0 of tables, 1 of columns."""
        return _share(self.right[part], self.right[part] + self.false[part])

    def recall(self, part: int) -> float:
        """Return the share of the expected edges that is found: 0 of tables, 1 of columns."""
        return _share(self.right[part], self.right[part] + self.missing[part])


def judged(cases: Iterable[Case], found: Found) -> list[Verdict]:
    """Return a verdict on each case, and on each file made of decoys what starts outside of its cases."""
    verdicts, places = [], set()
    files: dict[str, list[Case]] = {}
    for case in cases:
        verdicts.append(_verdict(case, found.uses.get(case.place, NOTHING)))
        places.add(case.place)
        files.setdefault(case.file, []).append(case)
    quiet = {
        file: held[0]
        for file, held in files.items()
        if all(one.decoy for one in held) and any(one.kind not in CODE for one in held)
    }
    for (file, name), uses in found.uses.items():
        if file in quiet and (file, name) not in places and (uses.tables or uses.columns):
            verdicts.append(_verdict(replace(quiet[file], function=name, kind=OUTSIDE), uses))
    return verdicts


def misjudged(cases: Iterable[Case], found: Found) -> list[str]:
    """Return what is wrong with the set itself: functions that are not there, functions that nobody judged."""
    cases = list(cases)
    places = {case.place for case in cases}
    known = found.functions | set(found.uses)
    lost = [f"{file}: there is no {name}" for file, name in sorted(places - known)]
    unjudged = [function for function in found.functions - places if not _within(function, places, found.inside)]
    return lost + [f"{file}: {name} is not judged" for file, name in sorted(unjudged) if not file.endswith(SCHEMA)]


def summed(verdicts: Iterable[Verdict]) -> Figures:
    """Return the figures of some verdicts."""
    sums = Figures()
    for verdict in verdicts:
        decoy = verdict.case.decoy
        sums = Figures(
            cases=sums.cases + (not decoy),
            decoys=sums.decoys + decoy,
            right=_added(sums.right, verdict.right),
            missing=_added(sums.missing, _parted(verdict.missing)),
            false=_added(sums.false, (0, 0) if decoy else _parted(verdict.false)),
            from_decoys=sums.from_decoys + (len(verdict.false) if decoy else 0),
            dynamic=sums.dynamic + verdict.case.dynamic,
            said=sums.said + (verdict.case.dynamic and verdict.said),
        )
    return sums


def _verdict(case: Case, uses: Uses) -> Verdict:
    tables, missing_tables, false_tables = _compared(uses.tables, case.tables, case.free_tables)
    columns, missing_columns, false_columns = _compared(uses.columns, case.columns, case.free_columns)
    return Verdict(
        case,
        right=(tables, columns),
        missing=(*missing_tables, *missing_columns),
        false=(*false_tables, *false_columns),
        said=uses.said,
    )


def _compared(
    found: Mapping[Edge, int], wanted: frozenset[Edge], free: frozenset[Edge]
) -> tuple[int, list[Edge], list[Edge]]:
    """Return how many are right, what is missing, what is false.

    One of several candidates claims less: it is no false edge where the right table is among them.
    """
    right = wanted & found.keys()
    names = {_bare(one.table) for one in right}
    false = [
        one
        for one, candidates in found.items()
        if one not in wanted and one not in free and not (candidates > SURE and _bare(one.table) in names)
    ]
    return len(right), sorted(wanted - right), sorted(false)


def _bare(table: str) -> str:
    return table.rpartition(":")[2].rpartition(".")[2]


def _within(place: Place, places: set[Place], inside: Mapping[Place, Place]) -> bool:
    while place in inside:
        place = inside[place]
        if place in places:
            return True
    return False


def _parted(edges: Iterable[TableEdge | ColumnEdge]) -> tuple[int, int]:
    held = list(edges)
    columns = sum(isinstance(one, ColumnEdge) for one in held)
    return len(held) - columns, columns


def _added(one: tuple[int, int], other: tuple[int, int]) -> tuple[int, int]:
    return one[0] + other[0], one[1] + other[1]


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 1.0
