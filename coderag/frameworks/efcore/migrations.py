"""Entity Framework's migrations to operations; what the calls on its builder do is data in schemas/frameworks/efcore/.

https://learn.microsoft.com/en-us/ef/core/managing-schemas/migrations/
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from tree_sitter import Node

from coderag.frameworks.common.guarded import guarded
from coderag.frameworks.common.origins import lines_of
from coderag.frameworks.engine.columns import created_table
from coderag.frameworks.engine.named_calls import builder_calls, column_of, named_operation
from coderag.frameworks.engine.steps import Steps, sql_facts
from coderag.sql.records import AddColumn, Facts, Name, SchemaOperation, Series, Source
from coderag.syntax.languages.csharp import CsharpValues
from coderag.syntax.trees.call_chains import Chain, Link, chain_of
from coderag.syntax.trees.literals import Literal, as_text
from coderag.syntax.trees.tree import descendants, named, parse, text_of

__all__ = ["read"]

FILE_NAME = re.compile(r"(?P<version>\d{1,20})[_-]?.*\.cs")
STATED = re.compile(rb"\[Migration\(\s*\"(\d{1,20})_?[^\"]*\"")
BUILDER = "MigrationBuilder"
SQLITE = re.compile(r"(?i)sqlite")
NEGATED = re.compile(r"^\(?\s*!|!=")
MAX_DEPTH = 60  # of statements in each other, methods that are called included
CALL = "invocation_expression"


def read(data: bytes, *, language: str, path: str) -> Facts | None:
    """Return what a migration does on its way up; None for a file without one, and for one that does nothing."""
    root = parse(data, language)
    up = next((one for one in descendants(root, "method_declaration") if _is_up(one)), None)
    if up is None:
        return None
    reading = _Reading(root, path)
    reading.follow(up)
    match = FILE_NAME.fullmatch(path.rpartition("/")[2])
    stated = STATED.search(data)
    version = match["version"] if match else stated[1].decode() if stated else ""
    if not reading.found and not version:
        return None
    name = path.rpartition("/")[2].removesuffix(".cs")
    return reading.facts(Series("efcore", version=version, name=name) if version else None)


def _is_up(method: Node) -> bool:
    return text_of(method.child_by_field_name("name")) == "Up" and _builder(method) != ""


def _builder(method: Node) -> str:
    """Return the name of a method's parameter that is the builder, "" for none."""
    for parameter in named(method.child_by_field_name("parameters"), "parameter"):
        if text_of(parameter.child_by_field_name("type")) == BUILDER:
            return text_of(parameter.child_by_field_name("name"))
    return ""


