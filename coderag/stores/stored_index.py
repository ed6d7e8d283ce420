"""An index in a store: its current generation, searched as its callers see it."""

from __future__ import annotations

import re
import warnings
from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np

from coderag.encoders.encoder import Encoder
from coderag.errors import EncoderError, IndexMissingError, QueryError, RetrievalWarning
from coderag.index.build.embed import Embedding
from coderag.index.reader.corpus import path_keys
from coderag.index.storage.arrays.arrays import Array
from coderag.index.storage.manifest import Manifest
from coderag.index.storage.segment import Segment
from coderag.limits import check_name
from coderag.search.pipeline import STAGES, run_stages, understand
from coderag.search.query.query import pattern_terms
from coderag.search.state import SearchState, Sources
from coderag.stores.gathering import FileCache, Gathering
from coderag.stores.generation import VisibleGeneration, decode_generation
from coderag.stores.packet import joined_segment
from coderag.stores.partial_corpus import Statistics
from coderag.stores.retrieval import Legs, files_by_path, gather
from coderag.stores.store import Conditions, Published, Store
from coderag.text.tokens import TOKENIZER_VERSION, terms, words
from coderag.types import Chunk, Hit, Query, Symbol, TestPolicy

__all__ = ["StoredIndex"]

MAGIC = re.compile(r"[*?\[\\]")


class StoredIndex:
    """An index in a store. Each search reads the generation that is current when it begins, and ends on that one."""

    def __init__(
        self,
        store: Store,
        name: str,
        *,
        callers: Collection[frozenset[str]] = (),
        cache: FileCache | None = None,
        encoders: dict[str, Encoder | None] | None = None,
    ) -> None:
        """Take the name of an index, and the groups of its callers, () where they may see all.

        Indexes in one store may share the files that were fetched, and the encoders, by the keys of their vectors.
        """
        self._store, self._name, self._callers = store, name, tuple(callers)
        self._cache = FileCache() if cache is None else cache
        self._encoders: dict[str, Encoder | None] = {} if encoders is None else encoders

    @property
    def repository(self) -> str:
        """The name of the repository; raises like `search`."""
        return self.current().generation.repository

    def current(self, others: Collection[frozenset[str]] = ()) -> VisibleGeneration:
        """Return the current generation as the callers, and some others, see it.

        Raises IndexMissingError and RemoteStoreError.
        """
        return self.published(others)[1]

    def published(self, others: Collection[frozenset[str]] = ()) -> tuple[Published, VisibleGeneration]:
        """Return the current generation as it is stored, and as `current` does; raises like it."""
        found = self._store.current(self._name)
        if found is None:
            raise IndexMissingError(f'the store has no index {self._name!r}; "coderag export" writes one')
        generation = decode_generation(found.body, tokenizer=str(TOKENIZER_VERSION))
        return found, VisibleGeneration.of(found.number, generation, (*self._callers, *others))

    def search(self, query: Query) -> list[Hit]:
        """Return the hits of a query, best first: those that a search of the index's files gives.

        Relations and commits are of files alone, so neither changes the order here. Raises QueryError for what only
        files answer, IndexMissingError and RemoteStoreError.
        """
        _check(query)
        with self._store.reading() as read:
            return self._search(query, read)

    def _search(self, query: Query, read: set[str]) -> list[Hit]:
        """Return the hits of a query, and add the segments that were read to a set."""
        view = self.current(() if query.groups is None else (query.groups,))
        read.update(view.names)
        if query.repositories and set(query.repositories) != {view.generation.repository}:
            raise QueryError(
                f"the store's index {self._name!r} is of the repository {view.generation.repository!r} alone"
            )
        statistics = Statistics(
            live_chunks=view.live_chunks,
            frequencies=lambda keys: self._frequencies(keys, view, roughly=False),
            rough_frequencies=lambda keys: self._frequencies(keys, view, roughly=True),
        )
        files = Gathering(self._store, view, statistics, self._cache)
        sources = Sources(
            corpus=files.corpus(), encoder=lambda: self._encoder(view), catalogs=dict, graphs=dict, histories=dict
        )
        query = replace(query, groups=None)
        state = understand(SearchState(query, sources))
        corpus = gather(state, Legs(self._store, _conditions(query, view)), files, sources)
        state = SearchState(query, replace(sources, corpus=corpus))
        return run_stages(state, STAGES).hits

    def chunks(self, path: str, *, repository: str = "") -> list[Chunk]:
        """Return the chunks of a file in order; raises QueryError for one that the callers do not see, as `search`."""
        segment, name = self._file(path, repository)
        return [segment.chunk(number, repository=name) for number in range(len(segment))]

    def outline(self, path: str, *, repository: str = "") -> list[Symbol]:
        """Return the definitions of a file in order; raises like `chunks`."""
        segment, name = self._file(path, repository)
        return segment.outline(0, repository=name)

    def _file(self, path: str, repository: str) -> tuple[Segment, str]:
        """Return a file as a segment of its own, and the name of its repository."""
        check_name(path, what="the path")
        with self._store.reading() as read:
            return self._read_file(path, repository, read)

    def _read_file(self, path: str, repository: str, read: set[str]) -> tuple[Segment, str]:
        view = self.current()
        read.update(view.names)
        name = view.generation.repository
        if repository in ("", name) and "\0" not in path:
            parts = path.split("/")
            keys = path_keys(term for part in parts for word in words(part) for term in terms(word))
            where = replace(view.conditions, folders=(path,))
            for key in files_by_path(self._store, np.unique(keys), where):
                columns = self._cache.get(key)
                if columns is None:
                    columns = self._cache.add(key, self._store.fetch([key], where)[key])
                if columns.files[0].path == path:
                    return joined_segment([columns], vectors=view.generation.vectors), name
        raise QueryError(f"{path} is not in the index; paths are relative to the root, with forward slashes")

    def _frequencies(self, keys: Array, view: VisibleGeneration, *, roughly: bool) -> Array:
        found: Array = self._store.frequencies(keys, view.names, roughly=roughly) - view.gone(keys)
        return found

    def _encoder(self, view: VisibleGeneration) -> Encoder | None:
        """Return the encoder of the vectors, None where there are none or it cannot be opened; a warning says so."""
        generation = view.generation
        if generation.vectors and generation.vectors not in self._encoders:
            made = Manifest(
                root="",
                repository=generation.repository,
                encoder=generation.encoder,
                encoder_named=False,  # of a store, as of a repository, only what needs no trust is opened
                vectors=generation.vectors,
            )
            try:
                self._encoders[generation.vectors] = Embedding.made(made).opened()
            except EncoderError as error:
                warnings.warn(f"words alone answer: {error}", RetrievalWarning, stacklevel=4)
                self._encoders[generation.vectors] = None
        return self._encoders.get(generation.vectors)


