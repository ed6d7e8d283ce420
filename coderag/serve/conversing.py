"""A question to its answer in a conversation of whoever asks: read before, and gone on with afterwards."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from coderag.ask.records import Answer

if TYPE_CHECKING:
    from coderag.api.index import Index

__all__ = ["answered_in"]


def answered_in(session: str, index: Index, question: str, *, owner: str, model: str, **options: Any) -> Answer:
    """Return the answer of an index in a conversation of a name, by itself where the name is "".

    `owner` is the one of several callers whose conversation it is (`Index.session`). Raises like `Index.ask`, and
    ConversationError.
    """
    if not session:
        return index.ask(question, model=model, **options)
    conversation = index.session(session, owner=owner)
    answer = index.ask(question, model=model, conversation=conversation.read(), **options)
    conversation.add(answer, index, model=model)
    return answer
