"""Ecto's migrations to operations.

https://hexdocs.pm/ecto_sql/Ecto.Migration.html
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from msgspec.structs import replace
from tree_sitter import Node

from coderag.frameworks.common.embedded_sql import read_embedded
from coderag.frameworks.common.embedded_words import changes_schema
from coderag.frameworks.common.origins import COMPUTED_REASON, lines_of, unparsed_at
from coderag.frameworks.ecto.types import KEY_TYPE, type_of
from coderag.frameworks.engine.columns import Made, table_of
from coderag.frameworks.engine.steps import Steps
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
    Rename,
    RenameColumn,
    SchemaOperation,
    Series,
    Source,
)
from coderag.syntax.languages.elixir import Call, Code, body_block, body_of
from coderag.syntax.trees.literals import COMPUTED, Literal, as_text, default_of, mapping, texts
from coderag.syntax.trees.tree import descendants, named, text_of

__all__ = ["read"]

FILE_NAME = re.compile(r"(?P<version>\d+)_.*\.exs?")
CAPTURED = re.compile(r"&(\w+)/0")
GENERATED = re.compile(r"(?i)\bAS\s*\(")
QUERIES = re.compile(r"(?:^|\.)query!?$")
INDEXES = frozenset({"index", "unique_index"})
MAX_DEPTH = 20  # of blocks and functions in each other
MAX_CALLS = 20_000  # that are followed in one file, loops unrolled
OTHER_CASE = "the other case of a condition that is decided at run time"
TIMES = (("inserted_at", "inserted_at"), ("updated_at", "updated_at"))


class References(NamedTuple):
    """The call `references(:users)`."""

    table: Name
    columns: tuple[str, ...]
    type: str
    name: str
    more: tuple[str, ...]  # the other columns of this table, of a key of several
    is_whole: bool  # it says which column it refers to


def read(data: bytes, *, language: str, path: str) -> Facts | None:  # noqa: ARG001 - as every framework is asked
    """Return what an Ecto migration does on its way up, None for any other file."""
    name = path.rpartition("/")[2]
    file_name = FILE_NAME.fullmatch(name)
    if file_name is None:
        return None
    code = Code(data)
    modules = [node for node in descendants(code.root, "call") if _is_migration(node)]
    if not modules:
        return None
    reading = _Reading(code, path)
    for module in modules:
        reading.migrate(module)
    return reading.facts(Series("ecto", version=file_name["version"], name=name.rpartition(".")[0]))


def _is_migration(node: Node) -> bool:
    if text_of(node.child_by_field_name("target")) != "defmodule":
        return False
    return any(text_of(one).startswith("use ") and "Migration" in text_of(one) for one in body_of(node))


class _Reading(Steps):
    """What the statements of a migration have come to so far."""

    def __init__(self, code: Code, path: str) -> None:
        super().__init__(path)
        self._code = code
        self._functions: dict[str, Node] = {}
        self._active: list[str] = []
        self._calls = 0

    def migrate(self, module: Node) -> None:
        """Read what a migration does on its way up."""
        for node in body_of(module):
            if node.type == "call" and text_of(node.child_by_field_name("target")) in {"def", "defp"}:
                head = next((child for arguments in named(node, "arguments") for child in named(arguments)), None)
                called = head.child_by_field_name("target") if head is not None and head.type == "call" else head
                self._functions.setdefault(text_of(called), node)
        for name in ("change", "up"):
            if name in self._functions:
                self.walk(body_of(self._functions[name]), 0)

    def walk(self, nodes: Sequence[Node], depth: int) -> None:
        """Read statements in order."""
        if depth > MAX_DEPTH or self._calls > MAX_CALLS:
            return
        for node in nodes:
            self._calls += 1
            if node.type == "identifier":
                self._follow(text_of(node), depth)
            elif node.type == "call":
                self._call(self._code.call(node), depth)
            elif node.type == "binary_operator":  # table |> create(), x = ...
                self.walk([child for child in named(node) if child.type == "call"], depth + 1)

    def _follow(self, name: str, depth: int) -> None:
        """Read a function of the module that another one calls."""
        function = self._functions.get(name)
        if function is None or name in self._active or name in {"change", "up", "down"}:
            return
        self._active.append(name)
        self.walk(body_of(function), depth + 1)
        self._active.pop()

    def _call(self, call: Call, depth: int) -> None:
        handler = STATEMENTS.get(call.name)
        if handler is not None:
            self.found += 1
            self.add(call.node, handler(self, call))
        elif call.name == "execute" or QUERIES.search(call.name):
            self.found += 1
            self._execute(call, depth)
        elif call.name == "for":
            self._loop(call, depth)
        elif call.name == "Enum.each" and len(call.nodes) == 2:
            self._each(call, depth)
        elif call.name in self._functions:
            self._follow(call.name, depth)
        else:
            self.walk(body_of(call.node), depth + 1)
            self._lose_other_case(call, depth)

    def _lose_other_case(self, call: Call, depth: int) -> None:
        """Note the statements below `else`, which are not read."""
        block = body_block(call.node)
        other = next((child for child in named(block, "else_block")), None)
        if other is None:
            return
        reading = _Reading(self._code, self.path)
        reading.walk(named(other), depth + 1)
        if reading.operations:
            self.lose(other, OTHER_CASE)

    def _loop(self, call: Call, depth: int) -> None:
        """Read `for x <- [...] do`, as often as there are values."""
        generator = call.nodes[0] if len(call.nodes) == 1 else None
        left = generator.child_by_field_name("left") if generator is not None else None
        right = generator.child_by_field_name("right") if generator is not None else None
        values = self._code.value(right) if right is not None else COMPUTED
        self._unroll(text_of(left), values, body_of(call.node), depth)

    def _each(self, call: Call, depth: int) -> None:
        clause = next(iter(named(call.nodes[1], "stab_clause")), None)
        if clause is not None:
            body = named(clause.child_by_field_name("right"))
            self._unroll(text_of(clause.child_by_field_name("left")), call.values[0], body, depth)

    def _unroll(self, name: str, values: Literal, body: Sequence[Node], depth: int) -> None:
        for value in values if isinstance(values, tuple) else (COMPUTED,):
            self._code.bind(name, value)
            self.walk(body, depth + 1)

    def _execute(self, call: Call, depth: int) -> None:
        """Read SQL, or a function that states or runs some; what changes rows only is passed over."""
        for node, value in zip(call.nodes, map(self._sql_of, call.nodes, call.values), strict=True):
            if node.type == "anonymous_function":
                for clause in named(node, "stab_clause"):
                    self.walk(named(clause.child_by_field_name("right")), depth + 1)
                return  # the second function leads back
            if isinstance(value, str):
                if changes_schema(value):
                    facts = read_embedded(value, source=lines_of(node), path=self.path)
                    self.operations += facts.operations
                    self.unparsed += facts.unparsed
                return  # the second string leads back
            if node.type in {"string", "sigil"}:
                if changes_schema(text_of(node)):
                    self.lose(node)
                return

    def _sql_of(self, node: Node, value: Literal) -> Literal:
        """Return the text that a function gives which is named by `&up/0`; any other value as it is."""
        captured = CAPTURED.fullmatch(text_of(node))
        function = self._functions.get(captured[1]) if captured else None
        if function is None:
            return value
        body = body_of(function)
        return self._code.value(body[-1]) if body else value

    def lose(self, node: Node, reason: str = COMPUTED_REASON) -> None:
        """Note a statement that is not read, once."""
        unparsed = unparsed_at(node, reason)
        if unparsed not in self.unparsed:  # a loop comes by again
            self.unparsed.append(unparsed)

    # Statements

    def create(self, call: Call) -> Made:
        """Read `create table(...)`, and what else can be created."""
        inner = self._inner(call)
        if inner is None:
            return None
        if inner.name in INDEXES:
            return self._create_index(inner)
        if inner.name == "constraint":
            table, check = _table(inner), inner.options.get("check")
            if table is None or not (inner.text(1) or check):
                return None
            source = lines_of(inner.node)
            return [AddConstraint(table, inner.text(1), check=check, source=source)] if isinstance(check, str) else []
        if inner.name != "table":
            return []
        return self._create_table(call, inner)

    def _inner(self, call: Call) -> Call | None:
        """Return the call that is the first argument: `table(:x)` of `create table(:x)`."""
        node = call.nodes[0] if call.nodes else None
        return self._code.call(node) if node is not None and node.type == "call" else None

    def _create_table(self, call: Call, inner: Call) -> Made:
        name = _table(inner)
        if name is None:
            return None
        source = lines_of(call.node)
        inside: list[SchemaOperation] = []
        implied: list[Column] = []
        stated = inner.options.get("primary_key", True)
        if stated is not False:
            details = mapping(stated)
            column = as_text(details.get("name")) or "id"
            kind = type_of(details["type"], {}) if "type" in details else KEY_TYPE
            line = Source("", source.start_line, source.start_line)
            implied.append(Column(column, kind, nullable=False, identity=kind == KEY_TYPE, source=line))
            inside.append(AddConstraint(name, primary_key=(column,), source=line))
        inside = _with_one_key([*inside, *self._changes(call, name)])
        if comment := as_text(inner.options.get("comment")):
            inside.append(CommentOn(name, comment, source=source))
        table, rest = table_of(name, inside, source, implied=implied)
        return [CreateTable(table, if_missing=call.name == "create_if_not_exists"), *rest]

    def alter(self, call: Call) -> Made:
        """Read `alter table(...) do`."""
        inner = self._inner(call)
        name = _table(inner) if inner is not None else None
        return _with_one_key(list(self._changes(call, name))) if name is not None else None

    def _changes(self, call: Call, table: Name) -> Iterator[SchemaOperation]:
        """Yield what the block of a table does."""
        for node in self._block(body_of(call.node), 0):
            one = self._code.call(node)
            handler = COLUMNS.get(one.name)
            if handler is None:
                continue
            made: list[SchemaOperation] = []
            self.add(node, handler(self, one, table), made)
            yield from made

    def _block(self, nodes: Sequence[Node], depth: int) -> Iterator[Node]:
        """Yield the calls of a table's block, also those under a condition and of functions of the module."""
        for node in nodes if depth < MAX_DEPTH else ():
            name = text_of(node.child_by_field_name("target")) if node.type == "call" else text_of(node)
            if node.type == "call" and name in COLUMNS:
                yield node
            elif name in self._functions and name not in self._active:
                self._active.append(name)
                yield from self._block(body_of(self._functions[name]), depth + 1)
                self._active.pop()
            elif node.type == "call":
                yield from self._block(body_of(node), depth + 1)

    def add_column(self, call: Call, table: Name) -> Made:
        """Read `add :column, :type`."""
        name = call.text(0)
        if not name or len(call.nodes) < 2:
            return None
        source = lines_of(call.node)
        references = self._references(call.nodes[1])
        kind = references.type if references is not None else type_of(call.values[1], call.options)
        stated = as_text(call.options.get("generated"))
        computed = GENERATED.search(stated)
        generated = stated[computed.end() :].rpartition(")")[0].strip() if computed else stated
        is_key = call.options.get("primary_key") is True
        column = Column(
            name,
            kind,
            nullable=call.options.get("null") is not False and not is_key,
            default=default_of(call.options.get("default", COMPUTED)) or "",
            comment=as_text(call.options.get("comment")),
            generated=generated,
            identity=call.values[1] in {"serial", "bigserial", "identity"}
            if isinstance(call.values[1], str)
            else False,
            source=source,
        )
        is_guarded = call.name.endswith("_if_not_exists")
        found: list[SchemaOperation] = [AddColumn(table, column, if_missing=is_guarded, source=source)]
        if is_key:
            found.append(AddConstraint(table, primary_key=(name,), source=source))
        return [*found, *_key(table, name, references, source)]

    def modify(self, call: Call, table: Name) -> Made:
        """Read `modify :column, :type`."""
        name = call.text(0)
        if not name or len(call.nodes) < 2:
            return None
        source = lines_of(call.node)
        references = self._references(call.nodes[1])
        kind = references.type if references is not None else type_of(call.values[1], call.options)
        null = call.options.get("null")
        comment = call.options.get("comment")
        altered = AlterColumn(
            table,
            name,
            type=kind,
            nullable=null if isinstance(null, bool) else None,
            default=default_of(call.options.get("default", COMPUTED)),
            comment=comment if isinstance(comment, str) else None,
            source=source,
        )
        keys = (
            [AddConstraint(table, primary_key=(name,), source=source)]
            if call.options.get("primary_key") is True
            else []
        )
        return [altered, *keys, *_key(table, name, references, source)]

    def remove(self, call: Call, table: Name) -> Made:
        """Read `remove :column`."""
        name = call.text(0)
        is_guarded = call.name.endswith("_if_exists")
        return [DropColumn(table, name, if_exists=is_guarded, source=lines_of(call.node))] if name else None

    def timestamps(self, call: Call, table: Name) -> list[SchemaOperation]:
        """Read `timestamps()`."""
        source = lines_of(call.node)
        kind = type_of(call.options.get("type", "naive_datetime"), {})
        is_nullable = call.options.get("null") is True
        default = default_of(call.options.get("default", COMPUTED)) or ""
        found: list[SchemaOperation] = []
        for option, usual in TIMES:
            name = call.options.get(option, usual)
            if isinstance(name, str):
                column = Column(name, kind, nullable=is_nullable, default=default, source=source)
                found.append(AddColumn(table, column, source=source))
        return found

    def _references(self, node: Node) -> References | None:
        if node.type != "call" or text_of(node.child_by_field_name("target")) != "references":
            return None
        call = self._code.call(node)
        table = _table(call)
        if table is None:
            return None
        column, kind = call.options.get("column"), call.options.get("type")
        more = mapping(call.options.get("with"))
        return References(
            table,
            columns=(as_text(column) or "id", *(as_text(one) for one in more.values())),
            type=type_of(kind, {}) if kind is not None else KEY_TYPE,
            name=as_text(call.options.get("name")),
            more=tuple(more),
            is_whole=bool(column or more),
        )

    def _create_index(self, call: Call) -> Made:
        is_unique = call.name == "unique_index" or call.options.get("unique") is True
        if not is_unique or "where" in call.options:
            return []  # an index of other rows than all says nothing of the table
        table = _table(call)
        columns = texts(call.values[1]) if len(call.values) > 1 else None
        if table is None or columns is None:
            return None
        if any(not re.fullmatch(r"\w+", column) for column in columns):
            return []  # of an expression
        name = as_text(call.options.get("name")) or _index_name(table, columns)
        return [AddConstraint(table, name, unique=columns, source=lines_of(call.node))]

    def drop(self, call: Call) -> Made:
        """Read `drop table(...)`, and what else can be dropped."""
        inner = self._inner(call)
        table = _table(inner) if inner is not None else None
        if inner is None or table is None:
            return None
        source = lines_of(call.node)
        is_guarded = call.name.endswith("_if_exists")
        if inner.name in INDEXES:
            columns = texts(inner.values[1]) if len(inner.values) > 1 else None
            name = as_text(inner.options.get("name")) or (_index_name(table, columns) if columns else "")
            # Whether it was unique is not said, so it may be one that is not known here.
            return [DropConstraint(table, name, if_exists=True, source=source)] if name else None
        if inner.name == "constraint":
            name = inner.text(1)
            return [DropConstraint(table, name, if_exists=is_guarded, source=source)] if name else None
        return [Drop(table, if_exists=is_guarded, source=source)] if inner.name == "table" else []

    def rename(self, call: Call) -> Made:
        """Read `rename table(:a), to: table(:b)` and `rename table(:a), :old, to: :new`."""
        inner = self._inner(call)
        table = _table(inner) if inner is not None else None
        if table is None:
            return None
        source = lines_of(call.node)
        if len(call.nodes) > 1:
            new = as_text(call.options.get("to"))
            return [RenameColumn(table, call.text(1), new, source=source)] if call.text(1) and new else None
        to = call.option_nodes.get("to")
        renamed = _table(self._code.call(to)) if to is not None and to.type == "call" else None
        return [Rename(table, renamed, source=source)] if renamed is not None else None


