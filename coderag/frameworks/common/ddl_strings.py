"""Statements of DDL in strings of code to what they declare, in the order of the file.

Functions that a number names (`version_12`) are migrations, in the order of their numbers.

What is created counts wherever it stands, tests apart; what is dropped counts in migrations, since elsewhere it is
how a program is removed or its tables are filled again. What leads back (`Down`, `rollback`) is not applied.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import msgspec
from tree_sitter import Node

from coderag.frameworks.common.declared_dialect import declared_dialects
from coderag.frameworks.common.embedded_sql import read_embedded
from coderag.frameworks.common.embedded_words import changes_schema
from coderag.frameworks.common.numbered_functions import by_version, versions
from coderag.frameworks.common.origins import COMPUTED_REASON, lines_of, unparsed_at
from coderag.sql.in_code.contexts import context_of
from coderag.sql.in_code.drivers import dialects_of, is_of_others
from coderag.sql.in_code.evaluation.string_values import Text, Value, variants
from coderag.sql.in_code.evaluation.values import Values
from coderag.sql.in_code.sinks import Sinks, sinks_of
from coderag.sql.migration_order import MIGRATION_WORDS
from coderag.sql.records import (
    AddColumn,
    Column,
    CreateTable,
    Drop,
    Facts,
    ObjectKind,
    Record,
    Rename,
    SchemaOperation,
    Series,
    Table,
    Unparsed,
)
from coderag.sql.version_folders import MIGRATION_FOLDERS
from coderag.syntax.trees.local_names import Names, in_order
from coderag.syntax.trees.node_types import BINARY, CONCATENATED, FUNCTIONS
from coderag.syntax.trees.string_literals import literal_extent
from coderag.syntax.trees.tree import parse_tree, text_of

__all__ = ["read"]

MAX_BYTES = 2_000_000  # of a file; one beyond is generated
MAX_STATEMENTS = 2_000  # strings of a file
MAX_LEVELS = 60  # of nodes around a string
MAX_PARTS = 200  # of a string that is put together
HOLE = "__computed_at_run_time__"  # what is put in at run time, as a name
HEAD = re.compile(
    r"(?i)\s*(?:--[^\n]*\n\s*|/\*(?:[^*]|\*(?!/)){0,2000}\*/\s*){0,20}"
    r"(?:create|alter|drop|rename|comment|insert|update|delete|select|with|set|begin|do|pragma|truncate|lock)\s"
)
FORMAT = re.compile(r"%(?:\[\d{1,2}\]|\d\$|\(\w{1,60}\))?[svdqt]|\$\{\w{1,60}\}|\{\{?[ .]{0,2}\w{1,60} ?\}\}?")
BACKWARDS = re.compile(
    r"(?:^|_|\.)(?:down|rollback|revert|undo|uninstall|drop)(?![a-z])"
    r"|(?<=[a-z])(?:Down|Rollback|Revert|Undo|Uninstall)(?![a-z])|^(?:Down|Rollback|Revert|Undo|Uninstall)(?![a-z])"
)
TESTS = re.compile(
    r"(?i)(?:^|/)(?:tests?|__tests__|__mocks__|specs?|testdata|fixtures|e2e|benchmarks?|examples?|docs?)/"
    r"|(?:^|/)fixtures?\.\w+$"
    r"|[_.](?:test|spec|bench|stories)\.[a-z]+$|(?:^|/)(?:test_[^/]*|conftest)\.py$|(?-i:Tests?)\.(?:php|java|kt|cs|swift)$"
)
FILE_NAME = re.compile(  # 003_users.go, Migration20240205173216.ts
    r"(?:(?P<version>\d{1,20}(?:[_-]\d{1,20}){0,8})|[A-Za-z]{1,40}(?P<time>(?:19|20)\d{10,12}))(?:[_-].*)?\.\w+"
)
WORDS = re.compile(r"[-_.]")
MAX_NAME = 200  # characters of a name, at its end
HEAD_BYTES = 4_000  # of a string in which its first keyword is sought
JOINED = BINARY | CONCATENATED | {"parenthesized_expression"}
NAMING = frozenset("pair keyed_element assignment_expression variable_declarator const_spec var_spec".split())


class _Text(NamedTuple):
    """A statement that stands in a string."""

    node: Node
    text: str


def read(data: bytes, *, language: str, path: str) -> Facts | None:
    """Return what the statements in a file's strings declare, None for a file that declares no table."""
    if len(data) > MAX_BYTES or TESTS.search(path) is not None or is_of_others(data):
        return None
    texts = list(_texts(data, language))
    if not texts:
        return None
    numbers = versions([text.node for text in texts])
    in_migration = _is_migration(path) or any(number is not None for number in numbers)
    reading = _Reading(by_version(texts, numbers), path=path, dialect=_dialect(texts, data, path))
    operations = reading.operations(in_migration=in_migration)
    creates = any(isinstance(operation, CreateTable) for operation in operations)
    if not creates and not (operations and in_migration):
        return None
    return Facts(
        dialect=reading.dialect,
        statements=len(texts),
        series=_series(path) if in_migration else None,
        unparsed=tuple(reading.unparsed),
        operations=tuple(operations),
        settings=declared_dialects(data, path),
    )


