"""coderag for those who built retrieval from a course: indexes of documents, a retriever, and three frameworks.

from coderag.adapters import BM25Index, Retriever, VectorIndex

retriever = Retriever(BM25Index(), VectorIndex())
retriever.add_documents([{"content": "Payments are retried for three days."}])
for document, score in retriever.search("when is a payment retried?", k=3):
    print(document["content"], score)
"""

from __future__ import annotations

from coderag.adapters.bm25 import BM25Index
from coderag.adapters.documents import Document
from coderag.adapters.protocols import Searchable, SearchIndex, SearchResult
from coderag.adapters.repository import RepositoryIndex
from coderag.adapters.retriever import Retriever
from coderag.adapters.vectors import VectorIndex

__all__ = [
    "BM25Index",
    "Document",
    "RepositoryIndex",
    "Retriever",
    "SearchIndex",
    "SearchResult",
    "Searchable",
    "VectorIndex",
]
