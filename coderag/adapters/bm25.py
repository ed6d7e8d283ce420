"""Documents by their words: BM25F with the fields, terms and weights of a repository's index."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from coderag.adapters.documents import AnyDocument, Document
from coderag.adapters.protocols import SearchResult
from coderag.adapters.store import DocumentStore
from coderag.index.reader.corpus import text_keys
from coderag.index.storage.postings import Postings, build_postings, idf, summed, top_k
from coderag.index.workers.field_terms import FIELDS, FieldTerms
from coderag.search.query.query import check_question
from coderag.search.query.understand import understand
from coderag.search.retrieval.lexical import scored_terms
from coderag.text.tokens import raw_words
from coderag.text.vocabulary import Vocabulary

__all__ = ["BM25Index"]

FILE = "bm25-documents.jsonl"


class BM25Index:
    """Documents in memory, or in a folder, that are searched by words: stemmed, identifiers also by their parts."""

    def __init__(self, documents: Iterable[AnyDocument] = (), *, folder: str | os.PathLike[str] | None = None) -> None:
        """Take what a folder has, if one is named, and add documents.

        Raises IndexDamagedError and IndexFormatError for what the folder has, and as `add_documents` does.
        """
        self._store = DocumentStore(None if folder is None else Path(folder) / FILE)
        self._writing = threading.Lock()
        self._vocabulary = Vocabulary()
        self._terms = FieldTerms(self._vocabulary)
        self._postings: Postings | None = None
        for document in self._store.documents:
            self._terms.add(_fields(document))
        self.add_documents(documents)

    def __len__(self) -> int:
        """Return how many documents there are."""
        return len(self._store.documents)

    def add_document(self, document: AnyDocument) -> None:
        """Add a document; as `add_documents`."""
        self.add_documents([document])

    def add_documents(self, documents: Iterable[AnyDocument]) -> None:
        """Add documents; one whose id is there replaces that one.

        Raises QueryError for what has no text and for more than 1,048,576 documents, IndexWriteError, and TypeError.
        """
        with self._writing:
            before = len(self)
            numbers = self._store.put(self._store.changed(documents))
            if not numbers:
                return
            self._postings = None
            added = range(before, len(self))
            if numbers != list(added):  # terms cannot be taken out again
                self._terms, added = FieldTerms(self._vocabulary), range(len(self))
            for number in added:
                self._terms.add(_fields(self._store.documents[number]))

    def search(self, query: str, k: int = 10) -> list[SearchResult]:
        """Return the k best documents that share a word with a query, best first.

        Equal scores come in the order in which documents were added. Raises QueryError for an empty query, and for
        what exceeds a limit (coderag.limits).
        """
        check_question(query, k=k)
        with self._writing:
            documents, postings = list(self._store.documents), self._built()
        question = understand(query)
        terms = scored_terms(question)
        positions = postings.find(text_keys(terms))
        here = positions >= 0
        if not here.any():
            return []
        weights = np.array([question.terms[term] for term in terms], dtype=np.float32)[here]
        counts = [postings.frequency(position) for position in positions[here].tolist()]
        rarity = np.array([idf(len(documents), count) for count in counts], dtype=np.float32)
        docs, shares, _ = postings.joined(positions[here], weights * rarity)
        scores = summed(docs, shares, len(documents))
        return [SearchResult(documents[number], float(scores[number])) for number in top_k(scores, k).tolist()]

    def _built(self) -> Postings:
        """Return the postings, made where documents were added since the last search."""
        if self._postings is None:
            vocabulary, terms, docs, weights = self._terms.postings()
            self._postings = build_postings(vocabulary[terms], docs, weights)
        return self._postings


def _fields(document: Document) -> list[list[bytes]]:
    """Return the words of each field of a document, in the order of FIELDS."""
    passage = document.passage
    texts = {"name": passage.name, "scope": passage.scope, "path": passage.path, "body": passage.text}
    return [raw_words(texts.get(name, "").encode("utf-8", "replace")) for name in FIELDS]
