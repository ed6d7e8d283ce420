"""A syntax tree to its functions, what is assigned to which name in each, its calls and its literals."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterator, Sequence
from functools import cache
from typing import NamedTuple

from tree_sitter import Language, Node, Query, QueryCursor, Tree

from coderag.syntax.trees.assignments import CHANGING, Changes, dart_call
from coderag.syntax.trees.local_scopes import Event, Scope
from coderag.syntax.trees.node_types import ASSIGNMENTS, CALLS, CLASSES, FUNCTIONS, LITERALS, LOOPS, OPERATORS, RETURNS
from coderag.syntax.trees.nodes import (
    DEFINING_CALLS,
    Called,
    assigned,
    bare_name,
    called,
    class_name,
    field_or,
    named_children,
    parameters,
    text_of,
)

__all__ = ["Names", "in_order", "last_words"]

MAX_NODES = 100_000  # of a file and a role that are looked at
MAX_DEPTH = 400  # levels of the tree; what is nested deeper is no SQL
PUTTING = frozenset({"<<", "=", "+=", "++="})  # operators that change what a name says
ROLES: dict[str, Collection[str]] = {
    "literal": LITERALS,
    "function": FUNCTIONS,
    "class": CLASSES,
    "assignment": ASSIGNMENTS,
    "return": RETURNS,
    "call": CALLS,
    "loop": LOOPS,
}
ALSO: dict[str, dict[str, Collection[str]]] = {
    "cpp": {"operator": OPERATORS},
    "ruby": {"operator": OPERATORS},
    "scala": {"operator": OPERATORS},
    "elixir": {"operator": OPERATORS, "attribute": ("unary_operator",)},  # @name "text"
    "dart": {"selector": ("selector",)},  # the arguments of a call
}  # roles that only some languages have
WORD = re.compile(rb"\w+")
WORD_BYTES = 60  # of a name that is called
# What stands before a call of a query by its name. Each begins with plain text, which re seeks fastest.
QUERIES = tuple(map(re.compile, (rb"ueries", rb"uerier", rb"UERIES", rb"q\b(?<=\bq)")))
MAX_RECEIVER = 300  # bytes


class _Site(NamedTuple):
    """A call of a file, with the last word of its name; b"" for one that is not known without a closer look."""

    word: bytes
    node: Node
    made: Called | None = None


class Names:
    """The names, calls and literals of a file; what a scope's names get is read when it is first asked for."""

    def __init__(self, tree: Tree, language: str, data: bytes) -> None:
        self.language = language
        self.data = data
        self.file = Scope(tree.root_node, "file", reader=self)
        self.functions: dict[str, list[Scope]] = {}
        self._found = _captured(tree, language)
        self.literals = self._found.get("literal", [])
        self._scopes = [self.file]
        self._sites: list[_Site] = []
        self._find_scopes()
        self._starts = [scope.start for scope in self._scopes]
        if language != "elixir":
            self._find_calls()
        self._sites.sort(key=lambda site: in_order(site.node))
        self._calls: dict[int, tuple[Called, Scope] | None] = {}  # by the position of their site, when first asked for
        self._changing: dict[int, list[Node]] | None = None  # nodes that change names, by the id of their scope
        self._returning: dict[int, list[Node]] | None = None
        self._changes = Changes(self.file, language)
        self._fields: dict[str, list[tuple[Scope, Event]]] | None = None

    # What a file has

    @property
    def fields(self) -> dict[str, list[tuple[Scope, Event]]]:
        """What names of classes, objects and the file get, in order."""
        if self._fields is None:
            self._read_all()
            self._fields = self._changes.fields()
        return self._fields

    @property
    def settings(self) -> list[tuple[Event, Scope]]:
        """The members of others that are assigned, in order."""
        self._read_all()
        return self._changes.settings()

    def calls(self, words: Collection[bytes] | None = None) -> Iterator[tuple[Called, Scope]]:
        """Yield the calls whose names may end in one of some words, with the scopes that they stand in."""
        calls = self._calls
        for position, (word, node, made) in enumerate(self._sites):
            if words is not None and word and word not in words:
                continue
            if position in calls:
                found = calls[position]
            else:
                call = made or called(node)
                found = calls[position] = (call, self.scope_of(node)) if call is not None and call.name else None
            if found is not None:
                yield found

    def scope_of(self, node: Node) -> Scope:
        """Return the innermost scope around a node."""
        start, end = node.start_byte, node.end_byte
        scope = self._scopes[bisect_right(self._starts, start) - 1]
        while scope.parent is not None and (scope.end < end or scope.end <= start or scope.node == node):
            scope = scope.parent
        return scope

    # What a scope has

    def parameters_of(self, scope: Scope) -> list[str]:
        """Return the names of a function's parameters."""
        return parameters(scope.node) if scope.kind == "function" else []

    def events_of(self, scope: Scope) -> dict[str, list[Event]]:
        """Return what each name of a scope gets, in order."""
        if self._changing is None:
            self._changing = self._by_scope(self._changing_nodes())
            if self.language == "php":  # define() names a constant of the file wherever it stands
                defined = [site.node for site in self._sites if site.word == b"define"]
                self._changing.setdefault(id(self.file), []).extend(defined)
        return self._changes.of(scope, sorted(self._changing.get(id(scope), []), key=in_order))

    def returns_of(self, scope: Scope) -> list[Node]:
        """Return what a function gives back."""
        if scope.kind != "function":
            return []
        if self._returning is None:
            self._returning = self._by_scope(self._found.get("return", []))
        nodes = sorted(self._returning.get(id(scope), []), key=in_order)
        last = self._given_last(scope.node)
        return nodes if last is None else [last, *nodes]

    def _read_all(self) -> None:
        for scope in self._scopes:
            _ = scope.events

    def _by_scope(self, nodes: Iterator[Node] | list[Node]) -> dict[int, list[Node]]:
        found: dict[int, list[Node]] = {}
        for node in nodes:
            found.setdefault(id(self.scope_of(node)), []).append(node)
        return found

    def _changing_nodes(self) -> Iterator[Node]:
        yield from self._found.get("assignment", ())
        yield from self._found.get("loop", ())
        for node in self._found.get("operator", ()):
            operator = node.child_by_field_name("operator")
            if operator is not None and (operator.type in PUTTING or operator.is_named):
                yield node
        yield from self._found.get("attribute", ())
        yield from (site.node for site in self._sites if site.made is None and (not site.word or site.word in CHANGING))

    # How it is found

    def _find_scopes(self) -> None:
        nodes = [*self._found.get("function", ()), *self._found.get("class", ())]
        if self.language == "elixir":
            nodes += self._found.get("call", ())
        nodes.sort(key=in_order)
        scope = self.file
        for node in nodes:
            while scope.parent is not None and scope.end < node.end_byte:
                scope = scope.parent
            if node.type in FUNCTIONS:
                inner: Scope | None = self._function(node, scope)
            elif node.type in CLASSES:
                inner = Scope(node, "class", class_name(node), parent=scope, reader=self)
            else:
                inner = self._elixir_scope(node, scope)
            if inner is not None:
                self._scopes.append(inner)
                scope = inner

    def _function(self, node: Node, scope: Scope) -> Scope:
        name = bare_name(node.child_by_field_name("name"))
        if not name and (declarator := node.child_by_field_name("declarator")) is not None:
            name = bare_name(declarator.child_by_field_name("declarator")).rpartition("::")[2]
        if not name and (parent := node.parent) is not None and parent.type in ASSIGNMENTS:
            name = bare_name(next((target for target, _, _ in assigned(parent)), None))
        inner = Scope(node, "function", name, parent=scope, reader=self)
        if name:
            self.functions.setdefault(name, []).append(inner)
        return inner

    def _elixir_scope(self, node: Node, scope: Scope) -> Scope | None:
        """Return the function or module that a call of Elixir defines, and note other calls."""
        call = called(node)
        if call is None or not call.name:
            return None
        self._sites.append(_Site(b"", node))
        if call.receiver is None and call.name in DEFINING_CALLS:
            head = call.arguments[0].node if call.arguments else None
            inner_call = called(head) if head is not None and head.type == "call" else None
            name = inner_call.name if inner_call else text_of(head)
            inner = Scope(node, "function", name, parent=scope, reader=self)
            self.functions.setdefault(name, []).append(inner)
            return inner
        if call.name == "defmodule":
            name = text_of(call.arguments[0].node) if call.arguments else ""
            return Scope(node, "class", name, parent=scope, reader=self)
        return None

    def _find_calls(self) -> None:
        queries = sorted(match.start() for pattern in QUERIES for match in pattern.finditer(self.data))
        for node in self._found.get("call", ()):
            self._sites.append(_Site(self._word(node, queries), node))
        if self.language == "dart":
            for node in self._found.get("selector", ()):
                if (call := dart_call(node)) is not None:
                    self._sites.append(_Site(b"", node, call))

    def _word(self, node: Node, queries: Sequence[int]) -> bytes:
        """Return the last word of what a call calls, b"" if that needs a closer look."""
        name = field_or(node, "function", "method", "name")
        if name is None:
            return b""
        start, end = name.start_byte, name.end_byte
        words: list[bytes] = WORD.findall(self.data, max(start, end - WORD_BYTES), end)
        word = words[-1] if words else b""
        if not self.data.endswith(word, start, end):
            return b""
        if queries:
            last = bisect_left(queries, end - len(word)) - 1
            if last >= 0 and queries[last] >= max(node.start_byte, end - MAX_RECEIVER):
                return b""
        return word

    def _given_last(self, node: Node) -> Node | None:
        """Return what a function gives without saying return."""
        if node.type == "call":  # of Elixir
            body = next((child for child in node.named_children if child.type == "do_block"), None)
            last = _last(body, "elixir") if body is not None else None
            call = called(node)
            return (
                last or next((argument.node for argument in call.arguments if argument.name == "do"), None)
                if call
                else last
            )
        body = field_or(node, "body") or next(
            (child for child in node.named_children if child.type == "function_body"), None
        )
        return _last(body, self.language) if body is not None else None


