"""Ecto schemas to the tables that they map.

https://hexdocs.pm/ecto/Ecto.Schema.html
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tree_sitter import Node

from coderag.frameworks.common.fields import with_fields
from coderag.frameworks.common.origins import COMPUTED_NAME, lines_of, unparsed_at
from coderag.frameworks.ecto.types import KEY_TYPE, type_of
from coderag.sql.records import (
    Column,
    CreateTable,
    Describe,
    Evidence,
    Facts,
    ForeignKey,
    Name,
    Origin,
    Relation,
    SchemaOperation,
    Source,
    Table,
    Unparsed,
)
from coderag.syntax.languages.elixir import Call, Code, body_of, module_name
from coderag.syntax.trees.comments import comment_above, comment_behind
from coderag.syntax.trees.literals import Literal, Number, Reference, as_text, mapping
from coderag.syntax.trees.tree import descendants, text_of
from coderag.text.comments import doc_summary
from coderag.text.inflection import plural, snake_case

__all__ = ["read"]

RELATIONS = frozenset(("belongs_to", "has_many", "has_one", "many_to_many"))
EMBEDS = {"embeds_one": "json", "embeds_many": "json"}
ENUM = Reference("Ecto.Enum")
TIMES = (("inserted_at", "inserted_at"), ("updated_at", "updated_at"))


def read(data: bytes, *, language: str, path: str) -> Facts | None:  # noqa: ARG001 - as every framework is asked
    """Return the tables that the schemas of a file map, None where there are none."""
    reading = _Reading(Code(data))
    operations = tuple(reading.operations())
    if not operations and not reading.unparsed:
        return None
    unparsed = tuple(reading.unparsed)
    return Facts(statements=len(operations) + len(unparsed), unparsed=unparsed, operations=operations)


class _Reading:
    """The modules of a file."""

    def __init__(self, code: Code) -> None:
        self.unparsed: list[Unparsed] = []
        self._code = code
        self._schemas = list(self._find_schemas())
        self._tables = {module_name(module): name for module, _, name in self._schemas if name is not None}

    def operations(self) -> Iterator[SchemaOperation]:
        """Yield the table of each schema, then those between it and others."""
        for module, schema, name in self._schemas:
            if name is None:
                self.unparsed.append(unparsed_at(schema.node, COMPUTED_NAME))
                continue
            table, between = self._table(module, schema, name)
            yield CreateTable(table)
            yield from between

    def _find_schemas(self) -> Iterator[tuple[Node, Call, Name | None]]:
        for module in descendants(self._code.root, "call"):
            if text_of(module.child_by_field_name("target")) != "defmodule":
                continue
            for statement in body_of(module):
                if statement.type == "call" and text_of(statement.child_by_field_name("target")) == "schema":
                    call = self._code.call(statement)
                    if body_of(statement) or call.values:
                        prefix = as_text(self._code.attribute(module, "schema_prefix"))
                        yield module, call, Name(call.text(0), schema=prefix) if call.text(0) else None

    def _table(self, module: Node, schema: Call, name: Name) -> tuple[Table, list[SchemaOperation]]:
        fields = _Fields(self._code, module, schema, name=name, tables=self._tables)
        for statement in body_of(schema.node):
            if statement.type == "call":
                fields.read(self._code.call(statement))
        doc = self._code.attribute(module, "moduledoc")
        table = Table(
            name,
            columns=with_fields(fields.columns),
            primary_key=tuple(fields.primary_key),
            foreign_keys=tuple(fields.keys),
            comment=doc_summary(doc) if isinstance(doc, str) else comment_above(module),
            alias=module_name(module),
            relations=tuple(fields.relations),
            origins=(Origin.ORM,),
            sources=(lines_of(schema.node),),
        )
        return table, fields.between


class _Fields:
    """The columns that the fields of a schema make."""

    def __init__(self, code: Code, module: Node, schema: Call, *, name: Name, tables: Mapping[str, Name]) -> None:
        self.columns: dict[str, Column] = {}
        self.primary_key: list[str] = []
        self.keys: list[ForeignKey] = []
        self.between: list[SchemaOperation] = []
        self.relations: list[Relation] = []
        self._name = name
        self._module = module_name(module)
        self._tables = tables
        uses = {text_of(node) for node in body_of(module) if text_of(node).startswith("use ")}
        # A module that others use may set another type of keys.
        self._default_type = KEY_TYPE if any("Ecto.Schema" in use for use in uses) else ""
        stated = code.attribute(module, "foreign_key_type")
        self._key_type = type_of(stated, {}) if stated else self._default_type
        self._times = mapping(code.attribute(module, "timestamps_opts"))
        self._add_key(code.attribute(module, "primary_key"), schema.node)

    def read(self, call: Call) -> None:
        """Add what a statement of a schema says."""
        if call.name in RELATIONS:
            self._note_relation(call)
        match call.name:
            case "field":
                self._add_field(call)
            case "belongs_to":
                self._add_relation(call)
            case "many_to_many":
                self._add_between(call)
            case "timestamps":
                self._add_times(call)
            case "embeds_one" | "embeds_many" if call.text(0):
                self._add(call, call.text(0), EMBEDS[call.name])

    def _note_relation(self, call: Call) -> None:
        name = call.text(0)
        target = call.values[1] if len(call.values) > 1 else None
        if not name or not isinstance(target, Reference):
            return
        module = target.name.rpartition(".")[2]
        columns = (as_text(call.options.get("foreign_key")) or f"{name}_id",) if call.name == "belongs_to" else ()
        self.relations.append(Relation(name, self._module if module == "__MODULE__" else module, columns=columns))

    def _add_key(self, stated: Literal, schema: Node) -> None:
        """Add the primary key that a schema has unless it says otherwise."""
        if stated is False:
            return
        name, kind, options = "id", self._default_type, {}
        if isinstance(stated, tuple) and len(stated) > 1:
            name, kind = as_text(stated[0]), type_of(stated[1], {})
            options = mapping(stated[2]) if len(stated) > 2 else {}
        row = schema.start_point[0] + 1
        counts = kind == KEY_TYPE and options.get("autogenerate", not isinstance(stated, tuple)) is True
        column = as_text(options.get("source")) or name
        self.columns[name] = Column(column, kind, nullable=False, identity=counts, source=Source("", row, row))
        self.primary_key.append(column)

    def _add(self, call: Call, name: str, kind: str, **fields: object) -> None:
        column = as_text(call.options.get("source")) or name
        is_key = call.options.get("primary_key") is True
        if is_key:
            self.primary_key.append(column)
        values = fields.get("values")
        self.columns[name] = Column(
            column,
            kind,
            nullable=not is_key,
            comment=str(fields.get("comment") or "") or comment_above(call.node) or comment_behind(call.node),
            values=values if isinstance(values, tuple) else (),
            source=lines_of(call.node),
        )

    def _add_field(self, call: Call) -> None:
        name = call.text(0)
        if not name or call.options.get("virtual") is True:
            return
        stated = call.values[1] if len(call.values) > 1 else "string"
        values, comment = _enum_values(call.options.get("values"))
        kind = type_of(stated, {})
        is_array = isinstance(stated, tuple) and stated[:2] == ("array", ENUM)
        if (stated == ENUM or is_array) and comment:  # stored as numbers
            kind = "integer[]" if is_array else "integer"
        self._add(call, name, kind, values=values, comment=comment)

    def _add_relation(self, call: Call) -> None:
        name = call.text(0)
        target = call.values[1] if len(call.values) > 1 else None
        if not name or not isinstance(target, Reference):
            return
        key = as_text(call.options.get("foreign_key")) or f"{name}_id"
        if call.options.get("define_field") is not False:
            kind = call.options.get("type")
            self._add(call, key, type_of(kind, {}) if kind is not None else self._key_type)
        column = self.columns[key].name if key in self.columns else key
        module = target.name.rpartition(".")[2]
        references = as_text(call.options.get("references"))
        self.keys.append(self._foreign_key((column,), module, references, call))

    def _foreign_key(self, columns: tuple[str, ...], module: str, references: str, call: Call) -> ForeignKey:
        table = self._tables.get(module) or Name(plural(snake_case(module)))
        if module == "__MODULE__":
            module, table = self._module, self._name
        return ForeignKey(
            columns=columns,
            table=table,
            referenced=(references,) if references else (),
            evidence=Evidence.MODEL,
            source=lines_of(call.node),
            model=module,
        )

    def _add_between(self, call: Call) -> None:
        """Describe the table that many_to_many goes through, where it is no schema of its own."""
        through = call.options.get("join_through")
        target = call.values[1] if len(call.values) > 1 else None
        if not isinstance(through, str) or not isinstance(target, Reference):
            return
        other = target.name.rpartition(".")[2]
        stated = mapping(call.options.get("join_keys"))
        names = [*stated] if len(stated) == 2 else [f"{snake_case(one)}_id" for one in (self._module, other)]
        source = lines_of(call.node)
        sides = ((names[0], "__MODULE__"), (names[1], other))
        schema, _, name = through.rpartition(".")
        table = Table(
            Name(name, schema=schema or self._name.schema),
            columns=tuple(Column(one, nullable=False, source=source) for one in names),
            foreign_keys=tuple(self._foreign_key((one,), module, "", call) for one, module in sides),
            origins=(Origin.ORM,),
            sources=(source,),
        )
        self.between.append(Describe(table, complete=True))

    def _add_times(self, call: Call) -> None:
        options = {**self._times, **call.options}
        kind = type_of(options.get("type", "naive_datetime"), {})
        for option, default in TIMES:
            stated = options.get(option, default)
            if isinstance(stated, str):
                self._add(call, stated, kind)


def _enum_values(stated: Literal) -> tuple[tuple[str, ...], str]:
    """Return what is stored for the values of an enum, and what these mean where they are other words or numbers."""
    if isinstance(stated, tuple):
        return tuple(one for one in stated if isinstance(one, str)), ""
    pairs = [(name, as_text(value), value) for name, value in mapping(stated).items()]
    if not all(text for _, text, _ in pairs):
        return (), ""
    differ = [f"{text} = {name}" for name, text, value in pairs if isinstance(value, Number) or text != name]
    return tuple(text for _, text, _ in pairs), ", ".join(differ)
