"""A question with equally likely routes to the one that a language model chooses, which is shown the question alone."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from coderag.ask.models.defused import plain
from coderag.ask.models.model import LanguageModel, Message, Role
from coderag.ask.models.structured import ask_for
from coderag.ask.records import Route
from coderag.errors import LanguageModelError

__all__ = ["RouteChoice", "chosen_route"]

SYSTEM = "You help a search engine for code. You do not answer questions; you say where their answers are looked for."
MEANINGS = {
    Route.CODE: "how something is done, in the source code",
    Route.DATA: "rows, tables and columns of the database, or a query",
    Route.GRAPH: "what calls, uses, reads, writes, tests or breaks a definition or table that is named",
    Route.MAP: "the repository as a whole: purpose, main parts, structure",
    Route.DOCUMENTS: "what somebody has to do or to know, written in documentation",
}


class RouteChoice(msgspec.Struct):
    """Where the answer is looked for."""

    route: str


def chosen_route(question: str, routes: Sequence[Route], model: LanguageModel) -> Route:
    """Return one of some routes; raises LanguageModelError, also where the model names another."""
    meanings = "\n".join(f"- {route}: {MEANINGS[route]}" for route in routes)
    messages = [
        Message(Role.SYSTEM, SYSTEM),
        Message(Role.USER, f"Choose one route:\n{meanings}\n\nQuestion: {plain(question)}"),
    ]
    answer = ask_for(RouteChoice, messages, model).route.strip().lower()
    if answer not in routes:
        raise LanguageModelError("the route that it names is none of those it was to choose from")
    return Route(answer)
