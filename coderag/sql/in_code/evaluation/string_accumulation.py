"""Names to what they say where they are used: what was assigned to them, and put behind it, under which conditions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tree_sitter import Node

from coderag.sql.in_code.evaluation.expressions import MAX_DEPTH, MAX_ELEMENTS, Expressions, flat, hole_of
from coderag.sql.in_code.evaluation.formats import filled_braces, filled_percents
from coderag.sql.in_code.evaluation.string_values import NOTHING, Hole, Text, Value, choice
from coderag.syntax.trees.local_scopes import Event, Scope, branches_of
from coderag.syntax.trees.node_types import BINARY, CALLS, LISTS, NAMES
from coderag.syntax.trees.nodes import Argument, Called, bare_name, called, field_or, named_children, text_of

__all__ = ["NEWLINES", "StringAccumulation", "between"]

MAX_EVENTS = 300  # of one name
MAX_EACH = 12  # elements of a list that a loop goes over
MAX_NAMES = 4  # that stand for a list, one after the other
NEWLINES = {"appendLine": "\n", "AppendLine": "\n", "Fprintln": "\n", "writeln": "\n"}
LISTING = frozenset({"listOf", "List", "Seq", "asList", "of", "arrayOf", "array"})
EMPTY_LISTS = frozenset("ArrayList mutableListOf List LinkedList ListBuffer ArrayBuffer make new".split())
COMPLETE = frozenset({"if_statement", "if_expression", "if", "unless"})  # conditions that may have an else

Placed = Sequence[tuple[Event, list[tuple[int, int]]]]  # events, each with the conditions that it stands under


class StringAccumulation(Expressions):
    """What names say."""

    def of_name(self, name: str, node: Node, scope: Scope, *, depth: int = 0) -> Value:
        """Return what a name says where a node stands."""
        for level in scope.outwards():
            if name in level.parameters and name not in level.events:
                return (Hole(name, parameter=name, start=level.node.start_byte),)
            if level.kind == "class" and self.language in {"python", "rust"} and level is not scope:
                continue
            if events := level.events.get(name):
                value = self._at(events, node, level, depth)
                if value is not None:
                    if name in level.parameters and not any(isinstance(part, Text) for part in value):
                        return (Hole(name, parameter=name, start=level.node.start_byte),)
                    return value
        found = self.names.fields.get(name, [])
        if len(found) == 1 and self.language not in {"python", "javascript", "typescript", "tsx"}:
            return self.grown([found[0][1]], found[0][0], depth)
        return (hole_of(node, name),)

    def at_end(self, name: str, scope: Scope) -> Value:
        """Return what a name says at the end of its scope."""
        return self.grown(scope.events.get(name, []), scope, 0)

    def _at(self, events: Sequence[Event], node: Node, scope: Scope, depth: int) -> Value | None:
        position = node.start_byte
        inside = scope.node.start_byte <= position < scope.node.end_byte and scope.kind == "function"
        before = [event for event in events if event.node.start_byte < position and not _holds(event.node, node)]
        if inside or before:
            around = dict(branches_of(node, scope.node))
            seen = [
                event
                for event in (before or ([] if scope.kind == "function" else events))
                if all(around.get(which, branch) == branch for which, branch in branches_of(event.node, scope.node))
            ]
            return self.grown(seen, scope, depth, around) if seen else None
        return self.grown(events, scope, depth)

    def grown(self, events: Sequence[Event], scope: Scope, depth: int, around: dict[int, int] | None = None) -> Value:
        """Return what a name says after some events."""
        if depth > MAX_DEPTH:
            return (Hole(),)
        placed = [
            (event, [step for step in branches_of(event.node, scope.node) if step[0] not in (around or {})])
            for event in events[:MAX_EVENTS]
        ]
        return self._run(placed, NOTHING, scope, depth)

    def _run(self, placed: Placed, value: Value, scope: Scope, depth: int) -> Value:
        position = 0
        while position < len(placed):
            event, path = placed[position]
            if not path:
                value = self._after(event, value, scope, depth)
                position += 1
                continue
            which = path[0][0]
            end = position
            branches: dict[int, list[tuple[Event, list[tuple[int, int]]]]] = {}
            while end < len(placed) and placed[end][1] and placed[end][1][0][0] == which:
                branches.setdefault(placed[end][1][0][1], []).append((placed[end][0], placed[end][1][1:]))
                end += 1
            ways = [self._run(inner, value, scope, depth + 1) for inner in branches.values()]
            if not _is_complete(placed[position][0].node, which, branches):
                ways.append(value)
            value = choice(ways)
            position = end
        return value

    def _after(self, event: Event, value: Value, scope: Scope, depth: int) -> Value:
        if isinstance(event.value, Called):
            return (*value, *self._put(event.value, scope, depth))
        if event.each:
            return self._each(event.value, scope, depth)
        if event.grows:
            return (*value, *self.of(event.value, scope, depth=depth))
        if event.value.type in LISTS:
            return self.elements(event.value, scope, depth)
        return self._itself(event, value, scope, depth)

    def _each(self, node: Node, scope: Scope, depth: int) -> Value:
        """Return what the elements of a list are, each in its turn."""
        for _ in range(MAX_NAMES):
            if node.type not in NAMES:
                break
            events = next(
                (level.events[bare_name(node)] for level in scope.outwards() if bare_name(node) in level.events),
                [],
            )
            if len(events) != 1 or not isinstance(events[0].value, Node) or events[0].each:
                break
            node = events[0].value
        if node.type in CALLS and self.is_list_call(node) and (call := called(node)) is not None:
            return choice([self.of(argument.node, scope, depth=depth) for argument in call.arguments])
        if node.type not in LISTS:
            return (hole_of(node),)
        inner = [child for child in named_children(node) if "type" not in child.type]
        if len(inner) == 1 and inner[0].type in LISTS:
            inner = named_children(inner[0])
        found = [self.of(one, scope, depth=depth) for one in inner[:MAX_EACH]]
        return choice(found) if found else (hole_of(node),)

    def _itself(self, event: Event, value: Value, scope: Scope, depth: int) -> Value:
        """Return what x = x + "..." says, where x was something before."""
        node = event.value
        if value and isinstance(node, Node) and node.type in BINARY and _begins_with(node, event.name):
            self.known[_first_leaf_key(node)] = value
        return self.of(node, scope, depth=depth) if isinstance(node, Node) else value

    def _put(self, call: Called, scope: Scope, depth: int) -> Value:
        """Return what a call puts behind a variable; of a chain of calls all of it."""
        parts: list[Value] = []
        one: Called | None = call
        while one is not None and len(parts) < MAX_ELEMENTS:
            parts.append((*self.put_by(one, scope, depth), Text(NEWLINES.get(one.name, ""))))
            receiver = one.receiver
            one = called(receiver) if receiver is not None and receiver.type in CALLS else None
        return flat(reversed(parts))

    def put_by(self, call: Called, scope: Scope, depth: int) -> Value:
        """Return what one call puts behind a variable."""
        nodes = [argument.node for argument in call.arguments]
        if call.name in {"Fprintf", "write!", "writeln!", "write", "writeln"} and len(nodes) > 1:
            return filled_percents(
                self.of(nodes[1], scope, depth=depth), [("", self.of(node, scope, depth=depth)) for node in nodes[2:]]
            )
        if call.name == "AppendFormat":
            return filled_braces(
                self.of(nodes[0], scope, depth=depth), [("", self.of(node, scope, depth=depth)) for node in nodes[1:]]
            )
        if call.name in {"extend", "addAll", "AddRange"}:
            return self.elements(nodes[0], scope, depth)
        if call.name.startswith("Fprint"):
            nodes = nodes[1:]
        elif call.name in {"append", "Append"}:
            nodes = nodes if self.language == "go" else nodes[:1]
        return self.joined(nodes, scope, depth)

    def elements(self, node: Node, scope: Scope, depth: int, separator: Value = NOTHING) -> Value:
        """Return the elements of a list, one after the other."""
        parts: list[Value] = []
        for child in named_children(node)[:MAX_ELEMENTS]:
            if child.type in {"type", "slice_type", "array_type", "type_identifier"}:
                continue
            if child.type in LISTS:
                parts.append(self.elements(child, scope, depth + 1, separator))
            elif (
                child.type in {"literal_element", "array_element_initializer", "keyed_element"} and child.named_children
            ):
                parts.append(self.of(child.named_children[-1], scope, depth=depth))
            else:
                parts.append(self.of(child, scope, depth=depth))
        return between(parts, separator)

    def is_list_call(self, node: Node) -> bool:
        """Tell whether a call makes a list of its arguments."""
        call = called(node)
        return call is not None and call.name in {"listOf", "List", "Seq", "asList", "of", "arrayOf", "array"}

    def list_events(self, name: str, scope: Scope) -> tuple[list[Event], Scope] | None:
        """Return what a name that holds a list gets, and in which scope; None for one that holds none."""
        for level in scope.outwards():
            if events := level.events.get(name):
                holds = any(
                    isinstance(event.value, Node)
                    and (event.value.type in LISTS or (event.value.type in CALLS and self._makes_list(event.value)))
                    for event in events
                )
                grows = any(event.grows or appended(event) is not None for event in events)
                return (events, level) if holds or grows else None
        return None

    def _makes_list(self, node: Node) -> bool:
        call = called(node)
        return call is not None and (
            self.is_list_call(node)
            or call.name
            in {"ArrayList", "mutableListOf", "List", "LinkedList", "ListBuffer", "ArrayBuffer", "make", "new"}
        )

    def listed(self, events: Sequence[Event], scope: Scope, separator: Value, depth: int, use: Node) -> Value:
        """Return a list that grows, its elements joined; what is added under a condition may be missing."""
        value: Value = NOTHING
        around = dict(branches_of(use, scope.node))
        for event in events[:MAX_EVENTS]:
            if event.node.start_byte >= use.start_byte and scope.kind == "function":
                continue
            path = [step for step in branches_of(event.node, scope.node) if step[0] not in around]
            if isinstance(event.value, Called):
                added = self._put(event.value, scope, depth)
            elif event.value.type in LISTS:
                added = self.elements(event.value, scope, depth, separator)
            elif (more := appended(event)) is not None:
                added = between([self.of(argument.node, scope, depth=depth) for argument in more], separator)
            elif event.value.type in CALLS and self.is_list_call(event.value):
                inner = called(event.value)
                arguments = inner.arguments if inner is not None else ()
                added = between([self.of(argument.node, scope, depth=depth) for argument in arguments], separator)
            else:
                added = self.of(event.value, scope, depth=depth) if event.grows else NOTHING
            if not added:
                continue
            added = (*separator, *added) if value else added
            value = (*value, *(choice([added, NOTHING]) if path else added))
        return value or (hole_of(use),)


def appended(event: Event) -> Sequence[Argument] | None:
    """Return what parts = append(parts, "...") of Go puts behind a list; None for anything else."""
    if not isinstance(event.value, Node) or event.value.type not in CALLS:
        return None
    call = called(event.value)
    if call is None or call.name != "append" or len(call.arguments) < 2:
        return None
    return call.arguments[1:] if bare_name(call.arguments[0].node) == event.name else None


def between(values: Sequence[Value], separator: Value) -> Value:
    """Return values with a separator between them."""
    found: list[Value] = []
    for value in values:
        if found and separator:
            found.append(separator)
        found.append(value)
    return flat(found)


def _holds(outer: Node, inner: Node) -> bool:
    return outer.start_byte <= inner.start_byte and inner.end_byte <= outer.end_byte


def _begins_with(node: Node, name: str) -> bool:
    return text_of(_first_leaf(node)).strip("$") == name


def _first_leaf(node: Node) -> Node:
    for _ in range(MAX_ELEMENTS):
        left = field_or(node, "left", "lhs")
        if left is None:
            return node
        node = left
    return node


def _first_leaf_key(node: Node) -> tuple[int, int, str]:
    leaf = _first_leaf(node)
    return leaf.start_byte, leaf.end_byte, leaf.type


def _is_complete(node: Node, which: int, branches: Mapping[int, object]) -> bool:
    """Tell whether one of the branches that are there is always taken: there is an else among them."""
    around = node.parent
    while around is not None and not (around.start_byte == which and around.type in COMPLETE):
        around = around.parent
    if around is None or len(branches) < 2:
        return False
    last = around.named_children[-1] if around.named_children else None
    if last is None:
        return False
    if last.type in {"else_clause", "else"}:
        return last.start_byte in branches
    return around.child_by_field_name("alternative") is not None and len(branches) > 1
