"""Classes that Entity Framework maps to tables, as their attributes and the sets of a context say.

https://learn.microsoft.com/en-us/ef/core/modeling/entity-types
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from tree_sitter import Node

from coderag.frameworks.common.fields import with_fields
from coderag.frameworks.common.origins import lines_of
from coderag.frameworks.engine.named_calls import builder_calls
from coderag.sql.records import (
    Column,
    CreateTable,
    Entities,
    EntityClass,
    EntitySet,
    Facts,
    Name,
    Origin,
    Relation,
    Table,
)
from coderag.syntax.trees.string_literals import string_value
from coderag.syntax.trees.tree import descendants, named, parse, text_of

__all__ = ["entity_class", "read"]

SET = re.compile(rb"\bDbSet<\s*([\w.]+)\s*>\s+(\w+)\b")
COLLECTION = re.compile(r"^(?:I?(?:List|Collection|Enumerable|ReadOnlyCollection|ReadOnlyList|Set)|HashSet)<([\w.]+)>$")
INTERFACE = re.compile(r"I[A-Z]")
CONFIGURED = re.compile(rb"(?:\.Entity|IEntityTypeConfiguration)<\s*([\w.]+)\s*>")
TO_TABLE = re.compile(rb"\.ToTable\(\s*\"(\w+)\"(?:\s*,\s*\"(\w+)\")?")
TO_VIEW = re.compile(rb"\.(?:ToView|HasNoKey|ToSqlQuery|ToFunction)\(")
HAS_KEY = re.compile(rb"\.HasKey\(\s*\w+\s*=>\s*((?:new\s*\{[^{}]*\})|\w+\.\w+)")
MEMBER = re.compile(rb"\b\w++\.(\w+)")
COLUMN_NAME = re.compile(
    rb"\.Property\(\s*\w+\s*=>\s*\w+\.(\w+)\s*\)(?:(?!\.Property\()[^;])*?\.HasColumnName\(\s*\"([^\"]+)\""
)
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
    """Return the tables of a file's entities, and what it says about those of other files; None for nothing."""
    sets = {model.decode().rpartition(".")[2]: name.decode() for model, name in SET.findall(data)}
    stated = entity_sets(data)
    root = parse(data, language)
    classes = [*descendants(root, "class_declaration", "record_declaration")]
    known = {text_of(node.child_by_field_name("name")) for node in classes}
    told = {entity_set.entity for entity_set in stated}
    tables: list[Table] = []
    others: list[EntityClass] = []
    found = [EntitySet(model, Name(name)) for model, name in sets.items() if model not in known]
    for node in classes:
        table, bases = _table(node, sets, known), _bases(node)
        if table is not None and not bases and table.alias not in told:
            tables.append(table)
            continue
        if table is not None:
            found.append(EntitySet(table.alias, table.name))
        if (entity := entity_class(node)) is not None:
            others.append(entity)
    entities = Entities(tuple(others), (*found, *stated))
    if not tables and entities == Entities():
        return None
    operations = tuple(map(CreateTable, tables))
    return Facts(statements=len(tables), operations=operations, entities=entities if entities != Entities() else None)


def _types() -> Mapping[str, str]:
    """Return the types of columns by those of C#."""
    return builder_calls("efcore").types


