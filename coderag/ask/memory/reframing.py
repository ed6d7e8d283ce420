"""What reframing does beside spelling: acronyms are spelled out, and a question is completed from its conversation."""

from __future__ import annotations

from dataclasses import replace

from coderag.ask.memory.acronyms import spelled_out
from coderag.ask.memory.rewriting import rewritten
from coderag.ask.memory.standalone import leans_on_context, standalone_question
from coderag.ask.records import Step
from coderag.ask.turn import Turn
from coderag.errors import LanguageModelError

__all__ = ["reframed"]

STAGE = "reframe"


def reframed(turn: Turn) -> Turn:
    """Return a turn whose text stands alone; the trace says how the question was read, and by what."""
    turn = _followed(_spelled_out(turn))
    return replace(turn, read_as=turn.text if turn.text != turn.question else "")


def _spelled_out(turn: Turn) -> Turn:
    if not any(word.isupper() for word in turn.text.split()):
        return turn
    words = [word.strip("?.,;:!()'\"`") for word in turn.text.split()]
    frequencies = turn.frequencies([word for word in words if word.isupper()])
    unknown = frozenset(word for word, count in frequencies.items() if not count)
    text, expansions = spelled_out(turn.text, turn.index, unknown=unknown, names=turn.initials)
    steps = tuple(Step(STAGE, expansion.said) for expansion in expansions)
    return replace(turn, text=text, trace=(*turn.trace, *steps))


def _followed(turn: Turn) -> Turn:
    """Return a turn with the question as rules complete it, and as a model does where it leans on the conversation."""
    reading = standalone_question(turn.text, turn.conversation, turn.index)
    if reading is not None:
        turn = replace(turn, text=reading.text, trace=(*turn.trace, Step(STAGE, reading.said)))
    return _written(turn) if reading is not None or leans_on_context(turn.question) else turn


def _written(turn: Turn) -> Turn:
    """Return a turn with the question as a model writes it out; what rules made of it is looked up beside it.

    The model is asked once in a turn, however often a pipeline reframes.
    """
    exchanges, writer = turn.conversation.exchanges, turn.writer
    if writer is None or not exchanges:
        return turn
    turn = replace(turn, writer=None)
    try:
        text = rewritten(turn.question, exchanges, writer, summary=turn.conversation.summary)
    except LanguageModelError as error:
        return replace(turn, trace=(*turn.trace, Step(STAGE, f"the model did not rewrite the question: {error}")))
    if not text:
        summary = "the model's rewriting names what nobody said; it is left out"
        return replace(turn, trace=(*turn.trace, Step(STAGE, summary)))
    if text == turn.text:
        return turn
    summary = f"the model reads it as {text!r}; {turn.text!r} is looked up beside it"
    return replace(turn, text=text, beside=turn.text, trace=(*turn.trace, Step(STAGE, summary)))
