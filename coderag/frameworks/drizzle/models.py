"""Drizzle's tables to tables: `pgTable("users", { id: serial().primaryKey() })`, its enums, schemas and relations.

https://orm.drizzle.team/docs/sql-schema-declaration
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from tree_sitter import Node

from coderag.frameworks.common.fields import with_fields
from coderag.frameworks.common.origins import COMPUTED_REASON, lines_of, unparsed_at
from coderag.sql.records import (
    Column,
    CreateTable,
    CreateType,
    Evidence,
    Facts,
    ForeignKey,
    Name,
    ObjectKind,
    Origin,
    Relation,
    SchemaOperation,
    Table,
    TypeDefinition,
    Unparsed,
)
from coderag.syntax.languages.javascript import Code, Link, function_body, function_parameters, unwrapped
from coderag.syntax.trees.comments import comment_above, comment_of
from coderag.syntax.trees.literals import COMPUTED, Literal, Raw, Reference, as_text, default_of, mapping, texts
from coderag.syntax.trees.string_literals import string_value
from coderag.syntax.trees.tree import descendants, named, text_of

__all__ = ["read"]

DIALECTS = {"pg": "postgres", "mysql": "mysql", "sqlite": "sqlite", "singlestore": "mysql"}
DECLARATION = re.compile(
    r"(?P<dialect>pg|mysql|sqlite|singlestore)(?P<kind>TableCreator|Table|View|MaterializedView|Schema|Enum)$"
)
# What a builder is called where the type has another name.
TYPES = {
    "doublePrecision": "double precision",
    "mysqlEnum": "enum",
    "singlestoreEnum": "enum",
    "customType": "",
}
COUNTING = frozenset({"serial", "bigserial", "smallserial"})
IDENTITY = frozenset({"generatedAlwaysAsIdentity", "generatedByDefaultAsIdentity", "autoincrement"})
TIMESTAMP_ZONE = "with time zone"
MAX_DEPTH = 6  # of constants that stand for columns


class Declared(NamedTuple):
    """A table of the file, before its keys are resolved."""

    variable: str
    name: Name
    kind: ObjectKind
    links: Sequence[Link]
    statement: Node
    fields: Mapping[str, Sequence[Link]]  # property -> how its column is built
    columns: Mapping[str, Column]


def read(data: bytes, *, language: str, path: str) -> Facts | None:  # noqa: ARG001 - as every framework is asked
    """Return the tables and enums that a file declares with Drizzle, None where there are none."""
    reading = _Reading(Code(data, language))
    operations = reading.operations()
    if not operations and not reading.unparsed:
        return None
    return Facts(
        dialect=reading.dialect,
        guess=f"declared with {reading.sign}" if reading.sign else "",
        statements=len(operations) + len(reading.unparsed),
        unparsed=tuple(reading.unparsed),
        operations=tuple(operations),
    )


class _Reading:
    """A file, and what its constants declare."""

    def __init__(self, code: Code) -> None:
        self.unparsed: list[Unparsed] = []
        self.dialect = ""
        self.sign = ""
        self._code = code
        self._calls: dict[str, tuple[list[Link], Node]] = {}
        self._schemas: dict[str, str] = {}
        self._enums: dict[str, TypeDefinition] = {}
        self._makers: dict[str, Node] = {}  # functions that put something around the name of a table

    def operations(self) -> list[SchemaOperation]:
        """Return the enums, then the tables."""
        for variable, links, statement in self._declarations():
            self._classify(variable, links, statement)
        declared = {}
        for variable, (links, statement) in self._calls.items():
            if (table := self._declared(variable, links, statement)) is not None:
                declared[variable] = table
        relations = self._relations(declared)
        return [
            *(CreateType(enum) for enum in self._enums.values()),
            *(CreateTable(self._table(one, declared, relations.get(one.variable, ()))) for one in declared.values()),
        ]

    def _declarations(self) -> Iterator[tuple[str, list[Link], Node]]:
        for node in descendants(self._code.root, "variable_declarator", into=False):
            value = node.child_by_field_name("value")
            links = self._code.chain(value) if value is not None else []
            if links:
                statement = node.parent or node
                outer = statement.parent
                exported = outer is not None and outer.type == "export_statement"
                yield text_of(node.child_by_field_name("name")), links, outer if exported and outer else statement

    def _classify(self, variable: str, links: list[Link], statement: Node) -> None:
        first = links[0]
        owner, _, method = first.name.rpartition(".")
        match = DECLARATION.match(first.name)
        if match is not None:
            self.dialect = self.dialect or DIALECTS[match["dialect"]]
            self.sign = self.sign or first.name
        kind = match["kind"] if match is not None else ""
        if kind == "Schema":
            self._schemas[variable] = self._text(first, 0)
        elif kind == "TableCreator" and first.arguments:
            self._makers[variable] = unwrapped(first.arguments[0])
        elif kind == "Enum" or (owner in self._schemas and method == "enum"):
            self._add_enum(variable, first, statement, self._schemas.get(owner, ""))
        elif kind or first.name in self._makers or (owner in self._schemas and method in TABLE_METHODS):
            self._calls[variable] = (links, statement)

    def _add_enum(self, variable: str, first: Link, statement: Node, schema: str) -> None:
        name = self._text(first, 0)
        values = self._code.value(first.arguments[1]) if len(first.arguments) > 1 else COMPUTED
        if isinstance(values, Reference):
            values = tuple(self._code.enums.get(values.name, {}).values()) or COMPUTED
        words = texts(tuple(values.values()) if isinstance(values, dict) else values)
        if not name:
            return
        if words is None:
            self.unparsed.append(unparsed_at(statement, COMPUTED_REASON))
        self._enums[variable] = TypeDefinition(
            Name(name, schema=schema),
            kind=ObjectKind.ENUM,
            values=words or (),
            comment=comment_above(statement),
            source=lines_of(statement),
        )

    def _declared(self, variable: str, links: list[Link], statement: Node) -> Declared | None:
        first = links[0]
        owner, _, method = first.name.rpartition(".")
        name = self._made_name(first)
        if not name:
            self.unparsed.append(unparsed_at(statement, COMPUTED_REASON))
            return None
        match = DECLARATION.match(first.name)
        kind = TABLE_METHODS.get(method) or KINDS.get(match["kind"] if match else "", ObjectKind.TABLE)
        fields = dict(self._fields(first.arguments[1], statement, 0)) if len(first.arguments) > 1 else {}
        columns = {key: self._column(key, chain, node) for key, (chain, node) in fields.items()}
        chains = {key: chain for key, (chain, _) in fields.items()}
        return Declared(
            variable, Name(name, schema=self._schemas.get(owner, "")), kind, links, statement, chains, columns
        )

    def _made_name(self, first: Link) -> str:
        """Return the name of a table, with what its creator puts around it."""
        name = self._text(first, 0)
        maker = self._makers.get(first.name)
        if maker is None or not name:
            return name
        body = function_body(maker)
        if len(body) == 1 and body[0].type == "return_statement":
            body = named(body[0])
        [parameter] = function_parameters(maker)[:1] or [""]
        if len(body) != 1 or body[0].type != "template_string":
            return ""
        parts = []
        for child in body[0].named_children:
            if child.type == "template_substitution":
                inner = text_of(child)[2:-1].strip()
                value = name if inner == parameter else as_text(self._code.value(named(child)[0]))
                if not value:
                    return ""
                parts.append(value)
            else:
                parts.append(text_of(child))
        return "".join(parts)

    def _text(self, link: Link, position: int) -> str:
        value = self._code.value(link.arguments[position]) if position < len(link.arguments) else None
        return value if isinstance(value, str) else ""

    def _fields(self, node: Node, statement: Node, depth: int) -> Iterator[tuple[str, tuple[list[Link], Node]]]:
        """Yield the properties of an object of columns, also of those that are spread into it."""
        node = unwrapped(node)
        if node.type in {"arrow_function", "function_expression"}:  # (t) => ({ ... })
            body = function_body(node)
            node = unwrapped(body[0]) if body else node
        if node.type == "identifier" and text_of(node) in self._code.constants:
            node = self._code.constants[text_of(node)]
        if node.type != "object" or depth > MAX_DEPTH:
            self.unparsed.append(unparsed_at(statement, "its columns are in another file"))
            return
        for child in named(node):
            if child.type == "spread_element" and named(child):
                yield from self._fields(named(child)[0], child, depth + 1)
            elif child.type == "shorthand_property_identifier":
                yield text_of(child), (self._chain(child, 0), child)
            elif child.type == "pair":
                key = child.child_by_field_name("key")
                name = string_value(key) if key is not None and key.type == "string" else text_of(key)
                value = child.child_by_field_name("value")
                if name and value is not None:
                    yield name, (self._chain(value, 0), child)

    def _chain(self, node: Node, depth: int) -> list[Link]:
        """Return how a column is built; constants and functions of the file are looked into."""
        node = unwrapped(node)
        if node.type in {"identifier", "shorthand_property_identifier"} and depth < MAX_DEPTH:
            constant = self._code.constants.get(text_of(node))
            return self._chain(constant, depth + 1) if constant is not None else []
        links = self._code.chain(node)
        maker = self._code.constants.get(links[0].name) if links else None
        if maker is not None and maker.type == "arrow_function" and depth < MAX_DEPTH:
            body = function_body(maker)
            if len(body) == 1:
                return [*self._chain(body[0], depth + 1), *links[1:]]
        return links

    def _column(self, key: str, links: Sequence[Link], node: Node) -> Column:
        if not links:
            return Column(key, comment=comment_of(node), source=lines_of(node))
        first = links[0]
        values = [self._code.value(argument) for argument in first.arguments]
        name = values[0] if values and isinstance(values[0], str) else key
        options = next((value for value in values if isinstance(value, dict)), {})
        listed = next((value for value in values if isinstance(value, tuple)), options.get("enum"))
        enum = self._enums.get(first.name)
        called = {link.name: link for link in links[1:]}
        builder = first.name.rpartition(".")[2]
        primary = called.get("primaryKey")
        primary_options = mapping(self._code.value(primary.arguments[0])) if primary and primary.arguments else {}
        generated = (
            self._code.value(next(iter(called["generatedAlwaysAs"].arguments), None))
            if ("generatedAlwaysAs" in called)
            else None
        )
        return Column(
            name=name,
            type=(enum.name.name if enum is not None else self._type(builder, options)) + "[]" * ("array" in called),
            nullable=not ({"notNull", "primaryKey"} & called.keys()) and builder not in COUNTING,
            default=self._default(called),
            comment=comment_of(node),
            values=enum.values if enum is not None else texts(listed) or () if listed is not None else (),
            generated=generated.text if isinstance(generated, Raw) else as_text(generated),
            identity=builder in COUNTING
            or not IDENTITY.isdisjoint(called)
            or primary_options.get("autoIncrement") is True,
            source=lines_of(node),
        )

    def _type(self, builder: str, options: Mapping[str, Literal]) -> str:
        kind = TYPES.get(builder, builder)
        sizes = [as_text(options.get(one)) for one in ("length", "dimensions", "precision", "scale", "fsp")]
        size = ", ".join(one for one in sizes if one)
        kind += f"({size})" if size else ""
        kind += " unsigned" if options.get("unsigned") is True else ""
        return f"{kind} {TIMESTAMP_ZONE}" if options.get("withTimezone") is True else kind

    def _default(self, called: Mapping[str, Link]) -> str:
        if "defaultNow" in called:
            return "now()"
        if "defaultRandom" in called:
            return "gen_random_uuid()"
        link = called.get("default")
        return default_of(self._code.value(link.arguments[0])) or "" if link and link.arguments else ""

    def _table(self, one: Declared, declared: Mapping[str, Declared], relations: Sequence[ForeignKey]) -> Table:
        extra = list(self._extra(one))
        keys = [*self._column_keys(one, declared), *self._extra_keys(one, extra, declared)]
        known = {key.columns for key in keys}
        names = {key: column.name for key, column in one.columns.items()}
        single = tuple(names[key] for key, links in one.fields.items() if _has(links, "primaryKey"))
        unique: list[tuple[str, ...]] = [(names[key],) for key, links in one.fields.items() if _has(links, "unique")]
        unique += self._extra_unique(one, extra)
        stated = [links[0] for links in extra if links[0].name == "primaryKey"]
        primary = self._columns_in(stated[-1].arguments, one) if stated else ()
        return Table(
            one.name,
            kind=one.kind,
            columns=with_fields(one.columns),
            primary_key=primary or single,
            unique=tuple(dict.fromkeys(unique)),
            foreign_keys=(*keys, *(key for key in relations if key.columns not in known)),
            checks=tuple(self._checks(extra)),
            comment=comment_above(one.statement),
            query=self._query(one),
            alias=one.variable,
            relations=self._fields_to(one),
            origins=(Origin.ORM,),
            sources=(lines_of(one.statement),),
        )

    def _extra_unique(self, one: Declared, extra: Sequence[Sequence[Link]]) -> Iterator[tuple[str, ...]]:
        """Yield the columns of `unique().on(...)` and `uniqueIndex().on(...)`; an index with a condition is no key."""
        for links in extra:
            if links[0].name not in {"unique", "uniqueIndex"} or _has(links, "where"):
                continue
            on = next((link for link in links if link.name == "on"), None)
            if on is not None and (columns := self._columns_in(on.arguments, one)):
                yield columns

    def _checks(self, extra: Sequence[Sequence[Link]]) -> Iterator[str]:
        """Yield the conditions of `check("name", sql`...`)`."""
        for links in extra:
            if links[0].name == "check" and len(links[0].arguments) > 1:
                text = self._code.value(links[0].arguments[1])
                if isinstance(text, Raw):
                    yield text.text

    def _query(self, one: Declared) -> str:
        given = next((link for link in one.links if link.name == "as" and link.arguments), None)
        value = self._code.value(given.arguments[0]) if given is not None else None
        return value.text.strip() if isinstance(value, Raw) else ""

    def _extra(self, one: Declared) -> Iterator[list[Link]]:
        """Yield what a table's third argument gives: an array, in older versions an object."""
        arguments = one.links[0].arguments
        body = function_body(arguments[2]) if len(arguments) > 2 else []
        body = named(body[0]) if len(body) == 1 and body[0].type == "return_statement" else body
        for node in body[:1]:
            inner = unwrapped(node)
            for entry in named(inner):
                value = entry.child_by_field_name("value") if entry.type == "pair" else entry
                if value is not None and (links := self._code.chain(value)):
                    yield links

    def _column_keys(self, one: Declared, declared: Mapping[str, Declared]) -> Iterator[ForeignKey]:
        for key, links in one.fields.items():
            for link in links:
                target = self._code.value(link.arguments[0]) if link.name == "references" and link.arguments else None
                if isinstance(target, Reference) and "." in target.name:
                    yield self._key((one.columns[key].name,), [target.name], declared, link.node)

    def _extra_keys(
        self, one: Declared, extra: Sequence[Sequence[Link]], declared: Mapping[str, Declared]
    ) -> Iterator[ForeignKey]:
        for links in extra:
            if links[0].name != "foreignKey" or not links[0].arguments:
                continue
            options = mapping(self._code.value(links[0].arguments[0]))
            columns = self._columns_of(options.get("columns"), one)
            targets = options.get("foreignColumns")
            referenced = [to.name for to in targets if isinstance(to, Reference)] if isinstance(targets, tuple) else []
            if columns and len(referenced) == len(columns):
                yield self._key(columns, referenced, declared, links[0].node, as_text(options.get("name")))

    def _fields_to(self, one: Declared) -> tuple[Relation, ...]:
        """Return the fields that `relations(users, ({ many }) => ({ posts: many(posts) }))` states."""
        return tuple(self._stated_relations.get(one.variable, ()))

    @cached_property
    def _stated_relations(self) -> dict[str, list[Relation]]:
        found: dict[str, list[Relation]] = {}
        for node in (
            descendants(self._code.root, "call_expression") if b"relations(" in (self._code.root.text or b"") else ()
        ):
            links = self._code.chain(node)
            if not links or links[0].name != "relations" or len(links[0].arguments) < 2:
                continue
            for pair in descendants(links[0].arguments[1], "pair", into=False):
                value = pair.child_by_field_name("value")
                call = self._code.chain(value) if value is not None else []
                if call and call[0].name.rpartition(".")[2] in {"one", "many"} and call[0].arguments:
                    name, target = text_of(pair.child_by_field_name("key")), text_of(call[0].arguments[0])
                    found.setdefault(text_of(links[0].arguments[0]), []).append(Relation(name, target))
        return found

    def _relations(self, declared: Mapping[str, Declared]) -> dict[str, list[ForeignKey]]:
        """Return the keys that `relations(users, ({ one }) => ({ team: one(teams, { fields, ... }) }))` states."""
        found: dict[str, list[ForeignKey]] = {}
        for node in descendants(self._code.root, "call_expression"):
            links = self._code.chain(node)
            if not links or links[0].name != "relations" or len(links[0].arguments) < 2:
                continue
            variable = text_of(links[0].arguments[0])
            one = declared.get(variable)
            for inner in descendants(links[0].arguments[1], "call_expression") if one is not None else ():
                call = self._code.chain(inner)
                if one is None or not call or call[0].name.rpartition(".")[2] != "one" or len(call[0].arguments) < 2:
                    continue
                options = mapping(self._code.value(call[0].arguments[1]))
                columns = self._columns_of(options.get("fields"), one)
                targets = options.get("references")
                referenced = (
                    [to.name for to in targets if isinstance(to, Reference)] if isinstance(targets, tuple) else []
                )
                if columns and len(columns) == len(referenced):
                    found.setdefault(variable, []).append(self._key(columns, referenced, declared, inner))
        return found

    def _key(
        self,
        columns: tuple[str, ...],
        targets: Sequence[str],
        declared: Mapping[str, Declared],
        node: Node,
        name: str = "",
    ) -> ForeignKey:
        """Return a key to columns that are written `users.id`."""
        variable = targets[0].rpartition(".")[0]
        other = declared.get(variable)
        properties = [target.rpartition(".")[2] for target in targets]
        known = other.columns if other is not None else {}
        return ForeignKey(
            columns=columns,
            table=other.name if other is not None else Name(variable),
            referenced=tuple(known[one].name if one in known else one for one in properties),
            name=name,
            evidence=Evidence.MODEL,
            source=lines_of(node),
            model=variable,
        )

    def _columns_in(self, arguments: Sequence[Node], one: Declared) -> tuple[str, ...]:
        """Return the columns in the arguments of a key: `{ columns: [t.a, t.b] }` or `t.a, t.b`."""
        values = tuple(self._code.value(node) for node in arguments)
        options = mapping(values[0]) if values else {}
        return self._columns_of(options.get("columns", values), one)

    def _columns_of(self, values: Literal, one: Declared) -> tuple[str, ...]:
        if not isinstance(values, tuple):
            return ()
        properties = [value.name.rpartition(".")[2] for value in values if isinstance(value, Reference)]
        if len(properties) != len(values) or not all(name in one.columns for name in properties):
            return ()
        return tuple(one.columns[name].name for name in properties)


TABLE_METHODS = {
    "table": ObjectKind.TABLE,
    "view": ObjectKind.VIEW,
    "materializedView": ObjectKind.MATERIALIZED_VIEW,
}
KINDS = {"View": ObjectKind.VIEW, "MaterializedView": ObjectKind.MATERIALIZED_VIEW}


def _has(links: Sequence[Link], name: str) -> bool:
    return any(link.name == name for link in links[1:])
