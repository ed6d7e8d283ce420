"""A query over an index to its rows: DuckDB in memory, without files, network or settings.

Tables are filled when a query names them, and stay as long as the database; what only lists or describes them gets them
empty. Queries run in a read-only transaction and in a thread of their own, as do the views that they need computed, so
that Ctrl-C and the time limit can end them.
"""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, Generic, TypeVar, cast

from coderag.errors import QueryError
from coderag.extras import Extra, how_to_install
from coderag.relational.contents import Contents
from coderag.relational.faults import message_of
from coderag.relational.relations import Relation, needed_tables, relations
from coderag.relational.result import Rows
from coderag.relational.rows.arrays import Columns, Labels

__all__ = ["MEMORY", "RelationalDatabase"]

Made = TypeVar("Made")

MEMORY = "2GB"  # of a database with its queries, at most
SETTINGS = {  # in this order: the last two forbid all the rest
    "python_enable_replacements": "false",  # no variable of this program is a table
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "allow_community_extensions": "false",
    "temp_directory": "''",
    "memory_limit": f"'{MEMORY}'",
    "TimeZone": "'UTC'",
    "enable_external_access": "false",
    "lock_configuration": "true",
}
LISTS_TABLES = re.compile(r"\b(?:information_schema|duckdb_\w+|pg_\w+|sqlite_\w+|show)\b", re.IGNORECASE)
DESCRIBES = re.compile(r"\s*(?:describe|desc|show)\b", re.IGNORECASE)
RETRY_SECONDS = 0.05  # between two attempts to interrupt a query
STORED = "stored"  # the schema of what views look texts up in
RAW = "raw_columns"  # the name of the arrays while a table is filled


