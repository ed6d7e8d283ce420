"""Series of migrations to what states their whole schema: schema.sql, full_schemas/72, a project of SQL Server."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from coderag.catalog.databases.candidates import DatabaseCandidate, common_folder, dialect_of, overlap
from coderag.catalog.databases.declared import Declared
from coderag.catalog.databases.path_dialects import path_dialect
from coderag.catalog.databases.places import distance, is_related, project_folder, says_snapshot
from coderag.sql.migration_order import NAMED_BY_FOLDER, version_key
from coderag.sql.records import CreateTable, DropColumn, RenameColumn

__all__ = ["with_snapshots"]

MIN_OVERLAP = 0.5  # of the tables' names, for a snapshot to be of the same database
MIN_FILES = 5  # that create a table, of a project that states a whole schema in files of one object each
MIN_ALIKE = 0.6  # of the tables of such a project and a series, as migrations also create those that are gone by now

_Fit = tuple[bool, bool, tuple[int, ...], float, int, str]  # the lower, the better


def with_snapshots(drafts: list[DatabaseCandidate]) -> list[DatabaseCandidate]:
    """Give each series the files that state its whole schema, or what it begins with; the best fitting ones first."""
    pairs = sorted(_pairs(drafts), key=lambda pair: pair[0])
    taken: set[int] = set()
    for _, series, snapshot in pairs:
        stating = DatabaseCandidate([*series.bases, *series.snapshot])
        if id(snapshot) not in taken and stating.tables().isdisjoint(snapshot.tables()):
            taken.add(id(snapshot))
            _add_snapshot(series, snapshot)
    for _, series, snapshot in pairs:  # those of earlier versions and of other dialects
        if id(snapshot) not in taken:
            taken.add(id(snapshot))
            series.editions += snapshot.members
    for draft in drafts:
        if draft.series and draft.members and not draft.snapshot:
            _find_snapshot(draft)
    return [draft for draft in drafts if id(draft) not in taken]


def _pairs(drafts: Sequence[DatabaseCandidate]) -> Iterator[tuple[_Fit, DatabaseCandidate, DatabaseCandidate]]:
    """Yield each series with each draft that may state its schema, and how well they fit."""
    stating = [draft for draft in drafts if draft.members and not (draft.series or draft.live or draft.name)]
    for series in drafts:
        if not series.series or series.live:
            continue
        known = series.known()
        for draft in stating:
            share = overlap(known, draft.tables())
            if draft.side == series.side and _may_state(series, draft, share=share):
                is_other, is_old = _is_other_dialect(series, draft), not _is_of_last_version(series, draft)
                way = distance(series.folder, draft.folder)
                yield (is_other, is_old, _age(draft), -share, way, draft.folder), series, draft


def _may_state(series: DatabaseCandidate, draft: DatabaseCandidate, *, share: float) -> bool:
    """Tell whether a draft may state the schema of a series: by its tables, and by where its files are."""
    if share < MIN_OVERLAP and not _is_version_of(series, draft):
        return False
    return _is_beside(series, draft) or _is_project(series, draft)


def _is_other_dialect(series: DatabaseCandidate, draft: DatabaseCandidate) -> bool:
    """Tell whether a file is of another dialect than a series, by their names where those say it."""
    named_dialects = [{path_dialect(file.path) for file in both.files} - {""} for both in (series, draft)]
    if all(named_dialects):
        return named_dialects[0].isdisjoint(named_dialects[1])
    return dialect_of(series) != dialect_of(draft)


def _is_of_last_version(series: DatabaseCandidate, draft: DatabaseCandidate) -> bool:
    """Tell whether a file says that it states the schema as the last migration leaves it; one without a version may."""
    stated = [
        member.series for member in draft.members if member.series and member.series.snapshot and member.series.version
    ]
    last = {one.tool: version_key(one.version) for one in stated}
    made = [declared.series for declared in series.series if declared.series and declared.series.tool in last]
    return bool(made) and all(version_key(one.version) <= last[one.tool] for one in made)


def _age(draft: DatabaseCandidate) -> tuple[int, ...]:
    """Return what sorts the snapshots of later versions first."""
    versions = [
        version_key(member.series.version) for member in draft.members if member.series and member.series.snapshot
    ]
    return tuple(-number for number in max(versions, default=()))


def _add_snapshot(series: DatabaseCandidate, snapshot: DatabaseCandidate) -> None:
    if _is_base(series, snapshot):
        series.bases += snapshot.members
    else:
        series.snapshot += snapshot.members
    if _is_project(series, snapshot):
        series.folder = common_folder([series.folder, snapshot.folder])


def _find_snapshot(draft: DatabaseCandidate) -> None:
    """Find the files of a draft that state what its series makes, where the settings have put all of them together."""
    known = DatabaseCandidate(series=draft.series).known()
    snapshots = [member for member in draft.members if member.tables and _is_snapshot(member)]
    if snapshots and overlap(known, DatabaseCandidate(snapshots).tables()) >= MIN_OVERLAP:
        draft.members = [member for member in draft.members if member not in snapshots]
        _add_snapshot(draft, DatabaseCandidate(snapshots))


def _is_beside(series: DatabaseCandidate, draft: DatabaseCandidate) -> bool:
    """Tell whether a draft's files lie right beside the folder of a series, or near it and are named as snapshots."""
    if draft.folder in {
        folder for declared in series.series for folder in (declared.home, declared.home.rpartition("/")[0])
    }:
        return True
    if not all(_is_snapshot(member) for member in draft.members if member.tables):
        return False
    return is_related(project_folder(series.folder), project_folder(draft.folder))


