"""What a node of a syntax tree does to names: assignments, loops, operators, calls that put text behind a variable."""

from __future__ import annotations

from collections.abc import Iterable

from tree_sitter import Node

from coderag.syntax.trees.local_scopes import Event, Scope
from coderag.syntax.trees.node_types import ASSIGNMENTS, CALLS, CLASSES, FUNCTIONS, LOOPS, MEMBERS, OPERATORS
from coderag.syntax.trees.nodes import (
    APPENDS,
    Called,
    assigned,
    bare_name,
    called,
    field_or,
    looped,
    member,
    named_children,
    text_of,
)

__all__ = ["CHANGING", "Changes", "dart_call", "may_change"]

MAX_SHIFTS = 400  # a << b << c
GROWING = frozenset(
    """append Append AppendLine AppendFormat appendLine push push_str push_bind push_sql WriteString write_str
    push_back add Add extend concat insert write WriteByte""".split()
)  # methods that put text behind what a variable holds
PRINTING = frozenset({"Fprintf", "Fprint", "Fprintln", "write!", "writeln!", "write", "writeln"})
CHANGING = frozenset(name.strip("!").encode() for name in (*GROWING, *PRINTING, "each"))

HOLDING = ASSIGNMENTS | LOOPS | {"unary_operator"}
MAX_LEVELS = 40  # between a literal and what puts it into a name

Placed = tuple[int, int, Scope, Event]  # where the node begins and ends, backwards, and whose name gets what


class Changes:
    """What names get in a file, as far as it was read."""

    def __init__(self, file: Scope, language: str) -> None:
        self.file = file
        self.language = language
        self.placed_fields: list[Placed] = []
        self.placed_settings: list[Placed] = []
        self.node: Node = file.node
        self.events: dict[str, list[Event]] = {}

    def of(self, scope: Scope, nodes: Iterable[Node]) -> dict[str, list[Event]]:
        """Return what each name of a scope gets from some nodes in it."""
        self.events = {}
        for node in nodes:
            self.node = node
            self._visit(node, scope)
        return self.events

    def fields(self) -> dict[str, list[tuple[Scope, Event]]]:
        """Return what the names of classes, objects and the file get, in order."""
        found: dict[str, list[tuple[Scope, Event]]] = {}
        for _, _, scope, event in sorted(self.placed_fields, key=_order):
            found.setdefault(event.name, []).append((scope, event))
        return found

    def settings(self) -> list[tuple[Event, Scope]]:
        """Return the members of others that are assigned, in order."""
        return [(event, scope) for _, _, scope, event in sorted(self.placed_settings, key=_order)]

    def _visit(self, node: Node, scope: Scope) -> None:
        kind = node.type
        if kind in ASSIGNMENTS:
            if kind != "pair" or scope.kind != "function" or _is_of_member(node):
                self._assign(node, scope)
        elif kind in LOOPS:
            if (found := looped(node)) is not None:
                self._add(Event(bare_name(found[0]), found[1], found[0], each=True))
        elif kind in CALLS:
            self._call(node)
        elif kind == "unary_operator":
            self._attribute(node, scope)
        else:
            self._operate(node)

    def _add(self, event: Event) -> None:
        self.events.setdefault(event.name, []).append(event)

    def _hold(self, scope: Scope, event: Event) -> None:
        """Note what a class, an object or the file holds under a name."""
        self.placed_fields.append((self.node.start_byte, -self.node.end_byte, scope, event))

    def _assign(self, node: Node, scope: Scope) -> None:
        for target, value, operator in assigned(node):
            if value is None or (node.type in {"pair", "keyed_element"} and value.type in {"identifier"}):
                continue
            name = bare_name(target)
            grows = operator in APPENDS
            if target.type in {"subscript_expression", "subscript", "element_reference"}:  # $parts[] = x
                inner = named_children(target)
                if len(inner) != 1:
                    continue
                name, grows = bare_name(inner[0]), True
            elif target.type in MEMBERS:
                parts = member(target)
                if parts is None:
                    continue
                name = parts[1]
                if not _is_self(parts[0]):
                    self.placed_settings.append((node.start_byte, -node.end_byte, scope, Event(name, value, node)))
                    continue
                owner = next((level for level in scope.outwards() if level.kind == "class"), scope)
                event = Event(name, value, node, grows=grows)
                if owner.kind == "class":
                    self._hold(owner, event)
                continue
            event = Event(name.strip("'\""), value, node, grows=grows)
            if node.type in {"pair", "keyed_element"}:
                if (holder := _holder(node)) and scope.kind != "function":
                    scope_of_class = Scope(node, "class", holder, parent=scope)
                    self._hold(scope_of_class, event)
                continue
            self._add(event)
            if scope.kind != "function":
                self._hold(scope, event)

    def _attribute(self, node: Node, scope: Scope) -> None:
        """Note @query "SELECT ..." of Elixir."""
        operand = node.child_by_field_name("operand")
        if operand is None or operand.type != "call":
            return
        call = called(operand)
        if call is None or len(call.arguments) != 1:
            return
        event = Event(call.name, call.arguments[0].node, node)
        self._add(event)
        self._hold(scope, event)

    def _operate(self, node: Node) -> None:
        """Note what binary operators do to a name: x << "..." and, in Elixir and Scala, x = "..." and x += "..."."""
        operator = text_of(field_or(node, "operator"))
        if operator not in {"<<", "=", "+=", "++="}:
            return
        left, right = field_or(node, "left"), field_or(node, "right")
        if left is None or right is None:
            return
        if operator == "<<":
            parent = node.parent
            if parent is None or parent.type != node.type or text_of(field_or(parent, "operator")) != "<<":
                self._shift(node)
            return
        if left.type == "identifier":
            self._add(Event(bare_name(left), right, node, grows=operator != "="))

    def _shift(self, node: Node) -> None:
        """Note out << a << b: all of it is appended to one variable, in order."""
        put: list[Node] = []
        kind, first = node.type, node
        while first.type == kind and text_of(field_or(first, "operator")) == "<<" and len(put) < MAX_SHIFTS:
            left, right = field_or(first, "left"), field_or(first, "right")
            if left is None or right is None:
                return
            put.append(right)
            first = left
        if first.type == "identifier":
            for one in reversed(put):
                self._add(Event(bare_name(first), one, one, grows=True))

    def _call(self, node: Node) -> None:
        call = called(node)
        if call is None or not call.name:
            return
        if call.name == "define" and self.language == "php" and len(call.arguments) == 2:
            name = text_of(call.arguments[0].node).strip("'\"")
            event = Event(name, call.arguments[1].node, node)
            self._add(event)
            self._hold(self.file, event)
        if call.name == "each" and call.receiver is not None and (variable := _block_variable(node)) is not None:
            self._add(Event(bare_name(variable), call.receiver, variable, each=True))
        self._grow(call)

    def _grow(self, call: Called) -> None:
        """Note a call that puts text behind what a variable holds: sb.append(x), fmt.Fprintf(&sb, x)."""
        if (
            call.name in PRINTING
            and len(call.arguments) >= 2
            and call.arguments[0].node.type
            in {
                "unary_expression",
                "reference_expression",
                "identifier",
            }
        ):
            self._add(Event(bare_name(call.arguments[0].node), call, call.node, grows=True))
            return
        if call.name not in GROWING or call.receiver is None or not call.arguments or _goes_on(call.node):
            return
        target = call.receiver
        for _ in range(100):  # sb.append(a).append(b): the one around comes first in the walk
            if target.type not in CALLS:
                break
            inner = called(target)
            if inner is None or inner.receiver is None or inner.name not in GROWING:
                break
            target = inner.receiver
        if target.type in {"identifier", "variable_name", "simple_identifier"}:
            self._add(Event(bare_name(target), call, call.node, grows=True))


