"""A collection to its index, made or brought up to date, and to the rows of what is asked of it."""

from __future__ import annotations

from pathlib import Path

from coderag.api.index import Index
from coderag.errors import StoredIndexError
from coderag.index.build.embed import Embedding
from coderag.index.reader.corpus import Corpus, open_members
from coderag.index.storage.folder.index_path import IndexPath
from coderag.index.storage.manifest import read_manifest
from scripts.ranking_data.gathering import asked
from scripts.ranking_data.records import Collection, Opened
from scripts.ranking_data.rows import Rows, rows_of

__all__ = ["collected"]


def collected(collection: Collection, cache: Path, *, workers: int | None) -> Rows | None:
    """Return what the engine as it is now knows of the candidates of all that a collection is asked; None for nothing.

    Where another encoder made an index's vectors, they are made anew; where another version made it, all of it is.
    """
    folder = cache / "indexes" / collection.name
    try:
        index = Index.open(collection.root, index=folder)
        index.update(workers=workers)
    except StoredIndexError:
        index = Index.build(collection.root, index=folder, workers=workers)
    manifest = read_manifest(IndexPath(folder))
    opened = Opened(collection.root, index, Corpus(open_members(IndexPath(folder), manifest)))
    questions = asked(collection, opened, cache)
    if not questions:
        return None
    return rows_of(opened.corpus, questions, group=collection.group, encoder=Embedding.of(manifest).encoder)
