"""The candidates of a question to their features: one row per chunk, one column per feature."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from functools import lru_cache
from itertools import starmap
from math import fsum
from types import MappingProxyType

import numpy as np

from coderag.index.reader.corpus import Corpus
from coderag.index.storage.arrays.arrays import Array
from coderag.search.query.understand import QueryType, Question
from coderag.search.ranking.spelled import Spelled, SpelledPath, spelled, spelled_path
from coderag.search.ranking.surroundings import SURROUNDINGS, TYPE_KINDS, Candidate, surroundings
from coderag.search.retrieval.candidates import Candidates
from coderag.search.retrieval.lexical import Scores
from coderag.search.retrieval.maxsim import averaged, best_likeness
from coderag.search.retrieval.soft_match import soft_coverage
from coderag.text.tokens import terms

__all__ = ["FAMILIES", "FEATURES", "features", "known_terms"]

FEATURES = (
    "text",  # BM25F of the chunk over the best chunk's
    "file",  # of its file, over the best file's
    "file_support",  # how many of the candidates are in the same file, by their text score, over the most
    "path",  # share of the question, by rarity, in the path
    "filename_match",  # share of the file's stem that the question names
    "name",  # share of the chunk's name that the question names
    "named",  # share of the question, by rarity, in the chunk's name
    "scope",  # share of the enclosing definition's name that the question names
    "symbol",  # defines a symbol that the question writes as code
    "exact_symbol",  # ... and the question is nothing but symbols
    "type",  # ... and is a type or module
    "definition_file",  # ... and its file is called after it
    "capital",  # defines what the question writes with a capital inside a sentence
    "cosine_scaled",  # cosine of the chunk's vector with the question's, from the least to the best of the dense list
    "cosine",  # ... as it is
    "file_cosine",  # the best cosine of the candidates in the same file, scaled like "cosine_scaled"
    "fused",  # score of the fused lists
    "coverage",  # share of the question, by rarity, whose words the chunk holds
    "soft_coverage",  # ... or similar ones
    "history",  # how well the subjects of the commits that changed the chunk, or its file, fit the question
    "likeplace",  # similarity of the question's words to those of the enclosing name and the path, by rarity
    *SURROUNDINGS,
)
# Groups of features that a question may be ranked without, for ablations.
FAMILIES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "words": ("text", "file", "file_support", "coverage"),
        "vectors": ("cosine_scaled", "cosine", "file_cosine"),
        "paths": ("path", "filename_match"),
        "names": ("name", "named", "scope"),
        "symbols": ("symbol", "exact_symbol", "type", "definition_file", "capital"),
        "history": ("history",),
        "likeness": ("soft_coverage", "likeplace"),
        "surroundings": SURROUNDINGS,
        # No features: what is found so comes first (search.ranking.promote, search.results.graph_answers).
        "verbatim": (),
        "graph": (),
    }
)
MIN_BEGINNING = 4
OTHER_CASE = 0.85  # factor for a definition whose name has other capitals than the question
SIGNS = re.compile(r"[\W_]+")
LAST_NAME = re.compile(r"(?<!\w)\d*+([^\W\d]\w*+)[?!=]?$")


def features(corpus: Corpus, question: Question, scores: Scores, found: Candidates) -> Array:
    """Return f32[candidates, FEATURES], each about 0..1, which only depend on the question."""
    chunks = found.chunks
    files, own_file = np.unique_inverse(corpus.file_numbers(chunks))
    text = scores.text[chunks] / scores.best_text
    company = np.bincount(own_file, weights=text, minlength=1)
    around = np.zeros(max(len(files), 1), dtype=np.float32)
    np.maximum.at(around, own_file, found.near)
    held, alike = soft_coverage(corpus, scores.words, chunks)
    columns: dict[str, Array] = {name: np.zeros(len(chunks), dtype=np.float32) for name in FEATURES}
    columns |= {
        "text": text,
        "file": (scores.file_text[files] / scores.best_file)[own_file],
        "file_support": (company / max(float(company.max()), 1e-6))[own_file],
        "path": scores.path[files][own_file],
        "cosine_scaled": found.near,
        "cosine": found.cosine,
        "coverage": held,
        "soft_coverage": alike,
        "file_cosine": around[own_file],
        "fused": found.fused,
    }
    paths = list(map(spelled_path, corpus.paths_of(files)))
    names = list(starmap(spelled, corpus.names(chunks)))
    columns |= _named(scores, names, paths, own_file) | {"likeplace": _like_place(scores, names, paths, own_file)}
    columns |= surroundings(
        corpus,
        question,
        scores,
        files,
        Candidate(chunks, own_file, paths, names, text=text, named=columns["named"], soft=alike),
    )
    for row, told in _of_symbols(corpus, question, scores, chunks):
        for feature, value in told.items():
            columns[feature][row] = value
    return np.stack([columns[name] for name in FEATURES], axis=1).astype(np.float32, copy=False)


def _named(scores: Scores, names: Sequence[Spelled], paths: Sequence[SpelledPath], own_file: Array) -> dict[str, Array]:
    """Return the shares that names and paths have of the question, and it of them; `own_file` numbers the paths."""
    asked = frozenset(term for term, rarity in scores.rarity.items() if rarity > 0)
    shared = [name.terms & asked for name in names]
    best = max(scores.best, 1e-6)
    told = {
        "name": [len(own) / len(name.terms) if own else 0.0 for own, name in zip(shared, names, strict=True)],
        "named": [fsum(scores.rarity[term] for term in own) / best if own else 0.0 for own in shared],
        "scope": [_share(name.scope_terms, asked) for name in names],
    }
    of_paths = np.array([_share(path.name_terms, asked) for path in paths], dtype=np.float32)
    columns = {feature: np.array(values, dtype=np.float32) for feature, values in told.items()}
    return columns | {"filename_match": of_paths[own_file]}


def _like_place(scores: Scores, names: Sequence[Spelled], paths: Sequence[SpelledPath], own_file: Array) -> Array:
    """Return how similar the question's words are to those of each name's scope and path, f32[names]."""
    scopes: dict[tuple[str, ...], int] = {}
    own_scope = [scopes.setdefault(name.scope_words, len(scopes)) for name in names]
    best = best_likeness(tuple(scores.words), [*(path.words for path in paths), *scopes])
    of_paths, of_scopes = best[:, : len(paths)], best[:, len(paths) :]
    return averaged(scores.words, np.maximum(of_paths[:, own_file], of_scopes[:, own_scope]))


def _of_symbols(
    corpus: Corpus, question: Question, scores: Scores, chunks: Array
) -> Iterator[tuple[int, dict[str, float]]]:
    """Yield the features of the chunks that define a name of the question, each with the chunk's row."""
    defining = scores.symbols.keys() | scores.capitals.keys()
    for row in np.flatnonzero(np.isin(chunks, list(defining))).tolist() if defining else ():
        chunk = int(chunks[row])
        yield (
            row,
            _of_symbol(
                question,
                corpus.place(chunk)[0],
                corpus.names(chunks[row : row + 1])[0][0],
                exact=scores.symbols.get(chunk, 0.0),
                capital=scores.capitals.get(chunk, 0.0),
                is_type=corpus.kind(chunk) in TYPE_KINDS,
            ),
        )


