"""CREATE TYPE, CREATE DOMAIN and ALTER TYPE, in any dialect."""

from __future__ import annotations

from coderag.sql.ddl.found import About, Found
from coderag.sql.ddl.tables.body import notes_of_items
from coderag.sql.ddl.tables.column_comments import table_comment
from coderag.sql.ddl.tables.columns import read_column
from coderag.sql.ddl.tables.constraints import Constraint, read_constraint
from coderag.sql.ddl.tables.expressions import read_expression, read_type
from coderag.sql.records import Column, CreateType, Name, ObjectKind, Rename, TypeDefinition
from coderag.sql.statements.cursor import Cursor
from coderag.sql.statements.lexer import STRING, string_value

__all__ = ["read_alter_type", "read_domain", "read_type_definition"]

METHODS = frozenset("MEMBER STATIC CONSTRUCTOR MAP ORDER FINAL OVERRIDING PRAGMA NOT".split())  # of an object type
COLLECTIONS = frozenset({"TABLE", "VARRAY", "REF"})


def read_type_definition(cursor: Cursor, about: About, *, first: int) -> Found:
    """Read CREATE TYPE from behind the word TYPE."""
    found = Found()
    if cursor.accept("BODY"):
        return found
    cursor.accept("IF", "NOT", "EXISTS")
    name = cursor.name()
    if name is None:
        found.lose(cursor, "the name of the type could not be read", first=first, table=False)
        return found
    source, comment = cursor.source(first), table_comment(about.before, "", about.after)
    kind, base = ObjectKind.TYPE, ""
    values: tuple[str, ...] = ()
    columns: tuple[Column, ...] = ()
    while not cursor.done and cursor.key not in ("AS", "IS", "FROM", "UNDER", "("):
        cursor.skip()  # Oracle: OID '...', AUTHID
    if cursor.accept("FROM"):  # T-SQL: another name of a type
        kind, base = ObjectKind.DOMAIN, read_type(cursor)
    else:
        cursor.accept_any({"AS", "IS"})
        if cursor.accept("ENUM"):
            kind, values = ObjectKind.ENUM, _strings(cursor)
        elif cursor.key == "RANGE":
            base = "range"
        elif cursor.accept("UNDER"):
            base, columns = str(cursor.name() or ""), _fields(cursor)
        elif cursor.key == "(" or (cursor.ahead(1).key == "(" and cursor.accept_any({"OBJECT", "STRUCT", "TABLE"})):
            columns = _fields(cursor)
        else:
            kind = ObjectKind.TYPE if cursor.key in COLLECTIONS else ObjectKind.DOMAIN
            base = read_type(cursor)
    definition = TypeDefinition(name, kind, base=base, values=values, columns=columns, comment=comment, source=source)
    found.operations.append(CreateType(definition))
    return found


def _strings(cursor: Cursor) -> tuple[str, ...]:
    """Read a list of strings in parentheses."""
    inside = cursor.group()
    backslash = "backslash" in cursor.script.dialect.escapes
    tokens = (item.token for item in inside.items()) if inside else ()
    return tuple(string_value(token, backslash=backslash) for token in tokens if token.kind is STRING)


def _fields(cursor: Cursor) -> tuple[Column, ...]:
    """Read the fields of a composite type; its methods are left out."""
    opening = cursor.index
    inside = cursor.group()
    if inside is None:
        return ()
    items = [item for item in inside.items() if not item.done and item.key not in METHODS]
    notes = notes_of_items(cursor, items, opening=opening)
    columns = []
    for item, note in zip(items, notes.items, strict=True):
        first = item.index
        if read_constraint(item) is None and (definition := read_column(item)) is not None:
            columns.append(definition.column(item, first=first, comment=note))
    return tuple(columns)


def read_domain(cursor: Cursor, about: About, *, first: int) -> Found:
    """Read CREATE DOMAIN from behind the word DOMAIN."""
    found = Found()
    name = cursor.name()
    if name is None:
        found.lose(cursor, "the name of the domain could not be read", first=first, table=False)
        return found
    cursor.accept("AS")
    base = read_type(cursor)
    checks: list[str] = []
    values: tuple[str, ...] = ()
    while not cursor.done:
        if cursor.accept("DEFAULT"):
            read_expression(cursor)
            continue
        constraint: Constraint | None = read_constraint(cursor) if cursor.key in ("CONSTRAINT", "CHECK") else None
        if constraint is None:
            cursor.skip()
        elif constraint.check:
            checks.append(constraint.check)
            values = next(iter(constraint.values.values()), values)
    definition = TypeDefinition(
        name,
        ObjectKind.DOMAIN,
        base=base,
        values=values,
        checks=tuple(checks),
        comment=table_comment(about.before, "", about.after),
        source=cursor.source(first),
    )
    found.operations.append(CreateType(definition))
    return found


def read_alter_type(cursor: Cursor, *, first: int) -> Found:
    """Read ALTER TYPE from behind the word TYPE: values that are added, another name."""
    found = Found()
    name = cursor.name()
    if name is None:
        found.lose(cursor, "the name of the type could not be read", first=first, table=False)
        return found
    source = cursor.source(first)
    if cursor.accept("ADD", "VALUE"):
        cursor.accept("IF", "NOT", "EXISTS")
        value = cursor.string()
        if value is None:
            found.lose(cursor, "the value could not be read", first=first, table=False)
            return found
        definition = TypeDefinition(name, ObjectKind.ENUM, values=(value,), source=source)
        found.operations.append(CreateType(definition, extend=True))
    elif cursor.accept("RENAME", "TO") and (to := cursor.name()) is not None:
        to = to if to.schema else Name(to.name, name.schema, name.database)
        found.operations.append(Rename(name, to, ObjectKind.TYPE, source))
    elif cursor.accept("SET", "SCHEMA") and (schema := cursor.identifier()):
        found.operations.append(Rename(name, Name(name.name, schema, name.database), ObjectKind.TYPE, source))
    elif cursor.key == "RENAME":
        found.lose(cursor, f"a value or field of {name} that is renamed", first=first, table=False)
    return found
