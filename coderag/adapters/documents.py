"""What users call a document, a dict, a text, a chunk or a hit, to one record."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from typing import Any

from coderag.chunkers.records import TextChunk
from coderag.encoders.encoder import Passage
from coderag.errors import QueryError
from coderag.types import Hit

__all__ = ["AnyDocument", "Document", "document_of", "document_of_hit", "documents_of"]

CONTENT, TEXT, METADATA, ID = "content", "text", "metadata", "id"
ID_BYTES = 8


@dataclass(frozen=True, slots=True)
class Document(Mapping[str, Any]):
    """A text, what is known of it, and an id, by which several indexes know it as one.

    It also reads as the dict that courses use: `document["content"]`, `document["id"]`, and `document[NAME]` for what
    is in its metadata. Of the metadata, `name` counts most in BM25F, then `path` and `scope`.
    """

    content: str
    metadata: Mapping[str, Any] = field(default_factory=dict, hash=False)
    id: str = ""  # "" takes a hash of content and metadata

    def __getitem__(self, name: str) -> Any:
        """Return a field or what the metadata have of that name; raises KeyError."""
        return getattr(self, name) if name in (CONTENT, METADATA, ID) else self.metadata[name]

    def __iter__(self) -> Iterator[str]:
        """Yield the names of all that `document[NAME]` gives, fields first."""
        yield from dict.fromkeys((ID, CONTENT, METADATA, *self.metadata))

    def __len__(self) -> int:
        """Return how many names there are."""
        return len({ID, CONTENT, METADATA, *self.metadata})

    @property
    def passage(self) -> Passage:
        """What of it is indexed: its name, scope and path in the metadata, and its text."""
        name, scope, path = (str(self.metadata.get(key) or "") for key in ("name", "scope", "path"))
        return Passage(name, scope, path, self.content)


AnyDocument = Document | TextChunk | Mapping[str, Any] | str


def document_of(value: AnyDocument) -> Document:
    """Return a document with an id.

    A mapping has its text as "content" or "text"; what else it has, but for "id" and "metadata", joins the metadata.
    A chunk has its place and title as metadata. Raises QueryError where there is no text, TypeError for other values.
    """
    document = _unnamed(value)
    if not isinstance(document.content, str):
        raise TypeError(f"the content of a document is of type {type(document.content).__name__}; give a text")
    return document if document.id else replace(document, id=_hash(document))


def documents_of(values: Iterable[AnyDocument]) -> list[Document]:
    """Return documents with ids; raises as `document_of`, and TypeError for a single document."""
    if isinstance(values, str | Mapping | TextChunk):
        raise TypeError("this is one document; give a list of documents, or call add_document")
    return [document_of(value) for value in values]


def document_of_hit(hit: Hit) -> Document:
    """Return a hit of a repository: its text, with path, lines, name and confidence as metadata."""
    chunk = hit.chunk
    metadata: dict[str, Any] = {
        "path": chunk.path,
        "start_line": chunk.span.start_line,
        "end_line": chunk.span.end_line,
        "name": chunk.qualified_name,
        "kind": str(chunk.kind),
        "language": chunk.language,
        "confidence": round(float(hit.confidence), 4),
    }
    if chunk.repository:
        metadata["repository"] = chunk.repository
    return Document(chunk.text, metadata, chunk.id)


def _unnamed(value: AnyDocument) -> Document:
    if isinstance(value, Document):
        return value
    if isinstance(value, str):
        return Document(value)
    if isinstance(value, TextChunk):
        title = {"name": value.title} if value.title else {}
        return Document(value.text, {**title, "start": value.start, "end": value.end})
    if not isinstance(value, Mapping):
        raise TypeError(f"a document is of type {type(value).__name__}; give a text, a dict or a Document")
    name = next((name for name in (CONTENT, TEXT) if name in value), None)
    if name is None:
        raise QueryError(f'a document has no text; give {{"content": ...}}, not only {sorted(map(str, value))[:10]}')
    inner = value.get(METADATA)
    rest = {str(key): one for key, one in value.items() if key not in (name, ID, METADATA)}
    metadata = {**inner, **rest} if isinstance(inner, Mapping) else rest if inner is None else {METADATA: inner, **rest}
    identity = value.get(ID)
    return Document(value[name], metadata, "" if identity is None else str(identity))


def _hash(document: Document) -> str:
    """Return a hash of a document's content and metadata."""
    try:
        about = json.dumps(dict(document.metadata), sort_keys=True, default=str)
    except (TypeError, ValueError, RecursionError) as error:
        raise QueryError(f"the metadata of a document have no id ({error}); give it one") from error
    both = f"{document.content}\0{about}".encode("utf-8", "surrogatepass")
    return blake2b(both, digest_size=ID_BYTES).hexdigest()
