"""Sequelize's models to tables: `sequelize.define`, `Model.init` and the classes of sequelize-typescript.

What a file does not say itself is left out: options that hold for all models may be set where the connection is made,
so `createdAt` and `updatedAt` are columns where the options of the model say so, and classes whose base another file
defines describe a table and do not create it. https://sequelize.org/docs/v6/core-concepts/model-basics/
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from msgspec.structs import replace
from tree_sitter import Node

from coderag.frameworks.common.origins import COMPUTED_NAME, COMPUTED_REASON, lines_of, unparsed_at
from coderag.frameworks.engine.objects import Attribute, attribute_of, entries_of, table_name
from coderag.frameworks.engine.vocabulary import Attributes, attributes
from coderag.sql.records import (
    Column,
    CreateTable,
    Describe,
    Facts,
    Name,
    Origin,
    Relation,
    SchemaOperation,
    Source,
    Table,
    Unparsed,
)
from coderag.syntax.languages.javascript import Code, Link
from coderag.syntax.trees.literals import Literal, as_text, mapping
from coderag.syntax.trees.tree import descendants, named, text_of
from coderag.text.inflection import plural, snake_case

__all__ = ["read"]

RELATIONS = frozenset({"belongsTo", "hasMany", "hasOne", "belongsToMany"})
DECORATED_RELATIONS = frozenset({"BelongsTo", "HasMany", "HasOne", "BelongsToMany"})
BELONGS = frozenset({"belongsTo", "BelongsTo"})
STAMPS = (("createdAt", "timestamps"), ("updatedAt", "timestamps"), ("deletedAt", "paranoid"))
STAMP_TYPE = "timestamptz"
KEY = "id"
TARGET = re.compile(r"(?:\(\s*\)\s*=>\s*)?(?:\w+\.)*(?P<model>[A-Za-z_]\w*)")
PLAIN_TYPES = {"string": "varchar(255)", "number": "integer", "boolean": "boolean", "Date": STAMP_TYPE}
MAX_MODELS = 2_000  # of a file


@dataclass(slots=True)
class _Model:
    """A model while its associations are still to be read."""

    name: str
    table: Name
    attributes: list[Attribute]
    options: Mapping[str, Literal]
    source: Source
    relations: list[Relation] = field(default_factory=list)


def read(data: bytes, *, language: str, path: str) -> Facts | None:  # noqa: ARG001 - as every framework is asked
    """Return the tables of a file's models, None where there are none."""
    reading = _Reading(Code(data, language), has_id=b"removeAttribute" not in data)
    operations = reading.operations()
    if not operations and not reading.unparsed:
        return None
    unparsed = tuple(reading.unparsed)
    return Facts(statements=len(operations) + len(unparsed), unparsed=unparsed, operations=tuple(operations))


