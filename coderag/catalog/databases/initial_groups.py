"""Files to the first drafts of databases: what is certain, series, projects of models, and folders of SQL."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Sequence

from coderag.catalog.databases.candidates import (
    DatabaseCandidate,
    Sets,
    common_folder,
    disjoint,
    grouped_by,
    is_migration,
    split,
)
from coderag.catalog.databases.declared import Declared, Index
from coderag.catalog.databases.editions import without_other_dialects
from coderag.catalog.databases.places import base_folder, project_of, stem_of
from coderag.sql.migration_order import NAMED_BY_FOLDER
from coderag.sql.records import Origin
from coderag.sql.statements.names import Key

__all__ = ["first_candidates", "series_key"]

# Words of folders of migrations that are put away: those that were applied once, and those that never are.
PAST = frozenset({"archive", "archived", "legacy", "old"})
REJECTED = frozenset(
    "backup backups bad bak broken deprecated disabled failed obsolete rejected skipped unused".split()
)
SPARSE = 3  # of so many numbers, a series that counts on with another has one at most
MAX_LONELY = 0.5  # share of files with several tables of their own, above which a folder holds several databases
MODEL_ORIGINS = frozenset({Origin.ORM})
DBT_FOLDERS = frozenset("analyses analysis macros models seeds snapshots target tests".split())

Taken = tuple[list[DatabaseCandidate], list[Declared]]


def first_candidates(files: list[Declared]) -> Taken:
    """Return drafts of databases, and the files that are in none."""
    drafts: list[DatabaseCandidate] = []
    rest = files
    for take in (_take_live, _take_named, _take_series, _take_dbt, _take_models, _take_plain):
        taken, rest = take(rest)
        drafts += taken
    return drafts, rest


def _take_live(files: list[Declared]) -> Taken:
    taken, rest = split(
        files, lambda declared: not declared.path or "://" in declared.path or Origin.LIVE in declared.origins
    )
    drafts = [
        DatabaseCandidate(
            [declared],
            name=declared.settings.database or declared.file.facts.database or stem_of(declared.path),
            environment=declared.settings.environment,
            live=True,
            folder=declared.folder,
        )
        for declared in taken
    ]
    return drafts, rest


def _take_named(files: list[Declared]) -> Taken:
    """Take the files of databases that the settings name."""
    taken, rest = split(files, lambda declared: bool(declared.settings.database))
    drafts = []
    for members in grouped_by(
        taken, lambda declared: (declared.settings.database.casefold(), declared.settings.environment)
    ):
        file_settings = members[0].settings
        draft = DatabaseCandidate(
            name=file_settings.database, environment=file_settings.environment, folder=members[0].folder
        )
        draft.series, others = split(members, is_migration)
        draft.models, draft.members = split(others, _is_model)
        drafts.append(draft)
    return drafts, rest


def _is_model(declared: Declared) -> bool:
    """Tell whether a file has models that say what their tables are; others only describe those that are there."""
    return bool(declared.names) and not MODEL_ORIGINS.isdisjoint(declared.origins)


def _take_series(files: list[Declared]) -> Taken:
    taken, rest = split(files, is_migration)
    drafts: list[DatabaseCandidate] = []
    for members in grouped_by(taken, series_key):
        if any(member.tables or member.altered for member in members):
            mine, others = without_other_dialects(members)
            drafts.append(
                DatabaseCandidate(
                    series=mine, editions=others, folder=common_folder([member.home for member in members])
                )
            )
        else:
            rest += [member for member in members if member.changes]
    return _joined_series(drafts), rest


def series_key(declared: Declared) -> Hashable:
    """Return what files of one series of migrations share."""
    if declared.series is not None and declared.series.tool == "django":  # every app has a chain, all in one database
        return project_of(declared.path), declared.side, declared.series.tool
    return declared.home, declared.side, ""


def _joined_series(drafts: list[DatabaseCandidate]) -> list[DatabaseCandidate]:
    """Join folders that hold parts of one series, as long as no version is there twice.

    Flyway reads folders in its folder too; and old migrations may be put away beside the newer ones.
    """
    joined: list[DatabaseCandidate] = []
    for draft in sorted(drafts, key=lambda draft: (_is_put_away(draft.folder), draft.folder)):
        home = next((other for other in joined if _continues(draft, other)), None)
        rival = next((other for other in joined if _is_put_away(draft.folder) and _is_beside(draft, other)), None)
        if home is not None:
            home.series += draft.series
            home.editions += draft.editions
        elif rival is not None:  # what was put away is no database of its own
            rival.editions += [*draft.series, *draft.editions]
        else:
            joined.append(draft)
    return joined


def _continues(draft: DatabaseCandidate, other: DatabaseCandidate) -> bool:
    tools = {declared.series.tool for declared in (*draft.series, *other.series) if declared.series}
    if tools == {NAMED_BY_FOLDER}:
        return draft.side == other.side and (_shares_counter(draft, other) or _shares_counter(other, draft))
    versions = [
        {declared.series.version for declared in both.series if declared.series} - {""} for both in (draft, other)
    ]
    if len(tools) > 1 or not versions[0].isdisjoint(versions[1]):
        return False
    if _is_put_away(draft.folder):
        return _is_beside(draft, other) and not _has_word(draft.folder, REJECTED)
    parent = draft.folder.rpartition("/")[0]
    inside = draft.folder.startswith(f"{other.folder}/")
    beside = parent == other.folder.rpartition("/")[0] and parent.rpartition("/")[2] in {"migration", "migrations"}
    return tools == {"flyway"} and (inside or beside)


def _is_beside(draft: DatabaseCandidate, other: DatabaseCandidate) -> bool:
    """Tell whether the folder of a series lies in that of another one or beside it."""
    inside = draft.folder.startswith(f"{other.folder}/")
    return inside or draft.folder.rpartition("/")[0] == other.folder.rpartition("/")[0]


def _shares_counter(draft: DatabaseCandidate, other: DatabaseCandidate) -> bool:
    """Tell whether a series counts on with one beside it: it has a few of the numbers between the other's."""
    if _around(draft) != _around(other):
        return False
    own, others = _numbers(draft), _numbers(other)
    if not own or not others or not min(others) <= min(own) <= max(own) <= max(others):
        return False
    return len(own) * SPARSE <= max(own) - min(own) + 1 and min(own) > 1