def last_words(names: Collection[str]) -> frozenset[bytes]:
    """Return the last word of each of some names."""
    found = (WORD.findall(name.encode()) for name in names)
    return frozenset(words[-1] for words in found if words)


@cache
def _query(name: str, language: Language) -> Query:
    patterns = []
    for role, kinds in (ROLES | ALSO.get(name, {})).items():
        patterns += [f"({kind}) @{role}" for kind in sorted(kinds) if language.id_for_node_kind(kind, True)]
    return Query(language, "\n".join(patterns))


def _captured(tree: Tree, name: str) -> dict[str, list[Node]]:
    """Return the nodes of a tree by their roles, each role's in no order."""
    cursor = QueryCursor(_query(name, tree.language))
    cursor.set_max_start_depth(MAX_DEPTH)
    root = tree.root_node
    return {role: [node for node in nodes[:MAX_NODES] if node != root] for role, nodes in cursor.captures(root).items()}


def in_order(node: Node) -> tuple[int, int]:
    """Return what sorts nodes as they are met: one around others before them."""
    return node.start_byte, -node.end_byte


def _last(body: Node, language: str) -> Node | None:
    """Return what a body gives without saying return: its only expression, or in some languages the last one."""
    if body.type in {"function_body", "arrow_expression_clause"}:
        inner = named_children(body)
        if len(inner) != 1 or inner[0].type in {"block", "statements"}:
            return None
        return inner[0]
    if body.type in {"block", "body_statement", "do_block", "template_body"}:
        inner = named_children(body)
        return inner[-1] if inner and language in {"rust", "ruby", "scala", "elixir"} else None
    return body if body.type not in {"statement_block", "compound_statement"} else None
