"""Knex's migrations to operations.

https://knexjs.org/guide/schema-builder.html
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from tree_sitter import Node

from coderag.frameworks.common.origins import COMPUTED_REASON, lines_of, unparsed_at
from coderag.frameworks.engine.javascript import sql_facts, up_function
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
    Origin,
    Rename,
    RenameColumn,
    SchemaOperation,
    Series,
    Source,
    Table,
    Unparsed,
)
from coderag.syntax.languages.javascript import Code, Link, function_parameters, unwrapped
from coderag.syntax.languages.javascript_calls import Call, Calls
from coderag.syntax.trees.literals import COMPUTED, Literal, Raw, as_text, default_of, mapping, texts
from coderag.syntax.trees.node_types import JAVASCRIPT_FUNCTIONS
from coderag.syntax.trees.tree import descendants, text_of

__all__ = ["read"]

FILE_NAME = re.compile(r"(?P<version>\d+)(?:[_-].*)?\.[cm]?[jt]s")
BUILDER = re.compile(r"(?:(?P<owner>\w+)(?:\.\w+)*\.)?schema\.(?P<method>\w+)")
TRANSACTIONS = frozenset({"knex", "this", "trx"})  # usual names of what has a builder
TYPES = {
    "increments": "integer",
    "bigIncrements": "bigint",
    "tinyint": "tinyint",
    "smallint": "smallint",
    "mediumint": "mediumint",
    "bigint": "bigint",
    "bigInteger": "bigint",
    "string": "varchar",
    "enum": "text",
    "enu": "text",
    "double": "double precision",
    "dateTime": "datetime",
    "timestamp": "timestamptz",  # where there is such a type
    "specificType": "",
}
PLAIN_TYPES = frozenset(
    "integer text boolean date datetime time float decimal binary json jsonb uuid geometry geography point "
    "double".split()
)
COUNTED = frozenset({"increments", "bigIncrements"})
DEFAULT_LENGTH = "255"
NOW = re.compile(r"\.fn\.now\((?:(?!\.fn\.now\().)*\)$")


class Written(NamedTuple):
    """A statement on a table: `t.string("a").notNullable()`."""

    links: Sequence[Link]
    values: Sequence[Literal]  # of the first call
    calls: Mapping[str, Sequence[Literal]]  # the further ones with their arguments
    source: Source


def read(data: bytes, *, language: str, path: str) -> Facts | None:
    """Return what a Knex migration does on its way up, None for any other file."""
    name = path.rpartition("/")[2]
    file_name = FILE_NAME.fullmatch(name)
    if file_name is None:
        return None
    code = Code(data, language)
    up = up_function(code)
    if up is None:
        return None
    functions = [up, *descendants(up, *JAVASCRIPT_FUNCTIONS)]
    reading = _Reading(
        code,
        path,
        {function_parameter for function in functions for function_parameter in function_parameters(function)},
    )
    for call in Calls(code).of(up.child_by_field_name("body"), (function_parameters(up) or [""])[0]):
        reading.read(call)
    if not reading.found:
        return None
    return Facts(
        statements=reading.found,
        series=Series("knex", version=file_name["version"], name=name.rpartition(".")[0]),
        unparsed=tuple(reading.unparsed),
        operations=tuple(reading.operations),
    )


class _Reading:
    """What the statements of a migration have come to so far."""

    def __init__(self, code: Code, path: str, parameters: Collection[str]) -> None:
        self.operations: list[SchemaOperation] = []
        self.unparsed: list[Unparsed] = []
        self.found = 0  # statements on the schema
        self._code = code
        self._path = path
        self._owners = {*TRANSACTIONS, *parameters}
        self._calls = Calls(code)

    def read(self, call: Call) -> None:
        """Read a chain of calls of the schema builder, which a transaction has as well as the connection."""
        links = self._code.chain(call.node)
        if not links:
            return
        builder = BUILDER.fullmatch(links[0].name)
        if builder is None or (builder["owner"] or call.name) not in {*self._owners, call.name}:
            if links[0].name.endswith(".raw"):
                self._raw(links[0])
            return
        schema = ""
        for link in (links[0]._replace(name=builder["method"]), *links[1:]):
            if link.name == "withSchema":
                schema = as_text(self._value(link, 0))
                continue
            if link.name == "raw":
                self._raw(link)
                continue
            handler = STATEMENTS.get(link.name)
            if handler is None:
                continue
            self.found += 1
            made = handler(self, link, schema)
            if made is None:
                self.unparsed.append(unparsed_at(link.node, COMPUTED_REASON))
            else:
                self.operations += made

    def _raw(self, link: Link) -> None:
        """Read SQL; what changes rows only is passed over."""
        if not link.arguments:
            return
        facts = sql_facts(link.node, link.arguments[0], code=self._code, path=self._path)
        if facts is not None:
            self.found += 1
            self.operations += facts.operations
            self.unparsed += facts.unparsed

    def _value(self, link: Link, position: int) -> Literal:
        return self._code.value(link.arguments[position]) if position < len(link.arguments) else None

    def _name(self, link: Link, schema: str) -> Name | None:
        name = self._value(link, 0)
        if not isinstance(name, str) or not name:
            return None
        before, _, last = name.rpartition(".")
        return Name(last, schema=before or schema)

    def create(self, link: Link, schema: str) -> list[SchemaOperation] | None:
        """Read createTable."""
        name = self._name(link, schema)
        if name is None:
            return None
        columns: dict[str, Column] = {}
        key: tuple[str, ...] = ()
        unique: list[tuple[str, ...]] = []
        keys: list[ForeignKey] = []
        checks: list[str] = []
        comment = ""
        rest: list[SchemaOperation] = []
        for comment_on in self._body(link, name):
            if isinstance(comment_on, AddColumn):
                columns[comment_on.column.name] = comment_on.column
            elif isinstance(comment_on, AddConstraint):
                key = comment_on.primary_key or key
                unique += [comment_on.unique] if comment_on.unique else []
                keys += [comment_on.foreign_key] if comment_on.foreign_key is not None else []
                checks += [comment_on.check] if comment_on.check else []
            elif isinstance(comment_on, CommentOn):
                comment = comment_on.text
            else:
                rest.append(comment_on)
        source = lines_of(link.arguments[-1])
        table = Table(
            name,
            columns=tuple(columns.values()),
            primary_key=key,
            unique=tuple(unique),
            foreign_keys=tuple(keys),
            checks=tuple(checks),
            comment=comment,
            origins=(Origin.MIGRATION,),
            sources=(Source("", link.arguments[0].start_point[0] + 1, source.end_line),),
        )
        return [CreateTable(table, if_missing=link.name == "createTableIfNotExists"), *rest]

    def alter(self, link: Link, schema: str) -> list[SchemaOperation] | None:
        """Read alterTable."""
        name = self._name(link, schema)
        return list(self._body(link, name)) if name is not None else None

    def drop(self, link: Link, schema: str) -> list[SchemaOperation] | None:
        """Read dropTable."""
        name = self._name(link, schema)
        if_exists = link.name.endswith("IfExists")
        return [Drop(name, if_exists=if_exists, source=_at(link))] if name is not None else None

    def rename(self, link: Link, schema: str) -> list[SchemaOperation] | None:
        """Read renameTable."""
        name, new = self._name(link, schema), as_text(self._value(link, 1))
        return [Rename(name, Name(new, schema=name.schema), source=_at(link))] if name is not None and new else None

    def _body(self, link: Link, table: Name) -> Iterator[SchemaOperation]:
        """Yield what the function of a table does."""
        function = link.arguments[1] if len(link.arguments) > 1 else None
        [parameter] = function_parameters(function)[:1] or [""]
        body = unwrapped(function).child_by_field_name("body") if function is not None else None
        for call in self._calls.of(body, parameter):
            links = self._code.chain(call.node)
            if not links or not links[0].name.startswith(f"{call.name}."):
                continue
            made = self._statement(links, call.name, table)
            if made is None:
                self.unparsed.append(unparsed_at(call.node, COMPUTED_REASON))
            else:
                yield from made

    def _statement(self, links: Sequence[Link], parameter: str, table: Name) -> list[SchemaOperation] | None:
        method = links[0].name.removeprefix(f"{parameter}.")
        written = Written(
            links,
            [self._argument(argument) for argument in links[0].arguments],
            {link.name: [self._argument(argument) for argument in link.arguments] for link in links[1:]},
            lines_of(links[-1].node),
        )
        handler = METHODS.get(method)
        if handler is not None:
            return handler(table, written)
        if method in TYPES or method in PLAIN_TYPES:
            return _column(table, method, written)
        return []

    def _argument(self, node: Node) -> Literal:
        if NOW.search(text_of(node)):
            return Raw("CURRENT_TIMESTAMP")
        return self._code.value(node)


def _at(link: Link) -> Source:
    row = link.arguments[0].start_point[0] + 1 if link.arguments else link.node.end_point[0] + 1
    return Source("", row, row)


def _column(table: Name, method: str, written: Written) -> list[SchemaOperation] | None:
    """Return the operations of a call for a column, None where its name is computed.

    t.string("name", 40).notNullable()  -> AddColumn of name, not nullable
    t.integer("n").unique()             -> AddColumn of n, AddConstraint that n is unique
    """
    default_name = "id" if method in COUNTED else None
    name = as_text(written.values[0]) if written.values else default_name
    if not name:
        return None
    calls = written.calls
    kind, values = _type(method, written)
    is_key = "primary" in calls or method in COUNTED
    if "alter" in calls:
        nullable = False if "notNullable" in calls else True if "nullable" in calls else None
        default = default_of(calls["defaultTo"][0]) if calls.get("defaultTo") else None
        return [AlterColumn(table, name, type=kind, nullable=nullable, default=default, source=written.source)]
    default_value = calls["defaultTo"][0] if calls.get("defaultTo") else COMPUTED
    after = as_text(calls["after"][0]) if calls.get("after") else "" if "first" in calls else None
    column = Column(
        name,
        kind,
        nullable="notNullable" not in calls and calls.get("nullable") != [False] and not is_key,
        default=default_of(default_value) or "",
        comment=as_text(calls["comment"][0]) if calls.get("comment") else "",
        values=values,
        identity=method in COUNTED,
        source=written.source,
    )
    found: list[SchemaOperation] = [AddColumn(table, column, after=after, source=written.source)]
    if is_key:
        found.append(AddConstraint(table, primary_key=(name,), source=written.source))
    if "unique" in calls:
        found.append(AddConstraint(table, unique=(name,), source=written.source))
    if key := _foreign_key((name,), written):
        found.append(AddConstraint(table, key.name, foreign_key=key, source=written.source))
    return found


def _type(method: str, written: Written) -> tuple[str, tuple[str, ...]]:
    second = written.values[1] if len(written.values) > 1 else None
    kind = TYPES.get(method, method)
    if method == "specificType":
        return as_text(second), ()
    if method in {"enum", "enu"}:
        return kind, texts(second) or ()
    if method == "string":
        return f"{kind}({as_text(second) or DEFAULT_LENGTH})", ()
    if method in {"decimal", "float", "double"}:
        sizes = [text for value in written.values[1:3] if (text := as_text(value))]
        kind += f"({', '.join(sizes)})" if sizes else ""
    return kind + (" unsigned" if "unsigned" in written.calls else ""), ()


def _foreign_key(columns: tuple[str, ...], written: Written) -> ForeignKey | None:
    """Return the key of `.references("id").inTable("users")` or `.references("users.id")`."""
    stated = texts(tuple(written.calls.get("references", ())))
    listed = written.calls.get("references", [None])[0] if written.calls.get("references") else None
    referenced = stated or texts(listed) or ()
    in_table = written.calls.get("inTable")
    table = as_text(in_table[0]) if in_table else ""
    if not table and len(referenced) == 1 and "." in referenced[0]:
        table, _, column = referenced[0].rpartition(".")
        referenced = (column,)
    if not table or not referenced:
        return None
    schema, _, last = table.rpartition(".")
    name = written.calls.get("withKeyName")
    return ForeignKey(
        columns, Name(last, schema=schema), referenced, name=as_text(name[0]) if name else "", source=written.source
    )


Made = list[SchemaOperation] | None


def _timestamps(table: Name, written: Written) -> Made:
    options = mapping(written.values[0]) if written.values else {}
    is_default = options.get("defaultToNow") is True or (len(written.values) > 1 and written.values[1] is True)
    is_camel = options.get("useCamelCase") is True
    names = ("createdAt", "updatedAt") if is_camel else ("created_at", "updated_at")
    default = "CURRENT_TIMESTAMP" if is_default else ""
    columns = [
        Column(name, "timestamptz", nullable=not is_default, default=default, source=written.source) for name in names
    ]
    return [AddColumn(table, column, source=written.source) for column in columns]


def _unique(table: Name, written: Written) -> Made:
    columns = texts(written.values[0]) if written.values else None
    if columns is None:
        return None
    second = written.values[1] if len(written.values) > 1 else None
    name = as_text(mapping(second).get("indexName")) or as_text(second)
    return [AddConstraint(table, name, unique=columns, source=written.source)]


def _primary(table: Name, written: Written) -> Made:
    columns = texts(written.values[0]) if written.values else None
    return [AddConstraint(table, primary_key=columns, source=written.source)] if columns is not None else None


def _foreign(table: Name, written: Written) -> Made:
    columns = texts(written.values[0]) if written.values else None
    key = _foreign_key(columns, written) if columns is not None else None
    return [AddConstraint(table, key.name, foreign_key=key, source=written.source)] if key is not None else None


def _check(table: Name, written: Written) -> Made:
    text = as_text(written.values[0]) if written.values else ""
    return [AddConstraint(table, check=text, source=written.source)] if text else None


def _drop_columns(table: Name, written: Written) -> Made:
    names = texts(tuple(written.values)) or (texts(written.values[0]) if written.values else None)
    return [DropColumn(table, name, source=written.source) for name in names] if names is not None else None


def _drop_timestamps(table: Name, written: Written) -> Made:
    is_camel = bool(written.values) and written.values[0] is True
    names = ("createdAt", "updatedAt") if is_camel else ("created_at", "updated_at")
    return [DropColumn(table, name, source=written.source) for name in names]


def _rename_column(table: Name, written: Written) -> Made:
    names = texts(tuple(written.values))
    return [RenameColumn(table, *names, source=written.source)] if names is not None and len(names) == 2 else None


def _drop_key(table: Name, written: Written) -> Made:
    columns = texts(written.values[0]) if written.values else None
    name = as_text(written.values[1]) if len(written.values) > 1 else ""
    if not columns:
        return None
    return [DropConstraint(table, name, columns=() if name else columns, source=written.source)]


def _drop_primary(table: Name, written: Written) -> Made:
    return [DropConstraint(table, primary_key=True, source=written.source)]


def _nullable(table: Name, written: Written) -> Made:
    name = as_text(written.values[0]) if written.values else ""
    is_nullable = written.links[0].name.endswith("setNullable")
    return [AlterColumn(table, name, nullable=is_nullable, source=written.source)] if name else None


def _comment(table: Name, written: Written) -> Made:
    return [CommentOn(table, as_text(written.values[0]), source=written.source)] if written.values else None


STATEMENTS: Mapping[str, Callable[[_Reading, Link, str], list[SchemaOperation] | None]] = {
    "createTable": _Reading.create,
    "createTableIfNotExists": _Reading.create,
    "alterTable": _Reading.alter,
    "table": _Reading.alter,
    "dropTable": _Reading.drop,
    "dropTableIfExists": _Reading.drop,
    "renameTable": _Reading.rename,
}
METHODS: Mapping[str, Callable[[Name, Written], Made]] = {
    "timestamps": _timestamps,
    "unique": _unique,
    "primary": _primary,
    "foreign": _foreign,
    "check": _check,
    "dropColumn": _drop_columns,
    "dropColumns": _drop_columns,
    "dropTimestamps": _drop_timestamps,
    "renameColumn": _rename_column,
    "dropForeign": _drop_key,
    "dropUnique": _drop_key,
    "dropPrimary": _drop_primary,
    "setNullable": _nullable,
    "dropNullable": _nullable,
    "comment": _comment,
}
