"""Some values of each column of a database, from one small question a table, without personal data."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from msgspec.structs import replace

from coderag.catalog.introspect.catalog import read_catalog
from coderag.catalog.introspect.errors import SlowDatabaseError, StatementError
from coderag.catalog.introspect.facts import Watch
from coderag.catalog.introspect.session import Session
from coderag.files.privacy.personal import VALUE_CHARACTERS, is_personal_column, masked_value
from coderag.sql.records import Column, CreateTable, Facts, Name, ObjectKind, SchemaOperation, Table, Unparsed

__all__ = ["sampled"]

ROWS = 200  # looked at in each table
LARGE_TABLE = 100_000  # rows from which places all over the table are looked at, not its beginning
SPARE = 10  # so many times the rows are aimed at there, as the estimate may be old and pages half empty
SAMPLED_KINDS = frozenset({ObjectKind.TABLE, ObjectKind.MATERIALIZED_VIEW})  # others may be slow, or reach elsewhere
# Of binary, structured and spatial types a sample tells nothing.
OPAQUE = re.compile(
    r"blob|bytea|binary|\bbit|json|xml|geo|point|polygon|linestring|vector|\[\]|struct|map\(|image|hstore"
)
NUMERIC = re.compile(r"int|serial|num|dec|float|double|real|money")
QUOTES: Mapping[str, str] = {"mysql": "`", "mariadb": "`"}  # around names, where not the standard's


def sampled(facts: Facts, session: Session, *, values: int, watch: Watch | None = None) -> Facts:
    """Return facts whose columns have up to so many of their values, the most frequent first.

    Keys that are numbers, personal columns and columns whose values are known get none. A table that cannot be looked
    into is in `unparsed`; where one takes too long, that and all after it.
    """
    operations: list[SchemaOperation] = []
    unparsed: list[Unparsed] = []
    slow = False
    tables = sum(isinstance(operation, CreateTable) for operation in facts.operations)
    done = 0
    for operation in facts.operations:
        if isinstance(operation, CreateTable) and not slow:
            try:
                operation = replace(operation, table=_sampled(operation.table, session, values))
            except StatementError as error:
                unparsed.append(Unparsed(0, f"TABLE {operation.table.name}", f"no samples: {error}"))
            except SlowDatabaseError as error:
                slow = True
                unparsed.append(Unparsed(0, f"TABLE {operation.table.name}", f"no samples from here on: {error}"))
        operations.append(operation)
        if watch is not None and isinstance(operation, CreateTable):
            watch(done := done + 1, tables)
    return replace(facts, operations=tuple(operations), unparsed=(*facts.unparsed, *unparsed))


def _sampled(table: Table, session: Session, values: int) -> Table:
    wanted = [column for column in table.columns if _is_sampled(column, table)]
    if table.kind not in SAMPLED_KINDS or table.partition or not wanted:
        return table
    rows = _rows(table, wanted, session)
    found = {
        column.name: _values((row[f"c{number}"] for row in rows), column.name, table.name.name)[:values]
        for number, column in enumerate(wanted)
    }
    columns = (replace(column, values=column.values or found.get(column.name, ())) for column in table.columns)
    return replace(table, columns=tuple(columns))


def _is_sampled(column: Column, table: Table) -> bool:
    type = column.type.lower()
    if column.values or OPAQUE.search(type) or is_personal_column(column.name, table.name.name):
        return False
    keys = {*table.primary_key, *(name for key in table.foreign_keys for name in key.columns)}
    return column.name not in keys or not NUMERIC.search(type)


def _rows(table: Table, columns: Sequence[Column], session: Session) -> list[dict[str, str]]:
    catalog = read_catalog(session.dialect)
    quote = QUOTES.get(session.dialect, '"')
    cell = catalog["cell"].text
    cells = (
        cell.format(column=_quoted(column.name, quote), characters=VALUE_CHARACTERS + 1) + f" AS c{number}"
        for number, column in enumerate(columns)
    )
    parts = {"cells": ", ".join(cells), "table": _quoted_name(table.name, quote), "rows": ROWS}
    large = catalog.get("sample_large")
    if large is not None and table.row_count >= LARGE_TABLE:
        percent = f"{min(100.0, 100 * SPARE * ROWS / table.row_count):.6f}"
        if rows := session.rows(large.text.format(**parts, percent=percent)):
            return rows
    return session.rows(catalog["sample"].text.format(**parts))


def _values(cells: Iterable[str | None], column: str, table: str) -> tuple[str, ...]:
    shown = Counter(masked_value(cell, column, table) for cell in cells if cell)
    return tuple(value for value, _ in sorted(shown.items(), key=lambda item: (-item[1], item[0] or "")) if value)


def _quoted(name: str, quote: str) -> str:
    return quote + name.replace(quote, 2 * quote) + quote


def _quoted_name(name: Name, quote: str) -> str:
    return ".".join(_quoted(part, quote) for part in (name.schema, name.name) if part)
