"""Two versions of a file to the words whose meaning may differ between them, for whoever refers to the file."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator
from functools import lru_cache
from typing import NamedTuple

from coderag.graph.files import LinkedFile, Places
from coderag.graph.resolve.imports.modules import is_by_path
from coderag.graph.resolve.tables import CONTAINERS, Tables
from coderag.graph.resolve.type_syntax import plain, split_last
from coderag.index.storage.links import Defined
from coderag.syntax.outline import CALLABLE
from coderag.syntax.references.records import Role
from coderag.types import Kind

__all__ = ["BASES", "Changed", "changed_names", "home_words", "identities", "words_of"]

WORD = re.compile(r"\w+")
MEMO = 1 << 16
BASES = frozenset({Role.INHERIT, Role.IMPLEMENT})
CALLED_INSTANCE = "__call__"
NO_WORDS: frozenset[str] = frozenset()
Identity = Hashable  # of a definition: those around it, its name and kind, and which one of these it is
Entry = tuple[str, Hashable, str]


class Changed(NamedTuple):
    """Words that may mean something else than before: to all files, and to the file itself alone."""

    everywhere: frozenset[str]
    inside: frozenset[str] = NO_WORDS


@lru_cache(MEMO)
def words_of(text: str) -> frozenset[str]:
    """Return the words of a name or an expression; a name of signs alone is one."""
    return frozenset(WORD.findall(text)) or frozenset({text})


def identities(definitions: tuple[Defined, ...]) -> list[Identity]:
    """Return what tells each definition of a file from the others, whatever its place."""
    found: list[Identity] = []
    seen: dict[Identity, int] = {}
    for one in definitions:
        key = (found[one.parent] if one.parent >= 0 else None, one.name, one.qualified_name, one.kind)
        seen[key] = seen.get(key, -1) + 1
        found.append(hash((key, seen[key])))  # a number, as those of deep ones would be ever longer
    return found


def changed_names(before: LinkedFile, after: LinkedFile) -> Changed | None:
    """Return the words that may mean something else since a file changed; None where they cannot be told."""
    old, new = _Version(before), _Version(after)
    if old.whole() != new.whole():
        return None
    entries = old.entries(), new.entries()
    keys = {key for key in entries[0].keys() | entries[1].keys() if entries[0].get(key) != entries[1].get(key)}
    everywhere, inside = set[str](), set[str]()
    for kind, _, text in keys:
        (inside if kind == "local" else everywhere).update(words_of(text))
    return Changed(frozenset(everywhere), frozenset(inside))


class _Version:
    """What a version of a file makes known."""

    def __init__(self, file: LinkedFile) -> None:
        self._file = file
        self._definitions = file.links.definitions
        self._tables = Tables([file], Places((0,)))
        self._identities: list[Identity] = [None, *identities(self._definitions)]  # of nodes

    def whole(self) -> Hashable:
        """Return what concerns more than single names: with another one, everything is to be resolved again."""
        file, tables = self._file, self._tables
        mentions = file.links.mentions
        return (
            file.path,
            file.language,
            file.labels,
            mentions.module,
            None if 0 not in tables.exports else True,
            tuple((one.module, one.alias, one.exported) for one in tables.stars.get(0, ())),
            tuple(sorted(self._packages())),
            tuple(sorted(self._bases())),
            tuple(self._loaded()),
            frozenset(self._upwards()),
        )

    def _packages(self) -> Iterator[tuple[str, str]]:
        """Yield what a definition says of the packages that the file belongs to: those in nothing but namespaces."""
        definitions = self._definitions
        if is_by_path(self._file.language):
            return
        for one in definitions:
            if one.parent == -1 or definitions[one.parent].kind is Kind.MODULE or one.kind is Kind.MODULE:
                yield one.qualified_name, one.kind

    def _bases(self) -> Iterator[tuple[str, str, str, int]]:
        for one in self._tables.rare[0]:
            if one.role in BASES:
                yield str(self._identities[one.owner + 1]), one.receiver, one.name, int(one.role)

    def _loaded(self) -> Iterator[str]:
        """Yield what imports load into the file without a name."""
        if self._tables.rules[0].linked:
            for one in self._file.links.mentions.imports:
                if not one.name and not one.alias:
                    yield one.module

    def _upwards(self) -> Iterator[int]:
        """Yield how far up relative imports of Python lead, which tells what its packages are."""
        if self._file.language == "python":
            for one in self._file.links.mentions.imports:
                yield len(one.module) - len(one.module.lstrip("."))

    def entries(self) -> dict[Entry, Hashable]:
        """Return what there is under each name: a name's kind, the place that has it and its words."""
        return {**self._defined(), **self._bound(), **self._imported()}

    def _defined(self) -> dict[Entry, Hashable]:
        tables, own = self._tables, self._identities
        found: dict[Entry, Hashable] = {}
        for name, nodes in tables.by_name.items():
            found["name", None, name] = tuple((own[node], node in tables.properties) for node in nodes)
        for node in range(1, len(own)):
            one = self._definitions[node - 1]
            if one.name in self._constructors(node):
                found["constructor", own[node], one.qualified_name] = True
        for name in tables.exports.get(0, ()):
            found["export", None, name] = True
        return found

    def _constructors(self, node: int) -> frozenset[str]:
        """Return the names by which a call of something calls a definition."""
        around = self._definitions[node - 1].qualified_name.rpartition(self._definitions[node - 1].name)[0]
        last = WORD.findall(around)[-1:]
        return frozenset({*self._tables.rules[0].constructors, CALLED_INSTANCE, *last})

    def _bound(self) -> dict[Entry, Hashable]:
        tables, own = self._tables, self._identities
        found: dict[Entry, Hashable] = {}
        for owner, scope in tables.bindings.items():
            for name, bindings in scope.items():
                values = tuple((one.how, one.value) for one in bindings)
                if tables.kind[owner] not in CALLABLE:
                    found["bound", own[owner], name] = values
                elif name:
                    found["local", own[owner], name] = values
                else:
                    one = self._definitions[owner - 1]
                    called = one.name in self._constructors(owner)
                    found["returned", own[owner], one.qualified_name if called else one.name] = values
        return found

    def _imported(self) -> dict[Entry, Hashable]:
        own, rules = self._identities, self._tables.rules[0]
        exports = self._tables.exports.get(0, frozenset())
        found: dict[Entry, list[Hashable]] = {}
        for one in self._file.links.mentions.imports:
            if one.name == "*":
                continue
            text = f"{one.alias} {one.name or one.module}" if not (one.name and one.alias) else one.alias
            handed_on = rules.reexports or one.exported or one.alias in exports
            key = "imported" if handed_on else "local", own[one.owner + 1], text
            found.setdefault(key, []).append((one.module, one.name, one.alias, one.exported))
        return {key: tuple(values) for key, values in found.items()}


def home_words(one: Defined, around: Kind | None) -> frozenset[str]:
    """Return the words of the type that a definition says itself that it is of: a method that is written outside."""
    if one.kind is Kind.EXTENSION:
        return words_of(one.qualified_name)
    if one.kind is Kind.METHOD and around not in CONTAINERS:
        return words_of(split_last(plain(one.qualified_name))[0])
    return NO_WORDS
