"""An answer to the text that it says, as the checker of citations reads it."""

from __future__ import annotations

from coderag.ask.checking.citations import find_citations
from coderag.ask.checking.sentences import split_sentences
from coderag.ask.composing import cited
from coderag.ask.records import Answer, Statement

__all__ = ["said", "said_text"]


def said(answer: Answer) -> str:
    """Return what an answer states, with its citations: the model's text, else a line for each statement and fact."""
    return answer.text or "\n".join(f"- {_cited(statement)}" for statement in (*answer.statements, *answer.facts))


def said_text(answer: Answer) -> str:
    """Return all words that an answer shows: what it states and quotes, its SQL, and what its sources are called."""
    quotes = [quote for statement in answer.statements for quote in statement.quotes]
    places = [f"{source.path} {source.name}" for source in answer.sources]
    return "\n".join([said(answer), *quotes, answer.sql, *places])


def _cited(statement: Statement) -> str:
    """Return a statement with its last citations behind each sentence without its own, as they are meant for both."""
    last = "".join(f"[{number}]" for number in statement.last)
    sentences = split_sentences(" ".join(cited(statement).split()))
    return " ".join(
        sentence.text if find_citations(sentence.text).citations or not last else f"{sentence.text} {last}"
        for sentence in sentences
    )
