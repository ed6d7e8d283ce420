"""Answers to a conversation: what was asked, what it was about, and what was shown."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from coderag.ask.memory.entities import names_of, topic_of
from coderag.ask.records import Answer, Route
from coderag.record import record

if TYPE_CHECKING:
    from coderag.api.index import Index

__all__ = ["FORGOTTEN", "MOST_EXCHANGES", "Conversation", "Exchange", "Shown"]

MOST_EXCHANGES = 20  # that a conversation remembers
FORGOTTEN = 10  # of them that a summary takes the place of
LOOKED_AT = 1_000  # characters of a question; what is longer is a pasted text
MOST_SHOWN = 8  # sources of one answer


@record
class Shown:
    """A source of an answer."""

    repository: str
    path: str
    start_line: int
    end_line: int
    name: str = ""  # of what it defines


@record
class Exchange:
    """A question and what its answer showed."""

    question: str
    read_as: str = ""  # with what the conversation gave, "" as it was asked
    names: tuple[str, ...] = ()  # of code and tables that it names
    topic: str = ""  # what it is about, in its words
    shown: tuple[Shown, ...] = ()

    @property
    def text(self) -> str:
        """The question as it was looked up."""
        return self.read_as or self.question


@record
class Conversation:
    """The last questions, oldest first, and the files that every question looks into."""

    exchanges: tuple[Exchange, ...] = ()
    pinned: tuple[str, ...] = ()  # globs
    summary: str = ""  # of the questions before, as a language model summed them up

    @property
    def is_full(self) -> bool:
        """Whether the next exchange makes it forget the oldest."""
        return len(self.exchanges) >= MOST_EXCHANGES

    def condensed(self, summary: str) -> Conversation:
        """Return the conversation with a summary in the place of its oldest exchanges."""
        return replace(self, exchanges=self.exchanges[FORGOTTEN:], summary=summary)

    def after(self, answer: Answer, index: Index) -> Conversation:
        """Return the conversation with one more answer of an index; the oldest are forgotten."""
        text = (answer.read_as or answer.question)[:LOOKED_AT]
        names = names_of(text, index, tables=Route.DATA in answer.routes)
        exchange = Exchange(
            question=answer.question,
            read_as=answer.read_as,
            names=names,
            topic=topic_of(text, is_named=bool(names)),
            shown=tuple(
                Shown(source.repository, source.path, source.start_line, source.end_line, source.name)
                for source in answer.sources[:MOST_SHOWN]
            ),
        )
        return replace(self, exchanges=(*self.exchanges, exchange)[-MOST_EXCHANGES:])
