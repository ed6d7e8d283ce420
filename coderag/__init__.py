"""Code and SQL retrieval: repositories and schemas in, whole functions and tables out.

import coderag

index = coderag.Index.build("path/to/repository")
for hit in index.search("where are failed payments retried?", k=5):
    print(hit.chunk.path, hit.chunk.span.start_line, hit.chunk.qualified_name)
print(index.schema_context("monthly revenue by country", budget=4000).as_ddl())
"""

from __future__ import annotations

from coderag._version import __version__

__all__ = [
    "Answer",
    "Chunk",
    "CoderagError",
    "DiffImpact",
    "Drawing",
    "Expand",
    "Fusion",
    "GraphPath",
    "Hit",
    "Impact",
    "Index",
    "Kind",
    "Pipeline",
    "Query",
    "References",
    "Relation",
    "RepositoryMap",
    "Span",
    "Symbol",
    "TableFilter",
    "TestPolicy",
    "__version__",
]

TYPE_CHECKING = False  # that of `typing`, which takes longer to import than a resident helper to answer
if TYPE_CHECKING:
    from typing import Any

    from coderag.api.index import Index
    from coderag.ask.records import Answer
    from coderag.errors import CoderagError
    from coderag.graph.changes.records import DiffImpact
    from coderag.graph.drawing.drawing import Drawing
    from coderag.graph.queries.impact import Impact
    from coderag.graph.queries.map import RepositoryMap
    from coderag.graph.queries.paths import GraphPath
    from coderag.graph.queries.refs import References
    from coderag.types import (
        Chunk,
        Expand,
        Fusion,
        Hit,
        Kind,
        Pipeline,
        Query,
        Relation,
        Span,
        Symbol,
        TableFilter,
        TestPolicy,
    )

HOMES = {
    "Answer": "coderag.ask.records",
    "CoderagError": "coderag.errors",
    "DiffImpact": "coderag.graph.changes.records",
    "Drawing": "coderag.graph.drawing.drawing",
    "Impact": "coderag.graph.queries.impact",
    "Index": "coderag.api.index",
    "References": "coderag.graph.queries.refs",
    "RepositoryMap": "coderag.graph.queries.map",
    "GraphPath": "coderag.graph.queries.paths",
}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used: worker processes and `coderag --help` need none of them."""
    if name not in __all__:
        raise AttributeError(f"module 'coderag' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(HOMES.get(name, "coderag.types")), name)
