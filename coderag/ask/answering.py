"""What somebody asks an index, with all choices, to its answer: by the stages, then in the words of a model."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from coderag.ask.ask import ask
from coderag.ask.caching.key import AnswerKey, generation_of, normalised
from coderag.ask.memory.acronyms import NamesOfInitials
from coderag.ask.memory.conversation import Conversation
from coderag.ask.models.http_model import open_model
from coderag.ask.models.model import LanguageModel
from coderag.ask.orchestration.orchestration import Orchestration
from coderag.ask.records import Answer, Route, Step
from coderag.ask.turn import Options, WordFrequencies
from coderag.ask.written import written, written_from_parts
from coderag.record import record

if TYPE_CHECKING:
    from coderag.api.index import Index

__all__ = ["Request", "answer_of"]


@record
class Request:
    """A question and how it is to be answered."""

    question: str
    pipeline: Orchestration
    options: Options
    model: str | LanguageModel = ""  # "": none
    conversation: Conversation = Conversation()
    watch: Callable[[str], None] | None = None  # gets the pieces of a model's draft
    on_step: Callable[[Step], None] | None = None  # gets what a stage did

    def key(self, snapshot: object, *, stored_graph: bool) -> AnswerKey | None:
        """Return what tells this request, asked of a snapshot, from those with other answers, None where none does."""
        pipeline = self.pipeline.key
        if pipeline is None or not isinstance(self.model, str):
            return None
        return AnswerKey(
            generation_of(snapshot),
            normalised(self.question),
            pipeline,
            self.options,
            asks_model=self.pipeline.asks_model,
            model=self.model,
            conversation=self.conversation,
            stored_graph=stored_graph,
        )


def answer_of(index: Index, request: Request, *, frequencies: WordFrequencies, initials: NamesOfInitials) -> Answer:
    """Return the answer of an index to a request; raises LanguageModelError where a model was to write it and failed.

    `frequencies` gives how many chunks hold each of some words, `initials` the definitions that have some initials.
    """
    model = request.model
    writer = open_model(model) if isinstance(model, str) and model else (model or None)
    found = ask(
        index,
        request.question,
        frequencies=frequencies,
        options=request.options,
        pipeline=request.pipeline,
        model=writer,
        conversation=request.conversation,
        initials=initials,
        on_step=request.on_step,
    )
    if writer is None:
        return found
    if found.routes[:1] == (Route.MAP,):
        return written_from_parts(found, index, model=writer, check=index.check_answer, watch=request.watch)
    return written(found, model=writer, check=index.check_answer, watch=request.watch)
