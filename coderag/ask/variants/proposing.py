"""What a stage proposes for each part of a question to variants of it, and to what the trace says."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from coderag.ask.models.wordings import wordings
from coderag.ask.records import Route
from coderag.ask.searching import first_hits
from coderag.ask.turn import Evidence, Turn, Variant
from coderag.errors import LanguageModelError
from coderag.record import record

__all__ = ["UNSURE", "Proposal", "gate_of_confidence", "with_variants"]

# Confidence of the best hit below which a question is unsure. Chosen with the weights of the stages, by
# scripts/judge_stages.py on the half of the repositories that is for tuning: from .3 every stage loses.
UNSURE = 0.12
MOST = 4  # variants of one stage for a part
UNSEARCHED = frozenset({Route.GRAPH, Route.MAP})  # answered without a search where this is the first route


@record
class Proposal:
    """Other wordings of a part, or why there are none."""

    texts: tuple[str, ...] = ()
    why: str = ""


def gate_of_confidence(turn: Turn, part: Evidence) -> str:
    """Return why a part needs no other wording: what it finds by itself is sure enough; "" if it is not."""
    confidence = max((hit.confidence for hit in first_hits(turn, part)), default=0.0)
    return f"sure enough as it is ({confidence:.2f})" if confidence >= UNSURE else ""


def with_variants(
    turn: Turn,
    stage: str,
    *,
    gate: Callable[[Turn, Evidence], str],
    rule: Callable[[Turn, Evidence], Proposal],
    instruction: str,
    weight: float,
) -> Turn:
    """Return the turn with the variants that a stage finds for each part, all of them together of some weight.

    `gate` says why a part needs no variant, "" if it does; `rule` proposes them, and where there is a language
    model, `instruction` asks it for them instead.
    """
    evidence, steps = [], []
    for part in turn.parts:
        proposal = _proposed(turn, part, gate=gate, rule=rule, instruction=instruction)
        known = {part.text.casefold(), *(variant.text.casefold() for variant in part.variants)}
        texts = [text for text in dict.fromkeys(proposal.texts) if text.strip() and text.casefold() not in known][:MOST]
        made = tuple(Variant(text, weight / len(texts), stage) for text in texts)
        evidence.append(replace(part, variants=(*part.variants, *made)))
        summary = "; ".join(" ".join(text.split()) for text in texts)
        steps.append(f"{part.text}: {' | '.join(filter(None, (proposal.why, summary))) or 'no other wording'}")
    return turn.after(stage, *steps, evidence=evidence)


def _proposed(
    turn: Turn,
    part: Evidence,
    *,
    gate: Callable[[Turn, Evidence], str],
    rule: Callable[[Turn, Evidence], Proposal],
    instruction: str,
) -> Proposal:
    if part.routes and part.routes[0] in UNSEARCHED:
        return Proposal(why=f"the {part.routes[0]} answers")
    if reason := gate(turn, part):
        return Proposal(why=reason)
    if turn.model is None:
        return rule(turn, part)
    try:
        return Proposal(wordings(part.text, instruction, turn.model), f"by {turn.model.name}")
    except LanguageModelError as error:
        return replace(rule(turn, part), why=f"by rules, as {turn.model.name} failed: {error}")
