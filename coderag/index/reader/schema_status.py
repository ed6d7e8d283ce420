"""What is known of the schemas of an index: databases, dialects and why, unparsed statements and conflicts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from operator import itemgetter

from coderag.catalog.databases.declared import SIDE_LABELS
from coderag.frameworks.common.shared import lost_statements
from coderag.index.catalog.catalog import Catalog
from coderag.index.reader.schema_gaps import UncreatedTable, UnreadFiles, uncreated_tables, unread_files
from coderag.index.storage.columns import unpack_labels
from coderag.index.storage.database_snapshots import DatabaseSnapshot
from coderag.index.storage.manifest import Manifest
from coderag.index.storage.segment import Segment
from coderag.sql.records import Facts

__all__ = ["KnownDatabase", "SchemaConflict", "SchemaStatus", "SqlFile", "UnparsedStatement", "schema_status"]


@dataclass(frozen=True, slots=True)
class KnownDatabase:
    """A database as the catalog has it."""

    name: str
    dialect: str
    tables: int
    environment: str = ""
    domain: str = ""
    asked: str = ""  # ISO 8601, when a database that answers was asked last; "" for files


@dataclass(frozen=True, slots=True)
class SqlFile:
    """A file that was read as SQL: in which dialect, and why in that one."""

    path: str
    dialect: str
    guess: str
    statements: int
    unparsed: int


@dataclass(frozen=True, slots=True)
class UnparsedStatement:
    """A statement that was not read, or only in part."""

    path: str
    line: int
    head: str
    reason: str
    table: bool  # a table or key is missing because of it


@dataclass(frozen=True, slots=True)
class SchemaConflict:
    """A contradiction between statements of the schemas, or something that one names and none declares."""

    path: str
    line: int
    text: str


@dataclass(frozen=True, slots=True)
class SchemaStatus:
    """The schemas of one root."""

    tables: int
    views: int
    routines: int
    queries: int
    definitions: int
    databases: tuple[KnownDatabase, ...]
    files: tuple[SqlFile, ...]
    unparsed: tuple[UnparsedStatement, ...]
    conflicts: tuple[SchemaConflict, ...]
    unread: tuple[UnreadFiles, ...] = ()  # files of frameworks that are not read
    uncreated: tuple[UncreatedTable, ...] = ()  # tables that files change and nothing creates


def schema_status(
    catalog: Catalog, snapshots: Sequence[DatabaseSnapshot], manifest: Manifest, segments: Sequence[Segment]
) -> SchemaStatus:
    """Return what is known of the schemas of an index."""
    asked = {snapshot.facts.database: snapshot.taken for snapshot in snapshots}
    # By path, as updates leave the files of segments in any order.
    facts = sorted(
        [*_facts(manifest, segments), *((snapshot.name, snapshot.facts) for snapshot in snapshots)], key=itemgetter(0)
    )
    aside = set(_aside(manifest, segments))
    views = sum(table.query != "" or "view" in table.kind for table in catalog.tables)
    return SchemaStatus(
        tables=len(catalog) - views,
        views=views,
        routines=len(catalog.routines),
        queries=len(catalog.queries),
        definitions=len(catalog.definitions),
        databases=tuple(
            KnownDatabase(
                database.name,
                database.dialect,
                database.tables,
                database.environment,
                database.domain,
                asked.get(database.name.split("@")[0], ""),
            )
            for database in catalog.databases
        ),
        files=tuple(
            SqlFile(path, found.dialect, found.guess, found.statements, len(found.unparsed))
            for path, found in facts
            if found.dialect
        ),
        unparsed=tuple(
            UnparsedStatement(path, one.line, one.head, one.reason, one.table) for path, one in lost_statements(facts)
        ),
        conflicts=tuple(SchemaConflict(problem.path, problem.line, problem.text) for problem in catalog.problems),
        unread=unread_files((path, found) for path, found in facts if path not in aside),
        uncreated=uncreated_tables(catalog.problems),
    )


def _facts(manifest: Manifest, segments: Sequence[Segment]) -> Iterator[tuple[str, Facts]]:
    for entry, segment in zip(manifest.segments, segments, strict=True):
        dead = set(entry.dead)
        for number in segment.files_with_facts():
            if number not in dead:
                yield segment.paths[number], segment.facts(number)


def _aside(manifest: Manifest, segments: Sequence[Segment]) -> Iterator[str]:
    """Yield the paths of tests, examples and what others wrote, which are not the schema of an application."""
    for entry, segment in zip(manifest.segments, segments, strict=True):
        dead = set(entry.dead)
        for number in segment.files_with_facts():
            if number not in dead and not SIDE_LABELS.isdisjoint(unpack_labels(segment.file(number).labels)):
                yield segment.paths[number]
