"""A retriever of LlamaIndex over an index: `CoderagRetriever(coderag.Index.open("."), k=5)`."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from coderag.adapters.protocols import Searchable
from coderag.adapters.repository import retrieved, searchable
from coderag.extras import Extra, how_to_install

try:
    from llama_index.core.base.base_retriever import BaseRetriever
    from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode
except ModuleNotFoundError as error:
    message = f"{error.name} is not installed; {how_to_install(Extra.LLAMA_INDEX)}"
    raise ModuleNotFoundError(message, name=error.name) from None

if TYPE_CHECKING:
    from coderag.api.index import Index

__all__ = ["CoderagRetriever"]


class CoderagRetriever(BaseRetriever):
    """What an index finds, as nodes of LlamaIndex: text, score, and metadata with path, lines, name and confidence."""

    def __init__(self, index: Searchable | Index, *, k: int = 10, **options: Any) -> None:
        """Search an index: a `coderag.Index`, or one of coderag.adapters; `options` are those of the base class."""
        super().__init__(**options)
        self._index, self._k = searchable(index), k

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return [
            NodeWithScore(node=TextNode(id_=found.id, text=found.content, metadata=dict(found.metadata)), score=score)
            for found, score in retrieved(self._index, query_bundle.query_str, k=self._k)
        ]

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return await asyncio.to_thread(self._retrieve, query_bundle)
