"""A file's facts to its outline: tables with their columns, routines, types and queries as definitions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from coderag.sql.records import (
    AddQuery,
    Column,
    CreateRoutine,
    CreateTable,
    CreateType,
    ExampleQuery,
    Facts,
    Name,
    ObjectKind,
    SchemaOperation,
    Source,
)
from coderag.syntax.lines import Lines
from coderag.syntax.outline import Definition, Outline
from coderag.text.comments import doc_summary
from coderag.types import Kind

__all__ = ["outline_of"]

KINDS = {
    ObjectKind.TABLE: Kind.TABLE,
    ObjectKind.EXTERNAL_TABLE: Kind.TABLE,
    ObjectKind.VIEW: Kind.VIEW,
    ObjectKind.MATERIALIZED_VIEW: Kind.VIEW,
    ObjectKind.FUNCTION: Kind.FUNCTION,
    ObjectKind.PROCEDURE: Kind.FUNCTION,
    ObjectKind.TRIGGER: Kind.TRIGGER,
    ObjectKind.PACKAGE: Kind.MODULE,
    ObjectKind.TYPE: Kind.TYPE,
    ObjectKind.DOMAIN: Kind.TYPE,
    ObjectKind.ENUM: Kind.ENUM,
}
SIGNATURE_CHARS = 300
QUERY_NAME_CHARS = 120
COMMENT = (b"--", b"/*", b"*", b"*/")


class Declared(NamedTuple):
    """Something that a file declares."""

    name: Name
    kind: Kind
    source: Source
    columns: tuple[Column, ...]
    signature: str
    comment: str


def outline_of(facts: Facts, lines: Lines) -> Outline:
    """Return the outline of a file that was read as SQL; what overlaps a definition before it is left out."""
    definitions: list[Definition] = []
    free_row = 0
    units = [declared for operation in facts.operations for declared in _declared(operation)]
    for declared in sorted(units, key=lambda declared: (declared.source.start_line, declared.source.end_line)):
        row, last_row = declared.source.start_line - 1, min(declared.source.end_line, len(lines)) - 1
        if row < free_row or last_row < row:
            continue
        first_row = _with_comment(lines, row, free_row)
        parent = len(definitions)
        definitions.append(_definition(declared, lines, first_row, row, last_row))
        definitions += [
            _field(declared.name, column, parent, lines)
            for column in declared.columns
            if row < column.source.start_line <= column.source.end_line <= last_row + 1
        ]
        free_row = last_row + 1
    return Outline(definitions=tuple(definitions))


def _declared(operation: SchemaOperation) -> Iterator[Declared]:
    match operation:
        case CreateTable(table=table):
            shown = f"{table.name}({', '.join(column.name for column in table.columns)})"
            yield Declared(
                table.name,
                KINDS[table.kind],
                table.sources[0] if table.sources else Source(),
                table.columns,
                _short(f"{table.kind} {shown}"),
                table.comment,
            )
        case CreateRoutine(routine=routine):
            parameters = ", ".join(f"{parameter.name} {parameter.type}".strip() for parameter in routine.parameters)
            returns = f" returns {routine.returns}" if routine.returns else ""
            on = f" on {routine.table}" if routine.table else f"({parameters})"
            signature = _short(f"{routine.kind} {routine.name}{on}{returns}")
            yield Declared(routine.name, KINDS[routine.kind], routine.source, (), signature, routine.comment)
        case CreateType(type=defined, extend=False):
            values = f" ({', '.join(defined.values)})" if defined.values else f" {defined.base}".rstrip()
            signature = _short(f"{defined.kind} {defined.name}{values}")
            yield Declared(defined.name, KINDS[defined.kind], defined.source, (), signature, defined.comment)
        case AddQuery(query=query):
            yield Declared(Name(_query_name(query)), Kind.QUERY, query.source, (), "", query.question)
        case _:
            return


def _query_name(query: ExampleQuery) -> str:
    """Return the question that a query answers, or else the tables that it touches."""
    tables = ", ".join(dict.fromkeys(str(name) for name in (*query.usage.writes, *query.usage.reads)))
    return " ".join((query.question or f"query on {tables or 'no table'}").split())[:QUERY_NAME_CHARS].strip()


def _with_comment(lines: Lines, row: int, free_row: int) -> int:
    """Return the first row of the comment that stands right above a row."""
    while row > free_row and lines.data[lines.starts[row - 1] : lines.ends[row - 1]].lstrip().startswith(COMMENT):
        row -= 1
    return row


def _definition(declared: Declared, lines: Lines, first_row: int, row: int, last_row: int) -> Definition:
    return Definition(
        name=declared.name.name,
        qualified_name=str(declared.name),
        kind=declared.kind,
        parent=-1,
        first_row=first_row,
        row=row,
        last_row=last_row,
        start_byte=lines.starts[row],
        end_byte=lines.ends[last_row],
        signature=declared.signature,
        doc=doc_summary(declared.comment),
        decorators=(),
        statement_rows=tuple(range(row + 1, last_row + 1)),
    )


def _field(table: Name, column: Column, parent: int, lines: Lines) -> Definition:
    row, last_row = column.source.start_line - 1, column.source.end_line - 1
    return Definition(
        name=column.name,
        qualified_name=f"{table}.{column.name}",
        kind=Kind.FIELD,
        parent=parent,
        first_row=row,
        row=row,
        last_row=last_row,
        start_byte=lines.starts[row],
        end_byte=lines.ends[last_row],
        signature=_short(f"{column.name} {column.type}".strip()),
        doc=doc_summary(column.comment),
        decorators=(),
        statement_rows=(),
    )


def _short(text: str) -> str:
    one_line = " ".join(text.split())
    return one_line if len(one_line) <= SIGNATURE_CHARS else f"{one_line[: SIGNATURE_CHARS - 1]}…"
