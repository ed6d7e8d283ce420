"""Kysely's migrations to operations; what the calls of its schema builder do is data in schemas/frameworks/kysely/.

https://kysely.dev/docs/migrations
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from tree_sitter import Node

from coderag.frameworks.common.origins import lines_of
from coderag.frameworks.engine.columns import Made, table_of
from coderag.frameworks.engine.javascript import up_function
from coderag.frameworks.engine.named_calls import Said, builder_calls, named_operation
from coderag.frameworks.engine.objects import key_to
from coderag.frameworks.engine.steps import Steps
from coderag.sql.records import (
    AddConstraint,
    CreateTable,
    CreateType,
    Facts,
    ForeignKey,
    Name,
    ObjectKind,
    SchemaOperation,
    Series,
    Source,
    TypeDefinition,
)
from coderag.syntax.languages.javascript import Code, Link, function_body
from coderag.syntax.trees.literals import COMPUTED, Literal, Raw, Reference, as_text, texts
from coderag.syntax.trees.tree import descendants, named, text_of

__all__ = ["read"]

FILE_NAME = re.compile(r"(?P<version>\d+(?:[-_T:.]\d+){0,8})(?:[-_.].*)?\.[cm]?[jt]s")
BUILDER = "schema"
RETURN = "return_statement"


def read(data: bytes, *, language: str, path: str) -> Facts | None:
    """Return what a Kysely migration does on its way up, None for any other file."""
    code = Code(data, language)
    up = up_function(code)
    if up is None:
        return None
    reading = _Reading(code, path)
    for node in descendants(up, "call_expression"):
        if node.parent is None or node.parent.type != "member_expression":  # the whole chain
            reading.read(node)
    if not reading.found:
        return None
    name = path.rpartition("/")[2]
    match = FILE_NAME.fullmatch(name)
    return reading.facts(Series("kysely", version=match["version"], name=name.rpartition(".")[0]) if match else None)


class _Reading(Steps):
    """What the statements of a migration have come to so far."""

    def __init__(self, code: Code, path: str) -> None:
        super().__init__(path)
        self._code = code
        self._words = builder_calls("kysely")

    def read(self, node: Node) -> None:
        """Read a chain of calls: one of the schema builder, or SQL that is executed."""
        links = self._code.chain(node)
        if not links:
            return
        if links[-1].name.endswith("execute") and (text := self._executed(node)) is not None:
            self.sql(node, text, self._sql(text))
            return
        holder, _, method = links[0].name.rpartition(".")
        if not holder.endswith(f".{BUILDER}"):
            return
        schema = ""
        if method == "withSchema":
            schema, links = as_text(self._value(links[0], 0)), links[1:]
        else:
            links = [links[0]._replace(name=method), *links[1:]]
        action = self._words.calls.get(links[0].name, "") if links else ""
        if action:
            self.found += 1
            self.add(node, self._made(action, links, schema))

    def _executed(self, node: Node) -> Node | None:
        """Return the template of sql`...`.execute(db)."""
        function = node.child_by_field_name("function")
        template = function.child_by_field_name("object") if function is not None else None
        return template if template is not None and text_of(template).startswith("sql") else None

    def _sql(self, node: Node) -> Literal:
        value = self._code.value(node)
        return value.text if isinstance(value, Raw) else value

    def _value(self, link: Link, position: int) -> Literal:
        return self._code.value(link.arguments[position]) if position < len(link.arguments) else None

    def _made(self, action: str, links: Sequence[Link], schema: str) -> Made:
        """Return what a statement does; None where its table is computed."""
        before, _, name = as_text(self._value(links[0], 0)).rpartition(".")
        flags = {link.name for link in links[1:]}
        if action == "index":
            return self._index(name, links, schema)
        if not name:
            return None
        table, source = Name(name, schema=before or schema), lines_of(links[-1].node)
        if action == "create type":
            return self._enum(table, links, source)
        if action == "alter table":
            return list(self._inner(table, links[1:]))
        if action == "create table":
            made, rest = table_of(table, list(self._inner(table, links[1:])), source)
            return [CreateTable(made, if_missing="ifNotExists" in flags), *rest]
        operation = named_operation(action, table, {"if exists": "ifExists" in flags}, source)
        return [operation] if operation is not None else None

    def _inner(self, table: Name, links: Sequence[Link]) -> Iterator[SchemaOperation]:
        """Yield what the calls behind a table do to it."""
        for link in links:
            action = self._words.calls.get(link.name, "")
            if not action:
                continue
            said = self._words.said(link.name, [("", self._code.value(argument)) for argument in link.arguments])
            made = self._of_column(action, table, said, link)
            if made is None:
                self.lose(link.node)
            yield from made or ()

    def _of_column(self, action: str, table: Name, said: Said, link: Link) -> Made:
        """Return what a call does, with what the function that it is given says of its column.

        `.addColumn("a", "text", (col) => col.notNull())` -> AddColumn with a column that may not be null
        `.alterColumn("a", (col) => col.dropNotNull())`   -> AlterColumn
        `.addUniqueConstraint("u", ["a", "b"])`           -> AddConstraint
        """
        source = lines_of(link.arguments[0]) if link.arguments else lines_of(link.node)
        kind = said.get("type")
        if isinstance(kind, Reference):  # a constant of the file
            kind = self._code.value(self._code.constants.get(kind.name))
        kind = kind.text if isinstance(kind, Raw) else kind
        said = {**said, "type": kind, "nullable": True, "counted": "serial" in as_text(kind).lower()}
        about = [*self._about(link.arguments[-1])] if link.arguments else []
        if action == "alter column":
            changes = [
                named_operation(self._words.calls.get(word, ""), table, {**said, **given}, source)
                for word, given, _ in about
            ]
            return [change for change in changes if change is not None]
        for word, given, _ in about:
            said |= {self._words.arguments.get(word, word): True, **given}
        said |= {"nullable": not {"not null", "primary"} & said.keys()}
        operation = named_operation(action, table, said, source)
        if operation is None:
            return None
        name, made = (as_text(said.get("name")),), [operation]
        if action == "add column":
            made += [AddConstraint(table, primary_key=name, source=source)] if "primary" in said else []
            made += [AddConstraint(table, unique=name, source=source)] if "unique" in said else []
            for word, _, value in about:
                key = _key(name, value, link.node) if word == "references" else None
                made += [AddConstraint(table, foreign_key=key, source=source)] if key is not None else []
        return made

    def _about(self, function: Node) -> Iterator[tuple[str, Said, Literal]]:
        """Yield the calls of `(col) => col.notNull().defaultTo(1)` with what they are given."""
        body = function_body(function)
        body = named(body[0]) if len(body) == 1 and body[0].type == RETURN else body
        for link in self._code.chain(body[0]) if len(body) == 1 else ():
            word = link.name.rpartition(".")[2]
            value = self._value(link, 0) if link.arguments else None
            value = value.text if isinstance(value, Raw) and word not in {"defaultTo", "setDefault"} else value
            given = self._words.said(word, [("", value)]) if link.arguments else {}
            yield word, given, value

    def _index(self, name: str, links: Sequence[Link], schema: str) -> Made:
        """Return the key of `createIndex("a").unique().on("t").columns(["x"])`; other indexes are no keys."""
        given = {link.name: self._value(link, 0) for link in links[1:]}
        if "unique" not in given or not {"where", "expression"}.isdisjoint(given):
            return []
        columns, on = texts(given.get("columns", given.get("column"))), as_text(given.get("on"))
        if not on or columns is None:
            return None
        before, _, table = on.rpartition(".")
        return [
            AddConstraint(Name(table, schema=before or schema), name, unique=columns, source=lines_of(links[-1].node))
        ]

    def _enum(self, name: Name, links: Sequence[Link], source: Source) -> Made:
        values = next((texts(self._value(link, 0)) for link in links if link.name == "asEnum"), None)
        made = TypeDefinition(name, kind=ObjectKind.ENUM, values=values or (), source=source)
        return [CreateType(made)] if values else None


def _key(columns: tuple[str, ...], value: Literal, node: Node) -> ForeignKey | None:
    """Return the key to "users.id"."""
    table, _, column = as_text(value).rpartition(".")
    return key_to(columns, f"{table}({column})" if table else COMPUTED, node)
