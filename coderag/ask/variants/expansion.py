"""Rare and unknown words of a question to like words and to parts of names that the repository writes beside them."""

from __future__ import annotations

from collections import Counter

from coderag.ask.searching import first_hits
from coderag.ask.turn import Evidence, Turn
from coderag.ask.variants.proposing import Proposal, with_variants
from coderag.ask.wording import content_words, is_weak
from coderag.encoders.neighbours import shipped_neighbours
from coderag.errors import EncoderError
from coderag.text.tokens import split_identifier, stem

__all__ = ["added_words", "expand"]

WEIGHT = 0.1  # of the expanded wording; the question itself has 1
RARE = 2  # chunks that hold a word, at most, for it to be expanded
MIN_LIKE = 0.45  # cosine of a like word: "retry" and "attempt" have .49
MAX_LIKE, MAX_BESIDE = 2, 3
READ, MIN_TOGETHER = 5, 2  # hits whose names are read, and how many of them a part of a name must be in
MIN_LETTERS = 3
INSTRUCTION = (
    "Add words to the question that programmers of other projects would use for its rare words: synonyms across "
    "domains, as cart for basket. Keep the question's own words."
)


def expand(turn: Turn) -> Turn:
    """Add a wording with like words and co-occurring parts of names, for rare and unknown words alone."""
    return with_variants(turn, "expand", gate=_gate, rule=_expanded, instruction=INSTRUCTION, weight=WEIGHT)


def added_words(turn: Turn, part: Evidence) -> list[str]:
    """Return the words that a part is expanded by; none where its words are common."""
    rare = _rare(turn, part)
    if not rare:
        return []
    stems = {stem(word.lower()) for word in content_words(part.text)}
    like = [other for word in rare for other in _like(turn, word)]
    added = dict.fromkeys(word for word in [*like, *_beside(turn, part)] if stem(word) not in stems)
    return list(added)


def _gate(turn: Turn, part: Evidence) -> str:
    return "" if _rare(turn, part) else "every word is common"


def _expanded(turn: Turn, part: Evidence) -> Proposal:
    added = added_words(turn, part)
    return Proposal((f"{part.text} {' '.join(added)}",)) if added else Proposal(why="nothing is like the rare words")


def _rare(turn: Turn, part: Evidence) -> list[str]:
    frequencies = turn.frequencies(content_words(part.text))
    return [word for word, count in frequencies.items() if count <= RARE and not is_weak(word)]


def _like(turn: Turn, word: str) -> list[str]:
    """Return the words most like a word that the index has."""
    try:
        near = [other for other, likeness in shipped_neighbours().of(word.lower()) if likeness >= MIN_LIKE]
    except EncoderError:  # the encoder says so itself
        return []
    frequencies = turn.frequencies(near)
    return [other for other in near if frequencies[other] > RARE][:MAX_LIKE]


def _beside(turn: Turn, part: Evidence) -> list[str]:
    """Return the parts of names that the first hits share (pseudo-relevance feedback), those of most hits first."""
    names = [hit.chunk.name for hit in first_hits(turn, part)[:READ] if not hit.chunk.name.startswith("__")]
    counts = Counter(piece for name in names for piece in {piece.lower() for piece in split_identifier(name)})
    often = [piece for piece, count in sorted(counts.items(), key=lambda item: (-item[1], item[0])) if count > 1]
    return [piece for piece in often if len(piece) >= MIN_LETTERS and counts[piece] >= MIN_TOGETHER][:MAX_BESIDE]
