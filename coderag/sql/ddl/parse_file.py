"""A file of SQL to facts: what each of its statements declares, asks or holds."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from msgspec.structs import replace

from coderag.sql.ddl.elements import created_schema, in_schema
from coderag.sql.ddl.example_queries import is_named, question_of, read_query
from coderag.sql.ddl.found import Found, head_of_text
from coderag.sql.ddl.samples import Samples
from coderag.sql.ddl.statement import read_block, read_ddl
from coderag.sql.migration_order import down_rows, series_of
from coderag.sql.records import (
    AddColumn,
    AddConstraint,
    AddQuery,
    AlterColumn,
    CommentOn,
    CreateTable,
    Drop,
    DropColumn,
    DropConstraint,
    Facts,
    Name,
    Rename,
    RenameColumn,
    SchemaOperation,
    Source,
    Unparsed,
    UseDatabase,
)
from coderag.sql.sqitch import sqitch_series
from coderag.sql.statements.cursor import Cursor
from coderag.sql.statements.dialect import Dialect, Guess, dialects, find_dialect, guess_dialect
from coderag.sql.statements.lexer import scan
from coderag.sql.statements.names import is_placeholder
from coderag.sql.statements.prefixes import without_prefixes
from coderag.sql.statements.search_path import read_connect, read_use
from coderag.sql.statements.split import Statement, StatementKind, split
from coderag.syntax.lines import Rows

__all__ = ["parse_file"]

GUESSED_BYTES = 400_000
MAX_QUERY_CHARACTERS = 1_000_000  # of the queries of a file that are parsed; that takes some five seconds
MAX_RETRIED_BYTES = 500_000  # of a file that is read again in other dialects
LOST_SHARE = 0.1  # of the statements, above which an uncertain dialect may be the wrong one
CANDIDATES = ("postgres", "mysql", "tsql", "oracle")  # they differ in how text is taken apart
DECLARING = re.compile(r"(?i)\b(?:create|alter|drop|comment|sp_rename|sp_\w+extendedproperty)\b")
GRANTING = frozenset("GRANT REVOKE DENY AUDIT".split())
QUERYING = frozenset("SELECT WITH INSERT UPDATE DELETE MERGE VALUES REPLACE EXPLAIN TABLE FROM".split())
# Statements of which something must come.
NEEDED = frozenset({"CREATE TABLE", "CREATE VIEW", "CREATE MATERIALIZED VIEW", "CREATE EXTERNAL TABLE", "CREATE TYPE"})
DUMPED_DATABASE = re.compile(rb"^-- Host: .*?\bDatabase: (\S+)", re.MULTILINE)
CREATED_DATABASE = re.compile(
    r"(?i)create\s+database\s+(?:if\s+not\s+exists\s+)?(\[[^\]]+\]|`[^`]+`|\"[^\"]+\"|[^\s;]+)"
)
KEPT_BYTES, KEPT_ROWS = 16_000, 3  # of the data of one statement, in the text that is searched; seeds are shorter
SET_VARIABLE = re.compile(r"(?i):setvar\s+(?P<name>\w+)\s+(?P<value>\"[^\"]*\"|\S+)")  # sqlcmd
VARIABLE = re.compile(r"\$\((\w+)\)")
SYSTEM_DATABASES = frozenset("master model msdb tempdb information_schema mysql performance_schema sys".split())


def parse_file(data: bytes, *, path: str, dialect: str = "") -> Facts:
    """Return what a file declares, asks and holds; `dialect` is the name of its dialect where that is known.

    The data are UTF-8 with "\\n" at the ends of lines. Raises QueryError for an unknown dialect.
    """
    series = series_of(path, ()) or sqitch_series(data, path)
    return replace(_read_best(without_prefixes(data), path, dialect), series=series)


def _read_best(data: bytes, path: str, dialect: str) -> Facts:
    """Return the facts in the dialect given, else in the one that the text and its path speak for."""
    if dialect:
        return _read(data, Guess(find_dialect(dialect), "as configured"))
    guess = guess_dialect(data[:GUESSED_BYTES].decode("utf-8", "replace"), path)
    facts = _read(data, guess)
    if guess.certain or len(data) > MAX_RETRIED_BYTES or len(facts.unparsed) <= LOST_SHARE * facts.statements:
        return facts
    return _read_otherwise(data, guess, facts)


def _read_otherwise(data: bytes, guess: Guess, facts: Facts) -> Facts:
    """Return the facts of the dialect in which the least is lost; the guessed one wins a tie."""
    best = facts
    for name in CANDIDATES:
        if name == guess.dialect.name:
            continue
        reason = f"less is lost than as {guess.dialect.title}"
        facts = _read(data, Guess(dialects()[name], reason, certain=False))
        if len(facts.unparsed) < len(best.unparsed):
            best = facts
    return best


@dataclass(slots=True)
class Reading:
    """What is known of a file while its statements are read."""

    dialect: Dialect
    found: Found = field(default_factory=Found)
    columns: dict[Name, tuple[str, ...]] = field(default_factory=dict)  # of its tables
    schema: str = ""  # of CREATE SCHEMA s CREATE TABLE t ..., while it goes on
    query_characters: int = 0
    unread: list[Statement] = field(default_factory=list)  # queries beyond what is parsed
    created: list[str] = field(default_factory=list)  # databases
    variables: dict[str, str] = field(default_factory=dict)  # of sqlcmd

    def add(self, found: Found) -> None:
        """Take what a statement gave."""
        for operation in found.operations:
            if (name := _object_name(operation)) is not None and is_placeholder(name.name):
                line = _line(operation)
                self.found.unparsed.append(Unparsed(line, name.name, "a template fills in the name of its table"))
                continue
            if self.schema:
                operation = in_schema(operation, self.schema)
            if isinstance(operation, UseDatabase):
                operation = self._used(operation)
            elif isinstance(operation, CreateTable):
                self.columns[operation.table.name] = tuple(column.name for column in operation.table.columns)
            self.found.operations.append(operation)
        self.found.unparsed += found.unparsed

    def _used(self, operation: UseDatabase) -> UseDatabase:
        """Return a change of database with variables filled in; one of the system's own holds none of the tables."""
        name = VARIABLE.sub(lambda match: self.variables.get(match[1], match[0]), operation.database)
        return replace(operation, database="" if name.casefold() in SYSTEM_DATABASES else name)


