"""A store in PostgreSQL with pgvector: postings as arrays, vectors as halfvec, a segment in one transaction."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import psycopg
from psycopg import sql

from coderag.errors import QueryError, RemoteStoreError
from coderag.index.remote.objects import secrets_of, without_secrets
from coderag.index.storage.arrays.arrays import Array
from coderag.stores.store import Conditions, FileKey, Found, Published, Reach, StoredSegment

__all__ = ["PostgresStore"]

LOCK = 0x636F6465  # of exporters that publish or drop
EXACT_CHUNKS = 200_000  # beyond, an index over the vectors is made (HNSW)
MAX_EF = 1000  # of pgvector
BINARY_HEAD, BINARY_END = b"PGCOPY\n\xff\r\n\0" + bytes(8), b"\xff\xff"
TABLES = """
CREATE EXTENSION IF NOT EXISTS vector;
CREATE TABLE IF NOT EXISTS {schema}.generations (
    name text, number bigint, published timestamptz NOT NULL DEFAULT now(), body bytea NOT NULL,
    PRIMARY KEY (name, number));
CREATE TABLE IF NOT EXISTS {schema}.segments (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text NOT NULL UNIQUE,
    written timestamptz NOT NULL DEFAULT now());
CREATE TABLE IF NOT EXISTS {schema}.files (
    segment integer, file integer, path text NOT NULL, language text NOT NULL, is_test boolean NOT NULL,
    packet bytea NOT NULL, PRIMARY KEY (segment, file));
ALTER TABLE {schema}.files ALTER COLUMN packet SET STORAGE EXTERNAL;
CREATE TABLE IF NOT EXISTS {schema}.terms (
    key bigint, segment integer, chunks bigint NOT NULL, files integer[] NOT NULL, weights smallint[] NOT NULL,
    PRIMARY KEY (key, segment));
CREATE TABLE IF NOT EXISTS {schema}.chunks (segment integer NOT NULL, file integer NOT NULL, vector halfvec NOT NULL);
CREATE INDEX IF NOT EXISTS chunks_segment ON {schema}.chunks (segment);
"""
BY_TERMS = """
WITH seen AS (SELECT id, name FROM {schema}.segments WHERE name = ANY(%(segments)s)),
     asked AS (SELECT * FROM unnest(%(keys)s::bigint[], %(weights)s::float8[]) AS asked (key, weight)),
     scores AS (
        SELECT t.segment, own.file, sum(asked.weight * {weight}) AS score
        FROM asked JOIN {schema}.terms t ON t.key = asked.key AND t.segment IN (SELECT id FROM seen)
        CROSS JOIN LATERAL unnest(t.files, t.weights) AS own (file, weight)
        GROUP BY t.segment, own.file)
