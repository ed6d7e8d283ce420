"""How important each node of a graph is: PageRank over its edges, heavier for what says more.

L. Page, S. Brin, R. Motwani, T. Winograd, "The PageRank Citation Ranking: Bringing Order to the Web", Stanford 1999.
An edge hands the rank of its source on to its target, in the share of its weight. Nodes of files that are tests,
examples, vendored, generated or left behind neither give nor take.
"""

from __future__ import annotations

import numpy as np

from coderag.graph.graph import EDGE_KINDS, NODE_KINDS, Graph
from coderag.graph.records import EdgeKind, NodeKind
from coderag.index.storage.arrays.arrays import Array
from coderag.index.storage.columns import LABELS

__all__ = ["counted_nodes", "edge_weights", "importance", "test_nodes"]

DAMPING = 0.85  # of the paper
MAX_ROUNDS, ENOUGH = 60, 1e-6  # until the ranks change by less than that in sum
WEIGHTS = {
    EdgeKind.CALLS: 1.0,
    EdgeKind.READS: 1.0,
    EdgeKind.WRITES: 1.0,
    EdgeKind.DELETES: 1.0,
    EdgeKind.ROUTES: 1.0,
    EdgeKind.MAPS: 1.0,
    EdgeKind.DERIVES: 1.0,
    EdgeKind.FOREIGN_KEY: 1.0,
    EdgeKind.INHERITS: 1.0,
    EdgeKind.IMPLEMENTS: 1.0,
    EdgeKind.OVERRIDES: 0.3,
    EdgeKind.REFERENCES: 0.5,
    EdgeKind.IMPORTS: 0.3,
    EdgeKind.DESCRIBES: 0.3,
    EdgeKind.DOCUMENTS: 0.3,
    EdgeKind.DEFINES: 0.1,
    EdgeKind.ALTERS: 0.1,
}
PROSE_SHARE = 0.3  # of what an edge from a document, a query or a term weighs
UP = 0.3  # of what a member has goes to what it is in: a class is worth what its methods are
TEST = 1 << LABELS.index("test")
LEFT_OUT = sum(1 << LABELS.index(one) for one in ("test", "example", "generated", "vendored", "legacy"))
PROSE = (NodeKind.SECTION, NodeKind.QUERY, NodeKind.TERM, NodeKind.CELL, NodeKind.BLOCK)


def importance(graph: Graph, *, tests: bool = False) -> Array:
    """Return how much each node matters, f32[nodes], 1 in sum; 0 for what nobody wrote here and for tests left out."""
    size = len(graph)
    counted = counted_nodes(graph, tests=tests)
    if not counted.any():
        return np.zeros(size, np.float32)
    source, target, weight = _transitions(graph, counted)
    if not len(source):
        alike: Array = (counted / counted.sum()).astype(np.float32)
        return alike
    out = np.bincount(source, weights=weight, minlength=size)
    share = weight / out[source]
    ranks = start = counted / counted.sum()
    giving = out > 0
    for _ in range(MAX_ROUNDS):
        handed = np.bincount(target, weights=ranks[source] * share, minlength=size)
        # What hands nothing on gives to all alike.
        handed += ranks[counted & ~giving].sum() * start
        following = (1 - DAMPING) * start + DAMPING * handed
        change = float(np.abs(following - ranks).sum())
        ranks = following
        if change < ENOUGH:
            break
    found: Array = ranks.astype(np.float32)
    return found


def counted_nodes(graph: Graph, *, tests: bool = False) -> Array:
    """Return which nodes are code or data that somebody here wrote to be run, bool[nodes]; with `tests`, also these."""
    return ~_labelled(graph, LEFT_OUT & ~TEST if tests else LEFT_OUT)


def test_nodes(graph: Graph) -> Array:
    """Return which nodes are in files of tests, bool[nodes]."""
    return _labelled(graph, TEST)


def _labelled(graph: Graph, labels: int) -> Array:
    """Return which nodes are in a file that has one of some labels, given as bits, bool[nodes]."""
    of_file = np.append(graph.arrays["file_labels"], np.uint8(0))  # for a file of -1
    found: Array = (of_file[graph.node_file] & labels) != 0
    return found


def edge_weights(graph: Graph) -> Array:
    """Return how much each edge says, f64[edges]: by its kind, and less where it is one of several candidates."""
    of_kind = np.array([WEIGHTS.get(kind, 0.0) for kind in EDGE_KINDS])
    weights: Array = of_kind[graph.edge_kind] / np.maximum(graph.edge_candidates, 1)
    return weights


def _transitions(graph: Graph, counted: Array) -> tuple[Array, Array, Array]:
    """Return source, target and weight of what hands rank on."""
    source, target = graph.edge_source.astype(np.int64), graph.edge_target.astype(np.int64)
    weight = edge_weights(graph)
    prose = np.array([kind in PROSE for kind in NODE_KINDS])
    weight[prose[graph.node_kind[source]]] *= PROSE_SHARE
    inside = graph.edge_kind == EDGE_KINDS.index(EdgeKind.CONTAINS)
    # Upwards only: from a member to what it is in, but not to a file, which all would lead to.
    inside &= graph.node_kind[source] != NODE_KINDS.index(NodeKind.FILE)
    source, target = (
        np.concatenate([source, target[inside]]),
        np.concatenate([target, source[inside]]),
    )
    weight = np.concatenate([weight, np.full(int(inside.sum()), UP)])
    kept = (weight > 0) & counted[source] & counted[target] & (source != target)
    return source[kept], target[kept], weight[kept]