class _Reading:
    """The strings of a file, read one after the other."""

    def __init__(self, texts: Sequence[_Text], *, path: str, dialect: str) -> None:
        self._texts = texts
        self._path = path
        self.dialect = dialect
        self.unparsed: list[Unparsed] = []

    def operations(self, *, in_migration: bool) -> list[SchemaOperation]:
        """Return what all of them do; a second table of a name is another edition of the first."""
        found: list[SchemaOperation] = []
        created: set[object] = set()
        for node, text in self._texts:
            for operation in self._of(node, text):
                if isinstance(operation, CreateTable):
                    if operation.table.temporary or operation.table.name.key in created:
                        continue
                    created.add(operation.table.name.key)
                elif isinstance(operation, Drop):
                    created.discard(operation.name.key)
                elif isinstance(operation, Rename):
                    created.discard(operation.name.key)
                    created.add(operation.to.key)
                found.append(operation)
        return found if in_migration else _without_cleaning(found)

    def _of(self, node: Node, text: str) -> Iterator[SchemaOperation]:
        facts = read_embedded(text, source=lines_of(node), path=self._path, dialect=self.dialect)
        self.unparsed += facts.unparsed
        is_whole = True
        for operation in facts.operations:
            if not _has_hole(operation):
                yield operation
                continue
            is_whole = False
            if isinstance(operation, CreateTable) and not _has_hole(operation.table.name):
                yield CreateTable(_without_holes(operation.table), if_missing=operation.if_missing)
            elif isinstance(operation, AddColumn):
                added = msgspec.structs.replace(operation, column=_without_computed(operation.column))
                if _has_hole(added):
                    continue
                yield added
        if not is_whole:
            self.unparsed.append(unparsed_at(node, COMPUTED_REASON))


def _has_hole(record: Record) -> bool:
    return HOLE.encode() in msgspec.json.encode(record)


def _without_holes(table: Table) -> Table:
    """Return a table without the columns and keys that are put in at run time, or are in part."""
    columns = tuple(_without_computed(column) for column in table.columns)
    return Table(
        table.name,
        columns=tuple(column for column in columns if not _has_hole(column)),
        primary_key=() if HOLE in " ".join(table.primary_key) else table.primary_key,
        unique=tuple(names for names in table.unique if HOLE not in " ".join(names)),
        foreign_keys=tuple(key for key in table.foreign_keys if not _has_hole(key)),
        checks=tuple(check for check in table.checks if HOLE not in check),
        comment="" if HOLE in table.comment else table.comment,
        origins=table.origins,
        sources=table.sources,
    )


def _without_computed(column: Column) -> Column:
    """Return a column without the type and the default that are put in at run time."""
    return msgspec.structs.replace(
        column,
        type="" if HOLE in column.type else column.type,
        default="" if HOLE in column.default else column.default,
    )


