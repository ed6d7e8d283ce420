"""The definitions and references of a file as columns, which deflate to two thirds of what rows do.

A column of texts is one text of lines. What grows along a file, rows and owners, is stored as differences. A qualified
name is left out where it is that of the enclosing definition, a dot and the name.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property, partial
from itertools import accumulate, compress
from operator import add, sub
from typing import NamedTuple, TypeVar

from coderag.syntax.references.records import (
    FREQUENT,
    Binding,
    FileReferences,
    How,
    Imported,
    MentionColumns,
    Reference,
    Role,
    Route,
)
from coderag.types import Kind

__all__ = [
    "Defined",
    "DefinedColumns",
    "ReferenceColumns",
    "StoredReferences",
    "defined",
    "defined_columns",
    "reference_columns",
]

LEFT_OUT = "."  # instead of a qualified name that is left out; one that begins so has another in front
MAX_LEFT_OUT = 500  # characters of a qualified name that is left out: what is made of others must not grow on and on
LINE = "\n"
KINDS = {str(kind): kind for kind in Kind}
ROLES = {int(role): role for role in Role}
HOWS = {int(how): how for how in How}
Row = TypeVar("Row", bound=tuple[object, ...])
Value = TypeVar("Value")
Member = TypeVar("Member")
Text = str | list[str]  # a list where a text has more than one line


class Defined(NamedTuple):
    """A definition of a file, or a section of a document; rows are 0-based and inclusive."""

    name: str
    qualified_name: str
    kind: Kind
    parent: int  # position of the enclosing one, -1 at the top
    first_row: int
    row: int  # of the name
    last_row: int


class DefinedColumns(NamedTuple):
    """Definitions as they are stored."""

    name: Text
    qualified_name: Text
    kind: Text
    parent: list[int]  # less the one before
    first_row: list[int]  # less the one before
    row: list[int]  # less the first
    last_row: list[int]  # less the first


class _Imports(NamedTuple):
    row: list[int]  # less the one before
    owner: list[int]
    module: Text
    name: Text
    alias: Text
    exported: list[bool]


class _References(NamedTuple):
    row: list[int]  # less the one before
    owner: list[int]  # less the one before
    role: list[int]
    name: Text
    receiver: Text


class _Bindings(NamedTuple):
    owner: list[int]  # less the one before
    name: Text
    value: Text
    how: list[int]


class ReferenceColumns(NamedTuple):
    """References as they are stored; None for no rows."""

    module: str
    imports: _Imports | None
    mentions: _References | None
    bindings: _Bindings | None
    routes: tuple[Route, ...]
    exports: tuple[str, ...]


def defined_columns(rows: Sequence[Defined]) -> DefinedColumns | None:
    """Return definitions as columns, None if there are none."""
    if not rows:
        return None
    names, qualified, kinds, parents, firsts, own, lasts = zip(*rows, strict=True)
    written = [
        _written(text, f"{qualified[parent]}.{name}" if parent >= 0 else name)
        for name, text, parent in zip(names, qualified, parents, strict=True)
    ]
    return DefinedColumns(
        _text(names),
        _text(written),
        _text(kinds),
        _steps(parents),
        _steps(firsts),
        list(map(sub, own, firsts)),
        list(map(sub, lasts, firsts)),
    )


def defined(columns: DefinedColumns | None) -> tuple[Defined, ...]:
    """Return definitions as rows; raises ValueError for columns that do not fit each other."""
    if columns is None:
        return ()
    kinds = _members(KINDS, _texts(columns.kind))
    firsts = list(accumulate(columns.first_row))
    rows = map(add, firsts, columns.row), map(add, firsts, columns.last_row)
    parents = accumulate(columns.parent)
    found: list[Defined] = []
    full_names: list[str] = []
    columns_of_texts = _texts(columns.name), _texts(columns.qualified_name)
    for name, text, kind, parent, first, row, last in zip(
        *columns_of_texts, kinds, parents, firsts, *rows, strict=True
    ):
        full = text if text[:1] != LEFT_OUT else _full_name(text, name, parent, full_names)
        full_names.append(full)
        found.append(Defined(name, full, kind, parent, first, row, last))
    return tuple(found)


def reference_columns(found: FileReferences | StoredReferences) -> ReferenceColumns:
    """Return references as columns."""
    imports = mentions = bindings = None
    if found.imports:
        row, owner, module, name, alias, exported = zip(*found.imports, strict=True)
        imports = _Imports(_steps(row), list(owner), _text(module), _text(name), _text(alias), list(exported))
    if found.mentions:
        row, owner, role, name, receiver = zip(*found.mentions, strict=True)
        mentions = _References(_steps(row), _steps(owner), list(role), _text(name), _text(receiver))
    if found.bindings:
        owner, name, value, how = zip(*found.bindings, strict=True)
        bindings = _Bindings(_steps(owner), _text(name), _text(value), list(how))
    return ReferenceColumns(found.module, imports, mentions, bindings, found.routes, found.exports)


class StoredReferences:
    """What a file mentions, as FileReferences has it; rows are made of the columns when they are first asked for."""

    def __init__(self, columns: ReferenceColumns) -> None:
        """Take columns; raises ValueError for those that do not fit each other."""
        self.module, imports, mentions, bindings, self.routes, self.exports = columns
        self._imports, self._mentions, self._bindings = imports, mentions, bindings  # None once there are rows
        for table in (imports, mentions, bindings):
            if table is not None and len({_size(column) for column in table}) > 1:
                raise ValueError("columns are of different lengths")
        if not ROLES.keys() >= set(mentions.role if mentions is not None else ()):
            raise ValueError("a mention has no role")
        if not HOWS.keys() >= set(bindings.how if bindings is not None else ()):
            raise ValueError("a name is bound in no way")

    def __eq__(self, other: object) -> bool:
        rows = other.rows() if isinstance(other, StoredReferences) else other
        return isinstance(rows, FileReferences) and self.rows() == rows

    __hash__ = None  # type: ignore[assignment]

    def rows(self) -> FileReferences:
        """Return all as rows."""
        return FileReferences(self.module, self.imports, self.mentions, self.bindings, self.routes, self.exports)

    def owners(self) -> list[int]:
        """Return the definitions that imports, mentions and bindings are in: the first and the last of each."""
        found: list[int] = []
        imports, mentions, bindings = self._imports, self._mentions, self._bindings
        for owners in (
            imports.owner if imports is not None else (),
            list(accumulate(mentions.owner)) if mentions is not None else (),
            list(accumulate(bindings.owner)) if bindings is not None else (),
        ):
            found += (min(owners), max(owners)) if owners else ()
        return found

    @cached_property
    def imports(self) -> tuple[Imported, ...]:
        """The imports."""
        table, self._imports = self._imports, None
        if table is None:
            return ()
        texts = _texts(table.module), _texts(table.name), _texts(table.alias)
        return _rows(Imported, accumulate(table.row), table.owner, *texts, table.exported)

    @cached_property
    def mentions(self) -> tuple[Reference, ...]:
        """The mentions."""
        table, self._mentions = self._mentions, None
        return () if table is None else _rows(Reference, *_mention_columns(table))

    @cached_property
    def bindings(self) -> tuple[Binding, ...]:
        """The bindings."""
        table, self._bindings = self._bindings, None
        if table is None:
            return ()
        texts, ways = (_texts(table.name), _texts(table.value)), map(HOWS.__getitem__, table.how)
        return _rows(Binding, accumulate(table.owner), *texts, ways)

    def mention_columns(self) -> MentionColumns:
        """Return the mentions as columns; no rows of them are kept."""
        table = self._mentions
        if table is None:
            return FileReferences(mentions=self.mentions).mention_columns()
        rows, owners, roles, names, receivers = _mention_columns(table)
        return list(rows), list(owners), list(roles), names, receivers

    def rare(self) -> tuple[Reference, ...]:
        """Return the mentions of rare roles."""
        table = self._mentions
        if table is None:
            return tuple(mention for mention in self.mentions if mention.role not in FREQUENT)
        if FREQUENT.issuperset(table.role):
            return ()
        picked = [role not in FREQUENT for role in table.role]
        return _rows(Reference, *(compress(column, picked) for column in _mention_columns(table)))

    def may_mention(self, words: frozenset[str]) -> bool:
        """Tell whether a mention has one of these names, or is reached through one."""
        table = self._mentions
        if table is None:
            return any(one.name in words or one.receiver.partition(".")[0] in words for one in self.mentions)
        if not words.isdisjoint(_texts(table.name)):
            return True
        receivers = set(_texts(table.receiver))
        return not words.isdisjoint(receivers) or not words.isdisjoint(one.partition(".")[0] for one in receivers)


def _mention_columns(
    table: _References,
) -> tuple[Iterable[int], Iterable[int], Iterable[Role], list[str], list[str]]:
    roles = map(ROLES.__getitem__, table.role)
    return accumulate(table.row), accumulate(table.owner), roles, _texts(table.name), _texts(table.receiver)


def _size(column: Text | Sequence[object]) -> int:
    """Return how many values a column has."""
    return column.count(LINE) + 1 if isinstance(column, str) else len(column)


def _rows(make: type[Row], *columns: Iterable[object]) -> tuple[Row, ...]:
    # A record is a tuple with names, and made without its own `__new__` in a third of the time.
    return tuple(map(partial(tuple.__new__, make), zip(*columns, strict=True)))


def _text(column: Sequence[str]) -> Text:
    text = LINE.join(column)
    return text if text.count(LINE) == len(column) - 1 else list(column)


def _texts(column: Text) -> list[str]:
    return column.split(LINE) if isinstance(column, str) else column


def _steps(column: Sequence[int]) -> list[int]:
    return list(map(sub, column, (0, *column)))


def _members(members: Mapping[Value, Member], column: Iterable[Value]) -> list[Member]:
    try:
        return list(map(members.__getitem__, column))
    except KeyError as error:
        raise ValueError(f"{error} is no member") from error


def _written(text: str, full: str) -> str:
    """Return a qualified name as it is stored; `full` is what it is made of."""
    if text == full and len(full) <= MAX_LEFT_OUT:
        return LEFT_OUT
    return f"{LEFT_OUT}{text}" if text.startswith(LEFT_OUT) else text


def _full_name(text: str, name: str, parent: int, full_names: Sequence[str]) -> str:
    """Return a qualified name as it was; `full_names` are those before it."""
    if text != LEFT_OUT:
        return text[len(LEFT_OUT) :]
    if parent >= len(full_names):
        raise ValueError("a definition is inside of a later one")
    full = f"{full_names[parent]}.{name}" if parent >= 0 else name
    if len(full) > MAX_LEFT_OUT:
        raise ValueError("a qualified name has no end")
    return full
