"""SQLAlchemy's Column and constraint calls to columns and keys, for models and for Alembic's migrations.

https://docs.sqlalchemy.org/en/20/core/metadata.html
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import msgspec
from tree_sitter import Node

from coderag.frameworks.common.origins import lines_of
from coderag.frameworks.sqlalchemy.types import enum_class, sql_type
from coderag.sql.records import Column, Evidence, ForeignKey, Name, Source, Table
from coderag.syntax.languages.python import Call, Code, last_part
from coderag.syntax.trees.tree import text_of

__all__ = [
    "COLUMN_CALLS",
    "Constraint",
    "Field",
    "Target",
    "column_names",
    "foreign_key",
    "has_clause",
    "read_column",
    "read_constraint",
    "server_default",
    "sql_text",
    "table_of",
    "target_of",
    "written_target",
]

COLUMN_CALLS = frozenset({"Column", "mapped_column"})
# What stands among the arguments of a column and is not its type.
CLAUSES = frozenset(
    "ForeignKey CheckConstraint Identity Computed Sequence FetchedValue DefaultClause UniqueConstraint".split()
)
CONSTRAINTS = frozenset("UniqueConstraint PrimaryKeyConstraint ForeignKeyConstraint CheckConstraint Index".split())
CONSTANTS = {"true": "true", "false": "false", "null": "NULL"}  # functions that stand for a constant
NOWHERE = Source()
INTEGERS = frozenset({"INTEGER", "BIGINT", "SMALLINT", "INT"})


class Target(NamedTuple):
    """What a foreign key refers to: a table and column by name, or the attribute of a class or variable."""

    table: Name | None
    column: str
    variable: str = ""  # of the class or table, where `table` is None
    is_class: bool = False  # the variable's


@dataclass(frozen=True, slots=True)
class Field:
    """A column and the keys that are declared with it."""

    column: Column
    attribute: str = ""  # its name in the class
    primary_key: bool = False
    unique: bool = False
    autoincrement: bool | None = None
    targets: tuple[Target, ...] = ()
    checks: tuple[str, ...] = ()
    complete: bool = True  # nothing in it is computed


@dataclass(frozen=True, slots=True)
class Constraint:
    """A key or check of a table."""

    name: str = ""
    primary_key: tuple[str, ...] = ()
    unique: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()  # of a foreign key
    targets: tuple[Target, ...] = ()
    check: str = ""
    source: Source = NOWHERE


def read_column(call: Call, code: Code, *, attribute: str = "") -> Field | None:
    """Return the column of a call of Column or mapped_column; None where it has no name.

    `attribute` is the name that it is assigned to in a class. `Column("id", Integer, primary_key=True)` -> id INTEGER;
    `email = mapped_column(String(9))` -> email VARCHAR(9)
    """
    name, arguments = _name_of(call, code, attribute)
    if not name:
        return None
    type_node, clauses = _type_and_clauses(call, arguments, code)
    of = {last_part(clause.name): clause for clause in clauses}
    found = sql_type(type_node, code)
    primary_key = bool(code.truth(call.keywords.get("primary_key")))
    nullable = code.truth(call.keywords.get("nullable"))
    comment = code.string(call.keywords.get("comment")) or code.string(call.keywords.get("doc"))
    column = Column(
        name=name,
        type=found.text,
        nullable=not primary_key if nullable is None else nullable,
        default=_default(call, code),
        comment=" ".join(comment.split()) if comment else code.comment_at(call.node),
        values=found.values,
        generated=sql_text(of["Computed"].argument(0, "sqltext"), code) if "Computed" in of else "",
        identity="Identity" in of,
        field=attribute if attribute != name else "",
        source=lines_of(call.node),
    )
    return Field(
        column,
        attribute=attribute,
        primary_key=primary_key,
        unique=bool(code.truth(call.keywords.get("unique"))),
        autoincrement=code.truth(call.keywords.get("autoincrement")),
        targets=tuple(target for clause in clauses if (target := target_of(clause, code)) is not None),
        checks=tuple(
            text
            for clause in clauses
            if last_part(clause.name) == "CheckConstraint" and (text := sql_text(clause.argument(0, "sqltext"), code))
        ),
        complete=call.complete,
    )


def _name_of(call: Call, code: Code, attribute: str) -> tuple[str, list[Node]]:
    """Return the name of a column, "" for none, and the arguments behind it."""
    name, arguments = attribute, list(call.arguments)
    if arguments and (written := code.string(arguments[0])) is not None:
        name = written
        arguments.pop(0)
    if (node := call.keywords.get("name")) is not None:
        name = code.string(node) or name
    return name, arguments


def _type_and_clauses(call: Call, arguments: Sequence[Node], code: Code) -> tuple[Node | None, list[Call]]:
    """Return the type among the arguments of a column, and the calls that add keys and the like to it."""
    type_node = call.keywords.get("type_")
    clauses: list[Call] = []
    for argument in arguments:
        one = code.call(argument)
        if last_part(one.name if one else code.dotted(argument)) in CLAUSES:
            clauses += [one] if one else []
        elif type_node is None:
            type_node = argument
    return type_node, clauses


def _default(call: Call, code: Code) -> str:
    """Return the default of a column: the database's, or else a literal that the program fills in."""
    if (node := call.keywords.get("server_default")) is not None:
        return server_default(node, code)
    node = call.keywords.get("insert_default", call.keywords.get("default"))
    if node is None:
        return ""
    if node.type == "attribute" and enum_class(node.child_by_field_name("object"), code) is not None:
        return f"'{text_of(node.child_by_field_name('attribute'))}'"  # of an enumeration the name is stored
    return code.sql_literal(node) or _function(node, code)


