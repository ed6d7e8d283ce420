"""Tables to domains: groups whose foreign keys stay among them more than they lead to the rest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from coderag.graph.queries.communities import leiden_groups
from coderag.search.context.erd import edges_of, label_of
from coderag.sql.records import Table

__all__ = ["Domain", "Tie", "domains_of", "ties_between"]

LEAST = 3  # tables that share the first word of their names and are a domain without any key
NAMING_SHARE = 0.6  # of the tables that begin with a word after which their domain is called
MIN_PREFIX = 2  # characters
REST = "other tables"


@dataclass(frozen=True, slots=True)
class Domain:
    """A group of tables, those first that most of the others refer to."""

    name: str
    tables: tuple[Table, ...]


@dataclass(frozen=True, slots=True)
class Tie:
    """Foreign keys from one domain to another, by their positions."""

    child: int
    parent: int
    keys: int


def domains_of(tables: Sequence[Table], *, most: int) -> list[Domain]:
    """Return the domains of tables, each of at most `most` tables, the largest first.

    Tables without keys go to the domain of their database that most of the tables with the same first word are in.
    """
    ties = [(edge.child, edge.parent) for edge in edges_of(tables) if edge.child != edge.parent]
    groups = [part for group in _groups(tables, ties) for part in _split(tables, group, ties=ties, most=most)]
    degree = Counter(number for tie in ties for number in tie)
    found = []
    for group in groups:
        ordered = sorted(group, key=lambda number: (-degree[number], label_of(tables[number].name)))
        members = tuple(tables[number] for number in ordered)
        found.append(Domain(_name(members, has_keys=bool(degree[ordered[0]])), members))
    taken = Counter(domain.name for domain in found)
    found = [
        replace(domain, name=label_of(domain.tables[0].name)) if taken[domain.name] > 1 else domain for domain in found
    ]
    return sorted(found, key=lambda domain: (-len(domain.tables), domain.name, domain.tables[0].name.key))


def ties_between(domains: Sequence[Domain]) -> list[Tie]:
    """Return how many foreign keys lead from one domain to another."""
    tables = [table for domain in domains for table in domain.tables]
    home = [number for number, domain in enumerate(domains) for _ in domain.tables]
    keys = Counter((home[edge.child], home[edge.parent]) for edge in edges_of(tables))
    return [Tie(child, parent, count) for (child, parent), count in sorted(keys.items()) if child != parent]


def _groups(tables: Sequence[Table], ties: Sequence[tuple[int, int]]) -> list[list[int]]:
    tied = {number for tie in ties for number in tie}
    groups = _joined([group for group in _communities(range(len(tables)), ties) if group[0] in tied], ties)
    near: dict[tuple[str, str], Counter[int]] = {}
    for place, group in enumerate(groups):
        for number in group:
            near.setdefault(_prefix(tables[number]), Counter())[place] += 1
    alone: dict[tuple[str, str], list[int]] = {}
    for number in range(len(tables)):
        prefix = _prefix(tables[number])
        if number in tied:
            continue
        if prefix in near:
            groups[min(near[prefix], key=lambda place: (-near[prefix][place], place))].append(number)
        else:
            alone.setdefault(prefix, []).append(number)
    rest: dict[str, list[int]] = {}
    for prefix, group in alone.items():
        if len(group) >= LEAST:
            groups.append(group)
        else:
            rest.setdefault(prefix[0], []).extend(group)
    return [*groups, *rest.values()]


def _joined(groups: list[list[int]], ties: Sequence[tuple[int, int]]) -> list[list[int]]:
    """Return groups in which each table that would be one by itself is with the neighbour that has most keys."""
    degree = Counter(number for tie in ties for number in tie)
    home = {number: place for place, group in enumerate(groups) for number in group}
    near: dict[int, list[int]] = {}
    for one, other in ties:
        near.setdefault(one, []).append(other)
        near.setdefault(other, []).append(one)
    alone = [group[0] for group in groups if len(group) == 1]
    for number in sorted(alone, key=lambda one: (degree[one], one)):
        if len(groups[home[number]]) == 1:
            place = home[max(near[number], key=lambda one: (degree[one], -one))]
            groups[home[number]] = []
            groups[place].append(number)
            home[number] = place
    return [group for group in groups if group]


def _split(tables: Sequence[Table], group: list[int], *, ties: Sequence[tuple[int, int]], most: int) -> list[list[int]]:
    """Return a group in parts of at most `most` tables: by their keys as far as these part them, then by name."""
    if len(group) <= most:
        return [group]
    parts = _communities(group, ties)
    if 1 < len(parts) < len(group):
        # What only refers to a table that half of the schema refers to is no domain by itself.
        alone = [number for part in parts if len(part) == 1 for number in part]
        parts = [*(part for part in parts if len(part) > 1), *([alone] if alone else [])]
        return [one for part in parts for one in _split(tables, part, ties=ties, most=most)]
    ordered = sorted(group, key=lambda number: tables[number].name.key)
    return [ordered[begin : begin + most] for begin in range(0, len(ordered), most)]


def _communities(numbers: Iterable[int], ties: Sequence[tuple[int, int]]) -> list[list[int]]:
    members = sorted(numbers)
    place = {number: at for at, number in enumerate(members)}
    weights = Counter(
        (min(place[one], place[other]), max(place[one], place[other]))
        for one, other in ties
        if one in place and other in place
    )
    pairs = np.array(sorted(weights), np.int64).reshape(-1, 2)
    weight = np.array([weights[pair] for pair in sorted(weights)], np.float64)
    groups: dict[int, list[int]] = {}
    for number, group in zip(
        members, leiden_groups(len(members), pairs[:, 0], pairs[:, 1], weight=weight), strict=True
    ):
        groups.setdefault(int(group), []).append(number)
    return list(groups.values())


def _prefix(table: Table) -> tuple[str, str]:
    """Return the database of a table and the first word of its name."""
    schema = table.name.schema
    return table.name.key[0], f"{schema}.{table.name.name.partition('_')[0]}".casefold()


def _name(tables: Sequence[Table], *, has_keys: bool) -> str:
    """Return the word that most of the names begin with, else that of the table that the others refer to."""
    words = Counter(word for table in tables if len(word := table.name.name.partition("_")[0]) >= MIN_PREFIX)
    word, count = max(words.items(), key=lambda item: (item[1], item[0]), default=("", 0))
    if count > 1 and count >= NAMING_SHARE * len(tables):
        return word
    schemas = {table.name.schema for table in tables}
    if len(schemas) == 1 and len(tables) > 1 and not has_keys:
        return " ".join(filter(None, (*schemas, REST)))
    return label_of(tables[0].name) if has_keys or len(tables) == 1 else REST
