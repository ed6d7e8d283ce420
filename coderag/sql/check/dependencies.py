"""What a SELECT groups by to all that depends on it: one value of these gives one value of those."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sqlglot import exp

from coderag.sql.check.sources import Sources

__all__ = ["Place", "determined", "place_of"]

Place = tuple[str, str]  # the alias of a source and a column of it, casefolded


def place_of(column: exp.Column, sources: Sources) -> Place | None:
    """Return the source and the name of a column, None if it is of none of them or of several."""
    owners = sources.owners(column)
    return (owners[0], column.name.casefold()) if len(owners) == 1 else None


def determined(select: exp.Select, sources: Sources, grouped: Iterable[Place]) -> set[Place]:
    """Return what depends on columns: what is equal to them or to values, and all of a row whose key is among them.

    Of a source all of whose columns depend on them, the place of the column "*" is there, too.
    """
    found = set(grouped)
    steps = list(_steps(select, sources))
    changed = True
    while changed:
        before = len(found)
        for cause, effect in steps:
            if cause is None or cause in found:
                found.add(effect)
        for alias, keys in sources.keys.items():
            if (alias, "*") not in found and any(all((alias, name) in found for name in key) for key in keys):
                found.add((alias, "*"))
                found |= {(alias, name) for name in sources.columns[alias] or ()}
        changed = len(found) > before
    return found


def _steps(select: exp.Select, sources: Sources) -> Iterator[tuple[Place | None, Place]]:
    """Yield pairs of a column and another that has one value for each of its; None if that is one for all."""
    where = select.args.get("where")
    yield from _equalities(where.this if where is not None else None, sources)
    order = list(sources.columns)
    for join in select.args.get("joins") or ():
        alias = sources.alias(join.alias_or_name)
        side = join.args.get("side")
        if alias is None or side == "FULL":
            continue
        for cause, effect in _equalities(join.args.get("on"), sources):
            # What an outer join adds has NULL on its other side, so that side tells nothing of this one.
            outer = effect[0] == alias if side == "LEFT" else effect[0] != alias if side == "RIGHT" else True
            if outer and not (cause is None and side):
                yield cause, effect
        for name in (one.name.casefold() for one in join.args.get("using") or ()):
            holders = [one for one in order[: order.index(alias)] if name in (sources.columns[one] or ())]
            for holder in holders:
                if side != "RIGHT":
                    yield (holder, name), (alias, name)
                if side != "LEFT":
                    yield (alias, name), (holder, name)


def _equalities(condition: exp.Expr | None, sources: Sources) -> Iterator[tuple[Place | None, Place]]:
    for one in condition.flatten() if isinstance(condition, exp.And) else (condition,):
        plain = one.unnest() if isinstance(one, exp.Paren) else one
        if not isinstance(plain, exp.EQ | exp.Is | exp.In):
            continue
        sides = (plain.this, plain.args.get("expression") or _only(plain))
        for side, other in (sides, sides[::-1]):
            effect = place_of(side, sources) if isinstance(side, exp.Column) else None
            if effect is None or other is None:
                continue
            if isinstance(other, exp.Column):
                if (cause := place_of(other, sources)) is not None:
                    yield cause, effect
                elif not sources.owners(other):
                    yield None, effect  # of a query around this one, or a string in double quotes
            elif other.find(exp.Column) is None or isinstance(other, exp.Subquery):
                yield None, effect


def _only(expr: exp.Expr) -> exp.Expr | None:
    """Return the value of an IN of one value."""
    return expr.expressions[0] if isinstance(expr, exp.In) and len(expr.expressions) == 1 else None
