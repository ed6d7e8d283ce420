"""TypeORM entities to tables, by its default naming strategy.

https://typeorm.io/docs/entity/entities and https://typeorm.io/docs/relations/relations
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from msgspec.structs import replace
from tree_sitter import Node

from coderag.frameworks.common.fields import with_fields
from coderag.frameworks.common.origins import COMPUTED_NAME, lines_of, unparsed_at
from coderag.sql.records import (
    Column,
    CreateTable,
    Describe,
    Evidence,
    Facts,
    ForeignKey,
    Name,
    ObjectKind,
    Origin,
    Relation,
    Table,
    Unparsed,
)
from coderag.syntax.languages.javascript import Code
from coderag.syntax.trees.comments import comment_above, comment_behind
from coderag.syntax.trees.literals import (
    COMPUTED,
    Literal,
    Raw,
    Reference,
    as_text,
    default_of,
    mapping,
    texts,
)
from coderag.syntax.trees.tree import named, text_of

__all__ = ["read"]

ENTITIES = frozenset({"Entity", "ViewEntity"})
COLUMNS = frozenset(
    "Column PrimaryColumn PrimaryGeneratedColumn CreateDateColumn UpdateDateColumn DeleteDateColumn VersionColumn "
    "ViewColumn".split()
)
DATES = frozenset({"CreateDateColumn", "UpdateDateColumn", "DeleteDateColumn"})
RELATIONS = frozenset({"ManyToOne", "OneToOne", "ManyToMany"})
# What the type of a property stands for where its column has none.
TYPES = {
    "string": "varchar",
    "String": "varchar",
    "number": "integer",
    "Number": "integer",
    "boolean": "boolean",
    "Boolean": "boolean",
    "Date": "timestamp",
    "bigint": "bigint",
    "Buffer": "blob",
}
PORTABLE_TYPES = {"simple-array": "text", "simple-json": "text", "simple-enum": "varchar"}
NULL_TYPES = frozenset({"null", "undefined"})
AROUND = re.compile(r"^(?:Relation|Promise|Ref)<(.*)>$")
SNAKE = ((re.compile(r"([A-Z])([A-Z])([a-z])"), r"\1_\2\3"), (re.compile(r"([a-z0-9])([A-Z])"), r"\1_\2"))
CAMEL = re.compile(r"^([A-Z])|[\s\-_](\w)")
DEFAULT_KEY = "id"
MAX_DEPTH = 8  # of classes in classes


class Decorator(NamedTuple):
    """A decorator and its arguments."""

    name: str
    arguments: Sequence[Node]


class Class(NamedTuple):
    """A class of the file."""

    name: str
    node: Node
    outer: Node  # with `export`
    decorators: Mapping[str, Sequence[Decorator]]
    base: str
    members: Sequence[Node]


class Property(NamedTuple):
    """A property with its decorators."""

    name: str
    type: str  # as annotated, without null
    node: Node
    decorators: Mapping[str, Sequence[Decorator]]


class Fields(NamedTuple):
    """What a class brings into a table, the columns by property."""

    columns: dict[str, Column]
    primary_key: list[str]
    unique: list[tuple[str, ...]]
    relations: list[Property]
    named: dict[str, str]  # property -> column


def read(data: bytes, *, language: str, path: str) -> Facts | None:  # noqa: ARG001 - as every framework is asked
    """Return the tables of a file's entities, None where there are none."""
    reading = _Reading(Code(data, language))
    # Without a column, all of them are those of a class of another file.
    operations = tuple(CreateTable(table) if table.columns else Describe(table) for table in reading.tables())
    if not operations:
        return None
    unparsed = tuple(reading.unparsed)
    return Facts(statements=len(operations) + len(unparsed), unparsed=unparsed, operations=operations)


def snake(name: str) -> str:
    """Return the name that TypeORM gives the table of a class."""
    for pattern, replacement in SNAKE:
        name = pattern.sub(replacement, name)
    return name.lower()


def camel(name: str) -> str:
    """Return the name that TypeORM makes of words with underscores."""
    return CAMEL.sub(lambda match: match[2].upper() if match[2] else match[1].lower(), name)


