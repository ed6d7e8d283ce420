"""A context and a way to write it to a text that exceeds the context's budget never."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from coderag.text.budget import tokens_of
from coderag.text.visible import visible

if TYPE_CHECKING:
    from coderag.search.context.schema_context import SchemaContext

__all__ = ["fitted", "shown_tokens"]


def fitted(context: SchemaContext, write: Callable[[SchemaContext], str]) -> tuple[SchemaContext, str]:
    """Return as much of a context as its budget has room for when it is written so, and the text; "" where none is."""
    text = write(context)
    while (size := shown_tokens(text)) > context.budget:
        smaller = _less(context, context.budget / size)
        if smaller is None:
            return context, ""
        context, text = smaller, write(smaller)
    return context, text


def shown_tokens(text: str) -> int:
    """Return about how many tokens a text has as it is printed, where an escape takes more than what it stands for."""
    return tokens_of("\n".join(map(visible, text.split("\n"))))


def _less(context: SchemaContext, share: float) -> SchemaContext | None:
    """Return a context without what it can do without best, about that share of it; None where nothing is left."""
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


def _without_last_tables(context: SchemaContext, kept: int) -> SchemaContext:
    there = {table.table.name for table in context.tables[:kept]}
    return replace(
        context,
        tables=context.tables[:kept],
        joins=tuple(join for join in context.joins if join.left in there and join.right in there),
        left_out=context.left_out + len(context.tables) - kept,
        complete=False,
        whole=False,
    )
