"""The terms of a question to scores of every chunk, file and definition."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from coderag.index.arrays import Array
from coderag.index.corpus import Corpus
from coderag.index.keys import path_key, symbol_hash
from coderag.index.sparse import idf
from coderag.ranking.soft import held_share
from coderag.ranking.understand import STOP_WEIGHT, Question
from coderag.text.tokens import term_hash
from coderag.types import Kind

__all__ = ["Scores", "retrieve"]


MIN_CONTENT = 2
INSIDE = {Kind.FIELD: 0.25}  # what a definition counts that is no chunk of its own, where it is not 0.6


@dataclass(frozen=True, slots=True)
class Scores:
    """How well each chunk and file matches a question, list by list; 0 where not at all."""

    text: Array  # f32[chunks]: BM25F over the chunk's fields
    file_text: Array  # f32[files]: the best of the file's chunks, term by term
    near: Array  # f32[chunks]: cosine of the chunk's vector with the question's; 0 without vectors
    held: Array  # f32[chunks]: share of the question, by rarity, whose words the chunk holds
    alike: Array  # f32[chunks]: ... or words that are like them
    path: Array  # f32[files]: share of the question's terms in the file's path, 0..1
    symbols: dict[int, float]  # chunk that defines a symbol of the question -> how exactly, 0..1
    capitals: dict[int, float]  # the same for words that only a capital marks as names
    rarity: dict[str, float]  # term of the question -> its weight times its inverse document frequency
    best: float  # the text score that a chunk would have that holds every term to saturation


def retrieve(corpus: Corpus, question: Question, vector: Array | None = None) -> Scores:
    """Score every chunk and file of a corpus against a question, whose vector f32[dimensions] may be given."""
    terms = _scored_terms(question)
    weights = np.array([question.terms[term] for term in terms], dtype=np.float32)
    hashes = np.array([term_hash(term) for term in terms], dtype=np.uint64)
    found = [one.segment.text_postings.find(hashes) for one in corpus.members]
    rarity = _rarity(corpus, found, len(terms)) * weights
    text = np.zeros(len(corpus), dtype=np.float32)
    file_text = np.zeros(corpus.files, dtype=np.float32)
    for member, positions in zip(corpus.members, found, strict=True):
        postings, segment = member.segment.text_postings, member.segment
        chunk_scores = text[member.first_chunk : member.first_chunk + len(segment)]
        file_scores = file_text[member.first_file : member.first_file + len(segment.paths)]
        for position, weight in zip(positions.tolist(), rarity.tolist(), strict=True):
            if position < 0:
                continue
            docs, shares = postings.of(position)
            chunk_scores[docs] += shares * np.float32(weight)
            files = segment.chunk_file[docs]
            starts = np.flatnonzero(np.diff(files, prepend=-1))
            file_scores[files[starts]] += np.maximum.reduceat(shares, starts) * np.float32(weight)
    if not corpus.live_file.all():
        text[~corpus.live_file[corpus.chunk_file]] = 0
        file_text[~corpus.live_file] = 0
    told = dict(zip(terms, rarity.tolist(), strict=True))
    held, alike = held_share(corpus, question, told)
    return Scores(
        text=text,
        file_text=file_text,
        near=np.zeros(len(corpus), dtype=np.float32) if vector is None else np.maximum(corpus.cosines(vector), 0.0),
        held=held,
        alike=alike,
        path=_path_scores(corpus, terms, rarity),
        symbols=_symbol_chunks(corpus, question.symbols),
        capitals=_symbol_chunks(corpus, question.capitals),
        rarity=told,
        best=float(rarity.sum()),
    )


def _scored_terms(question: Question) -> list[str]:
    """Return the terms that are looked up: without stop words, whose postings are the longest, where others remain."""
    content = [term for term, weight in question.terms.items() if weight > STOP_WEIGHT]
    return content if len(content) >= MIN_CONTENT else list(question.terms)


def _rarity(corpus: Corpus, found: list[Array], count: int) -> Array:
    """Return each term's inverse document frequency over the corpus as it is now, f32[terms].

    Chunks of files that changed or went do not count, so an updated index ranks like one built anew.
    """
    frequency = [0] * count
    for member, positions in zip(corpus.members, found, strict=True):
        postings = member.segment.text_postings
        live = corpus.live_file[member.first_file + member.segment.chunk_file] if member.dead else None
        for term, position in enumerate(positions.tolist()):
            if position >= 0 and live is None:
                frequency[term] += postings.frequency(position)
            elif position >= 0 and live is not None:
                frequency[term] += int(live[postings.docs_of(position)].sum())
    return np.array([idf(corpus.live_chunks, one) if one else 0.0 for one in frequency], dtype=np.float32)


def _path_scores(corpus: Corpus, terms: list[str], rarity: Array) -> Array:
    """Return for each file the share of the question, by rarity, that stands in its path."""
    scores = np.zeros(corpus.files, dtype=np.float32)
    total = float(rarity.sum())
    if not total:
        return scores
    hashes = np.array([path_key(term) for term in terms], dtype=np.uint64)
    for member in corpus.members:
        postings = member.segment.path_postings
        part = scores[member.first_file : member.first_file + len(member.segment.paths)]
        for position, weight in zip(postings.find(hashes).tolist(), rarity.tolist(), strict=True):
            if position >= 0:
                docs, shares = postings.of(position)
                part[docs] += shares * np.float32(weight / total)
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
            chunk = member.first_chunk + member.segment.chunk_of_definition(number)
            own = 1.0 if number < len(member.segment) else INSIDE.get(member.segment.inner_kind(number), 0.6)
            if corpus.live_file[corpus.chunk_file[chunk]]:
                found[chunk] = max(found.get(chunk, 0.0), exactness * own)
                added = True
    return added
