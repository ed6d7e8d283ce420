"""Addresses that a program answers, with those that their routers are mounted under before them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from coderag.graph.edges.file_routes import file_routes
from coderag.graph.edges.handlers import Handler, handlers_of
from coderag.graph.edges.mounts import INCLUDED, Mounts, Placed, join_addresses
from coderag.graph.resolve.names import Names

__all__ = ["Answered", "answered"]

CONSTANT = "="  # the method of what is no route but a constant that addresses begin with
HOLE = re.compile(r"\{=([^{}]{1,200})\}")
LEADING = re.compile(r"^/?\{[A-Za-z_]\w*\}")  # a constant of no known value
MAX_FILLED = 4  # constants in constants


class Answered(NamedTuple):
    """An address and what answers it."""

    file: int
    row: int
    method: str  # "" for any
    address: str
    nodes: tuple[int, ...]
    candidates: int
    owner: int = -1  # position of the definition that it is written in
    last_row: int = -1  # of a handler without a name


def answered(names: Names) -> list[Answered]:
    """Return the routes of all files in order."""
    tables = names.resolver.tables
    written = [
        Placed(number, route) for number, file in enumerate(tables.files) for route in file.links.mentions.routes
    ]
    constants = _Constants(written)
    routes = [constants.fill(placed) for placed in written if placed.route.method != CONSTANT]
    mounts = Mounts(names, routes, routers=constants.routers)
    served: dict[Answered, None] = {}
    for placed in routes:
        if not INCLUDED.match(placed.route.handler):
            for one in _served(names, mounts, placed):
                served[one] = None
    for told in file_routes(tables):
        served[Answered(told.file, told.row, told.method, told.address, (told.node,), 0)] = None
    return list(served)


def _served(names: Names, mounts: Mounts, placed: Placed) -> Iterator[Answered]:
    """Yield a route under each of its prefixes, and by each method that its class has one for."""
    number, route = placed
    found: list[Handler] = handlers_of(names, number, route)
    for prefix in mounts.prefixes(placed):
        address = join_addresses(prefix, join_addresses(mounts.own_prefix(placed), route.address))
        for one in found:
            yield Answered(
                number, route.row, one.method, address, one.nodes, one.candidates, route.owner, route.last_row
            )


class _Constants:
    """The constants that addresses begin with."""

    def __init__(self, routes: list[Placed]) -> None:
        self._of_file: dict[tuple[int, str], str] = {}
        self._values: dict[str, set[str]] = {}
        self.routers = {  # the prefixes of routers, by file and name
            (number, route.handler[1:]): route.address
            for number, route in routes
            if route.method == CONSTANT and route.handler[:1] == "@"
        }
        for number, route in routes:
            if route.method == CONSTANT:
                other = self._of_file.setdefault((number, route.handler), route.address)
                if not route.handler.isupper() and other != route.address:  # a variable that changes
                    self._of_file[number, route.handler] = f"{{{route.handler}}}"
                self._values.setdefault(route.handler, set()).add(route.address)

    def fill(self, placed: Placed) -> Placed:
        """Return a route with the constants in its address put in, those that have one value."""
        number, route = placed
        address = route.address
        if "{=" not in address:
            return placed
        for _ in range(MAX_FILLED):
            filled = HOLE.sub(lambda match: self._value(number, match[1]), address)
            if filled == address:
                break
            address = filled
        # What a setting says at run time is seldom anything: Group(config.RootPath).
        return Placed(
            number, route._replace(address=LEADING.sub("", address) if "{=" in route.address[:3] else address)
        )

    def _value(self, number: int, written: str) -> str:
        name = re.split(r"\W+", written)[-1]
        own = self._of_file.get((number, name))
        values = self._values.get(name, set()) if not name.islower() else set()  # "prefix" is one in every file
        return own if own is not None else next(iter(values)) if len(values) == 1 else f"{{{name}}}"
