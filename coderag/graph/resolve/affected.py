"""Words that may mean something else than before to the files in which a name may be resolved otherwise.

A name is found by the words that are written: in the mention itself, or in what an import, a binding or a declared type
on the way says. So a name whose words, and the words of all that leads on from it, mean what they meant is resolved to
what it was. Where this cannot be told by words (another base of a class, of another type), everything is affected.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from coderag.graph.files import LinkedFile
from coderag.graph.resolve.changed_names import BASES, Changed, home_words, words_of
from coderag.graph.resolve.imports.modules import is_by_path
from coderag.syntax.outline import CALLABLE
from coderag.syntax.references.records import Imported

__all__ = ["affected_files"]

MOST_ROUNDS = 12  # of names that lead to names


def affected_files(files: Sequence[LinkedFile], changed: Mapping[int, Changed]) -> frozenset[int] | None:
    """Return the numbers of the files whose names are to be resolved again, None for all.

    `changed` has the files that changed, by number, with the words whose meaning did.
    """
    spread = _Spread(files, changed)
    if not spread.everywhere and not any(one.inside for one in changed.values()):
        return frozenset(changed)
    for _ in range(MOST_ROUNDS):
        if not spread.grow():
            break
    else:
        return None
    if any(spread.is_type_affected(number) for number in range(len(files))):
        return None
    return frozenset(number for number in range(len(files)) if number in changed or spread.is_affected(number))


class _Spread:
    """Words while they become more: those of all that leads on from one of them."""

    def __init__(self, files: Sequence[LinkedFile], changed: Mapping[int, Changed]) -> None:
        self._files = files
        self.everywhere = {word for one in changed.values() for word in one.everywhere}
        self._inside: dict[int, set[str]] = {number: set(one.inside) for number, one in changed.items()}

    def grow(self) -> bool:
        """Add the names of what is bound to or imported as something affected, and tell whether there were more."""
        before = len(self.everywhere), sum(map(len, self._inside.values()))
        for number in range(len(self._files)):
            self._grow_in(number)
        return (len(self.everywhere), sum(map(len, self._inside.values()))) != before

    def _grow_in(self, number: int) -> None:
        file, words = self._files[number], self._words(number)
        definitions = file.links.definitions
        for owner, name, value, _ in file.links.mentions.bindings:
            if words.isdisjoint(words_of(value)):
                continue
            if owner < 0 or definitions[owner].kind not in CALLABLE:
                self.everywhere |= words_of(name)
            elif name:
                self._inside.setdefault(number, set()).update(words_of(name))
            else:  # what it returns; of what a call of an instance calls, the name is not written
                one = definitions[owner]
                self.everywhere |= words_of(one.qualified_name if one.name.startswith("__") else one.name)
        by_path = is_by_path(file.language)
        for imported in file.links.mentions.imports:
            if imported.alias and not words.isdisjoint(_import_words(imported, by_path=by_path)):
                self.everywhere |= words_of(imported.alias)

    def _words(self, number: int) -> set[str]:
        inside = self._inside.get(number)
        return self.everywhere | inside if inside else self.everywhere

    def is_affected(self, number: int) -> bool:
        """Tell whether a file mentions or imports one of the words."""
        file, words = self._files[number], self._words(number)
        by_path = is_by_path(file.language)
        return any(
            not words.isdisjoint(words_of(one.name)) or (one.receiver and not words.isdisjoint(words_of(one.receiver)))
            for one in file.links.mentions.mentions
        ) or any(
            not words.isdisjoint(_import_words(one, by_path=by_path) | words_of(one.alias))
            for one in file.links.mentions.imports
        )

    def is_type_affected(self, number: int) -> bool:
        """Tell whether the bases of a class, or the type that a method is written for, may be others."""
        links, words = self._files[number].links, self._words(number)
        for mention in links.mentions.mentions:
            if mention.role in BASES and not (
                words.isdisjoint(words_of(mention.name)) and words.isdisjoint(words_of(mention.receiver))
            ):
                return True
        definitions = links.definitions
        for one in definitions:
            around = definitions[one.parent].kind if one.parent >= 0 else None
            if not words.isdisjoint(home_words(one, around)):
                return True
        return False


def _import_words(one: Imported, *, by_path: bool) -> frozenset[str]:
    """Return the words of what an import takes; modules are words where they may be names of types."""
    name = words_of(one.name) if one.name and one.name != "*" else frozenset[str]()
    return name if by_path else name | words_of(one.module)