class _Reading:
    """The models of a file."""

    def __init__(self, code: Code, *, has_id: bool) -> None:
        self.unparsed: list[Unparsed] = []
        self._code = code
        self._has_id = has_id
        self._words: Attributes = attributes("sequelize")
        self._models: dict[str, _Model] = {}  # by the names that stand for them in the file

    def operations(self) -> list[SchemaOperation]:
        """Return the tables of the models, then what the classes with decorators say."""
        for call in descendants(self._code.root, "call_expression"):
            if len(self._models) < MAX_MODELS:
                self._call(call)
        made = {id(model): model for model in self._models.values()}
        created: list[SchemaOperation] = [CreateTable(self._table(model)) for model in made.values()]
        return created + [operation for operation in self._decorated() if operation is not None]

    def _call(self, call: Node) -> None:
        links = self._code.chain(call)
        if not links:
            return
        owner, _, method = links[0].name.rpartition(".")
        if method == "define" and len(links[0].arguments) > 1:
            self._defined(call, links[0])
        elif method == "init" and len(links[0].arguments) > 1:
            self._initialised(call, links[0], owner)
        elif method in RELATIONS and links[0].arguments:
            model = self._models.get(owner) or self._models.get(_class_around(call) if owner == "this" else "")
            if model is not None:
                model.relations += _relation(links[0], self._code)

    def _defined(self, call: Node, link: Link) -> None:
        """Read sequelize.define("User", { ... }, { ... })."""
        name = self._code.value(link.arguments[0])
        if not isinstance(name, str) or not self._is_object(link.arguments[1]):
            return
        model = self._model(name, link)
        holder = call.parent.child_by_field_name("name") if call.parent is not None else None
        if model is not None:
            self._models[text_of(holder) or name] = model

    def _initialised(self, call: Node, link: Link, owner: str) -> None:
        """Read User.init({ ... }, { sequelize, ... })."""
        name = _class_around(call) if owner in {"super", "this", "Model"} else owner
        options = dict(entries_of(link.arguments[1], self._code))
        if not name or not self._is_object(link.arguments[0]) or not _is_connected(link, options):
            return
        stated = as_text(self._code.value(options.get("modelName")))
        model = self._model(stated or name, link, position=0)
        if model is not None:
            self._models[name] = model

    def _is_object(self, node: Node) -> bool:
        return next(entries_of(node, self._code), None) is not None

    def _model(self, name: str, link: Link, position: int = 1) -> _Model | None:
        """Return a model whose attributes are an argument, and its options the next one."""
        options = mapping(self._code.value(link.arguments[position + 1])) if len(link.arguments) > position + 1 else {}
        table = self._name(name, options)
        if table is None:
            self.unparsed.append(unparsed_at(link.node, COMPUTED_NAME))
            return None
        found: list[Attribute] = []
        for key, node in entries_of(link.arguments[position], self._code):
            attribute = attribute_of(key, node, code=self._code, words=self._words) if key else None
            if attribute is not None:
                found.append(_underscored(attribute) if options.get("underscored") is True else attribute)
            elif "VIRTUAL" not in text_of(node):
                self.unparsed.append(unparsed_at(node, COMPUTED_REASON))
        return _Model(name, table, found, options, lines_of(link.node)) if found else None

    def _name(self, name: str, options: Mapping[str, Literal]) -> Name | None:
        schema = as_text(options.get("schema"))
        if "tableName" in options:
            stated = table_name(options["tableName"])
            return replace(stated, schema=stated.schema or schema) if stated is not None else None
        if options.get("freezeTableName") is True:
            return Name(name, schema=schema)
        many = plural(name)
        return Name(snake_case(many) if options.get("underscored") is True else many, schema=schema)

    def _table(self, model: _Model) -> Table:
        found = model.attributes
        key = tuple(one.column.name for one in found if one.is_key)
        columns = [one.column for one in found]
        if not key and self._has_id and not any(column.name == KEY for column in columns):
            columns.insert(0, Column(KEY, "integer", nullable=False, identity=True, source=model.source))
            key = (KEY,)
        known = {column.name for column in columns}
        columns += [column for column in _stamps(model) if column.name not in known]
        groups: dict[str, list[str]] = {}
        for one in found:
            if one.unique:
                groups.setdefault(one.unique if isinstance(one.unique, str) else f"\0{one.column.name}", []).append(
                    one.column.name
                )
        return Table(
            model.table,
            columns=tuple(columns),
            primary_key=key,
            unique=tuple(map(tuple, groups.values())),
            foreign_keys=tuple(one.foreign_key for one in found if one.foreign_key is not None),
            alias=model.name,
            relations=tuple(dict.fromkeys(model.relations)),
            origins=(Origin.ORM,),
            sources=(model.source,),
        )

    # sequelize-typescript

    def _decorated(self) -> Iterator[SchemaOperation | None]:
        for one in descendants(self._code.root, "class_declaration", "abstract_class_declaration"):
            decorators = _decorators(one)
            if "Table" in decorators and one.type == "class_declaration":
                yield self._class(one, decorators["Table"])

    def _class(self, one: Node, decorator: Sequence[Node]) -> SchemaOperation | None:
        """Return what a class with @Table says; it has all columns where it is derived from Model itself."""
        name = text_of(one.child_by_field_name("name"))
        options = mapping(self._code.value(decorator[0])) if decorator else {}
        stated = as_text(self._code.value(decorator[0])) if decorator else ""
        table = self._name(as_text(options.get("modelName")) or name, options)
        table = Name(stated) if stated else table
        if table is None:
            self.unparsed.append(unparsed_at(one, COMPUTED_NAME))
            return None
        found: list[Attribute] = []
        relations: list[Relation] = []
        for member in named(one.child_by_field_name("body"), "public_field_definition"):
            decorators = _decorators(member)
            if (attribute := self._field(member, decorators)) is not None:
                found.append(_underscored(attribute) if options.get("underscored") is True else attribute)
            relations += _decorated_relation(member, decorators, self._code)
        model = _Model(name, table, found, options, lines_of(one), relations)
        heritage = text_of(next(iter(named(one, "class_heritage")), None))
        if found and re.match(r"extends\s+(?:\w+\.)?Model\b", heritage):
            return CreateTable(self._table(model))
        columns = tuple(attribute.column for attribute in found)
        described = Table(
            table,
            columns=columns,
            alias=name,
            relations=tuple(relations),
            origins=(Origin.ORM,),
            sources=(model.source,),
        )
        return Describe(described)

    def _field(self, member: Node, decorators: Mapping[str, Sequence[Node]]) -> Attribute | None:
        """Return the column of a field with @Column."""
        name = text_of(member.child_by_field_name("name"))
        stamped = not decorators.keys().isdisjoint({"CreatedAt", "UpdatedAt", "DeletedAt"})
        if "Column" not in decorators and not stamped:
            return None
        given = decorators.get("Column", ())
        attribute = attribute_of(name, given[0], code=self._code, words=self._words) if given else None
        if given and attribute is None:
            return None
        annotation = text_of(member.child_by_field_name("type")).removeprefix(":").partition("|")[0].strip()
        column = attribute.column if attribute is not None else Column(name, source=lines_of(member))
        kind = column.type or (STAMP_TYPE if stamped else PLAIN_TYPES.get(annotation, ""))
        is_key = "PrimaryKey" in decorators or (attribute is not None and attribute.is_key)
        allowed = decorators.get("AllowNull")
        is_nullable = column.nullable and not is_key and not (allowed and text_of(allowed[0]) == "false")
        whole = replace(
            column,
            type=kind,
            nullable=is_nullable,
            identity=column.identity or "AutoIncrement" in decorators,
            source=lines_of(member),
        )
        unique = "Unique" in decorators or (attribute.unique if attribute is not None else False)
        return Attribute(whole, is_key, unique, attribute.foreign_key if attribute is not None else None)


