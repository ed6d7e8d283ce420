"""ActiveRecord models to what they add to tables that schema.rb or migrations create.

A model does not state its columns. It states which class maps the table, whom it belongs to, and which values occur.
https://guides.rubyonrails.org/association_basics.html
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from tree_sitter import Node

from coderag.frameworks.common.origins import lines_of
from coderag.frameworks.rails.ruby import Arguments, Code
from coderag.frameworks.rails.tables import join_name, qualified
from coderag.sql.records import Column, Describe, Evidence, Facts, ForeignKey, Name, Origin, Relation, Source, Table
from coderag.syntax.trees.comments import comment_above
from coderag.syntax.trees.literals import Literal, Number, as_text, texts
from coderag.syntax.trees.tree import named, text_of
from coderag.text.inflection import plural, singular, snake_case, table_of_class

__all__ = ["read"]

BASE = re.compile(r"(?:^|::|\s)(?:ApplicationRecord|ActiveRecord::Base)$")
# What `enum` takes beside the names and values of columns.
ENUM_OPTIONS = frozenset(
    "prefix suffix scopes default validate instance_methods _prefix _suffix _scopes _default _instance_methods".split()
)


class Model(NamedTuple):
    """A class that maps a table."""

    name: str  # with its modules
    node: Node
    body: Sequence[Node]
    prefix: str | None  # of the table, stated by a module around; None where there is a module and none is stated


class Statement(NamedTuple):
    """A statement in the body of a model."""

    arguments: Arguments
    source: Source
    table: Name
    model: str


class Said(NamedTuple):
    """What a statement says."""

    keys: tuple[ForeignKey, ...] = ()
    columns: tuple[Column, ...] = ()
    other: Table | None = None  # a table without a model
    relations: tuple[Relation, ...] = ()


def read(data: bytes, *, language: str, path: str) -> Facts | None:  # noqa: ARG001 - as every framework is asked
    """Return what the models of a file say of their tables, None where there are none."""
    code = Code(data)
    tables = [table for model in _models(code, named(code.root), "", "") for table in _tables(code, model)]
    if not tables:
        return None
    operations = tuple(Describe(table) for table in tables)
    return Facts(statements=len(operations), operations=operations)


def _models(code: Code, nodes: Sequence[Node], scope: str, prefix: str | None) -> Iterator[Model]:
    for node in nodes:
        if node.type not in {"class", "module"}:
            continue
        name = text_of(node.child_by_field_name("name")).removeprefix("::")
        full = f"{scope}::{name}" if scope else name
        body = code.statements(node)
        stated = prefix if "::" not in name else None
        if node.type == "class" and BASE.search(text_of(node.child_by_field_name("superclass"))):
            yield Model(full, node, body, stated)
        yield from _models(code, body, full, _prefix(code, body))


def _prefix(code: Code, body: Sequence[Node]) -> str | None:
    """Return what `def self.table_name_prefix` of a module gives."""
    for node in body:
        if node.type == "singleton_method" and text_of(node.child_by_field_name("name")) == "table_name_prefix":
            last = node.child_by_field_name("body")
            if last is not None and last.type == "body_statement":  # and not `def self.x = "y"`
                last = named(last)[-1] if named(last) else None
            value = code.value(last)
            return value if isinstance(value, str) else None
    return None


def _tables(code: Code, model: Model) -> Iterator[Table]:
    """Yield the table of a model, and the tables of its relations that have no model."""
    settings = dict(_settings(code, model.body))
    if settings.get("abstract_class") is True or model.name == "ApplicationRecord":
        return
    stated = settings.get("table_name")
    prefix = settings.get("table_name_prefix", model.prefix)
    if stated is None and not isinstance(prefix, str):
        return  # a module around it may give the prefix, in another file
    name = as_text(stated) or f"{prefix}{table_of_class(model.name)}"
    if stated is not None and not as_text(stated):
        return
    table = qualified(name)
    additions = list(_said(code, model, table))
    columns = {column.name: column for one in additions for column in one.columns}
    yield Table(
        table,
        columns=tuple(columns.values()),
        primary_key=texts(settings.get("primary_key")) or (),
        foreign_keys=tuple(key for one in additions for key in one.keys),
        comment=comment_above(model.node),
        alias=model.name,
        relations=tuple(relation for one in additions for relation in one.relations),
        origins=(Origin.ORM,),
        sources=(lines_of(model.node),),
    )
    yield from (one.other for one in additions if one.other is not None)


def _settings(code: Code, body: Sequence[Node]) -> Iterator[tuple[str, Literal]]:
    """Yield what is assigned to attributes of the class: `self.table_name = "x"`."""
    for node in body:
        left = node.child_by_field_name("left")
        if node.type == "assignment" and left is not None and text_of(left).startswith("self."):
            yield text_of(left).removeprefix("self."), code.value(node.child_by_field_name("right"))
        elif node.type == "identifier" and text_of(node) == "primary_abstract_class":
            yield "abstract_class", True
        elif node.type == "call" and text_of(node.child_by_field_name("method")) == "set_table_name":
            arguments = code.arguments(node)
            yield "table_name", arguments.values[0] if arguments.values else None


def _said(code: Code, model: Model, table: Name) -> Iterator[Said]:
    for node in model.body:
        method = text_of(node.child_by_field_name("method")) if node.type == "call" else ""
        handler = STATEMENTS.get(method)
        if handler is not None and node.child_by_field_name("receiver") is None:
            yield handler(Statement(code.arguments(node), lines_of(node), table, model.name))


def _belongs_to(statement: Statement) -> Said:
    options = statement.arguments.options
    name = statement.arguments.text(0)
    if name is None or options.get("polymorphic"):
        return Said()
    stated = options.get("class_name")
    target = _target(name, stated)
    columns = texts(options.get("foreign_key", f"{name}_id"))
    if target is None or columns is None:
        return Said()
    referenced = texts(options["primary_key"]) if "primary_key" in options else ()
    key = ForeignKey(
        columns=columns,
        table=Name(table_of_class(target)),
        referenced=referenced or (),
        evidence=Evidence.MODEL,
        source=statement.source,
        model=target,
    )
    return Said(keys=(key,), relations=(Relation(name, target, columns=columns),))


def _has(statement: Statement) -> Said:
    """Read has_many and has_one, also those through another association."""
    options = statement.arguments.options
    name = statement.arguments.text(0)
    source = as_text(options.get("source"))
    target = _target(singular(source or name), options.get("class_name")) if name else None
    return Said(relations=(Relation(name, target),)) if name and target else Said()


def _target(name: str, stated: Literal) -> str | None:
    """Return the class of an association: stated, or called like it."""
    if stated is None:
        return "".join(part[:1].upper() + part[1:] for part in name.split("_"))
    return stated.removeprefix("::") if isinstance(stated, str) else None


def _both_ways(statement: Statement) -> Said:
    """Read has_and_belongs_to_many: a table with the keys of two models."""
    options = statement.arguments.options
    name = statement.arguments.text(0)
    target = _target(singular(name), options.get("class_name")) if name else None
    if name is None or target is None:
        return Said()
    other = Name(table_of_class(target))
    own_column = as_text(options.get("foreign_key")) or f"{snake_case(statement.model.rpartition('::')[2])}_id"
    other_column = as_text(options.get("association_foreign_key")) or f"{snake_case(target.rpartition('::')[2])}_id"
    joined = as_text(options.get("join_table")) or join_name(statement.table.name, plural(snake_case(singular(name))))
    keys = (
        ForeignKey((own_column,), statement.table, (), "", Evidence.MODEL, statement.source, statement.model),
        ForeignKey((other_column,), other, (), "", Evidence.MODEL, statement.source, target),
    )
    relations = (Relation(name, target),)
    return Said(
        relations=relations,
        other=Table(qualified(joined), foreign_keys=keys, origins=(Origin.ORM,), sources=(statement.source,)),
    )


def _enum(statement: Statement) -> Said:
    """Read enum: `enum :state, { open: 0 }`, `enum state: [:open]`, with several columns in the old form."""
    arguments = statement.arguments
    name = arguments.text(0)
    if name is None:
        pairs = [(key, value) for key, value in arguments.options.items() if key not in ENUM_OPTIONS]
    elif len(arguments.values) > 1:
        pairs = [(name, arguments.values[1])]
    else:
        pairs = [(name, {key: value for key, value in arguments.options.items() if key not in ENUM_OPTIONS})]
    return Said(columns=tuple(column for key, value in pairs if (column := _enum_column(key, value, statement.source))))


def _enum_column(name: str, values: Literal, source: Source) -> Column | None:
    """Return a column with the values that it holds; where those are numbers, the comment says what they mean."""
    if isinstance(values, tuple):
        values = {word: Number(str(number)) for number, word in enumerate(texts(values) or ())}
    if not isinstance(values, dict) or not values:
        return None
    stored = {word: as_text(value) for word, value in values.items() if not isinstance(value, bool)}
    if not all(stored.values()):
        return None
    meanings = ", ".join(f"{value} = {word}" for word, value in stored.items() if value != word)
    return Column(name, comment=meanings, values=tuple(stored.values()), source=source)


def _validates(statement: Statement) -> Said:
    """Read the values that `inclusion` allows."""
    inclusion = statement.arguments.options.get("inclusion")
    if isinstance(inclusion, dict):
        inclusion = inclusion.get("in", inclusion.get("within"))
    return _allowed(statement, inclusion)


def _validates_inclusion(statement: Statement) -> Said:
    options = statement.arguments.options
    return _allowed(statement, options.get("in", options.get("within")))


def _allowed(statement: Statement, values: Literal) -> Said:
    allowed = texts(values) if isinstance(values, tuple) else None
    names = texts(statement.arguments.values)
    if not allowed or not names:
        return Said()
    return Said(columns=tuple(Column(name, values=allowed, source=statement.source) for name in names))


STATEMENTS: Mapping[str, Callable[[Statement], Said]] = {
    "belongs_to": _belongs_to,
    "has_and_belongs_to_many": _both_ways,
    "has_many": _has,
    "has_one": _has,
    "enum": _enum,
    "validates": _validates,
    "validates_inclusion_of": _validates_inclusion,
}
