"""An answer from the index in the words of a language model, as far as its sources carry them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from coderag.ask.composing import cited
from coderag.ask.models.model import LanguageModel
from coderag.ask.models.writing import Check, checked_answer
from coderag.ask.records import Answer, Verdict
from coderag.ask.turn import SourceFilter

if TYPE_CHECKING:
    from coderag.api.index import Index

__all__ = ["written", "written_from_parts"]


def written(
    answer: Answer, *, model: LanguageModel, check: Check, watch: Callable[[str], None] | None = None
) -> Answer:
    """Return an answer with its text; one that is not found is no question for a model, and stays as it is.

    Where the sources carry less than half of what the model says, the answer is not found. `watch` gets the pieces of
    the draft, before it is checked. Raises LanguageModelError.
    """
    if not answer.is_found:
        return answer
    facts = [cited(fact) for fact in answer.facts]
    question = answer.read_as or answer.question
    sources = (*answer.sources, *answer.further)
    prose = checked_answer(question, sources, facts, model=model, check=check, watch=watch)
    if not prose.found:
        return replace(answer, verdict=Verdict.NOT_FOUND, nearest=sources, further=(), faults=prose.faults)
    return replace(answer, text=prose.text, sources=sources, further=(), faults=prose.faults)


def written_from_parts(
    answer: Answer,
    index: Index,
    *,
    model: LanguageModel,
    check: Check,
    limits: SourceFilter,
    watch: Callable[[str], None] | None = None,
) -> Answer:
    """Return an overview with its text, from summaries of the parts that the model writes or wrote before.

    Raises LanguageModelError.
    """
    from coderag.ask.summaries.overview import written_overview
    from coderag.ask.summaries.part_sources import parts_to_summarise
    from coderag.ask.summaries.store import summary_store

    parts = parts_to_summarise(index, answer.question, limits) if answer.is_found else []
    return written_overview(answer, parts, model=model, check=check, store=summary_store(), watch=watch)
