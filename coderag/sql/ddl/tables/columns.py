"""The definition of a column, in any dialect, and the keys that it declares."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from coderag.sql.ddl.tables.constraints import Constraint, read_condition, read_reference
from coderag.sql.ddl.tables.expressions import KNOWN_TYPES, begins_option, described, read_expression, read_type
from coderag.sql.records import Column
from coderag.sql.statements.cursor import Cursor
from coderag.sql.statements.lexer import NAME, SIGN, STRING, WORD, string_value

__all__ = ["ColumnDefinition", "read_column"]

SERIAL = frozenset("SERIAL BIGSERIAL SMALLSERIAL SERIAL2 SERIAL4 SERIAL8".split())
ENUMS = frozenset({"ENUM", "ENUM8", "ENUM16", "SET"})
NUMBERING = ("nextval(", "next value for")  # beginnings of defaults that take numbers from a sequence
ROWS = frozenset({"ROW", "TRANSACTION_ID", "SEQUENCE_NUMBER"})  # GENERATED ALWAYS AS ROW START: of a temporal table
MAX_NAME_TOKENS = 16  # of a name that lacks its quotes


@dataclass(slots=True)
class ColumnDefinition:
    """What a definition says of a column; a field that it leaves out is None."""

    name: str
    type: str = ""
    nullable: bool | None = None
    default: str | None = None
    comment: str | None = None
    generated: str = ""
    identity: bool = False
    values: tuple[str, ...] = ()
    constraints: list[Constraint] = field(default_factory=list)
    after: str | None = None
    constraint: str = ""  # the name of the constraint that is read next
    quoted: bool = False
    is_option: bool = False  # no column: an argument of a virtual table's module

    def column(self, cursor: Cursor, *, first: int, comment: str = "") -> Column:
        """Return the record; the comment counts where the definition has none."""
        nullable = self.nullable is not False and not self.identity
        if cursor.script.dialect.name == "clickhouse":  # where nothing is NULL unless its type says so
            nullable = "nullable(" in self.type.lower()
        return Column(
            name=self.name,
            type=self.type,
            nullable=nullable,
            default=self.default or "",
            comment=self.comment or comment,
            values=self.values,
            generated=self.generated,
            identity=self.identity,
            quoted=self.quoted,
            source=cursor.source(first),
        )


def read_column(cursor: Cursor) -> ColumnDefinition | None:
    """Read the definition of a column, up to the cursor's end; None, and no move, where no name comes first."""
    quoted = cursor.token.kind is NAME
    name = _read_name(cursor)
    if name is None:
        return None
    column_definition = ColumnDefinition(name, quoted=quoted, is_option=cursor.key == "=")
    column_definition.values = _enum_values(cursor)
    column_definition.type = read_type(cursor)
    column_definition.identity = column_definition.type.upper() in SERIAL
    while not cursor.done:
        start = cursor.index
        reader = READERS.get(cursor.key)
        if reader is not None:
            reader(cursor, column_definition)
        if cursor.index == start:  # an option that is not known, or half of one
            cursor.skip()
    return column_definition


def _read_name(cursor: Cursor) -> str | None:
    """Read the name; tools write some without the quotes that they need: qty_sold(kg) REAL, Unnamed: 2 TEXT."""
    first, start = cursor.index, cursor.token.start
    name = cursor.identifier()
    if name is None or cursor.done:
        return name
    token, previous = cursor.token, cursor.tokens[first]
    if previous.kind is not WORD or token.kind is not SIGN or token.key in ("[", "<", "="):
        return name
    if token.key == "(" and not (token.start == previous.end and _is_type(cursor, cursor.after(cursor.index))):
        return name
    for index in range(cursor.index, min(cursor.end, cursor.index + MAX_NAME_TOKENS)):
        if _is_type(cursor, index):
            cursor.index = index
            return cursor.script.text[start : cursor.tokens[index - 1].end]
    return name


def _is_type(cursor: Cursor, index: int) -> bool:
    return index < cursor.end and cursor.tokens[index].key in KNOWN_TYPES


def _enum_values(cursor: Cursor) -> tuple[str, ...]:
    """Return the values of the ENUM or SET that comes next."""
    if cursor.key not in ENUMS:
        return ()
    inside = cursor.within(cursor.index + 1, cursor.end).group()
    if inside is None:
        return ()
    backslash = "backslash" in cursor.script.dialect.escapes
    values = (item.token for item in inside.items())
    return tuple(string_value(token, backslash=backslash) for token in values if token.kind in (STRING, NAME))


def _read_constraint_name(cursor: Cursor, found: ColumnDefinition) -> None:
    cursor.index += 1
    found.constraint = ".".join(cursor.parts()[-1:])


def _read_not(cursor: Cursor, found: ColumnDefinition) -> None:
    if cursor.accept("NOT", "NULL"):
        found.nullable = False
    elif not cursor.accept("NOT", "FOR", "REPLICATION"):  # NOT DEFERRABLE, NOT ENFORCED, ...
        cursor.index = min(cursor.index + 2, cursor.end)


def _read_null(cursor: Cursor, found: ColumnDefinition) -> None:
    cursor.index += 1
    found.nullable = found.nullable is not False


def _read_default(cursor: Cursor, found: ColumnDefinition) -> None:
    cursor.index += 1
    cursor.accept("ON", "NULL")
    found.default = read_expression(cursor)
    found.identity = found.identity or found.default.lower().startswith(NUMBERING)


