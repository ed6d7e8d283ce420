"""The words of a question to scores of every chunk, file and definition."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from coderag.index.reader.corpus import Corpus, path_keys, text_keys
from coderag.index.storage.arrays.arrays import Array
from coderag.index.storage.postings import idf, summed
from coderag.record import record
from coderag.search.query.understand import STOP_WEIGHT, Question
from coderag.search.retrieval.maxsim import name_words
from coderag.text.tokens import stem
from coderag.types import Kind

__all__ = ["Scores", "best_of", "lexical_scores", "member_chunks", "rarity_of", "scored_terms"]

MIN_CONTENT = 2  # content terms, from which on stop words are not looked up
ALMOST_NOTHING = 1e-6  # the best score where all are 0, so that it can divide
EXACT, BARE = 1.0, 0.5  # a definition whose scope is the symbol's too, and one that only has its name
INNER, INNER_OTHER = {Kind.FIELD: 0.25}, 0.6  # share of a definition that is no chunk of its own


@record
class Scores:
    """How well each chunk and file matches a question by its words; 0 where not at all."""

    text: Array  # f32[chunks]: BM25F over the chunk's fields
    file_text: Array  # f32[files]: the best of the file's chunks, term by term
    path: Array  # f32[files]: share of the question's terms in the file's path, 0..1
    symbols: dict[int, float]  # chunk that defines a symbol of the question -> how exactly, 0..1
    capitals: dict[int, float]  # the same for words that only a capital marks as names
    rarity: dict[str, float]  # term of the question -> its weight times its inverse document frequency
    words: dict[str, float]  # word of the question -> its rarity, the greatest where no chunk has it
    best: float  # the text score of a chunk that holds every term to saturation
    best_text: float  # of any chunk, above 0
    best_file: float  # of any file, above 0


def lexical_scores(corpus: Corpus, question: Question) -> Scores:
    """Score every chunk and file of a corpus against the words of a question."""
    terms = scored_terms(question)
    weights = np.array([question.terms[term] for term in terms], dtype=np.float32)
    hashes = text_keys(terms)
    positions = corpus.text_positions(hashes)
    rarity = rarity_of(corpus, hashes, positions) * weights
    text, file_text = _text_scores(corpus, positions, rarity)
    by_term = dict(zip(terms, rarity.tolist(), strict=True))
    return Scores(
        text=text,
        file_text=file_text,
        path=_path_scores(corpus, terms, rarity),
        symbols=_of_names(corpus, question),
        capitals=_symbol_chunks(corpus, question.capitals),
        rarity=by_term,
        words=_word_weights(question, by_term),
        best=float(rarity.sum()),
        best_text=best_of(text),
        best_file=best_of(file_text),
    )


def best_of(scores: Array) -> float:
    """Return the best of some scores, never 0."""
    return max(float(scores.max(initial=0.0)), ALMOST_NOTHING)


def _text_scores(corpus: Corpus, found: list[Array], rarity: Array) -> tuple[Array, Array]:
    """Return BM25F of each chunk and file, f32[chunks] and f32[files]; `found` are the terms' positions by segment."""
    text = np.zeros(len(corpus), dtype=np.float32)
    file_text = np.zeros(corpus.files, dtype=np.float32)
    for member, dead, positions in zip(corpus.members, corpus.dead_chunks, found, strict=True):
        segment = member.segment
        here = positions >= 0
        docs, shares, first = segment.text_postings.joined(positions[here], rarity[here])
        if not len(docs):
            continue
        chunk_scores = text[member.first_chunk : member.first_chunk + len(segment)]
        file_scores = file_text[member.first_file : member.first_file + len(segment.paths)]
        chunk_scores[:] = summed(docs, shares, len(segment))
        # The chunks of a file lie together, so its best score for a term is that of a run of the term's postings.
        files = segment.chunk_file[docs]
        begins = np.empty(len(files), dtype=bool)
        np.not_equal(files[1:], files[:-1], out=begins[1:])
        begins[first] = True
        starts = np.flatnonzero(begins)
        best = np.maximum.reduceat(shares, starts)
        file_scores[:] = summed(files[starts], best, len(file_scores))
        chunk_scores[dead] = 0
        file_scores[list(member.dead)] = 0
    return text, file_text


