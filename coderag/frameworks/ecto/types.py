"""Ecto's types to those of SQL, as its adapters for PostgreSQL and MySQL have them.

https://hexdocs.pm/ecto/Ecto.Schema.html#module-types-and-casting
"""

from __future__ import annotations

from collections.abc import Mapping

from coderag.syntax.trees.literals import Literal, Raw, Reference, as_text

__all__ = ["KEY_TYPE", "type_of"]

KEY_TYPE = "bigint"
TYPES = {
    "id": KEY_TYPE,
    "identity": KEY_TYPE,
    "serial": "integer",
    "bigserial": KEY_TYPE,
    "binary_id": "uuid",
    "string": "varchar",
    "binary": "binary",
    "map": "json",
    "float": "double precision",
    "decimal": "numeric",
    "naive_datetime": "timestamp",
    "naive_datetime_usec": "timestamp",
    "utc_datetime": "timestamp",
    "utc_datetime_usec": "timestamp",
    "time_usec": "time",
    "duration": "interval",
}
MODULES = {
    "Ecto.UUID": "uuid",
    "UUID": "uuid",
    "Ecto.ULID": "uuid",
    "Ecto.Enum": "varchar",
    "Ecto.Date": "date",
    "Ecto.DateTime": "timestamp",
    "Date": "date",
}


def type_of(value: Literal, options: Mapping[str, Literal]) -> str:
    """Return the type of a column; that of a module which casts values is its name."""
    if isinstance(value, Reference):
        return MODULES.get(value.name, value.name)
    if isinstance(value, Raw):
        return value.text
    if isinstance(value, tuple) and len(value) > 1:
        inner = type_of(value[1], {})
        if value[0] == "array":
            return f"{inner}[]" if inner else ""
        if value[0] == "parameterized":
            return inner
        return TYPES.get(as_text(value[0]), as_text(value[0]))
    name = as_text(value)
    kind = TYPES.get(name, name)
    sizes = [as_text(options.get(one)) for one in ("size", "precision", "scale")]
    size = ", ".join(one for one in sizes if one)
    return f"{kind}({size})" if size and kind else kind
