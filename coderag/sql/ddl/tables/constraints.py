"""Keys and checks as they are declared in a table, after it, or with a column."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from coderag.sql.records import ForeignKey, Name
from coderag.sql.statements.cursor import Cursor
from coderag.sql.statements.lexer import END, NAME, STRING, WORD, string_value

__all__ = ["Constraint", "read_condition", "read_constraint", "read_constraints", "read_reference", "values_of_check"]

KEY_DETAILS = frozenset("CLUSTERED NONCLUSTERED KEY INDEX HASH NULLS NOT DISTINCT GLOBAL LOCAL UNENFORCED".split())
INDEX_DETAILS = frozenset("USING CLUSTERED NONCLUSTERED UNIQUE".split())
BEGINNINGS = frozenset("CONSTRAINT PRIMARY FOREIGN UNIQUE CHECK".split())
VALUE_SIGNS = frozenset("(),=[]")
NOT_ENFORCED = frozenset("DEFERRABLE VALID ENFORCED".split())
LOGIC = frozenset("OR IS NULL IN ANY SOME ARRAY UPPER LOWER TRIM RTRIM LTRIM BTRIM UCASE LCASE".split())
MAX_VALUES = 200  # of a check; more are data


@dataclass(frozen=True, slots=True)
class Constraint:
    """What one clause declares; what it does not is empty."""

    name: str = ""
    primary_key: tuple[str, ...] = ()
    unique: tuple[str, ...] = ()
    foreign_key: ForeignKey | None = None
    check: str = ""
    values: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # that a check allows, by column
    parent: Name | None = None  # LIKE: whose columns come here
    index: str = ""  # USING INDEX: whose columns are the key
    primary: bool = False  # that key is the primary one
    default: tuple[str, str] | None = None  # T-SQL: DEFAULT x FOR column; the column and x
    lost: str = ""  # why a key could not be read


def read_constraint(cursor: Cursor) -> Constraint | None:
    """Read a constraint of a table; None, and no move, where a column begins instead.

    What is no key or check (an index, a period) is a constraint that declares nothing.
    """
    start = cursor.index
    name = ""
    if cursor.key == "CONSTRAINT" and cursor.ahead(1) is not END:
        cursor.index += 1
        if not _begins(cursor):
            name = ".".join(cursor.parts()[-1:])
            cursor.accept("IF", "NOT", "EXISTS")
    constraint = _read(cursor, name)
    if constraint is None:
        cursor.index = start
    return constraint


def read_constraints(cursor: Cursor) -> list[Constraint]:
    """Read the constraints of an item of a table, which may lack the commas between them; none where it is a column."""
    constraints = []
    while (constraint := read_constraint(cursor)) is not None:
        constraints.append(constraint)
        while cursor.skip_to(BEGINNINGS) and not _begins(cursor) and cursor.key != "CONSTRAINT":
            cursor.index += 1
    return constraints


def _begins(cursor: Cursor) -> bool:
    """Tell whether what kind of constraint it is comes next, so that it has no name."""
    key, following = cursor.key, cursor.ahead(1).key
    if key in ("PRIMARY", "FOREIGN"):
        return following == "KEY"
    return key in ("CHECK", "UNIQUE", "EXCLUDE") and (following in ("(", "USING") or following in KEY_DETAILS)


def _read(cursor: Cursor, name: str) -> Constraint | None:
    key = cursor.key
    reader = READERS.get(key)
    if reader is not None:
        return reader(cursor, name)
    if key == "DEFAULT" and cursor.index > 0:
        return _read_default(cursor, name)
    if name and key in ("NOT", "NULL"):
        return Constraint(name)
    return None


def _read_primary_key(cursor: Cursor, name: str) -> Constraint | None:
    if not cursor.accept("PRIMARY", "KEY"):
        return None
    if index := _read_using_index(cursor):
        return Constraint(name, index=index, primary=True)
    if not cursor.skip_to({"("}):
        column = cursor.identifier() if not name else None  # ClickHouse: PRIMARY KEY id
        return Constraint(name, primary_key=(column,)) if column else Constraint(name, lost="a key without columns")
    columns = cursor.columns()
    return Constraint(name, primary_key=columns) if columns else Constraint(name, lost="a key of expressions")


def _read_using_index(cursor: Cursor) -> str:
    """Read USING INDEX and the name of an index that becomes a key, as PostgreSQL has it; "" if it is not there."""
    if cursor.key != "USING" or cursor.ahead(1).key != "INDEX" or cursor.ahead(2).kind not in (WORD, NAME):
        return ""
    if cursor.ahead(2).key == "TABLESPACE":
        return ""
    cursor.index += 2
    return cursor.identifier() or ""


def _read_unique(cursor: Cursor, name: str) -> Constraint | None:
    start = cursor.index
    cursor.index += 1
    if index := _read_using_index(cursor):
        return Constraint(name, index=index)
    if cursor.key != "(" and cursor.key not in KEY_DETAILS and not _is_index(cursor):
        cursor.index = start
        return None
    while cursor.accept_any(KEY_DETAILS):
        pass
    if not name and cursor.key not in ("(", "USING"):  # MySQL: UNIQUE KEY name (...)
        name = cursor.identifier() or ""
    if not cursor.skip_to({"("}):
        return Constraint(name, lost="a unique constraint without columns")
    return Constraint(name, unique=cursor.columns() or ())


def _read_foreign_key(cursor: Cursor, name: str) -> Constraint | None:
    if not cursor.accept("FOREIGN", "KEY"):
        return None
    cursor.accept("IF", "NOT", "EXISTS")
    if cursor.key not in ("(", "REFERENCES"):
        name = name or ".".join(cursor.parts()[-1:])
    columns = cursor.columns()
    if not columns or not cursor.skip_to({"REFERENCES"}):
        return Constraint(name, lost="a foreign key that is cut or has no columns")
    key = read_reference(cursor, columns, name=name)
    return Constraint(name, foreign_key=key) if key else Constraint(name, lost="a foreign key to no table")


def read_reference(cursor: Cursor, columns: tuple[str, ...], *, name: str = "") -> ForeignKey | None:
    """Read REFERENCES and what follows, as far as it concerns the key."""
    first = cursor.index
    cursor.accept("REFERENCES")
    cursor.accept("ONLY")
    table = cursor.name()
    if table is None:
        return None
    referenced = cursor.columns() or ()
    _skip_actions(cursor)
    return ForeignKey(columns, table, referenced, name, source=cursor.within(first, cursor.index).source())


def _skip_actions(cursor: Cursor) -> None:
    """Move beyond ON DELETE SET NULL and the like, whose words begin other clauses elsewhere."""
    while True:
        if cursor.key == "ON" and cursor.ahead(1).key in ("DELETE", "UPDATE"):
            cursor.index += 2
            if cursor.key in ("SET", "NO", "DO"):
                cursor.index += 1
            cursor.index += 1
            cursor.group()
        elif cursor.key in ("MATCH", "INITIALLY") or (cursor.key == "NOT" and cursor.ahead(1).key in NOT_ENFORCED):
            cursor.index += 2
        elif cursor.key == "DEFERRABLE":
            cursor.index += 1
        else:
            cursor.index = min(cursor.index, cursor.end)
            return


def _read_check(cursor: Cursor, name: str) -> Constraint | None:
    start = cursor.index
    cursor.index += 1
    cursor.accept("NOT", "FOR", "REPLICATION")
    if cursor.key != "(":
        cursor.index = start
        return None
    text, values = read_condition(cursor)
    return Constraint(name, check=text, values=values)


def read_condition(cursor: Cursor) -> tuple[str, Mapping[str, tuple[str, ...]]]:
    """Read the condition of a check in parentheses: its text, and the values that it allows by column."""
    first = cursor.index
    inside = cursor.group()
    if inside is None:
        return "", {}
    return cursor.text(first + 1, inside.end), values_of_check(inside)


def _read_index(cursor: Cursor, name: str) -> Constraint | None:
    start = cursor.index
    cursor.index += 1
    if cursor.key in ("KEY", "INDEX") or _is_index(cursor):
        cursor.index = cursor.end
        return Constraint(name)
    cursor.index = start
    return None


def _is_index(cursor: Cursor) -> bool:
    """Tell whether a name, and columns in parentheses, come next; a column's type has a number there, if anything."""
    if cursor.key == "(":
        first = cursor.ahead(1)
    elif cursor.ahead(1).key == "(":
        first = cursor.ahead(2)
    else:  # "TYPE" is ClickHouse's
        return cursor.ahead(1).key in INDEX_DETAILS or "TYPE" in (cursor.ahead(2).key, cursor.ahead(3).key)
    return (
        first.kind is NAME
        or first.key == "("
        or (first.kind is WORD and not first.key.isdigit() and first.key != "MAX")
    )


