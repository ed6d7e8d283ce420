"""A SELECT to the tables in it that nothing joins: a cartesian product, mostly by oversight."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp
from sqlglot.optimizer.scope import Scope

from coderag.sql.check.findings import Code, Finding, extent, finding
from coderag.sql.check.known import Known
from coderag.sql.check.names import Sources, sources_of

__all__ = ["check_joins"]


def check_joins(scope: Scope, known: Known, *, text: str) -> Iterator[Finding]:
    """Yield a finding for each source of a SELECT that no condition connects with those before it."""
    tree = scope.expression
    joins = tree.args.get("joins") or []
    if not isinstance(tree, exp.Select) or not joins:
        return
    sources = sources_of(scope, known)
    group = {alias: {alias} for alias in sources.columns}
    for left, right in _connections(scope, sources):
        merged = group[left] | group[right]
        for alias in merged:
            group[alias] = merged
    first = next(iter(sources.columns), "")
    free = _free(scope, joins)
    told: set[str] = set()
    for alias in sources.columns:
        if alias in group.get(first, set()) or alias in free or alias in told or first in free:
            continue
        told |= group[alias]
        node = scope.selected_sources[alias][0]
        message = f"nothing joins {alias} with {first}: every row of one is paired with every row of the other"
        yield finding(Code.CARTESIAN_PRODUCT, message, text=text, extent=extent(node))


def _connections(scope: Scope, sources: Sources) -> Iterator[tuple[str, str]]:
    """Yield pairs of sources that some condition of the query is about."""
    aliases = {alias.casefold(): alias for alias in sources.columns}

    def owner(column: exp.Column) -> str | None:
        if column.table:
            return aliases.get(column.table.casefold())
        holders = sources.holders(column.name.casefold())
        return holders[0] if len(holders) == 1 else None

    select = scope.expression
    order = list(sources.columns)
    for join in select.args.get("joins") or ():
        alias = aliases.get(join.alias_or_name.casefold())
        if alias is None:
            continue
        if join.args.get("using") or join.args.get("method") == "NATURAL":
            yield order[max(order.index(alias) - 1, 0)], alias
        elif join.args.get("on") is not None:
            owners = {found for column in join.args["on"].find_all(exp.Column) if (found := owner(column))}
            if not owners - {alias}:
                # A condition that says nothing of the others, such as ON TRUE, is meant as it is written.
                yield order[max(order.index(alias) - 1, 0)], alias
            for found in owners:
                yield found, alias
    where = select.args.get("where")
    for predicate in where.find_all(exp.Predicate) if where is not None else ():
        owners = {found for column in predicate.find_all(exp.Column) if (found := owner(column))}
        one = next(iter(sorted(owners)), None)
        for other in owners:
            if one is not None:
                yield one, other


def _free(scope: Scope, joins: list[exp.Join]) -> frozenset[str]:
    """Return the sources that may stand alone: CROSS JOIN is meant, one row or a lateral item is none."""
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


def _is_one_row(tree: exp.Query) -> bool:
    if not isinstance(tree, exp.Select):
        return False
    limit = tree.args.get("limit")
    if limit is not None and limit.expression is not None and limit.expression.name == "1":
        return True
    aggregated = any(one.find(exp.AggFunc) is not None and one.find(exp.Window) is None for one in tree.selects)
    return (aggregated and tree.args.get("group") is None) or tree.args.get("from_") is None
