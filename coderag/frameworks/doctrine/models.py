"""Entities of Doctrine to tables, from their attributes or annotations; the types are data in schemas/frameworks/.

A name that is not stated is made of the class or property with underscores, as in every project that Symfony sets up.
https://www.doctrine-project.org/projects/doctrine-orm/en/current/reference/basic-mapping.html
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

import msgspec
from tree_sitter import Node

from coderag.frameworks.common.fields import with_fields
from coderag.frameworks.common.origins import lines_of
from coderag.frameworks.doctrine.annotations import Annotation, annotations_of
from coderag.frameworks.engine.vocabulary import framework_data
from coderag.sql.records import (
    Column,
    CreateTable,
    Describe,
    Facts,
    ForeignKey,
    Heir,
    Mixin,
    Name,
    Origin,
    Relation,
    SchemaOperation,
    Shared,
    Source,
    Table,
)
from coderag.syntax.languages.php import PhpValues
from coderag.syntax.trees.comments import comment_above
from coderag.syntax.trees.literals import Number, default_of
from coderag.syntax.trees.tree import descendants, named, parse, text_of
from coderag.text.inflection import snake_case

__all__ = ["read"]

CLASSES = ("class_declaration", "trait_declaration")
TO_ONE = frozenset({"ManyToOne", "OneToOne"})
TO_MANY = frozenset({"OneToMany", "ManyToMany"})
SLOT = re.compile(r"\{(\w+)\|(\w+)\}")
STATED = re.compile(r"[A-Za-z]\w*(?:\s{0,9}\([^()]{0,200}\))?(?:\s{1,9}unsigned)?", re.IGNORECASE)
DEFAULT_KEY = "id"

Said = Mapping[str, Sequence[Annotation]]  # what stands before a class or property, by its names: some are repeated


class Types(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What types are in a database: those of Doctrine, its constants, properties of PHP."""

    types: Mapping[str, str]
    constants: Mapping[str, str]
    properties: Mapping[str, str]


@dataclass(slots=True)
class _Fields:
    """What a class or trait brings into a table, the columns by property."""

    columns: dict[str, Column] = field(default_factory=dict)
    key: list[str] = field(default_factory=list)
    unique: list[tuple[str, ...]] = field(default_factory=list)
    foreign_keys: list[ForeignKey] = field(default_factory=list)
    relations: list[Relation] = field(default_factory=list)
    joins: list[Table] = field(default_factory=list)  # tables between two entities


@dataclass(frozen=True, slots=True)
class _Property:
    """A property with what stands before it."""

    name: str
    type: str  # as declared, without a namespace and "?"
    node: Node
    said: Said


def read(data: bytes, *, language: str, path: str) -> Facts | None:  # noqa: ARG001 - as every framework is asked
    """Return the tables of a file's entities, and what its traits and mapped superclasses give to those of others."""
    root = parse(data, language)
    reading = _Reading(PhpValues(root))
    for node in descendants(root, *CLASSES):
        reading.add(node)
    if not reading.operations and not reading.mixins:
        return None
    shared = Shared(mixins=tuple(reading.mixins), heirs=tuple(reading.heirs))
    return Facts(
        statements=len(reading.operations),
        operations=tuple(reading.operations),
        shared=shared if shared != Shared() else None,
    )


@cache
def _types() -> Types:
    return framework_data("doctrine", "attributes.toml", Types)


