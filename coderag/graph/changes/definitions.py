"""Both sides of a changed file to the definitions that came, changed or went."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import cached_property

from coderag.files.changes.records import ChangedFile
from coderag.graph.changes.records import Changed, How
from coderag.graph.queries.locations import Location
from coderag.graph.records import NodeKind
from coderag.index.build.texts import ReadText
from coderag.index.storage.links import Defined
from coderag.types import Kind, Span

__all__ = ["changed_definitions"]

DOCUMENT_KINDS = frozenset({Kind.SECTION, Kind.CELL, Kind.BLOCK})  # nothing depends on them
FUNCTIONS = frozenset({Kind.FUNCTION, Kind.METHOD})  # in which a line may begin like a comment of another language
COMMENTS = ("#", "//", "/*", "*", "--", ";;", "%")  # how a comment line begins
INCLUDES = ("#include", "#define", "#if", "#!")  # which are code
Key = tuple[str, int]  # a qualified name, and which of those that have it


@dataclass(frozen=True)
class _Side:
    """One side of a file: its definitions and the lines of it that the other side lacks."""

    path: str
    data: bytes
    lines: tuple[Span, ...]
    read: ReadText | None

    @cached_property
    def definitions(self) -> Sequence[Defined]:
        """The definitions in order of their first lines, outer ones first."""
        return self.read.links.definitions if self.read else ()

    @cached_property
    def keys(self) -> list[Key]:
        """What tells each definition from the others, and finds it on the other side."""
        seen: dict[str, int] = {}
        found = []
        for definition in self.definitions:
            number = seen[definition.qualified_name] = seen.get(definition.qualified_name, -1) + 1
            found.append((definition.qualified_name, number))
        return found

    @cached_property
    def touched(self) -> dict[int, bool]:
        """The innermost definitions around changed lines, -1 for none, and whether the line of the name is one."""
        found: dict[int, bool] = {}
        text = self.data.split(b"\n")
        imports = {imported.row for imported in self.read.links.mentions.imports} if self.read else set()
        for row in (row for span in self.lines for row in range(span.start_line - 1, span.end_line)):
            owner = self._owner(row)
            says = row < len(text) and _says_something(text[row])
            if owner >= 0 and (says or (self.definitions[owner].kind in FUNCTIONS and text[row].strip())):
                found[owner] = found.get(owner, False) or row == self.definitions[owner].row
            elif owner < 0 and says and row not in imports:
                found[-1] = False
        return found

    def _owner(self, row: int) -> int:
        best = -1
        for position, definition in enumerate(self.definitions):
            if definition.first_row <= row <= definition.last_row:
                best = position  # a later one that holds the row is an inner one
        return best

    def changed(self, position: int, how: How, **more: str) -> Changed:
        """Return a definition of this side as changed."""
        if position < 0:
            spot = Location(NodeKind.FILE, self.path, self.path, labels=self._labels)
        else:
            one = self.definitions[position]
            kind = NodeKind(str(one.kind))
            spot = Location(kind, one.qualified_name, self.path, one.row + 1, one.last_row + 1, labels=self._labels)
        return Changed(spot, how, **more)

    @property
    def _labels(self) -> frozenset[str]:
        return self.read.labels if self.read else frozenset()


def changed_definitions(
    files: Iterable[ChangedFile], old: Mapping[str, ReadText], new: Mapping[str, ReadText]
) -> tuple[Changed, ...]:
    """Return what changed in some files, given what was found in the texts of both sides, by path and line.

    A definition that went from one file and came in another, under the same name, moved. Of a class that went, its
    members are not told.
    """
    found: list[Changed] = []
    for file in files:
        before = _Side(file.old_path, file.old, file.old_lines, old.get(file.old_path))
        after = _Side(file.new_path, file.new, file.new_lines, new.get(file.new_path))
        if before.read is not None or after.read is not None:
            found += _of_file(before, after)
    return tuple(sorted(_with_moves(found), key=lambda one: (one.spot.path, one.spot.line, one.spot.name)))


def _of_file(before: _Side, after: _Side) -> Iterator[Changed]:
    """Yield what changed in one file."""
    if before.path and after.path and before.path != after.path:
        yield after.changed(-1, How.RENAMED, before=before.path)
    elif not after.path:
        yield before.changed(-1, How.REMOVED)
    there = {key: position for position, key in enumerate(after.keys)}
    for position, key in enumerate(before.keys):
        if key not in there and not _parent_went(before, position, there) and _counts(before.definitions[position]):
            yield before.changed(position, How.REMOVED)
    touched = _touched(before, after, there)
    if -1 in touched and before.path == after.path:
        yield after.changed(-1, How.CHANGED)
    yield from _of_definitions(after, set(before.keys), touched)


def _touched(before: _Side, after: _Side, there: Mapping[Key, int]) -> dict[int, bool]:
    """Return the definitions of the new side with changed lines on either side, -1 for lines in none of them.

    Each with whether the line of its name is among them; `there` are the new side's definitions by key.
    """
    touched = dict(after.touched)
    for position, is_name in before.touched.items():
        if position < 0 and after.path:
            touched.setdefault(-1, False)
        elif position >= 0 and (same := there.get(before.keys[position])) is not None:
            touched[same] = touched.get(same, False) or is_name
    return touched


def _of_definitions(after: _Side, was: Set[Key], touched: Mapping[int, bool]) -> Iterator[Changed]:
    """Yield the definitions that changed, then those that were added without a line of their own."""
    for position, is_name in sorted(touched.items()):
        if position >= 0 and _counts(after.definitions[position]):
            known = after.keys[position] in was
            yield after.changed(position, (How.DECLARATION if is_name else How.CHANGED) if known else How.ADDED)
    for position, key in enumerate(after.keys):
        if key not in was and position not in touched and _counts(after.definitions[position]):
            yield after.changed(position, How.ADDED)


def _counts(definition: Defined) -> bool:
    return definition.kind not in DOCUMENT_KINDS


def _parent_went(side: _Side, position: int, there: Mapping[Key, int]) -> bool:
    """Tell whether the definition around one went too."""
    parent = side.definitions[position].parent
    return parent >= 0 and side.keys[parent] not in there


def _says_something(line: bytes) -> bool:
    """Tell whether a line is more than white space, brackets or a comment."""
    text = line.strip()
    if text.startswith(tuple(sign.encode() for sign in INCLUDES)):
        return True
    return any(byte > 0x7F or chr(byte).isalnum() for byte in text) and not text.startswith(
        tuple(sign.encode() for sign in COMMENTS)
    )


def _with_moves(found: Sequence[Changed]) -> Iterator[Changed]:
    """Yield changes; what went in one file and came in another is one of them."""
    gone: dict[tuple[str, str], list[Changed]] = {}
    for one in found:
        if one.how is How.REMOVED and one.spot.kind is not NodeKind.FILE:
            gone.setdefault((one.spot.kind, one.spot.name), []).append(one)
    moved: set[int] = set()
    for one in found:
        candidates = gone.get((one.spot.kind, one.spot.name), []) if one.how is How.ADDED else []
        if candidates and candidates[0].spot.path != one.spot.path:
            before = candidates.pop(0)
            moved.add(id(before))
            yield replace(one, how=How.MOVED, before=before.spot.path)
        elif one.how is not How.REMOVED:
            yield one
    yield from (one for one in found if one.how is How.REMOVED and id(one) not in moved)
