"""SQL as code has it to the tables and columns that it touches, and how."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from coderag.sql.in_code.not_sql import in_capitals, is_convincing, is_prose
from coderag.sql.in_code.placeholders import CONSTANT
from coderag.sql.in_code.records import Access, TableUse
from coderag.sql.lineage.scopes import HOLE, STAR
from coderag.sql.lineage.usage import touched_by, usage_of_text
from coderag.sql.records import ColumnUse, Name
from coderag.sql.statements.parsing import EXPLAIN, SPACED, parse_statements

if TYPE_CHECKING:
    from sqlglot import exp

__all__ = ["ReadSql", "joined", "read_sql", "words_of_sql"]

MAX_PARSED = 20_000  # characters; sqlglot takes half a second for them
MAX_DEPTH = 60  # parentheses in each other; with many, sqlglot takes long
MAX_STATEMENTS = 200  # of one text
REMEMBERED = 1_024  # texts that were read: tests and generated code repeat theirs from file to file

CURSOR = re.compile(
    r"\A\s*+DECLARE\s+\S{1,100}\s+(?:\w+\s+){0,4}?CURSOR\s+(?:WITH(?:OUT)?\s+HOLD\s+)?FOR\s+", re.IGNORECASE
)
REPLACE = re.compile(r"(?<![\w.])REPLACE(?=\s+INTO\b)", re.IGNORECASE)
UPSERT = re.compile(r"\A\s*UPSERT(?=\s+INTO\b)", re.IGNORECASE)
SQLITE_OR = re.compile(r"\b(INSERT|UPDATE)\s+OR\s+(?:REPLACE|IGNORE|ABORT|FAIL|ROLLBACK)\b", re.IGNORECASE)
ROUTINES = re.compile(
    r"\s*CREATE\s+(?:OR\s+REPLACE\s+)?(?:\w+\s+){0,2}?(?:FUNCTION|PROCEDURE|TRIGGER)\b", re.IGNORECASE
)
CALLED = re.compile(r"\s*(?:CALL|EXEC|EXECUTE)\s+(?:@\w+\s*=\s*)?([\w.\[\]\"]+)", re.IGNORECASE)
NUMBERED = re.compile(rf"(?:{re.escape(STAR)}|{HOLE})_(\d{{1,4}})")
DELETED = re.compile(r"\bDELETE\s+(?:FROM\s+)?(?:ONLY\s+)?[\"`\[]?([\w.$]+)", re.IGNORECASE)


class ReadSql(NamedTuple):
    """What was read from a text of SQL."""

    tables: tuple[TableUse, ...] = ()
    columns: tuple[ColumnUse, ...] = ()
    calls: tuple[str, ...] = ()
    holes: bool = False  # some table's name is not known
    lost: str = ""
    temporary: tuple[Name, ...] = ()  # tables that it makes for the session
    parameters: tuple[tuple[int, Access], ...] = ()  # numbers of parameters that name tables, and what is done to them
    constants: tuple[str, ...] = ()  # the tables that are constants, as Statement has them


def read_sql(text: str, dialects: Sequence[str], *, name: str = "", sure: bool = True) -> ReadSql | None:
    """Return what a text does to tables; None for one that does not parse, or is no SQL.

    `dialects` are tried in turn. Of a text that is not `sure` to be SQL it is asked that it could be nothing else;
    `name` is what holds it.
    """
    return _read_text(text, tuple(dialects), "" if sure else name, sure)


@lru_cache(maxsize=REMEMBERED)
def _read_text(text: str, dialects: Sequence[str], name: str, sure: bool) -> ReadSql | None:
    if len(text) > MAX_PARSED or _depth(text) > MAX_DEPTH:
        return None
    bare = CURSOR.sub("", EXPLAIN.sub("", text, count=1), count=1)
    bare = REPLACE.sub("INSERT", UPSERT.sub("INSERT", SQLITE_OR.sub(r"\1", SPACED.sub(r"\1=", bare))))
    if ROUTINES.match(bare):
        return ReadSql() if sure else None
    for dialect in dialects:
        trees = parse_statements(bare, dialect)
        if not trees or not all(map(_is_understood, trees)):
            continue
        if not sure and not is_convincing(bare, trees, name=name):
            return None
        if sure and not in_capitals(bare) and is_prose(bare, trees):
            return ReadSql()
        return joined([_read(tree) for tree in trees[:MAX_STATEMENTS]])
    if sure and (match := CALLED.match(bare)) is not None:
        return ReadSql(calls=(match[1].replace('"', "").replace("[", "").replace("]", ""),))
    return None


def with_constants(read: ReadSql, constants: Sequence[str]) -> ReadSql:
    """Return what was read with constants as the names of the tables that `masked` numbered."""
    if not constants:
        return read
    names = {f"{CONSTANT}{number}": _dotted(constant) for number, constant in enumerate(constants)}
    return read._replace(
        tables=tuple(replace(use, table=names.get(use.table.name, use.table)) for use in read.tables),
        columns=tuple(
            replace(use, tables=tuple(names.get(name.name, name) for name in use.tables)) for use in read.columns
        ),
        constants=tuple(constants),
    )


def _dotted(constant: str) -> Name:
    holder, _, name = constant.rpartition(".")
    return Name(name, holder)


def words_of_sql(text: str, reason: str) -> ReadSql:
    """Return the tables that a text names where one does; `reason` says why it is not read as SQL."""
    usage = usage_of_text(text[: MAX_PARSED * 10])
    deleted = {match[1].casefold() for match in DELETED.finditer(text)}
    tables = [TableUse(read, Access.READ) for read in usage.reads]
    tables += [
        TableUse(write, Access.DELETE if str(write).casefold() in deleted else Access.WRITE) for write in usage.writes
    ]
    known = tuple(table for table in tables if not _is_hole(table.table))
    return ReadSql(known, calls=usage.calls, holes=len(known) < len(tables), lost=reason)


def _depth(text: str) -> int:
    depth = deepest = 0
    for sign in text:
        if sign == "(":
            depth += 1
            deepest = max(deepest, depth)
        elif sign == ")":
            depth -= 1
    return deepest


def _is_understood(tree: exp.Expr) -> bool:
    from sqlglot import exp

    if isinstance(tree, exp.Insert):
        return tree.args.get("expression") is not None or bool(tree.args.get("default")) or _has_columns(tree)
    if isinstance(tree, exp.Select):
        return bool(tree.expressions)
    if isinstance(tree, exp.Update):
        return any(isinstance(expression, exp.EQ) or HOLE in expression.sql() for expression in tree.expressions)
    if isinstance(tree, exp.Delete):
        return tree.this is not None or bool(tree.args.get("tables"))
    if isinstance(tree, exp.Create):
        return isinstance(tree.this, (exp.Table, exp.Schema, exp.Index)) or str(tree.args.get("kind")) != "TABLE"
    return isinstance(
        tree,
        (
            *(exp.Query, exp.DML, exp.Drop, exp.Alter, exp.TruncateTable, exp.Copy, exp.MultitableInserts, exp.Values),
            *(exp.Comment, exp.Set, exp.Transaction, exp.Commit, exp.Rollback, exp.Pragma, exp.Use, exp.Execute),
            *(exp.Describe, exp.Show, exp.Grant, exp.Analyze, exp.Cache, exp.Kill, exp.Attach),
        ),
    )


def _has_columns(tree: exp.Expr) -> bool:
    from sqlglot import exp

    return isinstance(tree.this, exp.Schema)


def _read(tree: exp.Expr) -> ReadSql:
    from sqlglot import exp

    if isinstance(tree, exp.Create):
        return _created(tree)
    if isinstance(tree, (exp.Drop, exp.Alter, exp.Comment)):
        return _defined(tree)
    if isinstance(tree, (exp.Set, exp.Pragma, exp.Use, exp.Show, exp.Describe, exp.Grant, exp.Analyze, exp.Kill)):
        return ReadSql()
    return _touched(tree)


def _touched(tree: exp.Expr) -> ReadSql:
    from sqlglot import exp

    touched = touched_by(tree)
    usage = touched.usage
    deleted = {name.key for name in touched.deleted}
    filled = {name.key for name in touched.filled}
    starred = {name.key for name in touched.starred}
    tables = [TableUse(name, Access.READ, whole=name.key in starred) for name in usage.reads]
    read = {name.key for name in usage.reads}
    for name in usage.writes:
        access = Access.DELETE if name.key in deleted else Access.WRITE
        tables.append(TableUse(name, access, whole=name.key in filled))
        if name.key in starred - read and access is Access.WRITE:
            tables.append(TableUse(name, Access.READ, whole=True))  # RETURNING *
    known = tuple(table for table in tables if not _is_hole(table.table))
    nodes = tree.find_all(exp.Table)
    holes = len(known) < len(tables) or any(HOLE in node.name for node in nodes)
    return ReadSql(
        known, tuple(_columns(usage.columns)), usage.calls, holes=holes, parameters=tuple(_parameters(tables))
    )


def _parameters(tables: Iterable[TableUse]) -> Iterable[tuple[int, Access]]:
    """Yield the numbers of the parameters among the names of tables: what `masked` wrote for them."""
    for use in tables:
        if (match := NUMBERED.fullmatch(use.table.name)) is not None:
            yield int(match[1]), use.access


def _columns(columns: Iterable[ColumnUse]) -> Iterable[ColumnUse]:
    for use in columns:
        tables = tuple(name for name in use.tables if not _is_hole(name))
        if tables:
            yield ColumnUse(use.column, tables, use.write)


def _created(tree: exp.Create) -> ReadSql:
    from sqlglot import exp

    target = tree.this.this if isinstance(tree.this, exp.Schema) else tree.this
    kind = str(tree.args.get("kind") or "").upper()
    if isinstance(target, exp.Index):
        target = target.args.get("table")
    elif kind not in {"TABLE", "VIEW"}:
        return ReadSql()
    query = tree.args.get("expression")
    read = _touched(query) if isinstance(query, exp.Query) else ReadSql()
    made = _names([target])
    properties = tree.args.get("properties")
    if properties is not None and properties.find(exp.TemporaryProperty) is not None:
        return read._replace(temporary=tuple(made), holes=False)
    return _with_defined(read, made)


def _defined(tree: exp.Expr) -> ReadSql:
    from sqlglot import exp

    kind = str(tree.args.get("kind") or "TABLE").upper()
    if isinstance(tree, exp.Drop) and kind == "INDEX":
        return ReadSql()
    if kind == "COLUMN" and isinstance(tree.this, exp.Column):
        return _with_defined(ReadSql(), [Name(tree.this.table, tree.this.db)])
    if kind not in {"TABLE", "VIEW", "MATERIALIZED VIEW"}:
        return ReadSql()
    return _with_defined(ReadSql(), _names([tree.this, *tree.expressions, *(tree.args.get("tables") or ())]))


def _names(nodes: Iterable[object]) -> list[Name]:
    from sqlglot import exp

    from coderag.sql.lineage.table_nodes import name_of

    return [name_of(node) for node in nodes if isinstance(node, exp.Table) and node.name]


def _with_defined(read: ReadSql, names: Sequence[Name]) -> ReadSql:
    known = [name for name in names if not _is_hole(name)]
    uses = tuple(TableUse(name, Access.DEFINE) for name in known)
    return read._replace(tables=(*uses, *read.tables), holes=read.holes or len(known) < len(names))


def _is_hole(name: Name) -> bool:
    return STAR in name.name or HOLE in name.name or not name.name


def joined(found: Sequence[ReadSql]) -> ReadSql:
    """Return several statements as one: each table with each access once."""
    tables: dict[tuple[object, ...], TableUse] = {}
    for sql in found:
        for use in sql.tables:
            key = (use.table.key, use.access)
            known = tables.get(key)
            if known is None or (use.whole and not known.whole):
                tables[key] = use
    return ReadSql(
        tuple(tables.values()),
        tuple(dict.fromkeys(use for sql in found for use in sql.columns)),
        tuple(dict.fromkeys(name for sql in found for name in sql.calls)),
        holes=any(sql.holes for sql in found),
        lost=next((sql.lost for sql in found if sql.lost), ""),
        temporary=tuple(dict.fromkeys(name for sql in found for name in sql.temporary)),
        parameters=tuple(dict.fromkeys(parameter for sql in found for parameter in sql.parameters)),
        constants=tuple(dict.fromkeys(name for sql in found for name in sql.constants)),
    )
