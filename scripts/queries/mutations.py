"""A right query to wrong ones, a mutation of each kind that it has a place for.

A name is changed into one that no table, alias or column of the whole statement has. Left out as still right or not
to be told from right: a join whose tables another condition connects, or of which one gives a single row; a GROUP BY
without which no aggregate stands beside a bare column, or only the one MIN or MAX whose row SQLite's bare columns are
of. What SQLite prepares in spite of a changed name, such as a string in double quotes, is left out by the caller.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.tokenizer_core import TokenType

from scripts.queries.sets import Gold, Truth
from scripts.queries.trees import aggregates, bare_columns, clause, extent, own, selects

__all__ = ["Kind", "Mutant", "mutants"]

COLUMNS = ("legacy_code", "internal_note", "batch_ref", "is_archived", "import_key", "flag_b")
TABLES = ("import_staging", "legacy_registry", "archived_batches", "daily_totals")
LENIENT = frozenset({"sqlite"})  # where a bare column is of the row that has the least or greatest value


class Kind(StrEnum):
    """What a mutation does."""

    COLUMN_MISTYPED = "column mistyped"
    COLUMN_INVENTED = "column invented"
    COLUMN_ELSEWHERE = "column of another table"
    TABLE_MISTYPED = "table mistyped"
    TABLE_INVENTED = "table invented"
    QUALIFIER = "qualifier wrong"
    JOIN_DROPPED = "join condition dropped"
    GROUP_DROPPED = "group by dropped"


@dataclass(frozen=True, slots=True)
class Mutant:
    """A query that is wrong, and how."""

    gold: Gold
    kind: Kind
    sql: str


@dataclass(frozen=True, slots=True)
class Case:
    """A query with its tree, and the database that it is asked of."""

    gold: Gold
    tree: exp.Expr
    truth: Truth
    tables: frozenset[str]  # of all databases that it may be bound to
    chance: random.Random

    @property
    def written(self) -> set[str]:
        """Every name in the statement, and every column of its tables, in lower case."""
        names = {one.name.lower() for one in self.tree.find_all(exp.Identifier)}
        for table in self.tree.find_all(exp.Table):
            names |= self.truth.columns.get(table.name.lower(), frozenset())
        return names


def mutants(gold: Gold, truth: Truth, tables: frozenset[str], *, seed: int) -> list[Mutant]:
    """Return a query's mutations, at most one of each kind."""
    try:
        tree = sqlglot.parse_one(gold.sql, read=gold.dialect or None)
    except SqlglotError:
        return []
    found = []
    for kind, mutate in MUTATIONS.items():
        chance = random.Random(f"{seed}:{gold.id}:{kind}")
        choices = sorted(set(mutate(Case(gold, tree, truth, tables, chance))))
        if choices:
            found.append(Mutant(gold, kind, chance.choice(choices)))
    return found


def _mistyped(name: str, chance: random.Random, taken: Iterable[str]) -> str:
    """Return a name with a letter too many or too few, or two that changed places; "" where none is new."""
    held = set(taken)
    found = set()
    for at in range(1, len(name) - 1):
        found |= {name[:at] + name[at + 1 :], name[:at] + name[at] + name[at:]}
        found.add(name[:at] + name[at + 1] + name[at] + name[at + 2 :])
    new = sorted(one for one in found if one.lower() not in held and one[-1:].isalnum())
    return chance.choice(new) if len(name) > 2 and new else ""


def _replaced(sql: str, node: exp.Expr, name: str) -> Iterator[str]:
    place = extent(node)
    if place is None or not name:
        return
    start, end = place
    opening = sql[start] if sql[start] in '"`[' else ""
    yield sql[:start] + opening + name + {"[": "]"}.get(opening, opening) + sql[end:]


def _columns(case: Case) -> Iterator[exp.Column]:
    """Yield the columns of tables that a statement names."""
    aliases = {one.alias.lower() for one in case.tree.find_all(exp.Alias)}
    held: set[str] = set()
    for table in case.tree.find_all(exp.Table):
        held |= case.truth.columns.get(table.name.lower(), frozenset())
    for column in case.tree.find_all(exp.Column):
        if column.name.lower() in held - aliases:
            yield column


def _column_mistyped(case: Case) -> Iterator[str]:
    for column in _columns(case):
        yield from _replaced(case.gold.sql, column.this, _mistyped(column.name, case.chance, case.written))


def _column_invented(case: Case) -> Iterator[str]:
    new = [name for name in COLUMNS if name not in case.written]
    for column in _columns(case):
        yield from _replaced(case.gold.sql, column.this, case.chance.choice(new))


def _column_elsewhere(case: Case) -> Iterator[str]:
    others = sorted(
        {name for columns in case.truth.columns.values() for name in columns if name.isidentifier()} - case.written
    )
    for column in _columns(case) if others else ():
        yield from _replaced(case.gold.sql, column.this, case.chance.choice(others))


def _tables(case: Case) -> Iterator[exp.Table]:
    own_names = {one.alias.lower() for one in case.tree.find_all(exp.CTE)}
    for table in case.tree.find_all(exp.Table):
        if isinstance(table.this, exp.Identifier) and table.name.lower() in case.truth.columns.keys() - own_names:
            yield table


def _table_mistyped(case: Case) -> Iterator[str]:
    for table in _tables(case):
        new = _mistyped(table.name, case.chance, case.tables | case.written)
        yield from _replaced(case.gold.sql, table.this, new)


