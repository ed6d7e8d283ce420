"""A request to its answer, which the cache gives where an equal one was answered in the same state of the index."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coderag.ask.answering import Request, answer_of
from coderag.ask.caching.asking import Vectors, answered
from coderag.ask.records import Answer
from coderag.index.reader.corpus import Corpus
from coderag.search.retrieval.frequency import word_frequencies
from coderag.search.retrieval.initials import names_of_initials

if TYPE_CHECKING:
    from coderag.api.index import Index

__all__ = ["answer_request"]


def answer_request(index: Index, corpus: Corpus, request: Request, *, vectors: Vectors, least: float) -> Answer:
    """Return the answer of an index to a request, or that to an equal one.

    With `least` below 1, also that to a question whose vector has at least this cosine.
    """

    def answer() -> Answer:
        return answer_of(
            index,
            request,
            frequencies=lambda words: word_frequencies(corpus, words),
            initials=lambda letters: names_of_initials(corpus, letters),
        )

    if (key := request.key) is None:
        return answer()
    return answered(
        key,
        request.question,
        answer,
        states=request.states,
        vectors=vectors if least < 1 else None,
        least=least,
        on_step=request.on_step,
    )
