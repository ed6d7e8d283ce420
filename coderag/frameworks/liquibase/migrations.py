"""Changelogs of Liquibase to operations; which change does what is data in schemas/frameworks/liquibase/.

https://docs.liquibase.com/concepts/changelogs/home.html
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache

import msgspec

from coderag.frameworks.common.elements import Element, read_elements
from coderag.frameworks.common.embedded_sql import read_embedded
from coderag.frameworks.common.guarded import guarded
from coderag.frameworks.engine.vocabulary import framework_data
from coderag.sql.records import (
    AddColumn,
    AddConstraint,
    AlterColumn,
    Column,
    CommentOn,
    CreateTable,
    Drop,
    DropColumn,
    DropConstraint,
    Facts,
    ForeignKey,
    Name,
    ObjectKind,
    Origin,
    Rename,
    RenameColumn,
    SchemaOperation,
    Series,
    Source,
    Table,
    Unparsed,
)
from coderag.syntax.trees.literals import quoted

__all__ = ["read"]

ROOT = "databaseChangeLog"
MAX_BYTES = 10_000_000
HEAD_CHARS = 80
VERSION = re.compile(r"\d{1,20}(?:[._-]\d{1,20}){0,8}")
SLOT = re.compile(r"\$\{([\w.-]{1,100})\}")
SCHEMA_SLOT = re.compile(r"\$\{[\w.-]{1,100}\}\.")  # what is put in before a table at run time
REFERENCE = re.compile(r"([\w.]{1,200})\s{0,9}\(([^()]{1,400})\)")
SNAPSHOT = "snapshot"  # in the path of what generateChangeLog wrote of a release
JAVA_TYPE = "java.sql.Types."
COMPUTED = "a property that the file does not set"


class Defaults(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Attributes that state the default of a column, as text and as SQL."""

    text: tuple[str, ...]
    plain: tuple[str, ...]