def _is_connected(link: Link, options: Mapping[str, Node]) -> bool:
    """Tell whether the options of init are those of a model."""
    return (
        "sequelize" in options
        or "modelName" in options
        or "tableName" in options
        or ("sequelize" in text_of(link.arguments[1]))
    )


def _underscored(attribute: Attribute) -> Attribute:
    column = attribute.column
    name = column.name if column.field else snake_case(column.name)
    key = attribute.foreign_key
    return attribute._replace(
        column=replace(column, name=name, field=column.field or (column.name if name != column.name else "")),
        foreign_key=replace(key, columns=(name,)) if key is not None else None,
    )


def _stamps(model: _Model) -> Iterator[Column]:
    """Yield the columns for times that the options of a model ask for."""
    options = model.options
    if options.get("timestamps") is not True and options.get("paranoid") is not True:
        return
    for name, option in STAMPS:
        stated = options.get(name)
        if stated is False or (option == "paranoid" and options.get(option) is not True):
            continue
        if option == "timestamps" and options.get(option) is False:
            continue
        plain = snake_case(name) if options.get("underscored") is True else name
        yield Column(as_text(stated) or plain, STAMP_TYPE, nullable=option == "paranoid", source=model.source)


def _relation(link: Link, code: Code) -> Iterator[Relation]:
    """Yield what X.belongsTo(models.Room, { foreignKey: "room_id", as: "room" }) says."""
    target = TARGET.fullmatch(text_of(link.arguments[0]))
    if target is None:
        return
    options = mapping(code.value(link.arguments[1])) if len(link.arguments) > 1 else {}
    stated = options.get("foreignKey")
    key = as_text(stated) or as_text(mapping(stated).get("name"))
    belongs = link.name.rpartition(".")[2] in BELONGS
    called = as_text(options.get("as")) or target["model"]
    yield Relation(called, target["model"], columns=(key,) if key and belongs else ())


def _decorated_relation(member: Node, decorators: Mapping[str, Sequence[Node]], code: Code) -> Iterator[Relation]:
    for name in sorted(DECORATED_RELATIONS.intersection(decorators)):
        given = decorators[name]
        target = TARGET.fullmatch(text_of(given[0])) if given else None
        if target is None:
            continue
        stated = code.value(given[1]) if len(given) > 1 else None
        key = as_text(stated) or as_text(mapping(stated).get("foreignKey"))
        called = text_of(member.child_by_field_name("name"))
        yield Relation(called, target["model"], columns=(key,) if key and name in BELONGS else ())


def _decorators(one: Node) -> dict[str, Sequence[Node]]:
    """Return the arguments of the decorators of a class or field, by their names."""
    nodes = named(one, "decorator")
    if one.parent is not None and one.parent.type == "export_statement":
        nodes += named(one.parent, "decorator")
    found: dict[str, Sequence[Node]] = {}
    for node in nodes:
        inner = named(node)[0] if named(node) else None
        if inner is None:
            continue
        is_call = inner.type == "call_expression"
        name = text_of(inner.child_by_field_name("function") if is_call else inner)
        found[name.rpartition(".")[2]] = named(inner.child_by_field_name("arguments")) if is_call else ()
    return found


def _class_around(node: Node) -> str:
    """Return the name of the class that a node stands in, "" for none."""
    one: Node | None = node
    while one is not None and one.type not in {"class_declaration", "class"}:
        one = one.parent
    return text_of(one.child_by_field_name("name")) if one is not None else ""
