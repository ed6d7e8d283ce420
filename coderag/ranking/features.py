"""What speaks for each candidate of a question, as numbers: one row a chunk, one column a feature."""

from __future__ import annotations

import re
from collections.abc import Mapping, Set
from functools import lru_cache
from types import MappingProxyType

import numpy as np

from coderag.index.arrays import Array
from coderag.index.columns import KINDS
from coderag.index.corpus import Corpus
from coderag.ranking.candidates import Candidates
from coderag.ranking.likeness import likeness, name_words
from coderag.ranking.retrieve import Scores
from coderag.ranking.understand import STOP_WEIGHT, Question, Shape
from coderag.text.tokens import stem, terms, words
from coderag.types import Kind

__all__ = ["FAMILIES", "FEATURES", "features", "known_terms"]

FEATURES = (
    "text",  # BM25F of the chunk over the best chunk's
    "file",  # of its file, over the best file's
    "company",  # how many of the candidates are in the same file, by their text score, over the most
    "path",  # share of the question, by rarity, in the path
    "stem",  # share of the file's stem that the question names
    "name",  # share of the chunk's name that the question names
    "named",  # share of the question, by rarity, in the chunk's name
    "scope",  # share of the enclosing definition's name that the question names
    "symbol",  # defines a symbol that the question writes as code
    "alone",  # ... and the question is nothing but symbols
    "type",  # ... and is a type or module
    "home",  # ... and its file is called after it
    "capital",  # defines what the question writes with a capital inside a sentence
    "near",  # cosine of the chunk's vector with the question's, from the least to the best of the dense list
    "cosine",  # ... as it is
    "around",  # the best cosine of the candidates in the same file, scaled like "near"
    "fused",  # what the lists together give
    "held",  # share of the question, by rarity, whose words the chunk holds
    "alike",  # ... or words that are like them
    "likeplace",  # how like the question's words are to those of the enclosing name and the path, by rarity
)
# What a question may be ranked without, to see what it is worth.
FAMILIES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "words": ("text", "file", "company", "held"),
        "vectors": ("near", "cosine", "around"),
        "paths": ("path", "stem"),
        "names": ("name", "named", "scope"),
        "symbols": ("symbol", "alone", "type", "home", "capital"),
        "likeness": ("alike", "likeplace"),
    }
)
TYPE_KINDS = frozenset(
    KINDS.index(kind)
    for kind in (Kind.CLASS, Kind.INTERFACE, Kind.TRAIT, Kind.STRUCT, Kind.ENUM, Kind.TYPE, Kind.MODULE)
)
MIN_BEGINNING = 4
OTHER_CASE = 0.85  # what a definition counts whose name is written in other capitals than in the question
SIGNS = re.compile(r"[\W_]+")
LAST_NAME = re.compile(r"[^\W\d]\w*$")


