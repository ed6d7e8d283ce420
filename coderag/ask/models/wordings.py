"""A question to other wordings of it by a language model, which is shown nothing but the question."""

from __future__ import annotations

import msgspec

from coderag.ask.models.defused import plain
from coderag.ask.models.model import LanguageModel, Message, Role
from coderag.ask.models.structured import ask_for

__all__ = ["Wordings", "wordings"]

MOST = 4
MAX_CHARACTERS = 1_000  # of a wording; more is no question
SYSTEM = "You help a search engine for code. You do not answer questions; you word them in other ways, as you are told."


class Wordings(msgspec.Struct):
    """Other wordings of a question."""

    texts: list[str]


def wordings(question: str, instruction: str, model: LanguageModel) -> tuple[str, ...]:
    """Return at most four other wordings, each a text of one search; raises LanguageModelError."""
    messages = [
        Message(Role.SYSTEM, SYSTEM),
        Message(Role.USER, f"{instruction} Give at most {MOST}.\n\nQuestion: {plain(question)}"),
    ]
    found = (plain(text).strip()[:MAX_CHARACTERS] for text in ask_for(Wordings, messages, model).texts)
    return tuple(text for text in found if text)[:MOST]
