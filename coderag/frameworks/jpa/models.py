"""JPA entities of Java and Kotlin to tables, with Hibernate's types.

https://jakarta.ee/specifications/persistence/3.1/jakarta-persistence-spec-3.1
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from msgspec.structs import replace
from tree_sitter import Node

from coderag.frameworks.common.fields import with_fields
from coderag.frameworks.common.origins import lines_of, unparsed_at
from coderag.frameworks.jpa.entities import MAX_DEPTH, Entities, element_type, snake
from coderag.frameworks.jpa.types import argument, type_of
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
    Source,
    Table,
    Unparsed,
)
from coderag.syntax.languages.jvm import Annotations, Class, Code, Member
from coderag.syntax.trees.literals import Literal, Reference, as_text, mapping, texts

__all__ = ["read"]

COLLECTIONS = re.compile(r"^(?:\w+\.)*(?:Mutable)?(?:List|Set|Collection|SortedSet|Iterable|Map|SortedMap|Bag|Queue)\b")
TO_ONE = frozenset({"ManyToOne", "OneToOne"})
KEYS = frozenset({"Id", "MapsId"})
TO_MANY = frozenset({"OneToMany", "ManyToMany"})
NO_COLUMN = frozenset({"Transient", "Formula", "OneToMany", "ManyToMany", "ElementCollection", "Any", "ManyToAny"})
SHARED = frozenset({"MappedSuperclass", "Embeddable"})
DEFAULT_KEY = "id"
DISCRIMINATOR = "dtype"
OTHER_FILE = "the columns of {} are in another file"
OTHER_NAME = "its name is stated in another file"
# What other libraries call @Entity too.
PERSISTENCE = re.compile(rb"(?:javax|jakarta)\.persistence\b")


class Join(NamedTuple):
    """A column of a relation."""

    name: str
    referenced: str  # the column of the other table
    options: Mapping[str, Literal]  # of @JoinColumn


@dataclass
class Fields:
    """What a class brings into a table."""

    columns: dict[str, Column] = field(default_factory=dict)  # by property
    primary_key: list[str] = field(default_factory=list)
    unique: list[tuple[str, ...]] = field(default_factory=list)
    keys: list[ForeignKey] = field(default_factory=list)
    relations: list[Relation] = field(default_factory=list)
    others: list[Table] = field(default_factory=list)  # between this one and others, and of its collections


def read(data: bytes, *, language: str, path: str) -> Facts | None:  # noqa: ARG001 - as every framework is asked
    """Return the tables of a file's entities, and what its other classes give those of other files; else None."""
    if PERSISTENCE.search(data) is None:
        return None
    reading = _Reading(Code(data, language))
    # Without a column, all of them are those of a class of another file.
    operations = tuple(CreateTable(table) if table.columns else Describe(table) for table in reading.tables())
    unparsed = tuple(reading.unparsed)
    mixins = tuple(reading.mixins())
    if not operations and not unparsed and not mixins:
        return None
    shared = Shared(mixins=mixins, heirs=tuple(reading.heirs)) if mixins or reading.heirs else None
    statements = len(operations) + len(unparsed)
    return Facts(statements=statements, unparsed=unparsed, operations=operations, shared=shared)