def _holder(pair: Node) -> str:
    """Return the name of what an object literal is assigned to."""
    node = pair.parent
    for _ in range(6):
        if node is None:
            return ""
        if node.type == "pair":
            return bare_name(field_or(node, "key")).strip("'\"")
        if node.type in ASSIGNMENTS and node.type != "keyed_element":
            return bare_name(next((target for target, _, _ in assigned(node)), None))
        node = node.parent
    return ""


def _is_self(node: Node) -> bool:
    return text_of(node).strip("$") in {"self", "this", "cls", "static"}


def _block_variable(node: Node) -> Node | None:
    """Return the variable of a block of Ruby that has one."""
    block = field_or(node, "block")
    variables = field_or(block, "parameters") if block is not None else None
    return variables.named_children[0] if variables is not None and len(variables.named_children) == 1 else None


def _goes_on(node: Node) -> bool:
    """Tell whether a call is the receiver of another that puts text behind the same variable: b.append(x).append(y)."""
    parent = node.parent
    if parent is not None and parent.type in MEMBERS:
        parent = parent.parent
    if parent is None or parent.type not in CALLS:
        return False
    outer = called(parent)
    if outer is None or outer.receiver is None or outer.name not in GROWING or not outer.arguments:
        return False
    return outer.receiver.start_byte == node.start_byte and outer.receiver.end_byte == node.end_byte


def may_change(literal: Node) -> bool:
    """Tell whether a literal may be put into a name."""
    node = literal.parent
    for _ in range(MAX_LEVELS):
        if node is None or node.type in FUNCTIONS or node.type in CLASSES:
            return False
        if node.type in HOLDING:
            return True
        if node.type in OPERATORS and text_of(field_or(node, "operator")) in {"<<", "=", "+=", "++="}:
            return True
        if node.type in CALLS and (call := called(node)) is not None and call.name.strip("!").encode() in CHANGING:
            return True
        node = node.parent
    return True


def dart_call(node: Node) -> Called | None:
    """Return a call of Dart, whose grammar has the name, the member and the arguments side by side."""
    part = next((child for child in node.named_children if child.type == "argument_part"), None)
    before = node.prev_named_sibling
    if part is None or before is None:
        return None
    name, receiver = before, None
    if before.type == "selector":
        chosen = before.named_children[0] if before.named_children else before
        name = chosen.named_children[-1] if chosen.named_children else chosen
        receiver = before.prev_named_sibling
    holder = next((child for child in part.named_children if child.type == "arguments"), None)
    found = called(part) if holder is not None else None
    return found._replace(name=bare_name(name), receiver=receiver, node=node) if found is not None else None


def _is_of_member(pair: Node) -> bool:
    key = pair.child_by_field_name("key")
    return key is None or key.type in MEMBERS


def _order(placed: Placed) -> tuple[int, int]:
    return placed[0], placed[1]