def _read_exclude(cursor: Cursor, name: str) -> Constraint | None:
    if cursor.ahead(1).key not in ("USING", "("):
        return None
    cursor.index = cursor.end
    return Constraint(name)


def _read_period(cursor: Cursor, name: str) -> Constraint | None:
    if cursor.ahead(1).key != "FOR":
        return None
    cursor.index = cursor.end
    return Constraint(name)


def _read_like(cursor: Cursor, name: str) -> Constraint | None:
    start = cursor.index
    cursor.index += 1
    parent = cursor.name()
    if parent is None or cursor.key not in ("", "INCLUDING", "EXCLUDING"):
        cursor.index = start
        return None
    cursor.index = cursor.end
    return Constraint(name, parent=parent)


def _read_default(cursor: Cursor, name: str) -> Constraint | None:
    start = cursor.index
    cursor.index += 1
    first = cursor.index
    if not cursor.skip_to({"FOR"}):
        cursor.index = start
        return None
    text = cursor.text(first)
    cursor.index += 1
    column = cursor.identifier()
    return Constraint(name, default=(column, text)) if column else None


READERS = {
    "PRIMARY": _read_primary_key,
    "UNIQUE": _read_unique,
    "FOREIGN": _read_foreign_key,
    "CHECK": _read_check,
    "KEY": _read_index,
    "INDEX": _read_index,
    "FULLTEXT": _read_index,
    "SPATIAL": _read_index,
    "EXCLUDE": _read_exclude,
    "PERIOD": _read_period,
    "LIKE": _read_like,
}