def _check(query: Query) -> None:
    """Raise QueryError for what a store does not answer."""
    if not query.text.strip() or pattern_terms(query.clauses):
        raise QueryError("a store answers questions; patterns are found in files, so leave --store out")
    if query.databases or query.environments:
        raise QueryError("a store knows no databases; leave --store out to filter by one")
    if query.files is not None:
        raise QueryError("--changed compares files, of which a store has none; leave --store out")
    if query.clauses:
        raise QueryError("a store answers questions with filters as options; leave --store out for fields in the query")


def _conditions(query: Query, view: VisibleGeneration) -> Conditions:
    """Return what the legs are bound to: what is seen of a generation, and the filters that a store applies."""
    return replace(
        view.conditions,
        languages=tuple(sorted(query.languages)),
        without_tests=query.tests is TestPolicy.EXCLUDE,
        folders=_folders(query.paths),
    )


def _folders(globs: Sequence[str]) -> tuple[str, ...]:
    """Return the folders that paths must lie in for globs to match them, () where that may be any."""
    found = []
    for glob in globs:
        if glob.startswith("!"):
            continue
        plain = glob.removeprefix("/")
        magic = MAGIC.search(plain)
        folder, slash, _ = plain[: magic.start() if magic else len(plain)].rpartition("/")
        if not slash or not (glob.startswith("/") or "/" in plain.rstrip("/")):
            return ()  # it may match in any folder
        found.append(folder + slash)
    return tuple(found)
