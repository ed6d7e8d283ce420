"""A question to the queries that a model writes for it: sampled, checked, repaired once, the best first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from coderag.ask.models.model import LanguageModel, Message
from coderag.ask.models.thoughts import final_text
from coderag.ask.sql.prompt import repair_messages, sql_in
from coderag.ask.sql.records import Candidate
from coderag.errors import LanguageModelError

__all__ = ["SAMPLES", "Judge", "NoSqlError", "sampled"]

SAMPLES = 3  # queries that a model is asked for
REASON_CHARACTERS = 300

Judge = Callable[[str], Candidate]  # a query to what speaks against it


class NoSqlError(LanguageModelError):
    """What a model says where it writes no SQL: what the schema lacks."""


def sampled(messages: Sequence[Message], model: LanguageModel, *, judge: Judge, count: int) -> list[Candidate]:
    """Return the distinct queries that a model writes, repaired where they have faults, the best first.

    A query without faults comes before one with, then what the model writes most often (self-consistency), then what it
    wrote first. Raises NoSqlError where no sample is SQL, LanguageModelError where the model does not answer at all.
    """
    texts = _texts(messages, model, count)
    queries = [query for text in texts if (query := sql_in(text))]
    if not queries:
        raise NoSqlError(" ".join(texts[0].split())[:REASON_CHARACTERS])
    votes = Counter(map(_normal, queries))
    distinct = {_normal(query): query for query in reversed(queries)}
    candidates = [replace(judge(distinct[key]), votes=votes[key]) for key in votes]
    return sorted(
        (
            candidate if candidate.is_right else _repaired(candidate, messages, model, judge=judge)
            for candidate in candidates
        ),
        key=lambda one: (not one.is_right, -one.votes, len(one.faults)),
    )


def _texts(messages: Sequence[Message], model: LanguageModel, count: int) -> list[str]:
    """Return the answers of some samples; those that fail are left out while one succeeds."""

    def sample(_: int) -> str | LanguageModelError:
        try:
            return final_text(model.complete(messages))
        except LanguageModelError as error:
            return error

    with ThreadPoolExecutor(count) as pool:
        answers = list(pool.map(sample, range(count)))
    texts = [answer for answer in answers if isinstance(answer, str)]
    if not texts:
        raise next(answer for answer in answers if isinstance(answer, LanguageModelError))
    return texts


def _repaired(candidate: Candidate, messages: Sequence[Message], model: LanguageModel, *, judge: Judge) -> Candidate:
    """Return what a model makes of a query whose faults it is told, or the query where that is no better."""
    try:
        again = sql_in(final_text(model.complete(repair_messages(messages, candidate.sql, candidate.faults))))
    except LanguageModelError:
        return candidate
    if not again:
        return candidate
    second = replace(judge(again), votes=candidate.votes, repaired=True)
    return second if second.is_right or len(second.faults) < len(candidate.faults) else candidate


def _normal(sql: str) -> str:
    return " ".join(sql.rstrip("; \n\t").casefold().split())