class _Reading(Steps):
    """What the calls of a migration have come to so far."""

    def __init__(self, root: Node, path: str) -> None:
        super().__init__(path)
        self._root = root
        self._values = CsharpValues(root)
        self._words = builder_calls("efcore")
        self._active: list[str] = []  # methods that are being followed
        self._conditions = 0  # that what is read stands in

    def follow(self, method: Node) -> None:
        """Read the calls of a method that is given the builder."""
        name = text_of(method.child_by_field_name("name"))
        if name not in self._active:
            self._active.append(name)
            self._walk(method.child_by_field_name("body"), _builder(method))
            self._active.pop()

    def _walk(self, node: Node | None, builder: str, depth: int = 0) -> None:
        if node is None or depth > MAX_DEPTH or not builder:
            return
        if node.type == "if_statement":
            self._branch(node, builder, depth)
        elif node.type == CALL:
            self._call(node, builder)
        else:
            for child in named(node):
                self._walk(child, builder, depth + 1)

    def _branch(self, node: Node, builder: str, depth: int) -> None:
        """Read the branches of a condition; not what is done on SQLite alone, which stands in for another database."""
        condition = text_of(node.child_by_field_name("condition"))[:200]
        self._conditions += 1
        if SQLITE.search(condition) is None or NEGATED.search(condition) is not None:
            self._walk(node.child_by_field_name("consequence"), builder, depth + 1)
        self._walk(node.child_by_field_name("alternative"), builder, depth + 1)
        self._conditions -= 1

    def _call(self, node: Node, builder: str) -> None:
        chain = chain_of(node)
        if chain is None:
            return
        link = next((one for one in chain.links if one.arguments is not None), None)
        if chain.links[0].name == builder and link is not None:
            made = self._operations(link, chain)
            self.add(node, [*map(guarded, made)] if made and self._conditions else made)
        elif link is not None and any(text_of(one.node) == builder for one in link.arguments or ()):
            for method in descendants(self._root, "method_declaration"):
                if text_of(method.child_by_field_name("name")) == link.name and _builder(method):
                    self.follow(method)

    def _operations(self, link: Link, chain: Chain) -> list[SchemaOperation] | None:
        """Return what a call on the builder does, nothing for one that changes no table; None where it is computed."""
        action = self._words.calls.get(link.name, "")
        if not action:
            return []
        if action == "sql":
            return self._sql(link, chain.node)
        self.found += 1
        said, source = self._said(link, chain), lines_of(chain.node)
        if action == "create table":
            return self._table(link, said, source)
        operation = named_operation(action, None, said, source)
        is_plain = action == "index" and (said.get("unique") is not True or "filter" in said)
        return [operation] if operation is not None else [] if is_plain else None

    def _said(self, link: Link, chain: Chain) -> dict[str, Literal]:
        """Return what a call is given, by what its arguments are, and what the calls behind it note of a column."""
        given = [(one.name, self._values.value(one.node)) for one in link.arguments or ()]
        said = self._words.said(link.name, given)
        kind = link.types[0] if link.types else ""
        if kind and not as_text(said.get("type")):
            size = as_text(said.get("maxLength"))
            name = self._words.types.get(kind.rstrip("?"), kind.rstrip("?").rpartition(".")[2])
            said["type"] = f"varchar({size})" if size and name == "text" else name
        annotations = {as_text(self._values.value(one.argument(0))) for one in chain.links if one.name == "Annotation"}
        return {**said, "counted": not annotations.isdisjoint(self._words.counted)}

    def _table(self, link: Link, said: dict[str, Literal], source: Source) -> list[SchemaOperation] | None:
        """Return the creation of `CreateTable(name: "a", columns: table => new { ... }, constraints: ...)`."""
        name = as_text(said.get("name"))
        if not name:
            return None
        table = Name(name, schema=as_text(said.get("schema")))
        positional = iter(self._words.places[link.name])
        given = {one.name or next(positional, ""): one.node for one in link.arguments or ()}
        inner = [*self._columns(table, given.get("columns")), *self._constraints(table, given.get("constraints"))]
        return created_table(table, inner, source)

    def _columns(self, table: Name, function: Node | None) -> Iterator[SchemaOperation]:
        """Yield the columns of `table => new { Id = table.Column<int>(nullable: false) }`."""
        body = function.child_by_field_name("body") if function is not None else None
        children = named(body)
        for before, value in pairwise(children):
            chain = chain_of(value) if value.type == CALL and before.type == "identifier" else None
            link = next((one for one in chain.links if one.name == "Column"), None) if chain is not None else None
            if chain is not None and link is not None:
                said, source = self._said(link, chain), lines_of(value)
                column = column_of(as_text(said.get("name")) or text_of(before), said, source)
                yield AddColumn(table, column, source=source)

    def _constraints(self, table: Name, function: Node | None) -> Iterator[SchemaOperation]:
        for call in descendants(function, CALL, into=False) if function is not None else ():
            chain = chain_of(call)
            link = next((one for one in chain.links if one.arguments is not None), None) if chain is not None else None
            if chain is None or link is None:
                continue
            action, said = self._words.calls.get(link.name, ""), self._said(link, chain)
            operation = named_operation(action, table, said, lines_of(call))
            if operation is not None:
                yield operation
            elif action:
                self.lose(call)

    def _sql(self, link: Link, call: Node) -> list[SchemaOperation]:
        """Read SQL; what changes rows only is passed over."""
        node = link.argument(0) or link.keyword("sql")
        text = self._values.value(node)
        facts = sql_facts(call, node, text, path=self.path) if node is not None else None
        if facts is None:
            return []
        self.found += 1
        self.unparsed += facts.unparsed
        return [*facts.operations]