def features(corpus: Corpus, question: Question, scores: Scores, found: Candidates) -> Array:
    """Return f32[candidates, FEATURES], each about 0..1; only what the question itself decides."""
    chunks = found.chunks
    files = corpus.chunk_file[chunks]
    text = scores.text[chunks] / max(float(scores.text.max(initial=0.0)), 1e-6)
    company = np.bincount(files, weights=text, minlength=1)
    around = np.zeros(int(files.max(initial=0)) + 1, dtype=np.float32)
    np.maximum.at(around, files, found.near)
    columns: dict[str, Array] = {name: np.zeros(len(chunks), dtype=np.float32) for name in FEATURES}
    columns |= {
        "text": text,
        "file": scores.file_text[files] / max(float(scores.file_text.max(initial=0.0)), 1e-6),
        "company": company[files] / max(float(company.max()), 1e-6),
        "path": scores.path[files],
        "near": found.near,
        "cosine": scores.near[chunks],
        "held": scores.held[chunks],
        "alike": scores.alike[chunks],
        "around": around[files],
        "fused": found.fused,
    }
    asked = {term for term, rarity in scores.rarity.items() if rarity > 0}
    stems = {file: _share(_stem_terms(corpus.path(file)), asked) for file in set(files.tolist())}
    kinds = corpus.chunk_kind[chunks].tolist()
    places: list[tuple[str, ...]] = []
    for row, (chunk, file) in enumerate(zip(chunks.tolist(), files.tolist(), strict=True)):
        name, scope = corpus.names(chunk)
        places.append((*name_words(scope), *name_words(corpus.path(file))))
        name_terms = _terms_of(name)
        columns["stem"][row] = stems[file]
        columns["name"][row] = _share(name_terms, asked)
        columns["named"][row] = sum(scores.rarity[term] for term in name_terms & asked) / max(scores.best, 1e-6)
        columns["scope"][row] = _share(_terms_of(scope), asked) if scope else 0.0
        exact, capital = scores.symbols.get(chunk, 0.0), scores.capitals.get(chunk, 0.0)
        if exact or capital:
            is_type = kinds[row] in TYPE_KINDS
            told = _of_symbol(question, corpus.path(file), name, exact=exact, capital=capital, is_type=is_type)
            for feature, value in told.items():
                columns[feature][row] = value
    columns["likeplace"] = likeness(_asked_words(question, scores), places)
    return np.stack([columns[name] for name in FEATURES], axis=1).astype(np.float32, copy=False)


def _asked_words(question: Question, scores: Scores) -> dict[str, float]:
    """Return the words of a question with what each weighs: its rarity, and the most where the corpus lacks it."""
    most = max(scores.rarity.values(), default=1.0)
    weighed: dict[str, float] = {}
    for word in name_words(question.text):
        term = stem(word)
        weight = question.terms.get(term, 1.0)
        if weight > STOP_WEIGHT:
            weighed[word] = scores.rarity.get(term, 0.0) or weight * most
    return weighed


def _of_symbol(
    question: Question, path: str, name: str, *, exact: float, capital: float, is_type: bool
) -> dict[str, float]:
    """Return the features of a chunk that defines a name of the question."""
    last = LAST_NAME.search(name)
    own = last[0] if last else name
    spelling = 1.0 if own in question.spelled else OTHER_CASE
    exact, capital = exact * spelling, capital * spelling
    return {
        "symbol": exact,
        "alone": exact * (question.shape is Shape.SYMBOL),
        "type": exact * is_type,
        "home": max(exact, capital) * _home(path, own),
        "capital": capital,
    }


def _home(path: str, name: str) -> float:
    """Tell how much a file is called after a definition, however its words are joined: 1, or half for a beginning."""
    stem = SIGNS.sub("", path.rpartition("/")[2].rpartition(".")[0]).lower()
    own = SIGNS.sub("", name).lower()
    if stem == own:
        return 1.0
    shorter, longer = sorted((stem, own), key=len)
    return 0.5 if len(shorter) >= MIN_BEGINNING and longer.startswith(shorter) else 0.0


def _share(found: frozenset[str], asked: Set[str]) -> float:
    """Return which share of some terms the question asks for."""
    return len(found & asked) / len(found) if found else 0.0


@lru_cache(maxsize=100_000)
def known_terms(word: str) -> tuple[str, ...]:
    """Return the terms of a word, remembered."""
    return terms(word)


@lru_cache(maxsize=100_000)
def _terms_of(text: str) -> frozenset[str]:
    """Return the terms of a name: of its pieces only, or of the whole where it has one."""
    found: set[str] = set()
    for word in words(text):
        *pieces, whole = terms(word) or ("",)
        found.update(pieces or [whole])
    return frozenset(found)


@lru_cache(maxsize=100_000)
def _stem_terms(path: str) -> frozenset[str]:
    """Return the terms of a file's stem; of its folder where the stem says nothing."""
    *folders, filename = path.split("/")
    stem = filename.split(".", 1)[0]
    if stem in {"__init__", "index", "mod", "lib", "main", "init"} and folders:
        stem = folders[-1]
    return _terms_of(stem)
