"""Classes that Entity Framework maps to tables, as their attributes and the sets of a context say.

https://learn.microsoft.com/en-us/ef/core/modeling/entity-types
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from tree_sitter import Node

from coderag.sql.model import Column, CreateTable, Facts, Name, Origin, Relation, Table
from coderag.sql.models.fields import with_fields
from coderag.sql.models.tree import descendants, lines_of, named, parse, string_value, text_of

__all__ = ["read"]

SET = re.compile(rb"\bDbSet<\s*([\w.]+)\s*>\s+(\w+)\b")
COLLECTION = re.compile(r"^(?:I?(?:List|Collection|Enumerable|ReadOnlyCollection|ReadOnlyList|Set)|HashSet)<([\w.]+)>$")
TYPES = {
    "int": "integer",
    "long": "bigint",
    "short": "smallint",
    "byte": "smallint",
    "string": "text",
    "bool": "boolean",
    "decimal": "numeric",
    "double": "double precision",
    "float": "real",
    "DateTime": "timestamp",
    "DateTimeOffset": "timestamp with time zone",
    "DateOnly": "date",
    "TimeOnly": "time",
    "TimeSpan": "interval",
    "Guid": "uuid",
    "byte[]": "bytea",
    "char": "char(1)",
}
PUBLIC = frozenset({"public"})
SETTERS = frozenset({"set", "init"})
MARKS = frozenset(("Table", "Key", "Column", "PrimaryKey", "Keyless"))


class Attribute(NamedTuple):
    """An attribute: `[Table("users", Schema = "app")]`."""

    name: str
    text: str  # the first argument that is a string
    named: dict[str, str]


class Property(NamedTuple):
    """A property of a class."""

    name: str
    type: str
    attributes: dict[str, Attribute]
    node: Node


def read(data: bytes, *, language: str, path: str) -> Facts | None:  # noqa: ARG001 - as every framework is asked
    """Return the tables of a file's entities, None where there are none."""
    sets = {model.decode().rpartition(".")[2]: name.decode() for model, name in SET.findall(data)}
    root = parse(data, language)
    classes = [*descendants(root, "class_declaration", "record_declaration")]
    known = {text_of(one.child_by_field_name("name")) for one in classes}
    tables = [table for one in classes if (table := _table(one, sets, known)) is not None]
    if not tables:
        return None
    return Facts(statements=len(tables), operations=tuple(map(CreateTable, tables)))


def _table(one: Node, sets: dict[str, str], known: set[str]) -> Table | None:
    """Return the table of a class, None where nothing says that it has one."""
    name = text_of(one.child_by_field_name("name"))
    attributes = _attributes(one)
    properties = [*_properties(one)]
    marked = attributes.keys() | {mark for each in properties for mark in each.attributes}
    if "NotMapped" in attributes or (name not in sets and marked.isdisjoint(MARKS)):
        return None
    stated = attributes.get("Table")
    columns: dict[str, Column] = {}
    relations: list[Relation] = []
    keys: list[str] = []
    for each in properties:
        if "NotMapped" in each.attributes:
            continue
        if target := _target(each, known):
            relations.append(Relation(each.name, target, columns=_key(each, properties)))
            continue
        column = each.attributes.get("Column")
        called = (column.text if column is not None else "") or each.name
        is_key = "Key" in each.attributes or each.name in {"Id", f"{name}Id"}
        if is_key:
            keys.append(called)
        plain = each.type.rstrip("?")
        columns[each.name] = Column(
            called,
            (column.named.get("TypeName", "") if column is not None else "") or TYPES.get(plain, plain),
            nullable=each.type.endswith("?") and "Required" not in each.attributes,
            source=lines_of(each.node),
        )
    if not columns:
        return None
    table = Name(stated.text, schema=stated.named.get("Schema", "")) if stated else Name(sets.get(name, name))
    return Table(
        table,
        columns=with_fields(columns),
        primary_key=tuple(keys),
        alias=name,
        relations=tuple(relations),
        origins=(Origin.ORM,),
        sources=(lines_of(one),),
    )


def _target(one: Property, known: set[str]) -> str:
    """Return the class that a property leads to, "" for a column."""
    plain = one.type.rstrip("?")
    if found := COLLECTION.match(plain):
        return "" if found[1] in TYPES else found[1].rpartition(".")[2]
    is_class = plain in known or "ForeignKey" in one.attributes
    return plain.rpartition(".")[2] if is_class and plain not in TYPES else ""


def _key(one: Property, properties: list[Property]) -> tuple[str, ...]:
    """Return the column of a relation's key: that of CustomerId for Customer."""
    stated = one.attributes["ForeignKey"].text if "ForeignKey" in one.attributes else f"{one.name}Id"
    for other in properties:
        if other.name == stated:
            column = other.attributes.get("Column")
            return ((column.text if column is not None else "") or other.name,)
    return ()


def _properties(one: Node) -> Iterator[Property]:
    """Yield what a class keeps of each object: its public properties that can be set, and a record's parameters."""
    for parameters in named(one, "parameter_list") if one.type == "record_declaration" else ():
        for node in named(parameters, "parameter"):
            kind = text_of(node.child_by_field_name("type"))
            yield Property(text_of(node.child_by_field_name("name")), kind, _attributes(node), node)
    for node in named(one.child_by_field_name("body"), "property_declaration"):
        kind = text_of(node.child_by_field_name("type"))
        if PUBLIC.isdisjoint(map(text_of, node.children)) or not _is_kept(node, kind):
            continue
        yield Property(text_of(node.child_by_field_name("name")), kind, _attributes(node), node)


def _is_kept(node: Node, kind: str) -> bool:
    """Tell whether a property has a setter, or is a list of others, which needs none."""
    accessors = node.child_by_field_name("accessors")
    names = {text_of(one.child_by_field_name("name")) for one in named(accessors, "accessor_declaration")}
    is_static = any(text_of(one) == "static" for one in node.children)
    return not is_static and (not names.isdisjoint(SETTERS) or ("get" in names and COLLECTION.match(kind) is not None))


def _attributes(node: Node) -> dict[str, Attribute]:
    found: dict[str, Attribute] = {}
    for holder in named(node, "attribute_list"):
        for one in named(holder, "attribute"):
            name = text_of(one.child_by_field_name("name")).rpartition(".")[2].removesuffix("Attribute")
            text, options = "", dict[str, str]()
            for argument in descendants(one, "attribute_argument", into=False):
                parts = named(argument)
                value = string_value(parts[-1]) if parts else None
                key = text_of(parts[0]).strip(" =") if len(parts) > 1 else ""
                if "=" in text_of(argument) and parts and not key:
                    key = text_of(argument).partition("=")[0].strip()
                if key and value is not None:
                    options[key] = value
                elif value is not None and not text:
                    text = value
            found[name] = Attribute(name, text or options.get("Name", ""), options)
    return found
