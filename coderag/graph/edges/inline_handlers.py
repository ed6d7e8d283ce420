"""What a function without a name does that answers a route: its part of what its file, or the function around it, does.

router.post("/orders", async (request) => { await save(request.body); });

The call of save is one of the file. As it stands in the rows of the handler, the route calls it, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from coderag.graph.graph import EDGE_CODES, GraphDraft
from coderag.graph.records import EdgeKind

__all__ = ["InlineHandler", "add_inline_edges"]

REFERENCES = EDGE_CODES[EdgeKind.REFERENCES]
DONE = tuple(
    EDGE_CODES[kind]
    for kind in (
        *(EdgeKind.CALLS, EdgeKind.REFERENCES, EdgeKind.READS, EdgeKind.WRITES, EdgeKind.DELETES),
        *(EdgeKind.READS_ROWS, EdgeKind.WRITES_ROWS),
    )
)


class InlineHandler(NamedTuple):
    """A function without a name that answers a route."""

    route: int  # node
    around: int  # the node that it is written in: a function, or the file
    first_row: int
    last_row: int


def add_inline_edges(draft: GraphDraft, handlers: Sequence[InlineHandler]) -> None:
    """Add to routes what the rows of their handlers do, when all other edges are there."""
    if not handlers:
        return
    source, target, kind, candidates, _, row = draft.edge_columns()
    arounds = sorted({handler.around for handler in handlers})
    done = np.flatnonzero(np.isin(kind, DONE) & np.isin(source, arounds) & (row >= 0))
    done = done[np.lexsort((row[done], source[done]))]
    owners, rows = source[done], row[done]
    for handler in handlers:
        begin, end = np.searchsorted(owners, [handler.around, handler.around + 1])
        first = begin + np.searchsorted(rows[begin:end], handler.first_row)
        behind = begin + np.searchsorted(rows[begin:end], handler.last_row, "right")
        own = done[first:behind]
        # The row of the address names the router, which is not what the handler does.
        own = own[(target[own] != handler.around) & ((kind[own] != REFERENCES) | (row[own] > handler.first_row))]
        routes = np.full(len(own), handler.route, np.int64)
        draft.add_edges(routes, target[own], kind[own], candidates=candidates[own], rows=row[own])
