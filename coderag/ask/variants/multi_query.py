"""A question to several wordings of it: the names alone, the words of the matter, expanded, in the singular."""

from __future__ import annotations

from coderag.ask.turn import Evidence, Turn
from coderag.ask.variants.expansion import added_words
from coderag.ask.variants.proposing import Proposal, gate_of_confidence, with_variants
from coderag.ask.wording import content_words, is_weak, names_in
from coderag.text.inflection import singular

__all__ = ["multi_query"]

WEIGHT = 0.3  # of all wordings together; the question itself has 1
MIN_WORDS = 2
INSTRUCTION = "Say the question in other words, each time with other terms for the same thing."


def multi_query(turn: Turn) -> Turn:
    """Add several wordings, whose rankings are fused (RAG fusion, arXiv 2402.03367), where the question is unsure."""
    return with_variants(
        turn, "multi_query", gate=gate_of_confidence, rule=_worded, instruction=INSTRUCTION, weight=WEIGHT
    )


def _worded(turn: Turn, part: Evidence) -> Proposal:
    words = content_words(part.text)
    matter = [word for word in words if not is_weak(word)] or words
    names = names_in(part.text)
    single = [singular(word) if word.islower() else word for word in words]
    texts = [
        " ".join(names) if len(names) < len(words) else "",
        " ".join(matter) if len(matter) >= MIN_WORDS else "",
        " ".join([*words, *added_words(turn, part)]),
        " ".join(single) if single != words else "",
    ]
    return Proposal(tuple(text for text in texts if text))
