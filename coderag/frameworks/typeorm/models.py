"""TypeORM entities to tables, by its default naming strategy; which types columns have is data in schemas/frameworks/.

https://typeorm.io/docs/entity/entities
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from msgspec.structs import replace
from tree_sitter import Node

from coderag.frameworks.common.fields import with_fields
from coderag.frameworks.common.origins import COMPUTED_NAME, lines_of, unparsed_at
from coderag.frameworks.typeorm.classes import MAX_DEPTH, Class, Classes, Decorator, Property
from coderag.frameworks.typeorm.relations import Relations, camel, entity_of
from coderag.sql.records import Column, CreateTable, Describe, Facts, ObjectKind, Origin, Table, Unparsed
from coderag.syntax.languages.javascript import Code
from coderag.syntax.trees.comments import comment_above
from coderag.syntax.trees.literals import COMPUTED, Literal, Reference, as_text, default_of, mapping, texts

__all__ = ["read"]

COUNTED = frozenset({"increment", "identity"})  # how the database numbers a column


@dataclass(slots=True)
class Fields:
    """What a class brings into a table, the columns by property."""

    columns: dict[str, Column] = field(default_factory=dict)
    primary_key: list[str] = field(default_factory=list)
    unique: list[tuple[str, ...]] = field(default_factory=list)
    relations: list[Property] = field(default_factory=list)
    named: dict[str, str] = field(default_factory=dict)  # property -> column


def read(data: bytes, *, language: str, path: str) -> Facts | None:  # noqa: ARG001 - as every framework is asked
    """Return the tables of a file's entities, None where there are none."""
    if b"@mikro-orm/" in data:  # whose entities have decorators of the same name
        return None
    reading = _Reading(Code(data, language))
    # Without a column, all of them are those of a class of another file.
    operations = tuple(CreateTable(table) if table.columns else Describe(table) for table in reading.tables())
    if not operations:
        return None
    unparsed = tuple(reading.unparsed)
    return Facts(statements=len(operations) + len(unparsed), unparsed=unparsed, operations=operations)


