"""A question to an answer from an index, without a language model: what `Index.ask` gives."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from coderag.ask.findings.places import Places
from coderag.ask.memory.acronyms import NamesOfInitials
from coderag.ask.memory.conversation import Conversation
from coderag.ask.models.model import LanguageModel
from coderag.ask.orchestration.combinators import Sequential
from coderag.ask.orchestration.orchestration import Orchestration
from coderag.ask.records import Answer, Step
from coderag.ask.turn import IndexState, Options, Telling, Turn, WordFrequencies
from coderag.errors import QueryError

if TYPE_CHECKING:
    from coderag.api.index import Index

__all__ = ["ask"]

NEW = Conversation()


def ask(
    index: Index,
    question: str,
    *,
    frequencies: WordFrequencies,
    options: Options,
    pipeline: Orchestration,
    model: LanguageModel | None = None,
    conversation: Conversation = NEW,
    initials: NamesOfInitials = lambda _: [],
    state: IndexState | None = None,
    on_step: Callable[[Step], None] | None = None,
) -> Answer:
    """Return what the index says about a question; raises QueryError for stages that give no answer.

    `frequencies` gives how many chunks hold each of some words, `initials` the definitions that have some initials.
    `model` completes a question that leans on its conversation, and is asked by the stages that may ask one, where the
    pipeline says so; where there is none, or it fails, they go by rules. By `state`, what stages find is kept for
    other turns. `on_step` gets what each stage did once it is done.
    """
    turn = Turn(
        question,
        index,
        Places(index, options.within),
        frequencies,
        options=options,
        writer=model,
        model=model if pipeline.asks_model else None,
        text=question,
        conversation=conversation,
        initials=initials,
        state=state,
        telling=None if on_step is None else Telling(on_step),
    )
    turn = Sequential(pipeline.stages)(turn)
    if turn.answer is None:
        raise QueryError(f"the stages {', '.join(pipeline.labels)} gave no answer; let the stage answer be the last")
    return replace(turn.answer, pipeline=pipeline.labels, read_as=turn.read_as, trace=turn.trace)
