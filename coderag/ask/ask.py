"""A question to an answer from an index, without a language model: what `Index.ask` gives."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from coderag.ask.findings.places import Places
from coderag.ask.memory.acronyms import NamesOfInitials
from coderag.ask.memory.conversation import Conversation
from coderag.ask.models.model import LanguageModel
from coderag.ask.pipelines import DEFAULT, PIPELINES, STAGES, stage_names
from coderag.ask.records import Answer, Step
from coderag.ask.turn import Options, Turn, WordFrequencies

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
    pipeline: str | Sequence[str] = DEFAULT,
    model: LanguageModel | None = None,
    conversation: Conversation = NEW,
    initials: NamesOfInitials = lambda _: [],
    on_step: Callable[[Step], None] | None = None,
) -> Answer:
    """Return what the index says about a question; raises QueryError for an unknown pipeline.

    `frequencies` gives how many chunks hold each of some words, `initials` the definitions that have some initials.
    `model` completes a question that leans on its conversation, and is asked by the stages that may ask one; where
    there is none, or it fails, they go by rules. The stages of the default pipeline always do: who wants a model to be
    asked by them states the stages. `on_step` gets what each stage did once it is done.
    """
    names = stage_names(pipeline)
    turn = Turn(
        question,
        index,
        Places(index),
        frequencies,
        options=options,
        writer=model,
        model=None if names == PIPELINES[DEFAULT] else model,
        text=question,
        conversation=conversation,
        initials=initials,
    )
    for name in names:
        before = len(turn.trace)
        turn = STAGES[name](turn)
        if on_step is not None:
            for step in turn.trace[before:]:
                on_step(step)
    if turn.answer is None:
        raise AssertionError("every pipeline ends with the stage that answers")
    return replace(turn.answer, pipeline=names, read_as=turn.read_as)
