"""An earlier graph of the same files to the edges that hold for the present ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from coderag.graph.edges.kept import KEPT_KINDS, CodeEdges, Kept
from coderag.graph.files import LinkedFile
from coderag.graph.graph import NODE_KINDS, Graph
from coderag.graph.records import NodeKind
from coderag.graph.resolve.affected import affected_files
from coderag.graph.resolve.changed_names import Changed, changed_names, identities
from coderag.index.storage.arrays.arrays import Array

__all__ = ["EarlierGraph", "kept_edges"]

MOST_RESOLVED = 0.5  # of the files; with more it is as quick to resolve all
FILE = NODE_KINDS.index(NodeKind.FILE)
GONE = -1


@dataclass(frozen=True, slots=True)
class EarlierGraph:
    """A graph, and those of its files that are other ones by now, as they were."""

    graph: Graph
    changed: Mapping[str, LinkedFile]  # by path
    names_modules: bool  # settings say how the modules here are called, so nothing is guessed from imports


def kept_edges(earlier: EarlierGraph, files: Sequence[LinkedFile]) -> Kept | None:
    """Return the edges of an earlier graph that hold, and the files to resolve again; None where that is most of all.

    `files` are those of the earlier graph, in its order.
    """
    changed: dict[int, Changed] = {}
    for number, file in enumerate(files):
        if (before := earlier.changed.get(file.path)) is not None:
            words = changed_names(before, file)
            if words is None or (_modules(before) != _modules(file) and not earlier.names_modules):
                return None
            changed[number] = words
    resolved = affected_files(files, changed)
    if resolved is None or len(resolved) - len(changed) > MOST_RESOLVED * len(files):
        return None
    nodes = _node_map(earlier, files)
    return None if nodes is None else _kept(earlier.graph, nodes, resolved)


def _modules(file: LinkedFile) -> frozenset[str]:
    """Return the modules by which the name of the module of Go here may be guessed."""
    return frozenset(one.module for one in file.links.mentions.imports) if file.language == "go" else frozenset()


def _node_map(earlier: EarlierGraph, files: Sequence[LinkedFile]) -> Array | None:
    """Return the present node of each earlier node of code, GONE for none; None where the graph is of other files."""
    graph = earlier.graph
    parts: list[Array] = []
    at = 0
    starts: list[int] = []
    for file in files:
        before = earlier.changed.get(file.path, file)
        starts.append(sum(map(len, parts[-1:])) + (starts[-1] if starts else 0))
        size = 1 + len(file.links.definitions)
        if before is file:
            parts.append(np.arange(at, at + size))
        else:
            known = {one: at + 1 + place for place, one in enumerate(identities(file.links.definitions))}
            own = [at, *(known.get(one, GONE) for one in identities(before.links.definitions))]
            parts.append(np.array(own, np.int64))
        at += size
    found = np.concatenate(parts) if parts else np.empty(0, np.int64)
    first = np.array(starts, np.int64)
    sizes = np.array(list(map(len, parts)), np.int64)
    if len(found) > len(graph) or (graph.node_kind[first] != FILE).any():
        return None
    of_file = np.repeat(np.arange(len(files)), sizes)
    return found if np.array_equal(graph.node_file[: len(found)], of_file) else None


def _kept(graph: Graph, nodes: Array, resolved: frozenset[int]) -> Kept | None:
    """Return the edges of the files that are not resolved again."""
    size = len(nodes)
    source, target = graph.edge_source.astype(np.int64), graph.edge_target.astype(np.int64)
    kept = (source < size) & (target < size) & np.isin(graph.edge_kind, KEPT_KINDS)
    again = np.zeros(len(graph.paths), np.bool_)
    again[list(resolved)] = True
    file, row = graph.arrays["edge_file"].astype(np.int64), graph.arrays["edge_row"].astype(np.int64)
    kept[kept] = ~again[graph.node_file[source[kept]]]
    order = np.flatnonzero(kept)
    order = order[np.lexsort((row[order], file[order]))]
    source, target = nodes[source[order]], nodes[target[order]]
    if (source == GONE).any() or (target == GONE).any():
        return None
    candidates = graph.edge_candidates[order].astype(np.int64)
    return Kept(resolved, CodeEdges(source, target, graph.edge_kind[order], candidates, file[order], row[order]))
