"""Judged questions to answers with their scores, their time, and what a model was asked for them."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace

from coderag.api.index import Index
from coderag.ask.models.model import LanguageModel
from coderag.ask.records import Answer, Verdict
from coderag.errors import LanguageModelError
from coderag.evaluate.answers.context import References
from coderag.evaluate.answers.counting_model import CountingModel
from coderag.evaluate.answers.judging import judged_scores
from coderag.evaluate.answers.records import Answered, AnswerSettings, Measure, Scores, Usage
from coderag.evaluate.answers.scores import noise_scores, scores_of
from coderag.evaluate.judge import Judged

__all__ = ["answer_all"]

MILLI = 1000


def answer_all(
    index: Index,
    judged: Sequence[Judged],
    *,
    settings: AnswerSettings,
    noisy: Index | None = None,
    judge: LanguageModel | None = None,
    watch: Callable[[int], None] = lambda _: None,
) -> list[Answered]:
    """Return the questions with their answers, in order.

    `noisy` is the same index with other roots, which answers each question again. A `judge` scores each answer too; its
    opinion stays apart. A model that fails counts as one that does not answer. `watch` gets how many are answered.
    """
    counting = None if settings.model is None else CountingModel(settings.model)
    counted = replace(settings, model=counting)
    references = References(index)
    own = frozenset(root.repository for root in index.roots)
    if judged:
        _ask(index, judged[0], replace(settings, model=None))  # what is loaded once is not the time of an answer
    found = []
    for number, one in enumerate(judged, start=1):
        started = time.perf_counter()
        answer, failure = _ask(index, one, counted)
        milliseconds = (time.perf_counter() - started) * MILLI
        usage = Usage() if counting is None else counting.take()
        scores: dict[Measure, float] = dict(scores_of(one, answer, index, references))
        if noisy is not None:
            scores |= _in_noise(noisy, one, counted, references, own)
        if judge is not None:
            scores |= judged_scores(one.question.text, answer, judge)
        found.append(Answered(one, answer, scores, milliseconds, usage, failure))
        watch(number)
    return found


def _in_noise(
    noisy: Index, one: Judged, settings: AnswerSettings, references: References, own: frozenset[str]
) -> Scores:
    answer, _ = _ask(noisy, one, settings)
    if isinstance(settings.model, CountingModel):
        settings.model.take()  # the first answer's usage is the one that is reported
    return noise_scores(one, answer, noisy, references, own)


def _ask(index: Index, one: Judged, settings: AnswerSettings) -> tuple[Answer, str]:
    question = one.question.text
    try:
        answer = index.ask(
            question,
            k=settings.k,
            budget=settings.budget,
            pipeline=settings.pipeline,
            paths=settings.paths,
            databases=settings.databases,
            model=settings.model or "",
            cache=False,
        )
    except LanguageModelError as error:
        return Answer(question, Verdict.NOT_FOUND), str(error)
    return answer, ""
