"""A ranked chunk to a hit that says why it matched."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from itertools import chain
from math import fsum
from typing import Any

from coderag.index.reader.corpus import Corpus
from coderag.record import deferred
from coderag.search.query.pasted import pasted
from coderag.search.query.understand import Question
from coderag.search.ranking.duplicates import groups_of_copies
from coderag.search.ranking.features import known_terms
from coderag.search.ranking.promote import KEY_PART, MESSAGE_PART, NAME_PART
from coderag.search.ranking.rank import Ranked
from coderag.text.tokens import raw_words, terms, words
from coderag.types import Chunk, Hit

__all__ = ["hits_of"]

MIN_COPIED_LINES = 3
EXPLAINED = ("parts", "lines", "reasons")  # of a hit: what says why it matched
BEST_LINES = 3  # of a chunk that are shown
MAX_SEEN = 100_000  # words that are remembered
SHOWN = 0.00005  # of a part of a score: what is less is 0 when rounded
MIN_WEIGHT = 0.1  # of a word of the question that is worth a mention; stop words weigh less


def hits_of(
    corpus: Corpus, question: Question, ranked: Sequence[Ranked], *, k: int, collapse: bool = True
) -> list[tuple[int, Hit]]:
    """Return the hits of the first k chunks, each with its chunk's number.

    With `collapse`, a copy or another version of a better hit is only named by that one.
    """
    asked = _QuestionWords(question)
    if not collapse:
        return [(best.chunk, _hit_of(corpus.chunk(best.chunk), asked, best)) for best in ranked[:k]]
    chunks: list[Chunk] = []

    def read() -> Iterator[Chunk]:
        for candidate in ranked:
            chunks.append(corpus.chunk(candidate.chunk))
            yield chunks[-1]

    hits: list[tuple[int, Hit]] = []
    for first, *copies in groups_of_copies(read(), k=k):
        places = [corpus.place(ranked[copy].chunk) for copy in copies]
        also = tuple(f"{path}:{row + 1}" for path, row in places)
        hits.append((ranked[first].chunk, _hit_of(chunks[first], asked, ranked[first], also=also)))
    return hits


class _QuestionWords:
    """What a question asks for, and which words it names of the texts seen so far: those of hits are often the same."""

    def __init__(self, question: Question) -> None:
        self.text = question.text
        self._weights = {term: weight for term, weight in question.terms.items() if weight > MIN_WEIGHT}
        self._words = [
            (word, self._weights.keys() & set(known_terms(word))) for word in dict.fromkeys(words(question.text))
        ]
        self._named: dict[bytes, dict[str, float]] = {}  # of words as `raw_words` gives them, what they hold of these
        self._matched: dict[str, list[str]] = {}  # of names and paths, the words of the question in them

    def named_in(self, text: str) -> dict[str, float]:
        """Return the words of a text that the question names, each with the weight of its best term."""
        found = _with_terms(set(raw_words(text.encode(errors="replace"))), self._weights)
        for raw in found - self._named.keys():
            self._named[raw] = self._weighed(words(raw.decode()))
        return dict(chain.from_iterable(self._named[raw].items() for raw in found))

    def _weighed(self, found: Iterable[str]) -> dict[str, float]:
        shared = {word: self._weights.keys() & known_terms(word) for word in found}
        return {word: max(self._weights[term] for term in own) for word, own in shared.items() if own}

    def matched_by(self, text: str) -> list[str]:
        """Return the words of the question that a name or path has, in the question's order."""
        found = self._matched.get(text)
        if found is None:
            found = self._matched[text] = self.matched(_terms(words(text)))
        return found

    def matched(self, present: Set[str]) -> list[str]:
        """Return the words of the question of which some term is present, in the question's order."""
        return [word for word, own in self._words if not own.isdisjoint(present)]


class _SeenWords:
    """The words of all texts seen so far, as `raw_words` gives them, by their terms."""

    def __init__(self) -> None:
        self.words: set[bytes] = set()
        self.by_term: defaultdict[str, set[bytes]] = defaultdict(set)

    def add(self, raw: bytes) -> None:
        """Take a word; another thread may take it at the same time."""
        # One with letters beyond ASCII may hold several.
        found = terms(raw.decode()) if raw.isascii() else chain.from_iterable(map(terms, words(raw.decode())))
        for term in found:
            self.by_term[term].add(raw)
        self.words.add(raw)  # last, as then it is known with all its terms


