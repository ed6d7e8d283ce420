"""Statements of DDL in strings of Go, PHP, JavaScript and TypeScript to what they declare, in the order of the file.

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
from coderag.frameworks.common.origins import COMPUTED_REASON, lines_of, unparsed_at
from coderag.sql.in_code.contexts import context_of
from coderag.sql.in_code.drivers import dialects_of, is_of_others
from coderag.sql.in_code.sinks import sinks_of
from coderag.sql.migration_order import MIGRATION_WORDS
from coderag.sql.records import (
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
from coderag.syntax.languages.javascript import Code
from coderag.syntax.trees.node_types import BINARY, FUNCTIONS
from coderag.syntax.trees.string_literals import string_value
from coderag.syntax.trees.tree import descendants, named, parse, text_of

__all__ = ["read"]

MAX_BYTES = 2_000_000  # of a file; one beyond is generated
MAX_STATEMENTS = 2_000  # strings of a file
MAX_LEVELS = 60  # of nodes around a string
MAX_PARTS = 200  # of a string that is put together
HOLE = "__computed_at_run_time__"  # what is put in at run time, as a name
STRINGS = {
    "go": ("raw_string_literal", "interpreted_string_literal"),
    "php": ("string", "encapsed_string", "heredoc", "nowdoc"),
    "javascript": ("string", "template_string"),
}
STRINGS["typescript"] = STRINGS["tsx"] = STRINGS["javascript"]
HEAD = re.compile(
    r"(?i)\s*(?:--[^\n]*\n\s*|/\*(?:[^*]|\*(?!/)){0,2000}\*/\s*){0,20}"
    r"(?:create|alter|drop|rename|comment|insert|update|delete|select|with|set|begin|do|pragma|truncate|lock)\s"
)
FORMAT = re.compile(r"%(?:\[\d{1,2}\]|\d\$)?[svdqt]|\$\{\w{1,60}\}|\{\{?[ .]{0,2}\w{1,60} ?\}\}?")
BACKWARDS = re.compile(
    r"(?:^|_|\.)(?:down|rollback|revert|undo|uninstall|drop)(?![a-z])"
    r"|(?<=[a-z])(?:Down|Rollback|Revert|Undo|Uninstall)(?![a-z])|^(?:Down|Rollback|Revert|Undo|Uninstall)(?![a-z])"
)
TESTS = re.compile(
    r"(?i)(?:^|/)(?:tests?|__tests__|__mocks__|specs?|testdata|fixtures|e2e|benchmarks?|examples?|docs?)/"
    r"|[_.](?:test|spec|bench|stories)\.[a-z]+$|Test\.php$"
)
FILE_NAME = re.compile(r"(?P<version>\d{1,20}(?:[_-]\d{1,20}){0,8})(?:[_-].*)?\.\w+")
WORDS = re.compile(r"[-_.]")
MAX_NAME = 200  # characters of a name, at its end
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
    in_migration = _is_migration(path)
    reading = _Reading(texts, path=path, dialect=_dialect(texts, data, path))
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
        if not is_whole:
            self.unparsed.append(unparsed_at(node, COMPUTED_REASON))


def _has_hole(record: Record) -> bool:
    return HOLE.encode() in msgspec.json.encode(record)


def _without_holes(table: Table) -> Table:
    """Return a table without the columns and keys that are put in at run time, or are in part."""
    columns = tuple(
        msgspec.structs.replace(
            column,
            type="" if HOLE in column.type else column.type,
            default="" if HOLE in column.default else column.default,
        )
        for column in table.columns
    )
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
    code = Code(data, language) if STRINGS[language] is STRINGS["javascript"] else None
    root = parse(data, language) if code is None else code.root
    sinks = sinks_of(language)
    end = count = 0
    for node in descendants(root, *STRINGS[language], into=False):
        if node.start_byte < end or HEAD.match(_inside(node)) is None:
            continue
        whole = _whole(node)
        text = FORMAT.sub(HOLE, "".join(_parts(whole, code)))
        if not changes_schema(text) or _leads_back(node) or context_of(node, sinks).denied:
            continue
        end = whole.end_byte
        count += 1
        if count > MAX_STATEMENTS:
            return
        yield _Text(whole, text)


def _inside(node: Node) -> str:
    """Return the beginning of what a string says."""
    inner = node.named_children
    at = 1 if node.type in {"heredoc", "nowdoc"} and len(inner) > 1 else 0
    return text_of(inner[at]) if inner else text_of(node).strip("\"'`")


def _whole(node: Node) -> Node:
    """Return the concatenation that a string begins."""
    for _ in range(MAX_PARTS):
        parent = node.parent
        if parent is None or parent.type not in BINARY | {"parenthesized_expression"}:
            break
        node = parent
    return node


def _parts(node: Node, code: Code | None) -> Iterator[str]:
    """Yield the texts of a string or a concatenation, HOLE for what is known at run time only."""
    waiting, seen = [node], 0
    while waiting and seen < MAX_PARTS:
        seen += 1
        one = waiting.pop()
        if one.type in BINARY or one.type == "parenthesized_expression":
            waiting += reversed(named(one))
        elif one.type == "template_string" and code is not None:
            value = code.value(one)
            yield value if isinstance(value, str) else _filled(one)
        else:
            body = one.named_children[1] if one.type in {"heredoc", "nowdoc"} and len(one.named_children) > 1 else one
            value = text_of(body) if body.type == "nowdoc_body" else string_value(body)
            yield value if isinstance(value, str) else _filled(body)


def _filled(node: Node) -> str:
    """Return a string with HOLE where a value is put in; HOLE for any other expression."""
    if node.type not in {"template_string", "encapsed_string", "heredoc_body"}:
        return HOLE
    data, position, parts = node.text or b"", 0, []
    for child in node.named_children:
        if "string" in child.type or child.type == "escape_sequence":
            continue
        start, end = child.start_byte - node.start_byte, child.end_byte - node.start_byte
        parts += [data[position:start].decode("utf-8", "replace").rstrip("{"), HOLE]
        position = end + (data[end : end + 1] == b"}")
    parts.append(data[position:].decode("utf-8", "replace"))
    return "".join(parts).strip('`"')


def _leads_back(node: Node) -> bool:
    """Tell whether a string stands in what takes a migration back: `Down`, `rollback: ...`, the second of two."""
    one: Node | None = node
    for _ in range(MAX_LEVELS):
        one = one.parent if one is not None else None
        if one is None:
            return False
        name = (
            one.child_by_field_name("name") or one.child_by_field_name("left") or one.child_by_field_name("key")
            if one.type in FUNCTIONS or one.type in NAMING
            else None
        )
        if name is not None and BACKWARDS.search(text_of(name)[-MAX_NAME:]):
            return True
    return False


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
    return Series("code", version=match["version"], name=name.rpartition(".")[0])