def server_default(node: Node | None, code: Code) -> str:
    """Return a server default as SQL writes it: a string is a literal, text() and functions are SQL."""
    node = code.resolve(node)
    if node is None or node.type in {"none", "false"}:
        return ""
    if (call := code.call(node)) is not None and last_part(call.name) in {"text", "literal_column"}:
        return sql_text(call.argument(0, "text"), code)
    return _function(node, code) or code.sql_literal(node)


def _function(node: Node, code: Code) -> str:
    """Return `func.now()` as SQL writes it, "" for anything but a function of SQL."""
    call = code.call(node)
    parts = (call.name if call else code.dotted(node)).split(".")
    if parts[-1] in CONSTANTS and call is not None:
        return CONSTANTS[parts[-1]]
    if "func" not in parts[:-1]:
        return ""
    name = ".".join(parts[parts.index("func") + 1 :])
    values = [code.sql_literal(argument) or _function(argument, code) for argument in call.arguments] if call else []
    return f"{name}({', '.join(values)})" if all(values) else ""


def sql_text(node: Node | None, code: Code) -> str:
    """Return SQL that is written as a string or in text("..."), "" for anything else."""
    call = code.call(node)
    if call is not None and last_part(call.name) == "text":
        node = call.argument(0, "text")
    return " ".join((code.string(node) or "").split())


def target_of(call: Call, code: Code) -> Target | None:
    """Return what a ForeignKey refers to; None for any other call, or where it is not written."""
    if last_part(call.name) != "ForeignKey":
        return None
    return _target(call.argument(0, "column"), code)


def _target(node: Node | None, code: Code) -> Target | None:
    if (written := code.string(node)) is not None:
        return written_target(written)
    parts = _attribute_path(node)
    if len(parts) < 2:
        return None
    is_class = parts[1:-1] in ([], ["__table__", "c"])
    variable = parts[0] if is_class or parts[1:-1] in (["c"], ["columns"]) else ""
    return Target(None, parts[-1], variable, is_class)


def written_target(text: str) -> Target | None:
    """Return what "users.id" or "sales.users.id" refers to; None for what is no column of a table."""
    *before, column = text.split(".")
    if not before or not all((*before, column)):
        return None
    return Target(Name(before[-1], schema=before[-2] if len(before) > 1 else ""), column)


def _attribute_path(node: Node | None) -> list[str]:
    """Return the names in `users.c.id`, nothing for what is more than names."""
    parts: list[str] = []
    while node is not None and node.type == "attribute":
        parts.append(text_of(node.child_by_field_name("attribute")))
        node = node.child_by_field_name("object")
    return [text_of(node), *reversed(parts)] if node is not None and node.type == "identifier" else []


def read_constraint(call: Call, code: Code, *, attributes: Mapping[str, str]) -> Constraint | None:
    """Return a key or check that stands among the arguments of a table, None for anything else.

    `attributes` has the column of each attribute of the class.

    UniqueConstraint("a", "b", name="u")  -> Constraint "u", unique ("a", "b")
    Index("i", "a")                       -> None: an index that is not unique
    """
    kind = last_part(call.name)
    if kind not in CONSTRAINTS:
        return None
    name = code.string(call.keywords.get("name")) or ""
    source = lines_of(call.node)
    match kind:
        case "UniqueConstraint" | "PrimaryKeyConstraint":
            columns = column_names(call.arguments, code, attributes=attributes)
            if columns is None:
                return None
            if kind == "UniqueConstraint":
                return Constraint(name, unique=columns, source=source)
            return Constraint(name, primary_key=columns, source=source)
        case "Index":
            if not code.truth(call.keywords.get("unique")) or not call.arguments or has_clause(call.keywords):
                return None
            columns = column_names(call.arguments[1:], code, attributes=attributes)
            name = code.string(call.arguments[0]) or ""
            return Constraint(name, unique=columns, source=source) if columns else None
        case "CheckConstraint":
            text = sql_text(call.argument(0, "sqltext"), code)
            return Constraint(name, check=text, source=source) if text else None
        case _:
            columns = column_names(code.items(call.argument(0, "columns")) or (), code, attributes=attributes)
            nodes = code.items(call.argument(1, "refcolumns")) or []
            targets = tuple(target for node in nodes if (target := _target(node, code)) is not None)
            if not columns or len(targets) != len(columns):
                return None
            return Constraint(name, columns=columns, targets=targets, source=source)