def entity_class(one: Node) -> EntityClass | None:
    """Return a class as what it is where it is an entity, None where it keeps nothing."""
    name = text_of(one.child_by_field_name("name"))
    attributes = _attributes(one)
    columns: list[Column] = []
    relations: list[Relation] = []
    keys: list[str] = []
    for each in _properties(one):
        if "NotMapped" in each.attributes:
            continue
        if (match := COLLECTION.match(each.type.rstrip("?"))) and match[1] not in _types():
            relations.append(Relation(each.name, match[1].rpartition(".")[2]))
            continue
        attribute = each.attributes.get("Column")
        called = (attribute.text if attribute is not None else "") or each.name
        plain = each.type.rstrip("?")
        kind = (attribute.named.get("TypeName", "") if attribute is not None else "") or _types().get(plain)
        if "Key" in each.attributes or each.name in {"Id", f"{name}Id"}:
            keys.append(each.name)
        columns.append(
            Column(
                called,
                kind if kind is not None else "?" + plain.rpartition(".")[2],
                nullable=each.type.endswith("?") and "Required" not in each.attributes,
                field=each.name if called != each.name else "",
                source=lines_of(each.node),
            )
        )
    if "NotMapped" in attributes or not (columns or relations):
        return None
    table = Table(
        Name(name),
        columns=tuple(columns),
        primary_key=tuple(keys),
        relations=tuple(relations),
        sources=(lines_of(one),),
    )
    return EntityClass(table, _bases(one))


def _bases(one: Node) -> tuple[str, ...]:
    """Return the classes that a class may inherit from; the name of an interface begins with an I."""
    bases = [text_of(base) for holder in named(one, "base_list") for base in named(holder)]
    names = [base.partition("<")[0].partition("(")[0].rpartition(".")[2] for base in bases]
    return tuple(name for name in names if name and not INTERFACE.match(name))


def entity_sets(data: bytes) -> list[EntitySet]:
    """Return what the statements of a context's OnModelCreating, and configurations, say of entities."""
    starts = [*CONFIGURED.finditer(data)]
    sets = []
    for start, after in zip(starts, [*starts[1:], None], strict=False):
        text = data[start.end() : after.start() if after is not None else len(data)]
        table, key = TO_TABLE.search(text), HAS_KEY.search(text)
        if TO_VIEW.search(text) or start[0].startswith(b"Ignore"):
            continue
        sets.append(
            EntitySet(
                start[1].decode().rpartition(".")[2],
                Name(table[1].decode(), schema=(table[2] or b"").decode()) if table else Name(""),
                tuple(one.decode() for one in MEMBER.findall(key[1])) if key else (),
                tuple((one.decode(), name.decode()) for one, name in COLUMN_NAME.findall(text)),
                configured=True,
            )
        )
    return sets


def _table(one: Node, sets: dict[str, str], known: set[str]) -> Table | None:
    """Return the table of a class, None where nothing says that it has one."""
    name = text_of(one.child_by_field_name("name"))
    attributes = _attributes(one)
    properties = [*_properties(one)]
    marked = attributes.keys() | {mark for each in properties for mark in each.attributes}
    if "NotMapped" in attributes or (name not in sets and marked.isdisjoint(MARKS)):
        return None
    attribute = attributes.get("Table")
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
            (column.named.get("TypeName", "") if column is not None else "") or _types().get(plain, plain),
            nullable=each.type.endswith("?") and "Required" not in each.attributes,
            source=lines_of(each.node),
        )
    if not columns:
        return None
    table = Name(attribute.text, schema=attribute.named.get("Schema", "")) if attribute else Name(sets.get(name, name))
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
    if match := COLLECTION.match(plain):
        return "" if match[1] in _types() else match[1].rpartition(".")[2]
    is_class = plain in known or "ForeignKey" in one.attributes
    return plain.rpartition(".")[2] if is_class and plain not in _types() else ""


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
    names = {text_of(child.child_by_field_name("name")) for child in named(accessors, "accessor_declaration")}
    is_static = any(text_of(child) == "static" for child in node.children)
    return not is_static and (not names.isdisjoint(SETTERS) or ("get" in names and COLLECTION.match(kind) is not None))


def _attributes(node: Node) -> dict[str, Attribute]:
    found: dict[str, Attribute] = {}
    for holder in named(node, "attribute_list"):
        for child in named(holder, "attribute"):
            name = text_of(child.child_by_field_name("name")).rpartition(".")[2].removesuffix("Attribute")
            text, options = "", dict[str, str]()
            for argument in descendants(child, "attribute_argument", into=False):
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
