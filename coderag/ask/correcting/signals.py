"""Evidence of hits to the few numbers that tell whether it carries an answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log

from coderag.ask.sufficiency import READ, Coverage
from coderag.errors import EncoderError
from coderag.record import record
from coderag.search.retrieval.maxsim import best_likeness
from coderag.text.tokens import split_identifier, words
from coderag.types import Hit

__all__ = ["Signals", "signals_of"]

LEAST, MOST = 0.02, 0.995  # confidences beyond say no more: a small repository has no second place
NEARNESS = "cosine_scaled"  # the part of a hit's score that vectors give
USUAL_NEARNESS = 1.6  # its mean over the questions of the fit: what an index without vectors is given


@record
class Signals:
    """What a grade is made of."""

    best: float  # log odds of the confidence of the best hit
    second: float  # and of the next: what a program does, it seldom does in one place
    held: float  # 0..1: how much of the question the best hits hold, in its words or in similar ones
    nearness: float  # 0..2: how near the best hit is by its vector, beside all others
    lacks_name: float  # 1 if a proper name of the question is in none of the best hits

    @property
    def values(self) -> tuple[float, ...]:
        """The numbers in their order."""
        return self.best, self.second, self.held, self.nearness, self.lacks_name


def signals_of(hits: Sequence[Hit], weights: Mapping[str, float], coverage: Coverage) -> Signals:
    """Return the signals of a question's hits; `weights` are those of its words, `coverage` what the best hits hold."""
    ordered = sorted(hits, key=lambda hit: -hit.confidence)
    best, second = [*(hit.confidence for hit in ordered[:2]), 0.0, 0.0][:2]
    return Signals(
        best=_log_odds(best),
        second=_log_odds(second),
        held=_held(hits[:READ], weights, coverage),
        nearness=_nearness(ordered),
        lacks_name=float(any(map(_is_proper, coverage.uncovered))),
    )


def _log_odds(share: float) -> float:
    kept = min(max(share, LEAST), MOST)
    return log(kept / (1 - kept))


def _held(hits: Sequence[Hit], weights: Mapping[str, float], coverage: Coverage) -> float:
    """Return the share of weighted words that some hits hold, a missing one as far as they have one like it."""
    total = sum(weights.values())
    if not total:
        return 0.0
    missing = [word for word in weights if word in coverage.missing]
    lost = sum(weights[word] * (1 - like) for word, like in zip(missing, _likeness(missing, hits), strict=True))
    return 1 - lost / total


def _likeness(missing: Sequence[str], hits: Sequence[Hit]) -> list[float]:
    """Return for each word the cosine of the most similar word of some hits, 0 if there is none."""
    if not missing or not hits:
        return [0.0] * len(missing)
    text = " ".join(f"{hit.chunk.text} {hit.chunk.qualified_name} {hit.chunk.path} {hit.chunk.doc}" for hit in hits)
    pieces = tuple(dict.fromkeys(piece for word in words(text) for piece in split_identifier(word)))
    try:
        return [float(row[0]) for row in best_likeness([word.lower() for word in missing], [pieces])]
    except EncoderError:  # the encoder says so itself
        return [0.0] * len(missing)


def _nearness(ordered: Sequence[Hit]) -> float:
    if not any(NEARNESS in hit.parts for hit in ordered):
        return USUAL_NEARNESS
    return ordered[0].parts.get(NEARNESS, 0.0)


def _is_proper(word: str) -> bool:
    """Tell whether a word of a question is written as a name: "Kafka", "S3", "OAuth"."""
    return word != word.lower() or any(character.isdigit() for character in word)
