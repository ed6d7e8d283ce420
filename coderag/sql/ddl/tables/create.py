"""CREATE TABLE and CREATE VIEW to tables, in any dialect."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

from coderag.sql.ddl.found import About, Found
from coderag.sql.ddl.tables.body import Body, read_body
from coderag.sql.ddl.tables.column_comments import table_comment
from coderag.sql.ddl.tables.columns import read_column
from coderag.sql.ddl.tables.constraints import read_constraints
from coderag.sql.ddl.tables.expressions import described
from coderag.sql.ddl.views import read_view_query
from coderag.sql.records import Column, CreateTable, Name, ObjectKind, Origin, Table
from coderag.sql.statements.cursor import Cursor
from coderag.sql.statements.lexer import NAME

__all__ = ["read_table", "read_view"]

QUERY_STARTS = frozenset("SELECT WITH VALUES FROM TABLE EXECUTE (".split())
EXTERNAL = frozenset("EXTERNAL FOREIGN VIRTUAL".split())
TEMPORARY = frozenset("TEMP TEMPORARY VOLATILE".split())
PARENTS = frozenset("LIKE CLONE COPY".split())
# What follows the columns, or the name where there are none.
OPTIONS = frozenset(
    "FOR AS COMMENT OPTIONS INHERITS SELECT DEFAULT ENGINE WITH PARTITION PARTITIONED CLUSTER CLUSTERED ORDER".split()
)


@dataclass(slots=True)
class Declared:
    """What is said of a table or view outside of its parentheses."""

    body: Body = field(default_factory=Body)
    comment: str = ""
    parent: Name | None = None
    partition: bool = False
    query: Cursor | None = None


def read_table(cursor: Cursor, about: About, *, first: int, modifiers: Collection[str]) -> Found:
    """Read a table from behind the word TABLE; `modifiers` are the words before it."""
    found = Found()
    if_missing = cursor.accept("IF", "NOT", "EXISTS")
    name = cursor.name()
    if name is None:
        found.lose(cursor, "the name of the table could not be read", first=first, table=True)
        return found
    quoted = cursor.tokens[cursor.index - 1].kind is NAME
    if cursor.done:
        found.lose(cursor, "the table has no columns", first=first, table=True)
    declared = Declared()
    _read_before_body(cursor, declared)
    if _is_query(cursor):
        declared.query = cursor.group()
    elif cursor.key == "(":
        declared.body = read_body(cursor, found, first=first)
    _read_options(cursor, declared)
    body = declared.body
    table = Table(
        name=name,
        kind=ObjectKind.EXTERNAL_TABLE if EXTERNAL.intersection(modifiers) else ObjectKind.TABLE,
        columns=tuple(body.finished()),
        primary_key=body.primary_key,
        unique=tuple(body.unique),
        foreign_keys=tuple(body.foreign_keys),
        checks=tuple(body.checks),
        comment=declared.comment or table_comment(about.before, body.note, about.after),
        parent=declared.parent or body.parent,
        partition=declared.partition,
        temporary=bool(TEMPORARY.intersection(modifiers)) or _is_temporary(name),
        quoted=quoted,
        origins=(Origin.DDL,),
        sources=(cursor.within(first, cursor.index).source(),),
    )
    if declared.query is not None:
        table = read_view_query(table, declared.query, about, found=found, first=first)
    found.operations.append(CreateTable(table, if_missing=if_missing, replace="REPLACE" in modifiers))
    return found


def _is_temporary(name: Name) -> bool:
    """Tell whether a name is that of a temporary table in T-SQL; #{x} is a template."""
    return name.name.startswith("#") and not name.name.startswith("#{")


def _is_query(cursor: Cursor) -> bool:
    """Tell whether parentheses come next that hold a query: CREATE TABLE t (SELECT ...)."""
    if cursor.key != "(":
        return False
    first = cursor.ahead(1).key
    return first == "SELECT" or (first == "WITH" and "AS" in (cursor.ahead(3).key, cursor.ahead(4).key))


