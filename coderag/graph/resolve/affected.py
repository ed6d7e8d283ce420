"""Words that may mean something else than before to the files in which a name may be resolved otherwise.

A name is found by the words that are written: in the mention itself, or in what an import, a binding or a declared type
on the way says. So a name whose words, and the words of all that leads on from it, mean what they meant is resolved to
what it was. Bases are words of a class: where they may be others, so may be all that is said of the class's members.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from coderag.graph.files import LinkedFile
from coderag.graph.resolve.changed_imports import ModuleFiles
from coderag.graph.resolve.changed_names import BASES, Changed, home_words, words_of
from coderag.graph.resolve.imports.modules import is_by_path
from coderag.graph.resolve.module_roots import ModuleRoots
from coderag.graph.resolve.rules import Rules, rules_of
from coderag.graph.resolve.tables import CONTAINERS
from coderag.graph.resolve.type_lines import TypeLines
from coderag.graph.resolve.type_syntax import first_of, plain
from coderag.syntax.outline import CALLABLE
from coderag.syntax.references.records import OF_NO_FILE, Binding, Imported, Reference, Role

__all__ = ["Change", "affected_files"]

MOST_ROUNDS = 16  # of names that lead to names
LEAST_LOOKS = 200  # at files on the way, in any index
MOST_LOOKS = 0.4  # ... for each file of a larger one: what takes longer costs more than it saves
MEMO = 1 << 16
ALL = "*"
WORD = re.compile(r"\w+")
DOTTED = re.compile(r"[*&\[\]]*(\w+)((?:\.\w+|\(\)|\[\])*)")  # model.Feed, *model.Feed, http.client()
BEHIND = re.compile(r"[.:>\\#?!]\s*(\w+)")
NO_WORDS: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Change:
    """What is known to be another one."""

    files: Mapping[int, Changed]  # those that changed or came, by number
    gone: Changed  # what files made known that are not there any more
    paths: frozenset[str]  # the names of the files that came or went
    words: frozenset[str]  # by which code may name these without an import
    imports: Iterable[tuple[int, Imported]]  # of other files, that lead elsewhere
    handed: Iterable[tuple[int, frozenset[str]]]  # what else a file knows by imports that mean something else
    told: Iterable[tuple[int, frozenset[str]]]  # what a file knows of its package that is not there any more
    resolved: frozenset[int]  # files with such imports
    importers: Callable[[int], frozenset[int]]  # the files that import a file, and those that import these
    modules: ModuleFiles  # the present files, and what imports mean


def affected_files(files: Sequence[LinkedFile], change: Change) -> frozenset[int] | None:
    """Return the numbers of the files whose names are to be resolved again, None for all."""
    spread = _Spread(files, change)
    sure = frozenset(change.files) | change.resolved
    if not spread.has_words():
        return sure
    for _ in range(MOST_ROUNDS):
        grown = spread.grow()
        if grown is None:
            return None
        if not grown:
            break
    else:
        return None
    return sure | {number for number in range(len(files)) if number not in sure and spread.is_affected(number)}


class _Spread:
    """Words while they become more: those of all that leads on from one of them."""

    def __init__(self, files: Sequence[LinkedFile], change: Change) -> None:
        self._files = files
        self._importers, self._beside = change.importers, change.modules.modules.beside
        self._paths = change.paths
        self._rules = [rules_of(file.language) for file in files]
        self._lines = TypeLines(files)
        self._roots = ModuleRoots(change.modules)
        self._modules = change.words
        self.everywhere: set[str] = set()
        self.types: set[str] = set()
        self._inside: dict[int, set[str]] = {}
        self._dirty: set[int] = set()  # files that know other words since they were looked at
        self._spent: set[str] = set()  # words of all files for which these were looked at
        self._looks = 0
        self._top: dict[int, set[str]] = {}  # of these, the words that mean something at the top of a file
        for number, one in change.files.items():
            self._take(one)
            self._know(number, one.inside)
            self._tell(number, one.everywhere)
            self._hand(number, one.handed)
        self._take(change.gone)
        for number, words in change.told:
            self._know(number, words)
            self._top.setdefault(number, set()).update(words)
        for number, words in change.handed:
            self._hand(number, words)
        for number, imported in change.imports:
            self._know_import(number, imported)

    @cached_property
    def _written(self) -> list[frozenset[str]]:
        """The words that each file writes where they may mean something."""
        return [_written(file) for file in self._files]

    def _take(self, one: Changed) -> None:
        self.everywhere |= one.everywhere
        self._add_types(one.types)
        self.everywhere |= self._lines.above(one.bases) if one.bases else NO_WORDS

    def has_words(self) -> bool:
        """Tell whether anything may mean something else."""
        return bool(self.everywhere) or bool(self._paths) or any(self._inside.values())

    def grow(self) -> bool | None:
        """Add the names of what is bound to or imported as something affected; None where that is too much.

        Tell whether there were more. Files are looked at where they write a word that is new since the last time.
        """
        fresh, dirty = self.everywhere - self._spent, self._dirty
        self._spent, self._dirty = set(self.everywhere), set()
        for number, written in enumerate(self._written):
            if number in dirty or not fresh.isdisjoint(written):
                self._looks += 1
                self._grow_in(number)
        if self._looks > max(LEAST_LOOKS, MOST_LOOKS * len(self._files)):
            return None
        return bool(self._dirty) or len(self.everywhere) > len(self._spent)

    def _grow_in(self, number: int) -> None:
        file, rules = self._files[number], self._rules[number]
        definitions = file.links.definitions
        for imported in file.links.mentions.imports:
            if imported.alias and self._hits_import(number, imported):
                self._know_import(number, imported)
        for mention in file.links.mentions.mentions:
            if mention.role in BASES and mention.owner >= 0 and self._hits(number, mention):
                one = definitions[mention.owner]
                self._add_types(words_of(one.name) | words_of(one.qualified_name))
                self._tell(number, words_of(one.name))
        for one in definitions:
            home = home_words(one, definitions[one.parent].kind if one.parent >= 0 else None)
            if home and not self._top_words(number).isdisjoint(home):
                self._add_types(home)
                self.everywhere |= words_of(one.name)
        inside = self._of_types(number)
        for binding in file.links.mentions.bindings:
            if self._is_bound_otherwise(number, binding) or (
                inside and binding.owner in inside and _may_be_member(binding.value, rules)
            ):
                self._know_bound(number, binding)

    def _know_bound(self, number: int, binding: Binding) -> None:
        """Take the name of what is bound, or of the function that returns it, for another one."""
        owner, name, _, _ = binding
        definitions = self._files[number].links.definitions
        if owner < 0 or definitions[owner].kind not in CALLABLE:
            self.everywhere |= words_of(name)
            if owner < 0:
                self._tell(number, words_of(name))
        elif name:
            self._know(number, words_of(name))
        else:  # what it returns; of what a call of an instance calls, the name is not written
            one = definitions[owner]
            words = words_of(one.qualified_name if one.name.startswith("__") else one.name)
            self.everywhere |= words
            self._tell(number, words)

    def _know_import(self, number: int, imported: Imported) -> None:
        """Take what an import makes known for another one, also in the files that it is handed on to."""
        words = words_of(imported.alias) if imported.alias else words_of(imported.module)
        rules, exports = self._rules[number], self._files[number].links.mentions.exports
        if rules.reexports or imported.exported or imported.alias in exports:
            self._hand(number, words)
        else:
            self._know(number, words)
            self._top.setdefault(number, set()).update(words)

    def _know(self, number: int, words: frozenset[str]) -> None:
        """Take words for other ones in a file alone."""
        inside = self._inside.setdefault(number, set())
        if not words <= inside:
            inside |= words
            self._dirty.add(number)

    def _tell(self, number: int, words: frozenset[str]) -> None:
        """Take names of a file for other ones where nothing stands before them: in itself and its package."""
        if words and not words <= self._inside.setdefault(number, set()):
            for one in (number, *self._beside(number)):
                self._know(one, words)
                self._top.setdefault(one, set()).update(words)

    def _hand(self, number: int, words: frozenset[str]) -> None:
        """Take words for other ones in a file and in those that import it."""
        if words and not words <= self._inside.setdefault(number, set()):
            for one in {number, *self._importers(number)}:
                self._know(one, words)
                self._top.setdefault(one, set()).update(words)

    def _add_types(self, words: frozenset[str]) -> None:
        """Take types for those that have other bases: all that any of them has, or may have from a base."""
        new = words - self.types
        if new:
            self.types |= new
            self.everywhere |= new | self._lines.members(new)

    def _of_types(self, number: int) -> frozenset[int]:
        """Return the definitions of a file that are in a type which may have other bases."""
        if not self.types:
            return frozenset()
        definitions = self._files[number].links.definitions
        found: set[int] = set()
        for at, one in enumerate(definitions):
            around = definitions[one.parent].kind if one.parent >= 0 else None
            if (
                one.parent in found
                or (one.kind in CONTAINERS and not self.types.isdisjoint(words_of(one.name)))
                or not self.types.isdisjoint(home_words(one, around))
            ):
                found.add(at)
        return frozenset(found)

    def _words(self, number: int) -> set[str]:
        inside = self._inside.get(number)
        return self.everywhere | inside if inside else self.everywhere

    def _bare(self, number: int) -> set[str] | frozenset[str]:
        """Return the words that mean something else where nothing stands before them."""
        return self._inside.get(number, NO_WORDS) if self._knows_little(number) else self._words(number)

    def _top_words(self, number: int) -> set[str]:
        """Return the words that mean something else at the top of a file."""
        return self._top.get(number, set()) if self._knows_little(number) else self.everywhere

    def _knows_little(self, number: int) -> bool:
        """Tell whether a file knows nothing of others but what it imports by name, and its package."""
        rules = self._rules[number]
        return (rules.closed or rules.packages) and not self._roots.has_stars(number)

    def _hits(self, number: int, mention: Reference) -> bool:
        if mention.role is Role.DOCUMENT:
            if "/" in mention.name and mention.name.rpartition("/")[2] in self._paths:
                return True
            return not self._words(number).isdisjoint(words_of(mention.name) | words_of(mention.receiver))
        return self._hits_text(number, f"{mention.receiver}.{mention.name}" if mention.receiver else mention.name)

    def _hits_text(self, number: int, text: str) -> bool:
        """Tell whether an expression has a word that may mean something else where it is written."""
        words = words_of(text)
        if self._words(number).isdisjoint(words):
            return False
        dotted = DOTTED.fullmatch(text)
        if dotted is not None:
            targets = self._roots.of(number).get(dotted[1])
            if targets is not None:
                return self._hits_module(number, dotted[1], WORD.findall(dotted[2]), targets)
        return not self._bare(number).isdisjoint(words) or not self.everywhere.isdisjoint(_behind(text))

    def _hits_module(self, number: int, root: str, behind: list[str], targets: tuple[int, ...]) -> bool:
        """Tell the same of what begins with a module: what it has is among the words of its files."""
        if root in self._inside.get(number, NO_WORDS):
            return True
        if not targets or not behind:
            return False
        return self._is_told(targets, behind[0]) or not self._words(number).isdisjoint(behind[1:])

    def _is_told(self, targets: Iterable[int], name: str) -> bool:
        """Tell whether a name may mean something else to those that take it from some files."""
        return name in self._modules or any(
            name in (self.everywhere if self._roots.has_stars(one) else self._inside.get(one, NO_WORDS))
            for one in targets
        )

    def _is_bound_otherwise(self, number: int, binding: Binding) -> bool:
        return bool(binding.value) and self._hits_text(number, binding.value)

    def _hits_import(self, number: int, one: Imported) -> bool:
        words = self._words(number)
        if not is_by_path(self._files[number].language):
            return not words.isdisjoint(words_of(one.name) | words_of(one.module))
        if not one.name or one.name == ALL or (one.name not in self.everywhere and one.name not in self._modules):
            return False
        return self._is_told(self._roots.targets(number, one), one.name)

    def is_affected(self, number: int) -> bool:
        """Tell whether a file mentions or imports one of the words, or has members of a type with other bases."""
        mentions = self._files[number].links.mentions
        if self._words(number).isdisjoint(self._written[number]):
            return bool(self._paths) and any(
                one.role is Role.DOCUMENT and self._hits(number, one) for one in mentions.mentions
            )
        return (
            any(one.role not in OF_NO_FILE and self._hits(number, one) for one in mentions.mentions)
            or any(self._hits_import(number, one) or self._knows_alias(number, one) for one in mentions.imports)
            or bool(self._of_types(number))
        )

    def _knows_alias(self, number: int, one: Imported) -> bool:
        return not self._words(number).isdisjoint(words_of(one.alias))


@lru_cache(MEMO)
def _behind(text: str) -> frozenset[str]:
    """Return the words of an expression before which something stands that has them."""
    return frozenset(BEHIND.findall(text))


def _may_be_member(value: str, rules: Rules) -> bool:
    """Tell whether an expression that is written in a type may lead to a member of the type without naming it."""
    return rules.bare_members or first_of(plain(value)) in rules.word_roots


def _written(file: LinkedFile) -> frozenset[str]:
    """Return all words that a file writes where they may mean something."""
    mentions = file.links.mentions
    texts = {one.name for one in file.links.definitions}
    texts.update(one.qualified_name for one in file.links.definitions)
    for one in mentions.imports:
        texts.update((one.module, one.name, one.alias))
    if mentions.mentions:
        _, _, _, names, receivers = zip(*mentions.mentions, strict=True)
        texts.update(names, receivers)
    if mentions.bindings:
        _, names, values, _ = zip(*mentions.bindings, strict=True)
        texts.update(names, values)
    return frozenset().union(*map(words_of, texts))
