"""Doctrine's migrations to operations; what the methods of its schema do is data in schemas/frameworks/doctrine/.

https://www.doctrine-project.org/projects/doctrine-migrations/en/current/reference/migration-classes.html
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from tree_sitter import Node

from coderag.frameworks.common.origins import lines_of
from coderag.frameworks.engine.columns import Made, Statement, created_table, operations_of
from coderag.frameworks.engine.steps import Steps, sql_facts
from coderag.frameworks.engine.vocabulary import vocabulary
from coderag.sql.records import (
    AddConstraint,
    AlterColumn,
    Drop,
    Facts,
    ForeignKey,
    Name,
    Rename,
    SchemaOperation,
    Series,
    Source,
)
from coderag.syntax.languages.php import PhpValues
from coderag.syntax.trees.call_chains import Chain, Link, chain_of
from coderag.syntax.trees.literals import Literal, as_text, default_of, mapping, texts
from coderag.syntax.trees.tree import descendants, parse, text_of

__all__ = ["read"]

FILE_NAME = re.compile(r"(?P<name>Version(?P<version>\d{8,20}))\.php")
TABLE_CALLS = frozenset({"createTable", "getTable"})
COLUMN_CALLS = frozenset({"changeColumn", "getColumn", "modifyColumn"})
PLACES = ("length", "precision", "scale")  # of a type: what follows the name of the column
MAX_NODES = 20_000  # calls and assignments of a migration


def read(data: bytes, *, language: str, path: str) -> Facts | None:
    """Return what a migration does on its way up; None where it names no table, or SQL of it is computed alone."""
    root = parse(data, language)
    methods = descendants(root, "method_declaration")
    up = next((one for one in methods if text_of(one.child_by_field_name("name")) == "up"), None)
    if up is None:
        return None
    reading = _Reading(root, path)
    reading.walk(up)
    if not reading.uses_schema and (reading.unparsed or not reading.found):
        return None
    match = FILE_NAME.fullmatch(path.rpartition("/")[2])
    reading.finish()
    return reading.facts(Series("doctrine", version=match["version"], name=match["name"]) if match else None)


class _Reading(Steps):
    """What the statements of a migration have come to so far."""

    def __init__(self, root: Node, path: str) -> None:
        super().__init__(path)
        self.uses_schema = False
        self._values = PhpValues(root)
        self._words = vocabulary("doctrine")
        self._steps: list[tuple[Name | None, list[SchemaOperation], Source]] = []  # with a name: that table is created
        self._tables: dict[str, tuple[Name, list[SchemaOperation]]] = {}  # by the variables that stand for them

    def finish(self) -> None:
        """Add what is done, in order; a table that is created has all its columns."""
        for created, operations, source in self._steps:
            self.operations += created_table(created, operations, source) if created is not None else operations

    def walk(self, up: Node) -> None:
        """Read the calls of a method in order."""
        nodes = descendants(up, "assignment_expression", "member_call_expression", into=True)
        reached = 0
        for _, node in zip(range(MAX_NODES), nodes, strict=False):
            if node.start_byte < reached:
                continue
            value = node.child_by_field_name("right") if node.type == "assignment_expression" else node
            chain = chain_of(value) if value is not None and value.type == "member_call_expression" else None
            if chain is not None and self._call(chain, text_of(node.child_by_field_name("left"))):
                reached = node.end_byte
            elif node.type == "assignment_expression":
                self._values.bind(text_of(node.child_by_field_name("left")), self._values.value(value))

    def _call(self, chain: Chain, variable: str) -> bool:
        """Read a chain of calls; tell whether it is one on the schema, a table of it, or gives SQL to run."""
        links = [link for link in chain.links if link.arguments is not None]
        first = text_of(chain.links[0].node)
        if not links:
            return False
        if first in self._tables:
            self._on_table(*self._tables[first], links, chain.node)
        elif first == "$this" and links[0].name == "addSql":
            self._sql(links[0])
        elif first == "$schema" and links[0].name in TABLE_CALLS:
            self._table(links, chain, variable)
        elif first == "$schema" and links[0].name in {"dropTable", "renameTable"}:
            self._change(links[0], chain.node)
        else:
            return False
        return True

    def _table(self, links: Sequence[Link], chain: Chain, variable: str) -> None:
        """Read `$table = $schema->createTable("posts")`, and what is done to the table behind that."""
        name = self._name(links[0])
        if name is None:
            self._lose(chain.node)
            return
        step: list[SchemaOperation] = []
        self._steps.append((name if links[0].name == "createTable" else None, step, lines_of(chain.node)))
        self.found += links[0].name == "createTable"
        self.uses_schema = True
        if variable:
            self._tables[variable] = (name, step)
        if len(links) > 1:
            self._on_table(name, step, links[1:], chain.node)

    def _on_table(self, table: Name, step: list[SchemaOperation], links: Sequence[Link], node: Node) -> None:
        made: Made = []
        match links[0].name:
            case "addColumn":
                made = self._column(table, links, node)
            case "addForeignKeyConstraint":
                made = self._foreign_key(table, links[0], node)
            case name if name in COLUMN_CALLS:
                made = self._alter(table, links, node)
            case name if name in self._words.actions:
                statement = Statement(
                    name, [self._values.value(one.node) for one in links[0].arguments or ()], lines_of(node)
                )
                made = operations_of(table, statement, self._words)
        if made is None:
            self._lose(node)
        step += made or []
        self.found += bool(made)

    def _column(self, table: Name, links: Sequence[Link], node: Node) -> Made:
        """Return the column of `addColumn("title", "string", ["length" => 100])` and of the setters behind it."""
        said = self._options(links, 2)
        method = self._type(links[0].argument(1))
        if "type" in said:
            method = as_text(said["type"]) or method
        name = as_text(self._values.value(links[0].argument(0)))
        if not name:
            return None
        modifiers: dict[str, Sequence[Literal]] = {
            key: (value,) for key, value in said.items() if key in {"default", "comment"} or value is True
        }
        if said.get("not null") is False:
            modifiers["nullable"] = ()
        values = [name, *(said.get(place) for place in PLACES)]
        known = method if method in self._words.types else "object"
        return operations_of(table, Statement(known, values, lines_of(node), modifiers), self._words)

    def _alter(self, table: Name, links: Sequence[Link], node: Node) -> Made:
        """Return the change of `changeColumn("title", [...])`, `getColumn("title")->setNotnull(false)`."""
        said = self._options(links, 1)
        name = as_text(self._values.value(links[0].argument(0)))
        if not name:
            return None
        if not said:
            return []
        kind = as_text(said.get("type"))
        if not kind and said.get("length") is not None:
            kind = "string"
        values: list[Literal] = [name, *(said.get(place) for place in PLACES)]
        statement = Statement(kind, values, lines_of(node), {"change": ()})
        made = operations_of(table, statement, self._words) if kind in self._words.types else []
        changed = next((one for one in made or () if isinstance(one, AlterColumn)), None)
        is_stated = "not null" in said
        return [
            AlterColumn(
                table,
                name,
                type=changed.type if changed is not None else None,
                nullable=said["not null"] is False if is_stated else None,
                default=default_of(said["default"]) if "default" in said else None,
                source=lines_of(node),
            )
        ]

    def _options(self, links: Sequence[Link], position: int) -> dict[str, Literal]:
        """Return the options of a column, and what is set by the methods behind it, by what the words call them."""
        modifiers: Mapping[str, str] = self._words.modifiers
        given = mapping(self._values.value(links[0].argument(position)))
        said = {modifiers[key]: value for key, value in given.items() if key in modifiers}
        for link in links[1:]:
            if link.name in modifiers:
                node = link.argument(0)
                key = modifiers[link.name]
                said[key] = self._type(node) if key == "type" else self._values.value(node)
        return said

    def _type(self, node: Node | None) -> str:
        """Return the type of DBAL that "string", Types::STRING or Type::getType("string") names."""
        if stated := as_text(self._values.value(node)):
            return stated
        if node is not None and (quoted := next(iter(descendants(node, "string")), None)) is not None:
            return as_text(self._values.value(quoted))
        constant = text_of(node).rpartition("::")[2].lower()
        return constant.removesuffix("_mutable")

    def _foreign_key(self, table: Name, link: Link, node: Node) -> Made:
        values = [self._values.value(argument.node) for argument in link.arguments or ()]
        target = link.argument(0)
        known = self._tables.get(text_of(target))
        name = known[0] if known is not None else _name_of(as_text(values[0]) if values else "")
        columns, referenced = (texts(value) for value in (*values[1:3], None, None)[:2])
        if name is None or not columns:
            return None
        stated = as_text(values[4]) if len(values) > 4 else ""
        key = ForeignKey(columns, name, referenced or (), name=stated, source=lines_of(node))
        return [AddConstraint(table, stated, foreign_key=key, source=key.source)]

    def _change(self, link: Link, node: Node) -> None:
        """Read a table that is dropped or renamed."""
        name, to = self._name(link), _name_of(as_text(self._values.value(link.argument(1))))
        if name is None or (to is None and link.name == "renameTable"):
            self._lose(node)
            return
        self.uses_schema = True
        self.found += 1
        source = lines_of(node)
        self._steps.append((None, [Rename(name, to, source=source) if to else Drop(name, source=source)], source))

    def _sql(self, link: Link) -> None:
        """Read SQL; what changes rows only is passed over."""
        node = link.argument(0)
        value = self._values.value(node)
        facts = sql_facts(link.node, node, value, path=self.path) if node is not None else None
        if node is None or facts is None:
            return
        self.found += 1
        self._steps.append((None, [*facts.operations], lines_of(node)))
        self.unparsed += facts.unparsed

    def _name(self, link: Link) -> Name | None:
        return _name_of(as_text(self._values.value(link.argument(0))))

    def _lose(self, node: Node) -> None:
        self.found += 1
        self.lose(node)


def _name_of(text: str) -> Name | None:
    schema, _, name = text.strip('"`').rpartition(".")
    return Name(name, schema=schema) if name else None
