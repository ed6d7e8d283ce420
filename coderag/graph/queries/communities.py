"""Files and tables to communities: groups with more edges inside than to the rest.

V. A. Traag, L. Waltman, N. J. van Eck, "From Louvain to Leiden: guaranteeing well-connected communities", Scientific
Reports 9, 2019. What is grouped are files and the tables of databases; every definition belongs where its file does.
"""

from __future__ import annotations

from collections import Counter
from math import log10

import numpy as np

from coderag.graph.graph import EDGE_KINDS, NODE_KINDS, Graph
from coderag.graph.queries.centrality import counted_nodes, edge_weights
from coderag.graph.records import EdgeKind, NodeKind
from coderag.index.storage.arrays.arrays import Array
from coderag.index.storage.arrays.ranges import distinct

__all__ = ["NO_COMMUNITY", "communities", "leiden_groups"]

NO_COMMUNITY = -1  # of tests, and of what nobody here wrote
SEED = 1
ROUNDS = 3
RANDOMNESS = 0.001  # of the refinement; the library's default
# The best of several trials hardly depends on the random numbers. With so many ties in all of them it takes 20 ms.
MOST_TRIALS, TIES_TRIED = 10, 20_000
PLAIN_SIZE = 30  # vertices of a graph whose resolution is 1; a larger one would have ever larger communities
BESIDE = 1.5  # the weight between a file and its folder: what nothing else ties together stays together
NO_FOLDER = "\0"  # of a table
SMALL = 3  # members; smaller communities join the one that their folder is in
DATA = (NodeKind.TABLE, NodeKind.VIEW)


def communities(graph: Graph, *, tests: bool = False) -> Array:
    """Return the community of each node, i32[nodes]: from 0, the largest first.

    NO_COMMUNITY for what nobody here wrote and, unless `tests` is set, for tests.
    """
    counted = counted_nodes(graph, tests=tests)
    vertex, names = _vertices(graph, counted)
    found = np.full(len(graph), NO_COMMUNITY, np.int32)
    if not names:
        return found
    source, target, weight = _ties(graph, vertex)
    folders = _folder_ties(names)
    of_vertex = leiden_groups(
        len(names) + len(set(names)),
        np.concatenate([source, folders[0]]),
        np.concatenate([target, folders[1]]),
        weight=np.concatenate([weight, np.full(len(folders[0]), BESIDE)]),
    )[: len(names)]
    of_vertex = _by_size(_merged(of_vertex, names))
    grouped = vertex >= 0
    found[grouped] = of_vertex[vertex[grouped]]
    return found


def _vertices(graph: Graph, counted: Array) -> tuple[Array, list[str]]:
    """Return the vertex of each node, i64[nodes] with -1 for none, and the folders of the vertices."""
    data = np.isin(graph.node_kind, [NODE_KINDS.index(kind) for kind in DATA])
    files = distinct(graph.node_file[counted & ~data & (graph.node_file >= 0)])
    vertex = np.full(len(graph), -1, np.int64)
    known = np.full(len(graph.paths) + 1, -1, np.int64)
    known[files] = np.arange(len(files))
    vertex[counted & ~data] = known[graph.node_file[counted & ~data]]
    tables = np.flatnonzero(counted & data)
    vertex[tables] = len(files) + np.arange(len(tables))
    folders = [path.rpartition("/")[0] for path in graph.paths.some(files)] + [NO_FOLDER] * len(tables)
    inside = graph.edge_kind == EDGE_KINDS.index(EdgeKind.CONTAINS)
    of_table = inside & np.isin(graph.edge_source, tables)
    vertex[graph.edge_target[of_table]] = vertex[graph.edge_source[of_table]]  # columns
    return vertex, folders


def _ties(graph: Graph, vertex: Array) -> tuple[Array, Array, Array]:
    """Return the edges between vertices, each pair once with the sum of its weights."""
    source, target = vertex[graph.edge_source], vertex[graph.edge_target]
    weight = edge_weights(graph)
    kept = (source >= 0) & (target >= 0) & (source != target) & (weight > 0)
    source, target, weight = source[kept], target[kept], weight[kept]
    low, high = np.minimum(source, target), np.maximum(source, target)
    pairs, place = np.unique(np.stack([low, high]), axis=1, return_inverse=True)
    # Of many ties between two files each further one says less.
    return pairs[0], pairs[1], np.sqrt(np.bincount(place.ravel(), weights=weight, minlength=pairs.shape[1]))


def _folder_ties(folders: list[str]) -> tuple[Array, Array]:
    """Return a tie from each vertex to one that stands for its folder; tables have none."""
    numbers = {folder: len(folders) + number for number, folder in enumerate(sorted(set(folders)))}
    ties = [(number, numbers[folder]) for number, folder in enumerate(folders) if folder != NO_FOLDER]
    table = np.array(ties, np.int64).reshape(-1, 2)
    return table[:, 0], table[:, 1]


def leiden_groups(size: int, source: Array, target: Array, *, weight: Array) -> Array:
    """Return the community of each vertex, i64[vertices], of a graph whose edges are given by both their ends."""
    from graspologic_native import leiden

    if not len(source):
        return np.arange(size, dtype=np.int64)
    names = [str(number) for number in range(size)]
    ends = zip(source.tolist(), target.tolist(), weight.tolist(), strict=True)
    _, found = leiden(
        edges=[(names[one], names[other], share) for one, other, share in ends],
        starting_communities=None,
        resolution=1 + log10(max(size / PLAIN_SIZE, 1)),
        randomness=RANDOMNESS,
        iterations=ROUNDS,
        use_modularity=True,
        seed=SEED,
        trials=min(max(TIES_TRIED // len(source), 1), MOST_TRIALS),
    )
    # A vertex without ties is in none of them.
    beyond = max(found.values(), default=-1) + 1
    return np.array([found.get(name, beyond + number) for number, name in enumerate(names)], np.int64)


def _merged(community: Array, folders: list[str]) -> Array:
    """Return communities without small ones: these join the one that most of their folder, or one above, is in."""
    sizes = Counter(community.tolist())
    large: dict[str, Counter[int]] = {}
    for number, folder in zip(community.tolist(), folders, strict=True):
        if sizes[number] >= SMALL:
            for above in _upwards(folder):
                large.setdefault(above, Counter())[number] += 1
    merged = community.copy()
    for small in sorted(one for one, size in sizes.items() if size < SMALL):
        members = np.flatnonzero(community == small)
        near = next(
            (large[upward] for upward in _upwards(folders[int(members[0])]) if upward and upward in large), None
        )
        if near:
            merged[members] = min(near, key=lambda one: (-near[one], one))
    return merged


def _upwards(folder: str) -> list[str]:
    """Return a folder and those that it is in."""
    parts = folder.split("/")
    return ["/".join(parts[:size]) for size in range(len(parts), 0, -1)]


def _by_size(community: Array) -> Array:
    """Return communities numbered from 0: the largest first, of equal ones that with the first vertex."""
    numbers, first, sizes = np.unique(community, return_index=True, return_counts=True)
    order = np.lexsort((first, -sizes))
    renumbered = np.empty(len(numbers), np.int64)
    renumbered[order] = np.arange(len(numbers))
    found: Array = renumbered[np.searchsorted(numbers, community)]
    return found
