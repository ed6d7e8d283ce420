"""The facts of a project's files, with the entities of Entity Framework whose set and class stand in different files.

The tables are those that the conventions of the framework make of them.
https://learn.microsoft.com/en-us/ef/core/modeling/
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from msgspec.structs import replace

from coderag.frameworks.common.migrated import migrated_tables
from coderag.sql.records import (
    Column,
    CreateTable,
    Describe,
    EntityClass,
    EntitySet,
    Evidence,
    ForeignKey,
    Name,
    Origin,
    Relation,
    SchemaFile,
    Series,
    Source,
    Table,
)

__all__ = ["with_entities"]

TOOL = "efcore"
MAX_BASES = 12  # classes one above the other
ENUM_TYPE = "integer"


def with_entities(files: Sequence[SchemaFile]) -> list[SchemaFile]:
    """Return files in which classes are tables where a context says so; those of a snapshot stay as they are.

    What migrations create without a snapshot beside them, the classes describe.
    """
    sets = [entity_set for file in files if file.facts.entities for entity_set in file.facts.entities.sets]
    # A model snapshot has all of them, with what is configured in ways that no file alone shows.
    if not sets or any(_is_snapshot(file.facts.series) for file in files):
        return list(files)
    project = _Project(_classes(files), _stated(files))
    for entity_set in sorted(sets, key=lambda entity_set: entity_set.configured):
        project.add(entity_set)
    made = project.tables()
    migrated = migrated_tables(files, TOOL)
    return [_with_tables(file, made.get(file.path, ()), migrated) for file in files]


def _is_snapshot(series: Series | None) -> bool:
    return series is not None and series.tool == TOOL and series.snapshot


def _with_tables(file: SchemaFile, tables: Sequence[Table], migrated: frozenset[str]) -> SchemaFile:
    if not tables:
        return file
    declared = (Describe(table) if table.name.name in migrated else CreateTable(table) for table in tables)
    operations = (*file.facts.operations, *declared)
    return replace(file, facts=replace(file.facts, operations=operations, statements=len(operations)))


def _stated(files: Iterable[SchemaFile]) -> frozenset[str]:
    """Return the classes whose tables a file alone states."""
    return frozenset(
        operation.table.alias
        for file in files
        if file.path.endswith(".cs")
        for operation in file.facts.operations
        if isinstance(operation, CreateTable)
    )


def _classes(files: Iterable[SchemaFile]) -> dict[str, list[tuple[str, EntityClass]]]:
    found: defaultdict[str, list[tuple[str, EntityClass]]] = defaultdict(list)
    for file in files:
        for entity_class in file.facts.entities.classes if file.facts.entities else ():
            found[entity_class.table.name.name].append((file.path, entity_class))
    return found


@dataclass(slots=True)
class _Entity:
    """An entity while its table is made."""

    path: str
    table: Name
    source: Source
    columns: dict[str, Column] = field(default_factory=dict)  # by property
    collections: list[Relation] = field(default_factory=list)
    key: tuple[str, ...] = ()  # properties
    keys: list[ForeignKey] = field(default_factory=list)
    relations: list[Relation] = field(default_factory=list)


class _Project:
    """The entities of a project, which lead to each other."""

    def __init__(self, classes: dict[str, list[tuple[str, EntityClass]]], stated: frozenset[str]) -> None:
        self._classes = classes
        self._stated = stated
        self._entities: dict[str, _Entity] = {}
        self._said: dict[str, EntitySet] = {}

    def add(self, said: EntitySet) -> None:
        """Add an entity, or what else is said of one."""
        known = self._said.get(said.entity)
        if known is not None:
            said = EntitySet(
                said.entity,
                said.table if said.table.name else known.table,
                said.key or known.key,
                (*known.columns, *said.columns),
            )
        self._said[said.entity] = said

    def tables(self) -> dict[str, list[Table]]:
        """Return the tables by the file of their class."""
        waiting = sorted(self._said)
        while waiting:
            name = waiting.pop(0)
            if name in self._entities or name in self._stated or name not in self._classes:
                continue
            self._entities[name] = entity = self._entity(name)
            # What an entity leads to is one, where it has a key.
            leads = [column.type[1:] for column in entity.columns.values() if column.type.startswith("?")]
            leads += [collection.model for collection in entity.collections]
            waiting += [lead for lead in leads if self._key_of(lead)]
        for entity in self._entities.values():
            self._relate(entity)
        joined = self._join_tables()
        found: defaultdict[str, list[Table]] = defaultdict(list)
        for name, entity in sorted(self._entities.items()):
            if self._base_entity(name) is None:
                found[entity.path].append(self._table(name, entity))
        for path, table in joined:
            found[path].append(table)
        return found

    def _entity(self, name: str) -> _Entity:
        parts = self._lineage(name)
        path, own = self._classes[name][0]
        entity_set = self._said.get(name, EntitySet(name))
        names = dict(entity_set.columns)
        entity = _Entity(path, entity_set.table if entity_set.table.name else Name(name), own.table.sources[0])
        for part in parts:
            for column in part.table.columns:
                called = column.field or column.name
                entity.columns[called] = replace(column, name=names.get(called, column.name))
            entity.collections += part.table.relations
        entity.key = entity_set.key or self._key_of(name)
        return entity

    def _lineage(self, name: str) -> list[EntityClass]:
        """Return the parts of a class, those of its bases first."""
        parts: list[EntityClass] = []
        names = [name]
        for _ in range(MAX_BASES):
            entity_classes = [one for each in names for _, one in self._classes.get(each, ())]
            if not entity_classes:
                break
            parts = [*entity_classes, *parts]
            names = [base for entity_class in entity_classes for base in entity_class.bases if base not in names]
        return parts

    def _key_of(self, name: str) -> tuple[str, ...]:
        for part in reversed(self._lineage(name)):
            if part.table.primary_key:
                return part.table.primary_key
            for column in part.table.columns:
                if column.name in {"Id", f"{name}Id"}:
                    return (column.name,)
        return ()

    def _base_entity(self, name: str) -> str | None:
        """Return the entity that one inherits from, whose table it shares."""
        bases = [base for _, one in self._classes.get(name, ()) for base in one.bases]
        for _ in range(MAX_BASES):
            if (found := next((base for base in bases if base in self._entities), None)) is not None:
                return found
            bases = [base for each in bases for _, one in self._classes.get(each, ()) for base in one.bases]
        return None

    def _relate(self, entity: _Entity) -> None:
        """Make keys of the properties that lead to other entities."""
        for called, column in list(entity.columns.items()):
            if not column.type.startswith("?"):
                continue
            target = column.type[1:]
            if target not in self._entities:
                if target in self._classes or target in self._stated:
                    del entity.columns[called]  # owned, or configured elsewhere
                else:
                    entity.columns[called] = replace(column, type=ENUM_TYPE)
                continue
            del entity.columns[called]
            keys = self._reference(entity, called, target, nullable=column.nullable)
            entity.relations.append(Relation(called, target, columns=keys))

    def _reference(self, entity: _Entity, called: str, target: str, *, nullable: bool) -> tuple[str, ...]:
        """Return the columns that refer to another entity; one that no property has is made."""
        other = self._entities[target]
        if len(other.key) != 1:
            return ()
        key = other.columns.get(other.key[0])
        by_property = {column.casefold(): column for column in entity.columns}
        # What the key is called is not said twice: BlogId of Blog, and not BlogBlogId.
        made_name = other.key[0] if other.key[0].startswith(called) else f"{called}{other.key[0]}"
        alone = [column.type for column in entity.columns.values()].count(f"?{target}") == 0  # this one is out by now
        alone = alone and all(relation.model != target for relation in entity.relations)
        names = (made_name, f"{called}Id", *((f"{target}{other.key[0]}", f"{target}Id") if alone else ()))
        property_ = next((by_property[name.casefold()] for name in names if name.casefold() in by_property), None)
        if property_ is None:
            property_ = made_name
            kind = key.type if key is not None else ""
            entity.columns[property_] = Column(property_, kind, nullable=nullable, source=entity.source)
        columns = (entity.columns[property_].name,)
        referenced = (key.name,) if key is not None else ()
        made = ForeignKey(columns, other.table, referenced, evidence=Evidence.MODEL, source=entity.source)
        entity.keys.append(made)
        return columns

    def _join_tables(self) -> list[tuple[str, Table]]:
        """Return the tables of pairs of entities that have lists of each other."""
        found: dict[tuple[str, str], tuple[str, Table]] = {}
        for name, entity in sorted(self._entities.items()):
            for relation in entity.collections:
                entity.relations.append(relation)
                other = self._entities.get(relation.model)
                back = (
                    next((collection for collection in other.collections if collection.model == name), None)
                    if other
                    else None
                )
                if other is None or back is None or relation.model == name:
                    continue
                sides = ((name, entity, back), (relation.model, other, relation))
                first, second = sorted(sides, key=lambda side: side[0])
                found.setdefault((first[0], second[0]), (entity.path, _join_table(first, second)))
        return list(found.values())

    def _table(self, name: str, entity: _Entity) -> Table:
        heirs = [one for other, one in sorted(self._entities.items()) if self._base_entity(other) == name]
        columns = {column.name: column for column in entity.columns.values()}
        for heir in heirs:
            for column in heir.columns.values():
                columns.setdefault(column.name, replace(column, nullable=True))
        if heirs:
            columns.setdefault("Discriminator", Column("Discriminator", "text", nullable=False, source=entity.source))
        return Table(
            entity.table,
            columns=tuple(columns.values()),
            primary_key=tuple(entity.columns[one].name for one in entity.key if one in entity.columns),
            foreign_keys=tuple(dict.fromkeys(key for one in (entity, *heirs) for key in one.keys)),
            alias=name,
            relations=tuple(dict.fromkeys(entity.relations)),
            origins=(Origin.ORM,),
            sources=(entity.source,),
        )


def _join_table(first: tuple[str, _Entity, Relation], second: tuple[str, _Entity, Relation]) -> Table:
    """Return the table between two entities: each side's column is called after the list that leads to it."""
    columns: list[Column] = []
    keys: list[ForeignKey] = []
    for _, entity, relation in (first, second):
        for one in entity.key:
            key = entity.columns[one]
            columns.append(Column(f"{relation.name}{one}", key.type, nullable=False, source=entity.source))
            made = ForeignKey((columns[-1].name,), entity.table, (key.name,), evidence=Evidence.MODEL)
            keys.append(replace(made, source=entity.source))
    return Table(
        Name(f"{first[0]}{second[0]}"),
        columns=tuple(columns),
        primary_key=tuple(column.name for column in columns),
        foreign_keys=tuple(keys),
        origins=(Origin.ORM,),
        sources=(first[1].source,),
    )
