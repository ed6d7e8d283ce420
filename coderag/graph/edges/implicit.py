"""Interfaces of languages that do not name them at a type (Go) to the types that have all of their methods.

Methods are compared by their names and by the types that their parameters and first results are declared with, as far
as these have names. As that is not the whole signature, such an edge is as sure as a unique name. An interface of one
method says little: it counts where few types have such a method.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from coderag.graph.resolve.abstract_values import OUTSIDE
from coderag.graph.resolve.resolver import Resolver
from coderag.syntax.references.records import How
from coderag.types import Kind

__all__ = ["Implementation", "implementations"]

WORD = re.compile(r"\w+")
FEW_TYPES = 3  # that have the only method of an interface
MAX_TYPES = 200  # of one interface; what more types have is no contract of this repository
TYPES = frozenset({Kind.STRUCT, Kind.TYPE, Kind.CLASS})


class Implementation(NamedTuple):
    """A type that has the methods of an interface, each as a pair: the type's, the interface's."""

    type: int
    interface: int
    methods: tuple[tuple[int, int], ...]


def implementations(resolver: Resolver) -> Iterator[Implementation]:
    """Yield the types that implement interfaces without saying so, in order."""
    tables = resolver.tables
    interfaces: list[int] = []
    having: dict[str, dict[int, int]] = {}  # the methods of a name: by type
    for node, kind in enumerate(tables.kind):
        if (kind is not Kind.INTERFACE and kind not in TYPES) or not tables.rules_at(node).implicit_interfaces:
            continue
        if tables.is_foreign(node):
            continue  # stubs of a generator: client and server have the same names, and other signatures
        if kind is Kind.INTERFACE:
            interfaces.append(node)
            continue
        for name, members in tables.members.get(node, {}).items():
            if tables.is_callable(members[0]):
                having.setdefault(name, {})[node] = members[0]
    for interface in interfaces:
        wanted = _methods(resolver, interface)
        if not wanted:
            continue
        families = [having.get(name, {}) for name in wanted]
        rarest = min(families, key=len)
        if len(rarest) > (MAX_TYPES if len(wanted) > 1 else FEW_TYPES):
            continue
        for one in sorted(rarest):
            if all(
                one in family and _agree(resolver, family[one], target)
                for family, target in zip(families, wanted.values(), strict=True)
            ):
                pairs = tuple((family[one], target) for family, target in zip(families, wanted.values(), strict=True))
                yield Implementation(one, interface, pairs)


def _agree(resolver: Resolver, method: int, target: int) -> bool:
    """Tell whether a method may have the signature that an interface declares."""
    (own, given), (returned, wanted) = _types(resolver, method), _types(resolver, target)
    return (not own or not returned or own == returned) and not wanted - given


def _types(resolver: Resolver, method: int) -> tuple[str, Counter[str]]:
    """Return the names of the types of a method's first result, and of its parameters and variables."""
    result, types = "", Counter[str]()
    for name, bindings in resolver.tables.bindings.get(method, {}).items():
        for one in bindings:
            if one.how is How.TYPE and (words := WORD.findall(one.value)):
                if name:
                    types[words[-1]] += 1
                else:
                    result = words[-1]
    return result, types


def _methods(resolver: Resolver, interface: int) -> dict[str, int]:
    """Return the methods of an interface by name, with those of the interfaces that it embeds."""
    tables = resolver.tables
    found: dict[str, int] = {}
    waiting, seen = [interface], {interface}
    while waiting:
        node = waiting.pop()
        for name, members in tables.members.get(node, {}).items():
            if tables.is_callable(members[0]):
                found.setdefault(name, members[0])
        for base in resolver.bases(node):
            if base != OUTSIDE and base not in seen:
                seen.add(base)
                waiting.append(base)
    return found
