"""Drafts of databases to fewer: what refers to each other, models and files without tables come together."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from coderag.catalog.databases.candidates import (
    DatabaseCandidate,
    Sets,
    are_apart,
    common_folder,
    disjoint,
    grouped_by,
    overlap,
)
from coderag.catalog.databases.declared import Declared, Index, is_qualified
from coderag.catalog.databases.naming import environment
from coderag.catalog.databases.places import (
    base_folder,
    distance,
    holds_projects,
    is_related,
    project_folder,
    project_of,
    stem_of,
)
from coderag.sql.statements.names import Key

__all__ = ["merged", "with_dependents", "with_models"]

MIN_OVERLAP = 0.5  # of the tables' names, for a snapshot or for models to be of the same database

NEARLY = 0.8  # of the most tables that a database has of those that a file uses, for it to be one of the best


def merged(drafts: list[DatabaseCandidate]) -> list[DatabaseCandidate]:
    """Merge drafts of different folders that refer to each other's tables or switch to the same database."""
    sets = Sets(len(drafts))
    tables = [draft.tables() for draft in drafts]
    _join_by_reference(drafts, tables, sets)
    _join_by_database(drafts, tables, sets)
    return [_one_draft([drafts[number] for number in numbers]) for numbers in sets.all()]


def _join_by_reference(drafts: Sequence[DatabaseCandidate], tables: Sequence[set[Key]], sets: Sets) -> None:
    """Join each draft with those that create the tables it needs."""
    index = Index()
    for number, draft in enumerate(drafts):
        if _may_merge(draft):
            index.add(number, tables[number])
    for number, draft in enumerate(drafts):
        if not _may_merge(draft):
            continue
        altered = {key for file in draft.files for key in file.altered}
        for key in sorted(_needed(draft)):
            other = _creator(draft, key, index.holders(key), drafts, is_altered=key in altered)
            if other is None or are_apart(draft, drafts[other]):
                continue
            if _may_be_one(tables, sets, number, other):
                sets.join(number, other)


def _creator(
    draft: DatabaseCandidate,
    key: Key,
    holders: Sequence[int],
    drafts: Sequence[DatabaseCandidate],
    *,
    is_altered: bool,
) -> int | None:
    """Return the draft that creates a table: the nearest, else the only one of the project that may.

    Migrations mean a table of other migrations of their tool, whatever else holds one of the name: a dump, sample data.
    """
    nearest = _nearest(draft, key, holders, drafts)
    if nearest is not None:
        return nearest
    tool = _tool(draft)
    mates = [number for number in holders if tool and _tool(drafts[number]) == tool] or (holders if is_altered else [])
    if len(mates) == 1 and _is_of_project(draft, drafts[mates[0]]):
        return mates[0]
    return None


def _tool(draft: DatabaseCandidate) -> str:
    """Return the tool whose migrations a draft is made of, "" if it is of none or of several."""
    tools = {declared.series.tool if declared.series is not None else "" for declared in draft.series}
    return tools.pop() if len(tools) == 1 else ""


def _join_by_database(drafts: Sequence[DatabaseCandidate], tables: Sequence[set[Key]], sets: Sets) -> None:
    """Join the drafts that name the same database of the same environment."""
    by_database: dict[tuple[str, str], int] = {}
    for number, draft in enumerate(drafts):
        if _may_merge(draft) and (database := draft.told().casefold()):
            first = by_database.setdefault((database, environment(draft)), number)
            if _may_be_one(tables, sets, first, number):
                sets.join(first, number)


def _may_be_one(tables: Sequence[set[Key]], sets: Sets, first: int, second: int) -> bool:
    """Tell whether two drafts create nothing both, and are not the same tables in two schemas either."""
    return disjoint(tables, sets, first, second) and overlap(tables[first], tables[second]) < MIN_OVERLAP


def _needed(draft: DatabaseCandidate) -> set[Key]:
    """Return the tables that files use and do not create; migrations need those whose rows they write, too."""
    needed = {key for file in draft.files for key in file.used}
    return (needed | {key for declared in draft.series for key in declared.written}) - draft.names()


