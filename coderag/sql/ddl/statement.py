"""One statement of DDL to operations.

Tokens are read, not a parser's trees: they have types, defaults and comments as written, a foreign dialect or an option
that nobody has heard of costs a column at most, and it takes a third of the time.
"""

from __future__ import annotations

from coderag.sql.ddl.elements import created_schema, in_schema
from coderag.sql.ddl.found import About, Found
from coderag.sql.ddl.objects import read_comment, read_drop, read_rename, read_unique_index
from coderag.sql.ddl.procedures import read_procedure_call
from coderag.sql.ddl.recover import declarations, hidden_scripts
from coderag.sql.ddl.routines import ROUTINE_KINDS, read_routine
from coderag.sql.ddl.tables.alter import read_alter_table
from coderag.sql.ddl.tables.create import read_table, read_view
from coderag.sql.ddl.typedefs import read_alter_type, read_domain, read_type_definition
from coderag.sql.records import ObjectKind
from coderag.sql.statements.cursor import Cursor
from coderag.sql.statements.dialect import Dialect
from coderag.sql.statements.lexer import Script, scan
from coderag.sql.statements.search_path import read_use
from coderag.sql.statements.split import Statement, StatementKind

__all__ = ["read_block", "read_ddl"]

KINDS = frozenset("TABLE VIEW INDEX TYPE DOMAIN SCHEMA".split()) | ROUTINE_KINDS.keys()
MODIFIERS = frozenset(
    """
    OR REPLACE ALTER REFRESH TEMP TEMPORARY GLOBAL LOCAL PRIVATE TRANSIENT VOLATILE MULTISET SET UNLOGGED EXTERNAL
    FOREIGN VIRTUAL DYNAMIC ICEBERG HYBRID IMMUTABLE BLOCKCHAIN SHARDED DUPLICATED STREAMING LIVE COLUMN ROW SNAPSHOT
    MATERIALIZED RECURSIVE FORCE NO NOFORCE EDITIONABLE NONEDITIONABLE EDITIONING SECURE UNIQUE CLUSTERED NONCLUSTERED
    CONSTRAINT TRUSTED PROCEDURAL BITMAP FULLTEXT SPATIAL HASH PUBLIC INCREMENTAL MASKED PERSISTENT MANAGED
    """.split()
)
SETTINGS = frozenset({"DEFINER", "ALGORITHM", "SQL"})  # of MySQL: DEFINER = `a`@`b` SQL SECURITY INVOKER
MAX_PREFIX = 40  # tokens between CREATE and the word for what is created


def read_ddl(statement: Statement, dialect: Dialect) -> Found:
    """Return what a statement declares; nothing for one that declares nothing that is kept."""
    script = scan(statement.text, dialect, first_line=statement.first_row + 1)
    about = About(dialect, statement.before, statement.after)
    if statement.kind is StatementKind.ROUTINE:
        return _read(Cursor(script), about)
    parts = list(declarations(Cursor(script)))
    if not parts or parts[0].index > 0:
        parts.insert(0, Cursor(script, 0, parts[0].index if parts else None))
    schema = created_schema(parts[0].within(0, parts[0].end)) if len(parts) > 1 else ""
    found = Found()
    for number, part in enumerate(parts):
        found.add(_read(part, about if number == 0 else About(dialect)))
        for rest in declarations(part):  # what follows a table whose parentheses have no end
            found.add(_read(rest, About(dialect)))
    if schema:
        found.operations = [in_schema(operation, schema) for operation in found.operations]
    return found


def read_block(statement: Statement, dialect: Dialect) -> Found:
    """Return what a block declares: IF ... CREATE TABLE ..., DO $$ ... $$, EXECUTE 'CREATE TABLE ...'."""
    return _read_hidden(scan(statement.text, dialect, first_line=statement.first_row + 1), dialect, depth=0)


def _read_hidden(script: Script, dialect: Dialect, *, depth: int) -> Found:
    found = Found()
    cursor = Cursor(script)
    for part in declarations(cursor):
        found.add(_read(part, About(dialect)))
    for hidden in hidden_scripts(cursor, depth=depth):
        found.add(_read_hidden(hidden, dialect, depth=depth + 1))
    return found


