"""What all files tell, statement by statement, to the schema as it is now."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from msgspec.structs import replace

from coderag.catalog.databases.grouping import Group, grouped
from coderag.catalog.merge.query_links import Catalogue, tie_definitions, tie_queries
from coderag.catalog.replay.built import Built, built
from coderag.catalog.replay.resolve import Resolved, resolve
from coderag.catalog.replay.state import State
from coderag.sql.lineage.usage import without_tables
from coderag.sql.migration_order import series_in
from coderag.sql.records import (
    AddDefinition,
    AddQuery,
    CreateTable,
    Database,
    Definition,
    ExampleQuery,
    Origin,
    Schema,
    SchemaFile,
    SchemaOperation,
    Source,
    Table,
)
from coderag.sql.settings import FileSettings, Settings

__all__ = ["fold"]

TELLING: Mapping[
    str, Callable[[SchemaOperation], bool]
] = {  # what counts of a file that the settings have read as something
    "ddl": lambda operation: not isinstance(operation, AddQuery),
    "glossary": lambda operation: isinstance(operation, AddDefinition),
    "off": lambda _: False,
    "queries": lambda operation: isinstance(operation, (AddQuery, AddDefinition)),
    "querylog": lambda operation: isinstance(operation, AddQuery),
}


@dataclass(frozen=True, slots=True)
class _Folded:
    """A group's state, and the names of its databases by what the state calls them, folded."""

    group: Group
    state: State
    databases: Mapping[str, str]


def fold(files: Sequence[SchemaFile], settings: Settings) -> Schema:
    """Return the schema of files and databases; the order of `files` does not matter."""

    @cache
    def told(path: str) -> FileSettings:
        return settings.for_path(path)

    counted = sorted((_counted(file, told(file.path)) for file in files), key=lambda file: file.path)
    groups, problems = grouped(counted, settings)
    folded = _named(built(groups))
    databases: list[Database] = []
    tables: list[Table] = []
    resolutions: list[Resolved] = []
    for one in folded:
        resolution = resolve(one.state, one.databases)
        resolutions.append(resolution)
        problems += [*one.state.all_problems(), *resolution.problems]
        finished = [_finished(table, one, told) for table in resolution.tables]
        tables += finished
        databases += _databases(one, finished)
    catalogue = Catalogue(tables, databases)
    names = {database.name.casefold(): database.name for database in databases}
    named = {
        file.path: names[name]
        for file in counted
        if (name := (told(file.path).database or file.facts.database).casefold()) in names
    }
    past = {file.path for file in counted if file.facts.series is not None}
    past.update(series_in(file.path for file in counted))
    queries, missing = tie_queries(_queries(counted), catalogue, named=named, past=past)
    return Schema(
        databases=tuple(databases),
        tables=tuple(tables),
        routines=tuple(routine for resolved in resolutions for routine in resolved.routines),
        types=tuple(type_definition for resolved in resolutions for type_definition in resolved.types),
        queries=tuple(queries),
        definitions=tuple(tie_definitions(_definitions(counted), catalogue, named=named)),
        problems=tuple(
            sorted(
                dict.fromkeys([*problems, *missing]), key=lambda problem: (problem.path, problem.line, problem.text)
            ),
        ),
    )


def _counted(file: SchemaFile, told: FileSettings) -> SchemaFile:
    """Return a file without what the settings do not have read."""
    if not told.read:
        return file
    counts = TELLING[told.read]
    operations: tuple[SchemaOperation, ...] = tuple(
        operation for operation in file.facts.operations if counts(operation)
    )
    return replace(file, facts=replace(file.facts, operations=operations))


def _named(found: Sequence[Built]) -> list[_Folded]:
    """Give each database of each state a name that no other has.

    One that was asked is called as it calls itself. A database that files switch to is called as they call it. Either
    holds unless another one is called so too.
    """
    used = [{key for key, _ in _objects(one.state)} for one in found]
    asked = _asked_names(found, used)
    written = Counter(key for keys, own in zip(used, asked, strict=True) for key in keys if key and key not in own)
    taken = {name.casefold() for own in asked for name in own.values()}
    taken |= {
        one.group.name.casefold()
        for one, keys, own in zip(found, used, asked, strict=True)
        if "" in keys and "" not in own
    }
    folded = []
    for one, keys, own in zip(found, used, asked, strict=True):
        group = one.group
        names = {"": group.name}
        for key, name in one.state.databases.items():
            alone = written[key] <= 1 and key not in taken
            if key:
                names[key] = name if alone else group.name if keys == {key} else f"{group.name}/{name}"
        folded.append(_Folded(group, one.state, names | own))
    return folded


