"""The files that a graph is made of, and which node each of their definitions is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from coderag.graph.graph import GraphDraft
from coderag.graph.records import EdgeKind, NodeKind
from coderag.index.storage.links import Links
from coderag.types import Kind

__all__ = ["LinkedFile", "Places", "add_files"]

NODE_OF = {kind: NodeKind(str(kind)) for kind in Kind}


@dataclass(frozen=True, slots=True)
class LinkedFile:
    """A file as an index knows it."""

    path: str  # relative to the root, forward slashes
    language: str
    links: Links
    labels: frozenset[str] = frozenset()
    blob: bytes = b""  # git's id of its content


@dataclass(frozen=True, slots=True)
class Places:
    """Where the nodes of files are: that of a file first, those of its definitions behind it in order."""

    first: tuple[int, ...]  # node of each file

    def node(self, file: int, owner: int) -> int:
        """Return the node of a definition of a file, or with -1 that of the file."""
        return self.first[file] + 1 + owner


def add_files(draft: GraphDraft, files: Sequence[LinkedFile]) -> Places:
    """Add a node for each file and each definition, and which contains which; files get their positions as numbers."""
    first: list[int] = []
    parents, nodes, numbers, rows = list[int](), list[int](), list[int](), list[int]()
    for number, file in enumerate(files):
        draft.add_file(file.path, labels=file.labels, blob=file.blob)
        base = draft.add_node(NodeKind.FILE, file.path.rpartition("/")[2], file.path, file=number)
        first.append(base)
        definitions = file.links.definitions
        for name, qualified_name, kind, parent, start, row, end in definitions:
            draft.nodes.append((NODE_OF[kind], name, qualified_name, number, start, row, end, "", False))
            parents.append(base + 1 + parent)
            rows.append(row)
        nodes += range(base + 1, len(draft.nodes))
        numbers += [number] * len(definitions)
    columns = (np.array(values, np.int64) for values in (parents, nodes, numbers, rows))
    sources, targets, file_numbers, file_rows = columns
    draft.add_edges(sources, targets, EdgeKind.CONTAINS, file=file_numbers, rows=file_rows)
    return Places(tuple(first))