SELECT seen.name, s.file, s.score FROM scores s JOIN seen ON seen.id = s.segment {join} WHERE true {filters}
ORDER BY s.score DESC, seen.name, s.file LIMIT %(k)s
"""
BY_VECTOR = """
WITH seen AS (SELECT id, name FROM {schema}.segments WHERE name = ANY(%(segments)s))
SELECT seen.name, s.file, 1 - (s.vector::halfvec({dimensions}) <=> %(vector)s::halfvec({dimensions})) AS score
FROM {schema}.chunks s JOIN seen ON seen.id = s.segment {join} WHERE true {filters}
ORDER BY s.vector::halfvec({dimensions}) <=> %(vector)s::halfvec({dimensions}) LIMIT %(k)s
"""
DEAD = """ AND NOT EXISTS (SELECT FROM unnest(%(dead_segments)s::text[], %(dead_files)s::integer[]) AS gone (name, file)
           WHERE gone.name = seen.name AND gone.file = s.file)"""


class PostgresStore:
    """A schema of a PostgreSQL database, on one connection."""

    def __init__(self, address: str, *, schema: str = "coderag") -> None:
        """Connect; raises RemoteStoreError."""
        self._schema = sql.Identifier(schema)
        self._is_made = False
        try:
            self._connection = psycopg.connect(address, autocommit=True)
        except psycopg.Error as error:
            # What it says of an address that it cannot read repeats parts of it, the password among them.
            said = without_secrets(_text(error), (address, *secrets_of(address)))
            raise RemoteStoreError(f"PostgreSQL: {said}") from None
        with _asking():
            found = self._connection.execute(
                "SELECT to_regclass(format('%%I.generations', %s::text)) IS NOT NULL", [schema]
            ).fetchone()
            self._is_made = bool(found and found[0])

    def put_segment(self, segment: StoredSegment) -> None:
        """Write a segment in one transaction; who writes the same one meanwhile waits for it."""
        self._make()
        with _asking(), self._connection.transaction(), self._connection.cursor() as cursor:
            cursor.execute(
                self._sql("INSERT INTO {schema}.segments (name) VALUES (%s) ON CONFLICT DO NOTHING RETURNING id"),
                [segment.name],
            )
            row = cursor.fetchone()
            if row is None:
                return
            self._copy_files(cursor, row[0], segment)
            self._copy_terms(cursor, row[0], segment)
            with cursor.copy(
                self._sql("COPY {schema}.chunks (segment, file, vector) FROM STDIN (FORMAT binary)")
            ) as copy:
                copy.write(BINARY_HEAD + _vector_rows(row[0], segment) + BINARY_END)
        self._index_vectors(segment.vectors.shape[1])

    def drop_segment(self, name: str) -> None:
        """Remove a segment in one transaction."""
        with _asking(), self._connection.transaction():
            found = self._connection.execute(
                self._sql("DELETE FROM {schema}.segments WHERE name = %s RETURNING id"), [name]
            ).fetchone()
            for table in ("files", "terms", "chunks") if found else ():
                statement = self._sql("DELETE FROM {schema}.{table} WHERE segment = %s", table=sql.Identifier(table))
                self._connection.execute(statement, found)

    def segments(self) -> dict[str, float]:
        """Return the segments that are there, with their ages."""
        return dict(self._rows("SELECT name, extract(epoch FROM now() - written)::float8 FROM {schema}.segments"))

    def remains(self) -> dict[str, float]:
        """Return nothing: a transaction leaves no part."""
        return {}

    def publish(self, name: str, number: int, body: bytes) -> None:
        """Make a generation the current one."""
        self._make()
        with _asking():
            statement = self._sql("INSERT INTO {schema}.generations (name, number, body) VALUES (%s, %s, %s)")
            self._connection.execute(statement, [name, number, body])

    def current(self, name: str) -> Published | None:
        """Return the current generation of an index."""
        query = (
            "SELECT name, number, extract(epoch FROM now() - published)::float8, body FROM {schema}.generations "
            "WHERE name = %(name)s ORDER BY number DESC LIMIT 1"
        )
        return next((Published(*row) for row in self._rows(query, {"name": name})), None)

    def generations(self) -> list[Published]:
        """Return all generations."""
        query = "SELECT name, number, extract(epoch FROM now() - published)::float8, body FROM {schema}.generations"
        return [Published(*row) for row in self._rows(f"{query} ORDER BY name, number")]

    def names(self) -> list[str]:
        """Return the names of all indexes."""
        return [name for (name,) in self._rows("SELECT DISTINCT name FROM {schema}.generations ORDER BY name")]

    def forget(self, name: str, number: int) -> None:
        """Remove a generation."""
        with _asking():
            statement = self._sql("DELETE FROM {schema}.generations WHERE name = %s AND number = %s")
            self._connection.execute(statement, [name, number])

    @contextmanager
    def reading(self) -> Iterator[set[str]]:
        """Let everything in a block be read as of its first statement, so that nothing can be dropped meanwhile."""
        with _asking(), self._connection.transaction():
            self._connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
            yield set()

    @contextmanager
    def exclusive(self) -> Iterator[None]:
        """Hold the lock of exporters; a process that dies gives it up."""
        with _asking():
            self._connection.execute("SELECT pg_advisory_lock(%s)", [LOCK])
        try:
            yield
        finally:
            if not self._connection.broken:
                with _asking():
                    self._connection.execute("SELECT pg_advisory_unlock(%s)", [LOCK])

    def reach(self, chunks: int) -> Reach:  # noqa: ARG002
        """Return the usual numbers."""
        return Reach()

    def by_terms(
        self, keys: Array, weights: Array, where: Conditions, *, k: int, presence: bool = False
    ) -> list[Found]:
        """Return the best files by an inner product, which is exact."""
        statement, values = self._filtered(
            BY_TERMS, where, weight=sql.SQL("1.0" if presence else "own.weight / 255.0::float8")
        )
        values |= {"keys": keys.view(np.int64).tolist(), "weights": weights.astype(np.float64).tolist(), "k": k}
        return [Found(FileKey(name, file), score) for name, file, score in self._run(statement, values)]

    def by_vector(self, vector: Array, where: Conditions, *, k: int) -> list[Found]:
        """Return the nearest chunks: exactly, or by the index over the vectors where there is one."""
        statement, values = self._filtered(BY_VECTOR, where, dimensions=sql.Literal(len(vector)))
        values |= {"vector": _literal(vector), "k": k}
        with _asking(), self._connection.transaction():
            self._connection.execute(f"SET LOCAL hnsw.ef_search = {min(k, MAX_EF)}")
            self._connection.execute("SET LOCAL hnsw.iterative_scan = 'strict_order'")
            return [Found(FileKey(name, file), score) for name, file, score in self._run(statement, values)]

    def frequencies(self, keys: Array, segments: Sequence[str], *, roughly: bool = False) -> Array:  # noqa: ARG002
        """Return in how many chunks each key is."""
        query = (
            "SELECT key, sum(chunks)::bigint FROM {schema}.terms WHERE key = ANY(%(keys)s) AND segment IN "
            "(SELECT id FROM {schema}.segments WHERE name = ANY(%(segments)s)) GROUP BY key"
        )
        signed = keys.view(np.int64).tolist()
        found = dict(self._rows(query, {"keys": signed, "segments": list(segments)}))
        return np.array([found.get(key, 0) for key in signed], dtype=np.int64)

    def fetch(self, files: Iterable[FileKey], where: Conditions) -> dict[FileKey, bytes]:
        """Return the packets of files."""
        seen = set(where.segments)
        wanted = [key for key in files if key.segment in seen]
        query = (
            "SELECT s.name, f.file, f.packet FROM unnest(%(names)s::text[], %(numbers)s::integer[]) AS w (name, file) "
            "JOIN {schema}.segments s ON s.name = w.name JOIN {schema}.files f ON f.segment = s.id AND f.file = w.file"
        )
        values = {"names": [key.segment for key in wanted], "numbers": [key.number for key in wanted]}
        found = {FileKey(name, file): packet for name, file, packet in self._rows(query, values)}
        if len(found) < len(wanted):
            raise RemoteStoreError("the store dropped files of a generation while it was read; ask again")
        return found

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def _make(self) -> None:
        """Make the tables where they are not there."""
        if self._is_made:
            return
        with _asking(), self._connection.transaction():
            self._connection.execute("SELECT pg_advisory_xact_lock(%s)", [LOCK + 1])
            self._connection.execute(self._sql("CREATE SCHEMA IF NOT EXISTS {schema}"))
            self._connection.execute(self._sql(TABLES))
        self._is_made = True

    def _copy_files(self, cursor: psycopg.Cursor[Any], number: int, segment: StoredSegment) -> None:
        with cursor.copy(self._sql("COPY {schema}.files FROM STDIN")) as copy:
            for file in segment.files:
                path = file.path.encode("utf-8", "replace").decode().replace("\0", "")
                copy.write_row((number, file.number, path, file.language, file.is_test, file.packet))

    def _copy_terms(self, cursor: psycopg.Cursor[Any], number: int, segment: StoredSegment) -> None:
        ends = np.searchsorted(segment.keys, segment.terms, side="right").tolist()
        files, weights = segment.key_files.tolist(), segment.weights.tolist()
        with cursor.copy(self._sql("COPY {schema}.terms FROM STDIN")) as copy:
            begin = 0
            for key, count, end in zip(
                segment.terms.view(np.int64).tolist(), segment.counts.tolist(), ends, strict=True
            ):
                copy.write_row((key, number, count, files[begin:end], weights[begin:end]))
                begin = end

    def _index_vectors(self, dimensions: int) -> None:
        """Make an index over the vectors once there are many."""
        ((count,),) = self._rows("SELECT count(*) FROM {schema}.chunks")
        if count <= EXACT_CHUNKS or not dimensions:
            return
        statement = self._sql(
            "CREATE INDEX IF NOT EXISTS chunks_vector ON {schema}.chunks USING hnsw "
            "((vector::halfvec({dimensions})) halfvec_cosine_ops)",
            dimensions=sql.Literal(dimensions),
        )
        with _asking():
            self._connection.execute(statement)

    def _filtered(self, query: str, where: Conditions, **parts: sql.Composable) -> tuple[sql.Composed, dict[str, Any]]:
        """Return a leg with its conditions, and their values."""
        values: dict[str, Any] = {"segments": list(where.segments)}
        filters, join = "", ""
        if where.languages or where.without_tests or where.folders:
            join = "JOIN {schema}.files f ON f.segment = s.segment AND f.file = s.file"
        if where.languages:
            filters += " AND f.language = ANY(%(languages)s)"
            values["languages"] = list(where.languages)
        if where.without_tests:
            filters += " AND NOT f.is_test"
        if where.folders:
            filters += " AND f.path ^@ ANY(%(folders)s::text[])"
            values["folders"] = list(where.folders)
        if where.dead:
            filters += DEAD
            values |= {
                "dead_segments": [key.segment for key in where.dead],
                "dead_files": [key.number for key in where.dead],
            }
        return self._sql(query, join=self._sql(join), filters=sql.SQL(filters), **parts), values

    def _sql(self, query: str, **parts: sql.Composable) -> sql.Composed:
        return sql.SQL(query).format(schema=self._schema, **parts)

    def _rows(self, query: str, values: dict[str, Any] | None = None) -> list[tuple[Any, ...]]:
        return self._run(self._sql(query), values) if self._is_made else []

    def _run(self, statement: sql.Composed, values: dict[str, Any] | None = None) -> list[tuple[Any, ...]]:
        with _asking():
            return self._connection.execute(statement, values).fetchall()


def _vector_rows(number: int, segment: StoredSegment) -> bytes:
    """Return the rows of a segment's chunks as PostgreSQL's binary copy takes them."""
    count, dimensions = segment.vectors.shape
    row = np.dtype(
        [
            *(("fields", ">i2"), ("segment_bytes", ">i4"), ("segment", ">i4"), ("file_bytes", ">i4"), ("file", ">i4")),
            *(("vector_bytes", ">i4"), ("dimensions", ">i2"), ("unused", ">i2"), ("vector", ">f2", (dimensions,))),
        ]
    )
    rows = np.zeros(count, dtype=row)
    rows["fields"], rows["segment_bytes"], rows["file_bytes"] = 3, 4, 4
    rows["segment"], rows["file"] = number, segment.vector_files
    rows["vector_bytes"], rows["dimensions"] = 4 + 2 * dimensions, dimensions
    rows["vector"] = segment.vectors
    return rows.tobytes()


def _literal(vector: Array) -> str:
    """Return a vector as pgvector reads it."""
    unit = vector / max(float(np.linalg.norm(vector)), 1e-9)
    return "[" + ",".join(f"{value:.6f}" for value in unit.tolist()) + "]"


@contextmanager
def _asking() -> Iterator[None]:
    try:
        yield
    except psycopg.errors.InsufficientPrivilege as error:
        raise QueryError(f"PostgreSQL refuses: {_text(error)}") from error
    except psycopg.errors.UndefinedFile as error:
        raise QueryError(f"PostgreSQL has no extension pgvector, which a store needs: {_text(error)}") from error
    except psycopg.Error as error:
        raise RemoteStoreError(f"PostgreSQL: {_text(error)}") from error


def _text(error: psycopg.Error) -> str:
    return " ".join(str(error).split()) or type(error).__name__
