"""What an answer depends on, as a key: the index as somebody sees it, the question, and all that was chosen."""

from __future__ import annotations

from dataclasses import replace
from itertools import count
from threading import Lock
from unicodedata import normalize
from weakref import WeakKeyDictionary

from coderag.ask.memory.conversation import Conversation
from coderag.ask.turn import Options
from coderag.record import record

__all__ = ["AnswerKey", "generation_of", "normalised"]

_numbers: WeakKeyDictionary[object, int] = WeakKeyDictionary()
_next_number = count(1)
_lock = Lock()


@record
class AnswerKey:
    """What two calls have in common of which one may have the other's answer."""

    generation: int  # of the snapshot, which is that of one state of the index and of one set of access rules
    question: str
    pipeline: tuple[str, ...]
    options: Options
    model: str = ""
    conversation: Conversation = Conversation()
    stored_graph: bool = False  # whether the graph may be older than the index
    asks_model: bool = False  # whether stages ask the model, too

    @property
    def without_question(self) -> AnswerKey:
        """The rest of the key."""
        return replace(self, question="")


def generation_of(snapshot: object) -> int:
    """Return the number of a snapshot in this process; no two ever have the same, though one may be gone."""
    with _lock:
        number = _numbers.get(snapshot)
        if number is None:
            number = _numbers[snapshot] = next(_next_number)
        return number


def normalised(question: str) -> str:
    """Return a question without what nobody would tell apart: spaces, and forms of one character."""
    return " ".join(normalize("NFC", question).split())
