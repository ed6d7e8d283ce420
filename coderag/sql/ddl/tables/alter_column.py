"""What ALTER TABLE says of a column that exists, in any dialect, to what changes of it."""

from __future__ import annotations

from msgspec.structs import replace

from coderag.sql.ddl.tables.columns import ColumnDefinition, read_column
from coderag.sql.ddl.tables.expressions import described, read_expression, read_type
from coderag.sql.records import AlterColumn, RenameColumn
from coderag.sql.statements.cursor import Cursor

__all__ = ["defined_anew", "read_change"]

Change = AlterColumn | RenameColumn

RESTATING = frozenset({"mysql", "mariadb", "ansi"})  # where MODIFY restates a whole column
NOT_KEPT = frozenset(
    "SET RESET DROP ADD RESTART ENCODE COLLATE CHARACTER VISIBLE INVISIBLE MASKED UNSET FIRST AFTER SYNC REMOVE".split()
)


def read_change(cursor: Cursor, change: AlterColumn) -> Change | None:
    """Read what follows ALTER COLUMN and a name, to be added to a change of nothing; None for what is not kept."""
    return _read_nullable(cursor, change) or _read_identity(cursor, change) or _read_other(cursor, change)


def _read_nullable(cursor: Cursor, change: AlterColumn) -> AlterColumn | None:
    if cursor.accept("SET", "NOT", "NULL") or cursor.accept("NOT", "NULL"):
        return replace(change, nullable=False)
    if cursor.accept("DROP", "NOT", "NULL") or cursor.accept("SET", "NULL") or cursor.accept("NULL"):
        return replace(change, nullable=True)
    return None


def _read_identity(cursor: Cursor, change: AlterColumn) -> AlterColumn | None:
    if cursor.accept("ADD", "GENERATED") or cursor.accept("SET", "GENERATED") or cursor.accept("ADD", "IDENTITY"):
        return replace(change, identity=True)
    return replace(change, identity=False) if cursor.accept("DROP", "IDENTITY") else None


def _read_other(cursor: Cursor, change: AlterColumn) -> Change | None:
    """Return the change of what follows the name of a column, None if it changes nothing that is kept.

    SET DATA TYPE bigint  -> a change of the type to "bigint"
    DROP DEFAULT          -> a change of the default to ""
    """
    if cursor.accept("SET", "DATA", "TYPE") or cursor.accept("SET", "TYPE") or cursor.accept("TYPE"):
        return replace(change, type=read_type(cursor))
    if cursor.accept("SET", "DEFAULT") or cursor.accept("DEFAULT"):
        default = read_expression(cursor)
        return replace(change, default=default, identity=True if default.lower().startswith("nextval(") else None)
    if cursor.accept("DROP", "DEFAULT"):
        return replace(change, default="")
    if cursor.accept("COMMENT"):
        return replace(change, comment=cursor.string() or "")
    if cursor.accept("UNSET", "COMMENT"):
        return replace(change, comment="")
    if cursor.accept("SET", "OPTIONS"):
        options = cursor.group()
        comment = described(options) if options else None
        return None if comment is None else replace(change, comment=comment)
    if cursor.accept("RENAME", "TO"):
        to = cursor.identifier()
        return RenameColumn(change.table, change.column, to, source=change.source) if to else None
    return None if cursor.key in NOT_KEPT else _redefined(cursor, change)


def _redefined(cursor: Cursor, change: AlterColumn) -> AlterColumn | None:
    """Read T-SQL's ALTER COLUMN x int: the column may be NULL unless NOT NULL is repeated."""
    definition = _definition(cursor, change.column)
    if definition.type:
        return replace(change, type=definition.type, nullable=definition.nullable is not False)
    return None if definition.nullable is None else replace(change, nullable=definition.nullable)


def _definition(cursor: Cursor, name: str) -> ColumnDefinition:
    """Read the definition of a column from behind its name."""
    cursor.index -= 1
    definition = read_column(cursor)
    return definition if definition is not None else ColumnDefinition(name)


def defined_anew(cursor: Cursor, change: AlterColumn) -> tuple[Change | None, ColumnDefinition | None]:
    """Read what follows MODIFY or CHANGE and a name, and the definition in it, where it has one.

    MySQL restates a whole column, so what is left out is no more; elsewhere what is left out stays.
    """
    if cursor.accept("COMMENT"):
        return replace(change, comment=cursor.string() or ""), None
    if cursor.key in ("SET", "DROP", "REMOVE"):
        return read_change(cursor, change), None
    definition = _definition(cursor, change.column)
    changed = replace(
        change,
        type=definition.type or None,
        nullable=definition.nullable,
        default=definition.default,
        comment=definition.comment,
        values=definition.values or None,
        identity=definition.identity or None,
    )
    if definition.type and cursor.script.dialect.name in RESTATING:
        changed = replace(
            changed,
            nullable=definition.nullable is not False,
            default=definition.default or "",
            comment=definition.comment or "",
            values=definition.values,
            identity=definition.identity,
        )
    return changed, definition
