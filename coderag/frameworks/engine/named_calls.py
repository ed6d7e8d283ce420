"""Calls of a schema builder whose arguments have names, `AddColumn(name: "a", table: "t")`, to operations.

What the calls do and what their arguments are is data: migrations.toml of a framework.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial

import msgspec

from coderag.frameworks.engine.vocabulary import framework_data
from coderag.sql.records import (
    AddColumn,
    AddConstraint,
    AlterColumn,
    Column,
    CommentOn,
    Drop,
    DropColumn,
    DropConstraint,
    ForeignKey,
    Name,
    ObjectKind,
    Rename,
    RenameColumn,
    SchemaOperation,
    Source,
)
from coderag.syntax.trees.literals import Literal, Raw, Reference, as_text, default_of, texts

__all__ = ["BuilderCalls", "builder_calls", "column_of", "named_operation", "names_in"]

NOT_NULL = ["is", "not", "null"]  # behind the name of a column: the rows that are left out have nothing to repeat
OF_TABLES = frozenset({"drop table", "rename table"})  # calls whose name is that of a table
Said = Mapping[str, Literal]  # what a call is given, by what its arguments are


class BuilderCalls(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The calls on a builder, by what they do: OPERATIONS, "create table", "column", "sql"."""

    calls: Mapping[str, str]
    places: Mapping[str, tuple[str, ...]]  # what arguments are that have no names
    arguments: Mapping[str, str] = {}  # what named arguments are; any other one is what its name says
    types: Mapping[str, str] = {}  # of columns, by the type of the language
    counted: frozenset[str] = frozenset()  # annotations of columns that number themselves

    def said(self, call: str, given: Sequence[tuple[str, Literal]]) -> dict[str, Literal]:
        """Return what a call is given, by what its arguments are; the name of one that has none is ""."""
        places = iter(self.places.get(call, ()))
        return {self.arguments.get(key, key): value for name, value in given if (key := name or next(places, "")) != ""}


@cache
def builder_calls(framework: str) -> BuilderCalls:
    """Return the calls of a framework's migrations; raises LanguageDataError where its data are wrong."""
    return framework_data(framework, "migrations.toml", BuilderCalls)


def named_operation(action: str, table: Name | None, said: Said, source: Source) -> SchemaOperation | None:
    """Return what a call does; None where a name that it needs is computed, or it is of none of these kinds.

    The table is the one that is being made; without one, the call names it.
    """
    make = OPERATIONS.get(action)
    if table is None:
        table = _table(said, "name" if action in OF_TABLES else "table")
    return make(table, said, source) if make is not None and table is not None else None


def column_of(name: str, said: Said, source: Source) -> Column:
    """Return the column that a call describes."""
    return Column(
        name,
        as_text(said.get("type")),
        nullable=said.get("nullable") is True,
        default=_default(said) or "",
        comment=as_text(said.get("comment")),
        values=texts(said.get("values")) or (),
        generated=_sql(said.get("generated")),
        identity=said.get("counted") is True,
        source=source,
    )


def names_in(value: Literal) -> tuple[str, ...]:
    """Return the columns that texts or fields name, `["a", "b"]` or `x => new { x.a }`; none if one is computed."""
    values = value if isinstance(value, tuple) else (value,)
    names = [one.name if isinstance(one, Reference) else as_text(one) for one in values]
    return tuple(names) if all(names) else ()


def _table(said: Said, role: str, schema: str = "schema") -> Name | None:
    name = as_text(said.get(role))
    return Name(name, schema=as_text(said.get(schema))) if name else None


def _sql(value: Literal) -> str:
    return value.text if isinstance(value, Raw) else as_text(value)


def _default(said: Said) -> str | None:
    """Return the default as SQL has it, "" for none; None where it is computed."""
    return _sql(said.get("default sql")) or (default_of(said["default"]) if "default" in said else "")


def _add_column(table: Name, said: Said, source: Source) -> SchemaOperation | None:
    name = as_text(said.get("name"))
    return AddColumn(table, column_of(name, said, source), source=source) if name else None


def _alter_column(table: Name, said: Said, source: Source) -> SchemaOperation | None:
    name = as_text(said.get("name"))
    if not name:
        return None
    kind, nullable = as_text(said.get("type")) or None, said.get("nullable") is True
    return AlterColumn(
        table, name, type=kind, nullable=nullable, default=_default(said), identity=said.get("counted") is True or None,
        comment=as_text(said.get("comment")) or None, source=source,
    )  # fmt: skip


def _set_nullable(table: Name, said: Said, source: Source, *, nullable: bool) -> SchemaOperation | None:
    name = as_text(said.get("name"))
    return AlterColumn(table, name, nullable=nullable, source=source) if name else None