class RelationalDatabase:
    """The tables of one version of an index."""

    def __init__(self, contents: Contents, *, written: str = "") -> None:
        """Open an empty database; `written` is the only file that `write_parquet` may write. Raises QueryError."""
        self._duckdb = _library()
        self._contents = contents
        self._lock = threading.Lock()
        self._filled: set[str] = set()
        self._declared: set[str] = set()  # relations that are there without their rows
        self._connection = self._duckdb.connect(":memory:")
        if written:
            self._connection.execute(f"SET allowed_paths = [{quoted(written)}]")
        self._connection.execute(f"CREATE SCHEMA {STORED}")
        for name, value in SETTINGS.items():
            self._connection.execute(f"SET {name} = {value}")

    def rows(self, sql: str, *, k: int, seconds: float) -> Rows:
        """Return at most k rows of a query.

        Raises QueryError for what is no single SELECT, for what DuckDB refuses, and after so many seconds.
        """

        def fetch() -> Rows:
            cursor = self._connection.execute(sql)
            columns = tuple(column[0] for column in cursor.description)
            types = tuple(str(column[1]) for column in cursor.description)
            rows = cursor.fetchmany(k + 1)
            return Rows(columns, types, tuple(rows[:k]), len(rows) > k)

        return self._asked(sql, fetch, seconds)

    def write_parquet(self, sql: str, path: str, *, k: int, seconds: float) -> int:
        """Write at most k rows of a query to a file, and return how many; raises like `rows`."""

        def write() -> int:
            inner = sql.rstrip().rstrip(";")
            copied = f"COPY (SELECT * FROM (\n{inner}\n) LIMIT {k:d}) TO {quoted(path)} (FORMAT parquet)"
            return int(self._connection.execute(copied).fetchone()[0])

        return self._asked(sql, write, seconds)

    def _asked(self, sql: str, run: Callable[[], Made], seconds: float) -> Made:
        with self._lock:
            self._check(sql)
            describes = bool(DESCRIBES.match(sql))
            named = [] if describes else [relations()[name] for name in needed_tables(sql) if name not in self._filled]
            for relation in named:
                if not relation.is_view:
                    self._add(relation, self._fill_table)
            deadline = _Deadline(seconds)
            for relation in named:
                if relation.is_view:
                    self._limited(partial(self._add, relation, self._add_view), sql, deadline)
            if describes or LISTS_TABLES.search(sql):
                self._declare(relations().values())
            self._connection.execute("BEGIN TRANSACTION READ ONLY")
            try:
                return self._limited(run, sql, deadline)
            finally:
                self._connection.execute("ROLLBACK")

    def _check(self, sql: str) -> None:
        """Raise QueryError unless a text is one SELECT."""
        try:
            statements = self._connection.extract_statements(sql)
        except self._duckdb.Error as error:
            raise QueryError(message_of(error, sql)) from None
        if len(statements) != 1:
            raise QueryError(f"the SQL holds {len(statements)} statements; give one SELECT")
        kind = statements[0].type.name
        if kind == "MULTI":
            raise QueryError("a PIVOT needs its values, as in ON kind IN ('calls', 'reads'); or use GROUP BY")
        if kind != "SELECT":
            raise QueryError(f"the SQL is {kind}, and only SELECT is allowed: the index is read, never written")

    def _declare(self, wanted: Iterable[Relation]) -> None:
        """Create the relations that are not there, without rows."""
        for relation in wanted:
            if relation.name in self._filled or relation.name in self._declared:
                continue
            if relation.is_view:
                self._connection.execute(f"CREATE VIEW {relation.name} AS {relation.sql}")
            else:
                self._create_empty(relation)
            self._declared.add(relation.name)

    def _add(self, relation: Relation, fill: Callable[[Relation], None]) -> None:
        """Create a relation with its rows, in the place of one without."""
        if relation.name in self._declared:
            self._connection.execute(f"DROP {'VIEW' if relation.is_view else 'TABLE'} {relation.name}")
            self._declared.remove(relation.name)
        fill(relation)
        self._filled.add(relation.name)

    def _create_empty(self, relation: Relation) -> None:
        described = ", ".join(f"{column.name} {column.type}" for column in relation.columns)
        self._connection.execute(f"CREATE TABLE {relation.name} ({described})")

    def _fill_table(self, relation: Relation) -> None:
        columns = self._contents.columns(relation.name)
        if not columns:
            self._create_empty(relation)
            return
        try:
            self._store(relation, columns)
        except self._duckdb.OutOfMemoryException as error:
            raise QueryError(f"table {relation.name} takes more than {MEMORY}") from error

    def _add_view(self, relation: Relation) -> None:
        if relation.is_stored:
            try:
                self._connection.execute(f"CREATE TABLE {relation.name} AS {relation.sql}")
            except self._duckdb.OutOfMemoryException:
                pass  # a view takes none
            else:
                return
        self._connection.execute(f"CREATE VIEW {relation.name} AS {relation.sql}")

    def _store(self, relation: Relation, columns: Columns) -> None:
        """Fill a table; few texts of many rows are looked up by a view, so that no query pays for columns of others."""
        name = relation.name
        labels = {one: column for one, column in columns.items() if isinstance(column, Labels)}
        stored = f"{STORED}.{name}" if labels else name
        arrays = {one: column.places if isinstance(column, Labels) else column for one, column in columns.items()}
        types = {column.name: "UTINYINT" if column.name in labels else column.type for column in relation.columns}
        self._connection.register(RAW, arrays)
        try:
            cast = ", ".join(f'"{one}"::{of} AS "{one}"' for one, of in types.items())
            self._connection.execute(f"CREATE TABLE {stored} AS SELECT {cast} FROM {RAW}")
        finally:
            self._connection.unregister(RAW)
        if labels:
            shown = ", ".join(
                f'{_looked_up(type_, labels[type_])} AS "{type_}"' if type_ in labels else f'"{type_}"'
                for type_ in types
            )
            self._connection.execute(f"CREATE VIEW {name} AS SELECT {shown} FROM {stored}")

    def _limited(self, run: Callable[[], Made], sql: str, deadline: _Deadline) -> Made:
        """Return what a query gives within its time; Ctrl-C ends it at once."""
        task = _Task(run)
        threading.Thread(target=task, daemon=True).start()
        try:
            is_late = not task.ended.wait(deadline.left())
        finally:
            while not task.ended.is_set():  # again, as an interrupt between two parts of a query is forgotten
                self._connection.interrupt()
                task.ended.wait(RETRY_SECONDS)
        if is_late:
            raise QueryError(
                f"the query took more than {deadline.seconds:g} s and was stopped; give it conditions, or more time"
            )
        if isinstance(task.error, self._duckdb.OutOfMemoryException):
            raise QueryError(f"the query takes more than {MEMORY} of memory; group or limit earlier")
        if isinstance(task.error, self._duckdb.Error | ValueError):
            raise QueryError(message_of(task.error, sql))
        if task.error is not None:
            raise task.error
        return cast(Made, task.value)


class _Deadline:
    """When a query is stopped."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._end = time.monotonic() + seconds

    def left(self) -> float:
        """Return the seconds until then."""
        return max(self._end - time.monotonic(), 0.0)


class _Task(Generic[Made]):
    """A function that a thread runs, and what came of it."""

    def __init__(self, run: Callable[[], Made]) -> None:
        self._run = run
        self.value: Made | None = None
        self.error: BaseException | None = None
        self.ended = threading.Event()  # Thread.join, once interrupted, takes a thread for ended that is not

    def __call__(self) -> None:
        try:
            self.value = self._run()
        except BaseException as error:  # noqa: BLE001  # whoever waits raises it again
            self.error = error
        finally:
            self.ended.set()


def _looked_up(column: str, labels: Labels) -> str:
    """Return the text of a column as an expression."""
    pool = ", ".join("NULL" if text is None else quoted(text) for text in labels.pool)
    return f'([{pool}]::VARCHAR[])["{column}"]'


def quoted(text: str) -> str:
    """Return a text as a literal of SQL."""
    return "'" + text.replace("'", "''") + "'"


def _library() -> Any:
    try:
        import duckdb
    except ImportError:
        raise QueryError(
            f'"coderag sql" needs duckdb, which is not installed; {how_to_install(Extra.DUCKDB)}'
        ) from None
    return duckdb
