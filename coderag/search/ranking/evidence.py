"""Ranked chunks to evidence of whether each is the place that a question asks for: numbers that a confidence weighs.

Half of the evidence is the chunk's own: how much of the question it holds. The other half is how it stands among the
other candidates, as a place that ten others resemble is likely to be the wrong one. All of it is relative, shares and
leads, so that it means the same whatever the scale of the scores.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

import numpy as np

from coderag.index.reader.corpus import Corpus, text_keys
from coderag.index.storage.arrays.arrays import Array
from coderag.record import record
from coderag.search.query.understand import Question
from coderag.search.query.vocabulary import STOP_WORDS, WEAK_WORDS
from coderag.search.ranking.features import known_terms
from coderag.search.ranking.name_columns import name_columns
from coderag.search.ranking.rank import Ranking
from coderag.search.ranking.sums import weighted_sums
from coderag.search.retrieval.candidates import Lists
from coderag.search.retrieval.lexical import Scores
from coderag.text.tokens import words

__all__ = ["EVIDENCE", "Competition", "evidence"]

# Words are the content words of the question, all with the same weight where rarity is not named: a word that no chunk
# has would weigh most, and people use words that a repository does not.
EVIDENCE = (
    "coverage",  # share of the words that the chunk holds
    "full",  # ... by how often it does, saturated as in BM25F
    "rare",  # ... of those that the corpus knows, by rarity
    "named",  # share of the chunk's name that the question names
    "only",  # how exactly it defines a symbol of the question, over the number of chunks that define one
    "known",  # share of the words that the corpus knows at all
    "file",  # share of the words that the file holds
    "words",  # log(1 + number of words): no chunk holds all of many
    "verbatim",  # holds the question word for word
    "cosine",  # of the chunk's vector with the question's
    "lead",  # of its score over the best other one's, as a share of the greater; 0 for all but the first
    "file_lead",  # ... over the best score in another file, -1..1
    "alone",  # 1 / (1 + number of others with nearly its score)
    "text_lead",  # of its BM25F over the best other one's, -1..1
    "lexical",  # 1 / its rank in the lexical list, the best one of those with an equal score
    "dense",  # ... and in the dense one
    "is_symbol",  # the type of the query
    "is_edit",
    "is_behavior",
)
NEARLY = 0.9  # share of a score that makes another one nearly as good
WEAK_WEIGHT = 0.4  # of a word such as "function", as in understand
PIECES_SHARE = 0.6  # of an identifier whose pieces are there and which itself is not
MIN_VERBATIM = 2  # words; a single one is no quotation
TINY = 1e-6
SPACES = re.compile(r"\s+")


@record
class Competition:
    """What the stages of a search know of the chunks and of those that they stand beside."""

    ranking: Ranking
    lists: Lists
    scores: Scores
    has_cosines: bool  # of the shipped encoder; those of another have another scale and are left out


@record
class _Word:
    """A content word of a question: its own term and its pieces, as positions among the terms."""

    whole: int
    pieces: tuple[int, ...]
    weight: float
    rarity: float


@record
class _Terms:
    """The terms of a question in some chunks, in their files, and in the corpus."""

    shares: Array  # f32[chunks, terms]: how often in a chunk, saturated
    files: Array  # bool[chunks, terms]: in the chunk's file
    known: Array  # bool[terms]: in some chunk


def evidence(corpus: Corpus, question: Question, chunks: Array, *, among: Competition) -> Array:
    """Return the evidence for some of the ranked chunks, f32[chunks, EVIDENCE]; zeros without a content word."""
    terms, content = _content(question, among.scores.rarity)
    if not content or not len(chunks):
        return np.zeros((len(chunks), len(EVIDENCE)), dtype=np.float32)
    columns = _own(corpus, terms, content, chunks) | _standing(corpus, chunks, among)
    defining = among.scores.symbols
    columns["named"] = _named(corpus, terms, chunks)
    if defining:
        columns["only"] = np.array([defining.get(chunk, 0.0) / len(defining) for chunk in chunks.tolist()])
    columns["verbatim"] = np.array(_verbatim(corpus, question, chunks, columns["coverage"]))
    columns[f"is_{question.query_type}"] = np.ones(len(chunks), dtype=np.float32)
    rows = np.zeros((len(EVIDENCE), len(chunks)), dtype=np.float32)
    for at, name in enumerate(EVIDENCE):
        if name in columns:
            rows[at] = columns[name]
    return rows.T


def _own(corpus: Corpus, terms: Mapping[str, int], content: list[_Word], chunks: Array) -> dict[str, Array]:
    """Return the evidence of the words that chunks hold, by name; some is the same of all chunks."""
    found = _found(corpus, terms, chunks)
    weights, rarity = [word.weight for word in content], [word.rarity for word in content]
    held = _held(content, found.shares > 0)
    return {
        "coverage": _share(held, weights),
        "full": _share(_held(content, found.shares), weights),
        "rare": _share(held, rarity),
        "known": _share(_held(content, found.known[np.newaxis]), weights),
        "file": _share(_held(content, found.files), weights),
        "words": np.log1p(len(content)),
    }


def _standing(corpus: Corpus, chunks: Array, among: Competition) -> dict[str, Array]:
    """Return how chunks stand among all candidates, by name."""
    ranking, ranked, scores = among.ranking, among.ranking.chunks, among.ranking.scores
    by_number = np.argsort(ranked)
    places = by_number[ranked.searchsorted(chunks, sorter=by_number)]
    rows = ranking.order[places]
    nearly = np.searchsorted(-scores, -NEARLY * scores[places], side="right") - 1
    text = ranking.rows.columns["text"]
    standing = {
        "lead": np.maximum(_lead(scores, places, np.arange(len(scores))), 0),
        "file_lead": _lead(scores, places, corpus.file_numbers(ranked)),
        "alone": 1 / (1 + nearly.astype(np.float32)),
        "text_lead": _gap(text, rows),
        "lexical": among.lists.lexical.reciprocal_ranks(chunks),
    }
    if not among.has_cosines:
        return standing
    cosines = ranking.rows.columns["cosine"]
    return standing | {
        "cosine": np.maximum(cosines[rows], 0),
        "dense": among.lists.dense.reciprocal_ranks(chunks),
    }


def _lead(scores: Array, places: Array, owners: Array) -> Array:
    """Return by how much of the greater one the scores at some places exceed the best of another owner, -1..1.

    Scores, f32[n], are in descending order.
    """
    first = owners[0] if len(owners) else 0
    second = int(np.argmax(owners != first)) if (owners != first).any() else None
    best = np.where(owners[places] != first, scores[0], 0.0 if second is None else scores[second])
    own = scores[places]
    found: Array = ((own - best) / np.maximum(np.maximum(own, best), TINY)).astype(np.float32)
    return np.clip(found, -1, 1)


def _gap(values: Array, rows: Array) -> Array:
    """Return by how much some of the values exceed the greatest other one, f32[rows]."""
    top = int(np.argmax(values))
    second = max(float(others.max(initial=0.0)) for others in (values[:top], values[top + 1 :]))
    found: Array = values[rows] - np.where(rows == top, second, values[top])
    return found.astype(np.float32)


def _verbatim(corpus: Corpus, question: Question, chunks: Array, coverage: Array) -> list[bool]:
    """Return for each chunk whether it holds the question word for word, whatever the case and the spaces."""
    quoted = _folded(question.text).strip("\"'`")
    if len(words(quoted)) < MIN_VERBATIM:
        return [False] * len(chunks)
    whole = (coverage >= 1).tolist()  # so that the text of few is read
    if not any(whole):
        return [False] * len(chunks)
    pieces = quoted.split(" ")
    return [
        whole and _holds(corpus, chunk, quoted, pieces) for chunk, whole in zip(chunks.tolist(), whole, strict=True)
    ]


def _holds(corpus: Corpus, chunk: int, quoted: str, pieces: Iterable[str]) -> bool:
    """Tell whether a chunk holds some folded text, given the pieces of this, too, which are told quickly to be missing.

    Those of a single chunk in many are all there.
    """
    member, local = corpus.member_of(chunk)
    folded = member.segment.chunk_text(local).casefold()
    if quoted in folded or not all(piece in folded for piece in pieces):
        return quoted in folded
    # As a rule nothing but words is quoted; what begins or ends with a space must have one in the text, too.
    return quoted in (" ".join(folded.split()) if quoted == quoted.strip() else SPACES.sub(" ", folded))


def _folded(text: str) -> str:
    return " ".join(text.split()).casefold()


def _content(question: Question, rarity: Mapping[str, float]) -> tuple[dict[str, int], list[_Word]]:
    """Return the terms of a question's content words with their positions, and the words.

    A stop word counts as content where it is a symbol and the question has no other word: `get`.
    """
    found = {word.lower(): terms for word in words(question.text) if (terms := known_terms(word))}
    content = {word: terms for word, terms in found.items() if word not in STOP_WORDS}
    if not content and question.symbols:
        content = found
    position = {term: at for at, term in enumerate(dict.fromkeys(term for terms in content.values() for term in terms))}
    return position, [
        _Word(
            position[whole],
            tuple(position[piece] for piece in pieces),
            WEAK_WEIGHT if word in WEAK_WORDS else 1.0,
            max(rarity.get(term, 0.0) for term in (*pieces, whole)),
        )
        for word, (*pieces, whole) in content.items()
    ]


def _held(content: list[_Word], present: Array) -> Array:
    """Return how much of each word is present, f32[rows, words] in 0..1, given that of their terms: [rows, terms]."""
    held = np.zeros((len(present), len(content)), dtype=np.float32)
    for number, word in enumerate(content):
        held[:, number] = present[:, word.whole]
        if word.pieces:
            held[:, number] = np.maximum(held[:, number], PIECES_SHARE * present[:, word.pieces].mean(axis=1))
    return held


def _share(held: Array, weights: list[float]) -> Array:
    """Return the share of some words that is held, by their weights, f32[rows] in 0..1; 0 where all weights are."""
    weighed = np.array(weights, dtype=np.float32)
    return weighted_sums(held, weighed / max(float(weighed.sum()), TINY))


def _found(corpus: Corpus, terms: Mapping[str, int], chunks: Array) -> _Terms:
    shape = len(chunks), len(terms)
    in_text = text_keys(terms)
    positions = corpus.text_positions(in_text)
    known = corpus.text_frequencies(in_text, positions) > 0
    found = _Terms(np.zeros(shape, np.float32), np.zeros(shape, bool), known)
    held = {member.first_chunk: (rows, local) for member, rows, local in corpus.by_member(chunks)}
    for member, at_text in zip(corpus.members, positions, strict=True):
        segment = member.segment
        has_text = np.flatnonzero(at_text >= 0)
        if member.first_chunk not in held:
            continue
        rows, local = held[member.first_chunk]
        files = segment.chunk_file[local]
        rows = np.arange(len(chunks))[rows]
        found.shares[np.ix_(rows, has_text)] = segment.text_postings.weights_of(at_text[has_text], local).T
        # A file holds a term if the term's postings have a chunk between the file's first and last.
        first, end = member.chunk_bounds(files)
        for term in has_text.tolist():
            found.files[rows, term] = _between(segment.text_postings.docs_of(int(at_text[term])), first, end)
    return found


def _between(docs: Array, first: Array, end: Array) -> Array:
    """Return which pairs of bounds have a document from the first on and before the end: bool[pairs]."""
    # Of the postings' own type, or numpy would copy them all to compare.
    low, high = docs.searchsorted(np.concatenate([first, end]).astype(docs.dtype)).reshape(2, -1)
    found: Array = low < high
    return found


def _named(corpus: Corpus, terms: Iterable[str], chunks: Array) -> Array:
    """Return the share of each chunk's name that is in some terms, f64[chunks]; 0 for one without a term."""
    columns = name_columns(corpus)
    own = columns.table.name_terms.of(columns.names(corpus, chunks))
    numbers = columns.table.terms  # which has the terms of these names by now
    shares: Array = own.marked(numbers.marked(terms)) / np.maximum(own.sizes - own.marked(numbers.marked([""])), 1)
    return shares
