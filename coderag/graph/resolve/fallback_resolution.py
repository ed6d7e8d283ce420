"""What a name may mean where nothing tells: by the definitions that have it, or not at all."""

from __future__ import annotations

import tomllib
from collections import Counter
from functools import cache
from pathlib import Path

from coderag.graph.resolve.abstract_values import OUTSIDE, class_of, is_instance
from coderag.graph.resolve.resolver import Resolver
from coderag.graph.resolve.type_syntax import plain, split_last
from coderag.syntax.references.records import Role
from coderag.types import Kind

__all__ = ["MAX_CANDIDATES", "FallbackResolution"]

MAX_CANDIDATES = 8  # of a name with more definitions nothing can be said
MEMBERS = frozenset({Kind.METHOD, Kind.FIELD, Kind.CONSTANT})
CALLED = frozenset({Kind.METHOD, Kind.FUNCTION})
LINKED = frozenset(
    {
        Kind.FUNCTION,
        Kind.CLASS,
        Kind.STRUCT,
        Kind.MODULE,
        Kind.MACRO,
        Kind.TYPE,
        Kind.ENUM,
        Kind.TRAIT,
        Kind.INTERFACE,
        Kind.CONSTANT,
    }
)
NOTHING: tuple[int, ...] = ()


class FallbackResolution:
    """Definitions by name and family of languages, as far as they can be guessed at."""

    def __init__(self, resolver: Resolver) -> None:
        self._resolver = resolver
        self._tables = resolver.tables
        self._below: dict[int, list[int]] | None = None
        self._mixed: dict[tuple[tuple[int, ...], str], tuple[int, ...]] = {}
        self._named: dict[tuple[str, str, bool], tuple[int, ...]] = {}

    def of(self, scope: int, receiver: str, name: str, *, role: Role) -> tuple[int, ...]:
        """Return the definitions that a name may mean of which the resolver knows nothing; () for too many."""
        rules = self._tables.rules_at(scope)
        if not receiver:
            return self._linked(scope, name) if rules.linked and role != Role.DOCUMENT else NOTHING
        if receiver.endswith('""') or name in standard_names(rules.family):
            return NOTHING
        values = self._resolver.values(scope, receiver)
        if OUTSIDE in values:
            located = split_last(receiver)[1].removesuffix("()") in rules.locators
            return self._members(rules.family, name, called=role == Role.CALL) if located else NOTHING
        known = [class_of(value) for value in values if is_instance(value)]
        if known and len(known) == len(values):
            return self._of_subclasses(known, name)
        if values:
            return NOTHING
        # Where a field is read by a call, as an association of Rails is, it may be meant as well.
        return self._members(rules.family, name, called=role == Role.CALL and not rules.bare_calls)

    def behind(self, scope: int, receiver: str, name: str) -> tuple[int, ...]:
        """Return the methods that a facade hands a call on to: Cart::add(), which Cart has not, is CartService's."""
        tables, found = self._tables, list[int]()
        fronts = tables.rules_at(scope).fronts
        values = self._resolver.values(scope, receiver) if fronts else ()
        for front in sorted({class_of(value) for value in values if value < OUTSIDE}):
            written = self._resolver.written_bases.get(front, ())
            if any(split_last(plain(base))[1] in fronts for base in written):
                alike = [
                    node
                    for node in tables.by_name.get(name, ())
                    if tables.kind[node] == Kind.METHOD
                    and tables.parent[node] != front
                    and tables.name[tables.parent[node]].startswith(tables.name[front])
                    and not tables.is_foreign(node)
                ]
                found += [node for node in alike if tables.name[tables.parent[node]] == tables.name[front]] or alike
        return self._few(found)

    def _members(self, family: str, name: str, *, called: bool) -> tuple[int, ...]:
        key = family, name, called
        found = self._named.get(key)
        if found is None:
            tables = self._tables
            kinds = CALLED if called else MEMBERS
            nodes = [
                node
                for node in tables.by_name.get(name, ())
                if tables.kind[node] in kinds
                and tables.rules_at(node).family == family
                and (tables.kind[node] != Kind.FUNCTION or tables.is_container(tables.parent[node]))
                and not tables.is_foreign(node)
            ]
            found = self._named[key] = self._few(nodes)
        return found

    def _linked(self, scope: int, name: str) -> tuple[int, ...]:
        """Return the functions or types of a name in all files of the family."""
        tables = self._tables
        family = tables.rules_at(scope).family
        nodes = [
            node
            for node in tables.by_name.get(name, ())
            if tables.kind[node] in LINKED
            and tables.rules_at(node).family == family
            and (tables.kind[tables.parent[node]] is None or tables.kind[tables.parent[node]] == Kind.MODULE)
            and not tables.is_foreign(node)
        ]
        return self._few(nodes)

    def _of_subclasses(self, classes: list[int], name: str) -> tuple[int, ...]:
        """Return a member that classes do not have, and those that inherit from them do: what a mixin relies on."""
        key = tuple(classes), name
        found = self._mixed.get(key)
        if found is None:
            found = self._mixed[key] = self._find_below(classes, name)
        return found

    def _find_below(self, classes: list[int], name: str) -> tuple[int, ...]:
        if any(one in self._resolver.open for each in classes for one in self._resolver.line(each)):
            return NOTHING
        found: dict[int, None] = {}
        below = self._subclasses()
        seen: set[int] = set(classes)
        waiting = list(classes)
        while waiting:
            for one in below.get(waiting.pop(), ()):
                if one not in seen:
                    seen.add(one)
                    waiting.append(one)
                    for target in self._resolver.class_member(one, name):
                        if isinstance(target, int) and target != OUTSIDE:
                            found[target] = None
        return self._few(sorted(found))

    def _subclasses(self) -> dict[int, list[int]]:
        if self._below is None:
            self._below = {}
            for node in sorted(self._resolver.written_bases):
                for base in self._resolver.bases(node):
                    self._below.setdefault(base, []).append(node)
        return self._below

    def _few(self, nodes: list[int]) -> tuple[int, ...]:
        """Return the definitions, when there are few of those that stand at different places."""
        tables = self._tables
        places = Counter(tables.parent[node] for node in nodes)
        return tuple(nodes) if len(places) <= MAX_CANDIDATES else NOTHING


@cache
def standard_names(family: str) -> frozenset[str]:
    """Return the names that members of a language's standard types have."""
    table = _standard()
    return frozenset(table.get(family, table["default"]).split())


@cache
def _standard() -> dict[str, str]:
    return tomllib.loads(Path(__file__).with_name("standard.toml").read_text(encoding="utf-8"))
