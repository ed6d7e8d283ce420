"""Evidence to an answer: statements chosen, sources numbered and kept within a budget."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from coderag.ask.findings.passages import source_of
from coderag.ask.records import Answer, Finding, Grade, Mark, Part, Route, Statement, Verdict
from coderag.ask.source import Source
from coderag.ask.turn import Evidence, Turn
from coderag.text.budget import tokens_of

__all__ = ["Shelf", "chosen", "cited", "compose", "numbered"]

NEAREST = 5  # hits that are shown where nothing answers
FACTS = 3  # times as many facts as statements are shown: each is one line
MAP_PARTS = 10  # what an overview shows at least: the README and six parts, or three parts and their definitions
WEAK = 0.25  # a hit below this share of the best one's confidence states nothing of the matter


def compose(turn: Turn) -> Answer:
    """Return the answer that the evidence carries; without any, the nearest hits."""
    parts = turn.evidence
    shelf = Shelf(turn.options.budget)
    statements: list[Statement] = []
    facts: list[Statement] = []
    for number, part in enumerate(parts):
        if part.grade is Grade.INCORRECT:
            continue
        for finding in chosen(part, turn.options.k):
            if statement := numbered(finding, shelf, part=number):
                kept = facts if finding.is_fact else statements
                kept.append(statement)
    said = {statement.part for statement in (*statements, *facts)}
    found = [number in said for number in range(len(parts))]
    answered = [part for part, is_found in zip(parts, found, strict=True) if is_found]
    return Answer(
        question=turn.question,
        verdict=Verdict.FOUND if answered else Verdict.NOT_FOUND,
        statements=tuple(statements),
        facts=tuple(facts),
        sources=tuple(shelf.sources),
        sql=next((part.sql for part in answered if part.sql), ""),
        sql_origin=next((part.sql_origin for part in answered if part.sql), ""),
        nearest=()
        if all(found)
        else _nearest(part for part, is_found in zip(parts, found, strict=True) if not is_found),
        routes=tuple(dict.fromkeys(route for part in parts for route in part.routes)),
        confidence=min((part.confidence for part in answered or parts), default=0.0),
        parts=tuple(_part(part, is_found=is_found) for part, is_found in zip(parts, found, strict=True)),
    )


def numbered(finding: Finding, shelf: Shelf, *, part: int = 0) -> Statement | None:
    """Return what a finding states with the numbers of its sources, None if its own has no room."""
    own = shelf.size(finding.source)
    numbers = [(naming.end, shelf.number(naming.source, spare=own)) for naming in finding.namings]
    marks = tuple(Mark(end, number) for end, number in numbers if number)
    last = shelf.number(finding.source)
    if not last:
        return None
    is_last = bool(marks) and marks[-1] == Mark(len(finding.text), last)
    citations = (*(mark.number for mark in marks), *(() if is_last else (last,)))
    return Statement(finding.text, citations, finding.route, finding.quotes, part=part, marks=marks)


class Shelf:
    """The sources of an answer, numbered in the order in which they are cited, within a budget of tokens."""

    def __init__(self, budget: int, *, sources: Iterable[Source] = ()) -> None:
        """Begin with sources that are numbered already."""
        self.sources = list(sources)
        self._left = budget - sum(tokens_of(source.text) for source in self.sources)

    def holds(self, source: Source) -> bool:
        """Tell whether a source has a number."""
        return bool(self._known(source))

    def size(self, source: Source) -> int:
        """Return how many tokens a source would take, 0 of one that has a number."""
        return 0 if self._known(source) else tokens_of(source.text)

    def number(self, source: Source, *, spare: int = 0) -> int:
        """Return the number of a source, 0 if there is no room for its text; the first is cut to have room.

        `spare` tokens are left for another one.
        """
        if known := self._known(source):
            return known
        shortened = _cut(source, self._left) if not self.sources and not spare else source
        if tokens_of(shortened.text) > self._left - spare:
            return 0
        self._left -= tokens_of(shortened.text)
        self.sources.append(replace(shortened, number=len(self.sources) + 1))
        return len(self.sources)

    def _known(self, source: Source) -> int:
        own = (source.repository, source.place)
        return next((one.number for one in self.sources if (one.repository, one.place) == own), 0)


def _cut(source: Source, budget: int) -> Source:
    """Return a source with as many of its lines as a budget has room for, one at least."""
    lines = source.text.split("\n")
    while len(lines) > 1 and tokens_of("\n".join(lines)) > budget:
        lines.pop()
    return replace(source, text="\n".join(lines))


def cited(statement: Statement) -> str:
    """Return a statement with the numbers of its sources where they stand."""
    pieces = ((text, "".join(f"[{number}]" for number in numbers)) for text, numbers in statement.pieces())
    return "".join(f"{text} {numbers}" if numbers else text for text, numbers in pieces)


def chosen(part: Evidence, k: int) -> Iterable[Finding]:
    """Return what is said of a part: the best k passages, and several times as many facts."""
    passages = [finding for finding in part.findings if not finding.is_fact]
    best = max((finding.confidence for finding in passages), default=0.0)
    worth = [
        finding
        for number, finding in enumerate(passages)
        if not number or (_is_worth(finding, best) and finding.says_something)
    ]
    by_name = {(finding.source.name or finding.source.place): finding for finding in reversed(worth)}
    yield from list(reversed(by_name.values()))[: max(k, MAP_PARTS) if _is_map(passages) else k]
    yield from [finding for finding in part.findings if finding.is_fact][: FACTS * k]


def _is_map(passages: Sequence[Finding]) -> bool:
    return any(finding.route is Route.MAP for finding in passages)


def _is_worth(finding: Finding, best: float) -> bool:
    """Tell whether a passage is nearly as sure as the best; tables and parts were chosen before."""
    return finding.route in (Route.DATA, Route.MAP) or finding.confidence >= WEAK * best


def _nearest(parts: Iterable[Evidence]) -> tuple[Source, ...]:
    hits = sorted((hit for part in parts for hit in part.hits), key=lambda hit: -hit.confidence)
    sources: Sequence[Source] = [source_of(hit.chunk) for hit in hits[:NEAREST]]
    return tuple(replace(source, number=number) for number, source in enumerate(sources, 1))


def _part(part: Evidence, *, is_found: bool) -> Part:
    return Part(
        text=part.text,
        routes=part.routes,
        verdict=Verdict.FOUND if is_found else Verdict.NOT_FOUND,
        confidence=part.confidence,
        unknown=part.unknown,
        uncovered=part.uncovered,
        found_in=part.found_in if is_found else "",
        elsewhere="" if is_found else part.elsewhere,
    )
