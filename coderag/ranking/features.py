"""What speaks for each candidate of a question, as numbers: one row a chunk, one column a feature."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

import numpy as np

from coderag.index.arrays import Array
from coderag.index.columns import KINDS
from coderag.index.corpus import Corpus
from coderag.ranking.retrieve import Scores
from coderag.text.tokens import terms, words
from coderag.types import Kind

__all__ = ["FEATURES", "features", "known_terms"]

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
    "type",  # ... and is a type or module
    "capital",  # defines what the question writes with a capital inside a sentence
)
TYPE_KINDS = frozenset(
    KINDS.index(kind)
    for kind in (Kind.CLASS, Kind.INTERFACE, Kind.TRAIT, Kind.STRUCT, Kind.ENUM, Kind.TYPE, Kind.MODULE)
)
LAST_NAME = re.compile(r"[^\W\d]\w*$")


def features(corpus: Corpus, scores: Scores, candidates: Array) -> Array:
    """Return f32[candidates, FEATURES], each about 0..1; only what the question itself decides."""
    files = corpus.chunk_file[candidates]
    text = scores.text[candidates] / max(float(scores.text.max(initial=0.0)), 1e-6)
    company = np.bincount(files, weights=text, minlength=1)
    rows = np.zeros((len(candidates), len(FEATURES)), dtype=np.float32)
    rows[:, 0] = text
    rows[:, 1] = scores.file_text[files] / max(float(scores.file_text.max(initial=0.0)), 1e-6)
    rows[:, 2] = company[files] / max(float(company.max()), 1e-6)
    rows[:, 3] = scores.path[files]
    stems: dict[int, float] = {}
    for row, (chunk, file) in enumerate(zip(candidates.tolist(), files.tolist(), strict=True)):
        if file not in stems:
            stems[file] = _share(_stem_terms(corpus.path(file)), scores.rarity)
        member, local = corpus.member_of(chunk)
        name, qualified = member.segment.name(local), member.segment.names[local]
        name_terms = _terms_of(name)
        rows[row, 4] = stems[file]
        rows[row, 5] = _share(name_terms, scores.rarity)
        rows[row, 6] = sum(scores.rarity.get(term, 0.0) for term in name_terms) / max(scores.best, 1e-6)
        scope = LAST_NAME.search(qualified[: len(qualified) - len(name)].rstrip(".:#/ >"))
        rows[row, 7] = _share(_terms_of(scope[0]), scores.rarity) if scope else 0.0
        exact = scores.symbols.get(chunk, 0.0)
        rows[row, 8] = exact
        rows[row, 9] = exact * (int(corpus.chunk_kind[chunk]) in TYPE_KINDS)
        rows[row, 10] = scores.capitals.get(chunk, 0.0)
    return rows


def _share(found: frozenset[str], rarity: Mapping[str, float]) -> float:
    """Return which share of some terms the question names."""
    return sum(1 for term in found if rarity.get(term, 0.0) > 0) / len(found) if found else 0.0


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
