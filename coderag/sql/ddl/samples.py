"""The first rows of data in a file to samples of what columns hold; personal values are left out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from coderag.files.privacy.personal import masked_value
from coderag.sql.records import Column, Describe, Name, SchemaOperation, Table
from coderag.sql.statements.cursor import Cursor
from coderag.sql.statements.dialect import Dialect
from coderag.sql.statements.lexer import STRING, scan, string_value
from coderag.sql.statements.split import Statement

__all__ = ["Samples"]

MAX_VALUES = 3  # of a column
MAX_ROWS = 12  # of a table that are looked at
MAX_CHARACTERS = 40  # of a value
PLAIN = re.compile(r"[\d\s.,:/+TZ-]*\Z|\\x|0x")  # a number, date or bytes: the type tells as much
OPENING = re.compile(r"[^(]{0,200}")
COPY = re.compile(r"(?is)^copy\s[^\n]*?\bfrom\s+stdin\b[^\n;]*;?[^\n]*\n")


class Samples:
    """The samples of one file by table, each with the place among its operations where they belong."""

    def __init__(self, dialect: Dialect) -> None:
        self.dialect = dialect
        self.rows: dict[str, int] = {}  # that were looked at, by how the statement begins
        self.places: dict[Name, int] = {}
        self.values: dict[Name, dict[str, dict[str, None]]] = {}

    def read(self, statement: Statement, *, place: int, columns: Mapping[Name, Sequence[str]]) -> None:
        """Take the values of an INSERT or COPY; `columns` are those of the tables that the file declares."""
        opening = OPENING.match(statement.text)
        key = opening[0].upper() if opening else ""
        seen = self.rows.get(key, 0)
        if seen >= MAX_ROWS:
            return
        copy = COPY.match(statement.text)
        script = scan(copy[0] if copy else statement.text, self.dialect)
        cursor = Cursor(script)
        while not cursor.done and cursor.key not in ("INTO", "COPY"):
            if cursor.key == "(" or cursor.key == "VALUES":
                return
            cursor.index += 1
        cursor.index += 1
        name = cursor.name()
        if name is None:
            return
        names = cursor.columns() or columns.get(name, ())
        if not names:
            return
        rows = _copied(statement.text[copy.end() :]) if copy else _inserted(cursor)
        for row in rows:
            seen += 1
            if len(row) == len(names):
                self._take(name, names, row)
                self.places.setdefault(name, place)
            if seen >= MAX_ROWS:
                break
        self.rows[key] = seen

    def _take(self, name: Name, names: Sequence[str], row: Sequence[str | None]) -> None:
        known = self.values.setdefault(name, {})
        for column in names:
            known.setdefault(column, {})
        for column, value in zip(names, row, strict=True):
            if value is None or len(value) > MAX_CHARACTERS or PLAIN.match(value):
                continue
            values = known[column]
            if len(values) < MAX_VALUES and masked_value(value, column, name.name) == value:
                values[value] = None

    def inserted_into(self, operations: Sequence[SchemaOperation]) -> list[SchemaOperation]:
        """Return operations with the samples where the first rows of each table stand."""
        found: list[SchemaOperation] = []
        by_place: dict[int, list[Describe]] = {}
        for name, place in self.places.items():
            columns = tuple(Column(one, values=tuple(values)) for one, values in self.values[name].items() if values)
            if columns:
                by_place.setdefault(place, []).append(Describe(Table(name, columns=columns)))
        for place, operation in enumerate(operations):
            found += by_place.get(place, ())
            found.append(operation)
        return found + list(by_place.get(len(operations), ()))


def _inserted(cursor: Cursor) -> Iterator[list[str | None]]:
    """Yield the rows of VALUES, of one statement or several alike; anything but a string in one is None."""
    backslash = "backslash" in cursor.script.dialect.escapes
    while cursor.skip_to({"VALUES", "VALUE"}):
        cursor.index += 1
        while cursor.key == "(" and cursor.script.closing[cursor.index] < cursor.end:
            inside = cursor.group()
            row: list[str | None] = []
            for item in inside.items() if inside else ():
                token = item.token
                is_string = token.kind is STRING and item.end - item.index == 1
                row.append(string_value(token, backslash=backslash) if is_string else None)
            yield row
            cursor.accept(",")


def _copied(text: str) -> Iterator[list[str | None]]:
    """Yield the rows of COPY in its text format."""
    for line in text.split("\n"):
        if not line or line.startswith("\\."):
            return
        yield [None if value == "\\N" else value for value in line.split("\t")]
