"""The stage that cuts a compound question into parts, and what a part takes from the one whose answer it refers to.

A part that points to the one before it ("and who empties it?") is looked up after that, and read as in a conversation.
A language model may propose sub-questions where rules cut, or where the question is long; the question itself is looked
up beside them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from coderag.ask.decomposition import SubQuestion
from coderag.ask.decomposition import decompose as parts_of
from coderag.ask.memory.conversation import Conversation, Exchange, Shown
from coderag.ask.memory.entities import names_of, topic_of
from coderag.ask.memory.standalone import standalone_question
from coderag.ask.models.sub_questions import sub_questions
from coderag.ask.records import Route
from coderag.ask.relations import relation_of
from coderag.ask.turn import Evidence, Turn, Variant
from coderag.errors import LanguageModelError

if TYPE_CHECKING:
    from coderag.api.index import Index

__all__ = ["decompose", "with_entities"]

LONG = 12  # words from which a model may find parts that the rules do not
ENTITIES = 3  # sources of a part whose names go to a part which needs it
WEIGHT = 1.0  # of the search in these words; that of the part alone has 1


def decompose(turn: Turn) -> Turn:
    """Cut a compound question into parts that are answered apart."""
    parts = parts_of(turn.text)
    why = ""
    if turn.model is not None and (len(parts) > 1 or len(turn.text.split()) >= LONG):
        try:
            proposed = sub_questions(turn.text, turn.model)
        except LanguageModelError as error:
            why = f", by rules, as {turn.model.name} failed: {error}"
        else:
            if len(proposed) > 1:
                return _nested(turn, proposed, turn.model.name)
            why = f", by rules, as {turn.model.name} sees one question"
    summary = "; ".join(part.text for part in parts) if len(parts) > 1 else "one question"
    return turn.after(
        "decompose", f"{summary}{why}", evidence=[Evidence(part.text, needs=part.needs) for part in parts]
    )


def with_entities(part: Evidence, before: Sequence[Evidence], index: Index) -> Evidence:
    """Return a part that is also searched with the subject of the part that it needs, or with what answered that.

    After that it needs none. Only a question for a relation is tried again: the graph needs a name to answer.
    """
    if not 0 <= part.needs < len(before):
        return part
    sources = [finding.source for finding in before[part.needs].findings if finding.source.name][:ENTITIES]
    shown = tuple(
        Shown(source.repository, source.path, source.start_line, source.end_line, source.name) for source in sources
    )
    reading = _reading(part.text, before[part.needs].text, index, shown=shown)
    if reading != part.text and relation_of(reading):
        return replace(part, text=reading, routes=(Route.GRAPH,) if part.routes else (), needs=-1)
    names = " ".join(dict.fromkeys(one.name for one in shown))
    wording = reading if reading != part.text else f"{part.text} {names}"
    return replace(part, variants=(*part.variants, Variant(wording, WEIGHT, "decompose")), needs=-1)


def _nested(turn: Turn, parts: Sequence[SubQuestion], name: str) -> Turn:
    """Return the turn with the question itself and a model's sub-questions after it."""
    subs = [Evidence(part.text, needs=part.needs + 1 if part.needs >= 0 else -1) for part in parts]
    leans = [f"{part.text}{f' (after {parts[part.needs].text})' if part.needs >= 0 else ''}" for part in parts]
    text = "; ".join([turn.text, *leans])
    return turn.after("decompose", f"{text}, by {name}", evidence=[Evidence(turn.text), *subs])


def _reading(text: str, before: str, index: Index, *, shown: tuple[Shown, ...]) -> str:
    """Return a text as it reads after a question and what that was answered by."""
    names = names_of(before, index)
    exchange = Exchange(before, names=names, topic=topic_of(before, is_named=bool(names)), shown=shown)
    reading = standalone_question(text, Conversation((exchange,)), index)
    return reading.text if reading else text
