"""Files to databases: which of them declare or change the same tables.

What is certain comes first: a database that was asked, one that the settings name, and a series of migrations, which
makes one database. Other files of a folder make one together where they refer to each other and no table is created
twice; else each set of files that do is a database, named after the file that creates most. Then models, snapshots and
files that create no table join the database whose tables they use.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from msgspec.structs import replace

from coderag.catalog.databases.candidates import DatabaseCandidate, grouped_by, is_migration
from coderag.catalog.databases.declared import Declared, declared
from coderag.catalog.databases.editions import with_editions
from coderag.catalog.databases.group_merge import merged, with_dependents, with_models
from coderag.catalog.databases.initial_groups import first_candidates, series_key
from coderag.catalog.databases.naming import database_names, environment
from coderag.catalog.databases.neighbours import with_locations, with_schemas_beside
from coderag.catalog.databases.snapshots import with_snapshots
from coderag.catalog.databases.test_apps import with_test_apps
from coderag.sql.migration_order import GRAPHS, NAMED_BY_FOLDER, Migration, ordered, series_in, version_key
from coderag.sql.records import SchemaFile, SchemaProblem
from coderag.sql.settings import Settings

__all__ = ["Group", "grouped"]


@dataclass(frozen=True, slots=True)
class Group:
    """The files of one database, and of those that they switch to."""

    name: str
    files: tuple[SchemaFile, ...]  # in the order in which they are applied
    migrations: frozenset[str] = frozenset()  # the paths among them that make the history
    snapshot: tuple[SchemaFile, ...] = ()  # states the whole schema as the migrations leave it
    newer: frozenset[str] = frozenset()  # the paths of migrations that change what the snapshot states
    models: tuple[SchemaFile, ...] = ()
    editions: tuple[SchemaFile, ...] = ()  # not applied: the same schema for other dialects, copies of it
    live: tuple[SchemaFile, ...] = ()  # what a database that was asked says of itself
    told: str = ""  # its name, where it is certain
    folder: str = ""
    environment: str = ""
    domain: str = ""


def grouped(files: Sequence[SchemaFile], settings: Settings) -> tuple[list[Group], list[SchemaProblem]]:
    """Return the groups of the files that declare or use tables, and what does not fit together in series.

    Every file that has more than queries and definitions is in one group, except migrations that lead back.
    """
    known = sorted(_declared(files, settings), key=lambda one: one.path)
    # A migration that changes no table still has its place in the order.
    changing = [one for one in known if one.changes or is_migration(one)]
    rest = [one for one in changing if one.series is None or one.series.direction != "down"]
    drafts, rest = first_candidates(rest)
    drafts = with_schemas_beside(with_snapshots(with_locations(merged(drafts))))
    drafts = with_dependents(drafts, rest)
    drafts = with_test_apps(with_models(with_editions(drafts)))
    drafts.sort(key=lambda draft: draft.files[0].path)
    problems: list[SchemaProblem] = []
    names = database_names(drafts, settings)
    return [_finished(draft, name, problems) for draft, name in zip(drafts, names, strict=True)], problems


def _declared(files: Sequence[SchemaFile], settings: Settings) -> Iterable[Declared]:
    places = series_in(file.path for file in files)
    for file in files:
        yield declared(file, settings.for_path(file.path), places.get(file.path, file.facts.series))


def _finished(draft: DatabaseCandidate, name: str, problems: list[SchemaProblem]) -> Group:
    migrations: list[SchemaFile] = []
    for members in _chains(draft):
        # A reader that says a file's place has it kept even where it has nothing else to say.
        complete = all(member.file.facts.series is not None for member in members)
        places = [Migration(member.path, member.series) for member in members if member.series is not None]
        paths, schema_problems = ordered(places, complete=complete)
        problems += schema_problems
        by_path = {member.path: member for member in members}
        migrations += [_with_series(by_path[path]) for path in paths]
    live = draft.members[:1] if draft.live else []
    members = sorted(draft.members[len(live) :], key=lambda member: member.path)
    domains = [one.settings.domain for one in draft.files if one.settings.domain]
    return Group(
        name=name,
        # Migrations may change what other files create, and views may need what migrations leave.
        files=(
            *(base.file for base in [*draft.bases, *members] if base.tables),
            *migrations,
            *(base.file for base in [*draft.bases, *members] if not base.tables),
        ),
        migrations=frozenset(file.path for file in migrations),
        snapshot=tuple(one.file for one in draft.snapshot),
        newer=_newer(draft),
        models=tuple(model.file for model in draft.models),
        editions=tuple(edition.file for edition in draft.editions),
        live=tuple(one.file for one in live),
        told=draft.name,
        folder=draft.folder,
        environment=environment(draft),
        domain=domains[0] if domains else "",
    )


def _chains(draft: DatabaseCandidate) -> list[list[Declared]]:
    """Return the migrations of a draft in lists that are ordered by their versions.

    Folders that have the same versions count each for itself; one whose migrations need what others create comes later.
    """
    chains = grouped_by(draft.series, lambda one: one.home)
    if not draft.name and not _clash(chains):
        return [draft.series]
    if draft.name:
        chains = grouped_by(draft.series, series_key)
    made = {key for one in draft.series for key in one.names}

    def needed(chain: list[Declared]) -> int:
        own = {key for one in chain for key in one.names}
        return len({key for one in chain for key in one.used if key in made} - own)

    return sorted(chains, key=needed)


def _clash(chains: Sequence[Sequence[Declared]]) -> bool:
    """Tell whether folders have the same versions, where each version is that of one migration."""
    versions = [
        {one.series.version for one in chain if one.series and one.series.tool != NAMED_BY_FOLDER} - {""}
        for chain in chains
        if not any(one.series and (one.series.after or one.series.tool in GRAPHS) for one in chain)
    ]
    return sum(map(len, versions)) > len(set().union(*versions))


def _newer(draft: DatabaseCandidate) -> frozenset[str]:
    """Return the paths of the migrations that come after the snapshot, where it says of which version it is."""
    stated: dict[str, tuple[int, ...]] = {}
    for one in draft.snapshot:
        if one.series is not None and one.series.version:
            tool = one.series.tool
            stated[tool] = max(stated.get(tool, ()), version_key(one.series.version))
    return frozenset(
        one.path
        for one in draft.series
        if one.series is not None
        and one.series.tool in stated
        and version_key(one.series.version) > stated[one.series.tool]
    )


def _with_series(one: Declared) -> SchemaFile:
    """Return a migration whose facts say its place, also where its name told it."""
    return replace(one.file, facts=replace(one.file.facts, series=one.series))
