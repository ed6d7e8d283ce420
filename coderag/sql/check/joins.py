"""A SELECT to the tables in it that nothing joins: a cartesian product, mostly by oversight."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from sqlglot import exp
from sqlglot.optimizer.scope import Scope

from coderag.sql.check.findings import Code, Finding, Severity, extent, finding
from coderag.sql.check.sources import Sources, picked_by

__all__ = ["check_joins"]

SUGGESTED = 3  # conditions


def check_joins(scope: Scope, sources: Sources, *, text: str) -> Iterator[Finding]:
    """Yield a finding for each source of a SELECT that no condition connects with those before it."""
    tree = scope.expression
    joins = tree.args.get("joins") or []
    if not isinstance(tree, exp.Select) or not joins:
        return
    group = {alias: {alias} for alias in sources.columns}
    for left, right in _connections(tree, sources):
        merged = group[left] | group[right]
        for alias in merged:
            group[alias] = merged
    free = _free(scope, joins)
    fixed = [alias for alias in sources.columns if alias not in free]
    pinned = _pinned(tree, sources)
    if all(alias in pinned or _picks(scope.selected_sources[alias][1]) for alias in fixed):
        return
    columns = set().union(group[fixed[0]], *(group[alias] for alias in free))
    for alias in fixed:
        if alias in columns:
            continue
        columns |= group[alias]
        node = scope.selected_sources[alias][0]
        message = f"nothing joins {alias} with {fixed[0]}: every row of one is paired with every row of the other"
        severity = Severity.WARNING if _ignores_pairs(tree, sources, group) else Severity.ERROR
        fixes = tuple(_conditions(alias, columns - group[alias], sources))
        place = extent(node)
        yield finding(
            Code.CARTESIAN_PRODUCT, message, text=text, extent=place, severity=severity, suggestions=fixes[:SUGGESTED]
        )


def _conditions(alias: str, others: Iterable[str], sources: Sources) -> Iterator[str]:
    """Yield the conditions that foreign keys join a source with others by."""
    for other in sorted(others, key=list(sources.columns).index):
        for one, far in ((alias, other), (other, alias)):
            table, target = sources.tables.get(one), sources.tables.get(far)
            for key in table.foreign_keys if table is not None and target is not None else ():
                columns = key.referenced or target.primary_key if target is not None else ()
                if target is not None and key.table.name.casefold() == target.name.name.casefold() and columns:
                    pairs = zip(key.columns, columns, strict=False)
                    yield "ON " + " AND ".join(f"{one}.{left} = {far}.{right}" for left, right in pairs)


def _connections(select: exp.Select, sources: Sources) -> Iterator[tuple[str, str]]:
    """Yield pairs of sources that some condition of the query is about."""
    order = list(sources.columns)
    for join in select.args.get("joins") or ():
        alias = sources.alias(join.alias_or_name)
        if alias is None:
            continue
        if join.args.get("using") or join.args.get("method") == "NATURAL":
            yield order[max(order.index(alias) - 1, 0)], alias
        elif (condition := join.args.get("on")) is not None:
            owners = _owners(condition, sources)
            if not owners - {alias}:
                # A condition that says nothing of the others, such as ON TRUE, is meant as it is written.
                yield order[max(order.index(alias) - 1, 0)], alias
            for owner in owners:
                yield owner, alias
    where = select.args.get("where")
    for predicate in where.find_all(exp.Predicate) if where is not None else ():
        first, *others = sorted(_owners(predicate, sources)) or [""]
        for other in others:
            yield first, other


def _owners(condition: exp.Expr, sources: Sources) -> set[str]:
    return {alias for column in condition.find_all(exp.Column) for alias in sources.owners(column)}


def _ignores_pairs(select: exp.Select, sources: Sources, group: Mapping[str, set[str]]) -> bool:
    """Tell whether a query gives nothing but aggregates that are the same over all pairs, each of one side."""
    told: set[str] = set()
    for one in select.selects:
        if select.args.get("group") is not None or not (aggregates := list(one.find_all(exp.AggFunc))):
            return False
        for aggregate in aggregates:
            counted = isinstance(aggregate, exp.Count) and isinstance(aggregate.this, exp.Distinct)
            owners = _owners(aggregate, sources)
            if not (counted or isinstance(aggregate, exp.Min | exp.Max)) or len({id(group[it]) for it in owners}) != 1:
                return False
            told |= group[min(owners)]
    return told == set(sources.columns)


def _free(scope: Scope, joins: list[exp.Join]) -> frozenset[str]:
    """Return the sources that may stand alone: CROSS JOIN is meant, one row or a lateral item is not counted."""
    found = {join.alias_or_name for join in joins if join.args.get("kind") == "CROSS"}
    found |= {join.alias_or_name for join in joins if join.args.get("method") in {"ASOF", "NATURAL"}}
    for alias, (node, source) in scope.selected_sources.items():
        if isinstance(source, Scope):
            tree = source.expression
            if not isinstance(tree, exp.Query) or _is_one_row(tree) or source.is_correlated_subquery:
                found.add(alias)
        elif not isinstance(source, exp.Table) or not isinstance(source.this, exp.Identifier):
            found.add(alias)
        if isinstance(node, exp.Lateral | exp.Unnest) or node.find_ancestor(exp.Lateral):
            found.add(alias)
    return frozenset(found)


def _pinned(select: exp.Select, sources: Sources) -> frozenset[str]:
    """Return the sources of which WHERE picks the one row that has a key."""
    columns: dict[str, set[str]] = {}
    for column in picked_by(select):
        for alias in sources.owners(column):
            columns.setdefault(alias, set()).add(column.name.casefold())
    return frozenset(
        alias for alias, held in columns.items() if any(key <= held for key in sources.keys.get(alias, ()))
    )


def _picks(source: object) -> bool:
    """Tell whether a source is a query for the row of some name: two such are put beside each other on purpose."""
    tree = source.expression if isinstance(source, Scope) else None
    return isinstance(tree, exp.Select) and not tree.args.get("joins") and any(picked_by(tree))


def _is_one_row(tree: exp.Query) -> bool:
    if not isinstance(tree, exp.Select):
        return False
    limit = tree.args.get("limit")
    if limit is not None and limit.expression is not None and limit.expression.name == "1":
        return True
    aggregated = any(
        select.find(exp.AggFunc) is not None and select.find(exp.Window) is None for select in tree.selects
    )
    return (aggregated and tree.args.get("group") is None) or tree.args.get("from_") is None
