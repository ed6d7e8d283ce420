"""Tables to the joins that connect them, through as few further tables as need be.

The connection is a Steiner tree over the graph of known joins, weighted by how sure each is: the shortest paths between
the tables, of which a minimum spanning tree is kept (Kou, Markowsky and Berman, "A fast algorithm for Steiner trees",
1981), found with one search from all tables at once as Mehlhorn does (1988). It is at most twice as long as the best.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush

import numpy as np

from coderag.index.catalog.catalog import Catalog
from coderag.index.catalog.inferred_foreign_keys import names_a_key
from coderag.index.catalog.join_graph import EVIDENCE, Relation
from coderag.sql.records import Evidence, Source

__all__ = ["JoinPath", "JoinStep", "join_paths", "joins_among"]

LENGTHS = {Evidence.DECLARED: 1.0, Evidence.MODEL: 1.1, Evidence.QUERY: 1.5, Evidence.INFERRED: 3.0}
MAX_LENGTH = 18.0  # tables that are further apart, six guesses or so, are not joined


@dataclass(frozen=True, slots=True)
class JoinStep:
    """Two tables, and the columns that must be equal for their rows to belong together; they correspond in order."""

    left: int
    left_columns: tuple[str, ...]
    right: int
    right_columns: tuple[str, ...]
    evidence: Evidence
    source: Source  # where that is written; lines 0 where it is not


@dataclass(frozen=True, slots=True)
class JoinPath:
    """Tables that can be joined with each other, and how; a single table where nothing joins it with the others.

    Several steps between the same two tables are alternatives, as of a billing and a shipping address. A step from a
    table to itself is a hierarchy.
    """

    tables: tuple[int, ...]  # those to join, in their order, then those that connect them
    connecting: tuple[int, ...]  # of them: those that only connect
    steps: tuple[JoinStep, ...]


def join_paths(catalog: Catalog, tables: Sequence[int]) -> list[JoinPath]:
    """Return the joins that connect some tables, a path for each set of tables that can be connected.

    Tables of different databases are not joined. Paths come in the order of their first tables.
    """
    chosen = list(dict.fromkeys(tables))
    pairs = _tree(catalog, chosen)
    shared = _shared_keys(catalog, chosen, pairs)
    connecting = sorted({table for pair in pairs for table in pair} - set(chosen))
    members = [*chosen, *connecting]
    groups = _components(members, [*pairs, *shared])
    known = _relations(catalog, members)
    paths = []
    for group in groups:
        steps = [_step(relation) for table in group for relation in known.get((table, table), [])]
        for pair in pairs:
            if pair[0] in group:
                steps += [_step(relation) for relation in known[pair]]
        steps += [step for pair, step in shared.items() if pair[0] in group]
        paths.append(JoinPath(tuple(group), tuple(table for table in group if table in connecting), tuple(steps)))
    return paths


def joins_among(catalog: Catalog, tables: Sequence[int]) -> list[JoinStep]:
    """Return all joins between two of some tables, and of one with itself, in the order of the tables."""
    known = _relations(catalog, tables)
    place = {table: position for position, table in enumerate(tables)}
    pairs = sorted(known, key=lambda pair: sorted((place[pair[0]], place[pair[1]]), reverse=True))
    return [_step(relation) for pair in pairs for relation in known[pair]]


def _relations(catalog: Catalog, tables: Sequence[int]) -> dict[tuple[int, int], list[Relation]]:
    """Return the relations among some tables by pair, the lower number first; the surest of each pair only.

    Declared keys are all kept; guesses are left out where something better is known.
    """
    among = np.zeros(len(catalog), dtype=bool)
    among[list(tables)] = True
    left, right = catalog.arrays["relation_left_table"], catalog.arrays["relation_right_table"]
    found: dict[tuple[int, int], list[Relation]] = {}
    for number in np.flatnonzero(among[left] & among[right]).tolist():
        ends = int(left[number]), int(right[number])
        found.setdefault((min(ends), max(ends)), []).append(catalog.relations[number])
    for pair, relations in found.items():
        sure = [relation for relation in relations if relation.evidence in (Evidence.DECLARED, Evidence.MODEL)]
        found[pair] = sure or relations
    return found


def _step(relation: Relation) -> JoinStep:
    return JoinStep(
        relation.left,
        relation.left_columns,
        relation.right,
        relation.right_columns,
        relation.evidence,
        relation.source,
    )


def _tree(catalog: Catalog, chosen: Sequence[int]) -> list[tuple[int, int]]:
    """Return the pairs of tables, lower number first, whose joins connect the chosen tables."""
    distance, origin, before = _spread(catalog, chosen)
    bridges = []
    for table, far in distance.items():
        for other, evidence in catalog.neighbours(table):
            if table < other and other in distance and origin[table] != origin[other]:
                length = far + LENGTHS[EVIDENCE[evidence]] + distance[other]
                bridges.append((length, table, other))
    leader = {table: table for table in chosen}
    pairs: dict[tuple[int, int], None] = {}
    for length, table, other in sorted(bridges):
        one, two = _leader(leader, origin[table]), _leader(leader, origin[other])
        if length > MAX_LENGTH or one == two:
            continue
        leader[max(one, two)] = min(one, two)
        pairs[table, other] = None
        for end in (table, other):
            while end in before:
                pairs[min(end, before[end]), max(end, before[end])] = None
                end = before[end]
    return sorted(pairs)


def _spread(catalog: Catalog, chosen: Sequence[int]) -> tuple[dict[int, float], dict[int, int], dict[int, int]]:
    """Return for each table within reach the distance to the nearest chosen table, that table, and the step to it."""
    distance, origin, before = dict.fromkeys(chosen, 0.0), {table: table for table in chosen}, dict[int, int]()
    queue = [(0.0, table) for table in sorted(chosen)]
    while queue:
        far, table = heappop(queue)
        if far > distance[table]:
            continue
        for other, evidence in catalog.neighbours(table):
            further = far + LENGTHS[EVIDENCE[evidence]]
            if further <= MAX_LENGTH / 2 and further < distance.get(other, float("inf")):
                distance[other], origin[other], before[other] = further, origin[table], table
                heappush(queue, (further, other))
    return distance, origin, before


def _leader(leader: dict[int, int], table: int) -> int:
    while leader[table] != table:
        table = leader[table]
    return table


def _components(tables: Sequence[int], pairs: Iterable[tuple[int, int]]) -> list[list[int]]:
    """Return the sets of tables that pairs connect, each and all in the order of the tables."""
    leader = {table: table for table in tables}
    for left, right in pairs:
        one, two = _leader(leader, left), _leader(leader, right)
        leader[max(one, two)] = min(one, two)
    groups: dict[int, list[int]] = {}
    for table in tables:
        groups.setdefault(_leader(leader, table), []).append(table)
    return list(groups.values())


def _shared_keys(
    catalog: Catalog, chosen: Sequence[int], pairs: Sequence[tuple[int, int]]
) -> dict[tuple[int, int], JoinStep]:
    """Return joins of tables that nothing else connects: by all columns of the same name that name a key."""
    left_over = _components([*chosen, *sorted({table for pair in pairs for table in pair} - set(chosen))], pairs)
    leader = {table: number for number, group in enumerate(left_over) for table in group}
    steps: dict[tuple[int, int], JoinStep] = {}
    for place, one in enumerate(chosen):
        for other in chosen[place + 1 :]:
            if leader[one] == leader[other] or catalog.group[one] != catalog.group[other]:
                continue
            own = {name.casefold(): name for name in _key_names(catalog, one)}
            both = [(own[key], name) for name in _key_names(catalog, other) if (key := name.casefold()) in own]
            if both:
                left, right = zip(*both, strict=True)
                steps[one, other] = JoinStep(one, left, other, right, Evidence.INFERRED, Source())
                merged = leader[other]
                leader = {table: leader[one] if group == merged else group for table, group in leader.items()}
    return steps


def _key_names(catalog: Catalog, table: int) -> list[str]:
    names = [catalog.column_names[column] for column in catalog.columns_of(table)]
    return [name for name in names if names_a_key(name)]