def _read_primary_key(cursor: Cursor, found: ColumnDefinition) -> None:
    """Read PRIMARY KEY, or MySQL's KEY."""
    cursor.index += 2 if cursor.ahead(1).key == "KEY" else 1
    columns = _own_columns(cursor)
    found.nullable = found.nullable if columns else False
    found.constraints.append(Constraint(found.constraint, primary_key=columns or (found.name,)))


def _read_unique(cursor: Cursor, found: ColumnDefinition) -> None:
    cursor.index += 1
    cursor.accept("KEY")
    found.constraints.append(Constraint(found.constraint, unique=_own_columns(cursor) or (found.name,)))


def _own_columns(cursor: Cursor) -> tuple[str, ...]:
    """Read the columns that follow a key at a column, where it is one of the table after a missing comma."""
    while cursor.key in ("CLUSTERED", "NONCLUSTERED", "ASC", "DESC", "HASH"):
        cursor.index += 1
    return cursor.columns() or ()


def _read_check(cursor: Cursor, found: ColumnDefinition) -> None:
    cursor.index += 1
    cursor.accept("NOT", "FOR", "REPLICATION")
    text, values = read_condition(cursor)
    found.constraints.append(Constraint(found.constraint, check=text, values=values))


def _read_reference(cursor: Cursor, found: ColumnDefinition) -> None:
    """Read REFERENCES, or FOREIGN KEY (a) REFERENCES after a missing comma."""
    columns: tuple[str, ...] = (found.name,)
    if cursor.accept("FOREIGN", "KEY"):
        columns = cursor.columns() or columns
    if cursor.key != "REFERENCES":
        return
    reference = read_reference(cursor, columns, name=found.constraint)
    lost = "" if reference else "a foreign key to no table"
    found.constraints.append(Constraint(found.constraint, foreign_key=reference, lost=lost))


def _read_comment(cursor: Cursor, found: ColumnDefinition) -> None:
    cursor.index += 1
    cursor.accept("=")
    comment = cursor.string()
    found.comment = found.comment if comment is None else comment


def _read_options(cursor: Cursor, found: ColumnDefinition) -> None:
    cursor.index += 1
    options = cursor.group()
    found.comment = described(options) if options else found.comment


def _read_identity(cursor: Cursor, found: ColumnDefinition) -> None:
    cursor.index += 1
    cursor.group()
    found.identity = True


def _read_generated(cursor: Cursor, found: ColumnDefinition) -> None:
    """Read GENERATED ALWAYS AS (x), GENERATED BY DEFAULT AS IDENTITY, AS (x)."""
    if cursor.accept("GENERATED"):
        while cursor.key in ("ALWAYS", "BY", "DEFAULT", "ON", "NULL"):
            cursor.index += 1
    if not cursor.accept("AS") or cursor.key in ROWS:
        return
    if cursor.key == "IDENTITY":
        _read_identity(cursor, found)
    elif cursor.key == "(":
        first = cursor.index
        inside = cursor.group()
        found.generated = cursor.text(first + 1, inside.end) if inside else ""
    else:
        _read_computed(cursor, found)


def _read_computed(cursor: Cursor, found: ColumnDefinition) -> None:
    """Read an expression, behind ClickHouse's MATERIALIZED, ALIAS or EPHEMERAL where they come first."""
    cursor.accept_any({"MATERIALIZED", "ALIAS", "EPHEMERAL"})
    first = cursor.index
    while not cursor.done and not begins_option(cursor):
        cursor.skip()
    found.generated = cursor.text(first)


def _read_on(cursor: Cursor, _found: ColumnDefinition) -> None:
    """Pass over ON UPDATE CURRENT_TIMESTAMP(3) and ON CONFLICT REPLACE, whose words begin other options elsewhere."""
    if cursor.accept("ON", "UPDATE") or cursor.accept("ON", "CONFLICT"):
        if not cursor.done:
            cursor.skip()
        cursor.group()


def _read_place(cursor: Cursor, found: ColumnDefinition) -> None:
    """Read where MySQL is to put the column: AFTER another, or FIRST."""
    if cursor.accept("FIRST"):
        found.after = ""
    elif cursor.accept("AFTER"):
        found.after = cursor.identifier()


def _read_collation(cursor: Cursor, _found: ColumnDefinition) -> None:
    cursor.index += 1
    cursor.parts()


READERS: dict[str, Callable[[Cursor, ColumnDefinition], None]] = {
    "CONSTRAINT": _read_constraint_name,
    "NOT": _read_not,
    "NULL": _read_null,
    "DEFAULT": _read_default,
    "PRIMARY": _read_primary_key,
    "KEY": _read_primary_key,
    "UNIQUE": _read_unique,
    "CHECK": _read_check,
    "REFERENCES": _read_reference,
    "FOREIGN": _read_reference,
    "COMMENT": _read_comment,
    "OPTIONS": _read_options,
    "IDENTITY": _read_identity,
    "AUTO_INCREMENT": _read_identity,
    "AUTOINCREMENT": _read_identity,
    "GENERATED": _read_generated,
    "AS": _read_generated,
    "MATERIALIZED": _read_computed,
    "ALIAS": _read_computed,
    "EPHEMERAL": _read_computed,
    "ON": _read_on,
    "AFTER": _read_place,
    "FIRST": _read_place,
    "COLLATE": _read_collation,
}
