"""A query to the places in its text that mutations change."""

from __future__ import annotations

from collections.abc import Iterator

import sqlglot
from sqlglot import exp
from sqlglot.tokenizer_core import Token, TokenType

__all__ = ["aggregates", "bare_columns", "clause", "extent", "own", "selects"]

ENDS = frozenset(
    {
        *(TokenType.JOIN, TokenType.INNER, TokenType.LEFT, TokenType.RIGHT, TokenType.FULL, TokenType.CROSS),
        *(TokenType.WHERE, TokenType.GROUP_BY, TokenType.HAVING, TokenType.ORDER_BY, TokenType.LIMIT),
        *(TokenType.UNION, TokenType.EXCEPT, TokenType.INTERSECT, TokenType.WINDOW, TokenType.QUALIFY),
        *(TokenType.SEMICOLON, TokenType.OFFSET, TokenType.FETCH, TokenType.NATURAL, TokenType.OUTER),
    }
)
CALLABLE = frozenset({TokenType.LEFT, TokenType.RIGHT})


def selects(tree: exp.Expr) -> list[exp.Select]:
    """Return the SELECTs of a statement in a fixed order."""
    return list(tree.find_all(exp.Select))


def own(select: exp.Select, node: exp.Expr) -> bool:
    """Tell whether a node is of a SELECT itself, not of one inside it."""
    return node.find_ancestor(exp.Select) is select


def extent(node: exp.Expr) -> tuple[int, int] | None:
    """Return the first and one past the last character of the names in a node."""
    places = [one.meta for one in node.walk() if "start" in one.meta]
    if not places:
        return None
    return min(place["start"] for place in places), max(place["end"] for place in places) + 1


def clause(sql: str, dialect: str, kind: TokenType, *, before: int) -> tuple[int, int] | None:
    """Return the extent of the clause whose keyword is the last of its kind before a character."""
    tokens = sqlglot.tokenize(sql, read=dialect or None)
    heads = [at for at, token in enumerate(tokens) if token.token_type is kind and token.start < before]
    if not heads:
        return None
    end = _end(tokens, heads[-1] + 1)
    return tokens[heads[-1]].start, tokens[end].start if end < len(tokens) else len(sql)


def _end(tokens: list[Token], at: int) -> int:
    depth = 0
    while at < len(tokens):
        kind = tokens[at].token_type
        called = kind in CALLABLE and at + 1 < len(tokens) and tokens[at + 1].token_type is TokenType.L_PAREN
        if depth == 0 and (kind is TokenType.R_PAREN or (kind in ENDS and not called)):
            return at
        depth += (kind is TokenType.L_PAREN) - (kind is TokenType.R_PAREN)
        at += 1
    return at


def _results(select: exp.Select) -> Iterator[exp.Expr]:
    """Yield what a SELECT gives, keeps by and orders by."""
    yield from select.expressions
    for key in ("having", "order"):
        if isinstance(found := select.args.get(key), exp.Expr):
            yield found


def aggregates(select: exp.Select) -> list[exp.AggFunc]:
    """Return the aggregates of a SELECT; those over a window are none."""
    return [
        one
        for part in _results(select)
        for one in part.find_all(exp.AggFunc)
        if own(select, one) and not isinstance(one.parent, exp.Window)
    ]


def bare_columns(select: exp.Select) -> list[exp.Expr]:
    """Return the columns and stars of a SELECT that stand in no aggregate; names of its own results are none."""
    aliases = {expression.alias.lower() for expression in select.expressions if expression.alias}
    return [
        one
        for part in _results(select)
        for one in part.find_all(exp.Column, exp.Star)
        if own(select, one)
        and one.find_ancestor(exp.AggFunc, exp.Window, exp.Select) is select
        and not (isinstance(one, exp.Star) and isinstance(one.parent, exp.Column))
        and not (isinstance(one, exp.Column) and not one.table and one.name.lower() in aliases)
    ]
