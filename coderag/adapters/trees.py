"""Documents in the order of coderag's learned ranker, whose features need an index: one is made of them for a query."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory

from coderag.adapters.documents import Document
from coderag.limits import K
from coderag.types import TestPolicy

__all__ = ["rerank_by_trees"]

SPECIAL = re.compile(r"[^\w.-]")
MAX_NAME, MAX_SUFFIX = 50, 10  # characters: at four bytes each, a file's name has less than 255
SUFFIX = ".md"  # of a document that has no path: headings in it make sections


def rerank_by_trees(query: str, documents: Sequence[Document]) -> list[Document]:
    """Return documents in the order in which a search of an index of them finds them, the others behind.

    The index is in a temporary folder, a file for each document, and takes about 50 ms for 50 documents. A document's
    path in its metadata tells its language.
    """
    from coderag.api.index import Index  # whoever reranks otherwise imports none of it

    with TemporaryDirectory(prefix="coderag-") as folder:
        for number, document in enumerate(documents):
            place = Path(folder, str(number), _file_name(document))
            place.parent.mkdir()
            place.write_bytes(document.content.encode("utf-8", "replace"))
        index = Index.build(folder, encoder="static", workers=0, cache=False, graph=False, history=False)
        hits = index.search(query, k=int(K.most), tests=TestPolicy.INCLUDE, collapse=False)
    places = dict.fromkeys(int(hit.chunk.path.partition("/")[0]) for hit in hits)
    return [documents[number] for number in dict.fromkeys([*places, *range(len(documents))])]


def _file_name(document: Document) -> str:
    """Return a name that is safe to write and says what a document's path and name do."""
    passage = document.passage
    path = PurePosixPath(SPECIAL.sub("-", passage.path.replace("\\", "/").rpartition("/")[2]))
    stem = SPECIAL.sub("-", passage.name) if path.name in ("", "..") else path.stem
    return f"{stem.lstrip('.-')[:MAX_NAME] or 'document'}{path.suffix[:MAX_SUFFIX] or SUFFIX}"
