"""Rails' db/schema.rb and its migrations to operations.

https://guides.rubyonrails.org/active_record_migrations.html
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from msgspec.structs import replace
from tree_sitter import Node

from coderag.frameworks.common.embedded_sql import read_embedded
from coderag.frameworks.common.embedded_words import changes_schema
from coderag.frameworks.common.guarded import guarded
from coderag.frameworks.common.origins import COMPUTED_REASON, lines_of, unparsed_at
from coderag.frameworks.engine.columns import table_of
from coderag.frameworks.rails.era import Era, era_of
from coderag.frameworks.rails.reverse import reverted
from coderag.frameworks.rails.ruby import Arguments, Code
from coderag.frameworks.rails.tables import OUTSIDE, TableCall, column_of, join_name, operations_of, qualified
from coderag.sql.records import (
    Column,
    CreateTable,
    CreateType,
    Drop,
    Facts,
    ForeignKey,
    Name,
    ObjectKind,
    Rename,
    SchemaOperation,
    Series,
    Source,
    TypeDefinition,
    Unparsed,
)
from coderag.syntax.trees.literals import Literal, as_text, texts
from coderag.syntax.trees.tree import descendants, named, text_of
from coderag.text.inflection import singular

__all__ = ["read"]

# Rails' own test of the name of a migration.
FILE_NAME = re.compile(r"(?P<version>\d+)_[_a-z0-9]*(?:\.[_a-z0-9]*)?\.rb")
DATABASE = re.compile(r"(?:^|/)db/(?:(?P<schema>\w+)_schema\.rb|(?P<migrate>\w+)_migrate/[^/]+)$")
POSTGRES = re.compile(
    rb"enable_extension|\bt\.(?:jsonb|hstore|citext|inet|tsvector|\w+range)\b|using: :(?:gin|gist|brin)|create_enum"
)
MYSQL = re.compile(rb"(?i)ENGINE=InnoDB|charset: \"utf8|collation: \"utf8|\bunsigned: true|utf8mb4")
DEFINE = re.compile(r"(?m)^ActiveRecord::Schema(?:\[[\d.]+\])?\.define(?:\(version: ([\d_]+)\))?")
EXISTING_TABLE = re.compile(
    r"\s*(?:connection\.)?(?:table|data_source)_exists\?[ (]\s*[:\"']([\w.]+)['\"]?\s*+(?:\)\s*)?"
)
EXISTS = re.compile(r"(?:table|column|index|foreign_key|constraint|check_constraint|data_source|view)_exists\?")
IN_MEMORY = re.compile(rb"""establish_connection\b[^\n]{0,200}["']:memory:["']""")
MAX_DEPTH = 30  # of blocks and methods in each other
MAX_CALLS = 20_000  # that are followed in one file, loops unrolled
NO_ARGUMENTS = Arguments((), (), {}, None)


class Within(NamedTuple):
    """The table of the block that is read, under the name of the block's parameter."""

    parameter: str
    table: Name
    found: list[SchemaOperation]


def read(data: bytes, *, language: str, path: str) -> Facts | None:  # noqa: ARG001 - as every framework is asked
    """Return what schema.rb or a migration does, None for any other file. Only the way up is read."""
    name = path.rpartition("/")[2]
    file_name = FILE_NAME.fullmatch(name)
    code = Code(data)
    series: Series | None
    if (schema := _schema(code)) is not None:
        series = Series("rails", version=schema.version, name=name.removesuffix(".rb"), snapshot=True)
        if not schema.version and not name.endswith("schema.rb"):
            if IN_MEMORY.search(data):
                return None  # a script whose tables are gone when it ends
            series = None  # a script that makes its own tables
        reading = _Reading(code, path=path, era=Era(), snapshot=True)
        reading.walk(schema.statements)
    elif file_name is not None and (migrations := list(_migrations(code))):
        series = Series("rails", version=file_name["version"], name=name.removesuffix(".rb"))
        reading = _Reading(code, path=path, era=era_of(_superclass(migrations[0]), file_name["version"]))
        for migration in migrations:
            reading.migrate(migration)
    else:
        return None
    dialect, guess = _dialect(data)
    database = DATABASE.search(path)
    return Facts(
        dialect=dialect,
        guess=guess,
        statements=reading.statements,
        database=(database["schema"] or database["migrate"] or "") if database else "",
        series=series,
        unparsed=tuple(reading.unparsed),
        operations=tuple(reading.operations),
    )


class Schema(NamedTuple):
    """The call of ActiveRecord::Schema.define."""

    version: str
    statements: Sequence[Node]


def _schema(code: Code) -> Schema | None:
    """Return the schema that a file states; of half a file, the statements that are whole."""
    for node in named(code.root, "call"):
        receiver = text_of(node.child_by_field_name("receiver"))
        if text_of(node.child_by_field_name("method")) == "define" and receiver.startswith("ActiveRecord::Schema"):
            block = code.statements(node.child_by_field_name("block"))
            return Schema(code.arguments(node).option("version"), block)
    match = DEFINE.search(text_of(code.root)) if code.root.has_error else None
    if match is None:
        return None
    return Schema((match[1] or "").replace("_", ""), list(descendants(code.root, "call", into=False)))


def _migrations(code: Code) -> Iterator[Node]:
    for node in descendants(code.root, "class"):
        if "Migration" in _superclass(node):
            yield node


def _superclass(node: Node) -> str:
    return text_of(node.child_by_field_name("superclass"))


def _dialect(data: bytes) -> tuple[str, str]:
    for name, sign in (("postgres", POSTGRES), ("mysql", MYSQL)):
        if match := sign.search(data):
            return name, f"{match[0].decode()} is of this database"
    return "", ""


class _Reading:
    """What the statements of a file have come to so far."""

    def __init__(self, code: Code, *, path: str, era: Era, snapshot: bool = False) -> None:
        self.operations: list[SchemaOperation] = []
        self.unparsed: list[Unparsed] = []
        self.statements = 0
        self._code = code
        self._path = path
        self._era = era
        self._snapshot = snapshot
        self._methods: dict[str, Node] = {}
        self._active: list[str] = []  # the helper methods that are being read
        self._calls = 0
        self._guarded = False  # whether a condition asks for what exists
        self._needed: Name | None = None  # the table that a condition asks for

    def migrate(self, migration: Node) -> None:
        """Read what a migration does on its way up."""
        self._methods = {
            text_of(descendant.child_by_field_name("name")): descendant
            for descendant in descendants(migration, "method", "singleton_method")
        }
        for name in ("change", "up"):
            if (method := self._methods.get(name)) is not None:
                self.walk(self._code.statements(method))

    def walk(self, nodes: Sequence[Node], within: Within | None = None, depth: int = 0) -> None:
        """Read statements; `within` is the table of the innermost block."""
        if depth > MAX_DEPTH or self._calls > MAX_CALLS:
            return
        for node in nodes:
            self._calls += 1
            if node.type == "call":
                self._call(node, within, depth)
            elif node.type == "identifier":
                self._helper(text_of(node), (), within, depth)
            elif node.type in {"begin", "parenthesized_statements"}:
                self.walk(named(node), within, depth + 1)
            elif node.type in {"if", "unless", "if_modifier", "unless_modifier"}:
                self._condition(node, within, depth)

    def _condition(self, node: Node, within: Within | None, depth: int) -> None:
        """Read what stands under a condition; where that asks for something else than existence, not the other case."""
        condition = text_of(node.child_by_field_name("condition"))
        asks = EXISTS.search(condition) is not None
        before = self._guarded, self._needed
        self._guarded = self._guarded or asks
        body = node.child_by_field_name("body")
        if asks and body is not None and body.type == "return":
            # What follows is only done where it is not there yet, or where something else is.
            self._guarded = True
            if node.type.startswith("unless") and (needed := EXISTING_TABLE.fullmatch(condition)):
                self._needed = qualified(needed[1])
            return
        if node.type.startswith("if") and (needed := EXISTING_TABLE.fullmatch(condition)):
            self._needed = qualified(needed[1])
        self.walk([body] if body is not None else named(node.child_by_field_name("consequence")), within, depth + 1)
        alternative = node.child_by_field_name("alternative")
        if alternative is not None:
            branch = _Reading(self._code, path=self._path, era=self._era) if not asks else self
            branch.walk(named(alternative), within if asks else None, depth + 1)
            if not asks and branch.operations:
                self._lose(alternative, "the other case of a condition that is decided at run time")
        self._guarded, self._needed = before

    def _helper(self, name: str, values: Sequence[Literal], within: Within | None, depth: int) -> None:
        """Read a method of the migration that another one calls."""
        method = self._methods.get(name)
        if method is None or name in self._active or name in {"down", "change", "up"}:
            return
        for parameter, value in zip(self._code.parameters(method), values, strict=False):
            self._code.bind(parameter, value)
        self._active.append(name)
        self.walk(self._code.statements(method), within, depth + 1)
        self._active.pop()

    def _call(self, node: Node, within: Within | None, depth: int) -> None:
        method = text_of(node.child_by_field_name("method"))
        receiver = node.child_by_field_name("receiver")
        arguments = self._code.arguments(node)
        if within is not None and receiver is not None and text_of(receiver) == within.parameter:
            self._on_table(TableCall(method, within.table, arguments, lines_of(node), self._era), node, within.found)
        elif receiver is None or text_of(receiver).endswith(("connection", "self")):
            if not self._statement(node, method, arguments):
                self._helper(method, arguments.values, within, depth)
                self.walk(self._code.statements(arguments.block), within, depth + 1)
        elif (rounds := self._code.rounds(node)) is not None:
            for value in rounds:
                self._code.bind_each(arguments.block, value)
                self.walk(self._code.statements(arguments.block), within, depth + 1)
        elif method != "down":  # dir.up of reversible, and loops whose values are computed
            self.walk(self._code.statements(arguments.block), within, depth + 1)

    def _statement(self, node: Node, method: str, arguments: Arguments) -> bool:
        """Read a statement of Rails; tell whether it is one."""
        source = lines_of(node)
        if method in OUTSIDE:
            table = arguments.text(0)
            if table is None:
                self._lose(node, COMPUTED_REASON)
            else:
                rest = _rest(arguments)
                call = TableCall(OUTSIDE[method], qualified(table), rest, source, self._era)
                self._on_table(call, node, self.operations)
            self.statements += 1
            return True
        handler = STATEMENTS.get(method)
        if handler is None:
            return False
        self.statements += 1
        found = handler(self, node, arguments)
        if found is None:
            self._lose(node, COMPUTED_REASON)
        else:
            self._add(found)
        return True

    def _on_table(self, call: TableCall, node: Node, found: list[SchemaOperation]) -> None:
        operations = operations_of(call)
        if operations is None:
            self._lose(node, COMPUTED_REASON)
        else:
            self._add(operations, found)

    def _add(self, operations: Sequence[SchemaOperation], found: list[SchemaOperation] | None = None) -> None:
        found = self.operations if found is None else found
        found.extend(guarded(one, needs=self._needed) if self._guarded else one for one in operations)

    def _lose(self, node: Node, reason: str) -> None:
        unparsed = unparsed_at(node, reason)
        if unparsed not in self.unparsed:  # a loop comes by again
            self.unparsed.append(unparsed)

    # What stands outside of blocks

    def create_table(self, node: Node, arguments: Arguments) -> list[SchemaOperation] | None:
        """Read create_table with its block."""
        name = arguments.text(0)
        if name is None:
            return None
        options, source, table = arguments.options, lines_of(node), qualified(name)
        key, columns = self._key(options, Source("", source.start_line, source.start_line))
        body: list[SchemaOperation] = []
        if arguments.block is not None:
            [parameter] = self._code.parameters(arguments.block)[:1] or [""]
            self.walk(self._code.statements(arguments.block), Within(parameter, table, body))
        for one in node.children_by_field_name("arguments"):
            if "&:timestamps" in text_of(one):
                body += operations_of(TableCall("timestamps", table, NO_ARGUMENTS, source, self._era)) or []
        made, rest = table_of(table, body, source, implied=columns, whole=self._snapshot)
        comment = options.get("comment")
        made = replace(
            made,
            primary_key=key or made.primary_key,
            comment=comment if isinstance(comment, str) else "",
            temporary=options.get("temporary") is True,
        )
        if query := as_text(options.get("as")):
            made = replace(made, query=query)
        is_replacing = options.get("force") not in (None, False)
        if_missing = options.get("if_not_exists") is True
        return [CreateTable(made, if_missing=if_missing, replace=is_replacing and not self._snapshot), *rest]

    def _key(self, options: Mapping[str, Literal], source: Source) -> tuple[tuple[str, ...], list[Column]]:
        """Return the primary key of a new table, and the column that Rails makes for it."""
        names = texts(options.get("primary_key", "id")) or ()
        kind = options.get("id", True)
        if kind is False or len(names) > 1:
            return (names if "primary_key" in options else ()), []
        details = dict(kind) if isinstance(kind, dict) else {}
        type_name = as_text(kind) or as_text(details.get("type"))
        given = {key: options[key] for key in ("default", "limit", "unsigned") if key in options} | details
        column = column_of(names[0] if names else "id", type_name or self._era.key_type, given, source)
        counts = type_name in {"", "primary_key", "bigint", "integer", "serial", "bigserial"}
        return (column.name,), [replace(column, nullable=False, identity=counts and not column.default)]

    def change_table(self, node: Node, arguments: Arguments) -> list[SchemaOperation] | None:  # noqa: ARG002
        """Read change_table with its block."""
        name = arguments.text(0)
        if name is None:
            return None
        [parameter] = self._code.parameters(arguments.block)[:1] or [""]
        found: list[SchemaOperation] = []
        self.walk(self._code.statements(arguments.block), Within(parameter, qualified(name), found))
        return found

    def create_join_table(self, node: Node, arguments: Arguments) -> list[SchemaOperation] | None:
        """Read create_join_table: a table with the keys of two others."""
        sides = texts(arguments.values[:2])
        if sides is None or len(sides) != 2:
            return None
        options, source = arguments.options, lines_of(node)
        table = qualified(as_text(options.get("table_name")) or join_name(*sides))
        column_options = options.get("column_options")
        details = {"null": False} | (column_options if isinstance(column_options, dict) else {})
        kind = as_text(details.get("type")) or self._era.key_type
        columns = [column_of(f"{singular(side)}_id", kind, details, source) for side in sides]
        keys = (
            tuple(ForeignKey((f"{singular(side)}_id",), Name(side), source=source) for side in sides)
            if details.get("foreign_key") is True
            else ()
        )
        [parameter] = self._code.parameters(arguments.block)[:1] or [""]
        body: list[SchemaOperation] = []
        self.walk(self._code.statements(arguments.block), Within(parameter, table, body))
        made, rest = table_of(table, body, source, implied=columns, whole=self._snapshot)
        made = replace(made, foreign_keys=(*keys, *made.foreign_keys))
        return [CreateTable(made), *rest]

    def drop_join_table(self, node: Node, arguments: Arguments) -> list[SchemaOperation] | None:
        """Read drop_join_table."""
        sides = texts(arguments.values[:2])
        if sides is None or len(sides) != 2:
            return None
        name = as_text(arguments.options.get("table_name")) or join_name(*sides)
        return [Drop(qualified(name), source=lines_of(node))]

    def create_virtual_table(self, node: Node, arguments: Arguments) -> list[SchemaOperation] | None:
        """Read create_virtual_table of SQLite: a module and its arguments."""
        name, module = arguments.text(0), arguments.text(1)
        details = texts(arguments.values[2]) if len(arguments.values) > 2 else ()
        if name is None or module is None or details is None:
            return None
        text = f'CREATE VIRTUAL TABLE "{name}" USING {module} ({", ".join(details)})'
        return self._sql(text, lines_of(node), dialect="sqlite")

    def revert(self, node: Node, arguments: Arguments) -> list[SchemaOperation] | None:  # noqa: ARG002
        """Read revert with a block; another migration that it names is not known here."""
        if arguments.block is None:
            return None
        inner = _Reading(self._code, path=self._path, era=self._era)
        inner.walk(self._code.statements(arguments.block))
        self.statements += inner.statements
        return reverted(inner.operations)

    def drop_table(self, node: Node, arguments: Arguments) -> list[SchemaOperation] | None:
        """Read drop_table, which since Rails 7.1 may name several."""
        names = texts(arguments.values)
        if_exists = arguments.options.get("if_exists") is True
        source = lines_of(node)
        return [Drop(qualified(name), if_exists=if_exists, source=source) for name in names] if names else None

    def drop_virtual_table(self, node: Node, arguments: Arguments) -> list[SchemaOperation] | None:
        """Read drop_virtual_table, whose further arguments are for the way back."""
        name = arguments.text(0)
        return [Drop(qualified(name), source=lines_of(node))] if name else None

    def rename_table(self, node: Node, arguments: Arguments) -> list[SchemaOperation] | None:
        """Read rename_table."""
        old, new = arguments.text(0), arguments.text(1)
        return [Rename(qualified(old), qualified(new), source=lines_of(node))] if old and new else None

    def create_enum(self, node: Node, arguments: Arguments) -> list[SchemaOperation] | None:
        """Read create_enum: a type of PostgreSQL."""
        name, values = arguments.text(0), texts(arguments.values[1]) if len(arguments.values) > 1 else None
        if name is None or values is None:
            return None
        made = TypeDefinition(qualified(name), kind=ObjectKind.ENUM, values=values, source=lines_of(node))
        return [CreateType(made)]

    def add_enum_value(self, node: Node, arguments: Arguments) -> list[SchemaOperation] | None:
        """Read add_enum_value."""
        name, value = arguments.text(0), arguments.text(1)
        if name is None or value is None:
            return None
        made = TypeDefinition(qualified(name), kind=ObjectKind.ENUM, values=(value,), source=lines_of(node))
        return [CreateType(made, extend=True)]

    def drop_enum(self, node: Node, arguments: Arguments) -> list[SchemaOperation] | None:
        """Read drop_enum."""
        name = arguments.text(0)
        return [Drop(qualified(name), kind=ObjectKind.ENUM, source=lines_of(node))] if name else None

    def rename_enum(self, node: Node, arguments: Arguments) -> list[SchemaOperation] | None:
        """Read rename_enum."""
        old, new = arguments.text(0), arguments.text(1) or as_text(arguments.options.get("to"))
        if not old or not new:
            return None
        return [Rename(qualified(old), qualified(new), kind=ObjectKind.ENUM, source=lines_of(node))]

    def create_view(self, node: Node, arguments: Arguments) -> list[SchemaOperation] | None:
        """Read create_view of the scenic gem, whose query stands in schema.rb and not in the migration."""
        name, query = arguments.text(0), arguments.options.get("sql_definition")
        if name is None:
            return None
        if not isinstance(query, str):
            self._lose(node, "the query of the view is in another file")
            return []
        kind = "MATERIALIZED VIEW" if arguments.options.get("materialized") else "VIEW"
        shown = ".".join(f'"{part}"' for part in name.split("."))
        return self._sql(f"CREATE {kind} {shown} AS {query}", self._option_lines(node, "sql_definition"))

    def drop_view(self, node: Node, arguments: Arguments) -> list[SchemaOperation] | None:
        """Read drop_view of the scenic gem."""
        name = arguments.text(0)
        kind = ObjectKind.MATERIALIZED_VIEW if arguments.options.get("materialized") else ObjectKind.VIEW
        return [Drop(qualified(name), kind=kind, source=lines_of(node))] if name else None

    def create_routine(self, node: Node, arguments: Arguments) -> list[SchemaOperation] | None:
        """Read create_function and create_trigger of the fx gem, which state SQL in schema.rb."""
        text = arguments.options.get("sql_definition")
        if not isinstance(text, str):
            self._lose(node, "the definition is in another file")
            return []
        return self._sql(text, self._option_lines(node, "sql_definition"))

    def execute(self, node: Node, arguments: Arguments) -> list[SchemaOperation] | None:
        """Read SQL; what changes rows only is passed over."""
        text = arguments.text(0)
        if text is None:
            written = "".join(text_of(child) for child in named(node.child_by_field_name("arguments")))
            return None if changes_schema(written) else []
        if not changes_schema(text):
            return []
        return self._sql(text, self._code.lines(arguments.nodes[0]))

    def _option_lines(self, node: Node, option: str) -> Source:
        for pair in named(node.child_by_field_name("arguments"), "pair"):
            value = pair.child_by_field_name("value")
            if value is not None and text_of(pair.child_by_field_name("key")) == option:
                return self._code.lines(value)
        return lines_of(node)

    def _sql(self, text: str, source: Source, dialect: str = "") -> list[SchemaOperation]:
        dialect = dialect or _dialect(self._code.root.text or b"")[0]
        facts = read_embedded(text, source=source, path=self._path, dialect=dialect)
        self.unparsed.extend(facts.unparsed)
        return list(facts.operations)


Handler = Callable[[_Reading, Node, Arguments], "list[SchemaOperation] | None"]

STATEMENTS: Mapping[str, Handler] = {
    "create_table": _Reading.create_table,
    "change_table": _Reading.change_table,
    "create_join_table": _Reading.create_join_table,
    "drop_join_table": _Reading.drop_join_table,
    "create_virtual_table": _Reading.create_virtual_table,
    "revert": _Reading.revert,
    "drop_table": _Reading.drop_table,
    "drop_virtual_table": _Reading.drop_virtual_table,
    "rename_table": _Reading.rename_table,
    "create_enum": _Reading.create_enum,
    "add_enum_value": _Reading.add_enum_value,
    "drop_enum": _Reading.drop_enum,
    "rename_enum": _Reading.rename_enum,
    "create_view": _Reading.create_view,
    "drop_view": _Reading.drop_view,
    "create_function": _Reading.create_routine,
    "create_trigger": _Reading.create_routine,
    "execute": _Reading.execute,
}


def _rest(arguments: Arguments) -> Arguments:
    """Return arguments without the first, the table."""
    return Arguments(arguments.values[1:], arguments.nodes[1:], arguments.options, arguments.block, arguments.complete)
