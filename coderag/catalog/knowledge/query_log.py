"""Query logs and statistics to example queries: CSV, TSV, JSON and JSON lines, as servers export them."""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import msgspec

from coderag.errors import QueryError
from coderag.sql.ddl.example_queries import question_of, read_query
from coderag.sql.records import AddQuery, ExampleQuery, Facts, Name, Source, Unparsed
from coderag.sql.statements.dialect import Dialect, find_dialect, guess_dialect
from coderag.sql.statements.masking import mask_literals

__all__ = ["read_query_log"]

MAX_QUERIES = 2_000  # different ones, the most frequent first
MAX_FIELD = 4_000_000  # characters
GUESSED_QUERIES = 200
DELIMITERS = "\t;|,"

# Columns by what they hold; earlier names count first.
TEXT = tuple(
    """query query_text sql_text sql statement statement_text digest_text sql_fulltext query_string normalized_query
    querytext querytxt text command""".split()
)
CALLS = tuple(
    """calls count executions execution_count count_star exec_count num_calls num_executions total_executions
    query_count frequency runs times hits""".split()
)
QUESTION = tuple("question comment natural_language_query natural_language description title prompt note".split())
MEAN = tuple(
    """mean_exec_time mean_time mean_ms avg_ms avg_exec_time avg_duration_ms milliseconds duration_ms elapsed_ms
    execution_time total_elapsed_time""".split()
)
TOTAL = ("total_exec_time", "total_time", "total_ms", "total_duration_ms")
DIALECT = ("dialect", "engine", "db_type", "database_type")
# Columns that only one system's export has.
SIGNS = (
    ({"digest_text"}, "mysql"),
    ({"warehouse_name"}, "snowflake"),
    ({"total_slot_ms"}, "bigquery"),
    ({"total_bytes_billed"}, "bigquery"),
    ({"shared_blks_hit"}, "postgres"),
    ({"mean_exec_time"}, "postgres"),
    ({"queryid", "calls"}, "postgres"),
    ({"sql_fulltext"}, "oracle"),
    ({"plan_handle"}, "tsql"),
)
SYSTEM = frozenset(
    "pg_catalog information_schema sys pg_toast mysql performance_schema sqlite_master sqlite_schema".split()
)
SYSTEM_TABLE = re.compile(r"(?:pg_|sqlite_|svv_|stl_|stv_|all_tab|dba_|user_tab|v\$)", re.IGNORECASE)
LIST = re.compile(r"\(\s*(?:0|'\?'|\?|\$\d+|NULL)(?:\s*,\s*(?:0|'\?'|\?|\$\d+|NULL))*\s*\)", re.IGNORECASE)
COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)|--[^\n]*", re.DOTALL)


class Row(NamedTuple):
    """A row of a log: its values by the name of their column, and its lines."""

    values: Mapping[str, object]
    first: int
    last: int


@dataclass(slots=True)
class Entry:
    """A statement and how often it ran, however its literals differed."""

    text: str
    source: Source
    question: str = ""
    calls: int = 0
    milliseconds: float = 0.0  # all runs together


def read_query_log(data: bytes, *, path: str, mask: bool = False) -> Facts:
    """Return the queries of a log, those that differ in literals only as one, the most frequent ones first.

    `mask` covers the literals. Statements on nothing but the system's own tables are passed over.
    """
    try:
        rows = list(_rows(data.decode("utf-8", "replace")))
    except ValueError as error:
        return Facts(unparsed=(Unparsed(1, path.rsplit("/", 1)[-1], f"not a readable log: {error}"),))
    named = [row for row in rows if _value(row, TEXT)]
    if not named:
        return Facts(statements=len(rows)) if not rows else _no_text(rows, path)
    dialect, reason = _dialect(named, path)
    entries = sorted(_entries(named, dialect), key=lambda entry: (-entry.calls, entry.source.start_line))
    queries = [query for entry in entries[:MAX_QUERIES] if (query := _query(entry, dialect, mask=mask)) is not None]
    unparsed: list[Unparsed] = []
    if len(named) < len(rows):
        first = next(row.first for row in rows if not _value(row, TEXT))
        unparsed.append(Unparsed(first, "", f"{len(rows) - len(named):,} rows hold no query"))
    if len(entries) > MAX_QUERIES:
        left = len(entries) - MAX_QUERIES
        reason = f"{left:,} of {len(entries):,} different queries: only the {MAX_QUERIES:,} most frequent are kept"
        unparsed.append(Unparsed(1, "", reason))
    return Facts(
        dialect=dialect.name,
        guess=reason,
        statements=len(rows),
        unparsed=tuple(unparsed),
        operations=tuple(map(AddQuery, queries)),
    )


def _no_text(rows: Sequence[Row], path: str) -> Facts:
    names = ", ".join(list(rows[0].values)[:6])
    return Facts(
        statements=len(rows),
        unparsed=(Unparsed(1, path.rsplit("/", 1)[-1], f"no column holds queries; there are {names}"),),
    )


# Rows


