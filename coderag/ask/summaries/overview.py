"""An overview in the words of a language model: a summary of each part (map), then one answer from all (reduce).

Each summary is checked against the part's passages, the answer against the passages that summaries cite, as every
answer of a model is; a summary is a fact to the second question, and no source of it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from coderag.ask.composing import Shelf, cited
from coderag.ask.models.model import JsonSchema, LanguageModel, Message
from coderag.ask.models.writing import Check, checked_answer
from coderag.ask.records import Answer, Verdict
from coderag.ask.source import Source
from coderag.ask.summaries.part_sources import PartSources
from coderag.ask.summaries.store import SummaryStore, summary_key

__all__ = ["written_overview"]

QUESTION = "What is this part of the program for, and what are its main pieces? Answer in two sentences."
CITATION = re.compile(r"\[(\d{1,4})\]")
BUDGET = 3000  # tokens of the passages that the answer may cite


def written_overview(
    answer: Answer,
    parts: Sequence[PartSources],
    *,
    model: LanguageModel,
    check: Check,
    store: SummaryStore | None,
    watch: Callable[[str], None] | None = None,
) -> Answer:
    """Return an answer with its text, written from summaries of the parts and the answer's own sources.

    Summaries are kept in `store` until a line that they were made of changes. Raises LanguageModelError.
    """
    if not answer.is_found:
        return answer
    shelf = Shelf(BUDGET, sources=answer.sources)  # behind the answer's sources, what summaries cite
    facts = [cited(fact) for fact in answer.facts]
    for part in parts:
        summary = _summary(part, model=model, check=check, store=store)
        if summary:
            facts.append(f"{part.title}: {_renumbered(summary, part.sources, shelf)}")
    prose = checked_answer(answer.question, shelf.sources, facts, model=model, check=check, watch=watch)
    if not prose.found:
        return replace(answer, verdict=Verdict.NOT_FOUND, nearest=answer.sources, faults=prose.faults)
    return replace(answer, text=prose.text, faults=prose.faults, sources=tuple(shelf.sources))


def _summary(part: PartSources, *, model: LanguageModel, check: Check, store: SummaryStore | None) -> str:
    """Return what a model says of a part as far as its passages carry it, "" if they do not."""
    key = summary_key(model.name, part.sources)
    stored = store.get(key) if store is not None else ""
    writer = _Recalled(stored) if stored else model
    prose = checked_answer(QUESTION, part.sources, (), model=writer, check=check)
    if prose.found and not stored and store is not None:
        store.put(key, prose.text)
    return prose.text if prose.found else ""


class _Recalled:
    """What a model wrote before, as a model that says it again."""

    def __init__(self, text: str) -> None:
        self.name = "the cache"
        self._text = text

    def complete(
        self,
        messages: Sequence[Message],  # noqa: ARG002 - of the protocol
        *,
        schema: JsonSchema | None = None,  # noqa: ARG002 - of the protocol
    ) -> Iterator[str]:
        yield self._text


def _renumbered(text: str, sources: Sequence[Source], shelf: Shelf) -> str:
    """Return a text with the numbers that its citations have on the shelf; one without room for it goes."""
    of_number = {source.number: source for source in sources}

    def number(match: re.Match[str]) -> str:
        source = of_number.get(int(match[1]))
        found = shelf.number(source) if source is not None else 0
        return f"[{found}]" if found else ""

    return CITATION.sub(number, text)