def _with_one_key(changes: Sequence[SchemaOperation]) -> list[SchemaOperation]:
    """Return the changes of one statement with the columns of the primary key in one of them."""
    keys = [change for change in changes if isinstance(change, AddConstraint) and change.primary_key]
    if len(keys) < 2:
        return list(changes)
    whole = replace(keys[-1], primary_key=tuple(name for key in keys for name in key.primary_key))
    return [*(change for change in changes if change not in keys), whole]


STATEMENTS: Mapping[str, Callable[[_Reading, Call], Made]] = {
    "create": _Reading.create,
    "create_if_not_exists": _Reading.create,
    "alter": _Reading.alter,
    "drop": _Reading.drop,
    "drop_if_exists": _Reading.drop,
    "rename": _Reading.rename,
}
COLUMNS: Mapping[str, Callable[[_Reading, Call, Name], Made]] = {
    "add": _Reading.add_column,
    "add_if_not_exists": _Reading.add_column,
    "modify": _Reading.modify,
    "remove": _Reading.remove,
    "remove_if_exists": _Reading.remove,
    "timestamps": _Reading.timestamps,
}


def _table(call: Call) -> Name | None:
    """Return the table that a call of table, index, constraint or references names first."""
    name = call.text(0)
    return Name(name, schema=as_text(call.options.get("prefix"))) if name else None


def _key(table: Name, column: str, references: References | None, source: Source) -> list[SchemaOperation]:
    if references is None:
        return []
    key = ForeignKey(
        columns=(column, *references.more),
        table=references.table,
        referenced=references.columns if references.is_whole else (),
        name=references.name or f"{table.name}_{column}_fkey",
        source=source,
    )
    return [AddConstraint(table, name=key.name, foreign_key=key, source=source)]


def _index_name(table: Name, columns: Sequence[str]) -> str:
    return f"{table.name}_{'_'.join(columns)}_index"
