"""The conditions of a query to the chunks that meet them, before anything is ranked."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from coderag.errors import QueryError
from coderag.index.reader.corpus import Corpus
from coderag.index.storage.arrays.arrays import Array
from coderag.search.retrieval.lexical import Scores, best_of
from coderag.types import Query, TestPolicy

if TYPE_CHECKING:
    from coderag.index.catalog.catalog import Catalog

__all__ = ["Catalogs", "allowed_chunks", "scores_within"]

# Opens the catalogs, by repository.
Catalogs: TypeAlias = "Callable[[], Mapping[str, Catalog]]"


def allowed_chunks(corpus: Corpus, query: Query, catalogs: Catalogs) -> Array | None:
    """Return the chunks that a query's filters allow, bool[chunks]; None where it has no filter.

    The corpus remembers the answer. Raises QueryError for a language that coderag does not know, a repository,
    database or environment without a file, and a malformed glob.
    """
    without_tests = query.tests is TestPolicy.EXCLUDE
    places = query.databases, query.environments
    filters = (query.kinds, query.languages, query.paths, query.repositories, *places, without_tests)
    if not any(filters) and query.files is None:
        return None
    return corpus.remembered((*filters, query.files), lambda: _allowed(corpus, query, catalogs))


def scores_within(corpus: Corpus, scores: Scores, allowed: Array) -> Scores:
    """Return scores that are 0 for chunks that are not allowed (bool[chunks]), and for files without an allowed chunk.

    So are the best scores and the definitions of the question's symbols. The rarity of words stays that of the whole
    corpus, so that a word has the same weight whatever the filter.
    """
    text = scores.text * allowed
    file_text = scores.file_text * corpus.files_of(allowed)
    return replace(
        scores,
        text=text,
        file_text=file_text,
        best_text=best_of(text),
        best_file=best_of(file_text),
        symbols={chunk: exactness for chunk, exactness in scores.symbols.items() if allowed[chunk]},
        capitals={chunk: exactness for chunk, exactness in scores.capitals.items() if allowed[chunk]},
    )


def _allowed(corpus: Corpus, query: Query, catalogs: Catalogs) -> Array:
    of_files = list(_file_masks(corpus, query, catalogs))
    allowed = np.ones(len(corpus), dtype=bool)
    if of_files:
        allowed = np.logical_and.reduce(of_files)[corpus.chunk_file]
    if query.tests is TestPolicy.EXCLUDE:
        allowed = allowed & ~corpus.of_tests()
    return allowed & corpus.of_kinds(sorted(query.kinds)) if query.kinds else allowed


def _file_masks(corpus: Corpus, query: Query, catalogs: Catalogs) -> Iterator[Array]:
    """Yield the files that each filter on files allows, bool[files]."""
    if query.languages:
        yield _in_languages(corpus, query.languages)
    if query.paths:
        yield corpus.path_table.matching(query.paths)
    if query.files is not None:
        yield _among(corpus, query.files)
    if query.tests is TestPolicy.EXCLUDE:
        yield ~corpus.with_label("test")  # and the tests in other files, see `_allowed`
    if query.repositories:
        yield _in_repositories(corpus, query.repositories)
    if query.databases or query.environments:
        yield _in_databases(corpus, catalogs(), databases=query.databases, environments=query.environments)


def _in_languages(corpus: Corpus, names: Collection[str]) -> Array:
    from coderag.syntax.language import languages  # a search without this filter reads no language data

    if unknown := sorted(set(names) - languages().keys()):
        from coderag.text.suggestion import suggestion  # for an error alone

        near = suggestion(unknown[0], languages())
        raise QueryError(f'unknown language {unknown[0]!r}{near}; run "coderag languages" for the list')
    codes = [number for number, name in enumerate(corpus.languages) if name in names]
    return np.isin(corpus.file_language, codes)


def _among(corpus: Corpus, files: Collection[tuple[str, str]]) -> Array:
    found = ((member.repository, path) in files for member in corpus.members for path in member.segment.paths.all())
    return np.fromiter(found, dtype=bool, count=corpus.files)


def _in_repositories(corpus: Corpus, names: Collection[str]) -> Array:
    parts = [(member.repository, member.first_file, len(member.segment.paths)) for member in corpus.members]
    known = {name for name, first, count in parts if corpus.live_file[first : first + count].any()}
    _only_known("is of the repository", names, known)
    found: Array = np.repeat([name in names for name, _, _ in parts], [count for _, _, count in parts])
    return found.astype(bool)


def _in_databases(
    corpus: Corpus, catalogs: Mapping[str, Catalog], *, databases: Collection[str], environments: Collection[str]
) -> Array:
    """Return which files declare, change, query or describe what is in a database that meets both conditions."""
    prefixes = {name: f"{name}/" if len(catalogs) > 1 else "" for name in catalogs}  # as `schema` calls the databases
    places = [
        (prefixes[name] + database, environment)
        for name, catalog in catalogs.items()
        for database, environment in catalog.files.places
    ]
    folded = {name.casefold() for name in databases}, {name.casefold() for name in environments}
    _only_known("tells of the database", folded[0], {database for database, _ in places}, fold=str.casefold)
    _only_known("tells of the environment", folded[1], {environment for _, environment in places}, fold=str.casefold)
    chosen = {
        name: catalog.files.at(
            [
                (not databases or (prefixes[name] + database).casefold() in folded[0])
                and (not environments or environment.casefold() in folded[1])
                for database, environment in catalog.files.places
            ]
        )
        for name, catalog in catalogs.items()
    }
    found = (
        path in chosen.get(member.repository, ()) for member in corpus.members for path in member.segment.paths.all()
    )
    return np.fromiter(found, dtype=bool, count=corpus.files)


def _only_known(what: str, names: Collection[str], known: Collection[str], *, fold: Callable[[str], str] = str) -> None:
    """Raise QueryError for an unknown name."""
    if unknown := sorted(set(names) - {fold(name) for name in known}):
        there = ", ".join(sorted(filter(None, known))) or "none"
        raise QueryError(f"no file {what} {unknown[0]!r}; known are {there}")