def _object_name(operation: SchemaOperation) -> Name | None:
    """Return the name of the table that an operation creates or changes."""
    match operation:
        case CreateTable(table=table):
            return table.name
        case AddColumn() | AddConstraint() | AlterColumn() | DropColumn() | DropConstraint() | RenameColumn():
            return operation.table
        case CommentOn() | Drop() | Rename():
            return operation.name
        case _:
            return None


def _line(operation: SchemaOperation) -> int:
    if isinstance(operation, CreateTable):
        return operation.table.sources[0].start_line if operation.table.sources else 0
    source = getattr(operation, "source", None)
    return source.start_line if isinstance(source, Source) else 0


def _read(data: bytes, guess: Guess) -> Facts:
    dialect = guess.dialect
    reading = Reading(dialect)
    samples = Samples(dialect)
    count = 0
    taken_back = down_rows(data)
    passed: list[Rows] = []
    for statement in split(data, dialect):
        if any(first <= statement.first_row <= last for first, last in taken_back):
            continue
        count += statement.kind is not StatementKind.CLIENT
        if statement.kind is StatementKind.DATA:
            passed += _passed(statement)
            samples.read(statement, place=len(reading.found.operations), columns=reading.columns)
            if is_named(statement.before):  # a query that programs run, and no data
                _read_query(statement, reading)
        else:
            _read_statement(statement, reading)
        _follow_schema(statement, reading, ended=data[statement.end - 1 : statement.end] == b";")
    _note_unread(reading)
    return Facts(
        dialect=dialect.name,
        guess=guess.reason,
        statements=count,
        database=_database(data, reading),
        unparsed=tuple(sorted(reading.found.unparsed, key=lambda unparsed: unparsed.line)),
        passed=tuple(passed),
        operations=tuple(samples.inserted_into(reading.found.operations)),
    )


