"""ALTER TABLE, in any dialect, to what it changes, action by action."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from coderag.sql.ddl.found import About, Found
from coderag.sql.ddl.tables.alter_column import defined_anew, read_change
from coderag.sql.ddl.tables.column_comments import Place, notes_of
from coderag.sql.ddl.tables.columns import read_column
from coderag.sql.ddl.tables.constraints import Constraint, read_constraints
from coderag.sql.ddl.tables.expressions import KNOWN_TYPES, described
from coderag.sql.records import (
    AddColumn,
    AddConstraint,
    AlterColumn,
    CommentOn,
    Describe,
    DropColumn,
    DropConstraint,
    Name,
    ObjectKind,
    Rename,
    RenameColumn,
    SchemaOperation,
    Source,
    Table,
)
from coderag.sql.statements.cursor import Cursor
from coderag.sql.statements.lexer import END

__all__ = ["read_alter_table"]

VERBS = frozenset("ADD DROP ALTER MODIFY CHANGE RENAME".split())
LISTING = frozenset({"ADD", "MODIFY", "DROP"})  # they take lists, and need no comma between them in Oracle and DB2
COLUMN = frozenset({"COLUMN", "COLUMNS"})
NO_COLUMNS = frozenset("PARTITION SUPPLEMENTAL PERIOD PROJECTION STATISTICS TAG ROW SEARCH".split())  # that are added
KEYS = frozenset("CONSTRAINT FOREIGN INDEX KEY CHECK UNIQUE".split())  # that are dropped by name
MODIFIED = frozenset("ORDER SETTING TTL SAMPLE QUERY PARTITION CONSTRAINT PRIMARY".split())  # besides columns
# Actions that change nothing of what is kept of a table.
IGNORED = frozenset(
    """
    OWNER ENABLE DISABLE CLUSTER REPLICA FORCE NO VALIDATE CHECK NOCHECK REBUILD ENGINE AUTO_INCREMENT CONVERT DEFAULT
    ORDER CHARACTER CHARSET COLLATE ROW_FORMAT LOCK ALGORITHM PARTITION REORGANIZE TRUNCATE EXCHANGE COALESCE ANALYZE
    OPTIMIZE TABLESPACE MOVE SHRINK LOGGING NOLOGGING PARALLEL NOPARALLEL CACHE NOCACHE INITRANS PCTFREE SWITCH GRANT
    UPDATE DELETE RESET DETACH NOT DISCARD IMPORT RECLUSTER SUSPEND RESUME SWAP UNSET REFRESH RECOVER MATERIALIZE CLEAR
    FREEZE UNFREEZE FETCH ACTIVATE DEACTIVATE DATA APPEND LOCATION SPLIT MERGE ORGANIZE READ KEY INDEX STATS ROW DEPENDS
    TOUCH ARCHIVE UNARCHIVE COMPACT CONCATENATE INMEMORY RESULT_CACHE FLASHBACK STORAGE PCTUSED MAXTRANS COMPRESS
    NOCOMPRESS WITH
    """.split()
)


class Target(NamedTuple):
    """What an action changes, and where what comes of it goes."""

    table: Name
    kind: ObjectKind
    source: Source
    found: Found
    note: str = ""  # the comment behind the action
    dropped: str = ""  # what DROP drops where it does not say

    def add(self, *operations: SchemaOperation) -> None:
        """Take what an action does."""
        self.found.operations += operations

    def lose(self, action: Cursor, reason: str, *, first: int) -> None:
        """Note that an action could not be read."""
        self.found.lose(action, f"{reason}, of {self.table}", first=first, table=True)


def read_alter_table(cursor: Cursor, about: About, *, first: int, kind: ObjectKind = ObjectKind.TABLE) -> Found:
    """Read ALTER TABLE from behind the word TABLE."""
    found = Found()
    cursor.accept("IF", "EXISTS")
    cursor.accept("ONLY")
    table = cursor.name()
    if table is None:
        found.lose(cursor, "the name of the table could not be read", first=first, table=True)
        return found
    cursor.accept("*")
    if cursor.accept("ON", "CLUSTER"):
        cursor.parts()
    if cursor.key == "WITH":  # T-SQL: WITH CHECK ADD CONSTRAINT ...
        cursor.index += 1
        cursor.accept_any({"CHECK", "NOCHECK"})
    target = Target(table, kind, cursor.source(first), found)
    actions = list(_actions(cursor))
    verb = dropped = ""
    for action, note in zip(actions, _notes(cursor, actions, about), strict=True):
        verb = _verb(action, verb)
        if verb == "DROP":
            dropped = _dropped(action, dropped)
        _read_action(action, target._replace(note=note, dropped=dropped), verb)
    return found


def _actions(cursor: Cursor) -> Iterator[Cursor]:
    """Yield the actions, which commas separate, or not."""
    for item in cursor.items():
        start = index = item.index
        while index < item.end:
            key = item.tokens[index].key
            if index > start and key in LISTING and item.tokens[start].key in LISTING and _starts(item, index):
                yield item.within(start, index)
                start = index
            index = item.after(index)
        if start < item.end:
            yield item.within(start, item.end)


def _starts(item: Cursor, index: int) -> bool:
    """Tell whether a verb is one, and not a name behind a word that needs one."""
    return item.tokens[index - 1].key not in ("ADD", "DROP", "COLUMN", "MODIFY", "EXISTS", ".", "CONSTRAINT")


def _notes(cursor: Cursor, actions: list[Cursor], about: About) -> list[str]:
    """Return the comments behind the actions."""
    if not actions:
        return []
    tokens = cursor.tokens
    places = [Place(tokens[action.index].start, tokens[action.end - 1].end) for action in actions]
    notes = notes_of(cursor.script, places, start=places[0].start, end=places[-1].end).items
    return notes if len(notes) > 1 else [notes[0] or about.after]


def _verb(action: Cursor, verb: str) -> str:
    """Return what an action does; one of a list (ADD a int, b int) does what the one before it does."""
    key, following = action.key, action.ahead(1).key
    if key in VERBS or following == "=" or verb not in LISTING:
        return key
    if action.end - action.index == 1 or key not in READERS.keys() | IGNORED or following in KNOWN_TYPES:
        return verb
    return key


def _dropped(action: Cursor, before: str) -> str:
    """Return whether an action drops a column or a constraint, as it says or the one before it said."""
    key = action.key
    if key == "DROP":
        before = "CONSTRAINT" if action.script.dialect.name == "tsql" else "COLUMN"
        key = action.ahead(1).key
    return key if key in ("COLUMN", "CONSTRAINT") else before


def _read_action(action: Cursor, target: Target, verb: str) -> None:
    first = action.index
    if action.key == verb:
        action.index += 1
    reader = READERS.get(verb)
    if reader is not None:
        reader(action, target)
    elif verb not in IGNORED:
        target.lose(action, "an action that is not known", first=first)


def _add(action: Cursor, target: Target) -> None:
    inside = action.group()  # Oracle, MySQL: ADD (a int, b int)
    for item in inside.items() if inside else (action,):
        _add_item(item, target)


def _add_item(item: Cursor, target: Target) -> None:
    if item.key in NO_COLUMNS and item.ahead(1).key not in KNOWN_TYPES:
        return
    first = item.index
    constraints = read_constraints(item) if item.key != "COLUMN" else []
    if constraints:
        _add_constraints(constraints, target, item, first=first)
        return
    item.accept_any(COLUMN)
    if_missing = item.accept("IF", "NOT", "EXISTS")
    inside = item.group()
    for each in inside.items() if inside else (item,):
        _add_column(each, target, if_missing=if_missing)


def _add_constraints(constraints: list[Constraint], target: Target, item: Cursor, *, first: int) -> None:
    for constraint in constraints:
        if constraint.lost:
            target.lose(item, constraint.lost, first=first)
        target.add(*_added(constraint, target))


def _added(constraint: Constraint, target: Target) -> Iterator[SchemaOperation]:
    """Yield what a constraint changes of a table that exists."""
    table, source = target.table, target.source
    if constraint.default is not None:
        column, text = constraint.default
        yield AlterColumn(table, column, default=text, source=source)
    if constraint.primary_key or constraint.unique or constraint.foreign_key or constraint.check or constraint.index:
        yield AddConstraint(
            table,
            constraint.name,
            primary_key=constraint.primary_key,
            unique=constraint.unique,
            foreign_key=constraint.foreign_key,
            check=constraint.check,
            source=source,
            index=constraint.index,
            primary=constraint.primary,
        )
    for column, values in constraint.values.items():
        yield AlterColumn(table, column, values=values, source=source)


def _add_column(item: Cursor, target: Target, *, if_missing: bool) -> None:
    first = item.index
    definition = read_column(item)
    if definition is None:
        target.lose(item, "a column that could not be read", first=first)
        return
    column = definition.column(item, first=first, comment=target.note)
    target.add(
        AddColumn(target.table, column, after=definition.after, if_missing=if_missing, source=target.source),
    )
    _add_constraints(definition.constraints, target, item, first=first)


def _drop(action: Cursor, target: Target) -> None:
    table, source = target.table, target.source
    if action.accept("PRIMARY", "KEY"):
        target.add(DropConstraint(table, primary_key=True, source=source))
    elif action.key in NO_COLUMNS and action.ahead(1) is not END:
        return
    elif action.key in KEYS and action.ahead(1) is not END:
        _drop_key(action, target)
    elif target.dropped == "CONSTRAINT":
        _drop_named(action, target)
    else:
        action.accept_any(COLUMN)
        if_exists = action.accept("IF", "EXISTS")
        inside = action.group()
        for item in inside.items() if inside else (action,):
            first, name = item.index, item.identifier()
            if name is None:
                target.lose(item, "what is dropped could not be read", first=first)
            else:
                target.add(DropColumn(table, name, if_exists=if_exists, source=source))


def _drop_key(action: Cursor, target: Target) -> None:
    if action.accept("UNIQUE") and action.key == "(":
        target.add(DropConstraint(target.table, columns=action.columns() or (), source=target.source))
        return
    action.accept_any(KEYS)
    action.accept("KEY")
    _drop_named(action, target)


def _drop_named(action: Cursor, target: Target) -> None:
    if_exists = action.accept("IF", "EXISTS")
    for name in action.parts()[-1:]:
        target.add(DropConstraint(target.table, name, if_exists=if_exists, source=target.source))


def _alter(action: Cursor, target: Target) -> None:
    if action.key in ("CONSTRAINT", "INDEX", "CHECK"):
        return
    first = action.index
    action.accept("COLUMN")
    action.accept("IF", "EXISTS")
    name = action.identifier()
    if name is None:
        target.lose(action, "which column is changed could not be read", first=first)
        return
    changed = read_change(action, AlterColumn(target.table, name, source=target.source))
    if changed is not None:
        target.add(changed)


def _modify(action: Cursor, target: Target) -> None:
    """MODIFY: MySQL's restates a whole column; Oracle's what changes, of several columns in parentheses."""
    if action.accept("COMMENT"):  # ClickHouse: of the table
        target.add(CommentOn(target.table, action.string() or "", target.kind, source=target.source))
        return
    if action.key in MODIFIED:
        return
    action.accept("COLUMN")
    action.accept("IF", "EXISTS")
    inside = action.group()
    for item in inside.items() if inside else (action,):
        item.accept("COLUMN")
        first, name = item.index, item.identifier()
        if name is None:
            target.lose(item, "which column is changed could not be read", first=first)
        else:
            _define(name, item, target)


def _define(name: str, item: Cursor, target: Target) -> None:
    """Take what a definition says of a column that exists."""
    first = item.index
    changed, definition = defined_anew(item, AlterColumn(target.table, name, source=target.source))
    if changed is not None:
        target.add(changed)
    constraints = definition.constraints if definition else []
    _add_constraints(constraints, target, item, first=first)


def _change(action: Cursor, target: Target) -> None:
    """MySQL: CHANGE old new definition."""
    first = action.index
    action.accept("COLUMN")
    action.accept("IF", "EXISTS")
    old, new = action.identifier(), action.identifier()
    if old is None or new is None:
        target.lose(action, "which column is changed could not be read", first=first)
        return
    if old != new:
        target.add(RenameColumn(target.table, old, new, source=target.source))
    _define(new, action, target)


def _rename(action: Cursor, target: Target) -> None:
    if action.accept_any({"TO", "AS"}):
        _rename_table(action, target)
        return
    if action.key in ("CONSTRAINT", "INDEX", "KEY", "PARTITION") and action.ahead(2).key == "TO":
        return
    first = action.index
    action.accept("COLUMN")
    action.accept("IF", "EXISTS")
    old = action.identifier()
    if old is not None and action.accept("TO") and (new := action.identifier()) is not None:
        target.add(RenameColumn(target.table, old, new, source=target.source))
    elif old is not None and action.done:  # MySQL: RENAME new_name
        _rename_table(action.within(first, action.end), target)
    else:
        target.lose(action, "what is renamed could not be read", first=first)


def _rename_table(action: Cursor, target: Target) -> None:
    first, to = action.index, action.name()
    if to is None:
        target.lose(action, "the new name could not be read", first=first)
        return
    to = to if to.schema else Name(to.name, target.table.schema, target.table.database)
    target.add(Rename(target.table, to, target.kind, target.source))


def _set(action: Cursor, target: Target) -> None:
    """SET SCHEMA, or the comment in the ways of Snowflake, BigQuery and Databricks."""
    if action.accept("SCHEMA"):
        if (schema := action.identifier()) is not None:
            to = Name(target.table.name, schema, target.table.database)
            target.add(Rename(target.table, to, target.kind, target.source))
        return
    comment = None
    if action.accept("COMMENT"):
        action.accept("=")
        comment = action.string()
    elif action.accept_any({"OPTIONS", "TBLPROPERTIES"}) and (options := action.group()) is not None:
        comment = described(options)
    if comment is not None:
        target.add(CommentOn(target.table, comment, target.kind, source=target.source))


def _comment(action: Cursor, target: Target) -> None:
    """COMMENT = 'x', and ClickHouse's COMMENT COLUMN c 'x'."""
    column = None
    if action.accept("COLUMN"):
        action.accept("IF", "EXISTS")
        column = action.identifier()
    action.accept("=")
    text = action.string()
    if text is not None and column is not None:
        target.add(AlterColumn(target.table, column, comment=text, source=target.source))
    elif text is not None:
        target.add(CommentOn(target.table, text, target.kind, source=target.source))


def _attach(action: Cursor, target: Target) -> None:
    """ATTACH PARTITION: the other table is a part of this one."""
    if action.accept("PARTITION") and (child := action.name()) is not None:
        target.add(Describe(Table(child, parent=target.table, partition=True, sources=(target.source,))))


def _inherit(action: Cursor, target: Target) -> None:
    if (parent := action.name()) is not None:
        target.add(Describe(Table(target.table, parent=parent, sources=(target.source,))))


READERS: dict[str, Callable[[Cursor, Target], None]] = {
    "ADD": _add,
    "DROP": _drop,
    "ALTER": _alter,
    "MODIFY": _modify,
    "CHANGE": _change,
    "RENAME": _rename,
    "SET": _set,
    "COMMENT": _comment,
    "ATTACH": _attach,
    "INHERIT": _inherit,
}
