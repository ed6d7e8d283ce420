"""TypeORM's migrations to operations: SQL in strings, which it generates, and calls of its query runner.

What the calls do and what options are is data in schemas/frameworks/typeorm/.
https://typeorm.io/docs/advanced-topics/migrations/ and https://typeorm.io/docs/migrations/api
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from tree_sitter import Node

from coderag.frameworks.common.embedded_words import changes_schema
from coderag.frameworks.common.origins import COMPUTED_REASON, lines_of, unparsed_at
from coderag.frameworks.engine.columns import Made, table_of
from coderag.frameworks.engine.named_calls import builder_calls, named_operation
from coderag.frameworks.engine.steps import sql_facts
from coderag.sql.records import (
    AddColumn,
    AddConstraint,
    AlterColumn,
    CommentOn,
    CreateTable,
    Facts,
    Name,
    ObjectKind,
    Origin,
    RenameColumn,
    SchemaOperation,
    Series,
    Source,
    Table,
    Unparsed,
)
from coderag.syntax.languages.javascript import Code, function_parameters
from coderag.syntax.trees.literals import Literal, as_text, mapping
from coderag.syntax.trees.tree import descendants, named, text_of

__all__ = ["read"]

VERSION = re.compile(r"\d{6,}")
SIZES = ("length", "width", "precision", "scale")
PARTS = {"foreignKeys": "foreign key", "uniques": "unique", "indices": "index", "checks": "check"}  # of a table
WHOLE = frozenset({"add column", "foreign key"})  # without one of these a table is not read


class Call(NamedTuple):
    """A call of the query runner."""

    method: str
    values: Sequence[Literal]
    source: Source

    def value(self, position: int) -> Literal:
        """Return an argument, None where it is missing."""
        return self.values[position] if position < len(self.values) else None


def read(data: bytes, *, language: str, path: str) -> Facts | None:
    """Return what a TypeORM migration does on its way up, None for any other file."""
    code = Code(data, language)
    found = next(_migrations(code), None)
    if found is None:
        return None
    name, up = found
    version = VERSION.search(path.rpartition("/")[2]) or VERSION.search(name)
    operations: list[SchemaOperation] = []
    unparsed: list[Unparsed] = []
    parameters = function_parameters(up)
    if parameters:
        dialect = _dialect(code, up, path)
        for node in _calls(up, parameters[0]):
            made = _operations(code, node, path=path, dialect=dialect)
            operations += made.operations
            unparsed += made.unparsed
    return Facts(
        statements=len(operations) + len(unparsed),
        series=Series("typeorm", version=version[0] if version else "", name=name),
        unparsed=tuple(unparsed),
        operations=tuple(operations),
    )


def _migrations(code: Code) -> Iterator[tuple[str, Node]]:
    """Yield the name and `up` of each migration of a file; the interface is stated in a clause or a comment."""
    for descendant in descendants(code.root, "class_declaration", "class"):
        before = text_of(descendant.parent.prev_sibling) if descendant.parent is not None else ""
        if "MigrationInterface" not in text_of(next(iter(named(descendant, "class_heritage")), None)) + before:
            continue
        for member in named(descendant.child_by_field_name("body"), "method_definition"):
            if text_of(member.child_by_field_name("name")) == "up":
                yield text_of(descendant.child_by_field_name("name")), member


def _calls(up: Node, runner: str) -> Iterator[Node]:
    for node in descendants(up, "call_expression"):
        function = node.child_by_field_name("function")
        if function is not None and text_of(function.child_by_field_name("object")) == runner:
            yield node


def _dialect(code: Code, up: Node, path: str) -> str:
    """Return the dialect of the statements together, which tell more than each by itself."""
    from coderag.sql.statements.dialect import guess_dialect

    strings = (code.value(node) for node in descendants(up, "string", "template_string", into=False))
    text = ";\n".join(string for string in strings if isinstance(string, str) and changes_schema(string))
    guess = guess_dialect(text, path)
    return guess.dialect.name if text and guess.certain else ""


def _operations(code: Code, node: Node, *, path: str, dialect: str) -> Facts:
    method = text_of(node.child_by_field_name("function")).rpartition(".")[2]
    arguments = named(node.child_by_field_name("arguments"))
    action = builder_calls("typeorm").calls.get(method, "")
    if action == "sql" and arguments:
        text = code.value(arguments[0])
        return sql_facts(node, arguments[0], text, path=path, dialect=dialect) or Facts()
    call = Call(method, [code.value(argument) for argument in arguments], lines_of(node))
    made = _made(action, call) if action else []
    return Facts(operations=tuple(made)) if made is not None else Facts(unparsed=(unparsed_at(node, COMPUTED_REASON),))


def _made(action: str, call: Call) -> Made:
    """Return what a call does, an operation for each column or key that it is given; None where one is computed."""
    options = mapping(call.value(0))
    stated = as_text(call.value(0)) or as_text(options.get("name"))
    if not stated:
        return None
    table = _name(stated)
    if action == "create view":
        return _view(table, options, call.source)
    if action == "create table":
        return _table(table, options, call)
    found: list[SchemaOperation] = []
    for said in _said(call):
        made = _made_of(action, table, said, call.source)
        if made is None:
            return None
        found += made
    return found


def _made_of(action: str, table: Name, said: Mapping[str, Literal], source: Source) -> Made:
    if action == "index" and said.get("unique") is not True:
        return []
    operation = named_operation(action, table, said, source)
    if operation is None:
        return None
    if isinstance(operation, AddColumn) and said.get("unique") is True:
        return [operation, AddConstraint(table, unique=(operation.column.name,), source=source)]
    if isinstance(operation, AlterColumn) and (to := as_text(said.get("to"))) != operation.column:
        return [operation, RenameColumn(table, operation.column, to, source=source)]
    return [operation]


def _said(call: Call) -> Iterator[dict[str, Literal]]:
    """Yield what is said of each column or key that a call is given, or once what it says of the table."""
    first, second, *_ = (*builder_calls("typeorm").places.get(call.method, ()), "", "")
    given = call.value(1)
    for one in _all(given) if first != "columns" else (given,):
        said: dict[str, Literal] = _options(one) if isinstance(one, dict) else {first: one}
        if second == "to":  # what is changed, and what it becomes: its name or all of it
            new = _options(call.value(2))
            said = {**new, "name": said.get("name"), "to": new.get("name", call.value(2))}
        yield said
    if given is None:
        yield {}


def _options(value: Literal) -> dict[str, Literal]:
    """Return the options of a column or key by what they say, with a column's sizes in its type."""
    options, words = mapping(value), builder_calls("typeorm").arguments
    said = {words.get(key, key): one for key, one in options.items()}
    sizes = ", ".join(filter(None, (as_text(options.get(key)) for key in SIZES)))
    said["type"] = (
        as_text(options.get("type")) + (f"({sizes})" if sizes else "") + ("[]" if said.get("array") is True else "")
    )
    said["counted"] = said.get("counted") is True and options.get("generationStrategy") != "uuid"
    if isinstance(other := said.get("other"), str) and "." in other:
        name = _name(other)
        said |= {"other": name.name, "other schema": name.schema}
    return said


