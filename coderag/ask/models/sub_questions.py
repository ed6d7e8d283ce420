"""A question to the sub-questions that a language model proposes, which is shown the question alone."""

from __future__ import annotations

import msgspec

from coderag.ask.decomposition import MAX_PARTS, SubQuestion
from coderag.ask.models.defused import plain
from coderag.ask.models.model import LanguageModel, Message, Role
from coderag.ask.models.structured import ask_for
from coderag.ask.wording import names_in
from coderag.errors import LanguageModelError

__all__ = ["ProposedPart", "ProposedParts", "sub_questions"]

MAX_CHARACTERS = 300  # of a sub-question
SYSTEM = "You help a search engine for code. You do not answer questions; you divide them into simpler ones."
INSTRUCTION = """\
Divide the question into at most {most} simpler ones, each of which stands alone and keeps names as they are written. \
Where one can only be looked up with the answer of one before it, depends_on is the number of that, from 1; else 0. \
A question that asks one thing is given back alone.

Question: {question}"""


class ProposedPart(msgspec.Struct):
    """A sub-question as a model writes it."""

    question: str
    depends_on: int


class ProposedParts(msgspec.Struct):
    """All sub-questions."""

    parts: list[ProposedPart]


def sub_questions(question: str, model: LanguageModel) -> tuple[SubQuestion, ...]:
    """Return what a model proposes; raises LanguageModelError, also where it invents names or counts wrongly."""
    prompt = INSTRUCTION.format(most=MAX_PARTS, question=plain(question))
    messages = [Message(Role.SYSTEM, SYSTEM), Message(Role.USER, prompt)]
    proposed = ask_for(ProposedParts, messages, model).parts
    parts = tuple(SubQuestion(" ".join(plain(one.question).split()), one.depends_on - 1) for one in proposed)
    if not 0 < len(parts) <= MAX_PARTS:
        raise LanguageModelError(f"it proposed {len(parts)} sub-questions; there may be {MAX_PARTS} at most")
    for number, part in enumerate(parts):
        if not 0 < len(part.text) <= MAX_CHARACTERS or not -1 <= part.needs < number:
            raise LanguageModelError(f"its sub-question {number + 1} is empty, too long or depends on a later one")
        if invented := [name for name in names_in(part.text) if name not in question]:
            raise LanguageModelError(f"its sub-question {number + 1} has a name that nobody said: {invented[0]}")
    return parts
