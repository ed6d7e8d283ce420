"""Matches of routes to addresses and what answers them."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from coderag.syntax.language import Language
from coderag.syntax.lines import Lines
from coderag.syntax.link_captures import LinkCaptures, Nodes
from coderag.syntax.outline import Outline
from coderag.syntax.references.imports import plain_text
from coderag.syntax.references.owners import Owners
from coderag.syntax.references.receivers import Chains
from coderag.syntax.references.records import Route
from coderag.syntax.references.resources import resource_routes
from coderag.syntax.references.route_groups import (
    CALLS,
    Around,
    RouteGroups,
    address_text,
    called_link,
    has_groups,
    joined,
    mounted_at,
)
from coderag.syntax.references.route_handlers import NOTHING, handler_of
from coderag.syntax.trees.call_chains import chain_of, items, literal, top_of
from coderag.types import Kind

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["is_request", "method_of", "read_routes"]

METHODS = frozenset({"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE", "CONNECT", "WEBSOCKET"})
VERB_STARTS = ("add_", "map", "http", "on_")  # add_get, MapGet, HttpGet
VERB_ENDS = ("mapping", "func", "async")  # GetMapping
CLIENTS = frozenset(  # they ask for addresses instead of answering them
    "axios requests request client http https fetch cache session cy agent httpx superagent supertest got ky api_client"
    " mock redis storage localStorage params headers config $ jQuery $http $axios".split()
)
AWAITS = frozenset({"await", "await_expression"})
PROMISES = frozenset({b"then", b"catch", b"finally"})
CONSTRAINTS = frozenset({"Methods", "methods"})  # calls behind a route that tell its methods
SPACE = re.compile(r"\s")
METHOD_FIRST = re.compile(r"([A-Z]{3,7}) +(.*)")  # the patterns of Go's net/http: "GET /users"
CONSTANT = "="  # instead of a method: the handler is the name of a constant that begins addresses, the address its text
ROUTER_CALL = "register"  # of a router of Django REST framework
ROUTER_NAME = "router"  # what the name of a receiver ends with whose addresses may have no slash
ROUTER = "@"  # before the name of a router whose prefix is told
MOUNTED = "@"  # instead of an action: the routes of the class itself
ACTIONS = "@action"  # the group of further actions of a class: they answer where the class is registered
NOT_HANDED = frozenset({"Use", "use", "include_router", "register_blueprint", "add_namespace", "append", "print"})
MAX_ROUTES = 20_000  # of a file
MAX_NAMES = 50  # variables of a file that hold groups

VALUES = frozenset({Kind.CONSTANT, Kind.FIELD})

Key = tuple[int, int, str, str, int, str]  # row, owner, address, handler, handles, group


def read_routes(
    lines: Lines,
    captures: LinkCaptures,
    outline: Outline,
    *,
    owners: Owners,
    chains: Chains,
    language: Language,
    root: Node,
) -> list[Route]:
    """Return the addresses that a file answers, in order."""
    if language.name == "ruby":
        from coderag.syntax.references.rails_routes import draws_routes, read_rails_routes

        if draws_routes(lines.data):
            return read_rails_routes(root)
    if not captures.routes and not captures.prefixes and not has_groups(lines.data, language.route_groups):
        return []
    reading = _Routes(lines, outline, owners=owners, chains=chains, language=language)
    reading.add_prefixes((*captures.prefixes, *captures.bindings))
    reading.add_all(captures.routes)
    reading.add_handed(root)
    reading.add_made()
    return reading.all()


class _Call(NamedTuple):
    """What a match states by itself, before the groups around it count."""

    verb: str
    receiver: str
    method: str
    address: str
    is_bare: bool  # without an address of its own


class _Routes:
    """Routes while matches come in."""

    def __init__(self, lines: Lines, outline: Outline, *, owners: Owners, chains: Chains, language: Language) -> None:
        self._lines, self._owners, self._chains = lines, owners, chains
        self._definitions, self._calls = outline.definitions, outline.calls
        self._language = language.name
        self._groups = RouteGroups(language.route_groups, owners, lines.data)
        self._of_definitions: dict[int, str] = {}
        self._found: dict[Key, dict[str, None]] = {}  # with the methods
        self._last_rows: dict[Key, int] = {}  # of handlers without a name
        self._bare: dict[tuple[int, str], Key] = {}  # without an address of their own, by what handles which method
        self._addressed: set[tuple[int, str]] = set()

    def _text(self, nodes: Nodes, capture: str) -> str:
        node = nodes[capture][0]
        return plain_text(self._lines.data[node.start_byte : node.end_byte])

    def _address(self, node: Node) -> str:
        return address_text(node) or plain_text(self._lines.data[node.start_byte : node.end_byte])

    def add_prefixes(self, matches: Iterable[Nodes]) -> None:
        """Take in how the addresses of groups begin."""
        variables = []
        for nodes in matches:
            if "variable" in nodes:
                variables.append(nodes)
            elif "prefix" in nodes:
                node = nodes["prefix"][0]
                owner = self._owners.decorated(node.start_byte, node.start_point[0])
                self._of_definitions.setdefault(owner, self._address(node))
        variables.sort(key=lambda nodes: nodes["variable"][0].start_byte)
        self._groups.add(variables)

    def add_all(self, matches: Iterable[Nodes]) -> None:
        """Add what matches say."""
        for nodes in matches:
            if "constant" in nodes:
                self._add_constant(nodes)
            elif len(self._found) < MAX_ROUTES:
                self._add(nodes)

    def _add_constant(self, nodes: Nodes) -> None:
        node = nodes["address"][0]
        key = node.start_point[0], -1, self._text(nodes, "address"), self._text(nodes, "constant"), -1, ""
        self._found.setdefault(key, {})[CONSTANT] = None

    def _add(self, nodes: Nodes) -> None:
        call = self._call(nodes)
        around = self._around(nodes, call) if call is not None else None
        if call is None or around is None:
            return
        handler = handler_of(nodes, self._lines, self._chains, around=around)
        if handler == NOTHING:
            return
        start, row = nodes["address"][0].start_byte, nodes["address"][0].start_point[0]
        owner, handles = self._owners.at(start), -1
        if "handler" not in nodes:
            decorated = self._decorated(nodes, call)
            if decorated is None:
                return
            call, around, handles = decorated
        elif not handler:  # a function without a name: its code is that of what is around it
            handles = owner
        prefix = joined(self._prefix_of(handles if handles >= 0 else owner, start), around.prefix)
        for method, address, action in self._expanded(nodes, call):
            full_address = self._filled(joined(prefix, address), handles)
            key = row, owner, full_address, _with_action(handler, action), handles, around.group
            if call.is_bare and "handler" not in nodes:
                self._bare.setdefault((handles, method), key)
            else:
                self._addressed.add((handles, method))
            self._found.setdefault(key, {})[method] = None
            if not handler and "handler" in nodes:
                self._last_rows[key] = nodes["handler"][0].end_point[0]

    def _call(self, nodes: Nodes) -> _Call | None:
        """Return the call of a match, None if it is that of a client or of no router."""
        node = nodes["address"][0]
        verb, receiver = "", ""
        if "verb" in nodes:
            verb = self._text(nodes, "verb")
            receiver = self._chains.before(nodes["route" if "route" in nodes else "verb"][0].start_byte)
        is_bare = nodes["address"] == nodes.get("verb") or nodes["address"] == nodes.get("route")
        address = self._of_bare(nodes) if is_bare else self._address(node)
        method = method_of(verb)
        if verb == ROUTER_CALL and not is_bare and "router" not in receiver.lower():
            return None
        if method and (receiver.rpartition(".")[2].rstrip("()") in CLIENTS or is_request(nodes)):
            return None
        if (both := METHOD_FIRST.fullmatch(address)) is not None:
            method, address = method_of(both[1]), both[2]
        if SPACE.search(address):  # a text that is written to a log: log.Trace("Deleting %d/%d", ...)
            return None
        return _Call(verb, receiver, method, address, is_bare)

    def _around(self, nodes: Nodes, call: _Call) -> Around | None:
        """Return the group around a handler, None if nothing shows that the call makes a route."""
        if "handler" not in nodes:
            return Around()
        around = self._groups.around(_argument(nodes, bare=call.is_bare))
        if "mount" in nodes:
            return around
        if call.is_bare and not around.prefix:
            return None
        is_router = call.receiver.rpartition(".")[2].lower().endswith(ROUTER_NAME) and " " not in call.address
        is_route = (
            is_router or not call.receiver or "/" in f"{around.prefix}{call.address}" or self._is_bare(call.address)
        )
        return around if is_route else None

    def _decorated(self, nodes: Nodes, call: _Call) -> tuple[_Call, Around, int] | None:
        """Return the route that stands before its handler, with its group and the definition that handles it."""
        node = nodes["address"][0]
        handles = self._owners.decorated(node.start_byte, node.start_point[0])
        if handles < 0:
            return None
        if self._definitions[handles].kind in VALUES:  # PATTERNS of a class
            handles = self._owners.type_around(handles)
        if "action" in nodes:
            method, address = self._action(node, handles)
            return call._replace(method=method, address=address), Around(ACTIONS), handles
        around = self._groups.of_name(call.receiver, node.start_byte) if call.receiver else Around()
        return call, around, handles

    def _of_bare(self, nodes: Nodes) -> str:
        """Return the address of a call that does not begin with it: its prefix, for a router that is mounted."""
        call = nodes["verb"][0].parent if "mount" in nodes and "verb" in nodes else None
        for _ in range(2):
            if call is not None and (link := called_link(call)) is not None and link.arguments:
                return mounted_at(link)
            call = call.parent if call is not None else None
        return ""

    def _filled(self, address: str, handles: int) -> str:
        """Return an address with the names that ASP.NET puts into it."""
        if "[" not in address or handles < 0 or self._language != "csharp":
            return address
        definition = self._definitions[handles]
        around = self._definitions[definition.parent].name if definition.parent >= 0 else definition.name
        return address.replace("[controller]", around.removesuffix("Controller")).replace("[action]", definition.name)

    def _action(self, node: Node, handles: int) -> tuple[str, str]:
        """Return the method and address of a further action of a class that a router registers."""
        call = node.parent
        link = called_link(call) if call is not None else None
        if link is None:
            return "", ""
        methods = [text for item in items(link.keyword("methods")) if (text := literal(item))]
        detail = link.keyword("detail")
        name = literal(link.keyword("url_path")) or self._definitions[handles].name
        of_one = detail is not None and detail.text == b"True"
        return method_of(methods[0]) if methods else "GET", f"{'{pk}/' if of_one else ''}{name}/"

    def add_made(self) -> None:
        """Add the prefixes of routers, to which other files may add routes."""
        for start, name, prefix in self._groups.made():
            key = bisect_right(self._lines.starts, start) - 1, -1, prefix, f"{ROUTER}{name}", -1, ""
            self._found.setdefault(key, {})[CONSTANT] = None

    def add_handed(self, root: Node) -> None:
        """Add the functions that are handed a group: they add their routes to it."""
        names = self._groups.names
        if not names:
            return
        inner = b"|".join(re.escape(name.encode()) for name in names[:MAX_NAMES])
        words = b"|".join(word.encode() for word in self._groups.words) or b"(?!)"
        pattern = re.compile(
            rb"\((?:[\w.\s]{1,60},\s{0,9})?(?:(" + inner + rb")\s{0,9}[,)]|\w{1,40}\.(?:" + words + rb")\()"
        )
        for start, name in self._calls:
            if pattern.match(self._lines.data, start + len(name)) and name not in NOT_HANDED:
                self._add_handed(root.descendant_for_byte_range(start, start + len(name.encode())), name)

    def _add_handed(self, node: Node | None, name: str) -> None:
        chain = chain_of(top_of(node)) if node is not None else None
        if node is None or chain is None or method_of(name) or name in self._groups.words:
            return
        link = next((one for one in chain.links if one.node == node), None)
        for argument in link.arguments or () if link is not None else ():
            inner = chain_of(argument.node)
            found = self._groups.group_in(inner, node.start_byte) if inner is not None else None
            if found is not None and found.prefix:
                before = self._chains.before(node.start_byte)
                handler = f"include({before}.{name})" if before else f"include({name})"
                key = node.start_point[0], self._owners.at(node.start_byte), found.prefix, handler, -1, found.group
                self._found.setdefault(key, {})[""] = None
                return

    def _is_bare(self, address: str) -> bool:
        """Tell whether a text without a slash is an address: in the route files of languages that leave it out."""
        return address in {"", "*"} or "{" in address or self._language in {"php", "python", "csharp"}

    def _expanded(self, nodes: Nodes, call: _Call) -> Iterator[tuple[str, str, str]]:
        """Yield the methods, addresses and actions of a route: one, or all those of a resource."""
        node = nodes["verb"][0].parent if "verb" in nodes else None
        if node is not None and "handler" in nodes:
            resources = list(resource_routes(self._language, call.verb, call.address, call=node))
            for resource in resources:
                yield resource.method, resource.address, resource.action
            if resources:
                if call.verb == ROUTER_CALL:  # and what its class says itself
                    yield "", joined(call.address, "/"), MOUNTED
                return
            if not call.method and (methods := _methods_behind(node)):
                for text in methods:
                    yield method_of(text), call.address, ""
                return
        yield call.method, call.address, ""

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
        for key, methods in self._found.items():
            row, owner, address, handler, handles, group = key
            last, named = self._last_rows.get(key, -1), [method for method in methods if method]
            routes += [Route(row, owner, method, address, handler, handles, group, last) for method in named or [""]]
        return sorted(routes)


def _argument(nodes: Nodes, *, bare: bool) -> Node:
    """Return the node of a route that is an argument of the call that makes it."""
    return nodes["handler" if bare and "handler" in nodes else "address"][0]


def is_request(nodes: Nodes) -> bool:
    """Tell whether a call's answer is waited for, as a client does: await api.get(...), api.get(...).then(...)."""
    member = nodes["verb"][0].parent if "verb" in nodes else None
    call = member.parent if member is not None else None
    above = call.parent if call is not None else None
    if call is None or above is None or call.type not in CALLS:
        return False
    if above.type == "member_expression":
        then = above.child_by_field_name("property")
        return then is not None and then.text in PROMISES
    return above.type in AWAITS


def _with_action(handler: str, action: str) -> str:
    if action == MOUNTED:
        return f"include({handler})"
    return f"{handler}@{action}" if action else handler


def _methods_behind(call: Node) -> list[str]:
    """Return the methods that a call behind a route tells: HandleFunc("/x", show).Methods("GET")."""
    chain = chain_of(top_of(call))
    link = chain.find(*CONSTRAINTS) if chain is not None else None
    if link is None:
        return []
    nodes = [item for argument in link.arguments or () for item in items(argument.node)]
    return [literal(node) or (node.text or b"").decode().rpartition(".Method")[2] for node in nodes]


def method_of(verb: str) -> str:
    """Return the method that a name tells, "" for any."""
    lowered = verb.lower()
    for start in VERB_STARTS:
        lowered = lowered.removeprefix(start)
    for end in VERB_ENDS:
        lowered = lowered.removesuffix(end)
    method = lowered.strip("_ ").upper()
    return method if method in METHODS else ""
