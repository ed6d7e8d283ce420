"""True tables and an answer to what is right, lost and invented."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from statistics import mean

from scripts.applications.asking import Entry
from scripts.applications.records import Counts, Score, Table

__all__ = ["compare", "means"]

NOTHING = Table(frozenset())
# Tables in which tools keep their own books: neither asked for nor held against an answer.
LEDGERS = frozenset(
    "schema_migrations ar_internal_metadata _prisma_migrations knex_migrations knex_migrations_lock migrations "
    "django_migrations alembic_version goose_db_version flyway_schema_history sequelizemeta __efmigrationshistory "
    "__drizzle_migrations spatial_ref_sys migrations_lock".split()
)


def compare(true: Mapping[str, Table], entries: Sequence[Entry], *, elsewhere: Collection[str] = ()) -> Score:
    """Return how an answer compares.

    Of several entries of a name the one in the database that knows most true tables counts, the others are copies. A
    reference that only a model's association states counts where it is right and is not held against the answer.
    """
    aside = LEDGERS | set(elsewhere)
    true = {name: table for name, table in true.items() if name not in aside}
    asked = [entry for entry in entries if entry.name not in aside]
    known = Counter(entry.database for entry in asked if entry.name in true)
    first: dict[str, Entry] = {}
    for entry in sorted(asked, key=lambda entry: -known[entry.database]):
        first.setdefault(entry.name, entry)
    said = {name: _with_right_ones(entry, true.get(name, NOTHING)) for name, entry in first.items()}
    both = true.keys() & said.keys()
    return Score(
        Counts(len(both), len(true), len(said)),
        _counts([(table.columns, said.get(name, NOTHING).columns) for name, table in _all(true, said)]),
        _counts([(table.references, said.get(name, NOTHING).references) for name, table in _all(true, said)]),
        Counts(sum(set(true[name].key) == set(said[name].key) for name in both), len(true), len(both)),
        len({entry.database for entry in entries}),
        len(asked) - len(first),
        _wrong(true, said, {name: entry.path for name, entry in first.items()}),
    )


def _with_right_ones(entry: Entry, true: Table) -> Table:
    table = entry.table
    return Table(table.columns, table.key, table.references | (entry.inferred & true.references))


def _all(true: Mapping[str, Table], said: Mapping[str, Table]) -> list[tuple[str, Table]]:
    return [(name, true.get(name, NOTHING)) for name in sorted(true.keys() | said.keys())]


def _counts(pairs: Sequence[tuple[Collection[object], Collection[object]]]) -> Counts:
    return Counts(
        sum(len(set(true) & set(said)) for true, said in pairs),
        sum(len(true) for true, _ in pairs),
        sum(len(said) for _, said in pairs),
    )


def _wrong(
    true: Mapping[str, Table], said: Mapping[str, Table], paths: Mapping[str, str]
) -> dict[str, tuple[str, ...]]:
    both = sorted(true.keys() & said.keys())
    found = {
        "tables lost": sorted(true.keys() - said.keys()),
        "tables invented": [f"{name} ({paths[name]})" for name in sorted(said.keys() - true.keys())],
        "columns lost": [
            f"{name}.{column}" for name in both for column in sorted(true[name].columns - said[name].columns)
        ],
        "columns invented": [
            f"{name}.{column}" for name in both for column in sorted(said[name].columns - true[name].columns)
        ],
        "references lost": _references({name: (true[name], said[name]) for name in both}),
        "references invented": _references({name: (said[name], true[name]) for name in both}),
        "primary keys": [
            f"{name}: ({', '.join(true[name].key)}), not ({', '.join(said[name].key)})"
            for name in both
            if set(true[name].key) != set(said[name].key)
        ],
    }
    return {what: tuple(ones) for what, ones in found.items() if ones}


def _references(pairs: Mapping[str, tuple[Table, Table]]) -> list[str]:
    """Return the references that the first of two tables has and the second lacks."""
    return [
        f"{name} ({', '.join(reference.columns)}) -> {reference.table}"
        for name, (these, those) in pairs.items()
        for reference in sorted(these.references - those.references)
    ]


def means(counts: Sequence[Counts]) -> tuple[float | None, float | None]:
    """Return recall and precision in the mean over applications; those where one is not defined do not count for it."""
    recalls = [count.recall for count in counts if count.recall is not None]
    precisions = [count.precision for count in counts if count.precision is not None]
    return (mean(recalls) if recalls else None), (mean(precisions) if precisions else None)
