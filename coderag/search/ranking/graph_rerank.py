"""A ranking reordered by the graph: hits that other hits use come forward."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import fsum

from coderag.graph.records import EdgeKind
from coderag.index.reader.corpus import Corpus
from coderag.search.ranking.rank import Ranked
from coderag.search.ranking.settings import CONNECTED
from coderag.search.results.related import Graphs, nodes_of

__all__ = ["graph_rerank"]

DEPTH = 20  # of a ranking
LIFT = 0.1  # of its score, at most, that a hit gains
USES = (EdgeKind.CALLS, EdgeKind.REFERENCES, EdgeKind.INHERITS, EdgeKind.IMPLEMENTS, EdgeKind.OVERRIDES)


def graph_rerank(corpus: Corpus, ranked: Sequence[Ranked], graphs: Graphs) -> list[Ranked]:
    """Return a ranking in which each of the best gains by the scores of those among them that use it.

    Edges to one of several candidates do not count. As it is, where no graph knows the hits.
    """
    first = ranked[:DEPTH]
    positions = {hit.chunk: position for position, hit in enumerate(first)}
    nodes_by_repository = nodes_of(corpus, positions, graphs)
    hits = {
        (repository, node): positions[chunk]
        for repository, nodes in nodes_by_repository.items()
        for chunk, node in nodes.items()
    }
    best = max((hit.score for hit in first), default=0.0)
    if not hits or best <= 0:
        return list(ranked)
    lifted = list(first)
    for (repository, node), position in hits.items():
        graph = graphs[repository].graph
        users = {edge.source for edge in graph.edges_to(node, USES) if edge.candidates <= 1} - {node}
        shares = [first[hits[repository, user]].score / best for user in users if (repository, user) in hits]
        if shares:
            gained = LIFT * min(1.0, fsum(shares))
            hit = first[position]
            lifted[position] = replace(hit, score=hit.score * (1.0 + gained), parts={**hit.parts, CONNECTED: gained})
    lifted.sort(key=lambda hit: -hit.score)
    return [*lifted, *ranked[DEPTH:]]
