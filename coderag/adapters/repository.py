"""A repository's index as one of documents: its hits are the documents."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coderag.adapters.documents import document_of, document_of_hit
from coderag.adapters.protocols import Searchable, SearchResult

if TYPE_CHECKING:
    from coderag.api.index import Index

__all__ = ["RepositoryIndex", "retrieved", "searchable"]


class RepositoryIndex:
    """A `coderag.Index` that is searched like the others; its documents come from files, so none can be added."""

    def __init__(self, index: Index) -> None:
        """Search an index as it is; whoever changes files calls its `update`."""
        self.index = index

    def search(self, query: str, k: int = 10) -> list[SearchResult]:
        """Return the k best functions, sections and so on; raises as `Index.search`."""
        return [SearchResult(document_of_hit(hit), float(hit.score)) for hit in self.index.search(query, k=k)]


def searchable(index: Searchable | Index) -> Searchable:
    """Return what can be searched for documents: an index of documents as it is, a repository's with documents."""
    from coderag.api.index import Index  # whoever has no repository imports none of it

    return RepositoryIndex(index) if isinstance(index, Index) else index


def retrieved(index: Searchable, query: str, *, k: int) -> list[SearchResult]:
    """Return what an index finds, as documents whatever class of index it is."""
    return [SearchResult(document_of(found), score) for found, score in index.search(query, k=k)]
