"""What T-SQL declares by calling procedures: sp_addextendedproperty, sp_rename."""

from __future__ import annotations

from coderag.sql.ddl.found import Found
from coderag.sql.records import CommentOn, Name, ObjectKind, Rename, RenameColumn
from coderag.sql.statements.cursor import Cursor, name_of_parts
from coderag.sql.statements.lexer import WORD

__all__ = ["read_procedure_call"]

KINDS = {
    "TABLE": ObjectKind.TABLE,
    "VIEW": ObjectKind.VIEW,
    "FUNCTION": ObjectKind.FUNCTION,
    "PROCEDURE": ObjectKind.PROCEDURE,
    "TYPE": ObjectKind.TYPE,
    "TRIGGER": ObjectKind.TRIGGER,
}
DESCRIBING = frozenset({"sp_addextendedproperty", "sp_updateextendedproperty"})
DESCRIBED = ("name", "value", "level0type", "level0name", "level1type", "level1name", "level2type", "level2name")
RENAMED = ("objname", "newname", "objtype")


def read_procedure_call(cursor: Cursor, *, first: int) -> Found:
    """Read a call, from EXEC or the procedure's name on; nothing comes of most."""
    found = Found()
    cursor.accept_any({"EXEC", "EXECUTE", "CALL"})
    name = cursor.name()
    called = name.name.casefold() if name is not None else ""
    if called in DESCRIBING:
        _describe(cursor, found, first=first)
    elif called == "sp_rename":
        _rename(cursor, found, first=first)
    return found


def _arguments(cursor: Cursor, names: tuple[str, ...]) -> dict[str, str]:
    """Return the arguments of a call by name, whether they are given by name or in order."""
    inside = cursor.group() or cursor
    found: dict[str, str] = {}
    for number, item in enumerate(inside.items()):
        name = names[number] if number < len(names) else ""
        if item.key.startswith("@") and item.ahead(1).key == "=":
            name = item.key[1:].lower()
            item.index += 2
        if item.token.kind is not WORD:
            found[name] = item.string() or item.identifier() or ""
        elif item.key != "NULL":
            found[name] = item.token.text
    return found


def _describe(cursor: Cursor, found: Found, *, first: int) -> None:
    given = _arguments(cursor, DESCRIBED)
    if given.get("name", "").casefold() != "ms_description":
        return
    schema = given.get("level0name", "") if given.get("level0type", "").casefold() in ("schema", "user") else ""
    kind = KINDS.get(given.get("level1type", "").upper())
    inner = given.get("level2type", "").casefold()
    table = given.get("level1name", "")
    if kind is None or not table or inner not in ("", "column"):
        return
    column = given.get("level2name", "") if inner == "column" else ""
    found.operations.append(CommentOn(Name(table, schema), given.get("value", ""), kind, column, cursor.source(first)))


def _rename(cursor: Cursor, found: Found, *, first: int) -> None:
    given = _arguments(cursor, RENAMED)
    kind = given.get("objtype", "OBJECT").upper()
    parts = _split(given.get("objname", ""))
    to, source = given.get("newname", ""), cursor.source(first)
    if not to or kind not in ("COLUMN", "OBJECT"):
        return
    if kind == "COLUMN" and (table := name_of_parts(parts[:-1])) is not None:
        found.operations.append(RenameColumn(table, parts[-1], to, source))
    elif kind == "OBJECT" and (name := name_of_parts(parts)) is not None:
        found.operations.append(Rename(name, Name(to, name.schema, name.database), ObjectKind.TABLE, source))


def _split(text: str) -> list[str]:
    """Return the parts of a name in a string: dbo.[Order Details]."""
    parts = [""]
    inside = False
    for character in text:
        if character in '["]':
            inside = character == "[" or (character == '"' and not inside)
        elif character == "." and not inside:
            parts.append("")
        else:
            parts[-1] += character
    return parts