def _of_symbol(
    question: Question, path: str, name: str, *, exact: float, capital: float, is_type: bool
) -> dict[str, float]:
    """Return the features of a chunk that defines a name of the question."""
    last = LAST_NAME.search(name)
    own = last[1] if last else name
    spelling = 1.0 if own in question.spelled else OTHER_CASE
    exact, capital = exact * spelling, capital * spelling
    return {
        "symbol": exact,
        "exact_symbol": exact * (question.query_type is QueryType.SYMBOL),
        "type": exact * is_type,
        "definition_file": max(exact, capital) * _home(path, own),
        "capital": capital,
    }


def _home(path: str, name: str) -> float:
    """Return whether a file has the name of a definition, however its words are joined: 1, or half for a prefix."""
    stem = SIGNS.sub("", path.rpartition("/")[2].rpartition(".")[0]).lower()
    own = SIGNS.sub("", name).lower()
    if stem == own:
        return 1.0
    shorter, longer = sorted((stem, own), key=len)
    return 0.5 if len(shorter) >= MIN_BEGINNING and longer.startswith(shorter) else 0.0


def _share(found: frozenset[str], asked: Set[str]) -> float:
    """Return the share of some terms that the question holds."""
    return len(found & asked) / len(found) if found else 0.0


@lru_cache(maxsize=20_000)
def known_terms(word: str) -> tuple[str, ...]:
    """Return the terms of a word, memoised."""
    return terms(word)