def _without_cleaning(operations: Sequence[SchemaOperation]) -> list[SchemaOperation]:
    """Return operations without the tables that are dropped for good, which is how a program is removed."""
    kept: list[SchemaOperation] = []
    made: set[object] = set()  # behind the operation that is looked at
    for operation in reversed(operations):
        if isinstance(operation, Drop) and operation.kind is ObjectKind.TABLE and operation.name.key not in made:
            continue
        if isinstance(operation, CreateTable):
            made.add(operation.table.name.key)
        elif isinstance(operation, Rename):
            made.add(operation.to.key)
        kept.append(operation)
    return kept[::-1]


def _texts(data: bytes, language: str) -> Iterator[_Text]:
    """Yield the strings that hold DDL, each one that is put together as one."""
    names = Names(parse_tree(data, language), language, data)
    values = Values(names)
    sinks = sinks_of(language)
    end = count = 0
    for node in sorted(names.literals, key=in_order):
        start, _ = literal_extent(node, language)
        if node.start_byte < end or HEAD.match(data[start : start + HEAD_BYTES].decode("utf-8", "replace")) is None:
            continue
        whole = _whole(node)
        text = FORMAT.sub(HOLE, _written(values.of(whole, names.scope_of(node))))
        if not changes_schema(text) or not _is_whole(text) or _is_off_the_way(whole, sinks):
            continue
        end = whole.end_byte
        count += 1
        if count > MAX_STATEMENTS:
            return
        yield _Text(whole, text)


def _whole(node: Node) -> Node:
    """Return the concatenation that a string begins."""
    for _ in range(MAX_PARTS):
        if node.parent is None or node.parent.type not in JOINED:
            break
        node = node.parent
    return node


def _written(value: Value) -> str:
    """Return what an expression says, HOLE for what is known at run time only."""
    parts = next(variants(value), ())
    return "".join(part.text if isinstance(part, Text) else HOLE for part in parts)


def _is_whole(text: str) -> bool:
    """Tell whether a text may be statements, and is not the beginning of one whose rest stands elsewhere."""
    return text.count("(") <= text.count(")")


def _is_off_the_way(node: Node, sinks: Sinks) -> bool:
    """Tell whether a string is not run as a statement, or only leads back or runs in a database that does not stay."""
    return context_of(node, sinks).denied or any(map(_is_aside, _around(node)))


def _around(node: Node) -> Iterator[Node]:
    """Yield the nodes around a node, the nearest first."""
    for _ in range(MAX_LEVELS):
        if node.parent is None:
            return
        node = node.parent
        yield node


def _is_aside(node: Node) -> bool:
    """Tell whether a node takes a migration back (`Down`, `rollback: ...`), or has a database in memory."""
    if node.type not in FUNCTIONS and node.type not in NAMING:
        return False
    if node.type in FUNCTIONS and b":memory:" in (node.text or b""):
        return True
    name = node.child_by_field_name("name") or node.child_by_field_name("left") or node.child_by_field_name("key")
    return name is not None and BACKWARDS.search(text_of(name)[-MAX_NAME:]) is not None


def _dialect(texts: Sequence[_Text], data: bytes, path: str) -> str:
    """Return the dialect of the file's driver, else that of the statements together; "" where neither tells."""
    from coderag.sql.statements.dialect import guess_dialect

    guess = guess_dialect(";\n".join(text for _, text in texts), path)
    return guess.dialect.name if guess.certain else dialects_of(data)[0]


def _is_migration(path: str) -> bool:
    parts = path.lower().split("/")
    words = set(WORDS.split(parts[-1])).union(*(WORDS.split(part) for part in parts[-3:-1]))
    return not MIGRATION_FOLDERS.isdisjoint(parts[-3:-1]) or not MIGRATION_WORDS.isdisjoint(words)


def _series(path: str) -> Series | None:
    """Return the place of a migration that is named by its number."""
    name = path.rpartition("/")[2]
    match = FILE_NAME.fullmatch(name)
    if match is None:
        return None
    return Series("code", version=match["version"] or match["time"], name=name.rpartition(".")[0])
