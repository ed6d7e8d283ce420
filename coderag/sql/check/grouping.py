"""A SELECT to the columns in it that are neither grouped nor aggregated, by the rules of the dialect."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
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


@dataclass(frozen=True, slots=True)
class _Select:
    """A SELECT with its sources, its aggregates, and what it groups by."""

    tree: exp.Select
    sources: Sources
    aggregates: tuple[exp.Expr, ...]
    grouping: Grouping

    def bare(self) -> list[exp.Expr]:
        """Return the columns that are neither grouped nor aggregated."""
        return [node for part in _results(self.tree) for node in _bare(part, self.tree, self.sources, self.grouping)]

    def loose(self, nodes: Iterable[exp.Expr]) -> list[exp.Expr]:
        """Return those of some columns that do not depend on what is grouped by."""
        columns = determined(self.tree, self.sources, self.grouping.places)
        return [node for node in nodes if not _depends(node, self.sources, columns)]

    def without_key(self, nodes: Iterable[exp.Expr]) -> list[exp.Expr]:
        """Return those of some columns whose table's primary key is not grouped by."""
        held = _keyed(self.sources, self.grouping.places)
        return [node for node in nodes if not _depends(node, self.sources, held)]


def check_grouping(scope: Scope, sources: Sources, dialect: Dialect, *, text: str) -> Iterator[Finding]:
    """Yield a finding for each column in the results, HAVING or ORDER BY that has no single value in a group.

    "SELECT a, count(*) FROM t" -> "a stands beside an aggregate without GROUP BY: all rows become one";
    "SELECT a, b FROM t GROUP BY a" -> "b is neither in GROUP BY nor in an aggregate".
    """
    tree = scope.expression
    if not isinstance(tree, exp.Select) or not sources.columns:
        return
    group = tree.args.get("group")
    aggregates = tuple(aggregate for part in _results(tree) for aggregate in _aggregates(part))
    select = _Select(tree, sources, aggregates, _grouping(tree, sources))
    if group is None:
        if aggregates:
            yield from _check_whole(select, dialect, text=text)
    elif not group.args.get("all"):
        yield from _check_groups(select, group, dialect, text=text)


def _check_whole(select: _Select, dialect: Dialect, *, text: str) -> Iterator[Finding]:
    """Check a SELECT with aggregates and without GROUP BY, whose rows become one."""
    bare = select.bare()
    ungrouped = bare if dialect.grouping in {"grouped", "key"} else select.loose(bare)
    is_extreme = lone_extreme(select.aggregates)
    if not ungrouped or (is_extreme and dialect.grouping == "any" and dialect.name != GENERIC):
        return
    picked = _picked(select)
    is_harmless = is_extreme or all(_orders(node) or _is_of(node, picked, select.sources) for node in ungrouped)
    yield _without_group(ungrouped, warned=is_harmless and dialect.grouping == "any", text=text)


def _picked(select: _Select) -> frozenset[str]:
    """Return the aliases whose rows WHERE picks by a value.

    None if an aggregate stands in HAVING or ORDER BY: to keep or to order one row makes no sense, groups were meant.
    """
    clauses = (exp.Order, exp.Having, exp.Select)
    if not all(aggregate.find_ancestor(*clauses) is select.tree for aggregate in select.aggregates):
        return frozenset()
    return frozenset(alias for column in picked_by(select.tree) for alias in select.sources.owners(column))


def _check_groups(select: _Select, group: exp.Group, dialect: Dialect, *, text: str) -> Iterator[Finding]:
    if dialect.grouping == "any" and lone_extreme(select.aggregates):
        return
    for node in _distinct(_ungrouped(select, dialect)):
        is_strict = dialect.grouping != "any" and not _may_have_key(node, select.sources)
        yield _finding(
            f"{_shown(node)} is neither in GROUP BY nor in an aggregate",
            node,
            suggestions=(f"GROUP BY {', '.join([*_written(group), _shown(node)])}",),
            severity=Severity.ERROR if is_strict else Severity.WARNING,
            text=text,
        )


def _ungrouped(select: _Select, dialect: Dialect) -> list[exp.Expr]:
    """Return the columns that a dialect wants in GROUP BY; some let a key or any dependency stand for its table."""
    bare = select.bare()
    if dialect.grouping == "grouped":
        return bare
    return select.without_key(bare) if dialect.grouping == "key" else select.loose(bare)


def _without_group(loose: list[exp.Expr], *, warned: bool, text: str) -> Finding:
    names = list(dict.fromkeys(_shown(node) for node in _distinct(loose)))
    return _finding(
        f"{names[0]} stands beside an aggregate without GROUP BY: all rows become one",
        loose[0],
        suggestions=(f"GROUP BY {', '.join(names[:SHOWN])}",) if "*" not in names[0] else (),
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
    copy = node.copy()
    for column in list(copy.find_all(exp.Column)):
        if (place := place_of(column, sources)) is not None and not isinstance(column.this, exp.Star):
            column.set("table", exp.to_identifier(place[0].casefold()))
            column.set("this", exp.to_identifier(place[1]))
    return copy.sql(comments=False).casefold()


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
    keyed: set[Place] = set()
    for alias, table in sources.tables.items():
        key = [name.casefold() for name in table.primary_key]
        if key and all((alias, name) in grouped for name in key):
            keyed |= {(alias, "*"), *((alias, name) for name in sources.columns[alias] or ())}
    return keyed


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
