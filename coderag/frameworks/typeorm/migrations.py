"""TypeORM's migrations to operations: SQL in strings, which it generates, and calls of its query runner.

https://typeorm.io/docs/advanced-topics/migrations/ and https://typeorm.io/docs/migrations/api
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from tree_sitter import Node

from coderag.frameworks.common.embedded_words import changes_schema
from coderag.frameworks.common.origins import COMPUTED_REASON, lines_of, unparsed_at
from coderag.frameworks.engine.javascript import sql_facts
from coderag.sql.records import (
    AddColumn,
    AddConstraint,
    AlterColumn,
    Column,
    CommentOn,
    CreateTable,
    Drop,
    DropColumn,
    DropConstraint,
    Facts,
    ForeignKey,
    Name,
    ObjectKind,
    Origin,
    Rename,
    RenameColumn,
    SchemaOperation,
    Series,
    Source,
    Table,
    Unparsed,
)
from coderag.syntax.languages.javascript import Code, function_parameters
from coderag.syntax.trees.literals import Literal, as_text, mapping, texts
from coderag.syntax.trees.tree import descendants, named, text_of

__all__ = ["read"]

VERSION = re.compile(r"\d{6,}")


class Call(NamedTuple):
    """A call of the query runner."""

    values: Sequence[Literal]
    source: Source

    def table(self) -> Name | None:
        """Return the table that the first argument names."""
        first = self.values[0] if self.values else None
        name = as_text(first) or as_text(mapping(first).get("name"))
        return _name(name) if name else None

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
    if method == "query" and arguments:
        return sql_facts(node, arguments[0], code=code, path=path, dialect=dialect) or Facts()
    call = Call([code.value(argument) for argument in arguments], lines_of(node))
    handler = METHODS.get(method)
    found = handler(call) if handler is not None else []
    return (
        Facts(operations=tuple(found)) if found is not None else Facts(unparsed=(unparsed_at(node, COMPUTED_REASON),))
    )


Operations = list[SchemaOperation] | None  # None: it is computed at run time


def _name(text: str) -> Name:
    parts = text.split(".")
    return Name(parts[-1], *reversed(parts[-3:-1])) if len(parts) > 1 else Name(text)


def _column(value: Literal, source: Source) -> Column | None:
    options = mapping(value)
    name = as_text(options.get("name"))
    if not name:
        return None
    enum = options.get("enum")
    sizes = [as_text(options.get(one)) for one in ("length", "width", "precision", "scale")]
    size = ", ".join(one for one in sizes if one)
    kind = as_text(options.get("type")) + (f"({size})" if size else "")
    is_counted = options.get("isGenerated") is True and options.get("generationStrategy") != "uuid"
    return Column(
        name=name,
        type=kind + ("[]" if options.get("isArray") is True else ""),
        nullable=options.get("isNullable") is True,
        default=as_text(options.get("default")),  # SQL as it stands
        comment=as_text(options.get("comment")),
        values=texts(enum) or () if enum is not None else (),
        generated=as_text(options.get("asExpression")),
        identity=is_counted,
        source=source,
    )


def _key(value: Literal, source: Source) -> ForeignKey | None:
    options = mapping(value)
    columns, table = texts(options.get("columnNames")), as_text(options.get("referencedTableName"))
    if columns is None or not table:
        return None
    return ForeignKey(
        columns=columns,
        table=Name(table, schema=as_text(options.get("referencedSchema"))) if "." not in table else _name(table),
        referenced=texts(options.get("referencedColumnNames")) or (),
        name=as_text(options.get("name")),
        source=source,
    )


def _all(value: Literal) -> Sequence[Literal]:
    return value if isinstance(value, tuple) else (value,) if value is not None else ()


def _create_table(call: Call) -> Operations:
    options = mapping(call.value(0))
    table = call.table()
    if table is None:
        return None
    described = _all(options.get("columns"))
    columns = [_column(one, call.source) for one in described]
    keys = [_key(one, call.source) for one in _all(options.get("foreignKeys"))]
    if None in columns or None in keys:
        return None
    single = [as_text(mapping(one).get("name")) for one in described if mapping(one).get("isPrimary") is True]
    unique = [
        texts(mapping(one).get("columnNames"))
        for one in (*_all(options.get("uniques")), *_all(options.get("indices")))
        if mapping(one).get("isUnique", one in _all(options.get("uniques"))) is True
    ]
    alone = [(as_text(mapping(one).get("name")),) for one in described if mapping(one).get("isUnique") is True]
    made = Table(
        Name(table.name, schema=table.schema or as_text(options.get("schema")), database=table.database),
        columns=tuple(column for column in columns if column is not None),
        primary_key=tuple(single),
        unique=(*alone, *(one for one in unique if one is not None)),
        foreign_keys=tuple(key for key in keys if key is not None),
        checks=tuple(as_text(mapping(one).get("expression")) for one in _all(options.get("checks"))),
        comment=as_text(options.get("comment")),
        origins=(Origin.MIGRATION,),
        sources=(call.source,),
    )
    return [CreateTable(made, if_missing=call.value(1) is True)]


def _create_view(call: Call) -> Operations:
    table, options = call.table(), mapping(call.value(0))
    if table is None:
        return None
    kind = ObjectKind.MATERIALIZED_VIEW if options.get("materialized") is True else ObjectKind.VIEW
    query = as_text(options.get("expression")).strip()
    made = Table(table, kind=kind, query=query, origins=(Origin.MIGRATION,), sources=(call.source,))
    return [CreateTable(made)]


def _drop_table(call: Call) -> Operations:
    table = call.table()
    return [Drop(table, if_exists=call.value(1) is True, source=call.source)] if table is not None else None


def _drop_view(call: Call) -> Operations:
    table = call.table()
    return [Drop(table, kind=ObjectKind.VIEW, source=call.source)] if table is not None else None


def _rename_table(call: Call) -> Operations:
    table, new = call.table(), as_text(call.value(1))
    return [Rename(table, _name(new), source=call.source)] if table is not None and new else None


def _add_columns(call: Call) -> Operations:
    table = call.table()
    if table is None:
        return None
    found: list[SchemaOperation] = []
    for one in _all(call.value(1)):
        column = _column(one, call.source)
        if column is None:
            return None
        found.append(AddColumn(table, column, source=call.source))
        if mapping(one).get("isUnique") is True:
            found.append(AddConstraint(table, unique=(column.name,), source=call.source))
    return found


def _drop_columns(call: Call) -> Operations:
    table = call.table()
    names = [as_text(one) or as_text(mapping(one).get("name")) for one in _all(call.value(1))]
    if table is None or not all(names):
        return None
    return [DropColumn(table, name, source=call.source) for name in names]


def _rename_column(call: Call) -> Operations:
    table, old = call.table(), as_text(call.value(1))
    new = as_text(call.value(2)) or as_text(mapping(call.value(2)).get("name"))
    return [RenameColumn(table, old, new, source=call.source)] if table is not None and old and new else None


def _change_column(call: Call) -> Operations:
    table, column = call.table(), _column(call.value(2), call.source)
    old = as_text(call.value(1)) or as_text(mapping(call.value(1)).get("name"))
    if table is None or column is None or not old:
        return None
    found: list[SchemaOperation] = [
        AlterColumn(
            table,
            old,
            type=column.type,
            nullable=column.nullable,
            default=column.default,
            comment=column.comment or None,
            source=call.source,
        )
    ]
    return [*found, RenameColumn(table, old, column.name, source=call.source)] if old != column.name else found


def _foreign_keys(call: Call) -> Operations:
    table = call.table()
    keys = [_key(one, call.source) for one in _all(call.value(1))]
    if table is None or None in keys:
        return None
    return [AddConstraint(table, name=key.name, foreign_key=key, source=call.source) for key in keys if key is not None]


def _unique(call: Call) -> Operations:
    table = call.table()
    if table is None:
        return None
    found: list[SchemaOperation] = []
    for one in _all(call.value(1)):
        columns = texts(mapping(one).get("columnNames"))
        if columns is None:
            return None
        found.append(AddConstraint(table, as_text(mapping(one).get("name")), unique=columns, source=call.source))
    return found


def _indices(call: Call) -> Operations:
    unique = tuple(one for one in _all(call.value(1)) if mapping(one).get("isUnique") is True)
    return _unique(Call([call.value(0), unique], call.source)) if unique else []


def _primary_key(call: Call) -> Operations:
    table, columns = call.table(), texts(call.value(1))
    if table is None or columns is None:
        return None
    return [AddConstraint(table, primary_key=columns, source=call.source)]


def _checks(call: Call) -> Operations:
    table, options = call.table(), mapping(call.value(1))
    check = as_text(options.get("expression"))
    if table is None or not check:
        return None
    return [AddConstraint(table, as_text(options.get("name")), check=check, source=call.source)]


def _drop_constraint(call: Call) -> Operations:
    table, options = call.table(), mapping(call.value(1))
    name, columns = as_text(call.value(1)) or as_text(options.get("name")), texts(options.get("columnNames")) or ()
    if table is None or not (name or columns):
        return None
    return [DropConstraint(table, name, columns=() if name else columns, source=call.source)]


def _drop_index(call: Call) -> Operations:
    table, name = call.table(), as_text(call.value(1))
    # It is not said whether it was unique.
    return [DropConstraint(table, name, if_exists=True, source=call.source)] if table is not None and name else []


def _drop_primary_key(call: Call) -> Operations:
    table = call.table()
    return [DropConstraint(table, primary_key=True, source=call.source)] if table is not None else None


def _table_comment(call: Call) -> Operations:
    table, text = call.table(), call.value(1)
    return [CommentOn(table, as_text(text), source=call.source)] if table is not None else None


METHODS: Mapping[str, Callable[[Call], Operations]] = {
    "createTable": _create_table,
    "createView": _create_view,
    "dropTable": _drop_table,
    "dropView": _drop_view,
    "renameTable": _rename_table,
    "addColumn": _add_columns,
    "addColumns": _add_columns,
    "dropColumn": _drop_columns,
    "dropColumns": _drop_columns,
    "renameColumn": _rename_column,
    "changeColumn": _change_column,
    "createForeignKey": _foreign_keys,
    "createForeignKeys": _foreign_keys,
    "createUniqueConstraint": _unique,
    "createUniqueConstraints": _unique,
    "createIndex": _indices,
    "createIndices": _indices,
    "createPrimaryKey": _primary_key,
    "updatePrimaryKeys": _primary_key,
    "createCheckConstraint": _checks,
    "dropForeignKey": _drop_constraint,
    "dropUniqueConstraint": _drop_constraint,
    "dropCheckConstraint": _drop_constraint,
    "dropIndex": _drop_index,
    "dropPrimaryKey": _drop_primary_key,
    "changeTableComment": _table_comment,
}
