"""Drafts of databases that one application has beside each other to one: by where their files lie."""

from __future__ import annotations

from collections.abc import Sequence

from coderag.catalog.databases.candidates import DatabaseCandidate, Sets, common_folder, disjoint
from coderag.catalog.databases.path_dialects import path_dialect
from coderag.catalog.databases.places import project_of, stem_name
from coderag.sql.records import Origin

__all__ = ["with_locations", "with_schemas_beside"]

RESOURCES = "/resources/"  # of a module, which all modules of an application share when it runs


def with_locations(drafts: list[DatabaseCandidate]) -> list[DatabaseCandidate]:
    """Merge series of Flyway whose folders have different names among the resources of modules.

    An application puts the locations of its modules together, so that they must differ. Where each module calls its
    own db/migration, each is an application with a database of its own.
    """
    locations = [_location(draft) for draft in drafts]
    tables = [draft.tables() for draft in drafts]
    sets = Sets(len(drafts))
    for number, location in enumerate(locations):
        for other in range(number) if location else ():
            if (
                locations[other] not in ("", location)
                and _is_together(drafts[number], drafts[other])
                and disjoint(tables, sets, number, other)
            ):
                sets.join(number, other)
    return [_joined([drafts[number] for number in numbers]) for numbers in sets.all()]


def _location(draft: DatabaseCandidate) -> str:
    """Return where a series of Flyway lies among the resources of its module; "" for any other place."""
    if draft.live or draft.name or not draft.series:
        return ""
    first = draft.series[0]
    _, found, location = f"/{first.home}".partition(RESOURCES)
    return location if found and first.series is not None and first.series.tool == "flyway" else ""


def _is_together(first: DatabaseCandidate, second: DatabaseCandidate) -> bool:
    paths = [draft.series[0].path for draft in (first, second)]
    dialects = {path_dialect(path) for path in paths} - {""}
    return first.side == second.side and len(dialects) <= 1 and project_of(paths[0]) == project_of(paths[1])


def _joined(drafts: Sequence[DatabaseCandidate]) -> DatabaseCandidate:
    first, *others = drafts
    for other in others:
        first.series += other.series
        first.members += other.members
        first.editions += other.editions
    if others:
        first.folder = common_folder([draft.folder for draft in drafts])
    return first


def with_schemas_beside(drafts: list[DatabaseCandidate]) -> list[DatabaseCandidate]:
    """Give series the files beside them that create other tables and whose names say nothing: schema.sql, init.sql."""
    series = [draft for draft in drafts if draft.series and not draft.live]
    kept: list[DatabaseCandidate] = []
    for draft in drafts:
        homes = [other for other in series if _is_of(draft, other)] if _is_plain(draft) else []
        if len(homes) == 1:
            homes[0].members += draft.members
        else:
            kept.append(draft)
    return kept


def _is_plain(draft: DatabaseCandidate) -> bool:
    if draft.series or draft.live or draft.name or draft.models or draft.project or draft.told():
        return False
    creating = [member for member in draft.members if member.tables]
    return bool(creating) and all(
        not stem_name(declared.path) and declared.series is None and Origin.ORM not in declared.origins
        for declared in creating
    )


def _is_of(draft: DatabaseCandidate, series: DatabaseCandidate) -> bool:
    """Tell whether files lie where the folder of a series does, or in it, and create none of its tables."""
    around = {folder for declared in series.series for folder in (declared.home, declared.home.rpartition("/")[0])}
    return draft.folder in around and draft.side == series.side and draft.tables().isdisjoint(series.known())