def _read_before_body(cursor: Cursor, said: Declared) -> None:
    """Read what stands between the name and the columns."""
    while not cursor.done and cursor.key != "(":
        if cursor.accept("PARTITION", "OF"):
            said.parent, said.partition = cursor.name(), True
        elif cursor.accept_any(PARENTS):
            cursor.accept("GRANTS")
            said.parent = cursor.name()
        elif cursor.accept("ON", "CLUSTER") or cursor.accept("USING"):  # CREATE VIRTUAL TABLE t USING fts5(title)
            cursor.parts()
        elif cursor.key in OPTIONS:
            return
        else:
            cursor.index += 1


def _read_options(cursor: Cursor, said: Declared) -> None:
    """Read what follows the columns."""
    while not cursor.done:
        if _read_comment(cursor, said) or _read_query(cursor, said):
            continue
        if cursor.key in ("INHERITS", "LIKE") and said.parent is None:
            cursor.index += 1
            parents = cursor.group() or cursor
            said.parent = parents.name()
        elif cursor.accept("PARTITIONED", "BY"):
            said.body.columns += _partition_columns(cursor)
        elif cursor.key in ("PRIMARY", "UNIQUE") and cursor.ahead(1).key == "KEY":  # ClickHouse, StarRocks
            end = cursor.after(min(cursor.index + 2, cursor.end - 1))
            for constraint in read_constraints(cursor.within(cursor.index, end))[:1]:
                said.body.take(constraint)
            cursor.index = end
        else:
            cursor.skip()


def _read_comment(cursor: Cursor, said: Declared) -> bool:
    """Read COMMENT = 'x', OPTIONS (description = 'x') or TBLPROPERTIES ('comment' = 'x')."""
    if cursor.accept("COMMENT"):
        cursor.accept("=")
        said.comment = cursor.string() or said.comment
        return True
    if cursor.accept_any({"OPTIONS", "TBLPROPERTIES"}):
        options = cursor.group()
        said.comment = (described(options) if options else None) or said.comment
        return True
    return False


def _read_query(cursor: Cursor, said: Declared) -> bool:
    """Read AS and a query, or MySQL's query without AS."""
    if cursor.key == "AS" and cursor.ahead(1).key in QUERY_STARTS:
        cursor.index += 1
    elif cursor.key != "SELECT":
        return False
    said.query = cursor.within(cursor.index, cursor.end)
    cursor.index = cursor.end
    return True


def _partition_columns(cursor: Cursor) -> Iterator[Column]:
    """Yield the columns of Hive's PARTITIONED BY (day STRING); those that are named only are columns already."""
    inside = cursor.group()
    for item in inside.items() if inside else ():
        first = item.index
        definition = read_column(item)
        if definition is not None and definition.type and definition.type[0] != "(":
            yield definition.column(item, first=first)


def read_view(cursor: Cursor, about: About, *, first: int, modifiers: Collection[str]) -> Found:
    """Read a view from behind the word VIEW."""
    found = Found()
    if_missing = cursor.accept("IF", "NOT", "EXISTS")
    name = cursor.name()
    if name is None:
        found.lose(cursor, "the name of the view could not be read", first=first, table=True)
        return found
    declared = Declared()
    if cursor.key == "(":
        declared.body = read_body(cursor, found, first=first)
    while not cursor.done and declared.query is None:
        if _read_comment(cursor, declared):
            continue
        if cursor.accept("AS"):
            declared.query = cursor.within(cursor.index, cursor.end)
        else:
            cursor.skip()
    view = Table(
        name=name,
        kind=ObjectKind.MATERIALIZED_VIEW if "MATERIALIZED" in modifiers else ObjectKind.VIEW,
        columns=tuple(declared.body.columns),
        comment=declared.comment or table_comment(about.before, declared.body.note, about.after),
        temporary=bool(TEMPORARY.intersection(modifiers)),
        origins=(Origin.DDL,),
        sources=(cursor.within(first, cursor.end).source(),),
    )
    if declared.query is None:
        found.lose(cursor, "the view has no query", first=first, table=True)
    else:
        view = read_view_query(view, declared.query, about, found=found, first=first)
    replaces = bool({"REPLACE", "ALTER"}.intersection(modifiers))
    found.operations.append(CreateTable(view, if_missing=if_missing, replace=replaces))
    return found