def _may_merge(draft: DatabaseCandidate) -> bool:
    return not draft.live and not draft.name and not draft.models


def _nearest(
    draft: DatabaseCandidate, key: Key, holders: Sequence[int], drafts: Sequence[DatabaseCandidate]
) -> int | None:
    """Return the draft whose table a reference means: in a folder above, below or beside, or the only one at all."""
    near = [
        (distance(draft.folder, drafts[number].folder), number)
        for number in holders
        if drafts[number] is not draft
        and drafts[number].side == draft.side
        and (_is_near(draft.folder, drafts[number].folder) or (is_qualified(key) and len(holders) == 1))
    ]
    near.sort()
    if not near or (len(near) > 1 and near[0][0] == near[1][0]):
        return None
    return near[0][1]


def _is_of_project(draft: DatabaseCandidate, other: DatabaseCandidate) -> bool:
    """Tell whether files of two drafts belong to one project, so that one may alter a table of the other's anywhere."""
    return (
        draft is not other
        and draft.side == other.side
        and project_of(draft.files[0].path) == project_of(other.files[0].path)
    )


def _is_near(first: str, second: str) -> bool:
    """Tell whether one folder lies in the other, or both in one that is not the root and holds no projects."""
    parent = first.rpartition("/")[0]
    beside = parent == second.rpartition("/")[0] and parent and not holds_projects(parent)
    if is_related(first, second) or beside:
        return True
    around, others = project_folder(first), project_folder(second)
    return around == others and bool(around or _parts_of_one(first, second))


def _parts_of_one(first: str, second: str) -> bool:
    """Tell whether two folders of one name lie in parts of one schema: schema/main/delta and schema/common/delta."""
    one, two = first.rpartition("/"), second.rpartition("/")
    around = one[0].rpartition("/")[0]
    return one[2] == two[2] and bool(around) and around == two[0].rpartition("/")[0] and not holds_projects(around)


def _one_draft(drafts: Sequence[DatabaseCandidate]) -> DatabaseCandidate:
    first, *others = drafts
    for other in others:
        first.members += other.members
        first.series += other.series
        first.models += other.models
        first.editions += other.editions
        first.whole_folder = True
    if others:
        first.folder = common_folder([draft.folder for draft in drafts])
    return first


def with_dependents(drafts: list[DatabaseCandidate], files: list[Declared]) -> list[DatabaseCandidate]:
    """Give the files that create no table to the draft whose tables they use; the others make drafts by folder."""
    index = Index()
    for number, draft in enumerate(drafts):
        index.add(number, draft.names())
    mains = [draft.main() for draft in drafts]
    left = files
    while left:  # what one file makes of a table, the next may use
        waiting: list[Declared] = []
        for declared in left:
            best = _best(declared, drafts, mains=mains, index=index)
            if best is None:
                waiting.append(declared)
            else:
                drafts[best].members.append(declared)
                index.add(best, declared.names)
        if len(waiting) == len(left):
            break
        left = waiting
    homeless = grouped_by(left, lambda declared: (base_folder(declared.path), declared.side))
    return drafts + [
        DatabaseCandidate(members, folder=base_folder(members[0].path), whole_folder=True) for members in homeless
    ]


def _best(
    declared: Declared, drafts: Sequence[DatabaseCandidate], *, mains: Sequence[Declared], index: Index
) -> int | None:
    """Return the draft that has most of the tables a file uses; of several, the most alike and the nearest."""
    counts: defaultdict[int, int] = defaultdict(int)
    for key in declared.used:
        for number in index.holders(key, exact_first=False):
            counts[number] += 1
    folder = base_folder(declared.path)
    least = max(counts.values(), default=0) * NEARLY
    if not counts:
        return _around(declared, folder, drafts)

    def fit(number: int) -> tuple[object, ...]:
        draft, main = drafts[number], mains[number]
        return (
            draft.side != declared.side,
            draft.live,
            not _same_stem(declared.path, main.path),
            draft.folder != folder,
            declared.file.facts.dialect != main.file.facts.dialect,
            distance(folder, draft.folder),
            -counts[number],
            number,
        )

    return min((number for number, count in counts.items() if count >= least), key=fit)


