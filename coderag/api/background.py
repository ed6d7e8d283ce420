"""What a build or an update leaves for a process of its own, for which nobody waits.

Segments to merge, a graph to make, a history to read.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from coderag.api.detached import spawn_detached
from coderag.api.roots import Root
from coderag.errors import CoderagError
from coderag.index.build.job import Report
from coderag.index.build.merging import merge_index
from coderag.index.storage.folder.index_path import IndexPath
from coderag.index.storage.folder.lock import is_locked
from coderag.index.storage.manifest import GRAPH_LOCK, read_manifest

__all__ = ["main", "spawn_due", "spawn_maintenance"]

GRAPH, HISTORY, OLD = "graph", "history", "-"  # whether one is made where there is none


def spawn_maintenance(
    folder: IndexPath, root: Path, *, graph: bool = False, history: bool = False
) -> subprocess.Popen[bytes]:
    """Start a process that tidies up the index of a root, and outlives this one; what fails there is tried again.

    A graph that is older than the index is rebuilt, and a history that is older than the repository is read on; with
    `graph` and `history` also one that is missing.
    """
    which = [GRAPH if graph else OLD, HISTORY if history else OLD]
    return spawn_detached(__name__, [*which, str(root), str(folder.base), *folder.names])


def spawn_due(roots: Sequence[Root], reports: Sequence[Report]) -> None:
    """Start such a process for each root whose report says that something is due; none to wait for another one."""
    for root, report in zip(roots, reports, strict=True):
        if report.merge_due or (report.graph_due and not _is_graph_being_made(root.folder)):
            spawn_maintenance(root.folder, root.root)


def _is_graph_being_made(folder: IndexPath) -> bool:
    """Tell whether a process makes the graph of an index: where files keep changing, more would wait in a row."""
    try:
        return is_locked(folder / GRAPH_LOCK)
    except (CoderagError, OSError):
        return False


def main() -> None:
    """Tidy up the index of the root, in the folder, that the command line names."""
    graph, history, root, base, *names = sys.argv[1:]
    folder = IndexPath(Path(base), tuple(names))
    with suppress(CoderagError, OSError):  # the index is as it was; the next update starts another
        merge_index(folder)
    with suppress(CoderagError, OSError):
        if read_manifest(folder).hnsw:
            from coderag.index.build.vector_graph import refresh_vector_graph

            refresh_vector_graph(folder)
    with suppress(CoderagError, OSError):
        if graph == GRAPH or (read_manifest(folder).graph and not _is_graph_being_made(folder)):
            from coderag.graph.store import write_graph

            write_graph(folder, Path(root))
    with suppress(CoderagError, OSError):
        if history == HISTORY or read_manifest(folder).history:
            from coderag.index.history.store import write_history

            write_history(folder, Path(root))


if __name__ == "__main__":
    main()
