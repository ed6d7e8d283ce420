"""Addresses that a program answers, with those of the routes that they are included in before them."""

from __future__ import annotations

import re
from typing import NamedTuple

from coderag.graph.resolve.abstract_values import OUTSIDE
from coderag.graph.resolve.names import Names
from coderag.graph.resolve.tables import Tables
from coderag.graph.resolve.type_syntax import plain
from coderag.syntax.references.records import Route

__all__ = ["Answered", "answered"]

INCLUDED = re.compile(r"include\(([\w.]+)\)$")
ACTION = re.compile(r"([\w/:\\]+)[#@](\w+)$")  # users#show of Rails, UserController@store of Laravel
MAX_PREFIXES = 8  # of one file of routes
MAX_DEPTH = 8  # of inclusion
VERBS = ("get", "post", "put", "patch", "delete", "head", "options", "dispatch")


class Answered(NamedTuple):
    """An address and what answers it."""

    file: int
    row: int
    method: str  # "" for any
    address: str
    nodes: tuple[int, ...]
    candidates: int


def answered(names: Names) -> list[Answered]:
    """Return the routes of all files in order."""
    tables = names.resolver.tables
    routes = [(number, route) for number, file in enumerate(tables.files) for route in file.links.mentions.routes]
    prefixes = _prefixes(names, routes)
    served = []
    for number, route in routes:
        if INCLUDED.match(route.handler):
            continue
        nodes, candidates = _handlers(names, number, route)
        for prefix in prefixes.get(number, ("",)):
            address = _joined(prefix, route.address)
            served.append(Answered(number, route.row, route.method, address, nodes, candidates))
    return served


def _joined(prefix: str, address: str) -> str:
    """Return an address behind that of what includes it: one "/" between them and before them."""
    if not prefix:
        return address if address.startswith(("/", "^")) else f"/{address}"
    start = prefix if prefix.startswith(("/", "^")) else f"/{prefix}"
    return f"{start.removesuffix('/')}/{address.removeprefix('^').removeprefix('/')}"


def _prefixes(names: Names, routes: list[tuple[int, Route]]) -> dict[int, tuple[str, ...]]:
    """Return the addresses under which files of routes are included."""
    included: dict[int, list[tuple[int, str]]] = {}  # file -> by which, under what
    for number, route in routes:
        match = INCLUDED.match(route.handler)
        if match is None:
            continue
        for other in _included(names, number, route, match[1]):
            if other != number:
                included.setdefault(other, []).append((number, route.address))
    return {number: _under(included, number, depth=0) for number in included}


def _included(names: Names, number: int, one: Route, written: str) -> tuple[int, ...]:
    """Return the files of what include() names: a module as text, or a name that the file knows."""
    modules = names.resolver.modules
    files = modules.files_of(number, written)
    if files:
        return files
    tables = names.resolver.tables
    scope = tables.first[number] + 1 + one.owner
    targets = names.resolver.targets(scope, written)
    return tuple(dict.fromkeys(tables.file[each] for each in targets if isinstance(each, int) and each < OUTSIDE))


def _under(included: dict[int, list[tuple[int, str]]], number: int, *, depth: int) -> tuple[str, ...]:
    if depth > MAX_DEPTH or number not in included:
        return ("",)
    found: dict[str, None] = {}
    for other, address in included[number]:
        for prefix in _under(included, other, depth=depth + 1):
            found[_joined(prefix, address)] = None
            if len(found) >= MAX_PREFIXES:
                return tuple(found)
    return tuple(found)


def _handlers(names: Names, number: int, one: Route) -> tuple[tuple[int, ...], int]:
    """Return what answers a route."""
    tables = names.resolver.tables
    base = tables.first[number]
    if not one.handler:
        return ((base + 1 + one.handles,), 0) if one.handles >= 0 else ((), 0)
    scope = base + 1 + one.owner
    action = ACTION.match(one.handler)
    if action is not None:
        return _action(names, scope, action[1], action[2])
    text = plain(one.handler)
    if text.endswith(".as_view()"):
        text = text.removesuffix(".as_view()")
    meant = names.mean(scope, text.removesuffix("()"))
    found = [node for node in meant.nodes if tables.kind[node] is not None]
    for node in meant.nodes:
        if tables.is_container(node):
            members = tables.members.get(node, {})
            wanted = (one.method.lower(),) if one.method else VERBS
            found += [each for verb in wanted for each in members.get(verb, ())]
    return tuple(dict.fromkeys(found)), meant.candidates


def _action(names: Names, scope: int, controller: str, action: str) -> tuple[tuple[int, ...], int]:
    """Return the method of a controller that is named as text."""
    parts = [part[:1].upper() + part[1:] for part in re.split(r"[/:\\]+", controller) if part]
    name = "".join(word[:1].upper() + word[1:] for word in parts[-1].split("_")) if parts else ""
    tables: Tables = names.resolver.tables
    family = tables.rules_at(scope).family
    for each in (f"{name}Controller", name):
        classes = [
            node
            for node in tables.by_name.get(each, ())
            if tables.is_container(node) and tables.rules_at(node).family == family
        ]
        found = [method for node in classes for method in tables.members.get(node, {}).get(action, ())]
        if found:
            return tuple(found), 0 if len(found) == 1 else len(found)
    return (), 0