class Changes(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What changes do."""

    changes: Mapping[str, str]
    defaults: Defaults


@cache
def _data() -> Changes:
    return framework_data("liquibase", "migrations.toml", Changes)


def read(data: bytes, *, language: str, path: str) -> Facts | None:
    """Return what the changes of a changelog do in their order, None for a file without any."""
    root = read_elements(data, language) if len(data) <= MAX_BYTES else None
    if root is None or root.name != ROOT:
        return None
    reading = _Reading(path, _properties(root))
    for change_set in root.of("changeSet"):
        is_conditional = "dbms" in change_set.values or any(change_set.of("preConditions"))
        for change in change_set.inner:
            reading.add(change, is_conditional=is_conditional)
    if not reading.found:
        return None
    name = path.rpartition("/")[2]
    version = VERSION.search(name)
    return Facts(
        statements=reading.found,
        series=Series(
            "liquibase",
            version=version[0] if version is not None else "",
            name=name,
            snapshot=SNAPSHOT in path.lower(),
        ),
        unparsed=tuple(reading.unparsed),
        operations=tuple(reading.operations),
    )


def _properties(root: Element) -> dict[str, str]:
    """Return what `${name}` stands for; of several databases the first counts."""
    found: dict[str, str] = {}
    for one in root.of("property"):
        if "name" in one.values and "value" in one.values:
            found.setdefault(one.values["name"], one.values["value"])
    return found


@dataclass(slots=True)
class _Reading:
    """What the changes of a file have come to so far."""

    path: str
    properties: Mapping[str, str]
    operations: list[SchemaOperation] = field(default_factory=list)
    unparsed: list[Unparsed] = field(default_factory=list)
    found: int = 0

    def add(self, change: Element, *, is_conditional: bool) -> None:
        """Read a change; what is done on some databases only, or under a condition, may be there before."""
        action = _data().changes.get(change.name, "")
        if not action:
            return
        is_conditional = is_conditional or "dbms" in change.values
        filled = _Change(change, self.properties)
        if action == "sql":
            facts = read_embedded(filled.body("sql"), source=filled.source, path=self.path)
            self.found += facts.statements
            made = list(facts.operations)
            self.unparsed += facts.unparsed
        else:
            self.found += 1
            try:
                made = list(ACTIONS[action](filled))
            except _Unknown as unknown:
                self.unparsed.append(_lost(change, str(unknown)))
                return
        self.operations += map(guarded, made) if is_conditional else made


class _Unknown(Exception):
    """A change whose table or column is not known, which is why."""


@dataclass(frozen=True, slots=True)
class _Change:
    """A change, with its properties filled in."""

    element: Element
    properties: Mapping[str, str]

    @property
    def source(self) -> Source:
        return Source("", self.element.line, self.element.end_line or self.element.line)

    def text(self, name: str) -> str:
        """Return an attribute, "" where it is not there; one that holds an unknown property stays as it is written."""
        return self._filled(self.element.values.get(name, "")).strip()

    def body(self, name: str) -> str:
        """Return what stands inside of the element, or in an attribute, as in YAML."""
        return self._filled(self.element.text if self.element.text.strip() else self.element.values.get(name, ""))

    def _filled(self, text: str) -> str:
        return SLOT.sub(lambda slot: self.properties.get(slot[1], slot[0]), text)

    def sure(self, name: str) -> str:
        """Return an attribute that has to be known; raises _Unknown."""
        text = self.text(name)
        if not text or "${" in text:
            raise _Unknown(COMPUTED if text else f"without {name}")
        return text

    def list(self, name: str) -> tuple[str, ...]:
        """Return the names in an attribute: `id, code`."""
        return tuple(part.strip() for part in self.sure(name).split(",") if part.strip())

    def table(self, name: str = "tableName", schema: str = "schemaName") -> Name:
        """Return the table of an attribute; a schema that is put in at run time is left out."""
        stated = self.text(schema)
        return Name(self.sure(name), schema="" if "${" in stated else stated)

    def flag(self, name: str) -> bool | None:
        """Return whether an attribute is true, None where it is not there."""
        text = self.text(name).lower()
        return text == "true" if text in {"true", "false"} else None

    def inner(self, *names: str) -> Iterator[_Change]:
        return (_Change(one, self.properties) for one in self.element.of(*names))


def _lost(change: Element, reason: str) -> Unparsed:
    head = " ".join([change.name, *(f"{key}={value}" for key, value in change.values.items())])[:HEAD_CHARS]
    return Unparsed(line=change.line, head=head, reason=reason, table=True)


# Columns


def _type(text: str) -> str:
    """Return a type without the class that JDBC has it in; one that is put in at run time is not known."""
    return "" if "${" in text else text.removeprefix(JAVA_TYPE).lower() if text.startswith(JAVA_TYPE) else text


def _default(change: _Change) -> str:
    words = _data().defaults
    texts = (quoted(change.text(name)) for name in words.text if change.text(name))
    return next(texts, "") or next((change.text(name) for name in words.plain if change.text(name)), "")


def _column(change: _Change) -> Column:
    flags = [one.flag("nullable") for one in change.inner("constraints")]
    return Column(
        change.sure("name"),
        _type(change.text("type")),
        nullable=False not in flags and not _is_key(change),
        default=_default(change),
        comment=change.text("remarks"),
        generated=change.text("valueComputed") if change.text("type") else "",
        identity=change.flag("autoIncrement") is True,
        source=change.source,
    )


def _is_key(change: _Change) -> bool:
    return any(one.flag("primaryKey") for one in change.inner("constraints"))


def _keys(change: _Change) -> Iterator[ForeignKey]:
    """Yield the keys that the constraints of a column state: references="users(id)", or in two attributes."""
    name = change.sure("name")
    for one in change.inner("constraints"):
        match = REFERENCE.match(one.text("references"))
        table, columns = (match[1], match[2]) if match is not None else ("", "")
        table = table or one.text("referencedTableName")
        columns = columns or one.text("referencedColumnNames")
        if table and "${" not in table:
            schema, _, last = table.rpartition(".")
            referenced = tuple(part.strip() for part in columns.split(",") if part.strip())
            key_name = one.text("foreignKeyName")
            yield ForeignKey((name,), Name(last, schema=schema), referenced, name=key_name, source=change.source)


def _unique_columns(change: _Change) -> Iterator[tuple[str, ...]]:
    if any(one.flag("unique") for one in change.inner("constraints")):
        yield (change.sure("name"),)


# Changes


def _create_table(change: _Change) -> Iterator[SchemaOperation]:
    columns = list(change.inner("column"))
    yield CreateTable(
        Table(
            change.table(),
            columns=tuple(map(_column, columns)),
            primary_key=tuple(one.sure("name") for one in columns if _is_key(one)),
            unique=tuple(names for one in columns for names in _unique_columns(one)),
            foreign_keys=tuple(key for one in columns for key in _keys(one)),
            comment=change.text("remarks"),
            origins=(Origin.MIGRATION,),
            sources=(change.source,),
        ),
        if_missing=change.flag("ifNotExists") is True,
    )


def _add_columns(change: _Change) -> Iterator[SchemaOperation]:
    table = change.table()
    for one in change.inner("column"):
        after = one.text("afterColumn") or None
        yield AddColumn(table, _column(one), after=after, source=one.source)
        if _is_key(one):
            yield AddConstraint(table, primary_key=(one.sure("name"),), source=one.source)
        for names in _unique_columns(one):
            yield AddConstraint(table, unique=names, source=one.source)
        for key in _keys(one):
            yield AddConstraint(table, name=key.name, foreign_key=key, source=one.source)


def _drop_columns(change: _Change) -> Iterator[SchemaOperation]:
    named = [one.sure("name") for one in change.inner("column")] or change.list("columnName")
    return (DropColumn(change.table(), name, source=change.source) for name in named)


def _rename_column(change: _Change) -> Iterator[SchemaOperation]:
    yield RenameColumn(change.table(), change.sure("oldColumnName"), change.sure("newColumnName"), source=change.source)


def _rename(kind: ObjectKind, word: str) -> Callable[[_Change], Iterator[SchemaOperation]]:
    def rename(change: _Change) -> Iterator[SchemaOperation]:
        old, new = change.table(f"old{word}Name"), change.table(f"new{word}Name")
        yield Rename(old, new, kind, source=change.source)

    return rename


def _alter(**stated: object) -> Callable[[_Change], Iterator[SchemaOperation]]:
    """Return what changes one field of a column; a value that can be called gets the change."""

    def alter(change: _Change) -> Iterator[SchemaOperation]:
        values = {name: value(change) if callable(value) else value for name, value in stated.items()}
        column = AlterColumn(change.table(), change.sure("columnName"), source=change.source)
        yield msgspec.structs.replace(column, **values)

    return alter


def _primary_key(change: _Change) -> Iterator[SchemaOperation]:
    yield AddConstraint(
        change.table(), change.text("constraintName"), primary_key=change.list("columnNames"), source=change.source
    )


def _unique(change: _Change) -> Iterator[SchemaOperation]:
    name = change.text("constraintName")
    yield AddConstraint(change.table(), name, unique=change.list("columnNames"), source=change.source)


def _unique_index(change: _Change) -> Iterator[SchemaOperation]:
    if change.flag("unique"):
        columns = tuple(one.sure("name") for one in change.inner("column"))
        yield AddConstraint(change.table(), change.text("indexName"), unique=columns, source=change.source)


def _foreign_key(change: _Change) -> Iterator[SchemaOperation]:
    table = change.table("baseTableName", "baseTableSchemaName")
    target = change.table("referencedTableName", "referencedTableSchemaName")
    referenced = change.list("referencedColumnNames") if change.text("referencedColumnNames") else ()
    name = change.text("constraintName")
    key = ForeignKey(change.list("baseColumnNames"), target, referenced, name=name, source=change.source)
    yield AddConstraint(table, name, foreign_key=key, source=change.source)


def _drop_constraint(change: _Change) -> Iterator[SchemaOperation]:
    table = change.table("baseTableName" if "baseTableName" in change.element.values else "tableName")
    yield DropConstraint(table, change.sure("constraintName"), source=change.source)


def _drop_index(change: _Change) -> Iterator[SchemaOperation]:
    """Yield the end of a unique index; any other one is no part of the schema, nor is it known which one is unique."""
    if change.text("tableName"):
        name = change.sure("indexName")
        yield DropConstraint(change.table(), name, if_exists=True, stated=True, source=change.source)


def _drop_primary_key(change: _Change) -> Iterator[SchemaOperation]:
    yield DropConstraint(change.table(), primary_key=True, source=change.source)


def _create_view(change: _Change) -> Iterator[SchemaOperation]:
    query = SCHEMA_SLOT.sub("", change.body("selectQuery").strip())
    if not query or "${" in query:
        raise _Unknown(COMPUTED if query else "its query is in another file")
    replaces = "OR REPLACE " if change.flag("replaceIfExists") else ""
    head = "" if change.flag("fullDefinition") else f"CREATE {replaces}VIEW {change.table('viewName')} AS "
    return iter(read_embedded(head + query, source=change.source, path="").operations)


def _drop(kind: ObjectKind, attribute: str) -> Callable[[_Change], Iterator[SchemaOperation]]:
    def drop(change: _Change) -> Iterator[SchemaOperation]:
        yield Drop(change.table(attribute), kind, source=change.source)

    return drop


def _comment(change: _Change) -> Iterator[SchemaOperation]:
    column = change.text("columnName")
    yield CommentOn(change.table(), change.text("remarks"), column=column, source=change.source)


ACTIONS: Mapping[str, Callable[[_Change], Iterator[SchemaOperation]]] = {
    "add columns": _add_columns,
    "comment column": _comment,
    "comment table": _comment,
    "create table": _create_table,
    "create view": _create_view,
    "drop columns": _drop_columns,
    "drop constraint": _drop_constraint,
    "drop index": _drop_index,
    "drop default": _alter(default=""),
    "drop not null": _alter(nullable=True),
    "drop primary key": _drop_primary_key,
    "drop table": _drop(ObjectKind.TABLE, "tableName"),
    "drop view": _drop(ObjectKind.VIEW, "viewName"),
    "foreign key": _foreign_key,
    "number column": _alter(identity=True),
    "primary key": _primary_key,
    "rename column": _rename_column,
    "rename table": _rename(ObjectKind.TABLE, "Table"),
    "rename view": _rename(ObjectKind.VIEW, "View"),
    "set default": _alter(default=_default),
    "set not null": _alter(nullable=False),
    "set type": _alter(type=lambda change: _type(change.text("newDataType"))),
    "unique": _unique,
    "unique index": _unique_index,
}
