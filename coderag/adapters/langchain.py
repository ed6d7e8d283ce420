"""A retriever of LangChain over an index: `CoderagRetriever(index=coderag.Index.open("."), k=5)`."""

from __future__ import annotations

from typing import Any

from coderag.adapters.repository import retrieved, searchable
from coderag.extras import Extra, how_to_install

try:
    from langchain_core.documents import Document
    from langchain_core.retrievers import BaseRetriever
except ModuleNotFoundError as error:
    message = f"{error.name} is not installed; {how_to_install(Extra.LANGCHAIN)}"
    raise ModuleNotFoundError(message, name=error.name) from None

__all__ = ["CoderagRetriever"]


class CoderagRetriever(BaseRetriever):
    """What an index finds, as documents of LangChain: text, metadata with path, lines and confidence, and score.

    `index` is a `coderag.Index`, a Retriever, or any other index of coderag.adapters. `ainvoke` searches in a thread.
    """

    index: Any
    k: int = 10

    def _get_relevant_documents(self, query: str, *, run_manager: Any) -> list[Document]:  # noqa: ARG002  # its signature
        return [
            Document(page_content=found.content, metadata={**found.metadata, "score": score}, id=found.id)
            for found, score in retrieved(searchable(self.index), query, k=self.k)
        ]
