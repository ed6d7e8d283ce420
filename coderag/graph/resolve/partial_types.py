"""Methods that are written outside of their type, and types that are written in parts, to the type that they are of."""

from __future__ import annotations

from coderag.graph.resolve.resolver import Resolver
from coderag.graph.resolve.type_syntax import plain, split_last
from coderag.types import Kind

__all__ = ["settle"]

PARTS = frozenset({Kind.EXTENSION})


def settle(resolver: Resolver) -> None:
    """Give the methods of Go, of C++ outside of a class, of extensions and impl blocks to their types."""
    tables = resolver.tables
    found: list[tuple[int, int]] = []
    for number, file in enumerate(tables.files):
        base = tables.first[number]
        for node, defined in enumerate(file.links.definitions, base + 1):
            if defined.kind is Kind.METHOD and not tables.is_container(tables.parent[node]):
                written = split_last(plain(defined.qualified_name))[0]
                home = _type(resolver, tables.parent[node], split_last(written)[1]) if written else -1
            elif defined.kind in PARTS:
                home = _type(resolver, tables.parent[node], defined.name.partition("<")[0])
            else:
                continue
            if home >= 0 and home != node:
                found.append((node, home))
    for node, home in found:
        tables.home[node] = home
        if tables.kind[node] in PARTS:
            resolver.written_bases.setdefault(home, []).extend(resolver.written_bases.pop(node, ()))
            for name, nodes in tables.members.get(node, {}).items():
                _give(resolver, home, name, nodes)
        else:
            _give(resolver, home, tables.name[node], (node,))
    resolver.settled()


def _type(resolver: Resolver, scope: int, name: str) -> int:
    tables = resolver.tables
    for one in resolver.look(scope, name):
        if (
            isinstance(one, int)
            and one < len(tables.kind)
            and tables.is_container(one)
            and tables.kind[one] not in PARTS
        ):
            return one
    return -1


def _give(resolver: Resolver, home: int, name: str, nodes: tuple[int, ...]) -> None:
    inside = resolver.tables.members.setdefault(home, {})
    inside[name] = tuple(dict.fromkeys((*inside.get(name, ()), *nodes)))
