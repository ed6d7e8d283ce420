"""Evidence to its grade: how likely it carries an answer, by a logistic regression over a few signals."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import exp

from coderag.ask.correcting.signals import Signals, signals_of
from coderag.ask.correcting.weights import START, WEIGHTS
from coderag.ask.records import Grade, Route
from coderag.ask.routing import is_of_a_topic
from coderag.ask.sufficiency import Coverage, coverage_of, stems_of, word_weights
from coderag.ask.turn import Evidence, Turn
from coderag.ask.wording import content_words, is_weak, names_in
from coderag.text.asking import asked_words

__all__ = ["LIKELY", "LIKELY_BESIDE", "SURE", "figures", "grade_of", "graded", "likelihood_of"]

LIKELY = 0.5  # from here on more questions have an answer than have none
LIKELY_BESIDE = 0.25  # and of a part beside one that is answered: the odds of that are three times as good
SURE, POSSIBLE = 0.8, 0.2  # from where nothing further is looked up
SURE_HIT = 0.85  # confidence of a hit that needs no second one, where the best hits hold every word
MIN_TOPIC = 0.2  # confidence of the best passage about the topic of an overview
MIN_DATA_SHARE = 0.5  # of a question's words, that tables, queries and definitions must hold
MIN_DATA_WEIGHT = 0.28  # and of the same words by their rarity: a birthday counts more than the customer


def graded(turn: Turn, part: Evidence) -> Evidence:
    """Return evidence with its grade, its likelihood, and the words that it lacks."""
    if any(finding.route in (Route.GRAPH, Route.MAP) for finding in part.findings):
        return _by_graph(part)
    frequencies = turn.frequencies(content_words(part.text))
    weights = word_weights(frequencies, len(turn.index))
    if part.held:
        return _by_schema(part, weights, frequencies)
    confidence = max((hit.confidence for hit in part.hits), default=0.0)
    coverage = coverage_of(weights, frequencies, stems_of(part.hits))
    likelihood = likelihood_of(signals_of(part.hits, weights, coverage)) if part.hits else 0.0
    if _is_definition(turn, part.text) and not coverage.unknown:
        likelihood = 1.0
    elif confidence >= SURE_HIT and not coverage.uncovered:
        likelihood = max(likelihood, SURE)
    return _with(part, coverage, confidence, likelihood)


def likelihood_of(signals: Signals) -> float:
    """Return the probability that evidence with such signals carries an answer."""
    total = START + sum(weight * value for weight, value in zip(WEIGHTS, signals.values, strict=True))
    return 1 / (1 + exp(-total))


def grade_of(likelihood: float) -> Grade:
    """Return the grade of evidence that carries an answer with some probability."""
    if likelihood >= SURE:
        return Grade.CORRECT
    return Grade.AMBIGUOUS if likelihood >= POSSIBLE else Grade.INCORRECT


def figures(part: Evidence) -> str:
    """Return what a grade rests on, in words."""
    lacking = f", not in the sources: {', '.join(part.uncovered)}" if part.uncovered else ""
    return f"likelihood {part.likelihood:.2f}, confidence {part.confidence:.2f}{lacking}"


def _by_graph(part: Evidence) -> Evidence:
    """Return evidence of the graph or the map, which answers; that of a topic must be about it."""
    confidence = max(finding.confidence for finding in part.findings)
    is_known = confidence >= MIN_TOPIC or not is_of_a_topic(part.text)
    likelihood = 1.0 if is_known or Route.MAP not in part.routes else POSSIBLE
    return replace(part, grade=grade_of(likelihood), confidence=confidence, likelihood=likelihood)


def _by_schema(part: Evidence, weights: Mapping[str, float], frequencies: Mapping[str, int]) -> Evidence:
    """Return evidence of tables and queries, which must hold half of what was asked for, and some of its rare words."""
    matter = {one.word: one.weight for one in asked_words(part.text) if one.word in weights}
    asked = {word: weight for word, weight in matter.items() if weight == 1 and not is_weak(word)} or matter
    coverage = coverage_of(asked, frequencies, part.held)
    rare = coverage_of({word: weights[word] for word in asked}, frequencies, part.held)
    is_carried = coverage.share >= MIN_DATA_SHARE and rare.share >= MIN_DATA_WEIGHT
    return _with(part, coverage, coverage.share, SURE if is_carried else POSSIBLE)


def _is_definition(turn: Turn, text: str) -> bool:
    """Tell whether a question names something that is defined; it needs no more than that definition."""
    names = names_in(text)
    return bool(names) and all(turn.index.symbols(name, alike=False) for name in names)


def _with(part: Evidence, coverage: Coverage, confidence: float, likelihood: float) -> Evidence:
    return replace(
        part,
        grade=grade_of(likelihood),
        confidence=confidence,
        likelihood=likelihood,
        unknown=coverage.unknown,
        uncovered=coverage.uncovered,
    )