def _table_invented(case: Case) -> Iterator[str]:
    for table in _tables(case):
        names = (*TABLES, f"{table.name}_history", f"old_{table.name}")
        new = [name for name in names if name.lower() not in case.tables | case.written]
        yield from _replaced(case.gold.sql, table.this, case.chance.choice(new))


def _qualifier(case: Case) -> Iterator[str]:
    for select in selects(case.tree):
        sources = _sources(select)
        for column in select.find_all(exp.Column):
            if not column.table or not own(select, column) or column.table.lower() not in sources:
                continue
            wrong = [
                alias
                for alias, source in sources.items()
                if isinstance(source, exp.Table)
                and (held := case.truth.columns.get(source.name.lower()))
                and column.name.lower() not in held
            ]
            new = f"{column.table}x" if f"{column.table}x".lower() not in case.written else ""
            for name in (*wrong, new):
                yield from _replaced(case.gold.sql, column.args["table"], name)


def _sources(select: exp.Select) -> dict[str, exp.Expr]:
    from_ = select.args.get("from_")
    nodes = [*([from_.this] if from_ is not None else []), *(one.this for one in select.args.get("joins") or ())]
    return {node.alias_or_name.lower(): node for node in nodes if node.alias_or_name}


def _join_dropped(case: Case) -> Iterator[str]:
    for select in selects(case.tree):
        sources = _sources(select)
        for join in select.args.get("joins") or ():
            condition = join.args.get("on")
            place = extent(condition) if condition is not None else None
            if condition is None or place is None or not _is_needed(condition, select, case):
                continue
            found = clause(case.gold.sql, case.gold.dialect, TokenType.ON, before=place[0])
            if found is not None:
                yield f"{case.gold.sql[: found[0]]} {case.gold.sql[found[1] :]}"
        where = select.args.get("where")
        for condition in _conjuncts(where.this) if where is not None else ():
            place = extent(condition)
            if isinstance(condition, exp.EQ) and place and len(sources) > 1 and _is_needed(condition, select, case):
                yield f"{case.gold.sql[: place[0]]}1 = 1{case.gold.sql[place[1] :]}"


def _conjuncts(tree: exp.Expr) -> Iterator[exp.Expr]:
    if isinstance(tree, exp.And):
        yield from _conjuncts(tree.left)
        yield from _conjuncts(tree.right)
    else:
        yield tree


def _is_needed(condition: exp.Expr, select: exp.Select, case: Case) -> bool:
    """Tell whether two sources of a SELECT, each of many rows, are connected by nothing but a condition."""
    sources = _sources(select)
    linked = _owners(condition, select, case)
    if len(linked) < 2 or any(_may_be_one_row(sources[alias], case.tree) for alias in linked):
        return False
    groups = {alias: {alias} for alias in sources}
    conditions = [join.args["on"] for join in select.args.get("joins") or () if join.args.get("on") is not None]
    where = select.args.get("where")
    for one in (*conditions, *(_conjuncts(where.this) if where is not None else ())):
        merged = set().union(*(groups[alias] for alias in _owners(one, select, case) if one is not condition))
        for alias in merged:
            groups[alias] = merged
    named = any(join.args.get("using") or join.args.get("method") for join in select.args.get("joins") or ())
    return not named and len({id(groups[alias]) for alias in linked}) > 1


def _owners(condition: exp.Expr, select: exp.Select, case: Case) -> set[str]:
    sources = _sources(select)
    found = set()
    for column in condition.find_all(exp.Column):
        if column.table:
            found |= {column.table.lower()} & sources.keys()
            continue
        for alias, source in sources.items():
            if not isinstance(source, exp.Table) or column.name.lower() in case.truth.columns.get(
                source.name.lower(), {column.name.lower()}
            ):
                found.add(alias)
    return found


def _may_be_one_row(source: exp.Expr, tree: exp.Expr) -> bool:
    queries = {one.alias.lower(): one.this for one in tree.find_all(exp.CTE)}
    query = queries.get(source.name.lower()) if isinstance(source, exp.Table) else source.this
    if query is None:
        return False
    if not isinstance(query, exp.Select):
        return True
    return bool(query.args.get("limit")) or (bool(aggregates(query)) and query.args.get("group") is None)


def _group_dropped(case: Case) -> Iterator[str]:
    for select in selects(case.tree):
        group = select.args.get("group")
        place = extent(group) if group is not None else None
        held = aggregates(select)
        least = len(held) == 1 and isinstance(held[0], exp.Min | exp.Max) and case.gold.dialect in LENIENT
        if place is None or not held or not bare_columns(select) or least:
            continue
        found = clause(case.gold.sql, case.gold.dialect, TokenType.GROUP_BY, before=place[0])
        if found is not None:
            yield f"{case.gold.sql[: found[0]]}{case.gold.sql[found[1] :]}"


MUTATIONS: dict[Kind, Callable[[Case], Iterator[str]]] = {
    Kind.COLUMN_MISTYPED: _column_mistyped,
    Kind.COLUMN_INVENTED: _column_invented,
    Kind.COLUMN_ELSEWHERE: _column_elsewhere,
    Kind.TABLE_MISTYPED: _table_mistyped,
    Kind.TABLE_INVENTED: _table_invented,
    Kind.QUALIFIER: _qualifier,
    Kind.JOIN_DROPPED: _join_dropped,
    Kind.GROUP_DROPPED: _group_dropped,
}
