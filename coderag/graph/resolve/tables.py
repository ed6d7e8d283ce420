"""All definitions, imports and bindings of an index by where they are and what they are called."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from coderag.graph.files import LinkedFile, Places
from coderag.graph.resolve.rules import Rules, rules_of
from coderag.syntax.outline import CALLABLE, TYPE_LIKE
from coderag.syntax.references.records import Binding, Imported, Role
from coderag.types import Kind

__all__ = ["CONTAINERS", "VALUES", "Tables"]

CONTAINERS = TYPE_LIKE | {Kind.MODULE}
VALUES = frozenset({Kind.FIELD, Kind.CONSTANT})
NO_NAMES: dict[str, tuple[int, ...]] = {}
FOREIGN = frozenset({"vendored", "generated"})


class Tables:
    """Definitions are known by the number of their node, and what is at the top of a file by that of the file."""

    def __init__(self, files: Sequence[LinkedFile], places: Places, *, few: bool = False) -> None:
        """Take files and their nodes; `few`: names of few files will be resolved, so bindings are read where needed."""
        self.files = files
        self.first = places.first
        self.rules: list[Rules] = [rules_of(file.language) for file in files]
        size = max(
            (first + 1 + len(file.links.definitions) for first, file in zip(places.first, files, strict=True)),
            default=0,
        )
        self.name = [""] * size
        self.kind: list[Kind | None] = [None] * size  # None: a file
        self.parent = [-1] * size  # of a file -1
        self.file = [0] * size
        self.members: dict[int, dict[str, tuple[int, ...]]] = {}
        self.bindings: dict[int, dict[str, list[Binding]]] = {}
        if few:
            self.bindings = _ReadBindings(files, self.first, self.file)
        self.imports: dict[int, dict[str, list[Imported]]] = {}
        self.stars: dict[int, list[Imported]] = {}  # by file
        self.loads: dict[int, list[Imported]] = {}  # imports of whole modules under their dotted names, by file
        self.exports: dict[int, frozenset[str]] = {}  # by file
        self.properties: set[int] = set()  # methods that are read like fields
        self.by_name: dict[str, list[int]] = {}
        self.titled: set[int] = set()  # tests and groups of them that have a title and no name
        # Names that something may have that is reached through something else.
        running = {name for rules in set(self.rules) for name in (*rules.callers, *rules.runners)}
        self.reachable: set[str] = _AnyName() if few else {"__class__", *running}
        self.home: dict[int, int] = {}  # the type of a method that is written outside of it
        self.rare = [file.links.mentions.rare() for file in files]
        for number, file in enumerate(files):
            if self.rules[number].titles:
                self._find_titles(number, file)
            self._add_definitions(number, file)
            self._add_links(number, file)
            if not few:
                self._add_bindings(number)
        self.reachable.update(self.by_name)
        self.parts: dict[int, list[int]] = {}  # of a type or module that goes on elsewhere: all of it
        self._join_parts()

    def _join_parts(self) -> None:
        """Give all parts of a type or module the members of each."""
        found: dict[tuple[str, str], list[int]] = {}
        for number, file in enumerate(self.files):
            kinds = self.rules[number].open_types
            if kinds:
                for node, defined in enumerate(file.links.definitions, self.first[number] + 1):
                    if defined.kind in kinds:
                        found.setdefault((self.rules[number].family, defined.qualified_name), []).append(node)
        for nodes in found.values():
            if len(nodes) > 1:
                shared: dict[str, tuple[int, ...]] = {}
                for node in nodes:
                    for name, inside in self.members.get(node, {}).items():
                        shared[name] = (*shared.get(name, ()), *inside)
                for node in nodes:
                    self.members[node] = shared
                    self.parts[node] = nodes

    def _find_titles(self, number: int, file: LinkedFile) -> None:
        titles, definitions = self.rules[number].titles, file.links.definitions
        if not file.links.mentions.may_mention(titles):
            return
        for mention in file.links.mentions.mentions:
            if mention.role != Role.CALL or mention.owner < 0 or mention.row != definitions[mention.owner].row:
                continue
            if mention.name in titles or mention.receiver.partition(".")[0] in titles:
                self.titled.add(self.first[number] + 1 + mention.owner)

    def _add_definitions(self, number: int, file: LinkedFile) -> None:
        base = self.first[number]
        self.file[base] = number
        by_name, members, titled = self.by_name, self.members, self.titled
        names, kinds, parents, files = self.name, self.kind, self.parent, self.file
        packages = self.rules[number].packages
        for node, defined in enumerate(file.links.definitions, base + 1):
            name, _, kind, above, _, _, _ = defined
            parent = base + 1 + above
            names[node], kinds[node], parents[node], files[node] = name, kind, parent, number
            if node in titled:
                continue
            known = by_name.get(name)
            if known is None:
                by_name[name] = [node]
            else:
                known.append(node)
            if packages and above < 0 and kind is Kind.METHOD:
                continue  # of its type alone: as a bare name it would hide a type of that name from the package
            inside = members.get(parent)
            if inside is None:
                members[parent] = {name: (node,)}
            elif name in inside:
                inside[name] += (node,)
            else:
                inside[name] = (node,)

    def _add_links(self, number: int, file: LinkedFile) -> None:
        base, file_references = self.first[number], file.links.mentions
        properties = self.rules[number].properties
        for imported in file_references.imports:
            if imported.name == "*":
                self.stars.setdefault(base, []).append(imported)
            elif (
                not imported.name
                and imported.module
                and "." in (imported.alias or imported.module)
                and not self.rules[number].imports_types
            ):
                self.loads.setdefault(base, []).append(imported)
            if imported.alias:
                self.imports.setdefault(base + 1 + imported.owner, {}).setdefault(imported.alias, []).append(imported)
                self.reachable.add(imported.alias)
        if file_references.exports:
            self.exports[base] = frozenset(file_references.exports)
        if properties:
            for mention in self.rare[number]:
                if mention.role == Role.DECORATE and mention.name in properties and mention.owner >= 0:
                    self.properties.add(base + 1 + mention.owner)

    def _add_bindings(self, number: int) -> None:
        """Add what the names of a file are bound to."""
        base, kind = self.first[number], self.kind
        scopes = _by_scope(self.files[number].links.mentions.bindings, base)
        self.bindings.update(scopes)
        for owner, scope in scopes.items():
            if kind[owner] not in CALLABLE:
                self.reachable.update(scope)

    def rules_at(self, node: int) -> Rules:
        """Return the rules of the language that a node is in."""
        return self.rules[self.file[node]]

    def file_node(self, node: int) -> int:
        """Return the node of the file that a node is in."""
        return self.first[self.file[node]]

    def is_container(self, node: int) -> bool:
        """Tell whether a definition has members that are reached through its name."""
        return self.kind[node] in CONTAINERS

    def is_callable(self, node: int) -> bool:
        """Tell whether a definition is a function or method."""
        return self.kind[node] in CALLABLE

    def is_foreign(self, node: int) -> bool:
        """Tell whether a definition is vendored or generated code."""
        return not FOREIGN.isdisjoint(self.files[self.file[node]].labels)

    def type_around(self, node: int) -> int:
        """Return the innermost type or module that a definition is or is in, -1 for none."""
        if self.kind[node] in CONTAINERS:
            return self.home.get(node, node)
        while node >= 0 and self.kind[node] is not None:
            home = self.home.get(node)
            if home is not None:
                return home
            node = self.parent[node]
            if node >= 0 and self.kind[node] in CONTAINERS:
                return self.home.get(node, node)
        return -1


def _by_scope(rows: Iterable[Binding], base: int) -> dict[int, dict[str, list[Binding]]]:
    """Return the bindings of a file whose node is `base` by the node that they are in, and by name."""
    found: dict[int, dict[str, list[Binding]]] = {}
    for binding in rows:
        inside, name, _, _ = binding
        owner = base + 1 + inside
        scope = found.get(owner)
        if scope is None:
            scope = found[owner] = {}
        known = scope.get(name)
        if known is None:
            scope[name] = [binding]
        else:
            known.append(binding)
    return found


class _ReadBindings(dict[int, dict[str, list[Binding]]]):
    """The bindings of scopes, those of a file read when one of its scopes is asked for."""

    def __init__(self, files: Sequence[LinkedFile], first: Sequence[int], file: Sequence[int]) -> None:
        super().__init__()
        self._files, self._first, self._file = files, first, file  # as Tables has them, which is in no circle with this
        self._read: set[int] = set()  # files

    def get(self, scope: int, default: Any = None) -> Any:
        number = self._file[scope]
        if number not in self._read:
            self._read.add(number)
            self.update(_by_scope(self._files[number].links.mentions.bindings, self._first[number]))
        return super().get(scope, default)


class _AnyName(set[str]):
    """A set of names that are not known: each may be in it."""

    def __contains__(self, name: object) -> bool:
        return True