def _read(cursor: Cursor, about: About) -> Found:
    """Read one declaration from its first word on, and move to its end."""
    first, key = cursor.index, cursor.key
    if key == "CREATE" or (key == "ALTER" and _is_restated(cursor)):
        return _read_create(cursor, about, first=first)
    if key == "ALTER":
        found = _read_alter(cursor, about, first=first)
    elif key in ("EXEC", "EXECUTE", "CALL") or key.startswith("SP_"):
        found = read_procedure_call(cursor, first=first)
    elif cursor.accept("DROP"):
        found = read_drop(cursor, first=first)
    elif cursor.accept("COMMENT", "ON"):
        found = read_comment(cursor, first=first)
    elif cursor.accept("RENAME"):
        found = read_rename(cursor, first=first)
    else:
        found = Found()
    cursor.index = cursor.end
    return found


def _is_restated(cursor: Cursor) -> bool:
    """Tell whether ALTER redefines a routine or view: T-SQL's ALTER PROCEDURE ... AS, ALTER VIEW ... AS."""
    kind = cursor.ahead(1).key
    rest = cursor.within(cursor.index, cursor.end)
    if kind in ("PROCEDURE", "PROC", "FUNCTION", "TRIGGER"):
        return rest.skip_to({"BEGIN", "AS"})
    return kind == "VIEW" and rest.skip_to({"AS"})


def _read_create(cursor: Cursor, about: About, *, first: int) -> Found:
    """Read what is created; of a table whose parentheses have no end, the rest is left."""
    modifiers = {cursor.key} & {"ALTER"}
    cursor.index += 1
    if not _read_modifiers(cursor, modifiers):
        cursor.index = cursor.end
        return Found()  # an extension, a role, a sequence, ...
    kind = cursor.key
    cursor.index += 1
    if kind == "TABLE":
        return read_table(cursor, about, first=first, modifiers=modifiers)
    if kind == "VIEW":
        found = read_view(cursor, about, first=first, modifiers=modifiers)
    elif kind in ROUTINE_KINDS:
        found = read_routine(cursor, about, first=first, kind=ROUTINE_KINDS[kind], modifiers=modifiers)
    elif kind == "INDEX" and "UNIQUE" in modifiers:
        found = read_unique_index(cursor, first=first)
    elif kind == "TYPE":
        found = read_type_definition(cursor, about, first=first)
    elif kind == "DOMAIN":
        found = read_domain(cursor, about, first=first)
    else:
        found = Found()
    cursor.index = cursor.end
    return found


def _read_modifiers(cursor: Cursor, modifiers: set[str]) -> bool:
    """Read up to the word for what is created; tell whether there is one that is known."""
    for _ in range(MAX_PREFIX):
        key = cursor.key
        if key in KINDS:
            return True
        if cursor.done or (key not in MODIFIERS | SETTINGS and not modifiers & SETTINGS):
            return False
        modifiers.add(key)
        cursor.index += 1
    return False


def _read_alter(cursor: Cursor, about: About, *, first: int) -> Found:
    if cursor.ahead(1).key == "SESSION":
        return read_use(cursor, first=first)
    cursor.index += 1
    cursor.accept_any({"ONLINE", "OFFLINE", "IGNORE"})
    if cursor.accept("TYPE"):
        return read_alter_type(cursor, first=first)
    for words, kind in ALTERED:
        if cursor.accept(*words):
            return read_alter_table(cursor, about, first=first, kind=kind)
    return Found()


ALTERED = (
    (("TABLE",), ObjectKind.TABLE),
    (("FOREIGN", "TABLE"), ObjectKind.EXTERNAL_TABLE),
    (("EXTERNAL", "TABLE"), ObjectKind.EXTERNAL_TABLE),
    (("VIEW",), ObjectKind.VIEW),
    (("MATERIALIZED", "VIEW"), ObjectKind.MATERIALIZED_VIEW),
)
