"""Models of any framework to tables, by the words of its models.toml."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module

from msgspec.structs import replace

from coderag.frameworks.common.go_names import go_snake
from coderag.frameworks.common.origins import COMPUTED_NAME, lines_of, unparsed_at
from coderag.frameworks.engine.conventions import with_conventions
from coderag.frameworks.engine.declared.records import Model, ModelField, Models
from coderag.frameworks.engine.model_words import ModelWords, model_words
from coderag.frameworks.engine.vocabulary import filled
from coderag.sql.records import (
    Column,
    CreateTable,
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
from coderag.syntax.trees.literals import Literal, Raw, Reference, as_text, default_of, texts
from coderag.text.inflection import plural, snake_case

__all__ = ["read"]

CAPITAL = re.compile(r"(?<!^)(?=[A-Z])")
Naming = Callable[[str], str]
NAMINGS: Mapping[str, Naming] = {
    "capitals": lambda name: CAPITAL.sub("_", name).lower(),  # h_t_t_p of HTTP
    "lower": str.lower,
    "go snake": go_snake,
    "snake": snake_case,
    "plural": plural,
    "without Table": lambda name: name.removesuffix("Table") or name,
}
SIZE = re.compile(r"\{(\w+)\}")
ENUM = re.compile(r"(?i)^enum\s*\((.*)\)$")
ENUM_VALUE = re.compile(r"'((?:[^']|'')*)'")
NOW = "CURRENT_TIMESTAMP"
SELF = "self"
MAX_KEYS = 8  # that refer to keys which refer to others


def read(data: bytes, *, framework: str, language: str, path: str) -> Facts | None:  # noqa: ARG001 - a form knows its own
    """Return the tables of a file's models, and what it has for models of others; None where it has neither."""
    words = model_words(framework)
    form = import_module(f"coderag.frameworks.engine.declared.{words.form}")
    models = form.declared(data, words, path=path)
    reading = _Reading(models, words)
    tables = [table for table in reading.tables() if table.columns or not words.conventions]
    if words.conventions:
        tables = with_conventions(tables, models.models, words)
    operations = tuple(map(CreateTable, tables))
    mixins = tuple(reading.mixins())
    if not operations and not mixins and not reading.unparsed:
        return None
    ruled = tuple(reading.named_by_rule()) if words.tables.strategy else ()
    shared = Shared(mixins=mixins, heirs=tuple(reading.heirs), named_by_rule=ruled)
    unparsed = tuple(reading.unparsed)
    return Facts(
        statements=len(operations) + len(unparsed),
        unparsed=unparsed,
        operations=operations,
        shared=shared if shared != Shared() else None,
    )


