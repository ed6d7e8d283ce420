"""A ranked chunk to a hit that says why it matched."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from math import fsum

from coderag.index.reader.corpus import Corpus
from coderag.search.query.pasted import pasted
from coderag.search.query.understand import Question
from coderag.search.ranking.duplicates import groups_of_copies
from coderag.search.ranking.features import known_terms
from coderag.search.ranking.promote import KEY_PART, MESSAGE_PART, NAME_PART
from coderag.search.ranking.rank import Ranked
from coderag.text.tokens import words
from coderag.types import Chunk, Hit

__all__ = ["hit_of", "hits_of"]

MIN_COPIED_LINES = 3
BEST_LINES = 3  # of a chunk that are shown
MIN_WEIGHT = 0.1  # of a word of the question that is worth a mention; stop words weigh less


def hits_of(
    corpus: Corpus, question: Question, ranked: Sequence[Ranked], *, k: int, collapse: bool = True
) -> list[tuple[int, Hit]]:
    """Return the hits of the first k chunks, each with its chunk's number.

    With `collapse`, a copy or another version of a better hit is only named by that one.
    """
    if not collapse:
        return [(best.chunk, hit_of(corpus.chunk(best.chunk), question, best)) for best in ranked[:k]]
    chunks: list[Chunk] = []

    def read() -> Iterator[Chunk]:
        for candidate in ranked:
            chunks.append(corpus.chunk(candidate.chunk))
            yield chunks[-1]

    hits: list[tuple[int, Hit]] = []
    for first, *copies in groups_of_copies(read(), k=k):
        places = (corpus.place(ranked[copy].chunk) for copy in copies)
        hit = hit_of(chunks[first], question, ranked[first])
        hits.append((ranked[first].chunk, replace(hit, also=tuple(f"{path}:{row + 1}" for path, row in places))))
    return hits


def hit_of(chunk: Chunk, question: Question, ranked: Ranked) -> Hit:
    """Return the hit of a ranked chunk: with its text, its best lines, and why it matched in words."""
    weights = {term: weight for term, weight in question.terms.items() if weight > MIN_WEIGHT}
    rows = [words(text) for text in chunk.text.split("\n")]
    matched = _matched_words(rows, weights)
    return Hit(
        chunk=chunk,
        score=round(ranked.score, 4),
        confidence=round(ranked.confidence, 4),
        parts={name: round(value, 4) for name, value in ranked.parts.items() if abs(value) >= 0.00005},
        lines=_best_lines(chunk, rows, matched),
        reasons=tuple(_reasons(chunk, question, ranked, present=_terms(matched))),
    )


def _matched_words(rows: list[list[str]], weights: Mapping[str, float]) -> dict[str, float]:
    """Return the words of a text that the question names, each with the weight of its best term."""
    found: dict[str, float] = {}
    for word in set().union(*rows):
        shared = [weights[term] for term in known_terms(word) if term in weights]
        if shared:
            found[word] = max(shared)
    return found


def _best_lines(chunk: Chunk, rows: list[list[str]], matched: Mapping[str, float]) -> tuple[int, ...]:
    """Return the lines that hold the most of the question, in order; at least the chunk's first."""
    numbers = [line for part in chunk.parts for line in range(part.start_line, part.end_line + 1)]
    scored = [
        (fsum(matched[word] for word in here), -number)
        for number, row in zip(numbers, rows, strict=False)
        if (here := matched.keys() & set(row))
    ]
    best = heapq.nlargest(BEST_LINES, scored)
    return tuple(sorted(-number for _, number in best)) or (chunk.span.start_line,)


def _terms(found: Iterable[str]) -> set[str]:
    return {term for word in found for term in known_terms(word)}


def _reasons(chunk: Chunk, question: Question, ranked: Ranked, *, present: Set[str]) -> list[str]:
    parts = ranked.parts
    reasons: list[str] = []
    if MESSAGE_PART in parts:
        reasons.append("has the question verbatim")
    if KEY_PART in parts:
        reasons.append("asks for the message by its key")
    if NAME_PART in parts:
        reasons.append(f"has {', '.join(name for name in pasted(question.text).names if name in chunk.text)} verbatim")
    if parts["symbol"] > 0 or parts["capital"] > 0:
        reasons.append(f"defines {chunk.qualified_name}")
    if parts["name"] > 0 and (named := _matched(_terms(words(chunk.name)), question)):
        reasons.append(f"name has {', '.join(named)}")
    if parts["path"] > 0 and (named := _matched(_terms(words(chunk.path)), question)):
        reasons.append(f"path has {', '.join(named)}")
    if parts["text"] > 0 and (named := _matched(present, question)):
        reasons.append(f"text has {', '.join(named)}")
    if chunk.labels and parts["factor"] < 1:
        reasons.append(f"put behind as {' and '.join(sorted(chunk.labels))} code")
    return reasons


def _matched(present: Set[str], question: Question) -> list[str]:
    """Return the words of a question of which some term is present, in the question's order."""
    return [
        word
        for word in dict.fromkeys(words(question.text))
        if any(question.terms.get(term, 0.0) > MIN_WEIGHT and term in present for term in known_terms(word))
    ]
