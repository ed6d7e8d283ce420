"""What somebody asks an index, with all choices, to its answer: by the stages, then in the words of a model."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from coderag.ask.ask import ask
from coderag.ask.caching.key import AnswerKey, normalised
from coderag.ask.caching.replies import RememberingModel
from coderag.ask.memory.acronyms import NamesOfInitials
from coderag.ask.memory.conversation import Conversation
from coderag.ask.models.http_model import open_model
from coderag.ask.models.model import LanguageModel, ToolModel
from coderag.ask.orchestration.orchestration import Orchestration
from coderag.ask.records import Answer, Route, Step
from coderag.ask.turn import IndexState, Options, WordFrequencies
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
    state: IndexState | None = None  # of the index that is asked, where caches may be used
    states: tuple[str, ...] = ()  # the same for all processes; () of what some groups see

    @property
    def key(self) -> AnswerKey | None:
        """What tells this request from those with other answers, None if nothing does."""
        pipeline = self.pipeline.key
        if pipeline is None or self.state is None or not isinstance(self.model, str):
            return None
        return AnswerKey(
            self.state.generation,
            normalised(self.question),
            pipeline,
            self.options,
            asks_model=self.pipeline.asks_model,
            model=self.model,
            conversation=self.conversation,
            stored_graph=self.state.stored_graph,
        )

    @property
    def writer(self) -> LanguageModel | None:
        """The model that is asked, None for none; raises LanguageModelError for a line that names none."""
        return (open_model(self.model) if isinstance(self.model, str) else self.model) if self.model else None

    def helper(self, writer: LanguageModel | None) -> LanguageModel | None:
        """Return the model as stages have it: it remembers its replies where it is known by a line."""
        if self.states and self.state is not None and isinstance(self.model, str) and isinstance(writer, ToolModel):
            return RememberingModel(writer, spec=self.model)
        return writer


def answer_of(index: Index, request: Request, *, frequencies: WordFrequencies, initials: NamesOfInitials) -> Answer:
    """Return the answer of an index to a request; raises LanguageModelError where a model was to write it and failed.

    `frequencies` gives how many chunks hold each of some words, `initials` the definitions that have some initials.
    """
    writer = request.writer
    found = ask(
        index,
        request.question,
        frequencies=frequencies,
        options=request.options,
        pipeline=request.pipeline,
        model=request.helper(writer),
        conversation=request.conversation,
        initials=initials,
        state=request.state if request.pipeline.is_ours else None,  # others may look up whatever they like
        on_step=request.on_step,
    )
    if writer is None:
        return found
    if found.routes[:1] == (Route.MAP,):
        limits = request.options.within
        return written_from_parts(
            found, index, model=writer, check=index.check_answer, limits=limits, watch=request.watch
        )
    return written(found, model=writer, check=index.check_answer, watch=request.watch)
