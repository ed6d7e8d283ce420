"""A file of code as the mappers look at it: its chains of calls, and what the names in a function stand for."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache, cached_property

from tree_sitter import Node, Query, QueryCursor

from coderag.frameworks.usage.binding import Bound, Told
from coderag.frameworks.usage.binding_queries import BINDINGS
from coderag.frameworks.usage.python_names import Sites
from coderag.syntax import grammar
from coderag.syntax.language import languages
from coderag.syntax.outline import CALLABLE, Outline
from coderag.syntax.parsed import Parsed
from coderag.syntax.trees.call_chains import Chain, chain_of, top_below
from coderag.syntax.trees.node_types import CHAIN_NAMES
from coderag.syntax.trees.tree import text_of
from coderag.types import Kind

__all__ = ["CodeFile"]

TYPES = frozenset({Kind.CLASS, Kind.INTERFACE, Kind.TRAIT, Kind.STRUCT, Kind.ENUM, Kind.EXTENSION, Kind.MODULE})
MAX_LOOKUPS = 200  # for one chain: names that stand for each other may go in circles, and multiply
MAX_BOUNDS = 8  # the latest of a name
MAX_NAMES = 120  # bytes of what a name goes on from
DOTTED = re.compile(rb"(?:\.\w++)++")  # read backwards
# What may stand right before a name that does not begin an expression.
NO_BEGINNING = frozenset((b".", b")", b"]", b"}", b'"', b"'", b"$", b"@", b">", b":", b"?", b"!"))
OWN = re.compile(r"^(?:self|this|\$this|@{1,2}|cls)(?:\.|->|(?<=@))")


@dataclass(frozen=True)
class CodeFile:
    """A file, its tree and its outline."""

    parsed: Parsed
    outline: Outline
    path: str
    known: dict[int, Chain | None] = field(default_factory=dict)  # the chains that were read, by node
    lookups: list[int] = field(default_factory=list)  # how many names may still be followed

    @property
    def data(self) -> bytes:
        """The text."""
        return self.parsed.lines.data

    @property
    def language(self) -> str:
        """The name of the language."""
        return self.parsed.language.name

    def chains(self, anchor: re.Pattern[bytes], wanted: Callable[[bytes, int], bool] | None = None) -> Iterator[Chain]:
        """Yield each chain of calls that has a name where a pattern matches, once and in order.

        The name is the group of the pattern that matched last, else all of the match. `wanted(names, place)` says of
        what stands before such a name, where that is nothing but names and dots, whether the chain is yielded.
        """
        seen: set[int] = set()
        passed: set[int] = set()  # where the names of the chains stand that were yielded
        too_long: set[int] = set()  # where chains begin that go on for too long
        root = self.parsed.tree.root_node
        for match in anchor.finditer(self.data):
            start, end = match.span(match.lastindex or 0)
            if start in passed:
                continue
            if wanted is not None and (before := self.names_before(start)):
                self.begin()
                if not wanted(before, start - len(before)):
                    continue
            node = root.descendant_for_byte_range(start, end)
            if node is None or node.type not in CHAIN_NAMES:
                continue
            top = top_below(node, too_long)
            if top is None or top.id in seen:
                continue
            seen.add(top.id)
            chain = self.chain_of(top)
            if chain is None:
                too_long.add(top.start_byte)
            elif chain.links:
                passed.update(link.node.start_byte for link in chain.links)
                self.begin()
                yield chain

    def chain_of(self, node: Node) -> Chain | None:
        """Return an expression as a chain, read once."""
        if node.id not in self.known:
            self.known[node.id] = chain_of(node)
        return self.known[node.id]

    def names_before(self, end: int) -> bytes:
        """Return the names and dots, `self.user.`, that a name goes on from; b"" where it is something else."""
        data = self.parsed.lines.data
        match = DOTTED.match(data[end - 1 : max(0, end - MAX_NAMES - 1) : -1]) if end else None
        if match is None or match.end() >= MAX_NAMES - 1:
            return b""
        begin = end - match.end()
        return b"" if data[begin - 1 : begin] in NO_BEGINNING else data[begin:end]

    @cached_property
    def _starts(self) -> list[int]:
        return [definition.start_byte for definition in self.outline.definitions]

    def owner(self, byte: int) -> int:
        """Return the position of the innermost definition around a byte, -1 where there is none."""
        definitions = self.outline.definitions
        position = bisect_right(self._starts, byte) - 1
        while position >= 0 and definitions[position].end_byte <= byte:
            position = definitions[position].parent
        return position

    def _scopes(self, byte: int) -> Iterator[int]:
        """Yield the callables and types around a byte, the innermost first, and -1 for the file."""
        definitions = self.outline.definitions
        position = self.owner(byte)
        while position >= 0:
            if definitions[position].kind in CALLABLE or definitions[position].kind in TYPES:
                yield position
            position = definitions[position].parent
        yield -1

    def scope(self, byte: int) -> int:
        """Return the innermost callable or type around a byte, -1 where there is none."""
        return next(self._scopes(byte))

    def type_around(self, byte: int) -> int:
        """Return the innermost type around a byte, -1 where there is none."""
        definitions = self.outline.definitions
        return next((scope for scope in self._scopes(byte) if scope >= 0 and definitions[scope].kind in TYPES), -1)

    @cached_property
    def _bindings(self) -> dict[str, dict[int, list[Bound]]]:
        """The names that the query of the language finds bound; of Python only those that were looked up."""
        found: dict[str, dict[int, list[Bound]]] = {}
        query = _query(self.language)
        if query is None:
            return found
        for _, captures in QueryCursor(query).matches(self.parsed.tree.root_node):
            names = captures.get("name") or captures.get("field") or ()
            value = next(((told, captures[key][0]) for key, told in TOLD.items() if key in captures), None)
            if value is None:
                continue
            for name in names:
                self._bind(found, name, Bound(name.start_byte, *value), is_field="field" in captures)
        for scopes in found.values():
            _sort(scopes)
        return found

    def _bind(self, found: dict[str, dict[int, list[Bound]]], name: Node, bound: Bound, *, is_field: bool) -> None:
        text = text_of(name).removeprefix("$")
        own = OWN.sub("", text)
        if own != text or is_field:
            found.setdefault(own, {}).setdefault(self.type_around(name.start_byte), []).append(bound)
        if own == text and "." not in text and "(" not in text:
            found.setdefault(text, {}).setdefault(self.scope(name.start_byte), []).append(bound)

    def _bounds(self, name: str) -> dict[int, list[Bound]]:
        """Return what is said of a name in each function and type, and at -1 for the file."""
        if self.language != "python" or name in self._bindings:
            return self._bindings.get(name, {})
        found: dict[int, list[Bound]] = {}
        for bound, is_field in self._sites.of(name):
            scope = self.type_around(bound.start) if is_field else self.scope(bound.start)
            found.setdefault(scope, []).append(bound)
        _sort(found)
        self._bindings[name] = found
        return found

    def may_bind(self, name: bytes) -> bool:
        """Tell whether a value may be bound to a name in this file, of which few names are."""
        return self.language != "python" or name in self._sites.places

    def is_bound(self, name: str) -> bool:
        """Tell whether the file says anywhere what a name stands for."""
        return bool(self._bounds(name))

    @cached_property
    def _sites(self) -> Sites:
        return Sites(self.parsed.tree.root_node, self.data)

    def values(self, names: Iterable[str]) -> Iterator[tuple[int, str, Bound]]:
        """Yield the names of each function and of the file that a value is bound to: owner, name, the latest value."""
        for name in names:
            for scope, bounds in self._bounds(name).items():
                latest = [bound for bound in bounds if bound.told is not Told.TYPE]
                if latest:
                    yield scope, name, latest[-1]

    def bound(self, name: str, byte: int, *, own: bool = False) -> tuple[Bound, ...]:
        """Return what is said of a name before a place, the latest last; of `own`, of a field of the type around it.

        Nothing, once MAX_LOOKUPS names were followed for a chain.
        """
        if self.lookups:
            self.lookups[0] -= 1
            if self.lookups[0] < 0:
                return ()
        scopes = self._bounds(name)
        if not scopes:
            return ()
        if own:
            return tuple(scopes.get(self.type_around(byte), ())[-MAX_BOUNDS:])
        for position, scope in enumerate(self._scopes(byte)):
            bounds = scopes.get(scope, ())
            end = bisect_left(bounds, byte, key=_start) if position == 0 else len(bounds)
            # What a value itself says of the name that it is bound to is from before.
            before = [one for one in bounds[max(0, end - MAX_BOUNDS) : end] if not _holds(one.node, byte)]
            if before:
                return tuple(before)
        return ()

    def begin(self) -> None:
        """Count the names that are followed from the beginning again."""
        self.lookups[:] = [MAX_LOOKUPS]

    def told_of(self, chain: Chain, links: int = 1) -> tuple[tuple[Bound, ...], int]:
        """Return what is said of the beginning of a chain, and how many links that beginning has."""
        first = chain.links[0]
        byte = chain.node.start_byte
        if first.name in {"self", "this", "cls"} and len(chain.links) > 1 and chain.links[1].arguments is None:
            return self.bound(chain.links[1].name, byte, own=True), 2
        if first.name.startswith("@"):
            return self.bound(first.name.lstrip("@"), byte, own=True), 1
        return self.bound(first.name, byte), links


def _sort(scopes: dict[int, list[Bound]]) -> None:
    for bounds in scopes.values():
        bounds.sort(key=lambda bound: (bound.start, -bound.told))


def _start(bound: Bound) -> int:
    return bound.start


def _holds(node: Node, byte: int) -> bool:
    return node.start_byte <= byte < node.end_byte


TOLD = {"value": Told.VALUE, "element": Told.ELEMENT, "type": Told.TYPE}


@cache
def _query(language: str) -> Query | None:
    """Return the query of a language for what names stand for."""
    source = BINDINGS.get(language)
    if source is None:
        return None
    compiled = grammar.reader(languages()[language]).parser.language
    return Query(compiled, source) if compiled is not None else None
