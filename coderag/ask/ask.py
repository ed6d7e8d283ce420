"""A question to an answer from an index, without a language model: what `Index.ask` gives."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from coderag.ask.findings.places import Places
from coderag.ask.pipelines import DEFAULT, STAGES, stage_names
from coderag.ask.records import Answer, Step
from coderag.ask.turn import Options, Turn, WordFrequencies

if TYPE_CHECKING:
    from coderag.api.index import Index

__all__ = ["ask"]


def ask(
    index: Index,
    question: str,
    *,
    frequencies: WordFrequencies,
    options: Options,
    pipeline: str | Sequence[str] = DEFAULT,
    on_step: Callable[[Step], None] | None = None,
) -> Answer:
    """Return what the index says about a question; raises QueryError for an unknown pipeline.

    `frequencies` gives how many chunks hold each of some words; `on_step` gets what each stage did once it is done.
    """
    names = stage_names(pipeline)
    turn = Turn(question, index, Places(index), frequencies, options=options, text=question)
    for name in names:
        before = len(turn.trace)
        turn = STAGES[name](turn)
        if on_step is not None:
            for step in turn.trace[before:]:
                on_step(step)
    if turn.answer is None:
        raise AssertionError("every pipeline ends with the stage that answers")
    return replace(turn.answer, pipeline=names)
