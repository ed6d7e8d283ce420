"""Tables to the joins between them: foreign keys, what models and queries say, and what names let one guess."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from coderag.index.catalog.column_lookup import ColumnLookup
from coderag.index.catalog.inferred_foreign_keys import infer_foreign_keys
from coderag.index.catalog.table_names import TableNames
from coderag.sql.records import Evidence, ExampleQuery, ForeignKey, Join, Source, Table

__all__ = ["EVIDENCE", "Relation", "relations_of"]

EVIDENCE = tuple(Evidence)  # the surest first


class Relation(msgspec.Struct, frozen=True, omit_defaults=True):
    """Columns of two tables, by their numbers, that the tables are joined by; they correspond in order.

    The right table is the one referred to, where that is known.
    """

    left: int
    left_columns: tuple[str, ...]
    right: int
    right_columns: tuple[str, ...]
    evidence: Evidence = Evidence.DECLARED
    name: str = ""
    source: Source = Source()


def relations_of(tables: Sequence[Table], queries: Sequence[ExampleQuery], columns: ColumnLookup) -> list[Relation]:
    """Return the joins between tables, each once and with its surest evidence, in order of the tables."""
    names = TableNames(tables)
    best: dict[frozenset[tuple[int, str, int, str]], Relation] = {}
    known = [*_of_keys(tables, names), *_of_queries(tables, queries, names)]
    for relation in [*known, *_guessed(tables, known)]:
        written = _as_declared(relation, tables, columns)
        if written is None:
            continue
        identity = _identity(written)
        other = best.get(identity)
        if other is None or EVIDENCE.index(written.evidence) < EVIDENCE.index(other.evidence):
            best[identity] = written
    return sorted(best.values(), key=lambda one: (one.left, one.right, one.left_columns, one.right_columns))


def _identity(relation: Relation) -> frozenset[tuple[int, str, int, str]]:
    """Return what is the same for the same columns, whichever side is called left."""
    pairs = []
    for column, other in zip(relation.left_columns, relation.right_columns, strict=True):
        ends = sorted([(relation.left, column.casefold()), (relation.right, other.casefold())])
        pairs.append((*ends[0], *ends[1]))
    return frozenset(pairs)


def _as_declared(relation: Relation, tables: Sequence[Table], columns: ColumnLookup) -> Relation | None:
    """Return a relation with its columns as the tables write them; None when a table is known to lack one.

    A table without any columns, as of a file that was read in part, may have every column.
    """
    left, right = (
        _written(names, number, tables, columns)
        for number, names in ((relation.left, relation.left_columns), (relation.right, relation.right_columns))
    )
    if left is None or right is None or len(left) != len(right) or not left:
        return None
    if relation.left == relation.right and left == right:
        return None
    return msgspec.structs.replace(relation, left_columns=left, right_columns=right)


def _written(
    names: tuple[str, ...], number: int, tables: Sequence[Table], columns: ColumnLookup
) -> tuple[str, ...] | None:
    if not tables[number].columns:
        return names
    found = [columns.spelled(number, name) for name in names]
    return None if None in found else tuple(name for name in found if name is not None)


def _of_keys(tables: Sequence[Table], names: TableNames) -> Iterator[Relation]:
    for left, table in enumerate(tables):
        for key in table.foreign_keys:
            right = names.find(key.table, database=table.name.database, schema=table.name.schema)
            if right is None:
                continue
            referenced = key.referenced or _primary_key(tables[right], key)
            yield Relation(left, key.columns, right, referenced, key.evidence, key.name, key.source)


def _primary_key(table: Table, key: ForeignKey) -> tuple[str, ...]:
    """Return the columns that a key without any refers to: the primary key, else columns of the same names."""
    return table.primary_key if len(table.primary_key) == len(key.columns) else key.columns


def _of_queries(tables: Sequence[Table], queries: Sequence[ExampleQuery], names: TableNames) -> Iterator[Relation]:
    written: list[tuple[Join, str, str, Source]] = []
    for query in queries:
        written += [(join, query.database, "", query.source) for join in query.usage.joins]
    for view in tables:
        source = view.sources[0] if view.sources else Source()
        written += [(join, view.name.database, view.name.schema, source) for join in view.usage.joins]
    for join, database, schema, source in written:
        left = names.find(join.left, database=database, schema=schema)
        right = names.find(join.right, database=database, schema=schema)
        if left is not None and right is not None:
            yield Relation(left, join.left_columns, right, join.right_columns, Evidence.QUERY, "", source)


def _guessed(tables: Sequence[Table], known: Sequence[Relation]) -> Iterator[Relation]:
    """Return what the names of columns suggest, where nothing better is known of the column or the two tables."""
    joined = {frozenset((relation.left, relation.right)) for relation in known}
    keys = {
        (relation.left, name.casefold())
        for relation in known
        if relation.evidence in (Evidence.DECLARED, Evidence.MODEL)
        for name in relation.left_columns
    }
    for guess in infer_foreign_keys(tables):
        settled = (guess.left, guess.left_column.casefold()) in keys
        if not settled and frozenset((guess.left, guess.right)) not in joined:
            left, right = (guess.left_column,), (guess.right_column,)
            yield Relation(guess.left, left, guess.right, right, Evidence.INFERRED)