def _with_terms(found: Set[bytes], wanted: Iterable[str]) -> set[bytes]:
    """Return those of some words, as `raw_words` gives them, that have some of the wanted terms.

    Few have, so that looking up the terms is less work than looking at the words.
    """
    global _seen
    seen = _seen
    if len(seen.words) > MAX_SEEN:
        seen = _seen = _SeenWords()
    for raw in found - seen.words:
        seen.add(raw)
    return set().union(*[found & seen.by_term[term] for term in wanted if term in seen.by_term])


_seen = _SeenWords()


def _hit_of(chunk: Chunk, asked: _QuestionWords, ranked: Ranked, *, also: tuple[str, ...] = ()) -> Hit:
    """Return the hit of a ranked chunk; why it matched is found out when that is first read."""
    hit = Hit(chunk, round(ranked.score, 4), also=also, confidence=round(ranked.confidence, 4))
    return deferred(hit, lambda: _explained(chunk, asked, ranked), fields=EXPLAINED)


def _explained(chunk: Chunk, asked: _QuestionWords, ranked: Ranked) -> dict[str, Any]:
    """Return the parts of a chunk's score, its best lines, and why it matched in words."""
    matched = asked.named_in(chunk.text)
    return {
        "parts": {name: round(value, 4) for name, value in ranked.parts.items() if value >= SHOWN or value <= -SHOWN},
        "lines": _best_lines(chunk, matched),
        "reasons": tuple(_reasons(chunk, asked, ranked, present=_terms(matched))),
    }


def _best_lines(chunk: Chunk, matched: Mapping[str, float]) -> tuple[int, ...]:
    """Return the lines that hold the most of the question, in order; at least the chunk's first."""
    of_parts = [range(part.start_line, part.end_line + 1) for part in chunk.parts]
    numbers = of_parts[0] if len(of_parts) == 1 else list(chain.from_iterable(of_parts))
    held: dict[int, list[float]] = {}  # of each row that has some of the words, their weights
    for word, weight in matched.items():
        for row in dict.fromkeys(_rows_with(word, chunk.text)):
            held.setdefault(row, []).append(weight)
    scored = [(fsum(weights), -numbers[row]) for row, weights in held.items() if row < len(numbers)]
    best = sorted(scored, reverse=True)[:BEST_LINES]
    return tuple(sorted(-number for _, number in best)) or (chunk.span.start_line,)


def _rows_with(word: str, text: str) -> list[int]:
    """Return the row of a text, 0-based, of each place where a word stands."""
    rows = []
    row = end = 0
    while (start := text.find(word, end)) >= 0:
        row += text.count("\n", end, start)
        end = start + len(word)
        before, after = text[start - 1 : start], text[end : end + 1]
        if not (before.isalnum() or after.isalnum() or before == "_" or after == "_"):
            rows.append(row)
    return rows


def _terms(found: Iterable[str]) -> set[str]:
    return {term for word in found for term in known_terms(word)}


def _reasons(chunk: Chunk, asked: _QuestionWords, ranked: Ranked, *, present: Set[str]) -> list[str]:
    parts = defaultdict(float, ranked.parts)
    reasons: list[str] = []
    if MESSAGE_PART in parts:
        reasons.append("has the question verbatim")
    if KEY_PART in parts:
        reasons.append("asks for the message by its key")
    if NAME_PART in parts:
        reasons.append(f"has {', '.join(name for name in pasted(asked.text).names if name in chunk.text)} verbatim")
    if parts["symbol"] > 0 or parts["capital"] > 0:
        reasons.append(f"defines {chunk.qualified_name}")
    if parts["name"] > 0 and (named := asked.matched_by(chunk.name)):
        reasons.append(f"name has {', '.join(named)}")
    if parts["path"] > 0 and (named := asked.matched_by(chunk.path)):
        reasons.append(f"path has {', '.join(named)}")
    if parts["text"] > 0 and (named := asked.matched(present)):
        reasons.append(f"text has {', '.join(named)}")
    if chunk.labels and parts["factor"] < 1:
        reasons.append(f"put behind as {' and '.join(sorted(chunk.labels))} code")
    return reasons
