"""What is around a route to how its address begins: groups in closures, in chains of calls, and in variables.

The words of the calls that begin addresses are data: `route_groups` of `parsers/<language>/language.toml`.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from coderag.syntax.link_captures import Nodes
from coderag.syntax.references.owners import Owners
from coderag.syntax.trees.call_chains import Chain, Link, chain_of, entries, literal

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = [
    "CALLS",
    "HOLE_END",
    "HOLE_START",
    "Around",
    "RouteGroups",
    "address_text",
    "called_link",
    "has_groups",
    "in_namespace",
    "joined",
    "mounted_at",
]

CALLS = frozenset(
    "call call_expression invocation_expression member_call_expression scoped_call_expression method_invocation".split()
)
LISTS = frozenset({"list", "binary_operator", "parenthesized_expression", "ERROR"})
LITERALS = frozenset({"list", "list_splat"})
ASSIGNMENTS = frozenset({"assignment", "augmented_assignment"})
PREFIX_NAMES = ("prefix", "url_prefix", "basePath")
CONTROLLER = "controller"  # Laravel's Route::controller(X::class)->group(...)
NAMESPACE = "namespace"  # Laravel's Route::namespace("Admin")->group(...), Route::group(["namespace" => "Admin"], ...)
MAX_UP = 400  # nodes above a route
MAX_OUTER = 12  # variables that hold groups of groups
HOLE_START, HOLE_END = "{=", "}"  # around a constant whose value another file may know
SUMS = frozenset({"binary_operator", "binary_expression", "concatenated_string", "additive_expression"})
NAME = re.compile(r"(?<!\w)[A-Za-z_]\w{0,80}+(?:(?:\.|::|->)\w{1,80}+){0,4}+$")


class Around(NamedTuple):
    """What is around a route."""

    group: str = ""  # the variable that its routes are added to, as it is written; "" for none
    prefix: str = ""
    controller: str = ""
    namespace: str = ""  # of controllers that are named as text


class _Variable(NamedTuple):
    """A variable that holds a group from a byte on."""

    start: int
    owner: int
    group: str  # to which it belongs; itself where it is a router of its own
    prefix: str


class RouteGroups:
    """The groups of routes of a file."""

    def __init__(self, words: Sequence[str], owners: Owners, data: bytes) -> None:
        self.words = self._words = frozenset(words)
        self._owners, self._data = owners, data
        self._signs = re.compile(b"|".join(re.escape(word.encode()) for word in (*PREFIX_NAMES, *words)))
        self._variables: dict[str, list[_Variable]] = {}

    @property
    def names(self) -> list[str]:
        """The variables that hold a group."""
        return sorted(self._variables)

    def made(self) -> Iterator[tuple[int, str, str]]:
        """Yield the routers of their own at the top of the file that have a prefix: byte, name, prefix."""
        for name, held in self._variables.items():
            for one in held:
                if one.owner < 0 and one.group == name and one.prefix:
                    yield one.start, name, one.prefix

    def add(self, matches: Iterable[Nodes]) -> None:
        """Take in the variables that are given a group, in order of the text."""
        for nodes in matches:
            if "variable" not in nodes:
                continue
            value = next((nodes[one][0] for one in ("prefix", "called", "assigned") if one in nodes), None)
            if value is not None:
                self._add(nodes["variable"][0], value)

    def _add(self, variable: Node, value: Node) -> None:
        call: Node | None = value
        for _ in range(6):
            if call is None or call.type in CALLS or call.type == "new_expression":
                break
            call = call.parent
        if call is None or call.start_byte < variable.start_byte:
            return
        # Of all that a file binds, hardly anything is a group.
        if not self._variables and self._signs.search(self._data, call.start_byte, call.end_byte) is None:
            return
        chain = chain_of(call)
        if chain is None:
            return
        name = _written(variable)
        last = chain.links[-1]
        prefix = next((text for key in PREFIX_NAMES if (text := _keyword(last, key))), "")
        derived = any(link.name in self._words and link.arguments for link in chain.links)
        if not derived and not prefix:
            self._add_alias(name, last, variable)
            return
        start, owner = variable.start_byte, self._owners.scope_at(variable.start_byte)
        if not derived:
            made = _Variable(start, owner, name, prefix)
        else:
            around = self.of_chain(chain, start)
            own = not around.group or chain.links[0].arguments is not None
            made = _Variable(start, owner, name if own else around.group, joined(around.prefix, prefix))
        self._variables.setdefault(name, []).append(made)

    def _add_alias(self, name: str, made: Link, variable: Node) -> None:
        """Take in what is made of a group: Api(blueprint)."""
        known = self._of_variable(_written(made.argument(0)), variable.start_byte) if made.argument(0) else None
        if known is not None:
            owner = self._owners.scope_at(variable.start_byte)
            self._variables.setdefault(name, []).append(
                _Variable(variable.start_byte, owner, known.group, known.prefix)
            )

    def of_chain(self, chain: Chain, byte: int) -> Around:
        """Return the group that a chain of calls begins with, and what its calls add to addresses."""
        root = ".".join(_until_call(chain))
        known = self._of_variable(root, byte)
        group, prefix = (known.group, known.prefix) if known else (root, "")
        controller = namespace = ""
        for link in chain.links:
            if link.arguments is None:
                continue
            if link.name in self._words:
                prefix = joined(prefix, _prefix(link))
                namespace = in_namespace(namespace, _option(link, NAMESPACE))
            elif link.name == CONTROLLER:
                controller = _written(link.argument(0)).removesuffix("::class")
            elif link.name == NAMESPACE:
                namespace = in_namespace(namespace, address_text(link.argument(0), only_text=True))
        return Around(group, prefix, controller, namespace)

    def of_name(self, name: str, byte: int) -> Around:
        """Return the group that a name stands for at a byte."""
        known = self._of_variable(name, byte)
        return Around(known.group, known.prefix) if known else Around(name)

    def group_in(self, chain: Chain, byte: int) -> Around | None:
        """Return the group that an argument stands for, or None."""
        root = ".".join(_until_call(chain))
        known = self._of_variable(root, byte)
        if known is None and not any(link.name in self._words and link.arguments for link in chain.links):
            return None
        found = self.of_chain(chain, byte)
        outer = self.around(chain.node)
        return found if known else Around(outer.group or found.group, joined(outer.prefix, found.prefix))

    def _of_variable(self, name: str, byte: int) -> _Variable | None:
        """Return what a variable holds at a byte: the last group before it in the same definition or one around it."""
        group = self._variables.get(name)
        if not group:
            return None
        around = {-1, *self._owners.around(self._owners.scope_at(byte))}
        before = group[: bisect_right([one.start for one in group], byte)] or group
        inside = [one for one in before if one.owner in around]
        return inside[-1] if inside else None

    def around(self, node: Node) -> Around:
        """Return what is around a node: the call that it is handed to, and all that this one stands in."""
        group, prefix, controller, namespace = "", "", "", ""
        first, through_list = True, False
        child, current = node, node.parent
        for _ in range(MAX_UP):
            if current is None:
                break
            kind = current.type
            if kind in CALLS:
                found = self._of_call(current, child, first=first)
                if found is not None:
                    group, controller = found.group or group, controller or found.controller
                    prefix = joined(found.prefix, prefix)
                    namespace = in_namespace(found.namespace, namespace)
                first = False
            elif kind in LITERALS:
                through_list = True
            elif kind in ASSIGNMENTS and through_list and not group:
                left = current.child_by_field_name("left")
                group = _written(left) if left is not None else ""
            child, current = current, current.parent
        return Around(group, prefix, controller, namespace)

    def _of_call(self, call: Node, child: Node, *, first: bool) -> Around | None:
        """Return what a call around a node says of its address."""
        chain = chain_of(call)
        if chain is None or not chain.links:
            return None
        at = next((n for n, one in enumerate(chain.links) if _holds(one, child)), -1)
        if at < 0 or (not first and at < len(chain.links) - 1):
            return None  # the node stands in what the call is made on, which was looked at before
        before = Chain(chain.node, chain.links[: at + (0 if first else 1)])
        if not first and not any(link.name in self._words for link in before.links):
            return None
        if not before.links:
            return Around()
        return self.of_chain(before, call.start_byte)


def has_groups(data: bytes, words: Sequence[str]) -> bool:
    """Tell whether a file may make groups of routes, which others may add routes to."""
    if not words:
        return False
    return b"prefix=" in data or any(b".%s(" % word.encode() in data for word in words)


def _holds(link: Link, child: Node) -> bool:
    """Tell whether an argument of a link holds a node."""
    return any(
        (argument.node.start_byte <= child.start_byte and child.end_byte <= argument.node.end_byte)
        or (child.start_byte <= argument.node.start_byte and argument.node.end_byte <= child.end_byte)
        for argument in link.arguments or ()
    )


def called_link(call: Node) -> Link | None:
    """Return the last call of a node, with its arguments."""
    chain = chain_of(call)
    return chain.links[-1] if chain is not None and chain.links else None


def mounted_at(link: Link) -> str:
    """Return the address that a call mounts a router at: its prefix, or the text behind the router."""
    named = next((text for key in PREFIX_NAMES if (text := _keyword(link, key))), "")
    second = link.argument(1)
    return named or (literal(second) or "" if second is not None else "")


def _prefix(link: Link) -> str:
    """Return what a call adds to addresses: its first text, or what an array says is the prefix."""
    first = link.argument(0)
    if (named := _keyword(link, "prefix")) or first is None:
        return named
    return _option(link, "prefix") or address_text(first, only_text=True)


def _option(link: Link, name: str) -> str:
    """Return the text that the array of a call's first argument has under a name."""
    return next((address_text(value) for key, value in entries(link.argument(0)) if key == name), "")


