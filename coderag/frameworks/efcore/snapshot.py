"""Entity Framework's model snapshot to tables: the file that states the whole schema beside its migrations.

https://learn.microsoft.com/en-us/ef/core/managing-schemas/migrations/
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from tree_sitter import Node

from coderag.frameworks.common.fields import with_fields
from coderag.frameworks.common.origins import lines_of
from coderag.sql.records import Column, CreateTable, Facts, ForeignKey, Name, Origin, Relation, Series, Source, Table
from coderag.syntax.trees.string_literals import string_value
from coderag.syntax.trees.tree import argument_nodes, descendants, named, parse, text_of

__all__ = ["read"]

COMPUTED = ("HasComputedColumnSql", "HasDefaultValueSql", "HasComment")
NULLABLE_TYPES = frozenset({"string", "byte[]", "object", "JsonDocument", "IPAddress", "Uri", "Version"})
STRINGS = ("string_literal", "verbatim_string_literal", "raw_string_literal")
MAX_DEPTH = 4  # of owned entities in each other


class Link(NamedTuple):
    """A call in a chain: `HasColumnName("id")` of `b.Property<int>("Id").HasColumnName("id")`."""

    name: str
    types: tuple[str, ...]  # between < and >
    arguments: Sequence[Node]

    def texts(self) -> tuple[str, ...]:
        """Return the arguments that are strings; those in an array count too, those in a function do not."""
        inner = [_inner(argument) for argument in self.arguments]
        nodes = [
            text
            for node in inner
            if node.type != "lambda_expression"
            for text in ([node] if "string" in node.type else descendants(node, *STRINGS))
        ]
        return tuple(text for node in nodes if (text := string_value(node)) is not None)


@dataclass(slots=True)
class Entity:
    """What the statements on an entity have said so far."""

    table: Name
    source: Source
    mapped: bool = True  # to a table, and not to a view, a query or a column
    stated: bool = False  # the snapshot names the table
    json: str | None = None  # the column that holds all of it
    base: str = ""  # the class whose table it shares
    owner: str = ""  # the class that it is a part of
    columns: dict[str, Column] = field(default_factory=dict)  # by property
    key: tuple[str, ...] = ()
    unique: list[tuple[str, ...]] = field(default_factory=list)
    keys: list[tuple[str, tuple[str, ...], tuple[str, ...], str, Source]] = field(default_factory=list)


def read(data: bytes, *, language: str, path: str) -> Facts | None:
    """Return the tables of a model snapshot, None for any other file."""
    root = parse(data, language)
    snapshots = [descendant for descendant in descendants(root, "class_declaration") if _is_snapshot(descendant)]
    if not snapshots:
        return None
    entities: dict[str, Entity] = {}
    for snapshot in snapshots:
        _read_model(snapshot, entities)
    tables = tuple(_tables(entities))
    series = Series("efcore", name=path.rpartition("/")[2].partition(".")[0], snapshot=True)
    return Facts(statements=len(tables), series=series, operations=tuple(map(CreateTable, tables)))


def _is_snapshot(one: Node) -> bool:
    return any(text_of(base).endswith("ModelSnapshot") for holder in named(one, "base_list") for base in named(holder))


def _read_model(snapshot: Node, entities: dict[str, Entity]) -> None:
    """Read the statements of BuildModel; an entity has one for its columns and one for its keys."""
    schema = ""
    for statement in descendants(snapshot, "expression_statement", into=False):
        links = _chain(named(statement)[0] if named(statement) else statement)
        for link in links:
            if link.name == "HasDefaultSchema":
                schema = next(iter(link.texts()), "")
            elif link.name == "Entity" and len(link.arguments) > 1 and (texts := link.texts()[:1]):
                _read_entity(texts[0], link.arguments[-1], entities, schema)


def _read_entity(name: str, function: Node, entities: dict[str, Entity], schema: str, depth: int = 0) -> None:
    """Add what the function of an entity states to the entity of its name, and the entities that it owns.

    `b.Property<int>("Id")` -> a column Id; `b.ToTable("orders", "shop")` -> its table is shop.orders
    """
    made = Entity(Name(name.rpartition(".")[2], schema=schema), lines_of(function))
    entity = entities.setdefault(name, made)
    for links in _statements(function):
        first = links[0]
        texts = first.texts()
        match first.name:
            case "Property" if texts:
                entity.columns[texts[0]] = _column(texts[0], links)
            case "HasKey":
                entity.key = texts
            case "HasIndex" if any(link.name == "IsUnique" for link in links):
                entity.unique.append(texts)
            case "HasAlternateKey":
                entity.unique.append(texts)
            case "HasBaseType" if texts:
                entity.base = texts[0]
            case "ToTable" if texts:
                entity.table = Name(texts[0], schema=texts[1] if len(texts) > 1 else schema)
                entity.stated = True
            case "ToJson":
                entity.json, entity.mapped = next(iter(texts), ""), False
            case "ToTable" | "ToView" | "ToSqlQuery" | "ToFunction":
                entity.mapped = False
            case "HasOne" if texts:
                _add_key(name, entity, links)
            case "OwnsOne" | "OwnsMany" if texts and depth < MAX_DEPTH:
                owned = f"{name}.{texts[-1]}#{texts[0]}"
                _read_entity(owned, first.arguments[-1], entities, schema, depth + 1)
                entities[owned].owner = name
                if (json := entities[owned].json) is not None:
                    entity.columns[texts[-1]] = Column(json or texts[-1], "json", source=entities[owned].source)
            case "WithOwner":
                columns = next((link.texts() for link in links if link.name == "HasForeignKey"), ())
                entity.keys.append((name.rpartition(".")[0], columns, (), "", entity.source))


def _add_key(name: str, entity: Entity, links: Sequence[Link]) -> None:
    """Add the key of `b.HasOne("Shop.User", "User").WithMany("Orders").HasForeignKey("UserId")`."""
    target = links[0].texts()
    columns = next((link.texts() for link in links if link.name == "HasForeignKey"), ())
    referenced = next((link.texts() for link in links if link.name == "HasPrincipalKey"), ())
    if any(link.name == "WithOne" for link in links):  # of a pair, the class that has the key comes first
        columns = columns[1:] if columns and columns[0] in {name, name.rpartition(".")[2]} else columns
        referenced = referenced[1:] if referenced and referenced[0] in {target[0]} else referenced
    navigation = target[1] if len(target) > 1 else ""
    if columns:
        entity.keys.append((target[0], columns, referenced, navigation, entity.source))


def _column(name: str, links: Sequence[Link]) -> Column:
    said = {link.name: link.texts() for link in links[1:]}
    calls = {link.name: link for link in links}
    kind = links[0].types[0] if links[0].types else ""
    may_be_null = kind.endswith("?") or kind in NULLABLE_TYPES
    computed, default, comment = (next(iter(said.get(one, ())), "") for one in COMPUTED)
    if not default and "HasDefaultValue" in calls and calls["HasDefaultValue"].arguments:
        default = text_of(calls["HasDefaultValue"].arguments[0])
    return Column(
        next(iter(said.get("HasColumnName", ())), name),
        next(iter(said.get("HasColumnType", ())), kind.rstrip("?")),
        nullable=may_be_null and "IsRequired" not in said,
        default=default,
        comment=comment,
        generated=computed,
        source=lines_of(links[0].arguments[0]),
    )


def _tables(entities: dict[str, Entity]) -> Iterator[Table]:
    """Yield the tables; what inherits from an entity, or is owned by one in its table, adds columns to it.

    Entity Shop.User in table users -> users; Admin with the base type User -> no table, its columns are added to users
    """
    homes = {name: _home(name, entities) for name in entities}
    for name, entity in entities.items():
        if homes[name] != name or not entity.mapped:
            continue
        parts = [one for other, one in entities.items() if homes[other] == name]
        root = entities.get(entity.base, entity)
        columns = _columns(entity, root, parts)
        if not columns:
            continue
        yield Table(
            entity.table,
            columns=with_fields(columns),
            primary_key=_named(entity, entity.key) or _named(root, root.key),
            unique=tuple(_named(part, unique) for part in parts for unique in part.unique),
            foreign_keys=tuple(key for part in parts for key in _foreign_keys(part, entities, homes)),
            alias=name.partition("#")[0].rpartition(".")[2],
            relations=tuple(relation for part in parts for relation in _relations(part)),
            origins=(Origin.ORM,),
            sources=(entity.source,),
        )


def _columns(entity: Entity, root: Entity, parts: Sequence[Entity]) -> dict[str, Column]:
    """Return the columns of a table by property: of its entity, and of those that are kept in it, `parts`."""
    # A subclass with a table of its own repeats the key.
    columns = {one: root.columns[one] for one in root.key if root is not entity and one in root.columns}
    for number, part in enumerate(parts):
        for key, column in part.columns.items():
            is_owners_key = bool(part.owner) and key in part.key
            if is_owners_key or any(column.name == known.name for known in columns.values()):
                continue
            unique = key if key not in columns else f"{key}#{number}"
            columns[unique] = column if not number or part.owner else _optional(column)
    return columns


def _relations(entity: Entity) -> Iterator[Relation]:
    for target, columns, _, navigation, _ in entity.keys:
        if navigation:
            yield Relation(navigation, target.rpartition(".")[2], columns=_named(entity, columns))


def _home(name: str, entities: dict[str, Entity]) -> str:
    """Return the entity in whose table another one is kept."""
    entity = entities[name]
    seen = {name}
    while True:
        above = entity.base or entity.owner
        other = entities.get(above)
        if other is None or above in seen or not entity.mapped or (entity.stated and entity.table != other.table):
            return name
        name, entity = above, other
        seen.add(name)


def _optional(column: Column) -> Column:
    """Return a column that only the rows of a subclass have."""
    return Column(column.name, column.type, default=column.default, comment=column.comment, source=column.source)


def _foreign_keys(entity: Entity, entities: dict[str, Entity], homes: dict[str, str]) -> Iterator[ForeignKey]:
    for target, columns, referenced, _, source in entity.keys:
        other = entities.get(homes.get(target, ""))
        if other is None or not columns or (other.table == entity.table and columns == entity.key):
            continue  # an owned entity in its owner's row
        yield ForeignKey(_named(entity, columns), other.table, _named(other, referenced or other.key), source=source)


def _named(entity: Entity, properties: Sequence[str]) -> tuple[str, ...]:
    return tuple(entity.columns[one].name if one in entity.columns else one for one in properties)


def _statements(function: Node) -> Iterator[list[Link]]:
    """Yield the chains of a lambda's statements, without those of the functions in it."""
    for statement in descendants(function, "expression_statement", into=False):
        inner = named(statement)
        if inner and (links := _chain(inner[0])):
            yield links


def _chain(node: Node) -> list[Link]:
    """Return the calls of a chain, the innermost first."""
    links: list[Link] = []
    while node.type == "invocation_expression":
        function = node.child_by_field_name("function")
        if function is None or function.type != "member_access_expression":
            break
        name = function.child_by_field_name("name")
        types = [child for holder in named(name, "type_argument_list") for child in named(holder)] if name else []
        called = text_of(named(name)[0]) if name is not None and types else text_of(name)
        links.append(Link(called, tuple(map(text_of, types)), argument_nodes(node)))
        receiver = function.child_by_field_name("expression")
        if receiver is None:
            break
        node = receiver
    return links[::-1]


def _inner(argument: Node) -> Node:
    """Return the value of an argument."""
    return named(argument)[-1] if argument.type == "argument" and named(argument) else argument
