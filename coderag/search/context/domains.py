"""Tables to domains: groups whose foreign keys and first words stay among them more than they lead to the rest."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from coderag.graph.queries.communities import leiden_groups
from coderag.search.context.erd import Edge, edges_of, label_of
from coderag.sql.records import Table
from coderag.text.inflection import singular, snake_case

__all__ = ["MOST_TOGETHER", "Domain", "Tie", "domains_of", "ties_between"]

MOST_TOGETHER = 60  # tables; more are drawn by domain
LEAST = 3  # tables that share the first word of their names and are a domain without any key
NAMING_SHARE = 0.6  # of the tables that begin with the words after which their domain is called
MIN_PREFIX = 2  # characters
MOST_WORDS = 3  # of a name that are compared
COMMON, COMMON_SHARE = 12, 1 / 3  # tables, and of all; words that more of them begin with say nothing
MOST_ALIKE = 200  # tables, of whose pairs there are not too many
NAME_WEIGHT = 1.0  # of the first words of a name, spread over the tables that share them; a key has at most 1
REST = "other tables"

Ties = Mapping[tuple[int, int], float]


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

    What neither keys nor names tie to anything is the rest of its database.
    """
    edges = edges_of(tables)
    ties = _ties(tables, edges)
    degree = Counter(number for edge in edges if edge.child != edge.parent for number in (edge.child, edge.parent))
    groups = [part for group in _groups(tables, ties, degree) for part in _split(tables, group, ties=ties, most=most)]
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


def _groups(tables: Sequence[Table], ties: Ties, tied: Mapping[int, int]) -> list[list[int]]:
    """Return the communities of tables; those of one table, and what nothing but two names ties, are put together."""
    groups = _joined(_communities(range(len(tables)), ties), ties)
    rest: dict[str, list[int]] = {}
    found = []
    for group in groups:
        if len(group) >= LEAST or not tied.keys().isdisjoint(group):
            found.append(group)
        else:
            rest.setdefault(tables[group[0]].name.key[0], []).extend(group)
    return [*found, *rest.values()]


def _ties(tables: Sequence[Table], edges: Iterable[Edge]) -> Ties:
    """Return how much pairs of tables belong together, by their positions, the lower first.

    A foreign key says the less, the more tables refer to its target: a user or a tenant says little of any of them.
    Tables whose names begin alike belong together the more, the more words they share.
    """
    ties: defaultdict[tuple[int, int], float] = defaultdict(float)
    pairs = {(edge.child, edge.parent) for edge in edges if edge.child != edge.parent}
    children = Counter(parent for _, parent in pairs)
    for child, parent in sorted(pairs):
        ties[min(child, parent), max(child, parent)] += children[parent] ** -0.5
    alike: dict[tuple[str, ...], list[int]] = {}
    for number, table in enumerate(tables):
        words = _words(table)
        for size in range(1, min(len(words), MOST_WORDS) + 1):
            alike.setdefault((*table.name.key[:2], *words[:size]), []).append(number)
    most = min(max(COMMON_SHARE * len(tables), COMMON), MOST_ALIKE)
    for group in alike.values():
        if len(group) <= most:
            for pair in combinations(group, 2):
                ties[pair] += NAME_WEIGHT / (len(group) - 1)
    return ties


def _joined(groups: list[list[int]], ties: Ties) -> list[list[int]]:
    """Return groups in which each table that would be one by itself is with the neighbour that it is tied to most."""
    home = {number: place for place, group in enumerate(groups) for number in group}
    near: dict[int, list[tuple[float, int]]] = {}
    for (one, other), weight in ties.items():
        near.setdefault(one, []).append((weight, -other))
        near.setdefault(other, []).append((weight, -one))
    alone = [group[0] for group in groups if len(group) == 1 and group[0] in near]
    for number in sorted(alone, key=lambda one: (len(near[one]), one)):
        if len(groups[home[number]]) == 1:
            place = home[-max(near[number])[1]]
            groups[home[number]] = []
            groups[place].append(number)
            home[number] = place
    return [group for group in groups if group]


def _split(tables: Sequence[Table], group: list[int], *, ties: Ties, most: int) -> list[list[int]]:
    """Return a group in parts of at most `most` tables: by their ties as far as these part them, then by name."""
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


def _communities(numbers: Iterable[int], ties: Ties) -> list[list[int]]:
    members = sorted(numbers)
    place = {number: at for at, number in enumerate(members)}
    weights = {
        (place[one], place[other]): weight for (one, other), weight in ties.items() if one in place and other in place
    }
    pairs = np.array(sorted(weights), np.int64).reshape(-1, 2)
    weight = np.array([weights[pair] for pair in sorted(weights)], np.float64)
    groups: dict[int, list[int]] = {}
    for number, group in zip(
        members, leiden_groups(len(members), pairs[:, 0], pairs[:, 1], weight=weight), strict=True
    ):
        groups.setdefault(int(group), []).append(number)
    return list(groups.values())


def _words(table: Table) -> list[str]:
    """Return the words of a table's name in the singular."""
    return [singular(word) for word in snake_case(table.name.name).split("_") if word]


def _name(tables: Sequence[Table], *, has_keys: bool) -> str:
    """Return the words that most of the names begin with, else the name of the table that the others refer to."""
    counts = Counter(
        "_".join(words[:size]) for words in map(_words, tables) for size in range(1, min(len(words), MOST_WORDS) + 1)
    )
    shared = [words for words, count in counts.items() if count > 1 and count >= NAMING_SHARE * len(tables)]
    words = max(shared, key=lambda one: (counts[one], len(one), one), default="")
    if len(words) >= MIN_PREFIX:
        return words
    schemas = {table.name.schema for table in tables}
    if len(schemas) == 1 and len(tables) > 1 and not has_keys:
        return " ".join(filter(None, (*schemas, REST)))
    return label_of(tables[0].name) if has_keys or len(tables) == 1 else REST