def _keyword(link: Link, name: str) -> str:
    node = link.keyword(name)
    if node is None:
        for argument in link.arguments or ():
            node = next((value for key, value in entries(argument.node) if key == name), None)
            if node is not None:
                break
    return address_text(node)


def address_text(node: Node | None, *, only_text: bool = False) -> str:
    """Return what an expression says an address is; a constant in it stands in {=...}."""
    if node is None:
        return ""
    text = literal(node)
    if text is not None:
        return text
    if node.type in SUMS:
        return "".join(address_text(child) for child in node.named_children)
    if "string" in node.type:
        return "".join(_filled(node))
    written = _written(node)
    if NAME.match(written):
        return f"{HOLE_START}{written}{HOLE_END}" if not only_text or written.isupper() or "." in written else ""
    return ""


def _filled(node: Node) -> Iterator[str]:
    """Yield the parts of a text with what is put in; that is the name of a constant, or a hole."""
    for child in node.named_children:
        if "content" in child.type or "fragment" in child.type:
            yield _written(child)
        elif "interpolation" in child.type or "substitution" in child.type:
            inner = _written(child).strip("${}# ")
            yield f"{HOLE_START}{inner}{HOLE_END}" if NAME.match(inner) else "{}"


def _until_call(chain: Chain) -> Iterator[str]:
    for link in chain.links:
        if link.arguments is not None:
            return
        yield link.name or _written(link.node)


def _written(node: Node | None) -> str:
    return ((node.text if node is not None else None) or b"")[:300].decode("utf-8", "replace").strip().removeprefix("$")


def in_namespace(around: str, inner: str) -> str:
    """Return a namespace, or the name of a class, in the one around it; what begins with it or with a "\\" is whole."""
    if not around or not inner or inner.startswith(("\\", f"{around}\\")):
        return inner or around
    return f"{around}\\{inner}"


def joined(prefix: str, address: str) -> str:
    """Return two parts of an address as one."""
    if not prefix:
        return address
    if not address:
        return prefix
    return f"{prefix.rstrip('/')}/{address.lstrip('/')}"
