"""The two interfaces of an index of documents: what can be searched, and what also takes documents."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple, Protocol, runtime_checkable

from coderag.adapters.documents import AnyDocument, Document

__all__ = ["SearchIndex", "SearchResult", "Searchable"]


class SearchResult(NamedTuple):
    """A document and how well it fits, higher is better; `for document, score in ...` works."""

    document: Document
    score: float


class Searchable(Protocol):
    """What can be searched."""

    def search(self, query: str, k: int = 10) -> Sequence[tuple[AnyDocument, float]]:
        """Return the k best documents, best first, each with a score; of another class than ours, also as dicts."""


@runtime_checkable
class SearchIndex(Searchable, Protocol):
    """What can be searched and takes documents; a document of an id that is there replaces that one."""

    def add_document(self, document: AnyDocument) -> None:
        """Add a document: a text, a dict with "content", a chunk, or a Document."""

    def add_documents(self, documents: Iterable[AnyDocument]) -> None:
        """Add documents, faster than one by one."""
