"""Functions, classes and the file as scopes: what each name in them gets, in order and under which conditions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol
from weakref import ref

from tree_sitter import Node

from coderag.syntax.trees.node_types import CONDITIONS
from coderag.syntax.trees.nodes import CONDITION_CALLS, Called, text_of

__all__ = ["Event", "Reader", "Scope", "branches_of"]


@dataclass(frozen=True, slots=True)
class Event:
    """Something that a name gets: a value, or more text behind the one that it has."""

    name: str
    value: Node | Called
    node: Node
    grows: bool = False
    each: bool = False  # it is one of the elements of the value, in its turn


class Reader(Protocol):
    """What reads the parts of a scope when they are first asked for."""

    def parameters_of(self, scope: Scope) -> list[str]:
        """Return the names of a function's parameters."""

    def events_of(self, scope: Scope) -> dict[str, list[Event]]:
        """Return what each name of a scope gets, in order."""

    def returns_of(self, scope: Scope) -> list[Node]:
        """Return what a function gives back."""


class Scope:
    """A function, a class or the file: its names, and what they get in order."""

    __slots__ = ("_events", "_parameters", "_reader", "_returns", "end", "kind", "name", "node", "parent", "start")

    def __init__(
        self, node: Node, kind: str, name: str = "", *, parent: Scope | None = None, reader: Reader | None = None
    ) -> None:
        self.node = node
        self.kind = kind  # "function", "class" or "file"
        self.name = name
        self.parent = parent
        self.start = node.start_byte
        self.end = node.end_byte
        self._reader = ref(reader) if reader is not None else None  # which has its scopes: a cycle would be freed late
        self._parameters: list[str] | None = None
        self._events: dict[str, list[Event]] | None = None
        self._returns: list[Node] | None = None

    def _read_by(self) -> Reader | None:
        if self._reader is None:
            return None
        reader = self._reader()
        assert reader is not None, "who asks holds the reader"
        return reader

    @property
    def parameters(self) -> list[str]:
        """The names of a function's parameters in order."""
        if self._parameters is None:
            self._parameters = reader.parameters_of(self) if (reader := self._read_by()) is not None else []
        return self._parameters

    @property
    def events(self) -> dict[str, list[Event]]:
        """What each name gets, in order."""
        if self._events is None:
            self._events = reader.events_of(self) if (reader := self._read_by()) is not None else {}
        return self._events

    @property
    def returns(self) -> list[Node]:
        """What a function gives back."""
        if self._returns is None:
            self._returns = reader.returns_of(self) if (reader := self._read_by()) is not None else []
        return self._returns

    def outwards(self) -> Iterator[Scope]:
        """Yield this scope and those around it."""
        scope: Scope | None = self
        while scope is not None:
            yield scope
            scope = scope.parent


def branches_of(node: Node, around: Node) -> list[tuple[int, int]]:
    """Return the conditions that a node stands under inside of another, outermost first: which, and which branch."""
    found: list[tuple[int, int]] = []
    child, parent = node, node.parent
    while parent is not None and child != around:
        if parent.type in CONDITIONS or (parent.type == "call" and _is_condition(parent)):
            # What stands in a loop's head holds in its body too; the branches of others exclude each other.
            is_loop = "for" in parent.type or "while" in parent.type
            found.append((parent.start_byte, parent.start_byte if is_loop else child.start_byte))
        if parent == around:
            break
        child, parent = parent, parent.parent
    return found[::-1]


def _is_condition(node: Node) -> bool:
    target = node.child_by_field_name("target")
    return target is not None and text_of(target) in CONDITION_CALLS
