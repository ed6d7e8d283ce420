"""The stages of an answer: each takes a turn and returns it with its own part filled in or replaced.

A stage changes nothing in place, reads the index by its public methods, and says in the trace what it did.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from coderag.ask.caching.retrieval import looked_up
from coderag.ask.composing import compose
from coderag.ask.correcting.widening import DOCUMENT_KINDS, of_hits
from coderag.ask.decomposing import with_entities
from coderag.ask.findings.data import data_answer
from coderag.ask.findings.neighbourhood import neighbourhood_findings
from coderag.ask.findings.outgoing import outgoing_findings
from coderag.ask.findings.overview import overview_findings
from coderag.ask.findings.passages import findings_of_hits
from coderag.ask.findings.relations import relation_findings
from coderag.ask.further import with_further
from coderag.ask.known_names import best_confidence, is_target, known_in
from coderag.ask.memory.recall import fused, with_pinned
from coderag.ask.memory.reframing import reframed
from coderag.ask.models.choosing import chosen_route
from coderag.ask.records import Finding, Route, Step
from coderag.ask.relations import relation_of, relations_among
from coderag.ask.searching import DEPTH, HITS, fused_hits, searched
from coderag.ask.semantic_routing import Routing, routing_of, things_in
from coderag.ask.spelling import mended
from coderag.ask.turn import Evidence, Turn
from coderag.ask.wording import content_words
from coderag.errors import LanguageModelError
from coderag.types import Hit, Kind

__all__ = ["answer", "reframe", "retrieve", "route"]

SCHEMA_KINDS = frozenset({Kind.TABLE, Kind.VIEW, Kind.QUERY})
OF_VARIANT = 2  # hits of each variant of a question about data


def reframe(turn: Turn) -> Turn:
    """Complete the question from its conversation, and mend words that occur nowhere: "reciever" by WebhookReceiver."""
    turn = reframed(turn)
    frequencies = turn.frequencies(content_words(turn.text))
    text, changes = mended(turn.text, [word for word, count in frequencies.items() if not count], turn.index)
    summary = ", ".join(f"{old} is read as {new}" for old, new in changes) or "every word is left as it is"
    return replace(turn, text=text, trace=(*turn.trace, Step("reframe", summary)))


def route(turn: Turn) -> Turn:
    """Decide for each part where its answer is looked for; a language model chooses where two routes are as likely."""
    confidence = lambda text: best_confidence(searched(turn, text, k=DEPTH))  # noqa: E731
    known = replace(known_in(turn.index), confidence=confidence)
    routings = [_chosen(turn, part.text, routing_of(part.text, known)) for part in turn.parts]
    evidence = [replace(part, routes=one.routes) for part, one in zip(turn.parts, routings, strict=True)]
    summary = "; ".join(f"{part.text}: {one.said}" for part, one in zip(turn.parts, routings, strict=True))
    return turn.after("route", summary, evidence=evidence)


def retrieve(turn: Turn) -> Turn:
    """Look up each part on its routes; code answers what a graph, a map or a schema does not."""
    evidence: list[Evidence] = []
    for part in turn.parts:
        evidence.append(looked_up(turn, with_entities(part, evidence, turn.index), _looked_up))
    summary = "; ".join(f"{part.text}: {len(part.findings)} findings, {len(part.hits)} hits" for part in evidence)
    return turn.after("retrieve", summary, evidence=evidence)


def answer(turn: Turn) -> Turn:
    """Write the answer from the evidence that carries one."""
    found = with_further(turn, compose(turn))
    answered = sum(part.verdict == "found" for part in found.parts)
    summary = f"{found.verdict}: {answered} of {len(found.parts)} parts, {len(found.sources)} sources"
    trace = (*turn.trace, Step("answer", summary))
    return replace(turn, answer=replace(found, trace=trace), trace=trace)


def _chosen(turn: Turn, text: str, routing: Routing) -> Routing:
    if turn.model is None or not routing.rivals:
        return routing
    try:
        return routing.by(chosen_route(text, routing.rivals, turn.model), f"by {turn.model.name}")
    except LanguageModelError as error:
        return replace(routing, why=f"{routing.why or 'by rules'}, as {turn.model.name} failed: {error}")


def _looked_up(turn: Turn, part: Evidence) -> Evidence:
    return _with_neighbours(turn, _retrieved(turn, part))


def _retrieved(turn: Turn, part: Evidence) -> Evidence:
    routes = part.routes or (Route.CODE,)
    limits = turn.options.within
    if outgoing := tuple(outgoing_findings(turn.index, part.text, turn.places)):
        return replace(part, findings=outgoing, routes=routes)
    if Route.GRAPH in routes and (findings := _of_relation(turn, part)):
        return replace(part, findings=findings, routes=routes)
    if Route.MAP in routes and (findings := _of_overview(turn, part)):
        return replace(part, findings=findings, routes=routes)
    if Route.DATA in routes and limits.has_tables:
        data = data_answer(turn.index, part.text, turn.places.of_data, conditions=limits.tables)
        if data.findings:
            findings = (*data.findings, *_of_variants(turn, part, data.findings))
            return replace(part, findings=findings, sql=data.sql, sql_origin=data.origin, held=data.covered)
    hits = _remembered(turn, part)
    if Route.DOCUMENTS in routes:
        sections = searched(turn, part.text, kinds=DOCUMENT_KINDS)
        hits = _documents_first(sections, hits)
    return of_hits(turn, part, hits)


def _of_relation(turn: Turn, part: Evidence) -> tuple[Finding, ...]:
    """Return the edges that a question asks for, of the names in it where it does not say for which."""
    relation = relation_of(part.text)
    names = [name for name in things_in(part.text) if is_target(name, turn.index)]
    for asked in [*([relation] if relation else []), *(relations_among(names) if names else [])]:
        if findings := relation_findings(turn.index, asked, turn.places):
            return tuple(findings)
    return ()


def _of_overview(turn: Turn, part: Evidence) -> tuple[Finding, ...]:
    """Return what the parts are that matter most, of those that a question is limited to."""
    return tuple(overview_findings(turn.index, part.text, turn.places, limits=turn.options.within))


def _of_variants(turn: Turn, part: Evidence, known: Sequence[Finding]) -> list[Finding]:
    """Return tables and queries that only variants of a question about data find."""
    places = {finding.source.place for finding in known}
    hits = (hit for variant in part.variants for hit in searched(turn, variant.text, kinds=SCHEMA_KINDS)[:OF_VARIANT])
    more = findings_of_hits(list({hit.chunk.id: hit for hit in hits}.values()), {}, route=Route.DATA)
    return [finding for finding in more if finding.source.place not in places]


def _with_neighbours(turn: Turn, part: Evidence) -> Evidence:
    """Return evidence of one definition or table with the edges of the graph around it."""
    if any(finding.route is Route.GRAPH for finding in part.findings):
        return part
    findings = neighbourhood_findings(turn.index, part.text, turn.places, found=part.findings)
    return replace(part, findings=tuple(findings)) if findings else part


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
    limits = turn.options.within
    there = replace(turn, options=replace(turn.options, within=replace(limits, paths=pinned)))
    return with_pinned(hits, searched(there, part.text), paths=limits.paths, k=HITS)