class _Reading:
    """The classes of a file."""

    def __init__(self, code: Code) -> None:
        self.unparsed: list[Unparsed] = []
        self._code = code
        self._classes = Classes(code)
        self._relations = Relations(self._classes)

    def tables(self) -> Iterator[Table]:
        """Yield the table of each entity, each followed by those between it and others."""
        for one in self._classes:
            if (entity := entity_of(one)) is not None:
                yield from self._tables(one, entity)

    def _tables(self, one: Class, entity: Decorator) -> Iterator[Table]:
        if entity.stated_name is COMPUTED:
            self._lose(one.outer, COMPUTED_NAME)
            return
        fields, options = self._fields(one), entity.options
        if any("ObjectIdColumn" in member.decorators for member in one.properties):
            return  # of MongoDB
        is_view = entity.name == "ViewEntity"
        view = ObjectKind.MATERIALIZED_VIEW if options.get("materialized") is True else ObjectKind.VIEW
        comment = options.get("comment")
        table = Table(
            self._relations.table_name(one),
            kind=view if is_view else ObjectKind.TABLE,
            columns=with_fields(fields.columns),
            primary_key=tuple(fields.primary_key),
            unique=tuple(dict.fromkeys([*fields.unique, *_class_unique(one, fields)])),
            foreign_keys=tuple(key for member in fields.relations for key in self._relations.key(member)),
            checks=tuple(_checks(one)),
            comment=comment if isinstance(comment, str) else comment_above(one.outer) or comment_above(one.node),
            query=as_text(options.get("expression")).strip() if is_view else "",
            alias=one.name,
            relations=tuple(relation for member in fields.relations for relation in self._relations.of(member)),
            origins=(Origin.ORM,),
            sources=(lines_of(one.outer),),
        )
        yield table
        for member in fields.relations:
            yield from self._relations.between(table, member)

    def _fields(self, one: Class, depth: int = 0) -> Fields:
        """Return what a class and those of the file that it extends bring into a table."""
        base = self._classes.get(one.base)
        fields = self._fields(base, depth + 1) if base is not None and depth < MAX_DEPTH else Fields()
        for member in one.properties:
            if (decorator := member.column) is not None:
                self._add_column(member, decorator, fields, depth)
            elif (relation := member.relation) is not None:
                self._add_relation(member, relation, fields)
        if (inheritance := one.decorators.get("TableInheritance")) is not None:
            stated = inheritance[0].options.get("column")
            column = mapping(stated)
            name = as_text(column.get("name")) or as_text(stated) or "type"
            made = Column(name, as_text(column.get("type")) or "varchar", nullable=False, source=lines_of(one.outer))
            fields.columns.setdefault(name, made)
        return fields

    def _add_column(self, member: Property, decorator: Decorator, fields: Fields, depth: int) -> None:
        options = decorator.options
        is_embedded = bool(decorator.nodes) and decorator.nodes[0].type == "arrow_function"
        if is_embedded and isinstance(decorator.first, Reference):
            self._embed(member, decorator.first.name, options, fields, depth)
            return
        column = self._column(member, decorator)
        fields.columns[member.name] = column
        fields.named[member.name] = column.name
        if decorator.name.startswith("Primary") or options.get("primary") is True:
            fields.primary_key.append(column.name)
        index = member.decorators.get("Index")
        is_unique_index = index is not None and index[0].options.get("unique") is True
        if options.get("unique") is True or "Unique" in member.decorators or is_unique_index:
            fields.unique.append((column.name,))

    def _column(self, member: Property, decorator: Decorator) -> Column:
        options = decorator.options
        enum = options.get("enum")
        if isinstance(enum, Reference):
            enum = tuple(self._code.enums.get(enum.name, {}).values())
        elif isinstance(enum, dict):
            enum = tuple(enum.values())
        comment = options.get("comment")
        is_date = decorator.name in {"CreateDateColumn", "UpdateDateColumn"}
        return Column(
            name=as_text(options.get("name")) or member.name,
            type=member.type_of(decorator),
            nullable=options.get("nullable") is True or decorator.name in {"DeleteDateColumn", "ViewColumn"},
            default=default_of(options.get("default", COMPUTED)) or ("CURRENT_TIMESTAMP" if is_date else ""),
            comment=comment if isinstance(comment, str) else member.comment,
            values=tuple(map(as_text, enum)) if isinstance(enum, tuple) and all(map(as_text, enum)) else (),
            generated=as_text(options.get("asExpression")),
            identity=_counts(member, decorator),
            source=lines_of(member.node),
        )

    def _embed(self, member: Property, target: str, options: Mapping[str, Literal], fields: Fields, depth: int) -> None:
        """Add the columns of a class that is part of another's table, with the property's name in front."""
        found = self._classes.get(target)
        if found is None or depth >= MAX_DEPTH:
            self._lose(member.node, f"the columns of {target} are in another file")
            return
        stated = options.get("prefix")
        prefix = "" if stated is False or stated == "" else as_text(stated) or member.name
        for key, column in self._fields(found, depth + 1).columns.items():
            name = camel(prefix) + column.name[:1].upper() + column.name[1:] if prefix else column.name
            fields.columns[f"{member.name}.{key}"] = replace(column, name=name)
            fields.named[f"{member.name}.{key}"] = name

    def _add_relation(self, member: Property, relation: Decorator, fields: Fields) -> None:
        """Add the columns of a key to another entity, where this side has it."""
        fields.relations.append(member)
        joins = self._relations.joins(member)
        for join in joins:
            if all(column.name != join.column for column in fields.columns.values()):
                key = member.name if member.name not in fields.columns else join.column
                fields.columns[key] = self._relations.column(join, member)
            fields.named.setdefault(member.name, join.column)
            if relation.options.get("primary") is True or "PrimaryColumn" in member.decorators:
                fields.primary_key.append(join.column)
        if "OneToOne" in member.decorators and "JoinColumn" in member.decorators:
            fields.unique.append(tuple(join.column for join in joins))

    def _lose(self, node: Node, reason: str) -> None:
        self.unparsed.append(unparsed_at(node, reason))


def _counts(member: Property, column: Decorator) -> bool:
    """Tell whether the database numbers a column."""
    if column.name == "PrimaryGeneratedColumn":
        return not column.values or isinstance(column.first, dict) or column.first in COUNTED
    generated = member.decorators.get("Generated")
    if generated is not None:
        return not generated[0].nodes or generated[0].first in COUNTED
    return column.options.get("generated") in {True, *COUNTED}


def _class_unique(one: Class, fields: Fields) -> Iterator[tuple[str, ...]]:
    """Yield the keys of @Unique and @Index({ unique: true }) above a class."""
    for decorator in (*one.decorators.get("Unique", ()), *one.decorators.get("Index", ())):
        options = decorator.options
        if decorator.name == "Index" and (options.get("unique") is not True or "where" in options):
            continue
        for value in decorator.values:
            if properties := _properties_in(value):
                yield tuple(fields.named.get(name, name) for name in properties)


def _properties_in(value: Literal) -> tuple[str, ...]:
    """Return properties in an array of names, or in a function that returns them."""
    if not isinstance(value, tuple):
        return ()
    names = tuple(
        reference.name.rpartition(".")[2] if isinstance(reference, Reference) else as_text(reference)
        for reference in value
    )
    return names if all(names) else ()


def _checks(one: Class) -> Iterator[str]:
    for decorator in one.decorators.get("Check", ()):
        if found := texts(tuple(decorator.values)):
            yield found[-1]