def _around(draft: DatabaseCandidate) -> str:
    """Return the folder that holds those of the parts of a schema: schema/ of schema/main/delta/72."""
    return min(declared.home for declared in draft.series).rpartition("/")[0].rpartition("/")[0]


def _numbers(draft: DatabaseCandidate) -> set[int]:
    """Return the versions of a series, where they are numbers."""
    return {
        int(declared.series.version)
        for declared in draft.series
        if declared.series and declared.series.version.isdecimal()
    }


def _is_put_away(folder: str) -> bool:
    return _has_word(folder, PAST | REJECTED)


def _has_word(folder: str, words: frozenset[str]) -> bool:
    return not words.isdisjoint(re.split(r"[-_.]", folder.rpartition("/")[2].casefold()))


def _take_dbt(files: list[Declared]) -> Taken:
    taken, rest = split(files, lambda declared: Origin.DBT in declared.origins)
    projects = grouped_by(taken, _dbt_folder)
    return [DatabaseCandidate(project, folder=_dbt_folder(project[0]), project=True) for project in projects], rest


def _dbt_folder(declared: Declared) -> str:
    parts = declared.folder.split("/")
    at = next((position for position, part in enumerate(parts) if part in DBT_FOLDERS), len(parts))
    return "/".join(parts[:at])


def _take_models(files: list[Declared]) -> Taken:
    taken, rest = split(files, _is_model)
    projects = grouped_by(taken, lambda declared: (project_of(declared.path), declared.side))
    sets = [models for members in projects for models in _apart(members)]
    return [
        DatabaseCandidate(models=models, folder=common_folder([declared.folder for declared in models]))
        for models in sets
    ], rest


def _apart(models: list[Declared]) -> list[list[Declared]]:
    """Return models in one list, or by folder in the project where different folders have the same table."""
    homes: dict[Key, str] = {}
    for model in models:
        top = model.path.split("/", 1)[0]
        if any(homes.setdefault(key, top) != top for key in model.tables):
            return grouped_by(models, lambda declared: declared.path.split("/", 1)[0])
    return [models]


def _take_plain(files: list[Declared]) -> Taken:
    """Take the files that create tables, folder by folder, with those of the folder that belong to them."""
    drafts: list[DatabaseCandidate] = []
    rest: list[Declared] = []
    for members in grouped_by(files, lambda declared: (base_folder(declared.path), declared.side)):
        database_candidates, left = _of_folder(members)
        drafts += database_candidates
        rest += left
    return drafts, rest


def _of_folder(members: list[Declared]) -> Taken:
    """Return the databases of a folder: one, or one for each set of files that refer to each other."""
    creators = [member for member in members if member.tables]
    if not creators:
        return [], members
    folder = base_folder(members[0].path)
    components = [files for files in _components(members) if any(file.tables for file in files)]
    linked = {file.path for files in components for file in files}
    left = [member for member in members if member.path not in linked]
    if _is_one_database(creators, components):
        own = [member for member in members if member.path in linked]
        return [DatabaseCandidate(own, folder=folder, whole_folder=True)], left
    return [DatabaseCandidate(files, folder=folder) for files in components], left


def _components(members: Sequence[Declared]) -> list[list[Declared]]:
    """Return files that refer to each other's tables in one list each."""
    sets = Sets(len(members))
    index = Index()
    for number, member in enumerate(members):
        index.add(number, member.names)
    tables = [set(member.tables) for member in members]
    for number, member in enumerate(members):
        for key in sorted(member.used):
            holders = index.holders(key)
            if len(holders) == 1 and disjoint(tables, sets, number, holders[0]):
                sets.join(number, holders[0])
    return [[members[number] for number in numbers] for numbers in sets.all()]


def _is_one_database(creators: Sequence[Declared], components: Sequence[Sequence[Declared]]) -> bool:
    """Tell whether the files of a folder are one database: each table has one file, and few files stand alone."""
    if _created_twice(creators):
        return False
    lonely = sum(len(files) == 1 and len(files[0].tables) > 1 for files in components)
    return len(creators) == 1 or lonely <= MAX_LONELY * len(creators)


def _created_twice(files: Iterable[Declared]) -> bool:
    """Tell whether two files create the same table; a table that all create where it is missing does not count."""
    seen: dict[Key, bool] = {}
    for file in files:
        for key, if_missing in file.tables.items():
            if key in seen and not (if_missing and seen[key]):
                return True
            seen[key] = seen.get(key, True) and if_missing
    return False
