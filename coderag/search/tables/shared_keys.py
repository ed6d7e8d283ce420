"""Tables to the keys of a third table by which they can be joined directly, as all refer to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from coderag.index.catalog.catalog import Catalog
from coderag.index.catalog.join_graph import Relation
from coderag.sql.records import Evidence

__all__ = ["SharedKey", "shared_keys"]


@dataclass(frozen=True, slots=True)
class SharedKey:
    """Columns of a table that at least two others refer to; rows of these belong together where they are equal."""

    parent: int
    columns: tuple[str, ...]
    children: tuple[tuple[int, tuple[str, ...]], ...]  # each table and its columns, those of the surest first
    evidence: Evidence  # that of the least sure of them


def shared_keys(catalog: Catalog, tables: Sequence[int]) -> list[SharedKey]:
    """Return the keys by which some tables are siblings, in order of the tables; never of a table with itself."""
    among = np.zeros(len(catalog), dtype=bool)
    among[list(tables)] = True
    left, right = catalog.arrays["relation_left_table"], catalog.arrays["relation_right_table"]
    referring: dict[tuple[int, tuple[str, ...]], list[Relation]] = {}
    for number in np.flatnonzero(among[left] & (left != right)).tolist():
        relation = catalog.relations[number]
        if relation.evidence is not Evidence.QUERY:  # a query says that two tables join, and not which refers to which
            referring.setdefault((relation.right, relation.right_columns), []).append(relation)
    place = {table: position for position, table in enumerate(tables)}
    order = list(Evidence)
    keys = []
    for (parent, columns), relations in referring.items():
        if len({relation.left for relation in relations}) < 2:
            continue
        relations = sorted(relations, key=lambda relation: (place[relation.left], relation.left_columns))
        weakest = max((relation.evidence for relation in relations), key=order.index)
        keys.append(
            SharedKey(parent, columns, tuple((relation.left, relation.left_columns) for relation in relations), weakest)
        )
    return sorted(
        keys,
        key=lambda shared_key: (
            [place[child] for child, _ in shared_key.children],
            shared_key.parent,
            shared_key.columns,
        ),
    )