class _Reading:
    """The models of a file, and the tables that they make."""

    def __init__(self, models: Models, words: ModelWords) -> None:
        self.unparsed: list[Unparsed] = []
        self.heirs: list[tuple[Name, Heir]] = []
        self._models = models
        self._words = words
        self._by_name = {model.name: model for model in models.models}

    def tables(self) -> Iterator[Table]:
        """Yield the tables of the models, each followed by those between it and others."""
        between: list[Table] = []
        seen: set[Name] = set()
        for model in self._models.models:
            if model.is_base:
                continue
            name = self._table_name(model)
            if name is None:
                self.unparsed.append(unparsed_at(model.node, COMPUTED_NAME))
            if name is None or (name in seen and self._words.tables.first):
                continue
            seen.add(name)
            yield self._table(model, name)
            self.unparsed += [
                unparsed_at(node, f"the columns of {name} are in another file") for node, name in model.missing
            ]
            self.heirs += [(name, Heir(base)) for base in reversed(model.bases)]  # each is put before those before it
            if not model.root:
                self.unparsed += [
                    unparsed_at(model.node, f"the columns of {base.rpartition('.')[2]} are in another file")
                    for base in model.bases
                ]
            between += self._between(model, name)
        for table in between:
            if table.name not in seen:
                seen.add(table.name)
                yield table

    def named_by_rule(self) -> Iterator[str]:
        """Yield the models that say nothing of their table's name."""
        for model in self._models.models:
            if not model.is_base and "table" not in self._said(model.options, self._words.tables.options):
                yield model.name

    def mixins(self) -> Iterator[Mixin]:
        """Yield what bases have for the tables of other files."""
        for model in self._models.models:
            if model.is_base and (model.fields or model.bases or model.root):
                table = self._table(model, Name(model.name))
                is_implied = not any(self._is_key(field) for field in model.fields)
                yield Mixin(table, tuple(Heir(base) for base in reversed(model.bases)), implied=is_implied)

    def _said(self, options: Mapping[str, Literal], meanings: Mapping[str, str]) -> dict[str, Literal]:
        return {meanings[key]: value for key, value in options.items() if key in meanings}

    def _table_name(self, model: Model) -> Name | None:
        """Return the name of a model's table, None where it is computed."""
        said = self._said(model.options, self._words.tables.options)
        schema = as_text(said.get("schema"))
        if "table" not in said:
            return Name(_named(model.name, self._words.tables.naming), schema=schema)
        stated = as_text(said["table"])
        before, _, name = stated.rpartition(".")
        return Name(name, schema=schema or before) if name else None

    def _table(self, model: Model, name: Name) -> Table:
        said = self._said(model.options, self._words.tables.options)
        columns: dict[str, Column] = {}
        key = self._stated_key(model, said)
        keys: list[ForeignKey] = []
        unique: list[tuple[str, ...]] = []
        checks: list[str] = []
        groups: dict[str, list[str]] = {}  # columns that are unique together, by the name of their group
        for field in model.fields:
            column = self._column(field, key)
            if column is None:
                continue
            columns[field.name] = column
            options = self._said(field.options, self._words.options)
            if self._is_key(field) and column.name not in key:
                key.append(column.name)
            if isinstance(group := options.get("unique"), str):
                groups.setdefault(group, []).append(column.name)
            elif group not in {None, False} or field.kind in self._words.references.unique:
                unique.append((column.name,))
            checks += [check] if (check := as_text(options.get("check"))) else []
            if (foreign_key := self._foreign_key(field, column, model.name)) is not None:
                keys.append(foreign_key)
        implied = self._implied_key(model, said) if not key else None
        if implied is not None:
            columns = {implied.name: implied, **columns}
            key = [implied.name]
        unique += map(tuple, groups.values())
        unique += _groups(said.get("unique"), {name: column.name for name, column in columns.items()})
        return Table(
            name,
            columns=tuple(
                replace(column, field=field) if field != column.name else column for field, column in columns.items()
            ),
            primary_key=tuple(key),
            unique=tuple(dict.fromkeys(unique)),
            foreign_keys=tuple(keys),
            checks=tuple(checks),
            comment=as_text(said.get("comment")) or model.comment,
            alias=model.name,
            relations=tuple(self._relations(model)),
            origins=(Origin.ORM,),
            sources=(lines_of(model.node),),
        )

    def _stated_key(self, model: Model, said: Mapping[str, Literal]) -> list[str]:
        """Return the columns of a key that the options of a table list."""
        by_field = {field.name: self._column_name(field) for field in model.fields}
        return [by_field.get(name, name) for name in texts(said.get("key")) or ()]

    def _implied_key(self, model: Model, said: Mapping[str, Literal]) -> Column | None:
        """Return the key of a table whose model states none; None where a class of another file may state it."""
        tables = self._words.tables
        stated = tables.keys.get(model.root, tables.key)
        if not stated or not model.root or said.get("key") is False:
            return None
        name, _, kind = stated.partition(" ")
        return Column(
            as_text(said.get("key column")) or name, kind, nullable=False, identity=True, source=lines_of(model.node)
        )

    def _is_key(self, field: ModelField) -> bool:
        options = self._said(field.options, self._words.options)
        return options.get("primary") not in {None, False} or field.kind in self._words.counted

    # Columns

    def _column_name(self, field: ModelField) -> str:
        said = self._said(field.options, self._words.options)
        position = self._words.column
        stated = as_text(said.get("column")) or (
            as_text(field.values[position]) if 0 <= position < len(field.values) else ""
        )
        suffix = self._words.references.kinds.get(field.kind, "")
        name = _named(field.name, self._words.column_naming)
        return stated or (name if suffix and name.endswith(suffix) and position < 0 and not stated else name + suffix)

    def _column(self, field: ModelField, key: Sequence[str]) -> Column | None:
        """Return the column of a field, None for one that is no column."""
        words, kind = self._words, field.kind
        said = self._said(field.options, words.options)
        if kind in words.left_out or kind in words.many.kinds or "left out" in said or "relation" in said:
            return None
        name = self._column_name(field)
        is_key = self._is_key(field) or name in key
        default = said.get("default")
        is_nullable = words.null if "nullable" not in said else said["nullable"] is not False
        is_nullable = (
            (is_nullable or field.is_nullable or kind in words.nullable)
            and said.get("not null") in {None, False}
            and not is_key
        )
        return Column(
            name,
            self._type(field),
            nullable=is_nullable,
            default=NOW if said.get("now") is True else (default_of(default) or "") if default is not None else "",
            comment=as_text(said.get("comment")) or field.comment,
            values=self._values(field),
            identity=kind in words.counted or (is_key and self._is_counted(field, said)),
            source=lines_of(field.node),
        )

    def _is_counted(self, field: ModelField, said: Mapping[str, Literal]) -> bool:
        if "counted" in said:
            return said["counted"] is not False
        return field.kind in self._words.counted_keys and said.get("default") is None

    def _type(self, field: ModelField, depth: int = 0) -> str:
        words = self._words
        said = self._said(field.options, words.options)
        if isinstance(kind := said.get("type"), Raw):
            return kind.text
        if stated := as_text(kind):
            return words.types.get(stated, stated)
        if field.kind in words.references.kinds:
            target = self._by_name.get(self._target(field))
            stated = _last_name(said.get("to column"))
            fields = target.fields if target is not None else ()
            key = next((one for one in fields if (one.name == stated if stated else self._is_key(one))), None)
            return self._type(key, depth + 1) if key is not None and depth < MAX_KEYS else words.references.type
        named = {name: as_text(value) for name, value in field.options.items()}
        text = filled(words.types.get(field.kind, ""), field.values, named)
        template = words.sized.get(text, "")
        size = next(iter(SIZE.findall(template)), "")
        return filled(template, (), named) if named.get(size, "").isdecimal() else text

    def _values(self, field: ModelField) -> tuple[str, ...]:
        """Return what a column may hold, where an enumeration of the file says so."""
        stated = self._said(field.options, self._words.options).get("type")
        if isinstance(stated, Raw) and (match := ENUM.fullmatch(stated.text)) is not None:
            return tuple(value.replace("''", "'") for value in ENUM_VALUE.findall(match[1]))
        if field.enum:
            return tuple(self._models.values.get(field.enum, ()))
        if field.kind not in self._words.enums:
            return ()
        given = field.values[0] if field.values else None
        name = given.name if isinstance(given, Reference) else ""
        return tuple(filter(None, self._models.values.get(name or field.kind, ())))

    # Keys and relations

    def _target(self, field: ModelField, position: int | None = None) -> str:
        """Return the class that a field refers to, without module; its own for "self"."""
        said = self._said(field.options, self._words.options)
        position = self._words.references.to if position is None else position
        value = said.get("to", field.values[position] if position < len(field.values) else None)
        return _last_name(value)

    def _foreign_key(self, field: ModelField, column: Column, model: str) -> ForeignKey | None:
        said = self._said(field.options, self._words.options)
        referenced = ""
        target = self._target(field) if field.kind in self._words.references.kinds else ""
        if isinstance(stated := said.get("references"), Reference):  # `integer("x").references(Users.id)`
            target, _, referenced = stated.name.rpartition(".")
            target = model if target == SELF else target.rpartition(".")[2]
        if not target:
            return None
        target = model if target == SELF else target
        referenced = _last_name(said.get("to column")) or referenced
        other = self._by_name.get(target)
        table = self._table_name(other) if other is not None else None
        if other is not None and referenced:
            referenced = next((self._column_name(one) for one in other.fields if one.name == referenced), referenced)
        return ForeignKey(
            (column.name,),
            table or Name(_named(target, self._words.tables.naming)),
            (referenced,) if referenced else (),
            source=column.source,
            model="" if table is not None else target,
        )

    def _relations(self, model: Model) -> Iterator[Relation]:
        """Yield the fields that lead to other models."""
        words = self._words
        for field in model.fields:
            is_many = field.kind in words.many.kinds
            if field.kind not in words.references.kinds and not is_many:
                continue
            target = self._target(field, words.many.to if is_many else None)
            back = as_text(self._said(field.options, words.options).get("back"))
            if target:
                target = model.name if target == SELF else target
                columns = () if is_many else (self._column_name(field),)
                yield Relation(field.name, target, back=(back,) if back else (), columns=columns)

    def _between(self, model: Model, table: Name) -> Iterator[Table]:
        """Yield the tables between a model and those that its fields stand for many of."""
        many = self._words.many
        for field in model.fields:
            target = self._target(field, many.to) if field.kind in many.kinds and many.table else ""
            if not target:
                continue
            said = self._said(field.options, self._words.options)
            if "through model" in said:
                continue
            other = self._by_name.get(target)
            other_table = (self._table_name(other) if other is not None else None) or Name(
                _named(target, self._words.tables.naming)
            )
            slots = {
                "table": table.name, "model": model.name.lower(),
                "other": other_table.name, "other_model": target.lower(),
            }  # fmt: skip
            source = lines_of(field.node)
            ends = (
                (as_text(said.get("own column")) or many.own.format_map(slots), table, ""),
                (as_text(said.get("other column")) or many.other.format_map(slots), other_table, target),
            )
            yield Table(
                Name(as_text(said.get("through")) or many.table.format_map(slots), schema=table.schema),
                columns=tuple(
                    Column(name, self._words.references.type, nullable=False, source=source) for name, _, _ in ends
                ),
                foreign_keys=tuple(
                    ForeignKey((name,), to, source=source, model="" if to is table or other is not None else model_name)
                    for name, to, model_name in ends
                ),
                origins=(Origin.ORM,),
                sources=(source,),
            )


def _last_name(value: Literal) -> str:
    """Return the last part of what a class, a field or a text names."""
    return (value.name if isinstance(value, Reference) else as_text(value)).rpartition(".")[2]


def _named(name: str, naming: Sequence[str]) -> str:
    for step in naming:
        name = NAMINGS[step](name)
    return name


def _groups(value: Literal, columns: Mapping[str, str]) -> Iterator[tuple[str, ...]]:
    """Yield the columns that are unique together: (("a", "b"),), ("a", "b"), ((("a", "b"), True),)."""
    if not isinstance(value, tuple) or not value:
        return
    if (names := texts(value)) is not None:
        yield tuple(columns.get(name, name) for name in names)
        return
    for group in value:
        if isinstance(group, tuple) and len(group) == 2 and isinstance(group[1], bool):
            if not group[1]:
                continue
            group = group[0]
        if isinstance(group, tuple) and (names := texts(group)) is not None:
            yield tuple(columns.get(name, name) for name in names)
