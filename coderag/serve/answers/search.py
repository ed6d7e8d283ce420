"""`search`: a question to the code, data and documents that answer it."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from coderag.serve.answer import Answer
from coderag.serve.workspace import Workspace

__all__ = ["SearchArguments", "search"]


class SearchArguments(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The arguments of `search`."""

    query: Annotated[str, Meta(min_length=1, description="A question in plain words, an identifier, or an exact text")]
    k: Annotated[int, Meta(ge=1, le=100)] = 8


def search(workspace: Workspace, arguments: SearchArguments) -> Answer:
    """Return the definitions that answer a question."""
    hits = workspace.index().search(arguments.query, k=arguments.k)
    lines = [f"{hit.chunk.path}:{hit.chunk.span.start_line} {hit.chunk.qualified_name}" for hit in hits]
    return Answer("\n".join(lines))
