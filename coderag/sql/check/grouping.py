"""A SELECT to the columns in it that are neither grouped nor aggregated, by the rules of the dialect."""

from __future__ import annotations

from collections.abc import Container, Iterator
from dataclasses import dataclass

from sqlglot import exp
from sqlglot.optimizer.scope import Scope

from coderag.sql.check.aggregates import is_aggregate, lone_extreme
from coderag.sql.check.dependencies import Place, determined, place_of
from coderag.sql.check.findings import Code, Finding, Severity, extent, finding
from coderag.sql.check.sources import Sources, picked_by
from coderag.sql.statements.dialect import GENERIC, Dialect

__all__ = ["check_grouping"]

SHOWN = 3  # columns in a suggestion
QUERIES = (exp.Query, exp.Exists)
SETS = (exp.Rollup, exp.Cube, exp.GroupingSets, exp.Tuple, exp.Paren)


@dataclass(frozen=True, slots=True)
class Grouping:
    """What a SELECT groups by."""

    places: frozenset[Place]
    texts: frozenset[str]  # of expressions, in one spelling
    names: frozenset[str]  # of its own results, casefolded


def check_grouping(scope: Scope, sources: Sources, dialect: Dialect, *, text: str) -> Iterator[Finding]:
    """Yield a finding for what a SELECT gives, keeps or orders by that has no one value in a group."""
    select = scope.expression
    if not isinstance(select, exp.Select) or not sources.columns:
        return
    group = select.args.get("group")
    aggregates = [aggregate for part in _results(select) for aggregate in _aggregates(part)]
    if (group is None and not aggregates) or (group is not None and group.args.get("all")):
        return
    grouping = _grouping(select, sources)
    depends = determined(select, sources, grouping.places)
    bare = [one for part in _results(select) for one in _bare(part, select, sources, grouping)]
    loose = [one for one in bare if not _depends(one, sources, depends)]
    if group is None:
        found = bare if dialect.grouping in {"grouped", "key"} else loose
        # To keep one row by an aggregate, or to order it, makes no sense: groups were meant.
        given = all(aggregate.find_ancestor(exp.Order, exp.Having, exp.Select) is select for aggregate in aggregates)
        picked = {alias for column in picked_by(select) if given for alias in sources.owners(column)}
        mild = lone_extreme(aggregates) or all(_orders(one) or _is_of(one, picked, sources) for one in found)
        if found and not (lone_extreme(aggregates) and dialect.grouping == "any" and dialect.name != GENERIC):
            yield _without_group(found, warned=mild and dialect.grouping == "any", text=text)
        return
    if dialect.grouping == "grouped":
        loose = bare
    elif dialect.grouping == "key":
        keyed = _keyed(sources, grouping.places)
        loose = [one for one in bare if not _depends(one, sources, keyed)]
    elif dialect.grouping == "any" and lone_extreme(aggregates):
        return
    for one in _distinct(loose):
        strict = dialect.grouping != "any" and not _may_have_key(one, sources)
        yield _finding(
            f"{_shown(one)} is neither in GROUP BY nor in an aggregate",
            one,
            suggestions=(f"GROUP BY {', '.join([*_written(group), _shown(one)])}",),
            severity=Severity.ERROR if strict else Severity.WARNING,
            text=text,
        )


def _without_group(loose: list[exp.Expr], *, warned: bool, text: str) -> Finding:
    found = list(dict.fromkeys(_shown(one) for one in _distinct(loose)))
    return _finding(
        f"{found[0]} stands beside an aggregate without GROUP BY: all rows become one",
        loose[0],
        suggestions=(f"GROUP BY {', '.join(found[:SHOWN])}",) if "*" not in found[0] else (),
        severity=Severity.WARNING if warned else Severity.ERROR,
        text=text,
    )


def _orders(node: exp.Expr) -> bool:
    """Tell whether a column orders the one row that there is."""
    return isinstance(node.find_ancestor(exp.Order, exp.Select), exp.Order)


def _is_of(node: exp.Expr, picked: Container[str], sources: Sources) -> bool:
    """Tell whether a column is of a source whose rows WHERE picks by a value: they may be alike in it."""
    return isinstance(node, exp.Column) and all(alias in picked for alias in sources.owners(node))


def _finding(message: str, node: exp.Expr, *, suggestions: tuple[str, ...], severity: Severity, text: str) -> Finding:
    place = extent(node)
    return finding(Code.UNGROUPED_COLUMN, message, text=text, extent=place, severity=severity, suggestions=suggestions)


def _results(select: exp.Select) -> Iterator[exp.Expr]:
    """Yield what a SELECT gives, keeps by and orders by."""
    yield from select.expressions
    for clause in (select.args.get("having"), select.args.get("qualify"), select.args.get("order")):
        if clause is not None:
            yield clause


