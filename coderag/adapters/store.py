"""Documents in the order in which they were added, in memory or also in a file.

The file has one JSON object per line, the version first; a document that replaces another is a further line. Format
history: **1** first.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from coderag.adapters.documents import AnyDocument, Document, documents_of
from coderag.errors import IndexDamagedError, IndexFormatError, IndexWriteError, QueryError

__all__ = ["MOST_DOCUMENTS", "DocumentStore"]

FORMAT = 1
VERSION = "coderag_documents"  # the key of the format in the first line
MOST_DOCUMENTS = 1 << 20  # the keys by which postings are sorted hold 20 bits of a document's number


class DocumentStore:
    """Documents by number and id; a path makes them last, and one process at a time may add to it."""

    def __init__(self, path: Path | None = None) -> None:
        """Read the documents of a file, if it is there; raises IndexDamagedError, IndexFormatError, IndexWriteError."""
        self.documents: list[Document] = []
        self._numbers: dict[str, int] = {}
        self._path = path
        self._whole = 0  # bytes of the file up to its last whole line: a killed process may have left half a line
        self._size = 0  # of the file when it was looked at last
        if path is not None:
            for document in self._stored(path):
                self._put(document)

    def changed(self, documents: Iterable[AnyDocument]) -> list[Document]:
        """Return the documents that are new or differ from what their id has, the last one of each id.

        Raises QueryError for what is no document, and for too many.
        """
        changed: dict[str, Document] = {}
        for document in documents_of(documents):
            known = changed.get(document.id, self.get(document.id))
            if known is None or not _is_same(known, document):
                changed[document.id] = document
        if len(self._numbers.keys() | changed.keys()) > MOST_DOCUMENTS:
            raise QueryError(f"an index of documents has {MOST_DOCUMENTS:,} at most; index a folder by coderag.Index")
        return list(changed.values())

    def put(self, documents: Sequence[Document]) -> list[int]:
        """Add what `changed` gave, all or nothing, and return the documents' numbers; raises IndexWriteError."""
        if documents and self._path is not None:
            self._append(self._path, documents)
        return [self._put(document) for document in documents]

    def get(self, identity: str) -> Document | None:
        """Return the document of an id, None if there is none."""
        number = self._numbers.get(identity)
        return None if number is None else self.documents[number]

    def _put(self, document: Document) -> int:
        number = self._numbers.setdefault(document.id, len(self.documents))
        if number == len(self.documents):
            self.documents.append(document)
        else:
            self.documents[number] = document
        return number

    def _stored(self, path: Path) -> Iterator[Document]:
        try:
            data = path.read_bytes()
        except FileNotFoundError:
            return
        except OSError as error:
            raise IndexDamagedError(f"{path} cannot be read: {error}") from error
        self._size = len(data)
        self._whole = data.rfind(b"\n") + 1
        first, *lines = data[: self._whole].split(b"\n")
        if not self._whole:
            return  # not even the version was written
        if (version := _parsed(path, first, 1).get(VERSION)) != FORMAT:
            raise IndexFormatError(
                f"{path} has format {version!r:.40}, this version of coderag reads {FORMAT}; name another folder"
            )
        for number, line in enumerate(lines[:-1], start=2):
            row = _parsed(path, line, number)
            content, metadata, identity = row.get("content"), row.get("metadata"), row.get("id")
            if not (isinstance(content, str) and isinstance(metadata, dict) and isinstance(identity, str) and identity):
                raise IndexDamagedError(f"{path} is damaged: line {number} is no document; remove the line")
            yield Document(content, metadata, identity)

    def _append(self, path: Path, documents: Iterable[Document]) -> None:
        lines = [] if self._whole else [{VERSION: FORMAT}]
        rows = (
            {"id": document.id, "content": document.content, "metadata": dict(document.metadata)}
            for document in documents
        )
        try:
            data = "".join(f"{json.dumps(row)}\n" for row in (*lines, *rows)).encode("ascii")
        except (TypeError, ValueError, RecursionError) as error:
            raise QueryError(f"the metadata of a document cannot be stored: {error}; give what JSON has") from error
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("r+b" if self._size else "xb") as file:
                if file.seek(0, os.SEEK_END) != self._size:
                    raise IndexWriteError(f"{path} was changed by another process; open the index again")
                file.seek(self._whole)
                file.truncate()
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise IndexWriteError(f"{path} cannot be written: {error}") from error
        self._whole = self._size = self._whole + len(data)


def _is_same(known: Document, document: Document) -> bool:
    """Tell whether two documents of one id are equal, or would be once a file has held them: tuples become lists."""
    if known == document:
        return True
    try:
        return known.content == document.content and json.dumps(dict(known.metadata)) == json.dumps(
            dict(document.metadata)
        )
    except (TypeError, ValueError, RecursionError):
        return False


def _parsed(path: Path, line: bytes, number: int) -> dict[str, object]:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise IndexDamagedError(f"{path} is damaged: line {number} is not JSON; remove the line") from error
    if not isinstance(row, dict):
        raise IndexDamagedError(f"{path} is damaged: line {number} is no JSON object; remove the line")
    return row
