"""Knex's migrations to operations; what the methods of its table builder do is data in schemas/frameworks/knex/.

https://knexjs.org/guide/schema-builder.html
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

from tree_sitter import Node

from coderag.frameworks.common.origins import lines_of
from coderag.frameworks.engine.columns import NOW, Made, Statement, operations_of, table_of
from coderag.frameworks.engine.javascript import up_function
from coderag.frameworks.engine.steps import Steps
from coderag.frameworks.engine.vocabulary import vocabulary
from coderag.sql.records import (
    AddColumn,
    Column,
    CreateTable,
    Drop,
    DropColumn,
    Facts,
    Name,
    Rename,
    SchemaOperation,
    Series,
    Source,
)
from coderag.syntax.languages.javascript import Code, Link, function_parameters, unwrapped
from coderag.syntax.languages.javascript_calls import Call, Calls
from coderag.syntax.trees.literals import Literal, Raw, as_text, mapping
from coderag.syntax.trees.node_types import JAVASCRIPT_FUNCTIONS
from coderag.syntax.trees.tree import descendants, text_of

__all__ = ["read"]

FILE_NAME = re.compile(r"(?P<version>\d+)(?:[_-].*)?\.[cm]?[jt]s")
BUILDER = re.compile(r"(?:(?P<owner>\w+)(?:\.\w+)*\.)?schema\.(?P<method>\w+)")
TRANSACTIONS = frozenset({"knex", "this", "trx"})  # usual names of what has a builder
CURRENT_TIME = re.compile(r"\.fn\.now\((?:(?!\.fn\.now\().)*\)$")
TIMESTAMPS = ("timestamps", "drop timestamps")


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
    return reading.facts(Series("knex", version=file_name["version"], name=name.rpartition(".")[0]))


class _Reading(Steps):
    """What the statements of a migration have come to so far."""

    def __init__(self, code: Code, path: str, parameters: Collection[str]) -> None:
        super().__init__(path)
        self._code = code
        self._owners = {*TRANSACTIONS, *parameters}
        self._calls = Calls(code)
        self._words = vocabulary("knex")

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
            self.add(link.node, handler(self, link, schema))

    def _raw(self, link: Link) -> None:
        if link.arguments:
            self.sql(link.node, link.arguments[0], self._value(link, 0))

    def _value(self, link: Link, position: int) -> Literal:
        return self._code.value(link.arguments[position]) if position < len(link.arguments) else None

    def _name(self, link: Link, schema: str) -> Name | None:
        name = self._value(link, 0)
        if not isinstance(name, str) or not name:
            return None
        before, _, last = name.rpartition(".")
        return Name(last, schema=before or schema)

    def create(self, link: Link, schema: str) -> Made:
        """Read createTable."""
        name = self._name(link, schema)
        if name is None:
            return None
        source = lines_of(link.arguments[-1])
        whole = Source("", link.arguments[0].start_point[0] + 1, source.end_line)
        table, rest = table_of(name, list(self._body(link, name)), whole)
        return [CreateTable(table, if_missing=link.name == "createTableIfNotExists"), *rest]

    def alter(self, link: Link, schema: str) -> Made:
        """Read alterTable."""
        name = self._name(link, schema)
        return list(self._body(link, name)) if name is not None else None

    def drop(self, link: Link, schema: str) -> Made:
        """Read dropTable."""
        name = self._name(link, schema)
        if_exists = link.name.endswith("IfExists")
        return [Drop(name, if_exists=if_exists, source=_at(link))] if name is not None else None

    def rename(self, link: Link, schema: str) -> Made:
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
            made: list[SchemaOperation] = []
            self.add(call.node, self._statement(links, call.name, table), made)
            yield from made

    def _statement(self, links: Sequence[Link], parameter: str, table: Name) -> Made:
        words = self._words
        first, *further = ([self._argument(argument) for argument in link.arguments] for link in links)
        said = zip((words.modifiers.get(link.name, "") for link in links[1:]), further, strict=True)
        method = links[0].name.removeprefix(f"{parameter}.")
        statement = Statement(method, first, lines_of(links[-1].node), {word: values for word, values in said if word})
        if words.actions.get(method) in TIMESTAMPS:
            return _timestamps(table, statement)
        return operations_of(table, statement, words)

    def _argument(self, node: Node) -> Literal:
        if CURRENT_TIME.search(text_of(node)):
            return Raw(NOW)
        return self._code.value(node)


def _at(link: Link) -> Source:
    row = link.arguments[0].start_point[0] + 1 if link.arguments else link.node.end_point[0] + 1
    return Source("", row, row)


def _timestamps(table: Name, statement: Statement) -> Made:
    """Return both columns of `timestamps(useTimestamps, defaultToNow, useCamelCase)`, or that they are dropped."""
    options, source = mapping(statement.value(0)), statement.source
    is_dropped = statement.method.startswith("drop")
    is_camel = options.get("useCamelCase") is True or (is_dropped and statement.value(0) is True)
    names = ("createdAt", "updatedAt") if is_camel else ("created_at", "updated_at")
    if is_dropped:
        return [DropColumn(table, name, source=source) for name in names]
    is_now = options.get("defaultToNow") is True or statement.value(1) is True
    columns = (Column(name, "timestamptz", not is_now, NOW if is_now else "", source=source) for name in names)
    return [AddColumn(table, column, source=source) for column in columns]


STATEMENTS: Mapping[str, Callable[[_Reading, Link, str], Made]] = {
    "createTable": _Reading.create,
    "createTableIfNotExists": _Reading.create,
    "alterTable": _Reading.alter,
    "table": _Reading.alter,
    "dropTable": _Reading.drop,
    "dropTableIfExists": _Reading.drop,
    "renameTable": _Reading.rename,
}
