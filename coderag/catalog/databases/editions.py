"""Drafts of one schema in several dialects, and copies of a series, to one draft with editions.

An application that runs on PostgreSQL, MySQL and SQLite has its schema three times, by folder (store/mysql/0.2/a.sql)
or by name (01_users.sql.postgres). The edition with most files is the database, the others belong to it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from coderag.catalog.databases.candidates import CHOICES, DatabaseCandidate, Sets, common_folder, dialect_of
from coderag.catalog.databases.declared import Declared
from coderag.catalog.databases.naming import environment
from coderag.catalog.databases.path_dialects import OTHERS, edition_key, path_dialect
from coderag.catalog.databases.places import project_of
from coderag.sql.statements.dialect import GENERIC

__all__ = ["with_editions", "without_other_dialects"]

MIN_SHARE = 0.5  # of the tables of the smaller of two drafts whose paths differ in the dialect only
MIN_ALIKE = 0.5  # of all tables of two drafts of different dialects
MIN_CONTAINED = 0.8  # of the tables of a draft that is a part of another one's in a different dialect
MIN_SAME_NAMES = 0.8  # of the migrations of two series, for one to be a copy of the other
MAX_HOLDERS = 50  # drafts with a table of one name, above which it tells nothing


@dataclass(frozen=True, slots=True)
class _Edition:
    """What a draft is compared by."""

    draft: DatabaseCandidate
    tables: frozenset[str]
    keys: frozenset[str]
    dialect: str
    place: tuple[object, ...]  # what two editions have in common
    migrations: frozenset[str]
    parent: str


def with_editions(drafts: list[DatabaseCandidate]) -> list[DatabaseCandidate]:
    """Return drafts of which none is an edition of another."""
    able = [number for number, draft in enumerate(drafts) if not draft.live and not draft.name and draft.tables()]
    editions = [_edition(drafts[number]) for number in able]
    sets = Sets(len(editions))
    for (first, second), common in sorted(_common(editions).items()):
        if _are_editions(editions[first], editions[second], common):
            sets.join(first, second)
    gone: set[int] = set()
    for numbers in sets.all():
        if len(numbers) > 1:
            ranked = sorted((drafts[able[number]] for number in numbers), key=_rank)
            _take_in(ranked[0], ranked[1:])
            gone.update(map(id, ranked[1:]))
    return [draft for draft in drafts if id(draft) not in gone]


def _edition(draft: DatabaseCandidate) -> _Edition:
    creating = [file for file in draft.files if file.tables]
    dialects = Counter(filter(None, (path_dialect(declared.path) for declared in creating)))
    written = dialect_of(draft)
    dialect = (
        max(dialects, key=lambda name: (dialects[name], name)) if dialects else written if written != GENERIC else ""
    )
    return _Edition(
        draft,
        tables=frozenset(key[2].lstrip("_") for key in draft.tables()),  # a prefix that is put in place of the "_"
        keys=frozenset(filter(None, (edition_key(declared.path) for declared in creating))),
        dialect=dialect,
        place=(draft.side, environment(draft)),
        migrations=frozenset(declared.series.name for declared in draft.series if declared.series),
        parent=draft.folder.rpartition("/")[0],
    )


def _common(editions: Sequence[_Edition]) -> Counter[tuple[int, int]]:
    """Return how many tables two drafts have in common, by name."""
    holders: defaultdict[str, list[int]] = defaultdict(list)
    for number, edition in enumerate(editions):
        for name in edition.tables:
            holders[name].append(number)
    return Counter(
        (first, second)
        for numbers in holders.values()
        if len(numbers) <= MAX_HOLDERS
        for position, first in enumerate(numbers)
        for second in numbers[position + 1 :]
    )


def _are_editions(edition: _Edition, other: _Edition, common: int) -> bool:
    if edition.place != other.place:
        return False
    share = common / min(len(edition.tables), len(other.tables))
    if not edition.keys.isdisjoint(other.keys):
        return share >= MIN_SHARE
    if edition.migrations and other.migrations and edition.parent == other.parent:
        same = len(edition.migrations & other.migrations)
        return same >= MIN_SAME_NAMES * max(len(edition.migrations), len(other.migrations)) and share >= MIN_SHARE
    if edition.dialect == other.dialect or not {edition.dialect, other.dialect} <= OTHERS.union(CHOICES):
        return False
    if project_of(edition.draft.main().path) != project_of(other.draft.main().path):
        return False
    alike = common / len(edition.tables | other.tables)
    return alike >= MIN_ALIKE or (share >= MIN_CONTAINED and bool(edition.draft.series or other.draft.series))


def _rank(draft: DatabaseCandidate) -> tuple[object, ...]:
    """Return what sorts the edition to the front that stands for all."""
    return -len(draft.files), -len(draft.tables()), _preference(_edition(draft).dialect), draft.folder


def _preference(dialect: str) -> int:
    return CHOICES.index(dialect) if dialect in CHOICES else len(CHOICES)


def _take_in(draft: DatabaseCandidate, others: Iterable[DatabaseCandidate]) -> None:
    for other in others:
        draft.editions += [*other.files, *other.editions]
        draft.folder = common_folder([draft.folder, other.folder])


def without_other_dialects(files: Sequence[Declared]) -> tuple[list[Declared], list[Declared]]:
    """Return the files of a series in one dialect, where each stands beside one of another dialect, and the others.

    A file that tells no dialect below the folder of the series is meant for all.
    """
    named = [path_dialect(file.path[len(file.home) :]) for file in files]
    by_key: defaultdict[str, set[str]] = defaultdict(set)
    for declared, dialect in zip(files, named, strict=True):
        if dialect:
            by_key[edition_key(declared.path)].add(dialect)
    if not any(len(found) > 1 for found in by_key.values()):
        return list(files), []
    counts = Counter(filter(None, named))
    chosen = min(counts, key=lambda dialect: (_preference(dialect), -counts[dialect], dialect))
    pairs = list(zip(files, named, strict=True))
    return [one for one, dialect in pairs if dialect in ("", chosen)], [
        one for one, dialect in pairs if dialect not in ("", chosen)
    ]
