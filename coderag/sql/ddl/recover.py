"""What is left of a statement that is cut, lacks its parentheses, or hides in another statement."""

from __future__ import annotations

import re
from collections.abc import Iterator

from coderag.sql.statements.cursor import Cursor
from coderag.sql.statements.lexer import STRING, Script, scan, string_value

__all__ = ["declarations", "hidden_scripts", "items_by_line"]

CREATED = frozenset(
    """
    TABLE VIEW TYPE DOMAIN SCHEMA UNIQUE TEMP TEMPORARY GLOBAL LOCAL OR EXTERNAL FOREIGN VIRTUAL MATERIALIZED UNLOGGED
    TRANSIENT INDEX FUNCTION PROCEDURE PROC TRIGGER SEQUENCE CLUSTERED NONCLUSTERED FORCE EDITIONABLE NONEDITIONABLE
    ALGORITHM DEFINER RECURSIVE DATABASE SYNONYM DYNAMIC HYBRID MULTISET VOLATILE
    """.split()
)
FOLLOWING: dict[str, frozenset[str]] = {
    "CREATE": CREATED,
    "ALTER": frozenset("TABLE VIEW TYPE DOMAIN FOREIGN".split()),
    "DROP": frozenset("TABLE VIEW TYPE DOMAIN MATERIALIZED PROCEDURE FUNCTION TRIGGER SCHEMA".split()),
    "COMMENT": frozenset({"ON"}),
    "RENAME": frozenset({"TABLE"}),
    "EXEC": frozenset({"SP_RENAME", "SYS", "SP_ADDEXTENDEDPROPERTY", "SP_UPDATEEXTENDEDPROPERTY"}),
}
FOLLOWING["EXECUTE"] = FOLLOWING["EXEC"]
GRANTING = frozenset({"GRANT", "REVOKE", "DENY", ","})
LEADING = frozenset({";", "BEGIN", "THEN", "ELSE", "LOOP", ")", "NULL"})  # what a declaration may follow on its line
RUNNING = frozenset("EXEC EXECUTE IMMEDIATE SP_EXECUTESQL FORMAT FROM =".split())  # stands before a string that is run
CONCATENATING = frozenset("|+")
DECLARING = re.compile(r"(?i)\w?'\s*+(?:create|alter|drop|comment|exec)\s")
MAX_DEPTH = 3  # of statements in strings in statements


def items_by_line(body: Cursor) -> tuple[list[Cursor], int]:
    """Return the items of a body that has no end, and the index after it.

    A comma at the end of a line separates items however many parentheses are open, and a line that begins another
    statement ends the body. What the text breaks off in is left out.
    """
    script, tokens = body.script, body.tokens
    items: list[Cursor] = []
    first = index = body.index
    depth = 0
    while index < body.end:
        token = tokens[index]
        if begins(body, index) and script.opens_line(token.start):
            break
        depth += (token.key == "(") - (token.key == ")")
        ends_line = index + 1 >= body.end or script.line(tokens[index + 1].start) > script.line(token.start)
        if token.key == "," and (depth <= 0 or ends_line):
            items.append(body.within(first, index))
            first, depth = index + 1, 0
        index += 1
    rest = body.within(first, index)
    if depth == 0 and rest.end - rest.index > 1:  # a lone word may be half a name
        items.append(rest)
    return items, index


def begins(cursor: Cursor, index: int) -> bool:
    """Tell whether a token begins a declaration: CREATE TABLE, ALTER TABLE, COMMENT ON, ..."""
    token = cursor.tokens[index]
    following = FOLLOWING.get(token.key)
    if following is None or index + 1 >= cursor.end or cursor.tokens[index + 1].key not in following:
        return False
    if index == cursor.index:
        return True
    previous = cursor.tokens[index - 1].key
    if token.key == "CREATE":
        return previous not in GRANTING
    return previous in LEADING or cursor.script.opens_line(token.start)


def declarations(cursor: Cursor) -> Iterator[Cursor]:
    """Yield cursors over the declarations among tokens, at any depth; each ends at ";" or where the next begins."""
    start: int | None = None
    index = cursor.index
    while index < cursor.end:
        key = cursor.tokens[index].key
        if key == ";" or begins(cursor, index):
            if start is not None:
                yield cursor.within(start, index)
            start = None if key == ";" else index
        index = cursor.after(index) if start is not None else index + 1
    if start is not None:
        yield cursor.within(start, cursor.end)


def hidden_scripts(cursor: Cursor, *, depth: int = 0) -> Iterator[Script]:
    """Yield the texts in strings that are statements themselves: EXECUTE 'CREATE TABLE ...', DO $$ ... $$."""
    if depth >= MAX_DEPTH:
        return
    script = cursor.script
    backslash = "backslash" in script.dialect.escapes
    for index in range(cursor.index, cursor.end):
        token = cursor.tokens[index]
        if token.kind is not STRING or not (token.text[0] == "$" or _is_run(cursor, index)):
            continue
        text = string_value(token, backslash=backslash)
        yield scan(text, script.dialect, first_line=script.line(token.start))


def _is_run(cursor: Cursor, index: int) -> bool:
    """Tell whether a string is a whole statement that is run, and neither printed nor put together from pieces."""
    token = cursor.tokens[index]
    before = index - 2 if index > 1 and cursor.tokens[index - 1].key == "(" else index - 1
    if before < cursor.index or cursor.tokens[before].key not in RUNNING:
        return False
    if index + 1 < cursor.end and cursor.tokens[index + 1].key in CONCATENATING:
        return False
    return DECLARING.match(token.text) is not None