class _Reading:
    """The classes of a file, and the tables that they declare."""

    def __init__(self, code: Code) -> None:
        self.unparsed: list[Unparsed] = []
        self.heirs: list[tuple[Name, Heir]] = []
        self._entities = Entities(code)
        self._classes = self._entities.by_name

    def tables(self) -> Iterator[Table]:
        """Yield the table of each entity, then those of its collections and between it and others."""
        children: dict[str, list[Class]] = {}
        for one in self._classes.values():
            if "Entity" in one.annotations and (root := self._entities.single_table_root(one)) is not None:
                children.setdefault(root.name, []).append(one)
        for one in self._classes.values():
            if "Entity" not in one.annotations or self._entities.single_table_root(one) is not None:
                continue
            if "DiscriminatorValue" in one.annotations and "Table" not in one.annotations and one.base:
                continue  # its columns are in the table of a class of another file
            name = self._entities.table_name(one)
            if name is None:
                self.unparsed.append(unparsed_at(one.node, OTHER_NAME))
                continue
            yield from self._tables(one, name, children.get(one.name, ()))

    def mixins(self) -> Iterator[Mixin]:
        """Yield the mapped superclasses and embeddable classes, whose columns tables of other files may have."""
        for one in self._classes.values():
            if not SHARED.isdisjoint(one.annotations):
                fields = self._own_fields(one, Name(one.name))
                yield Mixin(self._table(one, Name(one.name), fields), tuple(self._heirs(one)))

    def _heirs(self, one: Class) -> Iterator[Heir]:
        """Yield the class of another file that a class derives from, and those that are parts of it."""
        lineage = self._entities.lineage(one)
        if (base := lineage[0].base) and base not in self._classes:
            yield Heir(base.rpartition(".")[2])
        members = [member for part in lineage for member in self._entities.members(part)]
        for member in members:
            kind = member.type.rpartition(".")[2]
            if "Embedded" in member.annotations and kind not in self._classes and not [*_overrides(member.annotations)]:
                alone = sum(other.type == member.type for other in members) == 1
                yield from [Heir(kind, LAST_POSITION)] if alone else ()

    def _own_fields(self, one: Class, name: Name) -> Fields:
        fields = Fields()
        for part in self._entities.lineage(one):
            self._add(part, fields, name, owner=one.name)
        return fields

    def _tables(self, one: Class, name: Name, children: Sequence[Class]) -> Iterator[Table]:
        fields = self._own_fields(one, name)
        self.heirs += [(name, heir) for heir in self._heirs(one)]
        for part in children:
            known = set(fields.columns)
            self._add(part, fields, name, owner=one.name)
            for key in fields.columns.keys() - known:  # rows of the other classes have no value there
                fields.columns[key] = replace(fields.columns[key], nullable=True)
        if children or "DiscriminatorColumn" in one.annotations:
            self._add_discriminator(one, fields, children)
        self._join_parent(one, fields)
        yield self._table(one, name, fields)
        yield from fields.others

    def _table(self, one: Class, name: Name, fields: Fields) -> Table:
        comment = as_text(argument(one.annotations, "Comment", "value"))
        return Table(
            name,
            columns=with_fields(fields.columns),
            primary_key=tuple(dict.fromkeys(fields.primary_key)),
            unique=tuple(dict.fromkeys([*fields.unique, *self._stated_unique(one)])),
            foreign_keys=tuple(fields.keys),
            checks=tuple(filter(None, (as_text(argument(one.annotations, "Check", "constraints")),))),
            comment=comment or one.comment,
            alias=one.name,
            relations=tuple(fields.relations),
            origins=(Origin.ORM,),
            sources=(lines_of(one.node),),
        )

    def _join_parent(self, one: Class, fields: Fields) -> None:
        """Add the key to the table of a superclass whose strategy is JOINED."""
        above = self._classes.get(one.base)
        strategy = argument(above.annotations, "Inheritance", "strategy") if above is not None else None
        if above is None or not isinstance(strategy, Reference) or not strategy.name.endswith("JOINED"):
            return
        keys = self._primary_columns(above)
        stated = as_text(argument(one.annotations, "PrimaryKeyJoinColumn", "name"))
        source = Source("", one.node.start_point[0] + 1, one.node.start_point[0] + 1)
        for key in reversed(keys):
            name = stated if stated and len(keys) == 1 else key.name
            fields.columns = {name: Column(name, key.type, nullable=False, source=source), **fields.columns}
            fields.primary_key.insert(0, name)
        target = self._entities.target_table(above.name)
        if keys:
            columns = tuple(fields.primary_key[: len(keys)])
            referenced = tuple(key.name for key in keys)
            fields.keys.append(ForeignKey(columns, target, referenced, "", Evidence.MODEL, source, above.name))

    def _add_discriminator(self, one: Class, fields: Fields, children: Sequence[Class]) -> None:
        name = as_text(argument(one.annotations, "DiscriminatorColumn", "name")) or DISCRIMINATOR
        stated = [
            as_text(argument(part.annotations, "DiscriminatorValue", "value")) or part.name for part in (one, *children)
        ]
        row = one.node.start_point[0] + 1
        made = Column(name, "varchar(31)", nullable=False, values=tuple(stated), source=Source("", row, row))
        fields.columns.setdefault(name, made)

    def _add(self, one: Class, fields: Fields, table: Name, *, owner: str, prefix: str = "", depth: int = 0) -> None:
        for member in self._entities.members(one):
            annotations = member.annotations
            self._note_relation(member, fields)
            if not TO_ONE.isdisjoint(annotations):
                self._add_relation(member, fields)
            elif not TO_MANY.isdisjoint(annotations) or "ElementCollection" in annotations:
                self._add_other(member, fields, table, owner)
            elif not NO_COLUMN.isdisjoint(annotations) or "persistence.Transient" in annotations:
                continue
            elif "EmbeddedId" in annotations or "Embedded" in annotations or self._entities.is_embeddable(member):
                self._embed(member, fields, table, owner=owner, prefix=prefix, depth=depth)
            elif not COLLECTIONS.match(member.type) or not {"Column", "Convert", "JdbcTypeCode"}.isdisjoint(
                annotations
            ):
                self._add_column(member, fields, prefix)

    def _note_relation(self, member: Member, fields: Fields) -> None:
        name = next((name for name in sorted(TO_ONE | TO_MANY) if name in member.annotations), None)
        if name is None:
            return
        relation = member.annotations[name][0]
        target = self._entities.target_class(member, relation)
        has_key = name in TO_ONE and "mappedBy" not in relation.arguments and "JoinTable" not in member.annotations
        columns = tuple(column for column, _, _ in self._join_columns(member, target)) if has_key else ()
        fields.relations.append(Relation(member.name, target, columns=columns))

    def _add_column(self, member: Member, fields: Fields, prefix: str = "") -> None:
        stated = argument(member.annotations, "Column", "name")
        if isinstance(stated, Reference):
            self.unparsed.append(unparsed_at(member.node, OTHER_NAME))
            return
        if isinstance(table := argument(member.annotations, "Column", "table"), str) and table:
            return  # of a second table
        column = self._column(member, as_text(stated).strip('`"') or snake(member.name))
        fields.columns[prefix + member.name] = column
        if "Id" in member.annotations:
            fields.primary_key.append(column.name)
        if argument(member.annotations, "Column", "unique") is True:
            fields.unique.append((column.name,))

    def _column(self, member: Member, name: str) -> Column:
        annotations = member.annotations
        kind, values, comment = type_of(member, self._classes)
        required = (
            member.is_primitive
            or not {"Id", "NotNull"}.isdisjoint(annotations)
            or argument(annotations, "Column", "nullable") is False
            or argument(annotations, "Basic", "optional") is False
        )
        strategy = argument(annotations, "GeneratedValue", "strategy")
        counts = "GeneratedValue" in annotations and kind != "uuid"
        if isinstance(strategy, Reference) and strategy.name.endswith("UUID"):
            counts = False
        return Column(
            name,
            kind,
            nullable=not required,
            default=as_text(argument(annotations, "ColumnDefault", "value")),
            comment=as_text(argument(annotations, "Comment", "value")) or member.comment or comment,
            values=values,
            generated=as_text(argument(annotations, "GeneratedColumn", "value")),
            identity=counts,
            source=lines_of(member.node),
        )

    def _embed(self, member: Member, fields: Fields, table: Name, *, owner: str, prefix: str, depth: int) -> None:
        """Add the columns of a class that is a part of this one's table."""
        found = self._classes.get(member.type.rpartition(".")[2])
        if found is None or depth >= MAX_DEPTH:
            self.unparsed.append(unparsed_at(member.node, OTHER_FILE.format(member.type)))
            return
        inner = Fields()
        for part in self._entities.lineage(found):
            self._add(part, inner, table, owner=owner, depth=depth + 1)
        renamed = dict(_overrides(member.annotations))
        for key, column in inner.columns.items():
            override = renamed.get(key, {})
            name = as_text(override.get("name")) or column.name
            nullable = override.get("nullable")
            made = replace(column, name=name, nullable=column.nullable if nullable is None else nullable is not False)
            fields.columns[f"{prefix}{member.name}.{key}"] = made
            if "EmbeddedId" in member.annotations:
                fields.columns[f"{prefix}{member.name}.{key}"] = replace(made, nullable=False)
                fields.primary_key.append(name)
        fields.keys += inner.keys
        fields.unique += inner.unique
        fields.others += inner.others

    # Relations

    def _add_relation(self, member: Member, fields: Fields) -> None:
        """Add the columns of a key to another entity, where this side has it."""
        relation = next(member.annotations[name][0] for name in sorted(TO_ONE) if name in member.annotations)
        if "mappedBy" in relation.arguments or "JoinTable" in member.annotations:
            return
        target = self._entities.target_class(member, relation)
        joins = self._join_columns(member, target)
        if not joins:
            self.unparsed.append(unparsed_at(member.node, OTHER_NAME))
            return
        is_key = not KEYS.isdisjoint(member.annotations)
        is_required = is_key or relation.arguments.get("optional") is False or "NotNull" in member.annotations
        known = {column.name.casefold() for column in fields.columns.values()}
        if "MapsId" in member.annotations and not argument(member.annotations, "MapsId", "value") and len(joins) == 1:
            self._replace_key(fields, joins[0].name)
        for join in joins:
            if join.name.casefold() not in known:
                key = member.name if len(joins) == 1 else f"{member.name}.{join.name}"
                fields.columns.setdefault(key, self._join_column(join, member, target, is_required=is_required))
            if join.options.get("unique") is True:
                fields.unique.append((join.name,))
        names = [join.name for join in joins]
        if is_key:
            fields.primary_key += names
        columns = tuple(names)
        if "OneToOne" in member.annotations and not is_key:
            fields.unique.append(columns)
        fields.keys.append(self._key(columns, [join.referenced for join in joins], target, member.node))

    def _join_column(self, join: Join, member: Member, target: str, *, is_required: bool) -> Column:
        """Return a column of a relation to the entity `target`."""
        return Column(
            join.name,
            as_text(join.options.get("columnDefinition")) or self._type_of(target, join.referenced),
            nullable=not (is_required or join.options.get("nullable") is False),
            comment=as_text(argument(member.annotations, "Comment", "value")) or member.comment,
            source=lines_of(member.node),
        )

    def _replace_key(self, fields: Fields, name: str) -> None:
        """Take out the column of an @Id that a relation with @MapsId is the value of."""
        for key, column in list(fields.columns.items()):
            if column.name in fields.primary_key and column.name != name:
                fields.primary_key.remove(column.name)
                del fields.columns[key]

    def _key(self, columns: tuple[str, ...], referenced: Sequence[str], target: str, node: Node) -> ForeignKey:
        is_default = target not in self._classes and list(referenced) == [DEFAULT_KEY]
        return ForeignKey(
            columns=columns,
            table=self._entities.target_table(target),
            referenced=() if is_default else tuple(referenced),
            evidence=Evidence.MODEL,
            source=lines_of(node),
            model=self._entities.mapped(target),
        )

    def _join_columns(self, member: Member, target: str) -> list[Join]:
        """Return the columns of a relation with those that they refer to; none where another file states a name."""
        stated = [*member.annotations.get("JoinColumn", ()), *member.annotations.get("PrimaryKeyJoinColumn", ())]
        listed = argument(member.annotations, "JoinColumns", "value")
        entries: list[Mapping[str, Literal]] = [annotation.arguments for annotation in stated]
        entries += [mapping(one) for one in listed] if isinstance(listed, tuple) else []
        return self._joined(entries or [{}], member.name, target)

    def _joined(self, entries: Sequence[Mapping[str, Literal]], name: str, target: str) -> list[Join]:
        keys = self._primary_columns(self._classes[target]) if target in self._classes else []
        names = [key.name for key in keys] or [DEFAULT_KEY]
        if len(entries) == 1 and not entries[0].get("name") and len(names) > 1:
            entries = [{} for _ in names]
        joins: list[Join] = []
        for position, options in enumerate(entries):
            if isinstance(options.get("name"), Reference):
                return []
            referenced = as_text(options.get("referencedColumnName")) or names[min(position, len(names) - 1)]
            column = as_text(options.get("name")).strip('`"') or f"{snake(name)}_{referenced}"
            joins.append(Join(column, referenced, options))
        return joins

    def _primary_columns(self, one: Class) -> list[Column]:
        """Return the columns of the primary key of an entity of this file; relations in it are left out."""
        columns: list[Column] = []
        above: Class | None = one
        for _ in range(MAX_DEPTH):
            if above is None:
                break
            for member in self._entities.members(above):
                if "Id" in member.annotations and TO_ONE.isdisjoint(member.annotations):
                    stated = argument(member.annotations, "Column", "name")
                    columns.append(self._column(member, as_text(stated).strip('`"') or snake(member.name)))
                elif "EmbeddedId" in member.annotations:
                    inner = Fields()
                    self._embed(member, inner, Name(""), owner="", prefix="", depth=MAX_DEPTH - 1)
                    columns += inner.columns.values()
            above = self._classes.get(above.base) if not columns else None
        return columns

    def _type_of(self, target: str, referenced: str) -> str:
        columns = self._primary_columns(self._classes[target]) if target in self._classes else []
        return next((column.type for column in columns if column.name == referenced), "")

    def _add_other(self, member: Member, fields: Fields, table: Name, owner: str) -> None:
        """Add the table of a collection, or the one between this entity and another."""
        if "ElementCollection" in member.annotations:
            fields.others.append(self._collection(member, table, owner))
            return
        name = next(name for name in sorted(TO_MANY) if name in member.annotations)
        relation = member.annotations[name][0]
        has_column = "JoinColumn" in member.annotations or "JoinColumns" in member.annotations
        if "mappedBy" in relation.arguments or has_column:
            return  # the other side has the key
        options = dict(member.annotations["JoinTable"][0].arguments) if "JoinTable" in member.annotations else {}
        target = self._entities.target_class(member, relation)
        if isinstance(options.get("name"), Reference):
            self.unparsed.append(unparsed_at(member.node, OTHER_NAME))
            return
        left = self._joined(_entries(options.get("joinColumns")), owner, owner)
        right = self._joined(_entries(options.get("inverseJoinColumns")), member.name, target)
        if not left or not right:
            self.unparsed.append(unparsed_at(member.node, OTHER_NAME))
            return
        source = lines_of(member.node)
        columns = [
            Column(column, self._type_of(entity, referenced), nullable=False, source=source)
            for entity, side in ((owner, left), (target, right))
            for column, referenced, _ in side
        ]
        is_set = re.match(r"(?:\w+\.)*(?:Mutable)?(?:Sorted)?Set\b", member.type) is not None
        fields.others.append(
            Table(
                Name(
                    as_text(options.get("name")) or f"{table.name}_{snake(member.name)}",
                    schema=as_text(options.get("schema")) or table.schema,
                    database=as_text(options.get("catalog")) or table.database,
                ),
                columns=tuple(columns),
                primary_key=tuple(column.name for column in columns) if is_set else (),
                foreign_keys=tuple(
                    self._key(tuple(one for one, _, _ in side), [to for _, to, _ in side], entity, member.node)
                    for entity, side in ((owner, left), (target, right))
                ),
                comment=member.comment,
                origins=(Origin.ORM,),
                sources=(source,),
            )
        )

    def _collection(self, member: Member, table: Name, owner: str) -> Table:
        """Return the table of a collection of values."""
        stated = member.annotations.get("CollectionTable")
        options = dict(stated[0].arguments) if stated else {}
        source = lines_of(member.node)
        joins = self._joined(_entries(options.get("joinColumns")), owner, owner)
        columns = [Column(one, self._type_of(owner, to), nullable=False, source=source) for one, to, _ in joins]
        if re.match(r"(?:\w+\.)*(?:Mutable)?(?:Sorted)?Map\b", member.type):
            key = as_text(argument(member.annotations, "MapKeyColumn", "name")) or f"{snake(member.name)}_key"
            columns.append(Column(key, nullable=False, source=source))
        kind = element_type(member.type)
        found = self._classes.get(kind)
        if found is not None and "Embeddable" in found.annotations:
            inner = Fields()
            self._add(found, inner, table, owner=owner, depth=MAX_DEPTH - 1)
            columns += inner.columns.values()
        else:
            value = Member(member.name, kind, member.annotations, member.node, "")
            name = as_text(argument(member.annotations, "Column", "name")) or snake(member.name)
            columns.append(replace(self._column(value, name), source=source))
        return Table(
            Name(
                as_text(options.get("name")) or f"{snake(owner)}_{snake(member.name)}",
                schema=as_text(options.get("schema")) or table.schema,
                database=table.database,
            ),
            columns=tuple(columns),
            foreign_keys=(
                self._key(tuple(one for one, _, _ in joins), [to for _, to, _ in joins], owner, member.node),
            ),
            comment=member.comment,
            origins=(Origin.ORM,),
            sources=(source,),
        )

    def _stated_unique(self, one: Class) -> Iterator[tuple[str, ...]]:
        """Yield the keys of @Table(uniqueConstraints) and of its unique indexes."""
        for constraint in _entries(argument(one.annotations, "Table", "uniqueConstraints")):
            columns = texts(constraint.get("columnNames"))
            if columns:
                yield columns
        for index in _entries(argument(one.annotations, "Table", "indexes")):
            if index.get("unique") is True and (text := as_text(index.get("columnList"))):
                yield tuple(part.split()[0] for part in text.split(",") if part.strip())


def _entries(value: Literal) -> list[Mapping[str, Literal]]:
    """Return the annotations that an argument holds, of which one needs no brackets."""
    found = [mapping(one) for one in (value if isinstance(value, tuple) else (value,))]
    return [one for one in found if one] or [{}]


def _overrides(annotations: Annotations) -> Iterator[tuple[str, Mapping[str, Literal]]]:
    """Yield the properties of an embedded class that have other columns here."""
    stated = [annotation.arguments for annotation in annotations.get("AttributeOverride", ())]
    listed = argument(annotations, "AttributeOverrides", "value")
    entries = [*stated, *(mapping(one) for one in (listed if isinstance(listed, tuple) else (listed,)))]
    for entry in entries:
        if name := as_text(entry.get("name")):
            yield name, mapping(entry.get("column"))
