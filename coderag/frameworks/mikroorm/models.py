"""MikroORM's entities to tables, by its default naming strategy; which decorators and options say what is data.

https://mikro-orm.io/docs/defining-entities
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

import msgspec

from coderag.frameworks.common.fields import with_fields
from coderag.frameworks.common.origins import COMPUTED_NAME, lines_of, unparsed_at
from coderag.frameworks.engine.vocabulary import framework_data
from coderag.frameworks.typeorm.classes import MAX_DEPTH, Class, Classes, Decorator, Property
from coderag.sql.records import (
    LAST_POSITION,
    Column,
    CreateTable,
    Describe,
    Evidence,
    Facts,
    ForeignKey,
    Heir,
    Mixin,
    Name,
    Origin,
    Relation,
    Shared,
    Table,
    Unparsed,
)
from coderag.syntax.languages.javascript import Code
from coderag.syntax.trees.comments import comment_above
from coderag.syntax.trees.literals import COMPUTED, Literal, Raw, Reference, as_text, default_of, mapping

__all__ = ["read"]

ENTITY = "Entity"
WORD_START = re.compile(r"([^A-Z_])([A-Z])")


class Words(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What decorators and their options say, and the types of columns by those of properties."""

    decorators: Mapping[str, str]
    options: Mapping[str, tuple[str, ...]]
    types: Mapping[str, str]


@cache
def _words() -> Words:
    return framework_data("mikro-orm", "attributes.toml", Words)


@dataclass(slots=True)
class Fields:
    """What a class brings into a table, the columns by property."""

    columns: dict[str, Column] = field(default_factory=dict)
    primary_key: list[str] = field(default_factory=list)
    unique: list[tuple[str, ...]] = field(default_factory=list)
    keys: list[ForeignKey] = field(default_factory=list)
    relations: list[Relation] = field(default_factory=list)
    pivots: list[tuple[Property, Mapping[str, Literal], str]] = field(default_factory=list)  # each with its target


def read(data: bytes, *, language: str, path: str) -> Facts | None:  # noqa: ARG001 - as every framework is asked
    """Return the tables of a file's entities, and what its other classes give those of other files."""
    reading = _Reading(Code(data, language))
    # Without a column, all of them are those of a class of another file.
    operations = tuple(CreateTable(table) if table.columns else Describe(table) for table in reading.tables())
    shared = Shared(mixins=tuple(reading.mixins()), heirs=tuple(reading.heirs))
    if not operations and not shared.mixins:
        return None
    unparsed = tuple(reading.unparsed)
    return Facts(statements=len(operations) + len(unparsed), unparsed=unparsed, operations=operations, shared=shared)


