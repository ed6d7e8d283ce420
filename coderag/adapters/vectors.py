"""Documents by their meaning: vectors of the shipped encoder, or of another one."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from coderag.adapters.documents import AnyDocument, Document
from coderag.adapters.protocols import SearchResult
from coderag.adapters.store import DocumentStore
from coderag.encoders.encoder import Encoder, quantised
from coderag.encoders.spec import parse_encoder
from coderag.errors import EncoderError
from coderag.index.build.embed import BATCH, Embedding
from coderag.index.storage.arrays.arrays import Array
from coderag.index.storage.postings import top_k
from coderag.index.storage.vectors import Vectors, cosines, lengths_of
from coderag.search.query.query import check_question

__all__ = ["VectorIndex"]

FILE = "vector-documents.jsonl"


class VectorIndex:
    """Documents in memory, or in a folder, that are searched by the cosine of their vectors with that of a query.

    The folder keeps the documents. They are embedded again when it is opened; vectors of other encoders than the
    shipped one come from the user's cache of vectors then.
    """

    def __init__(
        self,
        documents: Iterable[AnyDocument] = (),
        *,
        encoder: str | Encoder = "static",
        folder: str | os.PathLike[str] | None = None,
    ) -> None:
        """Take what a folder has, if one is named, and add documents.

        `encoder` is a line that names one, such as "hf:ID" (coderag.encoders.spec), or an encoder. Raises EncoderError,
        IndexDamagedError and IndexFormatError for what the folder has, and as `add_documents` does.
        """
        self._encoder = _opened(encoder) if isinstance(encoder, str) else encoder
        self._store = DocumentStore(None if folder is None else Path(folder) / FILE)
        self._writing = threading.Lock()
        self._rows: list[Array] = self._embedded(self._store.documents)
        self._vectors: Vectors | None = None
        self.add_documents(documents)

    def __len__(self) -> int:
        """Return how many documents there are."""
        return len(self._store.documents)

    def add_document(self, document: AnyDocument) -> None:
        """Add a document; as `add_documents`."""
        self.add_documents([document])

    def add_documents(self, documents: Iterable[AnyDocument]) -> None:
        """Add documents; one whose id is there replaces that one.

        Raises EncoderError, QueryError for what has no text and for more than 1,048,576 documents, IndexWriteError, and
        TypeError.
        """
        with self._writing:
            changed = self._store.changed(documents)
            rows = self._embedded(changed)  # first: what cannot be embedded is not added
            numbers = self._store.put(changed)
            self._rows += rows[:1] * (len(self) - len(self._rows))  # room, filled below
            for number, row in zip(numbers, rows, strict=True):
                self._rows[number] = row
            self._vectors = None if changed else self._vectors

    def search(self, query: str, k: int = 10) -> list[SearchResult]:
        """Return the k documents most similar to a query, best first, each with its cosine, above 0.

        Equal scores come in the order in which documents were added. Nothing is found where the encoder knows no word
        of the query. Raises EncoderError, QueryError for an empty query, and for what exceeds a limit (coderag.limits).
        """
        check_question(query, k=k)
        with self._writing:
            documents, vectors = list(self._store.documents), self._stacked()
        if not documents:
            return []
        scores = cosines(vectors, self._encoder.encode_query(query))
        return [SearchResult(documents[number], float(scores[number])) for number in top_k(scores, k).tolist()]

    def _embedded(self, documents: Sequence[Document]) -> list[Array]:
        """Return the vector of each document, i8[dimensions]."""
        passages = [document.passage for document in documents]
        batches = (passages[at : at + BATCH] for at in range(0, len(passages), BATCH))
        return [row for batch in batches for row in quantised(self._encoder.encode_passages(batch))]

    def _stacked(self) -> Vectors:
        """Return the vectors as one, made where documents were added since the last search."""
        if self._vectors is None:
            rows = np.stack(self._rows) if self._rows else np.zeros((0, 0), dtype=np.int8)
            self._vectors = Vectors(rows, lengths_of(rows))
        return self._vectors


def _opened(line: str) -> Encoder:
    encoder = Embedding(parse_encoder(line)).encoder
    if encoder is None:
        raise EncoderError('the encoder "none" makes no vectors; use BM25Index for words alone')
    return encoder
