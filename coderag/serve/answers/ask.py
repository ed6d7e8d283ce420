"""`ask`: a question to an answer that the user's language model writes, as far as its sources say it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from coderag.api.records import plain
from coderag.ask.records import Answer as Asked
from coderag.errors import CoderagError, QueryError
from coderag.serve.answer import Answer
from coderag.serve.arguments import AskArguments, words
from coderag.serve.conversing import answered_in
from coderag.serve.page import Page, cut
from coderag.serve.places import Places, freshness
from coderag.serve.workspace import View, Workspace
from coderag.text.budget import CHARACTERS_PER_TOKEN
from coderag.text.visible import visible, visible_prose

__all__ = ["ask"]

LAST_TOKENS = 60
TEXT_SHARE = 0.7  # of the budget, for the answer: the rest is for the places of its sources
FAULT_CHARACTERS = 300


def ask(workspace: Workspace, arguments: AskArguments, *, stopped: Callable[[], bool], owner: str = "") -> Answer:
    """Return an answer with its sources, or "not found" with the nearest hits; raises LanguageModelError.

    The model is broken off when `stopped` says so: nobody waits for its answer any longer. A conversation is that of
    `owner`, of the user where there is none.
    """

    def check(_: str) -> None:
        if stopped():
            raise QueryError("the question was cancelled")

    view = _with_graph(workspace)
    answer = answered_in(
        arguments.session,
        view.index,
        arguments.question,
        owner=owner,
        budget=arguments.budget,
        paths=words(arguments.path),
        pipeline="agentic" if arguments.agentic else "",
        model=workspace.language_model,
        watch=check,
    )
    page = Page(arguments.budget)
    page.keep(LAST_TOKENS)
    for line in _lines(answer, Places(view), arguments.budget):
        page.add(line)
    return Answer(page.finished([freshness(view)]), plain(answer))


def _with_graph(workspace: Workspace) -> View:
    view = workspace.view()
    try:
        return workspace.with_graph(view)
    except CoderagError:
        return view  # the graph is being made, and words answer without it


def _lines(answer: Asked, places: Places, budget: int) -> Iterator[str]:
    if not answer.is_found:
        yield "not found; the nearest are:" if answer.nearest else "not found"
        yield from (cut(f"[left out: {visible_prose(fault)}]", FAULT_CHARACTERS) for fault in answer.faults[:1])
    yield from (f"found in {visible(part.found_in)}" for part in answer.parts if part.found_in)
    yield from (f"without path, {visible(part.elsewhere)} would answer" for part in answer.parts if part.elsewhere)
    if answer.text:
        yield cut(visible_prose(answer.text), int(TEXT_SHARE * budget) * CHARACTERS_PER_TOKEN) + "\n"
    for source in answer.sources if answer.is_found else answer.nearest:
        place = places.path(source.path, source.repository)
        yield f"[{source.number}] {place}:{source.start_line}-{source.end_line} {visible(source.name)}".rstrip()