def _aggregates(node: exp.Expr) -> Iterator[exp.Expr]:
    """Yield the aggregates in a node that are of its own query."""
    if isinstance(node, QUERIES):
        return
    if is_aggregate(node):
        yield node
        return
    for child in node.iter_expressions():
        yield from _aggregates(child)


def _grouping(select: exp.Select, sources: Sources) -> Grouping:
    results = {
        expression.alias.casefold(): expression.unalias() for expression in select.expressions if expression.alias
    }
    places: set[Place] = set()
    texts: set[str] = set()
    for one in _grouped(select):
        meant = [one]
        if isinstance(one, exp.Literal) and not one.is_string and one.name.isdigit():
            position = int(one.name) - 1
            meant = [select.expressions[position].unalias()] if position < len(select.expressions) else []
        elif isinstance(one, exp.Column) and not one.table and one.name.casefold() in results:
            meant.append(results[one.name.casefold()])
        for node in meant:
            plain = node.unnest() if isinstance(node, exp.Paren) else node
            if isinstance(plain, exp.Column) and (place := place_of(plain, sources)) is not None:
                places.add(place)
            texts.add(_spelled(plain, sources))
    return Grouping(frozenset(places), frozenset(texts), frozenset(results))


def _grouped(select: exp.Select) -> Iterator[exp.Expr]:
    """Yield what a SELECT groups by, also in sets."""
    group = select.args.get("group")
    waiting = list(group.iter_expressions()) if group is not None else []
    while waiting:
        one = waiting.pop()
        if isinstance(one, SETS):
            waiting += one.iter_expressions()
        else:
            yield one


def _written(group: exp.Group) -> list[str]:
    return [expression.sql() for expression in group.expressions]


def _spelled(node: exp.Expr, sources: Sources) -> str:
    """Return an expression with each column by its source, so that two spellings of one are the same."""
    held = node.copy()
    for column in list(held.find_all(exp.Column)):
        if (place := place_of(column, sources)) is not None and not isinstance(column.this, exp.Star):
            column.set("table", exp.to_identifier(place[0].casefold()))
            column.set("this", exp.to_identifier(place[1]))
    return held.sql(comments=False).casefold()


def _bare(node: exp.Expr, select: exp.Select, sources: Sources, grouping: Grouping) -> Iterator[exp.Expr]:
    """Yield the columns and stars of a query that are in no aggregate and not grouped by, nor part of what is."""
    if isinstance(node, QUERIES) or is_aggregate(node):
        return
    if isinstance(node, exp.Star) or (isinstance(node, exp.Column) and isinstance(node.this, exp.Star)):
        yield node
        return
    if isinstance(node, exp.Column):
        if not node.table and node.name.casefold() in grouping.names and not isinstance(node.parent, exp.Alias):
            if node.find_ancestor(exp.Order, exp.Having, exp.Qualify, exp.Select) is not select:
                return  # a name of the SELECT list
            if not sources.holders(node.name.casefold()):
                return
        place = place_of(node, sources)
        if place is not None and place not in grouping.places and _spelled(node, sources) not in grouping.texts:
            yield node
        return
    may_be_grouped = bool(grouping.texts) and not isinstance(node, exp.Alias | exp.Ordered)
    if may_be_grouped and node.find(exp.Column) is not None and _spelled(node, sources) in grouping.texts:
        return
    for child in node.iter_expressions():
        yield from _bare(child, select, sources, grouping)


def _depends(node: exp.Expr, sources: Sources, held: set[Place]) -> bool:
    if isinstance(node, exp.Star):
        return all((alias, "*") in held for alias in sources.columns)
    if not isinstance(node, exp.Column):
        return False
    if isinstance(node.this, exp.Star):
        return (sources.alias(node.table) or "", "*") in held
    place = place_of(node, sources)
    return place is None or place in held


def _keyed(sources: Sources, grouped: frozenset[Place]) -> set[Place]:
    """Return the columns of the tables whose primary keys are grouped by."""
    found: set[Place] = set()
    for alias, table in sources.tables.items():
        key = [name.casefold() for name in table.primary_key]
        if key and all((alias, name) in grouped for name in key):
            found |= {(alias, "*"), *((alias, name) for name in sources.columns[alias] or ())}
    return found


def _may_have_key(node: exp.Expr, sources: Sources) -> bool:
    """Tell whether a column may depend on what is grouped by, for all that is known of its table's keys."""
    if not isinstance(node, exp.Column):
        return False
    return any(
        alias in sources.tables and not sources.tables[alias].primary_key
        for alias in (
            sources.owners(node) if not isinstance(node.this, exp.Star) else [sources.alias(node.table) or ""]
        )
    )


def _distinct(nodes: list[exp.Expr]) -> list[exp.Expr]:
    return list({_shown(node).casefold(): node for node in reversed(nodes)}.values())[::-1]


def _shown(node: exp.Expr) -> str:
    return node.sql(comments=False)