class _Reading:
    """The classes of a file."""

    def __init__(self, code: Code) -> None:
        self.unparsed: list[Unparsed] = []
        self._code = code
        self._classes = {one.name: one for one in _classes(code.root)}

    def tables(self) -> Iterator[Table]:
        """Yield the table of each entity, then those between it and others."""
        for one in self._classes.values():
            entity = next((name for name in ENTITIES if name in one.decorators), None)
            if entity is None:
                continue
            table = self._table(one, one.decorators[entity][0], is_view=entity == "ViewEntity")
            if table is not None:
                yield from table

    def _table(self, one: Class, entity: Decorator, *, is_view: bool) -> list[Table] | None:
        stated, options = self._named_options(entity)
        if stated is COMPUTED:
            self._lose(one.outer, COMPUTED_NAME)
            return None
        name = self._name(one)
        fields = self._fields(one)
        if any("ObjectIdColumn" in member.decorators for member in _properties(one)):
            return None  # of MongoDB
        keys = [key for member in fields.relations for key in self._keys(member)]
        comment = options.get("comment")
        table = Table(
            name,
            kind=_kind(options) if is_view else ObjectKind.TABLE,
            columns=with_fields(fields.columns),
            primary_key=tuple(fields.primary_key),
            unique=tuple(dict.fromkeys([*fields.unique, *self._class_unique(one, fields)])),
            foreign_keys=tuple(keys),
            checks=tuple(self._checks(one)),
            comment=comment if isinstance(comment, str) else comment_above(one.outer) or comment_above(one.node),
            query=as_text(options.get("expression")).strip() if is_view else "",
            alias=one.name,
            relations=tuple(self._relations_of(fields)),
            origins=(Origin.ORM,),
            sources=(lines_of(one.outer),),
        )
        return [table, *self._between(table, fields)]

    def _relations_of(self, fields: Fields) -> Iterator[Relation]:
        for member in fields.relations:
            if target := self._target(self._relation(member)):
                columns = tuple(name for name, _ in self._join_columns(member)) if self._has_key(member) else ()
                yield Relation(member.name, target, columns=columns)

    def _has_key(self, member: Property) -> bool:
        """Tell whether the key of a relation is in the table of this side."""
        return "ManyToOne" in member.decorators or (
            "OneToOne" in member.decorators and "JoinColumn" in member.decorators
        )

    def _name(self, one: Class) -> Name:
        """Return the name of an entity's table."""
        entity = one.decorators.get("Entity") or one.decorators.get("ViewEntity") or [Decorator("", ())]
        stated, options = self._named_options(entity[0])
        schema, _, name = as_text(stated).rpartition(".")
        return Name(
            name or snake(one.name),
            schema=schema or as_text(options.get("schema")),
            database=as_text(options.get("database")),
        )

    def _target_name(self, target: str) -> Name:
        found = self._classes.get(target)
        return self._name(found) if found is not None else Name(snake(target))

    def _named_options(self, decorator: Decorator) -> tuple[Literal, Mapping[str, Literal]]:
        """Return the first argument where it is a name, and the options, which may have it instead."""
        values = [self._code.value(node) for node in decorator.arguments]
        options = next((value for value in values if isinstance(value, dict)), {})
        first = values[0] if values and not isinstance(values[0], dict) else options.get("name")
        return (COMPUTED if isinstance(first, Reference) else first), options

    def _fields(self, one: Class, depth: int = 0) -> Fields:
        """Return what a class and those of the file that it extends bring into a table."""
        base = self._classes.get(one.base)
        fields = self._fields(base, depth + 1) if base is not None and depth < MAX_DEPTH else Fields({}, [], [], [], {})
        for member in _properties(one):
            decorator = next((member.decorators[name][0] for name in COLUMNS if name in member.decorators), None)
            if decorator is not None:
                self._add_column(member, decorator, fields, depth)
            elif not RELATIONS.isdisjoint(member.decorators):
                self._add_relation(member, fields)
        if (inheritance := one.decorators.get("TableInheritance")) is not None:
            _, options = self._named_options(inheritance[0])
            column = mapping(options.get("column"))
            name = as_text(column.get("name")) or as_text(options.get("column")) or "type"
            made = Column(name, as_text(column.get("type")) or "varchar", nullable=False, source=lines_of(one.outer))
            fields.columns.setdefault(name, made)
        return fields

    def _add_column(self, member: Property, decorator: Decorator, fields: Fields, depth: int) -> None:
        values = [self._code.value(node) for node in decorator.arguments]
        options = next((value for value in values if isinstance(value, dict)), {})
        is_embedded = bool(decorator.arguments) and decorator.arguments[0].type == "arrow_function"
        if is_embedded and values and isinstance(values[0], Reference):
            self._embed(member, values[0].name, options, fields, depth)
            return
        column = self._column(member, decorator, values, options)
        fields.columns[member.name] = column
        fields.named[member.name] = column.name
        if decorator.name.startswith("Primary") or options.get("primary") is True:
            fields.primary_key.append(column.name)
        index = member.decorators.get("Index")
        is_unique_index = index is not None and self._options(index[0]).get("unique") is True
        if options.get("unique") is True or "Unique" in member.decorators or is_unique_index:
            fields.unique.append((column.name,))

    def _column(
        self, member: Property, decorator: Decorator, values: Sequence[Literal], options: Mapping[str, Literal]
    ) -> Column:
        enum = options.get("enum")
        if isinstance(enum, Reference):
            enum = tuple(self._code.enums.get(enum.name, {}).values())
        elif isinstance(enum, dict):
            enum = tuple(enum.values())
        comment = options.get("comment")
        is_date = decorator.name in {"CreateDateColumn", "UpdateDateColumn"}
        counts = self._counts(member, decorator, values, options)
        return Column(
            name=as_text(options.get("name")) or member.name,
            type=self._type(member, decorator, values, options),
            nullable=options.get("nullable") is True or decorator.name in {"DeleteDateColumn", "ViewColumn"},
            default=default_of(options.get("default", COMPUTED)) or ("CURRENT_TIMESTAMP" if is_date else ""),
            comment=comment if isinstance(comment, str) else _comment(member),
            values=tuple(map(as_text, enum)) if isinstance(enum, tuple) and all(map(as_text, enum)) else (),
            generated=as_text(options.get("asExpression")),
            identity=counts,
            source=lines_of(member.node),
        )

    def _counts(
        self, member: Property, decorator: Decorator, values: Sequence[Literal], options: Mapping[str, Literal]
    ) -> bool:
        """Tell whether the database numbers a column."""
        if decorator.name == "PrimaryGeneratedColumn":
            return not values or isinstance(values[0], dict) or values[0] in {"increment", "identity"}
        generated = member.decorators.get("Generated")
        if generated is not None:
            strategy = self._code.value(generated[0].arguments[0]) if generated[0].arguments else "increment"
            return strategy in {"increment", "identity"}
        return options.get("generated") in {True, "increment", "identity"}

    def _type(
        self, member: Property, decorator: Decorator, values: Sequence[Literal], options: Mapping[str, Literal]
    ) -> str:
        """Return the type of a column, with its size.

        `@Column({ length: 9 }) name: string` -> varchar(9); `@Column("simple-json") data: any` -> text
        """
        kind = _bare_type(member, decorator, values, options)
        kind = PORTABLE_TYPES.get(kind, kind)
        sizes = [as_text(options.get(name)) for name in ("length", "width", "precision", "scale")]
        size = ", ".join(one for one in sizes if one)
        kind += f"({size})" if size and kind else ""
        kind += " unsigned" if options.get("unsigned") is True else ""
        return kind + ("[]" if options.get("array") is True else "")

    def _embed(self, member: Property, target: str, options: Mapping[str, Literal], fields: Fields, depth: int) -> None:
        """Add the columns of a class that is part of another's table, with the property's name in front."""
        found = self._classes.get(target)
        if found is None or depth >= MAX_DEPTH:
            self._lose(member.node, f"the columns of {target} are in another file")
            return
        stated = options.get("prefix")
        prefix = "" if stated is False or stated == "" else as_text(stated) or member.name
        inner = self._fields(found, depth + 1)
        for key, column in inner.columns.items():
            name = camel(prefix) + column.name[:1].upper() + column.name[1:] if prefix else column.name
            fields.columns[f"{member.name}.{key}"] = replace(column, name=name)
            fields.named[f"{member.name}.{key}"] = name

    def _add_relation(self, member: Property, fields: Fields) -> None:
        """Add the columns of a key to another entity, where this side has it."""
        fields.relations.append(member)
        for name, referenced in self._join_columns(member):
            known = next((one for one in fields.columns.values() if one.name == name), None)
            relation = self._relation(member)
            options = self._options(relation)
            if known is None:
                column = Column(
                    name,
                    self._type_of(self._target(relation), referenced),
                    nullable=options.get("nullable") is not False,
                    comment=_comment(member),
                    source=lines_of(member.node),
                )
                fields.columns[member.name if member.name not in fields.columns else name] = column
            fields.named.setdefault(member.name, name)
            if options.get("primary") is True or "PrimaryColumn" in member.decorators:
                fields.primary_key.append(name)
        if "OneToOne" in member.decorators and "JoinColumn" in member.decorators:
            fields.unique.append(tuple(name for name, _ in self._join_columns(member)))

    def _join_columns(self, member: Property) -> list[tuple[str, str]]:
        """Return the columns of a relation that are in its own table, with those that they refer to."""
        joined = member.decorators.get("JoinColumn")
        if "ManyToMany" in member.decorators or ("OneToOne" in member.decorators and joined is None):
            return []
        if not self._target(self._relation(member)):
            return []
        stated = self._code.value(joined[0].arguments[0]) if joined and joined[0].arguments else {}
        entries = stated if isinstance(stated, tuple) else (stated,)
        found = []
        for entry in entries:
            options = {"name": entry} if isinstance(entry, str) else mapping(entry)
            keys = self._primary_key(self._target(self._relation(member)))
            referenced = as_text(options.get("referencedColumnName")) or (keys[0] if len(keys) == 1 else DEFAULT_KEY)
            name = as_text(options.get("name")) or camel(f"{member.name}_{referenced}")
            found.append((name, referenced))
        return found

    def _keys(self, member: Property) -> Iterator[ForeignKey]:
        relation = self._relation(member)
        columns = self._join_columns(member)
        if not columns or self._options(relation).get("createForeignKeyConstraints") is False:
            return
        target = self._target(relation)
        yield ForeignKey(
            columns=tuple(name for name, _ in columns),
            table=self._target_name(target),
            referenced=self._referenced(target, tuple(name for _, name in columns)),
            evidence=Evidence.MODEL,
            source=lines_of(member.node),
            model=target,
        )

    def _referenced(self, target: str, properties: Sequence[str]) -> tuple[str, ...]:
        """Return the columns of another entity; those of another file only where they are stated as its key."""
        found = self._classes.get(target)
        if found is None:
            return () if list(properties) == [DEFAULT_KEY] else tuple(properties)
        names = {
            member.name: self._column_name(member)
            for member in _properties(found)
            if not COLUMNS.isdisjoint(member.decorators)
        }
        return tuple(names.get(name, name) for name in properties)

    def _column_name(self, member: Property) -> str:
        decorator = next(member.decorators[name][0] for name in COLUMNS if name in member.decorators)
        return as_text(self._options(decorator).get("name")) or member.name

    def _primary_key(self, target: str) -> list[str]:
        """Return the properties that are the primary key of an entity of this file."""
        one = self._classes.get(target)
        found: list[str] = []
        for _ in range(MAX_DEPTH):
            if one is None:
                break
            found = [
                *(member.name for member in _properties(one) if _is_key(member)),
                *found,
            ]
            one = self._classes.get(one.base)
        return found

    def _type_of(self, target: str, referenced: str) -> str:
        """Return the type of a column of an entity of this file, "" for another's."""
        one = self._classes.get(target)
        for _ in range(MAX_DEPTH):
            if one is None:
                break
            for member in _properties(one):
                if member.name == referenced and not COLUMNS.isdisjoint(member.decorators):
                    decorator = next(member.decorators[name][0] for name in COLUMNS if name in member.decorators)
                    values = [self._code.value(node) for node in decorator.arguments]
                    options = next((value for value in values if isinstance(value, dict)), {})
                    return self._type(member, decorator, values, options)
            one = self._classes.get(one.base)
        return ""

    def _between(self, table: Table, fields: Fields) -> Iterator[Table]:
        """Yield the tables of relations of many to many that are stated on this side."""
        for member in fields.relations:
            joined = member.decorators.get("JoinTable")
            target = self._target(self._relation(member))
            if joined is None or "ManyToMany" not in member.decorators or not target:
                continue
            stated, options = self._named_options(joined[0])
            other = self._target_name(target)
            name = as_text(stated) or snake(f"{table.name.name}_{member.name.replace('.', '_')}_{other.name}")
            source = lines_of(member.node)
            own_key = self._primary_key(table.alias) or [DEFAULT_KEY]
            other_key = self._primary_key(target) or [DEFAULT_KEY]
            left = self._join_side(options, "joinColumn", table.name, own_key)
            right = self._join_side(options, "inverseJoinColumn", other, other_key)
            columns = [
                Column(column, self._type_of(owner, referenced), nullable=False, source=source)
                for owner, side in ((table.alias, left), (target, right))
                for column, referenced in side
            ]
            keys = tuple(
                ForeignKey(
                    tuple(column for column, _ in side),
                    to,
                    self._referenced(owner, tuple(referenced for _, referenced in side)),
                    evidence=Evidence.MODEL,
                    source=source,
                    model=owner,
                )
                for owner, to, side in ((table.alias, table.name, left), (target, other, right))
            )
            yield Table(
                Name(name, schema=as_text(options.get("schema")) or table.name.schema),
                columns=tuple(columns),
                primary_key=tuple(column.name for column in columns),
                foreign_keys=keys,
                origins=(Origin.ORM,),
                sources=(source,),
            )

    def _join_side(
        self, options: Mapping[str, Literal], option: str, table: Name, keys: Sequence[str]
    ) -> list[tuple[str, str]]:
        """Return the columns of one side of a table between two, with those that they refer to."""
        stated = options.get(option, options.get(f"{option}s"))
        entries = stated if isinstance(stated, tuple) else (stated,) if stated is not None else ()
        found = []
        for position, key in enumerate(keys):
            entry = mapping(entries[position]) if position < len(entries) else {}
            referenced = as_text(entry.get("referencedColumnName")) or key
            found.append((as_text(entry.get("name")) or camel(f"{table.name}_{referenced}"), referenced))
        return found

    def _relation(self, member: Property) -> Decorator:
        return next(member.decorators[name][0] for name in RELATIONS if name in member.decorators)

    def _target(self, relation: Decorator) -> str:
        """Return the class that a relation leads to, "" where it is computed."""
        value = self._code.value(relation.arguments[0]) if relation.arguments else COMPUTED
        if isinstance(value, Reference):
            return value.name.rpartition(".")[2]
        return value if isinstance(value, str) else value.text if isinstance(value, Raw) else ""

    def _options(self, decorator: Decorator) -> Mapping[str, Literal]:
        values = (self._code.value(node) for node in decorator.arguments)
        return next((value for value in values if isinstance(value, dict)), {})

    def _class_unique(self, one: Class, fields: Fields) -> Iterator[tuple[str, ...]]:
        """Yield the keys of @Unique and @Index({ unique: true }) above a class."""
        for decorator in (*one.decorators.get("Unique", ()), *one.decorators.get("Index", ())):
            options = self._options(decorator)
            if decorator.name == "Index" and (options.get("unique") is not True or "where" in options):
                continue
            for node in decorator.arguments:
                properties = self._properties_in(node)
                if properties:
                    yield tuple(fields.named.get(name, name) for name in properties)

    def _properties_in(self, node: Node) -> tuple[str, ...]:
        """Return properties in an array of names, or in a function that returns them."""
        value = self._code.value(node)
        if not isinstance(value, tuple):
            return ()
        names = tuple(
            reference.name.rpartition(".")[2] if isinstance(reference, Reference) else as_text(reference)
            for reference in value
        )
        return names if all(names) else ()

    def _checks(self, one: Class) -> Iterator[str]:
        for decorator in one.decorators.get("Check", ()):
            found = texts(tuple(self._code.value(node) for node in decorator.arguments))
            if found:
                yield found[-1]

    def _lose(self, node: Node, reason: str) -> None:
        self.unparsed.append(unparsed_at(node, reason))