class _Reading:
    """The classes of a file."""

    def __init__(self, code: Code) -> None:
        self.unparsed: list[Unparsed] = []
        self.heirs: list[tuple[Name, Heir]] = []
        self._code = code
        self._classes = Classes(code)

    def tables(self) -> Iterator[Table]:
        """Yield the table of each entity, each followed by those between it and others."""
        for one in self._classes:
            entity = _entity_of(one)
            if entity is None or entity.options.get("abstract") is True or "discriminatorValue" in entity.options:
                continue
            if _option(entity.options, "table") is COMPUTED:
                self.unparsed.append(unparsed_at(one.outer, COMPUTED_NAME))
                continue
            yield from self._tables(one)

    def mixins(self) -> Iterator[Mixin]:
        """Yield the classes without a table that have columns for others."""
        for one in self._classes:
            entity = _entity_of(one)
            if entity is None or entity.options.get("abstract") is True:
                fields = self._fields(one)
                if fields.columns:
                    yield Mixin(self._table(one, Name(one.name), fields), tuple(self._heirs(one)))

    def _tables(self, one: Class) -> Iterator[Table]:
        name, fields = self._name(one.name), self._fields(one)
        self.heirs += [(name, heir) for heir in self._heirs(one)]
        table = self._table(one, name, fields)
        yield table
        for member, options, target in fields.pivots:
            yield self._pivot(table, member, options, target)

    def _table(self, one: Class, name: Name, fields: Fields) -> Table:
        return Table(
            name,
            columns=with_fields(fields.columns),
            primary_key=tuple(fields.primary_key),
            unique=tuple(dict.fromkeys([*fields.unique, *_class_unique(one, fields)])),
            foreign_keys=tuple(fields.keys),
            comment=comment_above(one.outer) or comment_above(one.node),
            alias=one.name,
            relations=tuple(fields.relations),
            origins=(Origin.ORM,),
            sources=(lines_of(one.outer),),
        )

    def _heirs(self, one: Class) -> Iterator[Heir]:
        """Yield the class of another file that a class, or the last of this file above it, derives from."""
        above = [*self._classes.above(one.name)]
        base = above[-1].base if above else ""
        if base and self._classes.get(base) is None:
            yield Heir(base.rpartition(".")[2], LAST_POSITION)

    def _name(self, class_name: str) -> Name:
        """Return the table of an entity; of one of another file by the naming strategy."""
        one = self._classes.get(class_name)
        entity = _entity_of(one) if one is not None else None
        options = entity.options if entity is not None else {}
        return Name(as_text(_option(options, "table")) or _snake(class_name), schema=as_text(options.get("schema")))

    def _fields(self, one: Class, depth: int = 0) -> Fields:
        """Return what a class and those of the file that it extends bring into a table."""
        base = self._classes.get(one.base)
        fields = self._fields(base, depth + 1) if base is not None and depth < MAX_DEPTH else Fields()
        for member in one.properties:
            kinds = {kind: member.decorators[name][0] for name, kind in _known(member)}
            options = {key: value for each in kinds.values() for key, value in each.options.items()}
            if "column" in kinds or "key" in kinds:
                if options.get("persist") is not False:
                    self._add_column(member, options, fields, is_key="key" in kinds)
            elif (kind := next((each for each in kinds if each != "computed"), "")) != "":
                self._add_relation(member, kind, kinds[kind], fields)
        return fields

    def _add_column(self, member: Property, options: Mapping[str, Literal], fields: Fields, *, is_key: bool) -> None:
        name = as_text(_option(options, "column")) or _snake(member.name)
        fields.columns[member.name] = Column(
            name,
            self._type_of(member, options),
            nullable=options.get("nullable") is True,
            default=as_text(options.get("defaultRaw")) or default_of(options.get("default", COMPUTED)) or "",
            comment=as_text(options.get("comment")) or member.comment,
            values=self._values(member, options),
            identity=options.get("autoincrement") is True,
            source=lines_of(member.node),
        )
        if is_key or options.get("primary") is True:
            fields.primary_key.append(name)
        elif options.get("unique") is True or "Unique" in member.decorators:
            fields.unique.append((name,))

    def _type_of(self, member: Property, options: Mapping[str, Literal]) -> str:
        types = _words().types
        stated = _option(options, "type")
        if isinstance(stated, str) and stated:
            return types.get(stated, stated) if "columnType" not in options else stated
        written = stated.name.rpartition(".")[2] if isinstance(stated, Reference) else member.type
        return types.get(written, "text" if self._values(member, options) else "")

    def _values(self, member: Property, options: Mapping[str, Literal]) -> tuple[str, ...]:
        """Return the values of an enum of the file: @Enum(() => Status), @Enum({ items: () => Status })."""
        if "Enum" not in member.decorators:
            return ()
        decorator = member.decorators["Enum"][0]
        stated = _option(options, "items") if isinstance(decorator.first, dict) else decorator.first
        if isinstance(stated, Reference):
            stated = tuple(self._code.enums.get(stated.name, {}).values())
        values = tuple(map(as_text, stated)) if isinstance(stated, tuple) else ()
        return values if all(values) else ()

    def _add_relation(self, member: Property, kind: str, decorator: Decorator, fields: Fields) -> None:
        options, target = decorator.options, _target(decorator)
        if not target:
            return
        is_inverse = _option(options, "owned") is not None or _is_mapped_by(decorator)
        owns = kind == "many to one" or (kind == "one to one" and (options.get("owner") is True or not is_inverse))
        columns: tuple[str, ...] = ()
        if owns and options.get("persist") is not False:
            columns = (as_text(_option(options, "join")) or f"{_snake(member.name)}_id",)
            self._add_key(member, columns[0], options, target, fields)
            if kind == "one to one":
                fields.unique.append(columns)
        if kind == "many to many" and (options.get("owner") is True or not is_inverse):
            fields.pivots.append((member, options, target))
        fields.relations.append(Relation(member.name, target, columns=columns))

    def _add_key(
        self, member: Property, column: str, options: Mapping[str, Literal], target: str, fields: Fields
    ) -> None:
        source = lines_of(member.node)
        stated = options.get("columnType")
        fields.columns[member.name] = Column(
            column,
            as_text(stated) or self._key_type(target),
            nullable=options.get("nullable") is True,
            comment=member.comment,
            source=source,
        )
        if options.get("primary") is True or "PrimaryKey" in member.decorators:
            fields.primary_key.append(column)
        key = ForeignKey((column,), self._name(target), evidence=Evidence.MODEL, source=source, model=target)
        fields.keys.append(key)

    def _key_type(self, target: str) -> str:
        """Return the type of the primary key of an entity of this file, "" for another's."""
        for one in self._classes.above(target):
            keys = [member for member in one.properties if "PrimaryKey" in member.decorators]
            if keys:
                return self._type_of(keys[0], keys[0].decorators["PrimaryKey"][0].options) if len(keys) == 1 else ""
        return ""

    def _pivot(self, table: Table, member: Property, options: Mapping[str, Literal], target: str) -> Table:
        """Return the table between the rows of two entities; of one that is an entity itself, nothing new is said."""
        source, other = lines_of(member.node), self._name(target)
        entity = _option(options, "pivot_entity")
        name = as_text(_option(options, "pivot")) or f"{table.name.name}_{_snake(member.name)}"
        if isinstance(entity, Reference):
            return Table(self._name(entity.name), origins=(Origin.ORM,), sources=(source,))
        sides = (
            (as_text(_option(options, "pivot_column")) or f"{_snake(table.alias)}_id", table.name, table.alias),
            (as_text(_option(options, "inverse")) or f"{_snake(target)}_id", other, target),
        )
        return Table(
            Name(name, schema=table.name.schema),
            columns=tuple(Column(column, self._key_type(of), nullable=False, source=source) for column, _, of in sides),
            primary_key=tuple(column for column, _, _ in sides),
            foreign_keys=tuple(
                ForeignKey((column,), to, evidence=Evidence.MODEL, source=source, model=of) for column, to, of in sides
            ),
            origins=(Origin.ORM,),
            sources=(source,),
        )