def values_of_check(condition: Cursor) -> Mapping[str, tuple[str, ...]]:
    """Return the column and its values, where a check is nothing but a list of them: IN, = ANY, = ... OR = ..."""
    columns: dict[str, None] = {}
    values: list[str] = []
    tokens = condition.tokens
    index = condition.index
    while index < condition.end:
        token = tokens[index]
        if token.kind is STRING:
            values.append(string_value(token))
        elif token.kind is NAME:
            columns[string_value(token)] = None
        elif token.key == ":":  # a cast: "::character varying(20)[]"
            index = _after_type(condition, index)
            continue
        elif token.kind is WORD:
            if token.key.isdigit():
                values.append(token.text)
            elif token.key not in LOGIC:
                columns[token.text] = None
        elif token.key == "[" and tokens[index - 1].key != "ARRAY":
            end = next((at for at in range(index, condition.end) if tokens[at].key == "]"), condition.end - 1)
            columns[condition.script.text[token.end : tokens[end].start]] = None
            index = end
        elif token.key not in VALUE_SIGNS:
            return {}
        index += 1
    if len(columns) != 1 or not values or len(values) > MAX_VALUES:
        return {}
    return {next(iter(columns)): tuple(dict.fromkeys(values))}


def _after_type(cursor: Cursor, index: int) -> int:
    """Return the index after a cast."""
    while index < cursor.end and cursor.tokens[index].key == ":":
        index += 1
    while index < cursor.end and cursor.tokens[index].kind is WORD and cursor.tokens[index].key not in LOGIC:
        index += 1
        if index < cursor.end and cursor.tokens[index].key == "(":
            index = cursor.after(index)
    while index + 1 < cursor.end and cursor.tokens[index].key == "[" and cursor.tokens[index + 1].key == "]":
        index += 2
    return index