def _around(declared: Declared, folder: str, drafts: Sequence[DatabaseCandidate]) -> int | None:
    """Return the draft in whose folder a file lies that uses no table, the innermost; or the only one of the root."""
    mine = [(number, draft) for number, draft in enumerate(drafts) if draft.side == declared.side and not draft.live]
    around = [(number, draft) for number, draft in mine if f"{folder}/".startswith(f"{draft.folder}/".lstrip("/"))]
    deepest = max((len(draft.folder) for _, draft in around), default=0)
    numbers = [number for number, draft in around if len(draft.folder) == deepest] or [number for number, _ in mine]
    return numbers[0] if len(numbers) == 1 else None


def _same_stem(first: str, second: str) -> bool:
    one, two = stem_of(first).casefold(), stem_of(second).casefold()
    return one.startswith(two) or two.startswith(one)


def with_models(drafts: list[DatabaseCandidate]) -> list[DatabaseCandidate]:
    """Give models to the database that has at least half of their tables, or half of whose tables they map.

    Of several the one that has most of them: a script that creates one of the tables has all that it knows in common.
    """
    kept = [draft for draft in drafts if not _only_models(draft)]
    for models in filter(_only_models, drafts):
        _share_out(models, kept)
        if not models.models:
            continue
        mapped = models.names()
        fitting = [
            (_common(mapped, draft.known()), share, not draft.live, -distance(models.folder, draft.folder), -number)
            for number, draft in enumerate(kept)
            if draft.side == models.side
            and (draft.bases or draft.series or draft.members)
            and (share := overlap(mapped, draft.known())) >= MIN_OVERLAP
        ]
        if fitting:
            chosen = kept[-max(fitting)[-1]]
            chosen.models += models.models
            chosen.members += models.members
        else:
            kept.append(models)
    return kept


def _share_out(models: DatabaseCandidate, drafts: Sequence[DatabaseCandidate]) -> None:
    """Give models to the migrations that create their tables, if those of several databases are mapped by them.

    The modules of one project may have databases of their own, each with its models and its migrations.
    """
    series = [draft for draft in drafts if draft.series and draft.side == models.side and not draft.live]
    if len(series) < 2:
        return
    shares = _by_creator(models.models, series)
    own = {number: files for number, files in shares.items() if _maps_most(files, series[number].tables())}
    if len(own) > 1:
        for number, files in own.items():
            series[number].models += files
        given = {id(declared) for files in own.values() for declared in files}
        models.models = [declared for declared in models.models if id(declared) not in given]


def _by_creator(models: Sequence[Declared], series: Sequence[DatabaseCandidate]) -> Mapping[int, list[Declared]]:
    """Return models by the position of the only migrations, or the nearest, that know most of their tables."""
    known = [{key[2] for key in draft.known()} for draft in series]
    found: defaultdict[int, list[Declared]] = defaultdict(list)
    for declared in models:
        mapped = {key[2] for key in declared.names}
        near = sorted(
            (distance(declared.folder, draft.folder), number)
            for number, draft in enumerate(series)
            if len(mapped & known[number]) * 2 > len(mapped)
        )
        if near and (len(near) == 1 or near[0][0] < near[1][0]):
            found[near[0][1]].append(declared)
    return found


def _maps_most(models: Sequence[Declared], tables: set[Key]) -> bool:
    return _common({key for declared in models for key in declared.names}, tables) * 2 >= len(tables)


def _common(first: set[Key], second: set[Key]) -> int:
    return len({key[2] for key in first} & {key[2] for key in second})


def _only_models(draft: DatabaseCandidate) -> bool:
    """Tell whether nothing but models creates the tables; other files may change or use them."""
    creating = draft.bases or draft.series or any(member.tables for member in draft.members)
    return bool(draft.models) and not draft.name and not creating