def _rows(text: str) -> Iterator[Row]:
    """Yield the rows of a log; raise ValueError where it is in none of the formats."""
    start = text.lstrip("\ufeff \n\t")[:1]
    if start == "[":
        return _array(text)
    return _json_lines(text) if start == "{" else _table(text)


def _array(text: str) -> Iterator[Row]:
    decoder = json.JSONDecoder()
    position, line, counted = text.index("[") + 1, 1, 0
    while True:
        while position < len(text) and text[position] in " \t\n,":
            position += 1
        if position >= len(text) or text[position] == "]":
            return
        value, end = _decoded(decoder, text, position)
        line += text.count("\n", counted, position)
        first, counted = line, position
        if isinstance(value, dict):
            yield Row(_lowered(value), first, first + text.count("\n", position, end))
        position = end


def _decoded(decoder: json.JSONDecoder, text: str, position: int) -> tuple[object, int]:
    try:
        return decoder.raw_decode(text, position)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


def _json_lines(text: str) -> Iterator[Row]:
    decoder = json.JSONDecoder()
    read = 0
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            value, _ = _decoded(decoder, line.strip(), 0)
        except ValueError:
            if not read:
                raise
            value = None  # a line that was cut
        read += 1
        yield Row(_lowered(value) if isinstance(value, dict) else {}, number, number)


def _table(text: str) -> Iterator[Row]:
    header, _, _ = text.partition("\n")
    delimiter = max(DELIMITERS, key=header.count)
    limit = csv.field_size_limit(MAX_FIELD)
    try:
        reader = csv.reader(io.StringIO(text.lstrip("\ufeff"), newline=""), delimiter=delimiter)
        names = [name.strip().casefold() for name in next(reader, [])]
        first = reader.line_num + 1
        for values in reader:
            if values:
                yield Row(dict(zip(names, values, strict=False)), first, max(first, reader.line_num))
            first = reader.line_num + 1
    except csv.Error as error:
        raise ValueError(str(error)) from error
    finally:
        csv.field_size_limit(limit)


def _lowered(value: Mapping[str, object]) -> dict[str, object]:
    return {str(name).casefold(): one for name, one in value.items()}


def _value(row: Row, names: Sequence[str]) -> str:
    for name in names:
        value = row.values.get(name)
        if value is not None and not isinstance(value, (dict, list)) and (text := str(value).strip()):
            return text
    return ""


def _number(row: Row, names: Sequence[str]) -> float:
    try:
        number = float(_value(row, names).replace(",", "") or 0)
    except ValueError:
        return 0.0
    return number if math.isfinite(number) and number > 0 else 0.0


# Entries


def _dialect(rows: Sequence[Row], path: str) -> tuple[Dialect, str]:
    columns = set(rows[0].values)
    if name := _value(rows[0], DIALECT):
        try:
            return find_dialect(name), "a column says so"
        except QueryError:
            pass  # another meaning of the column
    for signs, name in SIGNS:
        if signs <= columns:
            return find_dialect(name), f"column {min(signs)}"
    guess = guess_dialect("\n".join(_value(row, TEXT) for row in rows[:GUESSED_QUERIES]), path)
    return guess.dialect, guess.reason


def _entries(rows: Sequence[Row], dialect: Dialect) -> list[Entry]:
    """Return the statements with their runs summed up; the text is that of the first."""
    keys: dict[str, str] = {}
    entries: dict[str, Entry] = {}
    for row in rows:
        text = _value(row, TEXT)
        if (key := keys.get(text)) is None:
            key = keys[text] = _key(text, dialect)
        entry = entries.get(key)
        if entry is None:
            entry = entries[key] = Entry(text, Source(start_line=row.first, end_line=row.last))
        calls = max(1, round(_number(row, CALLS)))
        entry.calls += calls
        entry.milliseconds += _number(row, TOTAL) or _number(row, MEAN) * calls
        entry.question = entry.question or question_of(_value(row, QUESTION))
    return list(entries.values())


def _key(text: str, dialect: Dialect) -> str:
    """Return what is the same for statements that differ in literals, comments and white space only."""
    masked = COMMENT.sub(" ", mask_literals(text, dialect))
    return LIST.sub("(...)", " ".join(masked.split()).rstrip("; ")).casefold()


def _query(entry: Entry, dialect: Dialect, *, mask: bool) -> ExampleQuery | None:
    question = entry.question or question_of("\n".join(COMMENT.findall(entry.text)))
    text = mask_literals(entry.text, dialect) if mask else entry.text
    query = read_query(text, dialect=dialect, question=question, source=entry.source)
    if query is None or all(map(_is_system, (*query.usage.reads, *query.usage.writes))):
        return None
    milliseconds = round(entry.milliseconds / entry.calls, 3)
    return msgspec.structs.replace(query, calls=entry.calls, milliseconds=milliseconds)


def _is_system(name: Name) -> bool:
    if name.schema:
        return name.schema.casefold() in SYSTEM
    return name.name.casefold() in SYSTEM or SYSTEM_TABLE.match(name.name) is not None
