"""A ranked chunk to a hit that says why it matched."""

from __future__ import annotations

from collections.abc import Mapping

from coderag.index.corpus import Corpus
from coderag.ranking.features import known_terms
from coderag.ranking.rank import Ranked
from coderag.ranking.understand import Question
from coderag.text.tokens import words
from coderag.types import Chunk, Hit

__all__ = ["hit_of"]

BEST_LINES = 3  # of a chunk that are shown


def hit_of(corpus: Corpus, question: Question, ranked: Ranked) -> Hit:
    """Return the hit of a ranked chunk: with its text, its best lines, and why it matched in words."""
    chunk = corpus.chunk(ranked.chunk)
    return Hit(
        chunk=chunk,
        score=round(ranked.score, 4),
        parts={name: round(value, 4) for name, value in ranked.parts.items() if abs(value) >= 0.00005},
        lines=_best_lines(chunk, question),
        reasons=tuple(_reasons(chunk, question, ranked)),
    )


def _best_lines(chunk: Chunk, question: Question) -> tuple[int, ...]:
    """Return the lines that hold the most of the question, in order; at least the chunk's first."""
    numbers = [line for part in chunk.parts for line in range(part.start_line, part.end_line + 1)]
    texts = chunk.text.split("\n")
    weights = _word_weights(chunk, question)
    scored = [
        (sum(weights[word] for word in set(words(text)) if word in weights), -number)
        for number, text in zip(numbers, texts, strict=False)
    ]
    best = sorted((one for one in scored if one[0] > 0), reverse=True)[:BEST_LINES]
    return tuple(sorted(-number for _, number in best)) or (chunk.span.start_line,)


def _word_weights(chunk: Chunk, question: Question) -> Mapping[str, float]:
    """Return what the words of a chunk that the question names weigh; each term counts by its rarity in the chunk."""
    found: dict[str, float] = {}
    for word in set(words(chunk.text)):
        weight = max((question.terms.get(term, 0.0) for term in known_terms(word)), default=0.0)
        if weight > 0.1:
            found[word] = weight
    return found


def _reasons(chunk: Chunk, question: Question, ranked: Ranked) -> list[str]:
    parts = ranked.parts
    reasons: list[str] = []
    if parts["symbol"] > 0 or parts["capital"] > 0:
        reasons.append(f"defines {chunk.qualified_name}")
    if parts["name"] > 0 and (named := _matched(chunk.name, question)):
        reasons.append(f"name has {', '.join(named)}")
    if parts["path"] > 0 and (named := _matched(chunk.path, question)):
        reasons.append(f"path has {', '.join(named)}")
    if parts["text"] > 0 and (named := _matched(chunk.text, question)):
        reasons.append(f"text has {', '.join(named)}")
    if chunk.labels and parts["factor"] < 1:
        reasons.append(f"put behind as {' and '.join(sorted(chunk.labels))} code")
    return reasons


def _matched(text: str, question: Question) -> list[str]:
    """Return the words of a question that stand in a text, in the question's order."""
    present = {term for word in set(words(text)) for term in known_terms(word)}
    return [
        word
        for word in dict.fromkeys(words(question.text))
        if any(question.terms.get(term, 0.0) > 0.1 and term in present for term in known_terms(word))
    ]
