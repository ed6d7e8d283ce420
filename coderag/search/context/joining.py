"""Tables of a context to all the ways in which they are joined with each other."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from coderag.index.catalog.catalog import Catalog
from coderag.search.context.ddl import place
from coderag.search.context.pack import ContextJoin
from coderag.search.tables.joins import JoinPath, JoinStep, joins_among
from coderag.search.tables.shared_keys import SharedKey, shared_keys
from coderag.sql.records import Name

__all__ = ["all_joins"]

MAX_SHARING = 8  # tables that share a key are joined pair by pair; of more, each with the first


def all_joins(catalog: Catalog, paths: Sequence[JoinPath], tables: Sequence[int]) -> list[ContextJoin]:
    """Return the joins among some tables: those of given paths first, then the others, then those by a shared key."""
    there = set(tables)
    steps = [step for path in paths for step in path.steps if step.left in there and step.right in there]
    context_joins = [_join(catalog, step, asked=True) for step in steps]
    known = set(steps)
    context_joins += [_join(catalog, step) for step in joins_among(catalog, tables) if step not in known]
    direct = {_ends(context_join) for context_join in context_joins}
    siblings = (join for key in shared_keys(catalog, tables) for join in _siblings(catalog, key))
    return list(dict.fromkeys([*context_joins, *(sibling for sibling in siblings if _ends(sibling) not in direct)]))


def _ends(join: ContextJoin) -> frozenset[tuple[Name, tuple[str, ...]]]:
    return frozenset(((join.left, join.left_columns), (join.right, join.right_columns)))


def _join(catalog: Catalog, step: JoinStep, *, asked: bool = False) -> ContextJoin:
    return ContextJoin(
        catalog.tables[step.left].name,
        step.left_columns,
        catalog.tables[step.right].name,
        step.right_columns,
        str(step.evidence),
        place(step.source) if step.source.path else "",
        asked,
    )


def _siblings(catalog: Catalog, key: SharedKey) -> list[ContextJoin]:
    parent = f"{catalog.names[key.parent]}.{', '.join(key.columns)}"
    pairs = list(combinations(key.children, 2))
    if len(key.children) > MAX_SHARING:
        pairs = [(key.children[0], other) for other in key.children[1:]]
    return [
        ContextJoin(
            catalog.tables[left].name,
            left_columns,
            catalog.tables[right].name,
            right_columns,
            str(key.evidence),
            shared=parent,
        )
        for (left, left_columns), (right, right_columns) in pairs
        if left != right
    ]
