"""A context and a way to write it to a text within the context's budget."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from coderag.search.context.records import Context
from coderag.text.budget import tokens_of
from coderag.text.visible import visible

__all__ = ["fitted", "shown_tokens"]

AnyContext = TypeVar("AnyContext", bound=Context)


def fitted(context: AnyContext, write: Callable[[AnyContext], str]) -> tuple[AnyContext, str]:
    """Return as much of a context as fits its budget when written so, and the text; "" where nothing fits."""
    text = write(context)
    while (size := shown_tokens(text)) > context.budget:
        smaller = _less(context, context.budget / size)
        if smaller is None:
            return context, ""
        context, text = smaller, write(smaller)
    return context, text


def shown_tokens(text: str) -> int:
    """Return about how many tokens a text has as printed, where an escape is longer than its character."""
    return tokens_of("\n".join(map(visible, text.split("\n"))))


def _less(context: AnyContext, share: float) -> AnyContext | None:
    """Return about a share of a context, without its least important part; None where nothing is left."""
    if context.named and not context.brief:
        return replace(context, brief=True)
    if context.others:
        kept = len(context.others) // 2
        return replace(
            context, others=context.others[:kept], others_left_out=context.others_left_out + len(context.others) - kept
        )
    if context.named:
        kept = int(len(context.named) * share * share)
        return replace(context, named=context.named[:kept], left_out=context.left_out + len(context.named) - kept)
    for name in ("queries", "definitions"):
        if units := getattr(context, name):
            return replace(context, **{name: units[:-1]})
    if context.tables:
        return _without_last_tables(context, min(int(len(context.tables) * share), len(context.tables) - 1))
    return replace(context, pitfalls=context.pitfalls[:-1]) if context.pitfalls else None


def _without_last_tables(context: AnyContext, kept: int) -> AnyContext:
    there = {table.table.name for table in context.tables[:kept]}
    return replace(
        context,
        tables=context.tables[:kept],
        joins=tuple(join for join in context.joins if join.left in there and join.right in there),
        left_out=context.left_out + len(context.tables) - kept,
        complete=False,
        whole=False,
    )