def _classes(root: Node) -> Iterator[Class]:
    waiting = [*reversed(root.named_children)]
    while waiting:
        node = waiting.pop()
        if node.type in {"class_declaration", "abstract_class_declaration"}:
            parent = node.parent
            outer = parent if parent is not None and parent.type == "export_statement" else node
            heritage = next(iter(named(node, "class_heritage")), None)
            extends = next(iter(named(heritage, "extends_clause")), None)
            base = text_of(extends.child_by_field_name("value")) if extends is not None else ""
            decorators = _decorators([*node.children, *(outer.children if outer is not node else ())])
            members = named(node.child_by_field_name("body"))
            yield Class(text_of(node.child_by_field_name("name")), node, outer, decorators, base, members)
        elif node.type in {"export_statement", "internal_module", "expression_statement", "statement_block", "module"}:
            waiting += reversed(node.named_children)


def _properties(one: Class) -> Iterator[Property]:
    for node in one.members:
        if node.type == "public_field_definition" and (decorators := _decorators(node.children)):
            name = node.child_by_field_name("name")
            annotation = node.child_by_field_name("type")
            yield Property(text_of(name).strip("'\""), _annotated(annotation), node, decorators)


def _decorators(nodes: Sequence[Node]) -> dict[str, list[Decorator]]:
    found: dict[str, list[Decorator]] = {}
    for node in nodes:
        if node.type != "decorator":
            continue
        [called] = named(node)[:1] or [node]
        arguments = named(called.child_by_field_name("arguments")) if called.type == "call_expression" else []
        function = called.child_by_field_name("function") if called.type == "call_expression" else called
        name = text_of(function).rpartition(".")[2]
        found.setdefault(name, []).append(Decorator(name, arguments))
    return found


