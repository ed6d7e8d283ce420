"""Changelogs of Liquibase to operations; which change does what is data in schemas/frameworks/liquibase/.

https://docs.liquibase.com/concepts/changelogs/home.html
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial

from coderag.frameworks.common.elements import Element, read_elements
from coderag.frameworks.common.embedded_sql import read_embedded
from coderag.frameworks.common.guarded import guarded
from coderag.frameworks.engine.named_calls import BuilderCalls, builder_calls, column_of, named_operation
from coderag.sql.records import (
    AddColumn,
    AddConstraint,
    Column,
    CreateTable,
    DropColumn,
    DropConstraint,
    Facts,
    ForeignKey,
    Name,
    Origin,
    SchemaOperation,
    Series,
    Source,
    Table,
    Unparsed,
)
from coderag.syntax.trees.literals import Literal, as_text, texts

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
LISTS = frozenset({"columns", "referenced"})
DEFAULTS = frozenset({"default", "default sql"})
FLAGS: Mapping[str, bool] = {"true": True, "false": False}
COMPUTED = "a property that the file does not set"


def read(data: bytes, *, language: str, path: str) -> Facts | None:
    """Return what the changes of a changelog do in their order, None for a file without any."""
    root = read_elements(data, language) if len(data) <= MAX_BYTES else None
    if root is None or root.name != ROOT:
        return None
    reading = _Reading(path, _properties(root), builder_calls("liquibase"))
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
    words: BuilderCalls
    operations: list[SchemaOperation] = field(default_factory=list)
    unparsed: list[Unparsed] = field(default_factory=list)
    found: int = 0

    def add(self, change: Element, *, is_conditional: bool) -> None:
        """Read a change; what is done on some databases only, or under a condition, may be there before."""
        action = self.words.calls.get(change.name, "")
        if not action:
            return
        is_conditional = is_conditional or "dbms" in change.values
        filled = _Change(change, self.properties, self.words)
        if action == "sql":
            facts = read_embedded(filled.body("sql"), source=filled.source, path=self.path)
            self.found += facts.statements
            made = list(facts.operations)
            self.unparsed += facts.unparsed
        else:
            self.found += 1
            try:
                made = list(ACTIONS.get(action, partial(_operation, action))(filled))
            except _Unknown as unknown:
                self.unparsed.append(_lost(change, str(unknown)))
                return
        self.operations += map(guarded, made) if is_conditional else made


class _Unknown(Exception):
    """A change whose table or column is not known, which is why."""


@dataclass(frozen=True)
class _Change:
    """A change, or a column or constraint in one, with its properties filled in."""

    element: Element
    properties: Mapping[str, str]
    words: BuilderCalls

    @property
    def source(self) -> Source:
        return Source("", self.element.line, self.element.end_line or self.element.line)

    @cached_property
    def said(self) -> dict[str, Literal]:
        """Return what the attributes say, by what they are; of what is put in at run time only a default is known."""
        found: dict[str, Literal] = {}
        for attribute, text in self.element.values.items():
            role = self.words.arguments.get(attribute, attribute)
            value: Literal = self._filled(text).strip()
            if role == "type":
                found[role] = _type(as_text(value))
            elif role in DEFAULTS:
                found.update({role: value} if value and role not in found else {})
            elif value and "${" not in as_text(value):
                found[role] = _list(as_text(value)) if role in LISTS else FLAGS.get(as_text(value).lower(), value)
        return found

    def text(self, role: str) -> str:
        """Return what an attribute says that is a text, "" where it is not there or computed."""
        return as_text(self.said.get(role))

    def sure(self, role: str) -> str:
        """Return the same where it has to be known; raises _Unknown."""
        if text := self.text(role):
            return text
        raise self.unknown(f"without {role}")

    def unknown(self, reason: str) -> _Unknown:
        """Return why a change is not read: for a reason, or for what is put in at run time."""
        texts = map(self._filled, self.element.values.values())
        return _Unknown(COMPUTED if any("${" in text for text in texts) else reason)

    def table(self) -> Name:
        """Return the table that is changed; raises _Unknown."""
        return Name(self.sure("table"), schema=self.text("schema"))

    def body(self, name: str) -> str:
        """Return what stands inside of the element, or in an attribute, as in YAML."""
        return self._filled(self.element.text if self.element.text.strip() else self.element.values.get(name, ""))

    def inner(self, name: str) -> list[_Change]:
        """Return the elements of a name inside: the columns, or what constrains one."""
        return [_Change(one, self.properties, self.words) for one in self.element.of(name)]

    def _filled(self, text: str) -> str:
        return SLOT.sub(lambda slot: self.properties.get(slot[1], slot[0]), text)


def _type(text: str) -> str:
    """Return a type without the class that JDBC has it in; one that is put in at run time is not known."""
    return "" if "${" in text else text.removeprefix(JAVA_TYPE).lower() if text.startswith(JAVA_TYPE) else text


def _list(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())


def _lost(change: Element, reason: str) -> Unparsed:
    head = " ".join([change.name, *(f"{key}={value}" for key, value in change.values.items())])[:HEAD_CHARS]
    return Unparsed(line=change.line, head=head, reason=reason, table=True)


# Columns


def _column(change: _Change) -> Column:
    said, rules = change.said, [one.said for one in change.inner("constraints")]
    is_required = any(rule.get("nullable") is False or rule.get("primary") is True for rule in rules)
    generated = said.get("generated") if change.text("type") else ""  # without a type it is a part of an index
    described = {**said, "nullable": not is_required, "comment": said.get("text"), "generated": generated}
    return column_of(change.sure("name"), described, change.source)


def _keys(table: Name, column: _Change) -> Iterator[AddConstraint]:
    """Yield the keys that come with a column."""
    name = column.sure("name")
    for rule in column.inner("constraints"):
        said = rule.said
        if said.get("primary") is True:
            yield AddConstraint(table, primary_key=(name,), source=column.source)
        if said.get("unique") is True:
            yield AddConstraint(table, unique=(name,), source=column.source)
        match = REFERENCE.match(rule.text("references"))  # users(id), or the same in two attributes
        other = match[1] if match is not None else rule.text("other")
        if other:
            schema, _, last = other.rpartition(".")
            referenced = _list(match[2]) if match is not None else texts(said.get("referenced")) or ()
            key_name = rule.text("foreignKeyName")
            key = ForeignKey((name,), Name(last, schema=schema), referenced, name=key_name, source=column.source)
            yield AddConstraint(table, name=key_name, foreign_key=key, source=column.source)


# Changes


def _operation(action: str, change: _Change) -> Iterator[SchemaOperation]:
    """Yield what a change does whose attributes say all of it."""
    said = change.said
    if action == "index" and said.get("unique") is not True:
        return  # it says nothing of the table
    if inner := change.inner("column"):
        said = {**said, "columns": tuple(one.sure("name") for one in inner)}
    if "column" in said:
        said = {**said, "name": said["column"]}  # of what changes one, though its constraint may have a name
    operation = named_operation(action, change.table(), said, change.source)
    if operation is None:
        raise change.unknown("it does not name all that it needs")
    yield operation


def _create_table(change: _Change) -> Iterator[SchemaOperation]:
    table, columns = change.table(), change.inner("column")
    keys = [key for one in columns for key in _keys(table, one)]
    yield CreateTable(
        Table(
            table,
            columns=tuple(map(_column, columns)),
            primary_key=tuple(name for key in keys for name in key.primary_key),
            unique=tuple(key.unique for key in keys if key.unique),
            foreign_keys=tuple(key.foreign_key for key in keys if key.foreign_key is not None),
            comment=change.text("text"),
            origins=(Origin.MIGRATION,),
            sources=(change.source,),
        ),
        if_missing=change.said.get("ifNotExists") is True,
    )


def _add_columns(change: _Change) -> Iterator[SchemaOperation]:
    table = change.table()
    for one in change.inner("column"):
        yield AddColumn(table, _column(one), after=one.text("after") or None, source=one.source)
        yield from _keys(table, one)


def _drop_columns(change: _Change) -> Iterator[SchemaOperation]:
    names = [one.sure("name") for one in change.inner("column")] or _list(change.sure("column"))
    return (DropColumn(change.table(), name, source=change.source) for name in names)


def _drop_index(change: _Change) -> Iterator[SchemaOperation]:
    """Yield the end of a unique index; any other one is no part of the schema, nor is it known which one is unique."""
    if change.text("table"):
        yield DropConstraint(change.table(), change.sure("name"), if_exists=True, stated=True, source=change.source)


def _create_view(change: _Change) -> Iterator[SchemaOperation]:
    query = SCHEMA_SLOT.sub("", change.body("selectQuery").strip())
    if not query or "${" in query:
        raise _Unknown(COMPUTED if query else "its query is in another file")
    replaces = "OR REPLACE " if change.said.get("replaceIfExists") is True else ""
    head = "" if change.said.get("fullDefinition") is True else f"CREATE {replaces}VIEW {change.table()} AS "
    return iter(read_embedded(head + query, source=change.source, path="").operations)


ACTIONS: Mapping[str, Callable[[_Change], Iterator[SchemaOperation]]] = {  # all others are the engine's
    "add columns": _add_columns,
    "create table": _create_table,
    "create view": _create_view,
    "drop columns": _drop_columns,
    "drop index": _drop_index,
}