def has_clause(keywords: Iterable[str]) -> bool:
    """Tell whether an index holds for some rows only: postgresql_where, sqlite_where."""
    return any(keyword.endswith("_where") for keyword in keywords)


def column_names(nodes: Sequence[Node], code: Code, *, attributes: Mapping[str, str]) -> tuple[str, ...] | None:
    """Return the columns that are named by strings, attributes or `table.c.x`; None where one is an expression."""
    found: list[str] = []
    for node in nodes:
        if (text := code.string(node)) is not None:
            found.append(text)
        elif node.type == "identifier" and text_of(node) in attributes:
            found.append(attributes[text_of(node)])
        elif (path := _attribute_path(node)) and (len(path) == 2 or path[1:-1] in (["c"], ["columns"])):
            found.append(attributes.get(path[-1], path[-1]))
        else:
            return None
    return tuple(found)


def foreign_key(
    columns: Sequence[str],
    targets: Sequence[Target],
    resolve: Callable[[Target], Target | None],
    *,
    name: str = "",
    evidence: Evidence = Evidence.MODEL,
    source: Source = NOWHERE,
) -> ForeignKey | None:
    """Return a foreign key; None where the table that it refers to is not known."""
    known = [found for target in targets if (found := resolve(target)) is not None and found.table is not None]
    if len(known) != len(targets) or not known or known[0].table is None:
        return None
    if any(one.table != known[0].table for one in known):
        return None
    referenced = tuple(one.column for one in known)
    return ForeignKey(tuple(columns), known[0].table, referenced, name, evidence, source, model=known[0].variable)


def table_of(
    table: Table,
    fields: Sequence[Field],
    constraints: Sequence[Constraint],
    *,
    resolve: Callable[[Target], Target | None],
    evidence: Evidence = Evidence.MODEL,
) -> tuple[Table, list[Source]]:
    """Return a table with columns and keys, and where the foreign keys stand whose tables are not known."""
    keys, unknown = _foreign_keys(fields, constraints, resolve=resolve, evidence=evidence)
    primary_key = tuple(field.column.name for field in fields if field.primary_key)
    primary_key = next((rule.primary_key for rule in constraints if rule.primary_key), primary_key)
    unique: list[tuple[str, ...]] = [(field.column.name,) for field in fields if field.unique]
    unique += [rule.unique for rule in constraints if rule.unique]
    checks = [check for field in fields for check in field.checks] + [rule.check for rule in constraints if rule.check]
    done = msgspec.structs.replace(
        table,
        columns=tuple(_with_key(field, primary_key).column for field in fields),
        primary_key=primary_key,
        unique=tuple(dict.fromkeys(unique)),
        foreign_keys=tuple(keys),
        checks=tuple(dict.fromkeys(checks)),
    )
    return done, unknown


def _foreign_keys(
    fields: Sequence[Field],
    constraints: Sequence[Constraint],
    *,
    resolve: Callable[[Target], Target | None],
    evidence: Evidence,
) -> tuple[list[ForeignKey], list[Source]]:
    """Return the foreign keys of columns and of constraints, and where those stand whose tables are not known."""
    unknown: list[Source] = []
    keys: list[ForeignKey] = []
    for field in fields:
        for target in field.targets:
            source = field.column.source
            key = foreign_key([field.column.name], [target], resolve, evidence=evidence, source=source)
            keys += [key] if key else []
            unknown += [] if key else [source]
    for rule in constraints:
        if rule.targets:
            key = foreign_key(
                rule.columns, rule.targets, resolve, name=rule.name, evidence=evidence, source=rule.source
            )
            keys += [key] if key else []
            unknown += [] if key else [rule.source]
    return keys, unknown


def _with_key(one: Field, primary_key: tuple[str, ...]) -> Field:
    """Return a field as the primary key makes it: never null, and an only integer numbers itself."""
    if one.column.name not in primary_key:
        return one
    numbered = one.column.identity or (
        primary_key == (one.column.name,)
        and one.column.type in INTEGERS
        and not one.targets
        and not one.column.default
        and one.autoincrement is not False
    )
    column = msgspec.structs.replace(one.column, nullable=False, identity=numbered or one.autoincrement is True)
    return replace(one, column=column)
