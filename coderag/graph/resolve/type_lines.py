"""Names of types to the names of all that they have, and that those above them have."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property

from coderag.graph.files import LinkedFile
from coderag.graph.resolve.changed_names import BASES, home_words, words_of
from coderag.graph.resolve.tables import CONTAINERS

__all__ = ["TypeLines"]


class TypeLines:
    """The types of some files by the words of their names, so that those of one name are one."""

    def __init__(self, files: Sequence[LinkedFile]) -> None:
        self._files = files

    def members(self, types: Iterable[str]) -> set[str]:
        """Return the words of what types have, and of what those have that inherit from several."""
        found: set[str] = set()
        for name in types:
            found |= self._own.get(name, set())
            bases = self._bases.get(name, set())
            if len(bases) > 1:
                found |= self.above({word for base in bases for word in words_of(base)})
        return found

    def above(self, types: Iterable[str]) -> set[str]:
        """Return the words of what types have, and all above them."""
        found, waiting, seen = set[str](), list(types), set(types)
        while waiting:
            name = waiting.pop()
            found |= self._own.get(name, set())
            new = {word for base in self._bases.get(name, ()) for word in words_of(base)} - seen
            seen |= new
            waiting += new
        return found

    @cached_property
    def _own(self) -> dict[str, set[str]]:
        found: dict[str, set[str]] = {}
        for file in self._files:
            definitions = file.links.definitions
            for one in definitions:
                around = definitions[one.parent] if one.parent >= 0 else None
                if around is not None and around.kind in CONTAINERS:
                    homes = words_of(around.name)
                else:
                    homes = home_words(one, around.kind if around is not None else None)
                for home in homes:
                    found.setdefault(home, set()).update(words_of(one.name))
            for owner, name, _, _ in file.links.mentions.bindings:
                if owner >= 0 and definitions[owner].kind in CONTAINERS:
                    for home in words_of(definitions[owner].name):
                        found.setdefault(home, set()).update(words_of(name))
        return found

    @cached_property
    def _bases(self) -> dict[str, set[str]]:
        """The bases of types as they are written."""
        found: dict[str, set[str]] = {}
        for file in self._files:
            for one in file.links.mentions.mentions:
                if one.role in BASES and one.owner >= 0:
                    for name in words_of(file.links.definitions[one.owner].name):
                        found.setdefault(name, set()).add(f"{one.receiver}.{one.name}")
        return found
