"""Matches of routes to addresses and what answers them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from coderag.syntax.lines import Lines
from coderag.syntax.link_captures import LinkCaptures, Nodes
from coderag.syntax.outline import Definition
from coderag.syntax.references.imports import plain_text
from coderag.syntax.references.owners import Owners
from coderag.syntax.references.receivers import Chains
from coderag.syntax.references.records import Route

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["read_routes"]

METHODS = frozenset({"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE", "CONNECT", "WEBSOCKET"})
VERB_STARTS = ("add_", "map", "http", "on_")  # add_get, MapGet, HttpGet
VERB_ENDS = ("mapping", "func", "async")  # GetMapping
CLIENTS = frozenset(  # they ask for addresses instead of answering them
    "axios requests request client http https fetch cache session cy agent httpx superagent supertest got ky api_client"
    " mock redis storage localStorage params headers config".split()
)

METHOD_FIRST = re.compile(r"([A-Z]{3,7}) +(.*)")  # the patterns of Go's net/http: "GET /users"
PARTS = frozenset({"keyword_argument"})
CALLS = frozenset({"call", "call_expression"})

Key = tuple[int, int, str, str, int]  # row, owner, address, handler, handles


def read_routes(
    lines: Lines, captures: LinkCaptures, definitions: Sequence[Definition], *, owners: Owners, chains: Chains
) -> list[Route]:
    """Return the addresses that a file answers, in order."""
    if not captures.routes:
        return []
    reading = _Routes(lines, definitions, owners, chains)
    reading.add_prefixes((*captures.prefixes, *captures.bindings))
    reading.add_all(captures.routes)
    return reading.all()


class _Routes:
    """Routes while matches come in."""

    def __init__(self, lines: Lines, definitions: Sequence[Definition], owners: Owners, chains: Chains) -> None:
        self._lines, self._definitions, self._owners, self._chains = lines, definitions, owners, chains
        self._of_names: dict[str, str] = {}  # variables that hold a group of routes
        self._of_definitions: dict[int, str] = {}
        self._found: dict[Key, dict[str, None]] = {}  # with the methods
        self._bare: dict[tuple[int, str], Key] = {}  # without an address of their own, by what handles which method
        self._addressed: set[tuple[int, str]] = set()

    def _text(self, nodes: Nodes, capture: str) -> str:
        node = nodes[capture][0]
        return plain_text(self._lines.data[node.start_byte : node.end_byte])

    def add_prefixes(self, matches: Iterable[Nodes]) -> None:
        """Take in how the addresses of groups begin."""
        for nodes in matches:
            if "prefix" not in nodes:
                continue
            node = nodes["prefix"][0]
            prefix = self._text(nodes, "prefix")
            if "variable" not in nodes:
                self._of_definitions.setdefault(self._owners.decorated(node.start_byte, node.start_point[0]), prefix)
                continue
            called = nodes.get("called")
            outer = self._group(called[0].start_byte, called[0].end_byte) if called else ""
            self._of_names.setdefault(self._text(nodes, "variable"), joined(outer, prefix))

    def _group(self, start: int, end: int) -> str:
        """Return the beginning of addresses that a receiver gives: `api` of `api.Group`."""
        return self._of_names.get(self._chains.ending(start, end).rpartition(".")[0], "")

    def add_all(self, matches: Iterable[Nodes]) -> None:
        """Add what matches say."""
        for nodes in matches:
            node = nodes["address"][0]
            start, row = node.start_byte, node.start_point[0]
            address, verb, receiver = self._text(nodes, "address"), "", ""
            if "verb" in nodes:
                verb = self._text(nodes, "verb")
                receiver = self._chains.before(nodes["route" if "route" in nodes else "verb"][0].start_byte)
            bare = nodes["address"] == nodes.get("verb")  # `@GetMapping` without an address
            address = "" if bare else address
            method = method_of(verb)
            if method and receiver.rpartition(".")[2].rstrip("()") in CLIENTS:
                continue
            if (written := METHOD_FIRST.fullmatch(address)) is not None:
                method, address = method_of(written[1]), written[2]
            if receiver and "/" not in address and address not in {"", "*"}:
                continue
            owner, handler, handles = self._owners.at(start), self._handler(nodes), -1
            if "handler" not in nodes:
                handles = self._owners.decorated(start, row)
                if handles < 0:
                    continue
            elif not handler:  # a function without a name: its code is that of what is around it
                handles = owner
            address = joined(self._of_names.get(receiver, ""), address)
            address = joined(self._prefix_of(handles if handles >= 0 else owner, start), address)
            key = row, owner, address, handler, handles
            if bare:
                self._bare.setdefault((handles, method), key)
            else:
                self._addressed.add((handles, method))
            methods = self._found.setdefault(key, {})
            methods[method] = None

    def _handler(self, nodes: Nodes) -> str:
        if "handler" not in nodes:
            return ""
        node = nodes["handler"][0]
        if "mount" in nodes:
            return f"include({self._text(nodes, 'handler')})"
        if node.type.endswith("block"):
            return ""
        if "within" in nodes:
            return f"{self._text(nodes, 'within')}.{self._text(nodes, 'handler').lstrip(':')}"
        if self._lines.data[node.start_byte : node.start_byte + 1] in (b'"', b"'"):
            return self._text(nodes, "handler")
        if (
            node.type in PARTS and node.child_count and (last := node.child(node.child_count - 1)) is not None
        ):  # view_func=show
            node = last
        inner = node.child(0) if node.type in CALLS and node.child_count else None
        if inner is not None and inner.type == "identifier":
            return self._wrapped(node, self._lines.text_of(*inner.byte_range))
        return self._chains.ending(node.start_byte, node.end_byte)

    def _wrapped(self, node: Node, wrapper: str) -> str:
        """Return the handler that is handed to a function around it, as `login_required(show)`."""
        arguments = node.child(node.child_count - 1)
        first = arguments.named_child(0) if arguments is not None and arguments.named_child_count else None
        if first is None:
            return f"{wrapper}()"
        if wrapper == "include":
            if first.named_child_count and first.type in {"tuple", "list"}:
                first = first.named_child(0) or first
            return f"include({plain_text(self._lines.data[first.start_byte : first.end_byte])})"
        return self._chains.ending(first.start_byte, first.end_byte)

    def _prefix_of(self, definition: int, byte: int) -> str:
        """Return how the addresses inside of definitions begin, those that say so together."""
        found = ""
        for one in self._owners.around(definition):
            prefix = self._of_definitions.get(one, "")
            if prefix and self._definitions[one].start_byte <= byte:
                found = joined(prefix, found)
        return found

    def all(self) -> list[Route]:
        """Return the routes in order."""
        routes = []
        for told in self._bare.keys() & self._addressed:
            self._found.pop(self._bare[told], None)
        for (row, owner, address, handler, handles), methods in self._found.items():
            named = [method for method in methods if method]
            routes += [Route(row, owner, method, address, handler, handles) for method in named or [""]]
        return sorted(routes)


def method_of(verb: str) -> str:
    """Return the method that a name tells, "" for any."""
    lowered = verb.lower()
    for start in VERB_STARTS:
        lowered = lowered.removeprefix(start)
    for end in VERB_ENDS:
        lowered = lowered.removesuffix(end)
    method = lowered.strip("_ ").upper()
    return method if method in METHODS else ""


def joined(prefix: str, address: str) -> str:
    """Return two parts of an address as one."""
    if not prefix:
        return address
    if not address:
        return prefix
    return f"{prefix.rstrip('/')}/{address.lstrip('/')}"