def _asked_names(found: Sequence[Built], used: Sequence[set[str]]) -> list[dict[str, str]]:
    """Return the names of the databases that were asked, by what the states call them, folded."""
    names = Counter(group.told.casefold() for one in found for group in one.asked.values())
    others = {
        one.group.name.casefold() for one, keys in zip(found, used, strict=True) if "" in keys and "" not in one.asked
    }
    others |= {key for one, keys in zip(found, used, strict=True) for key in keys if key not in one.asked}
    return [
        {
            key: group.told if names[group.told.casefold()] == 1 and group.told.casefold() not in others else group.name
            for key, group in one.asked.items()
        }
        for one in found
    ]


def _objects(state: State) -> Iterator[tuple[str, str]]:
    """Yield the database and the path of everything in a state."""
    for table in state.tables.values():
        yield table.name.database.casefold(), table.declared.path
    for routine in state.routines.values():
        yield routine.name.database.casefold(), routine.source.path
    for type_definition in state.types.values():
        yield type_definition.name.database.casefold(), type_definition.source.path


def _finished(table: Table, folded: _Folded, told: Callable[[str], FileSettings]) -> Table:
    """Return a table with what its file and its group add to it."""
    path = table.sources[0].path
    file = folded.state.files.get(path)
    if file is None:
        return table
    return replace(
        table,
        dialect=table.dialect or file.facts.dialect,
        environment=told(path).environment or table.environment or folded.group.environment,
        domain=told(path).domain or table.domain or folded.group.domain,
        labels=table.labels or file.labels,
        modified=table.modified or file.modified,
        origins=_origins(table, folded.group),
    )


def _origins(table: Table, group: Group) -> tuple[Origin, ...]:
    """Return where a table is known from; SQL in a migration is a migration."""
    origins = dict.fromkeys(table.origins or (Origin.DDL,))
    if any(source.path in group.migrations for source in table.sources):
        origins[Origin.MIGRATION] = None
        if table.sources[0].path in group.migrations:
            origins.pop(Origin.DDL, None)
    return tuple(sorted(origins, key=list(Origin).index))


def _databases(folded: _Folded, tables: Sequence[Table]) -> Iterator[Database]:
    """Yield the databases of a group that have anything in them, by name."""
    group, state = folded.group, folded.state
    paths: dict[str, set[str]] = {}
    for key, path in _objects(state):
        paths.setdefault(folded.databases[key], set()).add(path)
    for table in tables:
        paths[table.name.database].update(source.path for source in table.sources)
    if len(paths) == 1:
        next(iter(paths.values())).update(state.files)
    for name, found in sorted(paths.items()):
        mine = [table for table in tables if table.name.database == name]
        files = [state.files[path] for path in found if path in state.files]
        dialects = Counter(table.dialect for table in mine) or Counter(file.facts.dialect for file in files)
        yield Database(
            name,
            dialect=min(dialects, key=lambda dialect: (-dialects[dialect], dialect), default=""),
            environment=_most(table.environment for table in mine) or group.environment,
            domain=_most(table.domain for table in mine) or group.domain,
            paths=tuple(sorted(found)),
            tables=len(mine),
        )


def _most(texts: Iterable[str]) -> str:
    """Return the most frequent text that is not empty, the first by name of several."""
    counts = Counter(filter(None, texts))
    return min(counts, key=lambda text: (-counts[text], text), default="")


def _queries(files: Sequence[SchemaFile]) -> list[ExampleQuery]:
    example_queries = []
    for file in files:
        temporary = _temporary(file)
        for operation in file.facts.operations:
            if isinstance(operation, AddQuery):
                query = operation.query
                example_queries.append(
                    replace(
                        query,
                        usage=without_tables(query.usage, temporary) if temporary else query.usage,
                        dialect=query.dialect or file.facts.dialect,
                        labels=query.labels or file.labels,
                        source=_placed(query.source, file.path),
                    )
                )
    return example_queries


def _temporary(file: SchemaFile) -> frozenset[str]:
    """Return the folded names of the tables that a file makes for its session."""
    return frozenset(
        operation.table.name.name.casefold()
        for operation in file.facts.operations
        if isinstance(operation, CreateTable) and operation.table.temporary
    )


def _definitions(files: Sequence[SchemaFile]) -> list[Definition]:
    return [
        replace(operation.definition, source=_placed(operation.definition.source, file.path))
        for file in files
        for operation in file.facts.operations
        if isinstance(operation, AddDefinition)
    ]


def _placed(source: Source, path: str) -> Source:
    return source if source.path else replace(source, path=path)
