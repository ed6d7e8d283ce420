"""Migrations of Sequelize, db-migrate and node-pg-migrate to operations; their words are data in schemas/frameworks/.

https://sequelize.org/docs/v6/other-topics/migrations/
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from msgspec.structs import replace
from tree_sitter import Node

from coderag.frameworks.common.embedded_sql import read_embedded
from coderag.frameworks.common.origins import lines_of
from coderag.frameworks.engine.columns import Made, created_table
from coderag.frameworks.engine.javascript import up_function
from coderag.frameworks.engine.objects import Attribute, attribute_of, entries_of, key_to, table_name
from coderag.frameworks.engine.steps import Steps
from coderag.frameworks.engine.vocabulary import attributes
from coderag.sql.records import (
    AddColumn,
    AddConstraint,
    AlterColumn,
    Drop,
    DropColumn,
    DropConstraint,
    Facts,
    ForeignKey,
    Name,
    Rename,
    RenameColumn,
    SchemaOperation,
    Series,
    Source,
)
from coderag.syntax.languages.javascript import Code, Link, function_parameters
from coderag.syntax.languages.javascript_calls import Calls
from coderag.syntax.trees.literals import Literal, as_text, mapping, texts
from coderag.syntax.trees.tree import named

__all__ = ["read"]

FILE_NAME = re.compile(r"(?P<version>\d+(?:\.\d+){0,4})(?:[._-].*)?\.[cm]?[jt]s")
OWNER = re.compile(r"(?:^|\.)(?:_?queryInterface|qi|db)(?:\.sequelize)?$|getQueryInterface\(\)$|(?:^|\.)sequelize$")
POSTGRES = "node-pg-migrate"  # which has no other database
COLUMNS = "columns"  # the option of createTable that holds all columns


def read(data: bytes, *, language: str, path: str) -> Facts | None:
    """Return what a migration does on its way up, None for any other file."""
    code = Code(data, language)
    up = up_function(code)
    if up is None:
        return None
    [owner] = function_parameters(up)[:1] or [""]
    framework = POSTGRES if owner == "pgm" or POSTGRES.encode() in data else "db-migrate"
    if b"queryInterface" in data or b"QueryInterface" in data:
        framework = "sequelize"
    reading = _Reading(code, path, framework=framework, owner=owner)
    for call in Calls(code).of(up.child_by_field_name("body"), reading.owner):
        reading.read(call.node, call.name)
    if not reading.found:
        return None
    name = path.rpartition("/")[2]
    match = FILE_NAME.fullmatch(name)
    facts = reading.facts(Series(framework, version=match["version"], name=name.rpartition(".")[0]) if match else None)
    return replace(facts, dialect="postgres", guess=f"migrated with {POSTGRES}") if framework == POSTGRES else facts


class _Reading(Steps):
    """What the calls of a migration have come to so far."""

    def __init__(self, code: Code, path: str, *, framework: str, owner: str) -> None:
        super().__init__(path)
        self.owner = owner
        self._code = code
        self._words = attributes(framework)

    def read(self, node: Node, owner: str) -> None:
        """Read a chain of calls that begins with what the migration is given."""
        before = ""
        for link in self._code.chain(node):
            holder, _, method = link.name.rpartition(".")
            action = self._words.calls.get(method)
            is_own = holder == owner or OWNER.search(holder or before) is not None
            if method == "bind":  # db.addColumn.bind(db, "users", ...), called later
                holder, _, method = holder.rpartition(".")
                action = self._words.calls.get(method)
                is_own = holder == owner
                link = link._replace(arguments=link.arguments[1:])
            before = f"{before}.{link.name}()" if not holder else f"{link.name}()"
            if action is None or not is_own or not link.arguments:
                continue
            self._action(action, link)

    def _action(self, action: str, link: Link) -> None:
        if action == "sql":
            self.sql(link.node, link.arguments[0], self._value(link, 0))
            return
        self.found += 1
        table = table_name(self._value(link, 0))
        self.add(link.node, ACTIONS[action](self, link, table) if table is not None else None)

    def _value(self, link: Link, position: int) -> Literal:
        return self._code.value(link.arguments[position]) if position < len(link.arguments) else None

    def _attribute(self, name: str, node: Node) -> Attribute | None:
        return attribute_of(name, node, code=self._code, words=self._words)

    def create(self, link: Link, table: Name) -> Made:
        """Read createTable."""
        if len(link.arguments) < 2:
            return None
        entries = list(entries_of(link.arguments[1], self._code))
        inner = dict(entries).get(COLUMNS)
        if inner is not None and named(inner):
            entries = list(entries_of(inner, self._code))
        found: list[SchemaOperation] = []
        key: list[str] = []
        for name, node in entries:
            attribute = self._attribute(name, node) if name else None
            if attribute is None:
                self.lose(node)
                continue
            found += _added(table, attribute)
            key += [attribute.column.name] if attribute.is_key else []
        if key:
            found.append(AddConstraint(table, primary_key=tuple(key), source=lines_of(link.node)))
        options = mapping(self._value(link, 2))
        found += self._stated(table, "", mapping(options.get("constraints")), link.node)
        keys = options.get("uniqueKeys")
        for one in keys.values() if isinstance(keys, dict) else ():
            if fields := texts(mapping(one).get("fields")):
                found.append(AddConstraint(table, unique=fields, source=lines_of(link.node)))
        whole = Source("", link.arguments[0].start_point[0] + 1, lines_of(link.arguments[1]).end_line)
        return created_table(table, found, whole) if found else None

    def add_column(self, link: Link, table: Name) -> Made:
        """Read addColumn."""
        name = as_text(self._value(link, 1))
        attribute = self._attribute(name, link.arguments[2]) if name and len(link.arguments) > 2 else None
        if attribute is None:
            return None
        key = (attribute.column.name,)
        constraint = [AddConstraint(table, primary_key=key, source=lines_of(link.node))] if attribute.is_key else []
        return [*_added(table, attribute), *constraint]

    def add_columns(self, link: Link, table: Name) -> Made:
        """Read addColumns(table, { name: column })."""
        found: list[SchemaOperation] = []
        for name, node in entries_of(link.arguments[1], self._code) if len(link.arguments) > 1 else ():
            if (attribute := self._attribute(name, node) if name else None) is None:
                self.lose(node)
            else:
                found += _added(table, attribute)
        return found or None

    def change(self, link: Link, table: Name) -> Made:
        """Read changeColumn."""
        name = as_text(self._value(link, 1))
        node = link.arguments[2] if len(link.arguments) > 2 else None
        attribute = self._attribute(name, node) if name and node is not None else None
        if attribute is None or node is None:
            return None
        column, source = attribute.column, lines_of(link.node)
        said = {self._words.options.get(key) for key, _ in entries_of(node, self._code)}
        changed: list[SchemaOperation] = [
            AlterColumn(
                table,
                name,
                type=column.type or None,
                nullable=column.nullable if said & {"nullable", "not null"} else None,
                default=column.default if "default" in said else None,
                source=source,
            )
        ]
        if attribute.foreign_key is not None:
            changed.append(AddConstraint(table, foreign_key=attribute.foreign_key, source=source))
        return changed

    def drop(self, link: Link, table: Name) -> Made:
        """Read dropTable."""
        return [Drop(table, if_exists=True, source=lines_of(link.node))]

    def rename(self, link: Link, table: Name) -> Made:
        """Read renameTable."""
        to = table_name(self._value(link, 1))
        return [Rename(table, to, source=lines_of(link.node))] if to is not None else None

    def drop_column(self, link: Link, table: Name) -> Made:
        """Read removeColumn."""
        name = as_text(self._value(link, 1))
        return [DropColumn(table, name, source=lines_of(link.node))] if name else None

    def drop_columns(self, link: Link, table: Name) -> Made:
        """Read dropColumns, which is given one name or several."""
        given = self._value(link, 1)
        names = tuple(given) if isinstance(given, dict) else texts(given)
        return [DropColumn(table, name, source=lines_of(link.node)) for name in names] if names else None

    def rename_column(self, link: Link, table: Name) -> Made:
        """Read renameColumn."""
        old, new = as_text(self._value(link, 1)), as_text(self._value(link, 2))
        return [RenameColumn(table, old, new, source=lines_of(link.node))] if old and new else None

    def drop_constraint(self, link: Link, table: Name) -> Made:
        """Read removeConstraint and removeIndex."""
        second = self._value(link, 1)
        if (columns := texts(second)) is not None and not isinstance(second, str):
            return [DropConstraint(table, columns=columns, if_exists=True, source=lines_of(link.node))]
        name = as_text(second)
        return [DropConstraint(table, name, if_exists=True, source=lines_of(link.node))] if name else None

    def constrain(self, link: Link, table: Name) -> Made:
        """Read addConstraint, whose columns are an option or the second argument."""
        second = self._value(link, 1)
        options = mapping(second) or mapping(self._value(link, 2))
        columns = texts(options.get("fields")) or texts(second)
        kind, name, source = as_text(options.get("type")).lower(), as_text(options.get("name")), lines_of(link.node)
        if columns is None:
            return None
        if kind == "unique":
            return [AddConstraint(table, name, unique=columns, source=source)]
        if kind == "primary key":
            return [AddConstraint(table, name, primary_key=columns, source=source)]
        if kind != "foreign key":
            return []
        reference = mapping(options.get("references"))
        other = table_name(reference.get("table"))
        if other is None:
            return None
        referenced = texts(reference.get("field")) or texts(reference.get("fields")) or ()
        key = ForeignKey(columns, other, referenced, name=name, source=source)
        return [AddConstraint(table, name, foreign_key=key, source=source)]

    def constrain_by_name(self, link: Link, table: Name) -> Made:
        """Read addConstraint(table, name, rule), whose rule is SQL or an object."""
        name, rule = as_text(self._value(link, 1)), self._value(link, 2)
        if isinstance(rule, str):
            shown = f'ALTER TABLE "{table.schema}"."{table.name}"' if table.schema else f'ALTER TABLE "{table.name}"'
            facts = read_embedded(f'{shown} ADD CONSTRAINT "{name}" {rule}', source=lines_of(link.node), path=self.path)
            return list(facts.operations)
        return self._stated(table, name, mapping(rule), link.node) if isinstance(rule, dict) else None

    def _stated(self, table: Name, name: str, rule: Mapping[str, Literal], node: Node) -> list[SchemaOperation]:
        """Return the constraints of { unique: [...], primaryKey: [...], check: "...", foreignKeys: {...} }."""
        source = lines_of(node)
        found: list[SchemaOperation] = []
        unique = rule.get("unique")
        groups = unique if isinstance(unique, tuple) and texts(unique) is None else (unique,)
        found += [
            AddConstraint(table, name, unique=columns, source=source) for one in groups if (columns := texts(one))
        ]
        if key := texts(rule.get("primaryKey")):
            found.append(AddConstraint(table, name, primary_key=key, source=source))
        if check := as_text(rule.get("check")):
            found.append(AddConstraint(table, name, check=check, source=source))
        stated = rule.get("foreignKeys")
        for one in map(mapping, stated if isinstance(stated, tuple) else (stated,)):
            foreign = key_to(texts(one.get("columns")) or (), one.get("references"), node) if one else None
            if foreign is not None and foreign.columns:
                found.append(AddConstraint(table, name, foreign_key=replace(foreign, name=name), source=source))
        return found

    def index(self, link: Link, table: Name) -> Made:
        """Read addIndex, of which only a unique one is a key."""
        second = self._value(link, 1)
        options = mapping(second) or mapping(self._value(link, 2))
        if options.get("unique") is not True and as_text(options.get("type")).upper() != "UNIQUE":
            return []
        columns = texts(options.get("fields")) or texts(second)
        if columns is None or options.get("where") is not None:
            return []
        name = as_text(options.get("name")) or as_text(options.get("indexName"))
        return [AddConstraint(table, name, unique=columns, source=lines_of(link.node))]

    def foreign_key(self, link: Link, table: Name) -> Made:
        """Read addForeignKey(table, other, name, { column: referenced })."""
        other, pairs = table_name(self._value(link, 1)), mapping(self._value(link, 3))
        if other is None or not pairs:
            return None
        name = as_text(self._value(link, 2))
        key = ForeignKey(
            tuple(pairs), other, tuple(map(as_text, pairs.values())), name=name, source=lines_of(link.node)
        )
        return [AddConstraint(table, name, foreign_key=key, source=lines_of(link.node))]


def _added(table: Name, attribute: Attribute) -> Sequence[SchemaOperation]:
    column = attribute.column
    made: list[SchemaOperation] = [AddColumn(table, column, source=column.source)]
    if attribute.unique is True:
        made.append(AddConstraint(table, unique=(column.name,), source=column.source))
    if attribute.foreign_key is not None:
        made.append(AddConstraint(table, foreign_key=attribute.foreign_key, source=column.source))
    return made


ACTIONS: Mapping[str, Callable[[_Reading, Link, Name], Made]] = {
    "add column": _Reading.add_column,
    "add columns": _Reading.add_columns,
    "add constraint": _Reading.constrain,
    "add foreign key": _Reading.foreign_key,
    "add index": _Reading.index,
    "add stated constraint": _Reading.constrain_by_name,
    "change column": _Reading.change,
    "create table": _Reading.create,
    "drop column": _Reading.drop_column,
    "drop columns": _Reading.drop_columns,
    "drop constraint": _Reading.drop_constraint,
    "drop table": _Reading.drop,
    "rename column": _Reading.rename_column,
    "rename table": _Reading.rename,
}
