"""Addresses that are asked for to the routes that answer them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

__all__ = ["Requests", "Served"]

HOLE = re.compile(  # a part of an address that may be anything
    r"<[^<>]*>|\{[^{}]*\}|:\w+\??|\*\w*|\[[\w.]+\]|\(\?P<\w+>[^()]*\)"
)
MAX_SERVED = 8  # routes that may answer one address; with more it says nothing
MAX_PARTS = 16
ANY = "{}"


class Served(NamedTuple):
    """A route: its node, method ("" for any) and address, and what answers it."""

    node: int
    method: str
    address: str
    handlers: tuple[int, ...] = ()


class Requests:
    """The routes of an index by what their addresses look like."""

    def __init__(self, served: Sequence[Served]) -> None:
        self._by_size: dict[int, list[tuple[tuple[str, ...], Served]]] = {}
        for one in served:
            parts = _parts(one.address)
            if parts and any(part != ANY for part in parts):
                self._by_size.setdefault(len(parts), []).append((parts, one))
        self._known: dict[tuple[str, str], tuple[Served, ...]] = {}

    def answering(self, method: str, address: str) -> tuple[Served, ...]:
        """Return the routes that answer an address, those that say most of it in plain words."""
        key = method, address
        routes = self._known.get(key)
        if routes is None:
            routes = self._known[key] = self._answering(method, _parts(address.partition("?")[0].partition("#")[0]))
        return routes

    def ending(self, method: str, address: str) -> tuple[Served, ...]:
        """Return the routes that answer an address behind a prefix, those with the shortest prefix."""
        asked = _parts(address.partition("?")[0].partition("#")[0])
        if not asked or ANY in asked[:1]:
            return ()
        for size in sorted(size for size in self._by_size if size > len(asked)):
            found = tuple(
                served
                for parts, served in self._by_size[size]
                if (not method or served.method in ("", method))
                and parts[-len(asked)] == asked[0]
                and all(part in (ANY, wanted) for part, wanted in zip(parts[-len(asked) :], asked, strict=True))
            )
            if found:
                return found if len(found) <= MAX_SERVED else ()
        return ()

    def _answering(self, method: str, asked: tuple[str, ...]) -> tuple[Served, ...]:
        best: list[Served] = []
        most = 0
        for parts, served in self._by_size.get(len(asked), ()):
            if method and served.method and method != served.method:
                continue
            if all(part in (ANY, wanted) or wanted == ANY for part, wanted in zip(parts, asked, strict=True)):
                alike = sum(
                    2 if part == wanted != ANY else part == wanted for part, wanted in zip(parts, asked, strict=True)
                )
                if alike > most:
                    best, most = [], alike
                if alike == most and alike > 1:
                    best.append(served)
        return tuple(best) if len(best) <= MAX_SERVED else ()


def _parts(address: str) -> tuple[str, ...]:
    """Return the parts of an address, each with anything in it that is put in as {}."""
    path = re.sub(r"^[a-z]{2,10}://[^/]{0,200}", "", address).removeprefix("^").removesuffix("$")
    parts = [ANY if HOLE.search(part) else part for part in path.strip("/").split("/")][: MAX_PARTS + 1]
    return tuple(parts) if path.startswith("/") or parts != [""] else ()
