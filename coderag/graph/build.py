"""All files of an index and its schema to a graph."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from coderag.graph.edges.code import add_code_edges
from coderag.graph.edges.inline_handlers import add_inline_edges
from coderag.graph.edges.reused import ReusedEdges
from coderag.graph.edges.schema_nodes import add_schema
from coderag.graph.edges.table_edges import add_uses
from coderag.graph.files import LinkedFile, add_files
from coderag.graph.graph import GraphDraft
from coderag.sql.records import Schema

__all__ = ["build_graph"]


def build_graph(
    files: Sequence[LinkedFile],
    schema: Schema,
    *,
    read: Callable[[str], bytes | None] | None = None,
    reused: ReusedEdges | None = None,
) -> GraphDraft:
    """Return the graph of files and of the schema that they declare.

    `read` gives the content of a file below the root, None where there is none: of settings that are not indexed
    (go.mod, tsconfig.json), which say what imports mean. `reused` has the edges that are known from an earlier graph.
    """
    draft = GraphDraft()
    places = add_files(draft, files)
    names, inline = add_code_edges(draft, files, places, read=read, reused=reused)
    data = add_schema(draft, schema, places, files=files)
    add_uses(draft, files, places, names=names, data=data, schema=schema)
    add_inline_edges(draft, inline)
    return draft
