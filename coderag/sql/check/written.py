"""A tree to one whose joins stand as they are written, in one list for each SELECT.

sqlglot reads a comma as CROSS JOIN and a JOIN without a condition as one ON TRUE where the dialect means the same by
them; joins in parentheses it keeps inside each other.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from sqlglot import exp
from sqlglot.tokenizer_core import Token, TokenType

from coderag.sql.check.findings import extent

__all__ = ["written"]


def written(tree: exp.Expr, tokens: Sequence[Token]) -> exp.Expr:
    """Return a tree, changed in place."""
    starts = [token.start for token in tokens]
    for join in list(tree.find_all(exp.Join)):
        _restore(join, tokens, starts)
    for select in list(tree.find_all(exp.Select)):
        _flatten(select)
    return tree


def _restore(join: exp.Join, tokens: Sequence[Token], starts: Sequence[int]) -> None:
    """Take from a join what is not written."""
    condition = join.args.get("on")
    implied = isinstance(condition, exp.Boolean) and condition.this is True
    if join.args.get("kind") != "CROSS" and not implied:
        return
    start, end = extent(join.this)
    before = bisect_left(starts, start) - 1
    if isinstance(join.this, exp.Subquery):
        before = _before_query(tokens, before)
    while before >= 0 and tokens[before].token_type is TokenType.L_PAREN:
        before -= 1
    if before >= 0 and tokens[before].token_type is TokenType.COMMA:
        join.set("kind", None)
    after = bisect_left(starts, end)
    while after < len(tokens) and tokens[after].token_type is TokenType.R_PAREN:
        after += 1
    if implied and (after == len(tokens) or tokens[after].token_type is not TokenType.ON):
        join.set("on", None)


def _before_query(tokens: Sequence[Token], at: int) -> int:
    """Return the token before the parentheses of a query; `at` is before the first name in it, or its alias."""
    while at >= 0 and tokens[at].token_type is TokenType.ALIAS:
        at -= 1
    depth = 0 if at >= 0 and tokens[at].token_type is TokenType.R_PAREN else 1
    while at >= 0:
        depth += (tokens[at].token_type is TokenType.R_PAREN) - (tokens[at].token_type is TokenType.L_PAREN)
        at -= 1
        if depth == 0:
            break
    return at


def _flatten(select: exp.Select) -> None:
    """Make one list of the joins of a SELECT, however they are nested."""
    from_ = select.args.get("from_")
    if from_ is None:
        return
    joins: list[exp.Expr] = []
    from_.set("this", _opened(from_.this, joins))
    for join in select.args.get("joins") or ():
        inner: list[exp.Expr] = []
        join.set("this", _opened(join.this, inner))
        joins += [join, *inner]
    if joins:
        select.set("joins", joins)


def _opened(source: exp.Expr, joins: list[exp.Expr]) -> exp.Expr:
    """Return the first source of what may be joins in parentheses; the joins are added to `joins`."""
    if isinstance(source, exp.Subquery) and isinstance(source.this, exp.Subquery | exp.Table):
        if isinstance(source.unnest(), exp.Query) and not source.this.args.get("joins"):
            pass  # a query in parentheses
        elif source.alias:  # hides the names in it, as a query would
            query = exp.Select(expressions=[exp.Star()])
            query.set("from_", exp.From(this=source.this))
            source.set("this", query)
            _flatten(query)
        else:
            inner = _opened(source.this, joins)
            _take_joins(source, joins)
            return inner
    _take_joins(source, joins)
    return source


def _take_joins(source: exp.Expr, joins: list[exp.Expr]) -> None:
    for join in source.args.get("joins") or ():
        inner: list[exp.Expr] = []
        join.set("this", _opened(join.this, inner))
        joins += [join, *inner]
    source.set("joins", None)
