"""The schemas of several roots as one: databases and files carry the name of their root."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import msgspec

from coderag.sql.records import Name, Schema, Source

__all__ = ["merged"]

Record = TypeVar("Record", bound=msgspec.Struct)


def merged(schemas: Mapping[str, Schema]) -> Schema:
    """Return schemas as one; a database named `shop` of the root `app` is `app/shop`."""
    named = [_named(schema, root) for root, schema in schemas.items()]
    return Schema(
        *(tuple(unit for schema in named for unit in getattr(schema, field)) for field in Schema.__struct_fields__)
    )


def _named(schema: Schema, root: str) -> Schema:
    databases = {database.name for database in schema.databases}

    def change(value: Any) -> Any:
        if isinstance(value, Source):
            return msgspec.structs.replace(value, path=f"{root}/{value.path}") if value.path else value
        if isinstance(value, Name):
            known = value.database in databases
            return msgspec.structs.replace(value, database=f"{root}/{value.database}") if known else value
        if isinstance(value, tuple):
            return tuple(map(change, value))
        return _changed(value, change) if isinstance(value, msgspec.Struct) else value

    return Schema(
        databases=tuple(
            msgspec.structs.replace(
                database, name=f"{root}/{database.name}", paths=tuple(f"{root}/{path}" for path in database.paths)
            )
            for database in schema.databases
        ),
        tables=change(schema.tables),
        routines=change(schema.routines),
        types=change(schema.types),
        queries=tuple(
            msgspec.structs.replace(change(query), database=f"{root}/{query.database}" if query.database else "")
            for query in schema.queries
        ),
        definitions=change(schema.definitions),
        problems=tuple(msgspec.structs.replace(problem, path=f"{root}/{problem.path}") for problem in schema.problems),
    )


def _changed(record: Record, change: Callable[[Any], Any]) -> Record:
    values = {name: getattr(record, name) for name in record.__struct_fields__}
    new = {name: change(value) for name, value in values.items()}
    return msgspec.structs.replace(record, **{name: value for name, value in new.items() if value is not values[name]})
