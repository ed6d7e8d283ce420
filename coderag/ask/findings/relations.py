"""A question for a relation to the edges of the graph that answer it, each with the line that says so."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import TYPE_CHECKING

from coderag.ask.findings.facts import definition_finding, doubt_of, edge_finding
from coderag.ask.findings.places import Places
from coderag.ask.records import Finding, Route
from coderag.graph.queries.locations import certainty_share
from coderag.graph.queries.refs import Reference, References
from coderag.search.query.relation_question import RelationQuestion, Sought
from coderag.search.results.graph_answers import ROLES, VERBS

if TYPE_CHECKING:
    from coderag.api.index import Index

__all__ = ["KINDS", "relation_findings"]

SHOWN = 6  # of each kind of relation
IMPACT_DEPTH = 2
KINDS = {"table": ("table", "view"), "view": ("view",), "column": ("column",), "route": ("route",), "file": ("file",)}


def relation_findings(index: Index, question: RelationQuestion, places: Places) -> list[Finding]:
    """Return what the graph answers, the surest first; [] if it knows no such relation."""
    if question.sought is Sought.PATH:
        return list(_of_path(index, question, places))
    if question.sought is Sought.IMPACT:
        return list(_of_change(index, question, places))
    found = index.refs(question.target, kinds=KINDS.get(question.kind, ()), shown=SHOWN)
    best = found[:1] if question.is_code else [one for one in found if _last(one.target.name) == question.target][:1]
    facts = [fact for references in best for fact in _of_references(references, question, places)]
    if not facts:
        return []
    target, roles = best[0].target, ROLES[question.sought]
    is_cut = any(group.role in roles and group.total > len(group.references) for group in best[0].groups)
    more = f"; coderag refs {target.name} shows more" if is_cut else ""
    here = definition_finding(target, repository=best[0].repository, places=places, more=more)
    return [*facts, here] if here else facts


def _last(name: str) -> str:
    return name.rpartition(".")[2]


def _of_references(found: References, question: RelationQuestion, places: Places) -> Iterable[Finding]:
    groups = {group.role: group for group in found.groups}
    for role in ROLES[question.sought]:
        group = groups.get(role)
        if group is None:
            continue
        for reference in group.references:
            text = f"{reference.spot.name} {VERBS[role]} {found.target.name}"
            if finding := _fact(text, reference, found, places):
                yield finding


def _fact(text: str, reference: Reference, found: References, places: Places) -> Finding | None:
    said, name, target = f"{text}{doubt_of(reference)}", reference.spot.name, found.target.name
    return edge_finding(said, reference, name=name, target=target, repository=found.repository, places=places)


def _of_change(index: Index, question: RelationQuestion, places: Places) -> Iterable[Finding]:
    impact = index.impact(question.target, kinds=KINDS.get(question.kind, ()), depth=IMPACT_DEPTH)
    if impact is None:
        return
    for affected in islice((*impact.affected, *impact.possibly, *impact.tests), 2 * SHOWN):
        target, line = affected.why.rpartition(" ")[2], max(affected.line, 1)
        source = places.showing(target, impact.repository, affected.path, line=line, name=affected.spot.name)
        if source is not None:
            text = f"{affected.spot.name} {affected.why}"
            steps = f" ({affected.distance} steps away)" if affected.distance > 1 else ""
            yield Finding(f"{text}{steps}", source, Route.GRAPH, affected.confidence, is_fact=True)


def _of_path(index: Index, question: RelationQuestion, places: Places) -> Iterable[Finding]:
    for way in index.path_between(question.target, question.other):
        before = way.start
        for step in way.steps:
            path, line = (step.path, step.line) if step.path else (before.path, before.line)
            source = places.source(way.repository, path, max(line, 1), name=before.name)
            if source is not None:
                text = f"{before.name} {step.how} {step.spot.name}"
                yield Finding(text, source, Route.GRAPH, certainty_share(step.candidates), is_fact=True)
            before = step.spot
