"""The graph of a folder without an index, read in process; `python -m tests.graph.whole FOLDER` prints it."""

from __future__ import annotations

import sys
import time
from dataclasses import replace
from pathlib import Path

from coderag.catalog.fold import fold
from coderag.files.walk import DEFAULT_OPTIONS, walk
from coderag.frameworks.dbt.project import in_projects
from coderag.frameworks.django.project import settled
from coderag.graph.build import build_graph
from coderag.graph.files import LinkedFile
from coderag.graph.graph import Graph, GraphDraft
from coderag.index.storage.columns import unpack_labels
from coderag.index.storage.links import inflate_links
from coderag.index.storage.schema_operations import inflate_facts
from coderag.index.workers.analyze import analyze
from coderag.sql.records import SchemaFile
from coderag.sql.settings import read_settings

__all__ = ["draft_of", "graph_of"]


def draft_of(root: Path) -> GraphDraft:
    """Return the graph of all files below a folder."""
    settings = read_settings(root)
    files = walk(root, replace(DEFAULT_OPTIONS, assigned=settings.assigned)).files
    started = time.process_time()
    columns, _ = analyze(str(root), files)
    read = time.process_time()
    linked = [
        LinkedFile(row.path, row.language, inflate_links(links), unpack_labels(row.labels), row.blob)
        for row, links in zip(columns.files, columns.links, strict=True)
    ]
    told = [
        SchemaFile(row.path, inflate_facts(facts), tuple(sorted(unpack_labels(row.labels))))
        for row, facts in zip(columns.files, columns.facts, strict=True)
        if facts
    ]
    schema = fold(settled(in_projects(told)), settings)
    folded = time.process_time()

    def content(path: str) -> bytes | None:
        full = root / path
        return full.read_bytes() if full.is_file() else None

    draft = build_graph(linked, schema, read=content)
    built = time.process_time()
    times = f"read {read - started:.2f} s, folded {folded - read:.2f} s, graph {built - folded:.2f} s"
    print(f"{len(files):,} files: {times}", file=sys.stderr)
    return draft


def graph_of(root: Path) -> Graph:
    """Return the graph of all files below a folder, opened."""
    return Graph(draft_of(root).arrays())


def main() -> None:
    """Print the nodes and edges of a folder."""
    graph = graph_of(Path(sys.argv[1]))
    nodes = [graph.node(number) for number in range(len(graph))]
    for node in nodes:
        for edge in graph.edges_from(node.number):
            if edge.kind != "contains":
                target = nodes[edge.target]
                sure = f" [{edge.certainty}]" if edge.candidates else ""
                print(
                    f"{node.path}: {node.kind} {node.qualified_name} --{edge.kind}--> {target.kind} "
                    f"{target.qualified_name} ({edge.path}:{edge.line}){sure}"
                )
    for note in graph.notes():
        print(f"{note.path}:{note.line}: {note.text}")
    print(f"{len(nodes):,} nodes, {len(graph.edge_kind):,} edges", file=sys.stderr)


if __name__ == "__main__":
    main()
