"""The definitions of a file by byte: which one is around a place, and which scopes are around that."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence

from coderag.syntax.outline import CALLABLE, TYPE_LIKE, Definition
from coderag.types import Kind

__all__ = ["Owners"]

VALUES = frozenset({Kind.CONSTANT, Kind.FIELD})
KEYWORD_BYTES = 24  # `export default const` before the name of what is bound to a function
SIGN_BYTES = 2  # "@" or "#[" before the name of a decorator
FAR = 1 << 62  # behind every byte
MEMBERS = frozenset({Kind.FIELD, Kind.METHOD})


class Owners:
    """Which definition is around a byte."""

    def __init__(self, definitions: Sequence[Definition]) -> None:
        self._definitions = definitions
        self._starts, self._owners = _flattened(definitions)
        self.parents = [definition.parent for definition in definitions]
        self._beginnings = [definition.start_byte for definition in definitions]
        self._members = {(definition.parent, definition.name) for definition in definitions}
        self._values = {(definition.parent, definition.name) for definition in definitions if definition.kind in VALUES}

    def at(self, byte: int) -> int:
        """Return the innermost definition around a byte, -1 for none."""
        return self._owners[bisect_right(self._starts, byte) - 1]

    def stretch(self, byte: int) -> tuple[int, int, int]:
        """Return the innermost definition around a byte, and the bytes from and up to which it is that one."""
        after = bisect_right(self._starts, byte)
        return (
            self._owners[after - 1],
            self._starts[after - 1],
            self._starts[after] if after < len(self._starts) else FAR,
        )

    def decorated(self, byte: int, row: int) -> int:
        """Return the definition that a decorator belongs to: the next one where its lines reach up to the row."""
        following = bisect_right(self._beginnings, byte)
        around = self.at(byte)
        if around >= 0:
            definition = self._definitions[around]
            if row < definition.row or byte - definition.start_byte <= SIGN_BYTES:
                return around
        if following < len(self._definitions) and self._definitions[following].first_row <= row:
            return following
        return around

    def of_variable(self, byte: int, name: str) -> int:
        """Return the scope that a variable belongs to; of one that is a definition itself, the scope around that."""
        owner = self.at(byte)
        if owner < 0:
            return owner
        definition = self._definitions[owner]
        if definition.kind in VALUES:  # `int a, b` are two definitions on the bytes of one another
            return definition.parent if (definition.parent, name) in self._values else owner
        return definition.parent if definition.name == name and byte - definition.start_byte < KEYWORD_BYTES else owner

    def scope_at(self, byte: int) -> int:
        """Return the innermost definition around a byte that is no value."""
        owner = self.at(byte)
        while owner >= 0 and self._definitions[owner].kind in VALUES:
            owner = self._definitions[owner].parent
        return owner

    def type_around(self, owner: int) -> int:
        """Return the innermost type that a definition is in or is, -1 for none."""
        return next((one for one in self.around(owner) if self._definitions[one].kind in TYPE_LIKE), -1)

    def is_callable(self, owner: int) -> bool:
        """Tell whether a definition is a function or method."""
        return owner >= 0 and self._definitions[owner].kind in CALLABLE

    def defines(self, owner: int, name: str) -> bool:
        """Tell whether a definition has a member or an inner function of a name."""
        return (owner, name) in self._members

    def around(self, owner: int) -> Iterator[int]:
        """Yield a definition and those around it, the innermost first."""
        while owner >= 0:
            yield owner
            owner = self.parents[owner]

    def bare_names(self, *, members: bool) -> set[str]:
        """Return the names that code of the file may write alone; with `members` also those of a type."""
        kinds = [definition.kind for definition in self._definitions]
        return {
            definition.name
            for definition in self._definitions
            if members
            or definition.parent < 0
            or (definition.kind not in MEMBERS and kinds[definition.parent] not in TYPE_LIKE)
        }


def _flattened(definitions: Sequence[Definition]) -> tuple[list[int], list[int]]:
    """Return bytes in order, and which definition is the innermost from each on."""
    starts, owners = [-1], [-1]
    around: list[tuple[int, int]] = []  # (end, definition)
    for position, definition in enumerate(definitions):
        while around and around[-1][0] <= definition.start_byte:
            _leave(around, starts, owners)
        starts.append(max(definition.start_byte, starts[-1]))
        owners.append(position)
        around.append((definition.end_byte, position))
    while around:
        _leave(around, starts, owners)
    return starts, owners


def _leave(around: list[tuple[int, int]], starts: list[int], owners: list[int]) -> None:
    end, _ = around.pop()
    starts.append(max(end, starts[-1]))
    owners.append(around[-1][1] if around else -1)
