"""The candidates of a question to their features: one row per chunk, one column per feature."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from functools import lru_cache
from types import MappingProxyType

import numpy as np

from coderag.index.reader.corpus import Corpus
from coderag.index.storage.arrays.arrays import Array
from coderag.search.query.understand import QueryType, Question
from coderag.search.ranking.candidate_view import CandidateView
from coderag.search.ranking.surroundings import SURROUNDING_MAKERS, SURROUNDINGS, TAKEN_FROM, TYPE_KINDS
from coderag.search.retrieval.candidates import Candidates
from coderag.search.retrieval.history import NO_EVIDENCE, Evidence
from coderag.search.retrieval.lexical import Scores
from coderag.search.retrieval.maxsim import averaged, best_likenesses
from coderag.search.retrieval.soft_match import soft_coverage
from coderag.text.tokens import terms

__all__ = ["FAMILIES", "FEATURES", "LENGTHS", "FeatureColumns", "known_terms"]

FEATURES = (
    "text",  # BM25F of the chunk over the best chunk's
    "file",  # of its file, over the best file's
    "file_support",  # how many of the candidates are in the same file, by their text score, over the most
    "file_lines",  # ... and how many lines these have
    "lines",  # how many lines a function or method has, on a scale of logarithms; 0 for all else
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
# The features that grow with the length of what is found. Trees do not learn from them, as what answers the questions
# that they are grown on has the length that the making of these questions gave it. Only those for changes learn from
# `lines`: most changes are made in long functions, however they are asked for.
LENGTHS = frozenset({"file_lines", "lines"})
# Groups of features that a question may be ranked without, for ablations.
FAMILIES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "words": ("text", "file", "file_support", "file_lines", "coverage"),
        "vectors": ("cosine_scaled", "cosine", "file_cosine"),
        "paths": ("path", "filename_match"),
        "names": ("name", "named", "scope"),
        "symbols": ("symbol", "exact_symbol", "type", "definition_file", "capital"),
        "history": ("history",),
        "likeness": ("soft_coverage", "likeplace"),
        "surroundings": (*SURROUNDINGS, "lines"),
        # No features: what is found so comes first (search.ranking.promote, search.results.graph_answers).
        "verbatim": (),
        "graph": (),
    }
)
PLACE: Mapping[str, int] = MappingProxyType({name: place for place, name in enumerate(FEATURES)})
SYMBOLS = ("symbol", "exact_symbol", "type", "definition_file", "capital")
MIN_BEGINNING = 4
FEWEST_LINES, MOST_LINES = 10, 180  # that a chunk counts for, so that neither one-liners nor giants decide
MANY_LINES = 200  # of a function, which count in full
OTHER_CASE = 0.85  # factor for a definition whose name has other capitals than the question
SIGNS = re.compile(r"[\W_]+")
LAST_NAME = re.compile(r"(?<!\w)\d*+([^\W\d]\w*+)[?!=]?$")


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


class FeatureColumns:
    """The features of the candidates of a question, each about 0..1, and computed when it is first asked for.

    They depend on the question and the index alone. Most weigh nothing in most questions.
    """

    def __init__(
        self,
        corpus: Corpus,
        question: Question,
        scores: Scores,
        found: Candidates,
        *,
        evidence: Evidence = NO_EVIDENCE,
        left_out: Set[str] = frozenset(),
    ) -> None:
        """Take the candidates; features that are left out are 0, and others are computed from what they are."""
        self._left_out = left_out
        self._columns: dict[str, Array] = {"history": evidence.of(found.chunks)}
        self._view = CandidateView(corpus, question, scores, found, columns=self._columns)

    def __getitem__(self, name: str) -> Array:
        """Return a feature, f32[candidates]."""
        return np.zeros(len(self._view), dtype=np.float32) if name in self._left_out else self._made(name)

    def rows(self, names: Iterable[str] = FEATURES) -> Array:
        """Return some features, f32[candidates, FEATURES]; the others are 0."""
        by_feature = np.zeros((len(FEATURES), len(self._view)), dtype=np.float32)
        for name in names:
            if name not in self._left_out:
                by_feature[PLACE[name]] = self._made(name)
        return by_feature.T

    def _made(self, name: str) -> Array:
        if name not in self._columns:
            for other in TAKEN_FROM.get(name, ()):
                self._made(other)
            self._columns |= MAKERS[name](self._view)
        return self._columns[name]


def _of_lists(view: CandidateView) -> dict[str, Array]:
    """Return what the lists and the scores say of each candidate."""
    scores, found = view.scores, view.found
    text = scores.text[view.chunks] / scores.best_text
    company = np.bincount(view.own_file, weights=text, minlength=1)
    return {
        "text": text,
        "file": (scores.file_text[view.files] / scores.best_file)[view.own_file],
        "file_support": (company / max(float(company.max()), 1e-6))[view.own_file],
        "path": scores.path[view.files][view.own_file],
        "cosine_scaled": found.near,
        "cosine": found.cosine,
        "file_cosine": view.best_of_file(found.near),
        "fused": found.fused,
    }


def _file_lines(view: CandidateView) -> dict[str, Array]:
    """Return how many lines of each candidate's file are in candidates, by their text score, over the most of a file.

    A long file with much that fits is the one that a topic is at home in, rather than a short one beside it that has
    the topic in its name.
    """
    worth = np.clip(_line_counts(view), FEWEST_LINES, MOST_LINES) * view.scores.text[view.chunks]
    of_files = np.bincount(view.own_file, weights=worth, minlength=1)
    return {"file_lines": (of_files / max(float(of_files.max()), 1e-6))[view.own_file]}


def _lines(view: CandidateView) -> dict[str, Array]:
    """Return how long each candidate is that is a function: the longer it is, the more changes are made in it.

    A type counts for nothing, as its lines are those of its members.
    """
    share = np.log1p(_line_counts(view)) / np.log1p(MANY_LINES)
    return {"lines": (np.minimum(share, 1) * view.columns["callable"]).astype(np.float32)}


def _line_counts(view: CandidateView) -> Array:
    """Return from how many lines each candidate is, first to last: i64[n]."""
    counts = np.zeros(len(view), dtype=np.int64)
    for member, rows, local in view.corpus.by_member(view.chunks):
        counts[rows] = member.segment.last_row[local].astype(np.int64) - member.segment.first_row[local] + 1
    return counts


def _of_words(view: CandidateView) -> dict[str, Array]:
    """Return the shares of the question whose words, or similar ones, each candidate holds."""
    held, alike = soft_coverage(view.corpus, view.scores.words, view.chunks)
    return {"coverage": held, "soft_coverage": alike}


def _of_names(view: CandidateView) -> dict[str, Array]:
    """Return the shares that names and paths have of the question, and it of them."""
    table, scores = view.table, view.scores
    own = table.name_terms.of(view.names)
    scopes, paths = table.scope_terms.of(view.names), table.file_terms.of(view.paths)
    # Of terms that were numbered by now, so after all names have been looked up.
    rarity = table.terms.valued(scores.rarity)
    asked = rarity > 0
    # Sums of numbers of 24 bits in 53 are exact, whatever their order.
    named = np.bincount(own.row, weights=rarity[own.numbers] * asked[own.numbers], minlength=len(view))
    return {
        "name": own.share(asked),
        "named": (named / max(scores.best, 1e-6)).astype(np.float32),
        "scope": scopes.share(asked),
        "filename_match": paths.share(asked)[view.own_file],
    }


def _like_place(view: CandidateView) -> dict[str, Array]:
    """Return how similar the question's words are to those of each name's scope and path."""
    paths, scopes = view.table.path_words.of(view.paths), view.table.scope_words.of(view.names)
    texts = (paths.numbers, paths.sizes), (scopes.numbers, scopes.sizes)
    of_paths, of_scopes = best_likenesses(tuple(view.scores.words), view.table.words.texts, texts)
    return {"likeplace": averaged(view.scores.words, np.maximum(of_paths[:, view.own_file], of_scopes))}


def _symbols(view: CandidateView) -> dict[str, Array]:
    """Return what defines a name of the question, and how."""
    columns = {name: np.zeros(len(view), dtype=np.float32) for name in SYMBOLS}
    for row, told in _of_symbols(view.corpus, view.question, view.scores, view.chunks):
        for feature, value in told.items():
            columns[feature][row] = value
    return columns


# The features that are computed together, by name.
MAKERS: Mapping[str, Callable[[CandidateView], dict[str, Array]]] = {
    **dict.fromkeys(
        ("text", "file", "file_support", "path", "cosine_scaled", "cosine", "file_cosine", "fused"), _of_lists
    ),
    "file_lines": _file_lines,
    "lines": _lines,
    **dict.fromkeys(("coverage", "soft_coverage"), _of_words),
    **dict.fromkeys(("name", "named", "scope", "filename_match"), _of_names),
    "likeplace": _like_place,
    **dict.fromkeys(SYMBOLS, _symbols),
    **SURROUNDING_MAKERS,
}


@lru_cache(maxsize=20_000)
def known_terms(word: str) -> tuple[str, ...]:
    """Return the terms of a word, memoised."""
    return terms(word)