def _known(member: Property) -> Iterator[tuple[str, str]]:
    decorators = _words().decorators
    yield from ((name, decorators[name]) for name in member.decorators if name in decorators)


def _entity_of(one: Class) -> Decorator | None:
    return one.decorators[ENTITY][0] if ENTITY in one.decorators else None


def _option(options: Mapping[str, Literal], kind: str) -> Literal:
    """Return the first option of a kind that is stated; COMPUTED for a name of another file, None for none."""
    stated = next((options[name] for name in _words().options[kind] if name in options), None)
    return COMPUTED if kind == "table" and isinstance(stated, Reference) else stated


def _target(decorator: Decorator) -> str:
    """Return the class that a relation leads to, "" if it is computed."""
    stated = _option(decorator.options, "target") if isinstance(decorator.first, dict) else decorator.first
    if isinstance(stated, Reference):
        return stated.name.rpartition(".")[2]
    return stated if isinstance(stated, str) else stated.text if isinstance(stated, Raw) else ""


def _is_mapped_by(decorator: Decorator) -> bool:
    """Tell whether the second argument is the other side's property: @OneToOne(() => Book, (book) => book.author)."""
    return len(decorator.nodes) > 1 and decorator.nodes[1].type in {"arrow_function", "string"}


def _class_unique(one: Class, fields: Fields) -> Iterator[tuple[str, ...]]:
    """Yield the keys of @Unique({ properties: [...] }) above a class."""
    for decorator in one.decorators.get("Unique", ()):
        stated = mapping(decorator.first).get("properties")
        properties: Sequence[Literal] = stated if isinstance(stated, tuple) else (stated,)
        names = tuple(map(as_text, properties))
        if all(names):
            yield tuple(fields.columns[name].name if name in fields.columns else name for name in names)


def _snake(name: str) -> str:
    """Return the name that MikroORM's default naming strategy gives: createdAt -> created_at."""
    return WORD_START.sub(r"\1_\2", name).lower()
