"""SQL in a string of another language to facts, with the lines of the file that the string stands in."""

from __future__ import annotations

from typing import cast

import msgspec

from coderag.sql.records import AddQuery, Facts, Record, SchemaOperation, Source, Unparsed

__all__ = ["read_embedded"]

HEAD_CHARS = 60


def read_embedded(text: str, *, source: Source, path: str, dialect: str = "") -> Facts:
    """Return what SQL declares; its lines are those of the literal in `source`. Queries in it are no examples."""
    from coderag.sql.ddl.parse_file import parse_file  # sqlglot is slow to import

    facts: Facts = parse_file(text.encode(), path=path, dialect=dialect)
    first, last = source.start_line, source.end_line
    operations = [operation for operation in facts.operations if not isinstance(operation, AddQuery)]
    unparsed = [
        Unparsed(
            line=min(statement.line + first - 1, last),
            head=statement.head[:HEAD_CHARS],
            reason=statement.reason,
            table=statement.table,
        )
        for statement in facts.unparsed
    ]
    return msgspec.structs.replace(
        facts,
        unparsed=tuple(unparsed),
        passed=(),
        operations=tuple(cast("SchemaOperation", _moved(operation, first - 1, last)) for operation in operations),
    )


def _moved(value: object, rows: int, last: int) -> object:
    """Return a value whose sources, however deep, lie so many rows further down, none behind the last line."""
    if isinstance(value, Source):
        if not value.start_line:
            return value
        first, end = min(value.start_line + rows, last), min(value.end_line + rows, last)
        return Source(path=value.path, start_line=first, end_line=end)
    if isinstance(value, Record):
        fields = {name: getattr(value, name) for name in value.__struct_fields__}
        return msgspec.structs.replace(value, **{name: _moved(one, rows, last) for name, one in fields.items()})
    if isinstance(value, tuple):
        return tuple(_moved(one, rows, last) for one in value)
    return value
