"""Files to databases: which of them tell of the same tables.

What is certain comes first: a database that was asked, one that the settings name, and a series of migrations, which
makes one database. Other files of a folder make one together where they refer to each other and no table is created
twice; else each set of files that do is a database, named after the file that creates most. Then models, snapshots and
files that create no table join the database whose tables they use.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from msgspec.structs import replace

from coderag.sql.folding.attaching import merged, with_dependents, with_models, with_snapshots
from coderag.sql.folding.declared import Declared, declared
from coderag.sql.folding.drafts import Draft, grouped_by, is_migration
from coderag.sql.folding.naming import database_names, environment
from coderag.sql.folding.seeds import first_drafts, series_key
from coderag.sql.model import SchemaFile, SchemaProblem
from coderag.sql.series import Migration, ordered, series_in
from coderag.sql.settings import Settings

__all__ = ["Group", "grouped"]


@dataclass(frozen=True, slots=True)
class Group:
    """The files that tell of one database, and of those that they switch to."""

    name: str
    files: tuple[SchemaFile, ...]  # in the order in which they are applied
    migrations: frozenset[str] = frozenset()  # the paths among them that make the history
    snapshot: tuple[SchemaFile, ...] = ()  # states the whole schema as the migrations leave it
    models: tuple[SchemaFile, ...] = ()
    live: tuple[SchemaFile, ...] = ()  # what a database that was asked says of itself
    told: str = ""  # its name, where it is certain
    folder: str = ""
    environment: str = ""
    domain: str = ""


def grouped(files: Sequence[SchemaFile], settings: Settings) -> tuple[list[Group], list[SchemaProblem]]:
    """Return the groups of the files that tell of tables, and what does not fit together in series.

    Every file that has more than queries and definitions is in one group, except migrations that lead back.
    """
    known = sorted(_declared(files, settings), key=lambda one: one.path)
    # A migration that changes no table still has its place in the order.
    told = [one for one in known if one.changes or is_migration(one)]
    rest = [one for one in told if one.series is None or one.series.direction != "down"]
    drafts, rest = first_drafts(rest)
    drafts = with_snapshots(merged(drafts))
    drafts = with_dependents(drafts, rest)
    drafts = with_models(drafts)
    drafts.sort(key=lambda draft: draft.files[0].path)
    problems: list[SchemaProblem] = []
    names = database_names(drafts, settings)
    return [_finished(draft, name, problems) for draft, name in zip(drafts, names, strict=True)], problems


def _declared(files: Sequence[SchemaFile], settings: Settings) -> Iterable[Declared]:
    places = series_in(file.path for file in files)
    for file in files:
        yield declared(file, settings.for_path(file.path), places.get(file.path, file.facts.series))


def _finished(draft: Draft, name: str, problems: list[SchemaProblem]) -> Group:
    migrations: list[SchemaFile] = []
    for members in grouped_by(draft.series, series_key) if draft.name else [draft.series]:
        # A reader that says a file's place has it kept even where it has nothing else to say.
        complete = all(one.file.facts.series is not None for one in members)
        places = [Migration(one.path, one.series) for one in members if one.series is not None]
        paths, found = ordered(places, complete=complete)
        problems += found
        by_path = {one.path: one for one in members}
        migrations += [_with_series(by_path[path]) for path in paths]
    live = draft.members[:1] if draft.live else []
    members = sorted(draft.members[len(live) :], key=lambda one: one.path)
    told = [one.settings.domain for one in draft.files if one.settings.domain]
    return Group(
        name=name,
        # Migrations may change what other files create, and views may need what migrations leave.
        files=(
            *(one.file for one in [*draft.bases, *members] if one.tables),
            *migrations,
            *(one.file for one in [*draft.bases, *members] if not one.tables),
        ),
        migrations=frozenset(file.path for file in migrations),
        snapshot=tuple(one.file for one in draft.snapshot),
        models=tuple(one.file for one in draft.models),
        live=tuple(one.file for one in live),
        told=draft.name,
        folder=draft.folder,
        environment=environment(draft),
        domain=told[0] if told else "",
    )


def _with_series(one: Declared) -> SchemaFile:
    """Return a migration whose facts say its place, also where its name told it."""
    return replace(one.file, facts=replace(one.file.facts, series=one.series))