def scored_terms(question: Question) -> list[str]:
    """Return the terms to look up: without stop words, whose postings are the longest, where others remain."""
    content = [term for term, weight in question.terms.items() if weight > STOP_WEIGHT]
    return content if len(content) >= MIN_CONTENT else list(question.terms)


def _word_weights(question: Question, rarity: Mapping[str, float]) -> dict[str, float]:
    """Return the words of a question with their weights."""
    most = max(rarity.values(), default=0.0) or 1.0
    weights = {word: question.terms.get(stem(word), 1.0) for word in name_words(question.text)}
    return {
        word: rarity.get(stem(word), 0.0) or weight * most for word, weight in weights.items() if weight > STOP_WEIGHT
    }


def rarity_of(corpus: Corpus, keys: Array, positions: Sequence[Array] | None = None) -> Array:
    """Return the inverse document frequency of u64[n] terms over the corpus as it is now, f32[n]."""
    chunks = corpus.live_chunks
    frequency = corpus.text_frequencies(keys, positions)
    return np.array([idf(chunks, count) if count else 0.0 for count in frequency.tolist()], dtype=np.float32)


def _path_scores(corpus: Corpus, terms: list[str], rarity: Array) -> Array:
    """Return the share of the question, by rarity, in the path of each file."""
    scores = np.zeros(corpus.files, dtype=np.float32)
    total = float(rarity.sum())
    if not total:
        return scores
    hashes = path_keys(terms)
    for member in corpus.members:
        postings = member.segment.path_postings
        positions = postings.find(hashes)
        here = positions >= 0
        docs, shares, _ = postings.joined(positions[here], rarity[here] / np.float32(total))
        if len(docs):
            part = scores[member.first_file : member.first_file + len(member.segment.paths)]
            part[:] = summed(docs, shares, len(part))
    return scores


def _of_names(corpus: Corpus, question: Question) -> dict[int, float]:
    """Return the chunks that define names of a question; a member before the two names that it has together."""
    found, members = _symbol_chunks(corpus, question.symbols), member_chunks(corpus, question)
    return {chunk: BARE * exact for chunk, exact in found.items()} | members if members else found


def member_chunks(corpus: Corpus, question: Question) -> dict[int, float]:
    """Return the chunks that define one of a question's two names as a member of the other, and how exactly."""
    found: dict[int, float] = {}
    for member in question.members:
        found |= _defining(corpus, member, EXACT)
    return found


def _symbol_chunks(corpus: Corpus, symbols: Iterable[str]) -> dict[int, float]:
    """Return the chunks that define one of some symbols; a qualified match counts more than a bare one."""
    exactness: dict[int, float] = {}
    for symbol in symbols:
        *scope, name = symbol.split(".")
        qualified = f"{scope[-1]}.{name}" if scope else name
        of_symbol = _defining(corpus, qualified, EXACT) or (_defining(corpus, name, BARE) if scope else {})
        for chunk, exact in of_symbol.items():
            exactness[chunk] = max(exactness.get(chunk, 0.0), exact)
    return exactness


def _defining(corpus: Corpus, name: str, exactness: float) -> dict[int, float]:
    """Return the chunks that define a name; one that only holds the definition counts less."""
    chunks: dict[int, float] = {}
    for member, number, local in corpus.definitions(name):
        own = 1.0 if number < len(member.segment) else INNER.get(member.segment.inner_kind(number), INNER_OTHER)
        chunk = member.first_chunk + local
        chunks[chunk] = max(chunks.get(chunk, 0.0), exactness * own)
    return chunks
