"""The parts of a map to how many commits changed the files of each."""

from __future__ import annotations

import numpy as np

from coderag.graph.graph import NODE_KINDS, Graph
from coderag.graph.queries.communities import NO_COMMUNITY
from coderag.graph.queries.map import RepositoryMap, communities_of
from coderag.graph.records import NodeKind
from coderag.index.history.history import History
from coderag.index.storage.arrays.arrays import Array

__all__ = ["part_changes"]


def part_changes(shown: RepositoryMap, graph: Graph, history: History) -> tuple[int, ...]:
    """Return for each part of a map of a graph how many commits of its history changed a file of it."""
    community = communities_of(graph)
    files = np.flatnonzero((graph.node_kind == NODE_KINDS.index(NodeKind.FILE)) & (graph.node_file >= 0))
    of_file = dict(zip(graph.node_file[files].tolist(), community[files].tolist(), strict=True))
    members: dict[int, list[str]] = {}
    for number, path in zip(of_file, graph.paths.some(np.array(list(of_file), np.int64)), strict=True):
        members.setdefault(of_file[number], []).append(path)
    members.pop(NO_COMMUNITY, None)  # a part that the graph does not number has none
    return tuple(_commits(history, members.get(part.community, [])) for part in shown.parts)


def _commits(history: History, paths: list[str]) -> int:
    starts, commits = history.arrays["touch_starts"], history.arrays["touch_commit"]
    numbers = [number for path in paths if (number := history.files.get(path)) is not None]
    touched: list[Array] = [commits[int(starts[number]) : int(starts[number + 1])] for number in numbers]
    return len(np.unique(np.concatenate(touched))) if touched else 0
