"""The rows that describe a table or view to its record."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping

from coderag.catalog.introspect.grouped import Grouped
from coderag.catalog.introspect.rows import ColumnRow, ForeignKeyRow, KeyRow, TableRow
from coderag.sql.ddl.tables.constraints import read_condition
from coderag.sql.records import Column, ForeignKey, ObjectKind, Origin, Source, Table
from coderag.sql.statements.cursor import Cursor
from coderag.sql.statements.dialect import Dialect
from coderag.sql.statements.lexer import STRING, scan, string_value

__all__ = ["condition", "table_of"]

NUMBERS_ITSELF = "nextval("  # a default that takes the next number of a sequence
LITERAL_CAST = re.compile(r"^('(?:[^']|'')*'|NULL)::[\w .\"()\[\]]+$")  # PostgreSQL writes the type of every text
LISTS = ("enum(", "set(")  # types that are written with their values


def table_of(row: TableRow, answers: Grouped) -> Table:
    """Return the table or view of a row, with the columns that the user may read."""
    key = (row.schema_name, row.name)
    checks = [condition(check_row.expression, answers.dialect) for check_row in answers.checks.get(key, [])]
    allowed = {name.casefold(): values for _, lists in checks for name, values in lists.items()}
    columns = tuple(
        _column(column_row, answers, allowed) for column_row in answers.columns.get(key, []) if column_row.readable
    )
    names = {column.name for column in columns}
    primary, unique = _keys(answers.keys.get(key, []), names)
    return Table(
        name=answers.name(*key),
        kind=ObjectKind(row.kind),
        columns=columns,
        primary_key=primary,
        unique=unique,
        foreign_keys=tuple(
            reference
            for reference in _references(answers.foreign_keys.get(key, []), answers)
            if names.issuperset(reference.columns)
        ),
        checks=tuple(text for text, _ in checks),
        comment=row.comment,
        parent=answers.name(row.parent_schema, row.parent_name) if row.parent_name else None,
        partition=row.partition,
        row_count=answers.row_counts.get(key, row.row_count),
        updated=row.updated,
        origins=(Origin.LIVE,),
        sources=(Source(),),
    )


def condition(text: str, dialect: Dialect) -> tuple[str, Mapping[str, tuple[str, ...]]]:
    """Return the condition of a check, without the parentheses around it, and the values that it allows by column."""
    cursor = Cursor(scan(text, dialect))
    if not cursor.accept("CHECK"):
        cursor = Cursor(scan(f"({text})", dialect))
    closing = cursor.script.closing
    while cursor.ahead(1).key == "(" and closing[cursor.index + 1] == closing[cursor.index] - 1:
        cursor.index += 1
    return read_condition(cursor)


def _column(row: ColumnRow, answers: Grouped, allowed: Mapping[str, tuple[str, ...]]) -> Column:
    default = answers.defaults.get((row.schema_name, row.table_name, row.name))
    expression = default.expression if default else row.expression
    computed = default.computed if default else row.computed
    identity = row.identity or expression.lower().startswith(NUMBERS_ITSELF)
    values = answers.enums.get(row.type_id) or _listed(row.type, answers.dialect)
    return Column(
        name=row.name,
        type=row.type,
        nullable=row.nullable,
        default="" if computed or identity else LITERAL_CAST.sub(r"\1", expression),
        comment=row.comment,
        values=values or allowed.get(row.name.casefold(), ()),
        generated=expression if computed else "",
        identity=identity,
    )


def _listed(type: str, dialect: Dialect) -> tuple[str, ...]:
    """Return the values that a type is written with: ENUM('a', 'b')."""
    if not type.lower().startswith(LISTS):
        return ()
    return tuple(string_value(token) for token in scan(type, dialect).tokens if token.kind is STRING)


def _keys(rows: Iterable[KeyRow], known: Collection[str]) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    """Return the primary key and the unique ones; one of expressions, or of parts of columns, is no key to join by."""
    columns: dict[tuple[bool, str], list[str]] = {}
    partial = set()
    for row in rows:
        columns.setdefault((row.main, row.key_name), []).append(row.name)
        if row.partial or row.name not in known:
            partial.add((row.main, row.key_name))
    primary = next((tuple(names) for (main, _), names in columns.items() if main), ())
    unique = {tuple(names): None for key, names in columns.items() if not key[0] and key not in partial}
    return primary, tuple(names for names in unique if names != primary)


def _references(rows: Iterable[ForeignKeyRow], answers: Grouped) -> tuple[ForeignKey, ...]:
    pairs: dict[str, list[ForeignKeyRow]] = {}
    for row in rows:
        pairs.setdefault(row.key_name, []).append(row)
    return tuple(
        ForeignKey(
            columns=tuple(row.name for row in key),
            table=answers.name(key[0].other_schema, key[0].other_table),
            referenced=tuple(row.other_name for row in key if row.other_name),
            name="" if name.isdigit() else name,  # SQLite and DuckDB number them
        )
        for name, key in pairs.items()
    )
