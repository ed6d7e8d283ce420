"""The outermost scope where a name resolves identically; used as the cache key."""

from __future__ import annotations

from coderag.graph.resolve.tables import VALUES, Tables
from coderag.types import Kind

__all__ = ["Anchors"]

NO_NAMES: frozenset[str] = frozenset()
Anchor = tuple[frozenset[str], int]  # names that functions around give a meaning, and the place for all others


class Anchors:
    """Places by definition."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._inside: dict[int, Anchor] = {}
        self._within: dict[int, tuple[frozenset[str], int, int]] = {}

    def place(self, scope: int, root: str) -> int:
        """Return where an expression that begins with a name may be evaluated instead of at a definition."""
        names, place, around = self._within.get(scope) or self.inside(scope)
        if root in names:
            return scope
        return around if root in self._tables.rules_at(scope).word_roots else place

    def inside(self, scope: int) -> tuple[frozenset[str], int, int]:
        """Return what `place` tells by: names that mean something here, the place for all others, that for words."""
        found = self._within.get(scope)
        if found is None:
            tables = self._tables
            if tables.is_callable(scope):
                names, place = self._inside.get(scope) or self._find(scope)
                around = tables.type_around(scope)
                found = names, place, around if around >= 0 else scope
            else:
                found = self._body(scope)
            self._within[scope] = found
        return found

    def _body(self, scope: int) -> tuple[frozenset[str], int, int]:
        """Return the same for what is written in the body of a class, or of a value."""
        tables = self._tables
        kind, known = tables.kind[scope], (scope in tables.imports, scope in tables.home)
        if kind is None or kind is Kind.MODULE or any(known) or tables.rules_at(scope).bare_members:
            return NO_NAMES, scope, scope
        own = {*tables.members.get(scope, ()), *tables.bindings.get(scope, ())}
        if kind in VALUES:
            names, place, around = self.inside(tables.parent[scope])
            return (NO_NAMES, scope, scope) if own else (names, place, around)
        names, place = self._inside.get(tables.parent[scope]) or self._find(tables.parent[scope])
        return names | own, place, scope

    def _find(self, scope: int) -> Anchor:
        """Return the anchor of what is written in a definition."""
        tables = self._tables
        waiting = []
        node = scope
        while node not in self._inside and tables.kind[node] is not None:
            waiting.append(node)
            node = tables.parent[node]
        found = self._inside.get(node, (NO_NAMES, node))
        for one in reversed(waiting):
            found = self._inside[one] = self._next(one, *found)
        return found

    def _next(self, node: int, names: frozenset[str], place: int) -> Anchor:
        tables = self._tables
        bare = tables.rules_at(node).bare_members
        if tables.is_callable(node):
            if bare and node in tables.home:
                return NO_NAMES, node
            own: set[str] = set()
            for known in (tables.members.get(node), tables.bindings.get(node), tables.imports.get(node)):
                if known is not None:
                    own.update(known)
            return (names | own if own else names), place
        seen = bare or tables.kind[node] is Kind.MODULE or tables.kind[node] in VALUES or node in tables.imports
        return (NO_NAMES, node) if seen else (names, place)
