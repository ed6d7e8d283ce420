"""Figures of answers to tables, and to records for programs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from coderag.cli.output.text import Screen, Style, shorten, table, visible
from coderag.evaluate.answers.records import Answered
from coderag.evaluate.answers.report import AnswerFigures, Measured

__all__ = ["answer_lines", "answered_record", "figure_lines", "figures_record"]

NUMBERS_FROM = 2  # the columns before it are words
MAX_LISTED = 200
QUESTION_CHARS = 120


def figures_record(figures: Sequence[AnswerFigures]) -> list[dict[str, Any]]:
    """Return figures as plain values."""
    return [asdict(figure) for figure in figures]


def answered_record(answered: Answered) -> dict[str, Any]:
    """Return an answer as plain values: what was asked, what it is measured by, and which places it shows."""
    return {
        "question": answered.judged.question.text,
        "kind": answered.judged.question.kind,
        "source": answered.judged.question.source,
        "answerable": answered.judged.question.is_answerable,
        "verdict": str(answered.answer.verdict),
        "confidence": answered.answer.confidence,
        "scores": {str(measure): value for measure, value in answered.scores.items()},
        "sources": [source.place for source in answered.answer.sources],
        "milliseconds": answered.milliseconds,
        "usage": asdict(answered.usage),
        "failure": answered.failure,
    }


def figure_lines(figures: Sequence[AnswerFigures], *, judge: str) -> Iterator[str]:
    """Yield the figures of each group as tables: what is measured, what a judge thinks, and what it costs."""
    yield from _table([("Questions", "Measure", "Number", "Mean"), *_rows(figures, "measures")])
    if judge:
        yield ""
        yield from _table(
            [("Questions", f"Opinion of {visible(judge)}", "Number", "Mean"), *_rows(figures, "opinions")]
        )
    yield ""
    head = ("Questions", "", "Number", "Unanswerable", "Abstained", "Failed", "p50 ms", "p90 ms", "Calls")
    yield from _table([(*head, "Prompt tokens", "Reply tokens"), *map(_cost, figures)])


def answer_lines(answered: Sequence[Answered], shown: Screen) -> Iterator[str]:
    """Yield the questions that are answered wrongly: what was wanted, and what is shown."""
    wrong = [one for one in answered if not one.is_right]
    yield shown.paint(f"{len(wrong):,} of {len(answered):,} questions are answered wrongly", Style.TITLE)
    for one in wrong[:MAX_LISTED]:
        question = one.judged.question
        source = shown.paint(visible(question.source), Style.DIM)
        yield f"  {shorten(visible(question.text), QUESTION_CHARS)}  {source}"
        wanted = ", ".join(str(places[0]) for places in question.wanted) or "nothing answers it"
        places = ", ".join(source.place for source in one.answer.sources)
        yield f"      wanted  {shorten(visible(wanted), shown.width)}"
        yield f"      shown   {shorten(visible(one.failure or places or 'nothing'), shown.width)}"
    if len(wrong) > MAX_LISTED:
        yield f"  and {len(wrong) - MAX_LISTED:,} more"


def _rows(figures: Sequence[AnswerFigures], field: str) -> Iterator[Sequence[str]]:
    for figure in figures:
        known: Mapping[str, Measured] = getattr(figure, field)
        for name, measured in known.items():
            spread = (measured.value.high - measured.value.low) / 2
            mean = f"{measured.value.mean:.3f} ±{spread:.3f}"
            yield visible(figure.group), name, f"{measured.questions:,}", mean


def _cost(answer_figures: AnswerFigures) -> Sequence[str]:
    counts = (answer_figures.questions, answer_figures.unanswerable, answer_figures.abstained, answer_figures.failed)
    usage = (answer_figures.usage.calls, answer_figures.usage.prompt_tokens, answer_figures.usage.reply_tokens)
    times = (f"{answer_figures.p50:.1f}", f"{answer_figures.p90:.1f}")
    return (
        visible(answer_figures.group),
        "",
        *(f"{count:,}" for count in counts),
        *times,
        *(f"{count:,}" for count in usage),
    )


def _table(rows: Sequence[Sequence[str]]) -> list[str]:
    return table(rows, right=range(NUMBERS_FROM, len(rows[0])), indent="")
