"""A retriever of Haystack over an index: `CoderagRetriever(coderag.Index.open("."), top_k=5)`."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from coderag.adapters.protocols import Searchable
from coderag.adapters.repository import retrieved, searchable
from coderag.extras import Extra, how_to_install

try:
    from haystack import Document, component
except ModuleNotFoundError as error:
    message = f"{error.name} is not installed; {how_to_install(Extra.HAYSTACK)}"
    raise ModuleNotFoundError(message, name=error.name) from None

if TYPE_CHECKING:
    from coderag.api.index import Index

__all__ = ["CoderagRetriever"]


@component
class CoderagRetriever:
    """What an index finds, as documents of Haystack: content, score, and meta with path, lines, name and confidence."""

    def __init__(self, index: Searchable | Index, top_k: int = 10) -> None:
        """Search an index: a `coderag.Index`, or one of coderag.adapters."""
        self._index, self._top_k = searchable(index), top_k

    @component.output_types(documents=list[Document])
    def run(self, query: str, top_k: int | None = None) -> dict[str, list[Document]]:
        """Return the best documents for a query, best first."""
        documents = retrieved(self._index, query, k=top_k or self._top_k)
        return {
            "documents": [
                Document(id=one.id, content=one.content, meta=dict(one.metadata), score=score)
                for one, score in documents
            ]
        }

    @component.output_types(documents=list[Document])
    async def run_async(self, query: str, top_k: int | None = None) -> dict[str, list[Document]]:
        """Return the same, from a thread."""
        return await asyncio.to_thread(self.run, query, top_k)
