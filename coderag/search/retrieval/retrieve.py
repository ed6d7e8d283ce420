"""The words of a question to scores of every chunk, file and definition."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from coderag.index.reader.corpus import Corpus
from coderag.index.storage.arrays.arrays import Array
from coderag.index.storage.arrays.keys import path_key, symbol_hash
from coderag.index.storage.postings import idf, summed
from coderag.search.query.understand import STOP_WEIGHT, Question
from coderag.search.retrieval.maxsim import name_words
from coderag.text.tokens import stem, term_hash
from coderag.types import Kind

__all__ = ["Scores", "best_of", "retrieve"]


MIN_CONTENT = 2
ALMOST_NOTHING = 1e-6  # what is divided by the best of nothing stays nothing
INSIDE = {Kind.FIELD: 0.25}  # what a definition counts that is no chunk of its own, where it is not 0.6


@dataclass(frozen=True, slots=True)
class Scores:
    """How well each chunk and file matches a question by its words; 0 where not at all."""

    text: Array  # f32[chunks]: BM25F over the chunk's fields
    file_text: Array  # f32[files]: the best of the file's chunks, term by term
    path: Array  # f32[files]: share of the question's terms in the file's path, 0..1
    symbols: dict[int, float]  # chunk that defines a symbol of the question -> how exactly, 0..1
    capitals: dict[int, float]  # the same for words that only a capital marks as names
    rarity: dict[str, float]  # term of the question -> its weight times its inverse document frequency
    words: dict[str, float]  # word of the question -> its rarity, and the most where no chunk has it
    best: float  # the text score that a chunk would have that holds every term to saturation
    best_text: float  # of any chunk, above 0
    best_file: float  # of any file, above 0


def retrieve(corpus: Corpus, question: Question) -> Scores:
    """Score every chunk and file of a corpus against the words of a question."""
    terms = _scored_terms(question)
    weights = np.array([question.terms[term] for term in terms], dtype=np.float32)
    hashes = np.array([term_hash(term) for term in terms], dtype=np.uint64)
    found = [member.segment.text_postings.find(hashes) for member in corpus.members]
    rarity = _rarity(corpus, found, len(terms)) * weights
    text, file_text = _text_scores(corpus, found, rarity)
    told = dict(zip(terms, rarity.tolist(), strict=True))
    return Scores(
        text=text,
        file_text=file_text,
        path=_path_scores(corpus, terms, rarity),
        symbols=_symbol_chunks(corpus, question.symbols),
        capitals=_symbol_chunks(corpus, question.capitals),
        rarity=told,
        words=_asked_words(question, told),
        best=float(rarity.sum()),
        best_text=best_of(text),
        best_file=best_of(file_text),
    )


def best_of(scores: Array) -> float:
    """Return the best of some scores, above 0 also where all are 0."""
    return max(float(scores.max(initial=0.0)), ALMOST_NOTHING)


def _text_scores(corpus: Corpus, found: list[Array], rarity: Array) -> tuple[Array, Array]:
    """Return BM25F of each chunk and file, f32[chunks] and f32[files], from the terms' positions in each segment."""
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
        # The chunks of a file lie together, so its best for a term is the best of a run of that term's postings.
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


def _scored_terms(question: Question) -> list[str]:
    """Return the terms that are looked up: without stop words, whose postings are the longest, where others remain."""
    content = [term for term, weight in question.terms.items() if weight > STOP_WEIGHT]
    return content if len(content) >= MIN_CONTENT else list(question.terms)


def _asked_words(question: Question, rarity: Mapping[str, float]) -> dict[str, float]:
    """Return the words of a question with what each weighs."""
    most = max(rarity.values(), default=0.0) or 1.0
    weights = {word: question.terms.get(stem(word), 1.0) for word in name_words(question.text)}
    return {
        word: rarity.get(stem(word), 0.0) or weight * most for word, weight in weights.items() if weight > STOP_WEIGHT
    }


def _rarity(corpus: Corpus, found: list[Array], count: int) -> Array:
    """Return each term's inverse document frequency over the corpus as it is now, f32[terms].

    Chunks of files that changed or went do not count, so an updated index ranks like one built anew.
    """
    frequency = np.zeros(count, dtype=np.int64)
    for member, dead, positions in zip(corpus.members, corpus.dead_chunks, found, strict=True):
        here = positions >= 0
        frequency[here] += member.segment.text_postings.frequencies(positions[here], without=dead)
    return np.array([idf(corpus.live_chunks, one) if one else 0.0 for one in frequency.tolist()], dtype=np.float32)


def _path_scores(corpus: Corpus, terms: list[str], rarity: Array) -> Array:
    """Return for each file the share of the question, by rarity, that stands in its path."""
    scores = np.zeros(corpus.files, dtype=np.float32)
    total = float(rarity.sum())
    if not total:
        return scores
    hashes = np.array([path_key(term) for term in terms], dtype=np.uint64)
    for member in corpus.members:
        postings = member.segment.path_postings
        positions = postings.find(hashes)
        here = positions >= 0
        docs, shares, _ = postings.joined(positions[here], rarity[here] / np.float32(total))
        if len(docs):
            part = scores[member.first_file : member.first_file + len(member.segment.paths)]
            part[:] = summed(docs, shares, len(part))
    return scores


def _symbol_chunks(corpus: Corpus, symbols: Iterable[str]) -> dict[int, float]:
    """Return the chunks that define one of some symbols; a qualified match counts more than a bare one."""
    found: dict[int, float] = {}
    for symbol in symbols:
        *scope, name = symbol.split(".")
        keys = [(f"{scope[-1]}.{name}", 1.0)] if scope else [(name, 1.0)]
        if not any(_add_definitions(corpus, key, exactness, found) for key, exactness in keys) and scope:
            _add_definitions(corpus, name, 0.5, found)
    return found


def _add_definitions(corpus: Corpus, key: str, exactness: float, found: dict[int, float]) -> bool:
    hashes = np.array([symbol_hash(key)], dtype=np.uint64)
    added = False
    for member in corpus.members:
        postings = member.segment.symbol_postings
        position = int(postings.find(hashes)[0])
        if position < 0:
            continue
        for number in postings.of(position)[0].tolist():
            local = member.segment.chunk_of_definition(number)
            own = 1.0 if number < len(member.segment) else INSIDE.get(member.segment.inner_kind(number), 0.6)
            if corpus.live_file[member.first_file + member.segment.chunk_file[local]]:
                chunk = member.first_chunk + local
                found[chunk] = max(found.get(chunk, 0.0), exactness * own)
                added = True
    return added
