"""Relations between TypeORM's entities to foreign keys, their columns, and the tables between two entities.

https://typeorm.io/docs/relations/relations
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from coderag.frameworks.common.origins import lines_of
from coderag.frameworks.typeorm.classes import Class, Classes, Decorator, Property
from coderag.sql.records import Column, Evidence, ForeignKey, Name, Origin, Relation, Source, Table
from coderag.syntax.trees.literals import Literal, as_text, mapping

__all__ = ["Relations", "camel", "entity_of"]

ENTITIES = ("Entity", "ViewEntity")
SNAKE = ((re.compile(r"([A-Z])([A-Z])([a-z])"), r"\1_\2\3"), (re.compile(r"([a-z0-9])([A-Z])"), r"\1_\2"))
CAMEL = re.compile(r"^([A-Z])|[\s\-_](\w)")
DEFAULT_KEY = "id"


class Join(NamedTuple):
    """A column of a key, and the property of the other entity that it refers to."""

    column: str
    referenced: str


def snake(name: str) -> str:
    """Return the name that TypeORM gives the table of a class."""
    for pattern, replacement in SNAKE:
        name = pattern.sub(replacement, name)
    return name.lower()


def camel(name: str) -> str:
    """Return the name that TypeORM makes of words with underscores."""
    return CAMEL.sub(lambda match: match[2].upper() if match[2] else match[1].lower(), name)


def entity_of(one: Class) -> Decorator | None:
    """Return the decorator that makes a class an entity."""
    return next((one.decorators[name][0] for name in ENTITIES if name in one.decorators), None)


class Relations:
    """The entities of a file, and what their relations are in the database."""

    def __init__(self, classes: Classes) -> None:
        self._classes = classes

    def table_name(self, one: Class) -> Name:
        """Return the name of an entity's table."""
        entity = entity_of(one)
        options = entity.options if entity is not None else {}
        schema, _, name = as_text(entity.stated_name if entity is not None else None).rpartition(".")
        return Name(
            name or snake(one.name),
            schema=schema or as_text(options.get("schema")),
            database=as_text(options.get("database")),
        )

    def of(self, member: Property) -> Iterator[Relation]:
        """Yield the relation that a property is, where its target is known."""
        target = _target(member)
        if target:
            columns = tuple(join.column for join in self.joins(member)) if member.has_key else ()
            yield Relation(member.name, target, columns=columns)

    def joins(self, member: Property) -> list[Join]:
        """Return the columns of a relation that are in its own table."""
        joined, target = member.decorators.get("JoinColumn"), _target(member)
        is_other_side = "OneToOne" in member.decorators and joined is None
        if "ManyToMany" in member.decorators or is_other_side or not target:
            return []
        stated = joined[0].first if joined and joined[0].nodes else {}
        found = []
        for entry in stated if isinstance(stated, tuple) else (stated,):
            options = {"name": entry} if isinstance(entry, str) else mapping(entry)
            keys = self._primary_key(target)
            referenced = as_text(options.get("referencedColumnName")) or (keys[0] if len(keys) == 1 else DEFAULT_KEY)
            found.append(Join(as_text(options.get("name")) or camel(f"{member.name}_{referenced}"), referenced))
        return found

    def column(self, join: Join, member: Property) -> Column:
        """Return a column of a relation to another entity."""
        relation = member.relation
        return Column(
            join.column,
            self._type_of(_target(member), join.referenced),
            nullable=relation is None or relation.options.get("nullable") is not False,
            comment=member.comment,
            source=lines_of(member.node),
        )

    def key(self, member: Property) -> Iterator[ForeignKey]:
        """Yield the foreign key of a relation, where this side has one."""
        relation, joins = member.relation, self.joins(member)
        if joins and relation is not None and relation.options.get("createForeignKeyConstraints") is not False:
            yield self._key(joins, relation.target, self._target_name(relation.target), lines_of(member.node))

    def between(self, table: Table, member: Property) -> Iterator[Table]:
        """Yield the table of a relation of many to many that is stated on this side."""
        joined, target = member.decorators.get("JoinTable"), _target(member)
        if joined is None or "ManyToMany" not in member.decorators or not target:
            return
        options, other, source = joined[0].options, self._target_name(target), lines_of(member.node)
        stated = as_text(joined[0].stated_name)
        name = stated or snake(f"{table.name.name}_{member.name.replace('.', '_')}_{other.name}")
        sides = (
            (table.alias, table.name, self._side(options, "joinColumn", table.name, table.alias)),
            (target, other, self._side(options, "inverseJoinColumn", other, target)),
        )
        columns = tuple(
            Column(column, self._type_of(owner, referenced), nullable=False, source=source)
            for owner, _, side in sides
            for column, referenced in side
        )
        yield Table(
            Name(name, schema=as_text(options.get("schema")) or table.name.schema),
            columns=columns,
            primary_key=tuple(column.name for column in columns),
            foreign_keys=tuple(self._key(side, owner, to, source) for owner, to, side in sides),
            origins=(Origin.ORM,),
            sources=(source,),
        )

    def _key(self, joins: Sequence[Join], target: str, table: Name, source: Source) -> ForeignKey:
        referenced = self._referenced(target, tuple(join.referenced for join in joins))
        columns = tuple(join.column for join in joins)
        return ForeignKey(columns, table, referenced, evidence=Evidence.MODEL, source=source, model=target)

    def _target_name(self, target: str) -> Name:
        found = self._classes.get(target)
        return self.table_name(found) if found is not None else Name(snake(target))

    def _side(self, options: Mapping[str, Literal], option: str, table: Name, entity: str) -> list[Join]:
        """Return the columns of one side of a table between two."""
        stated = options.get(option, options.get(f"{option}s"))
        entries = stated if isinstance(stated, tuple) else (stated,) if stated is not None else ()
        found = []
        for position, key in enumerate(self._primary_key(entity) or [DEFAULT_KEY]):
            entry = mapping(entries[position]) if position < len(entries) else {}
            referenced = as_text(entry.get("referencedColumnName")) or key
            found.append(Join(as_text(entry.get("name")) or camel(f"{table.name}_{referenced}"), referenced))
        return found

    def _referenced(self, target: str, properties: Sequence[str]) -> tuple[str, ...]:
        """Return the columns of another entity; those of another file only where they are stated as its key."""
        found = self._classes.get(target)
        if found is None:
            return () if list(properties) == [DEFAULT_KEY] else tuple(properties)
        named = ((one.name, one.column) for one in found.properties)
        columns = {name: as_text(column.options.get("name")) or name for name, column in named if column is not None}
        return tuple(columns.get(name, name) for name in properties)

    def _primary_key(self, target: str) -> list[str]:
        """Return the properties that are the primary key of an entity of this file."""
        above = reversed([*self._classes.above(target)])
        return [member.name for one in above for member in one.properties if member.is_key]

    def _type_of(self, target: str, referenced: str) -> str:
        """Return the type of a column of an entity of this file, "" for another's."""
        members = (member for one in self._classes.above(target) for member in one.properties)
        return next(
            (
                member.type_of(column)
                for member in members
                if member.name == referenced and (column := member.column) is not None
            ),
            "",
        )


def _target(member: Property) -> str:
    return member.relation.target if member.relation is not None else ""