def _passed(statement: Statement) -> list[Rows]:
    """Return the rows of data that nobody looks for: all but the first of many, all of an endless one."""
    size = statement.end - statement.start
    if size <= KEPT_BYTES:
        return []
    rows = statement.last_row - statement.first_row + 1
    kept = KEPT_ROWS if rows > KEPT_ROWS and size / rows < KEPT_BYTES / KEPT_ROWS else 0
    return [(statement.first_row + kept, statement.last_row)]


def _read_statement(statement: Statement, reading: Reading) -> None:
    kind, verb = statement.kind, statement.head.partition(" ")[0]
    if kind is StatementKind.CLIENT:
        reading.add(_read_client(statement, reading))
    elif kind is StatementKind.DDL or (kind is StatementKind.ROUTINE and verb in ("CREATE", "ALTER")):
        reading.add(_checked(statement, read_ddl(statement, reading.dialect)))
        if statement.head == "CREATE DATABASE" and (made := CREATED_DATABASE.match(statement.text)) is not None:
            reading.created.append(made[1].strip('[]`"'))
    elif verb in ("USE", "SET"):
        script = scan(statement.text, reading.dialect, first_line=statement.first_row + 1)
        reading.add(read_use(Cursor(script), first=0))
    else:
        if kind is StatementKind.QUERY:
            _read_query(statement, reading)
        if verb not in GRANTING | QUERYING and DECLARING.search(statement.text):
            reading.add(read_block(statement, reading.dialect))


def _read_client(statement: Statement, reading: Reading) -> Found:
    found = Found()
    if (variable := SET_VARIABLE.match(statement.text)) is not None:
        reading.variables[variable["name"]] = variable["value"].strip('"')
    elif (used := read_connect(statement.text, _source(statement))) is not None:
        found.operations.append(used)
    return found


def _source(statement: Statement) -> Source:
    return Source("", statement.first_row + 1, statement.last_row + 1)


def _checked(statement: Statement, found: Found) -> Found:
    """Return what was found, with a note where nothing was of a statement that declares something."""
    if not found.operations and not found.unparsed and statement.head in NEEDED:
        head = head_of_text(statement.text)
        found.unparsed.append(Unparsed(statement.first_row + 1, head, "the statement could not be read", table=True))
    return found


def _read_query(statement: Statement, reading: Reading) -> None:
    reading.query_characters += len(statement.text)
    if reading.query_characters > MAX_QUERY_CHARACTERS:
        reading.unread.append(statement)
        return
    question = question_of(statement.before)
    query = read_query(statement.text, dialect=reading.dialect, question=question, source=_source(statement))
    if query is not None:
        reading.found.operations.append(AddQuery(query))


def _note_unread(reading: Reading) -> None:
    if reading.unread:
        first = reading.unread[0]
        reason = f"the file holds more queries than are read: {len(reading.unread):,} from here on"
        reading.found.unparsed.append(Unparsed(first.first_row + 1, head_of_text(first.text), reason))


def _follow_schema(statement: Statement, reading: Reading, *, ended: bool) -> None:
    """Note whether the next statement is an element of CREATE SCHEMA, which no sign ends before it."""
    if ended or statement.kind is not StatementKind.DDL:
        reading.schema = ""
    elif statement.head == "CREATE SCHEMA":
        reading.schema = created_schema(Cursor(scan(statement.text, reading.dialect)))


def _database(data: bytes, reading: Reading) -> str:
    """Return the database that a file says it belongs to."""
    if (dumped := DUMPED_DATABASE.search(data[:GUESSED_BYTES])) is not None:
        return dumped[1].decode("utf-8", "replace")
    for operation in reading.found.operations:
        if isinstance(operation, UseDatabase) and operation.database:
            return operation.database
        if isinstance(operation, CreateTable):
            break
    return reading.created[0] if len(reading.created) == 1 else ""