def _is_version_of(series: DatabaseCandidate, draft: DatabaseCandidate) -> bool:
    """Tell whether files state a version of what a series beside them changes: full_schemas/72 beside delta."""
    around = {
        member.home.rpartition("/")[0]
        for member in draft.members
        if member.series and member.series.snapshot and member.series.tool == NAMED_BY_FOLDER
    }
    return any(declared.home.rpartition("/")[0] in around for declared in series.series)


def _is_project(series: DatabaseCandidate, draft: DatabaseCandidate) -> bool:
    """Tell whether files with an object each state what a series in another project leaves, as for SQL Server."""
    created, stated = series.tables(), draft.tables()
    files = sum(bool(member.tables) for member in draft.members)
    alike = len(created & stated) / len(created | stated)
    return files >= MIN_FILES and alike >= MIN_ALIKE and dialect_of(series) == dialect_of(draft)


def _is_snapshot(declared: Declared) -> bool:
    return says_snapshot(declared.path) or (declared.series is not None and declared.series.snapshot)


def _is_base(series: DatabaseCandidate, snapshot: DatabaseCandidate) -> bool:
    """Tell whether the columns that a series adds to tables it does not create are still missing in a file."""
    columns = {
        operation.table.name.name.casefold(): {column.name.casefold() for column in operation.table.columns}
        for member in snapshot.members
        for operation in member.file.facts.operations
        if isinstance(operation, CreateTable)
    }
    created = {key[2] for declared in series.series for key in declared.names}
    added = [
        (key[2], column)
        for declared in series.series
        for key, names in declared.altered.items()
        for column in names
        if key[2] in columns and key[2] not in created
    ]
    gone = set(_gone(series))
    added = [one for one in added if one not in gone]
    missing = sum(column not in columns[table] for table, column in added)
    return missing * 2 > len(added)


def _gone(series: DatabaseCandidate) -> Iterator[tuple[str, str]]:
    """Yield the tables and columns that a series drops or gives other names."""
    for declared in series.series:
        for operation in declared.file.facts.operations:
            if isinstance(operation, (DropColumn, RenameColumn)):
                yield operation.table.name.casefold(), operation.column.casefold()