def _set_type(table: Name, said: Said, source: Source) -> SchemaOperation | None:
    name = as_text(said.get("name"))
    return AlterColumn(table, name, type=as_text(said.get("type")), source=source) if name else None


def _set_default(table: Name, said: Said, source: Source) -> SchemaOperation | None:
    name = as_text(said.get("name"))
    return AlterColumn(table, name, default=_default(said), source=source) if name else None


def _number(table: Name, said: Said, source: Source) -> SchemaOperation | None:
    name = as_text(said.get("name"))
    return AlterColumn(table, name, identity=True, source=source) if name else None


def _drop_column(table: Name, said: Said, source: Source) -> SchemaOperation | None:
    name = as_text(said.get("name"))
    return DropColumn(table, name, source=source) if name else None


def _rename_column(table: Name, said: Said, source: Source) -> SchemaOperation | None:
    name, to = as_text(said.get("name")), as_text(said.get("to"))
    return RenameColumn(table, name, to, source=source) if name and to else None


def _drop_table(table: Name, said: Said, source: Source) -> SchemaOperation:
    return Drop(table, if_exists=said.get("if exists") is True, source=source)


def _drop_view(table: Name, said: Said, source: Source) -> SchemaOperation:  # noqa: ARG001 - as all of them are called
    return Drop(table, kind=ObjectKind.VIEW, source=source)


def _comment(table: Name, said: Said, source: Source) -> SchemaOperation:
    return CommentOn(table, as_text(said.get("text")), column=as_text(said.get("name")), source=source)


def _rename_table(
    table: Name, said: Said, source: Source, *, kind: ObjectKind = ObjectKind.TABLE
) -> SchemaOperation | None:
    to = as_text(said.get("to")) or table.name
    schema = as_text(said.get("to schema")) or table.schema
    return Rename(table, Name(to, schema=schema), kind, source=source)


def _primary(table: Name, said: Said, source: Source) -> SchemaOperation | None:
    columns, name = names_in(said.get("columns")), as_text(said.get("name"))
    return AddConstraint(table, name, primary_key=columns, source=source) if columns else None


def _unique(table: Name, said: Said, source: Source) -> SchemaOperation | None:
    columns, name = names_in(said.get("columns")), as_text(said.get("name"))
    return AddConstraint(table, name, unique=columns, source=source) if columns else None


def _index(table: Name, said: Said, source: Source) -> SchemaOperation | None:
    rows = as_text(said.get("filter"))
    is_whole = not rows or rows.lower().split()[1:] == NOT_NULL
    return _unique(table, said, source) if said.get("unique") is True and is_whole else None


def _check(table: Name, said: Said, source: Source) -> SchemaOperation | None:
    check, name = _sql(said.get("sql")), as_text(said.get("name"))
    return AddConstraint(table, name, check=check, source=source) if check else None


def _foreign_key(table: Name, said: Said, source: Source) -> SchemaOperation | None:
    columns, name = names_in(said.get("columns")), as_text(said.get("name"))
    other = _table(said, "other", "other schema")
    if not columns or other is None:
        return None
    key = ForeignKey(columns, other, names_in(said.get("referenced")), name=name, source=source)
    return AddConstraint(table, name, foreign_key=key, source=source)


def _drop_constraint(table: Name, said: Said, source: Source, *, if_exists: bool = False) -> SchemaOperation | None:
    name, columns = as_text(said.get("name")), names_in(said.get("columns"))
    if not name and not columns:
        return None
    return DropConstraint(table, name, columns=() if name else columns, if_exists=if_exists, source=source)


def _drop_primary(table: Name, said: Said, source: Source, *, if_exists: bool = False) -> SchemaOperation:  # noqa: ARG001
    return DropConstraint(table, primary_key=True, if_exists=if_exists, source=source)


OPERATIONS: Mapping[str, Callable[[Name, Said, Source], SchemaOperation | None]] = {
    "add column": _add_column,
    "alter column": _alter_column,
    "check": _check,
    "comment": _comment,
    "drop column": _drop_column,
    "drop constraint": _drop_constraint,
    "drop constraint if there": partial(_drop_constraint, if_exists=True),
    "drop default": _set_default,
    "drop not null": partial(_set_nullable, nullable=True),
    "drop primary key": _drop_primary,
    "drop primary key if there": partial(_drop_primary, if_exists=True),
    "drop table": _drop_table,
    "drop view": _drop_view,
    "foreign key": _foreign_key,
    "index": _index,
    "number column": _number,
    "primary key": _primary,
    "rename column": _rename_column,
    "rename table": _rename_table,
    "rename view": partial(_rename_table, kind=ObjectKind.VIEW),
    "set default": _set_default,
    "set not null": partial(_set_nullable, nullable=False),
    "set type": _set_type,
    "unique": _unique,
}