def _all(value: Literal) -> Sequence[Literal]:
    return value if isinstance(value, tuple) else (value,) if value is not None else ()


def _name(text: str) -> Name:
    parts = text.split(".")
    return Name(parts[-1], *reversed(parts[-3:-1])) if len(parts) > 1 else Name(text)


def _table(table: Name, options: Mapping[str, Literal], call: Call) -> Made:
    """Return the creation of a table with all that its options list."""
    table = Name(table.name, schema=table.schema or as_text(options.get("schema")), database=table.database)
    columns = [_options(one) for one in _all(options.get("columns"))]
    inner: list[tuple[str, dict[str, Literal]]] = [("add column", one) for one in columns]
    if key := tuple(one.get("name") for one in columns if one.get("primary") is True):
        inner.append(("primary key", {"columns": key}))
    for option, action in PARTS.items():
        inner += [(action, _options(one)) for one in _all(options.get(option))]
    found: list[SchemaOperation] = []
    for action, said in inner:
        made = _made_of(action, table, said, call.source)
        if made is None and action in WHOLE:
            return None
        found += made or ()
    if comment := as_text(options.get("comment")):
        found.append(CommentOn(table, comment, source=call.source))
    created, rest = table_of(table, found, call.source)
    return [CreateTable(created, if_missing=call.value(1) is True), *rest]


def _view(table: Name, options: Mapping[str, Literal], source: Source) -> Made:
    kind = ObjectKind.MATERIALIZED_VIEW if options.get("materialized") is True else ObjectKind.VIEW
    query = as_text(options.get("expression")).strip()
    return [CreateTable(Table(table, kind=kind, query=query, origins=(Origin.MIGRATION,), sources=(source,)))]
