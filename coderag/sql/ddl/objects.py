"""DROP, COMMENT ON, RENAME and CREATE UNIQUE INDEX, in any dialect."""

from __future__ import annotations

from coderag.sql.ddl.found import Found
from coderag.sql.records import AddConstraint, CommentOn, Drop, Name, ObjectKind, Rename
from coderag.sql.statements.cursor import Cursor, name_of_parts

__all__ = ["read_comment", "read_drop", "read_rename", "read_unique_index"]

KINDS = {
    "TABLE": ObjectKind.TABLE,
    "VIEW": ObjectKind.VIEW,
    "FUNCTION": ObjectKind.FUNCTION,
    "AGGREGATE": ObjectKind.FUNCTION,
    "ROUTINE": ObjectKind.FUNCTION,
    "MACRO": ObjectKind.FUNCTION,
    "PROCEDURE": ObjectKind.PROCEDURE,
    "PROC": ObjectKind.PROCEDURE,
    "TRIGGER": ObjectKind.TRIGGER,
    "PACKAGE": ObjectKind.PACKAGE,
    "TYPE": ObjectKind.TYPE,
    "DOMAIN": ObjectKind.DOMAIN,
    "SCHEMA": ObjectKind.SCHEMA,
}


def _kind(cursor: Cursor) -> ObjectKind | None:
    """Read what kind of object comes next; None for one that is not kept."""
    if cursor.accept("MATERIALIZED", "VIEW"):
        return ObjectKind.MATERIALIZED_VIEW
    if cursor.accept("FOREIGN", "TABLE") or cursor.accept("EXTERNAL", "TABLE"):
        return ObjectKind.EXTERNAL_TABLE
    cursor.accept_any({"TEMPORARY", "TEMP"})
    kind = KINDS.get(cursor.key)
    if kind is not None:
        cursor.index += 1
        cursor.accept("BODY")
    return kind


def read_drop(cursor: Cursor, *, first: int) -> Found:
    """Read DROP from behind that word; each object of a list is dropped."""
    found = Found()
    source = cursor.source(first)
    kind = _kind(cursor)
    if kind is None:
        return found
    if_exists = cursor.accept("IF", "EXISTS")
    while (name := cursor.name()) is not None:
        cursor.group()  # the parameters of a function
        found.operations.append(Drop(name, kind, if_exists, source))
        if not cursor.accept(","):
            break
    return found


def read_comment(cursor: Cursor, *, first: int) -> Found:
    """Read COMMENT ON from behind these words."""
    found = Found()
    cursor.accept("IF", "EXISTS")
    source = cursor.source(first)
    if cursor.accept("COLUMN"):
        *qualifiers, column = cursor.parts() or [""]
        kind, name = ObjectKind.TABLE, name_of_parts(qualifiers)
    else:
        object_kind = _kind(cursor)
        if object_kind is None or object_kind is ObjectKind.TRIGGER:
            return found
        kind, name, column = object_kind, cursor.name(), ""
        cursor.group()  # the parameters of a function
    text = _comment_text(cursor)
    if name is None or text is None:
        found.lose(cursor, "the comment could not be read", first=first, table=False)
    else:
        found.operations.append(CommentOn(name, text, kind, column, source))
    return found


def _comment_text(cursor: Cursor) -> str | None:
    cursor.accept_any({"IS", "AS", "="})
    return "" if cursor.accept("NULL") else cursor.string()


def read_rename(cursor: Cursor, *, first: int) -> Found:
    """Read RENAME TABLE a TO b, c TO d, or Oracle's RENAME a TO b, from behind the word RENAME."""
    found = Found()
    kind = _kind(cursor) or ObjectKind.TABLE
    cursor.accept("IF", "EXISTS")
    source = cursor.source(first)
    while (name := cursor.name()) is not None and cursor.accept("TO"):
        to = cursor.name()
        if to is None:
            break
        to = to if to.schema else Name(to.name, name.schema, name.database)
        found.operations.append(Rename(name, to, kind, source))
        if not cursor.accept(","):
            break
    if not found.operations:
        found.lose(cursor, "what is renamed could not be read", first=first, table=True)
    return found


def read_unique_index(cursor: Cursor, *, first: int) -> Found:
    """Read CREATE UNIQUE INDEX from behind the word INDEX; one of expressions or of some rows makes nothing unique."""
    found = Found()
    cursor.accept("CONCURRENTLY")
    cursor.accept("IF", "NOT", "EXISTS")
    name = "" if cursor.key == "ON" else ".".join(cursor.parts()[-1:])
    if not cursor.skip_to({"ON"}):
        return found
    cursor.index += 1
    cursor.accept("ONLY")
    table = cursor.name()
    if cursor.accept("USING"):
        cursor.identifier()
    columns = cursor.columns()
    if table is not None and columns and not cursor.skip_to({"WHERE"}):
        found.operations.append(AddConstraint(table, name, unique=columns, source=cursor.source(first)))
    return found
