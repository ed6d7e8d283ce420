"""Groups of files and databases to what is there when all of their operations have been applied."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from coderag.catalog.databases.editions_only import report_editions
from coderag.catalog.databases.grouping import Group
from coderag.catalog.merge.live_merge import DatabasePart, main_database, paired
from coderag.catalog.merge.model_merge import join_models, join_snapshot, name_targets
from coderag.catalog.merge.snapshot_columns import join_live
from coderag.catalog.replay.apply import applied, apply_more, describe_again
from coderag.catalog.replay.state import State

__all__ = ["Built", "built"]


@dataclass(frozen=True, slots=True)
class Built:
    """A group's state, and the groups of databases that were asked, by what the state calls them, folded."""

    group: Group
    state: State
    asked: Mapping[str, Group]


def built(groups: Sequence[Group]) -> list[Built]:
    """Return the states of groups; files and the database that they declare are one."""
    parts = [DatabasePart(group, _of_files(group), applied(group.live) if group.live else None) for group in groups]
    pairs = paired(parts)
    asked: dict[int, dict[str, DatabasePart]] = {}
    for live, (number, database) in sorted(pairs.items()):
        asked.setdefault(number, {})[database] = parts[live]
    return [_built(part, asked.get(number, {})) for number, part in enumerate(parts) if number not in pairs]


def _built(part: DatabasePart, asked: Mapping[str, DatabasePart]) -> Built:
    group, state = part.group, part.files
    if part.live is not None:
        asked = {main_database(state): part}
    elif asked:
        others = [database_part.group for database_part in asked.values()]
        group = _joined(group, others)
        if any(other.files or other.models for other in others):
            state = _of_files(group)
    name_targets(state)
    for database, database_part in asked.items():
        if database_part.live is not None:
            database_part.live.adopt()
            join_live(state, database_part.live, database=database)
    state.adopt()
    return Built(group, state, {database: one.group for database, one in asked.items()})


def _of_files(group: Group) -> State:
    """Return what is there when all files of a group have been applied."""
    state = applied((file for file in group.files if file.path not in group.newer), migrations=group.migrations)
    if group.snapshot:
        snapshot = applied(group.snapshot)
        join_snapshot(state, snapshot)
        names = {table.name.name.casefold() for table in snapshot.tables.values()}
        describe_again(state, names, complete=True)
        apply_more(state, (file for file in group.files if file.path in group.newer), migrations=group.migrations)
    if group.models:
        models = applied(group.models)
        if group.files or group.snapshot:
            join_models(state, models)
        else:
            state = models
    report_editions(state, group.editions)
    state.files |= {file.path: file for file in group.editions}
    return state


def _joined(group: Group, others: Sequence[Group]) -> Group:
    """Return a group of files with those that have come to the databases which it declares."""
    groups = [*others, group]
    return replace(
        group,
        files=(*group.files, *(file for other in others for file in other.files)),
        models=(*group.models, *(file for other in others for file in other.models)),
        live=tuple(file for other in others for file in other.live),
        environment=next((one.environment for one in groups if one.environment), ""),
        domain=next((one.domain for one in groups if one.domain), ""),
    )
