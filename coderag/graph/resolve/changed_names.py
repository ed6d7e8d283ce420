"""Two versions of a file to the words whose meaning may differ between them, for whoever refers to the file."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Iterator
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
Base = tuple[str, str, str, int, str]  # of which definition, how it is written, its role, and the type's names
NO_BASES: frozenset[Base] = frozenset()
HANDED = frozenset({"imported", "export"})  # kinds of entries that only files know which import the file


class Changed(NamedTuple):
    """Words that may mean something else than before, by who may be concerned."""

    everywhere: frozenset[str] = NO_WORDS
    inside: frozenset[str] = NO_WORDS  # in the file itself alone
    handed: frozenset[str] = NO_WORDS  # in the files that import it, and those that import these
    types: frozenset[str] = NO_WORDS  # names of types that have other bases; they are among `everywhere`
    bases: frozenset[str] = NO_WORDS  # of those of them that have several
    hands_stars: bool = False  # what the file takes by stars may be handed on otherwise
    moves: bool = False  # imports of other files may lead elsewhere

    def joined(self, other: Changed) -> Changed:
        """Return the words of both."""
        return Changed(
            self.everywhere | other.everywhere,
            self.inside | other.inside,
            self.handed | other.handed,
            self.types | other.types,
            self.bases | other.bases,
            self.hands_stars or other.hands_stars,
            self.moves or other.moves,
        )


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


def changed_names(before: LinkedFile | None, after: LinkedFile | None) -> Changed:
    """Return the words that may mean something else since a file changed; None stands for no file."""
    old = _Version(before) if before is not None else None
    new = _Version(after) if after is not None else None
    if old is None or new is None or old.place() != new.place():
        whole = Changed(moves=True, hands_stars=True)
        for version in (old, new):
            if version is not None:
                whole = whole.joined(_sorted_out(version.entries())).joined(version.types(NO_BASES))
        return whole
    entries = old.entries(), new.entries()
    keys = {key for key in entries[0].keys() | entries[1].keys() if entries[0].get(key) != entries[1].get(key)}
    found = _sorted_out(keys)
    bases = frozenset(old.bases()), frozenset(new.bases())
    if bases[0] != bases[1]:
        same = bases[0] & bases[1]
        found = found.joined(old.types(same)).joined(new.types(same))
    return found._replace(
        hands_stars=old.stars() != new.stars(),
        moves=old.modules() != new.modules(),
    )


def _sorted_out(keys: Iterable[Entry]) -> Changed:
    """Return the words of entries by who may know them."""
    everywhere, inside, handed = set[str](), set[str](), set[str]()
    for kind, _, text in keys:
        (inside if kind == "local" else handed if kind in HANDED else everywhere).update(words_of(text))
    return Changed(frozenset(everywhere), frozenset(inside), frozenset(handed))


class _Version:
    """What a version of a file makes known."""

    def __init__(self, file: LinkedFile) -> None:
        self._file = file
        self._definitions = file.links.definitions
        self._tables = Tables([file], Places((0,)))
        self._identities: list[Identity] = [None, *identities(self._definitions)]  # of nodes

    def place(self) -> Hashable:
        """Return what all names of the file depend on: with another one, it is another file."""
        file = self._file
        return (
            file.path,
            file.language,
            file.labels,
            file.links.mentions.module,
            tuple(sorted(self._packages())),
            0 in self._tables.exports,
        )

    def stars(self) -> Hashable:
        """Return what the file takes without naming it."""
        return (
            tuple((one.module, one.alias, one.exported) for one in self._tables.stars.get(0, ())),
            tuple(self._loaded()),
        )

    def modules(self) -> Hashable:
        """Return what imports of other files depend on, besides the place."""
        file = self._file
        guessing = file.links.mentions.imports if file.language == "go" else ()
        return frozenset(self._upwards()), frozenset(one.module for one in guessing)

    def _packages(self) -> Iterator[tuple[str, str]]:
        """Yield what a definition says of the packages that the file belongs to: those in nothing but namespaces."""
        definitions = self._definitions
        if is_by_path(self._file.language):
            return
        for one in definitions:
            if one.parent == -1 or definitions[one.parent].kind is Kind.MODULE or one.kind is Kind.MODULE:
                yield one.qualified_name, one.kind

    def bases(self) -> Iterator[Base]:
        """Yield the bases of types as they are written."""
        for one in self._tables.rare[0]:
            if one.role in BASES:
                named = self._definitions[one.owner] if one.owner >= 0 else None
                name = f"{named.name} {named.qualified_name}" if named is not None else ""
                yield str(self._identities[one.owner + 1]), one.receiver, one.name, int(one.role), name

    def types(self, same: frozenset[Base]) -> Changed:
        """Return the names of the types that have other bases than these."""
        written: dict[str, list[Base]] = {}
        for one in self.bases():
            written.setdefault(one[0], []).append(one)
        changed = [bases for bases in written.values() if not same.issuperset(bases)]
        words = frozenset(word for bases in changed for word in words_of(bases[0][-1]))
        several = frozenset(word for bases in changed if len(bases) > 1 for one in bases for word in words_of(one[2]))
        return Changed(everywhere=words, types=words, bases=several)

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
