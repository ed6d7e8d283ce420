"""Sources that exceed the budget to their signatures and best lines, without those that repeat another one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from coderag.ask.composing import chosen
from coderag.ask.models.extraction import extracted_lines
from coderag.ask.records import Finding
from coderag.ask.refining.eliding import elided
from coderag.ask.source import Source
from coderag.ask.turn import Evidence, Turn
from coderag.ask.wording import overlap, stems_in
from coderag.encoders.static import shipped_encoder
from coderag.errors import EncoderError, LanguageModelError
from coderag.text.budget import tokens_of

__all__ = ["compress"]

SAME = 0.97  # cosine of two sources from which the second says nothing new
SAID, MIN_SAID = 0.7, 4  # share of the words of a line, and how many, that are of the statement
MIN_TOKENS = 40  # of a source; with less for each, the last ones are left to the budget as they are


def compress(turn: Turn) -> Turn:
    """Shorten the sources to what the budget has room for: no repetition, then the best lines of each."""
    shown = [finding for part in turn.parts for finding in chosen(part, turn.options.k)]
    before = _size(source for finding in shown for source in finding.sources)
    if before <= turn.options.budget:
        return turn.after("compress", f"{before} tokens fit", evidence=turn.parts)
    shortest = [_without_repetition(part, turn.options.k) for part in turn.parts]
    passages = [finding for part in shortest for finding in _passages(part, turn.options.k)]
    namings = (naming.source for finding in shown for naming in finding.namings)
    facts = _size((*(finding.source for finding in shown if finding.is_fact), *namings))
    budget = max(turn.options.budget - facts, 0)
    dropped = len(shown) - len(passages) - sum(finding.is_fact for finding in shown)
    marked, by = _marked(turn, passages)
    shares = _shares([tokens_of(finding.source.text) for finding in passages], budget)
    cut: dict[int, Finding] = {}
    position = 0
    for part in shortest:
        weights = turn.stem_weights(part.text)
        for finding in _passages(part, turn.options.k):
            cut[id(finding)] = _cut(finding, weights, tokens=shares[position], marked=marked[position])
            position += 1
    evidence = [replace(part, findings=tuple(cut.get(id(one), one) for one in part.findings)) for part in shortest]
    after = facts + sum(tokens_of(finding.source.text) for finding in cut.values())
    summary = f"{before} tokens are cut to {after}{by}" + (f", {dropped} repeated" if dropped else "")
    return turn.after("compress", summary, evidence=evidence)


def _size(sources: Iterable[Source]) -> int:
    """Return how many tokens sources have, each counted once."""
    texts = {(source.repository, source.place): source.text for source in sources}
    return sum(map(tokens_of, texts.values()))


def _passages(part: Evidence, k: int) -> list[Finding]:
    """Return the passages that an answer would cite."""
    return [finding for finding in chosen(part, k) if not finding.is_fact]


def _without_repetition(part: Evidence, k: int) -> Evidence:
    """Return a part without the passages whose vector is nearly that of an earlier one."""
    passages = _passages(part, k)
    try:
        vectors = [shipped_encoder().encode_query(finding.source.text) for finding in passages]
    except EncoderError:  # the encoder says so itself
        return part
    repeated: set[int] = set()
    for number, vector in enumerate(vectors):
        earlier = (vectors[other] for other in range(number) if id(passages[other]) not in repeated)
        if any(float(vector @ other) >= SAME for other in earlier):
            repeated.add(id(passages[number]))
    return replace(part, findings=tuple(one for one in part.findings if id(one) not in repeated))


def _marked(turn: Turn, passages: Sequence[Finding]) -> tuple[list[frozenset[int]], str]:
    """Return the lines of each passage that a language model wants to keep, none without one; and who chose them."""
    none = [frozenset[int]() for _ in passages]
    if turn.model is None:
        return none, ""
    try:
        sources = [finding.source for finding in passages]
        return extracted_lines(turn.text, sources, turn.model), f" by {turn.model.name}"
    except LanguageModelError as error:
        return none, f" by rules, as {turn.model.name} failed: {error}"


def _shares(sizes: Sequence[int], budget: int) -> list[int]:
    """Return how many tokens each source may have: an equal share, and what short ones leave."""
    shares = list(sizes)
    first = range(min(len(sizes), max(budget // MIN_TOKENS, 1)))
    left, waiting = budget, sorted(first, key=lambda number: sizes[number])
    for position, number in enumerate(waiting):
        shares[number] = min(sizes[number], left // (len(waiting) - position))
        left -= shares[number]
    return shares


def _cut(finding: Finding, weights: Mapping[str, float], *, tokens: int, marked: frozenset[int]) -> Finding:
    """Return a finding with the best lines of its source; what it quotes and says stays."""
    lines = finding.source.text.rstrip("\n").split("\n")
    scores = [overlap(line, weights) for line in lines]
    quoted = {number for number, line in enumerate(lines) if any(quote.rstrip("…") in line for quote in finding.quotes)}
    stated = stems_in(finding.text)
    said = {number for number, line in enumerate(lines) if _says(stems_in(line), stated)}
    text = elided(lines, scores, tokens=tokens, kept=marked | quoted | said)
    return replace(finding, source=replace(finding.source, text=text))


def _says(line: frozenset[str], stated: frozenset[str]) -> bool:
    """Tell whether a statement is taken from a line."""
    both = len(line & stated)
    return both >= MIN_SAID and both >= SAID * len(line)
