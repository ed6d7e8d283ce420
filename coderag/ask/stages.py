"""The stages of an answer: each takes a turn and returns it with its own part filled in or replaced.

A stage changes nothing in place, reads the index by its public methods, and says in the trace what it did.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from coderag.ask.caching.retrieval import looked_up
from coderag.ask.composing import compose
from coderag.ask.decomposition import decompose as parts_of
from coderag.ask.findings.data import data_answer
from coderag.ask.findings.neighbourhood import neighbourhood_findings
from coderag.ask.findings.outgoing import outgoing_findings
from coderag.ask.findings.overview import overview_findings
from coderag.ask.findings.passages import findings_of_hits
from coderag.ask.findings.relations import relation_findings
from coderag.ask.known import known_in
from coderag.ask.memory.recall import fused, with_pinned
from coderag.ask.memory.reframing import reframed
from coderag.ask.records import Finding, Grade, Route, Step
from coderag.ask.relations import relation_of
from coderag.ask.routing import routes_of
from coderag.ask.searching import HITS, fused_hits, searched
from coderag.ask.spelling import mended
from coderag.ask.sufficiency import Coverage, coverage_of, grade_of, stems_of, word_weights
from coderag.ask.turn import Evidence, Turn
from coderag.ask.wording import content_words, is_weak, names_in
from coderag.text.asking import asked_words
from coderag.types import Hit, Kind, TestPolicy

__all__ = ["answer", "correct", "decompose", "reframe", "retrieve", "route"]

DOCUMENT_KINDS = frozenset({Kind.SECTION, Kind.CELL})
SCHEMA_KINDS = frozenset({Kind.TABLE, Kind.VIEW, Kind.QUERY})
OF_VARIANT = 2  # hits of each variant of a question about data
MIN_DATA_COVERAGE = 0.5  # share of a question's words that tables, queries and definitions must hold


def reframe(turn: Turn) -> Turn:
    """Complete the question from its conversation, and mend words that occur nowhere: "reciever" by WebhookReceiver."""
    turn = reframed(turn)
    frequencies = turn.frequencies(content_words(turn.text))
    text, changes = mended(turn.text, [word for word, count in frequencies.items() if not count], turn.index)
    said = ", ".join(f"{old} is read as {new}" for old, new in changes) or "every word is left as it is"
    return replace(turn, text=text, trace=(*turn.trace, Step("reframe", said)))


def decompose(turn: Turn) -> Turn:
    """Cut a compound question into parts that are answered apart."""
    parts = parts_of(turn.text)
    said = "; ".join(parts) if len(parts) > 1 else "one question"
    evidence = tuple(Evidence(part) for part in parts)
    return turn.after("decompose", said, evidence=evidence)


def route(turn: Turn) -> Turn:
    """Decide for each part where its answer is looked for."""
    known = known_in(turn.index)
    evidence = tuple(replace(part, routes=routes_of(part.text, known)) for part in turn.parts)
    said = "; ".join(f"{part.text}: {', '.join(part.routes)}" for part in evidence)
    return turn.after("route", said, evidence=evidence)


def retrieve(turn: Turn) -> Turn:
    """Look up each part on its routes; code answers what a graph, a map or a schema does not."""
    evidence = tuple(looked_up(turn, part, _looked_up) for part in turn.parts)
    said = "; ".join(f"{part.text}: {len(part.findings)} findings, {len(part.hits)} hits" for part in evidence)
    return turn.after("retrieve", said, evidence=evidence)


def correct(turn: Turn) -> Turn:
    """Grade the evidence of each part; where it is ambiguous, search tests too and grade again (CRAG)."""
    graded, steps = [], []
    for part in turn.parts:
        found = _graded(turn, part)
        if found.grade is Grade.AMBIGUOUS:
            steps.append(f"{part.text}: ambiguous ({_figures(found)}); tests and documents are searched")
            found = _widened(turn, found)
        steps.append(f"{part.text}: {found.grade} ({_figures(found)})")
        graded.append(found)
    return turn.after("correct", *steps, evidence=graded)


def answer(turn: Turn) -> Turn:
    """Write the answer from the evidence that carries one."""
    found = compose(turn)
    answered = sum(part.verdict == "found" for part in found.parts)
    said = f"{found.verdict}: {answered} of {len(found.parts)} parts, {len(found.sources)} sources"
    trace = (*turn.trace, Step("answer", said))
    return replace(turn, answer=replace(found, trace=trace), trace=trace)


def _looked_up(turn: Turn, part: Evidence) -> Evidence:
    return _with_neighbours(turn, _retrieved(turn, part))


def _retrieved(turn: Turn, part: Evidence) -> Evidence:
    routes = part.routes or (Route.CODE,)
    if outgoing := tuple(outgoing_findings(turn.index, part.text, turn.places)):
        return replace(part, findings=outgoing, routes=routes)
    if Route.GRAPH in routes and (relation := relation_of(part.text)):
        findings = tuple(relation_findings(turn.index, relation, turn.places))
        if findings:
            return replace(part, findings=findings, routes=routes)
    if Route.MAP in routes and (findings := tuple(overview_findings(turn.index, part.text, turn.places))):
        return replace(part, findings=findings, routes=routes)
    if Route.DATA in routes:
        data = data_answer(turn.index, part.text, turn.places, conditions=turn.options.tables)
        if data.findings:
            findings = (*data.findings, *_of_variants(turn, part, data.findings))
            return replace(part, findings=findings, sql=data.sql, sql_origin=data.origin, held=data.covered)
    hits = _remembered(turn, part)
    if Route.DOCUMENTS in routes:
        sections = searched(turn, part.text, kinds=DOCUMENT_KINDS)
        hits = _documents_first(sections, hits)
    return _of_hits(turn, part, hits)


def _of_variants(turn: Turn, part: Evidence, known: Sequence[Finding]) -> list[Finding]:
    """Return tables and queries that only variants of a question about data find."""
    found = {finding.source.place for finding in known}
    hits = (hit for one in part.variants for hit in searched(turn, one.text, kinds=SCHEMA_KINDS)[:OF_VARIANT])
    more = findings_of_hits(list({hit.chunk.id: hit for hit in hits}.values()), {}, route=Route.DATA)
    return [finding for finding in more if finding.source.place not in found]


def _with_neighbours(turn: Turn, part: Evidence) -> Evidence:
    """Return evidence of one definition or table with the edges of the graph around it."""
    if any(finding.route is Route.GRAPH for finding in part.findings):
        return part
    found = neighbourhood_findings(turn.index, part.text, turn.places, found=part.findings)
    return replace(part, findings=tuple(found)) if found else part


def _of_hits(turn: Turn, part: Evidence, hits: list[Hit]) -> Evidence:
    findings = findings_of_hits(hits, turn.stem_weights(part.text), route=Route.CODE)
    return replace(part, hits=tuple(hits), findings=tuple(findings), routes=part.routes or (Route.CODE,))


def _documents_first(sections: list[Hit], others: list[Hit]) -> list[Hit]:
    """Return hits of documents and others, those of documents in front where they are nearly as sure."""
    best = max((hit.confidence for hit in others), default=0.0)
    front = [hit for hit in sections if hit.confidence >= best / 2][:HITS]
    known = {hit.chunk.id for hit in front}
    return [*front, *(hit for hit in others if hit.chunk.id not in known)]


def _remembered(turn: Turn, part: Evidence) -> list[Hit]:
    """Return the hits of a part and its variants, with what the conversation adds."""
    hits = fused_hits(turn, part)
    if turn.beside and part.text == turn.text:
        hits = fused([hits, searched(turn, turn.beside)], k=HITS)
    if not (pinned := turn.conversation.pinned):
        return hits
    found = searched(replace(turn, options=replace(turn.options, paths=pinned)), part.text)
    return with_pinned(hits, found, paths=turn.options.paths, k=HITS)


def _graded(turn: Turn, part: Evidence) -> Evidence:
    """Return evidence with its grade, its confidence, and the words that it lacks."""
    if any(finding.route in (Route.GRAPH, Route.MAP) for finding in part.findings):
        confidence = max(finding.confidence for finding in part.findings)
        return replace(part, grade=Grade.CORRECT, confidence=confidence)
    frequencies = turn.frequencies(content_words(part.text))
    weights = word_weights(frequencies, len(turn.index))
    if part.held:
        matter = {one.word: one.weight for one in asked_words(part.text) if one.word in weights}
        asked = {word: weight for word, weight in matter.items() if weight == 1 and not is_weak(word)}
        coverage = coverage_of(asked or matter, frequencies, part.held)
        good = coverage.share >= MIN_DATA_COVERAGE
        return _with(part, coverage, Grade.CORRECT if good else Grade.AMBIGUOUS, coverage.share)
    confidence = max((hit.confidence for hit in part.hits), default=0.0)
    coverage = coverage_of(weights, frequencies, stems_of(part.hits))
    names = names_in(part.text)
    is_name = bool(names) and all(turn.index.symbols(name, alike=False) for name in names)
    return _with(part, coverage, grade_of(confidence, coverage, known_name=is_name), confidence)


def _with(part: Evidence, coverage: Coverage, grade: Grade, confidence: float) -> Evidence:
    return replace(part, grade=grade, confidence=confidence, unknown=coverage.unknown, uncovered=coverage.uncovered)


def _widened(turn: Turn, part: Evidence) -> Evidence:
    """Return the evidence of a second search: without the words that ask, tests included."""
    hits = searched(turn, " ".join(content_words(part.text)) or part.text, tests=TestPolicy.INCLUDE)
    known = {hit.chunk.id for hit in part.hits}
    both = sorted([*part.hits, *(hit for hit in hits if hit.chunk.id not in known)], key=lambda hit: -hit.confidence)
    found = _graded(turn, replace(_of_hits(turn, part, both[:HITS]), held=frozenset(), sql="", sql_origin=""))
    return replace(found, grade=Grade.INCORRECT) if found.grade is Grade.AMBIGUOUS else found


def _figures(part: Evidence) -> str:
    lacking = f", not in the sources: {', '.join(part.uncovered)}" if part.uncovered else ""
    return f"confidence {part.confidence:.2f}{lacking}"