class _Reading:
    """The classes of a file that were read so far."""

    def __init__(self, values: PhpValues) -> None:
        self.operations: list[SchemaOperation] = []
        self.mixins: list[Mixin] = []
        self.heirs: list[tuple[Name, Heir]] = []
        self._values = values

    def add(self, node: Node) -> None:
        """Read a class: an entity, or what entities take columns from."""
        said = _by_name(annotations_of(node, self._values))
        name = text_of(node.child_by_field_name("name"))
        fields = self._fields(node, name)
        heirs = [Heir(base, position) for base, position in _bases(node, len(fields.columns))]
        if "Entity" in said:
            self._add_entity(node, said, fields, heirs)
        elif fields.columns and "Embeddable" not in said:
            table = Table(
                Name(name),
                columns=with_fields(fields.columns),
                primary_key=tuple(fields.key),
                unique=tuple(fields.unique),
                foreign_keys=tuple(fields.foreign_keys),
                relations=tuple(fields.relations),
            )
            self.mixins.append(Mixin(table, tuple(heirs)))

    def _add_entity(self, node: Node, said: Said, fields: _Fields, heirs: Sequence[Heir]) -> None:
        name, stated = text_of(node.child_by_field_name("name")), _first(said, "Table")
        written = stated.text("name") or stated.text("value")
        schema, _, last = written.rpartition(".")
        table_name = Name((last or snake_case(name)).strip('`"'), schema=stated.text("schema") or schema)
        self._add_discriminator(said, fields)
        constraints = [*stated.inner("uniqueConstraints"), *said.get("UniqueConstraint", ())]
        comment = stated.mapping("options").get("comment")
        table = Table(
            table_name,
            columns=with_fields(fields.columns),
            primary_key=tuple(fields.key),
            unique=(*fields.unique, *(columns for one in constraints if (columns := _columns(one, fields)))),
            foreign_keys=tuple(fields.foreign_keys),
            comment=comment if isinstance(comment, str) else comment_above(node),
            alias=name,
            relations=tuple(fields.relations),
            origins=(Origin.ORM,),
            sources=(lines_of(node),),
        )
        # Without a key of its own it is a part of the table of its base, or has the key from there.
        is_part = bool(heirs) and not fields.key and not written
        self.operations.append(Describe(table) if is_part or not table.columns else CreateTable(table))
        self.heirs += [(table_name, heir) for heir in heirs]
        self.operations += map(CreateTable, fields.joins)

    def _add_discriminator(self, said: Said, fields: _Fields) -> None:
        """Add the column that tells the classes of one table apart."""
        if "InheritanceType" not in said:
            return
        stated = _first(said, "DiscriminatorColumn")
        name = stated.text("name") or stated.text("value") or "dtype"
        type_text = _sql_type(stated.text("type") or "string", stated)
        fields.columns.setdefault(name, Column(name, type_text, nullable=False))

    def _fields(self, node: Node, entity: str) -> _Fields:
        fields = _Fields()
        for one in self._properties(node):
            if "Column" in one.said:
                self._add_column(one, _first(one.said, "Column"), fields)
            for kind in sorted(TO_ONE & one.said.keys()):
                _add_reference(one, _first(one.said, kind), entity, fields)
            for kind in sorted(TO_MANY & one.said.keys()):
                _add_relation(one, _first(one.said, kind), entity, fields)
        return fields

    def _properties(self, node: Node) -> Iterator[_Property]:
        body = node.child_by_field_name("body")
        promoted = [
            parameter
            for method in named(body, "method_declaration")
            for parameter in named(method.child_by_field_name("parameters"), "property_promotion_parameter")
        ]
        for one in [*named(body, "property_declaration"), *promoted]:
            said = _by_name(annotations_of(one, self._values))
            name = next((text_of(found) for found in descendants(one, "variable_name")), "").removeprefix("$")
            if said and name:
                yield _Property(name, _property_type(one), one, said)

    def _add_column(self, one: _Property, stated: Annotation, fields: _Fields) -> None:
        options = stated.mapping("options")
        name = (stated.text("name") or snake_case(one.name)).strip('`"')
        is_key = "Id" in one.said
        default, comment = options.get("default"), options.get("comment")
        column = Column(
            name,
            _type(one, stated, is_unsigned=options.get("unsigned") is True),
            nullable=stated.values.get("nullable") is True and not is_key,
            default=(default_of(default) or "") if isinstance(default, str | Number | bool) else "",
            comment=comment if isinstance(comment, str) else comment_above(one.node),
            identity="GeneratedValue" in one.said and _first(one.said, "GeneratedValue").text("strategy") != "NONE",
            source=lines_of(one.node),
        )
        fields.columns[one.name] = column
        if is_key:
            fields.key.append(name)
        if stated.values.get("unique") is True:
            fields.unique.append((name,))


def _add_reference(one: _Property, stated: Annotation, entity: str, fields: _Fields) -> None:
    """Add the columns that refer to one other entity."""
    target = _target(one, stated, entity)
    if not target or stated.text("mappedBy"):
        fields.relations += [Relation(one.name, target)] if target else []
        return
    joins = [*one.said.get("JoinColumn", ()), *_first(one.said, "JoinColumns").inner("value")]
    columns, referenced = [], []
    for join in joins or [Annotation("JoinColumn")]:
        name = (join.text("name") or f"{snake_case(one.name)}_{DEFAULT_KEY}").strip('`"')
        columns.append(name)
        referenced.append(join.text("referencedColumnName"))
        is_key = "Id" in one.said
        is_nullable = join.values.get("nullable") is not False and not is_key
        fields.columns[name] = Column(name, nullable=is_nullable, source=lines_of(one.node))
        if is_key:
            fields.key.append(name)
        if join.values.get("unique") is True:
            fields.unique.append((name,))
    if "OneToOne" in one.said and tuple(columns) not in fields.unique:
        fields.unique.append(tuple(columns))
    fields.foreign_keys.append(
        _key(tuple(columns), target, tuple(referenced) if all(referenced) else (), lines_of(one.node))
    )
    fields.relations.append(Relation(one.name, target, columns=tuple(columns)))