def _annotated(annotation: Node | None) -> str:
    """Return a type without null and without what only wraps it."""
    parts = [part.strip() for part in text_of(annotation).removeprefix(":").split("|")]
    rest = [part for part in parts if part not in NULL_TYPES]
    if len(rest) != 1:
        return ""
    match = AROUND.match(rest[0])
    return match[1] if match else rest[0]


def _comment(member: Property) -> str:
    return comment_above(member.node) or comment_behind(member.node)


def _is_key(member: Property) -> bool:
    return any(name.startswith("Primary") for name in member.decorators)


def _kind(options: Mapping[str, Literal]) -> ObjectKind:
    return ObjectKind.MATERIALIZED_VIEW if options.get("materialized") is True else ObjectKind.VIEW


def _bare_type(
    member: Property, decorator: Decorator, values: Sequence[Literal], options: Mapping[str, Literal]
) -> str:
    """Return the type of a column as it is stated, else by its decorator and the type of its property."""
    first = values[0] if values else None
    is_generated = decorator.name == "PrimaryGeneratedColumn"
    stated = options.get("type", first if not is_generated and not isinstance(first, dict) else None)
    if isinstance(stated, Reference):
        return TYPES.get(stated.name, "")
    if isinstance(stated, Raw):
        return ""
    if is_generated:
        usual = "uuid" if first == "uuid" else TYPES.get(member.type, "integer")
        kind = as_text(stated) or usual
        return "integer" if kind == "varchar" and first != "uuid" else kind
    if decorator.name in DATES:
        return as_text(stated) or "timestamp"
    if decorator.name == "VersionColumn":
        return as_text(stated) or "integer"
    return as_text(stated) or TYPES.get(member.type.removesuffix("[]"), "")