def _add_relation(one: _Property, stated: Annotation, entity: str, fields: _Fields) -> None:
    """Add a relation to many, and the table between both entities where this side owns it."""
    target = _target(one, stated, entity)
    if not target:
        return
    fields.relations.append(Relation(one.name, target))
    if stated.name != "ManyToMany" or stated.text("mappedBy"):
        return
    joined = _first(one.said, "JoinTable")
    name = joined.text("name") or joined.text("value") or f"{snake_case(entity)}_{snake_case(target)}"
    own = [*joined.inner("joinColumns"), *one.said.get("JoinColumn", ())]
    other = [*joined.inner("inverseJoinColumns"), *one.said.get("InverseJoinColumn", ())]
    ends = ("source", "target") if entity == target else (DEFAULT_KEY, DEFAULT_KEY)
    first = _joined(own, f"{snake_case(entity)}_{ends[0]}")
    second = _joined(other, f"{snake_case(target)}_{ends[1]}")
    source = lines_of(one.node)
    fields.joins.append(
        Table(
            Name(name.strip('`"'), schema=joined.text("schema")),
            columns=tuple(Column(column, nullable=False, source=source) for column in (*first, *second)),
            primary_key=(*first, *second),
            foreign_keys=(_key(first, entity, (), source), _key(second, target, (), source)),
            origins=(Origin.ORM,),
            sources=(source,),
        )
    )


def _joined(stated: Sequence[Annotation], default: str) -> tuple[str, ...]:
    return tuple(one.text("name") or default for one in stated) or (default,)


def _key(columns: tuple[str, ...], target: str, referenced: tuple[str, ...], source: Source) -> ForeignKey:
    return ForeignKey(columns, Name(snake_case(target)), referenced, source=source, model=target)


def _target(one: _Property, stated: Annotation, entity: str) -> str:
    """Return the class that a relation leads to: the one that is stated, else the type of the property."""
    written = stated.text("targetEntity") or stated.text("value") or one.type
    target = written.rpartition("\\")[2]
    return entity if target in {"self", "static"} else target if target not in {"Collection", "array"} else ""


def _bases(node: Node, behind: int) -> Iterator[tuple[str, int]]:
    """Yield the traits that a class uses, and the class that it extends, with the place of their columns."""
    for used in named(node.child_by_field_name("body"), "use_declaration"):
        for trait in named(used, "name", "qualified_name"):
            yield text_of(trait).rpartition("\\")[2], behind
    for base in named(next(iter(named(node, "base_clause")), None)):
        yield text_of(base).rpartition("\\")[2], 0


def _by_name(annotations: Iterable[Annotation]) -> Said:
    said: dict[str, list[Annotation]] = {}
    for annotation in annotations:
        said.setdefault(annotation.name, []).append(annotation)
    return said


def _first(said: Said, name: str) -> Annotation:
    """Return the first annotation of a name, one that says nothing where there is none."""
    return next(iter(said.get(name, ())), Annotation(name))


def _columns(constraint: Annotation, fields: _Fields) -> tuple[str, ...]:
    """Return the columns of a constraint, which may name the properties instead."""
    columns = constraint.values.get("columns")
    if isinstance(columns, tuple):
        return tuple(column for column in columns if isinstance(column, str))
    properties = constraint.values.get("fields")
    names = properties if isinstance(properties, tuple) else ()
    related = {one.name: one.columns for one in fields.relations if one.columns}
    return tuple(
        column
        for one in names
        if isinstance(one, str)
        for column in ((fields.columns[one].name,) if one in fields.columns else related.get(one, ()))
    )


def _property_type(node: Node) -> str:
    type_node = node.child_by_field_name("type")
    if type_node is None:
        type_node = next((child for child in named(node) if "type" in child.type), None)
    parts = [part for part in text_of(type_node).lstrip("?").split("|") if part != "null"]
    return parts[0].strip().rpartition("\\")[2] if parts else ""


def _type(one: _Property, stated: Annotation, *, is_unsigned: bool) -> str:
    defined = STATED.match(stated.text("columnDefinition").strip())
    if defined is not None:
        return defined[0]
    written = stated.text("type") or stated.text("value")
    if "::" in written:
        constant = written.rpartition("::")[2]
        written = _types().constants.get(constant, constant.lower())
    written = written or _types().properties.get(one.type, "string")
    return _sql_type(written, stated) + (" unsigned" if is_unsigned else "")


def _sql_type(written: str, stated: Annotation) -> str:
    """Return the type of the database; one that a project defines itself is shown as it is called."""
    template = _types().types.get(written, written)
    return SLOT.sub(lambda slot: stated.text(slot[1]) or slot[2], template)
