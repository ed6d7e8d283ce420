"""`coderag eval --answers`: questions with known answers to how far the answers to them can be believed."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from coderag.api.index import Index
from coderag.api.records import json_line
from coderag.ask.models.http_model import open_model
from coderag.cli.eval_questions import QuestionSet, groups_by, note_missing, questions_of
from coderag.cli.exit_codes import FOUND, NOTHING
from coderag.cli.opening import note, open_index
from coderag.cli.output.answers_table import answer_lines, answered_record, figure_lines, figures_record
from coderag.cli.output.files import output_path, write_output
from coderag.cli.output.text import Style, screen, shorten, visible
from coderag.errors import EvaluationError
from coderag.evaluate.answers.measure import answer_all
from coderag.evaluate.answers.records import Answered, AnswerSettings
from coderag.evaluate.answers.report import AnswerFigures, answer_figures
from coderag.evaluate.judge import judge
from coderag.evaluate.questions_file import question_line
from coderag.text.counted import counted

__all__ = ["run"]

DEFAULTS = AnswerSettings()  # those of `coderag ask`
MAX_FAILURE = 300  # characters


def run(options: argparse.Namespace) -> int:
    """Measure answers; 1 when there is no question to ask."""
    _refuse_options_of_searches(options)
    if options.save:
        output_path(options.save)  # before any work is done
    writer = open_model(options.model) if options.model else None
    referee = open_model(options.judge) if options.judge else None
    settings = AnswerSettings(
        k=options.k or DEFAULTS.k,
        budget=options.budget or DEFAULTS.budget,
        pipeline=options.pipeline or "",
        paths=tuple(options.path),
        databases=tuple(options.database),
        model=writer,
    )
    with questions_of(options) as asked:
        if options.save:
            write_output(options.save, "\n".join(map(question_line, asked.questions)))
        everything = judge(asked.questions, asked.index)
        note_missing(everything)
        judged = [one for one in everything if one.targets or not one.question.is_answerable]
        if not judged:
            note(f"there is nothing to ask: {asked.origin}")
            return NOTHING
        noisy = _with_noise(options, asked.index) if options.noise else None
        answered = answer_all(asked.index, judged, settings=settings, noisy=noisy, judge=referee)
    _note_failures(answered)
    figures = answer_figures(answered, groups_by(judged, options.by), seed=options.seed)
    _print(options, asked, answered, figures=figures, referee=referee.name if referee else "")
    return FOUND


def _refuse_options_of_searches(options: argparse.Namespace) -> None:
    given = {"--compare": options.compare, "--plot": options.plot, "--group-by-folder": options.group_by_folder}
    given |= {"--kind": options.kind, "--language": options.language}
    if wrong := next((name for name, value in given.items() if value), ""):
        raise EvaluationError(f"{wrong} is about searches; give it without --answers")
    if options.noise and options.from_docstrings:
        raise EvaluationError("--from-docstrings asks an index of its own, into which nothing can be mixed")


def _note_failures(answered: Sequence[Answered]) -> None:
    if failures := [one.failure for one in answered if one.failure]:
        number = counted(len(failures), "question")
        note(f"the language model failed at {number}: {shorten(visible(failures[0]), MAX_FAILURE)}")


def _with_noise(options: argparse.Namespace, index: Index) -> Index:
    """Return the index of the same roots and of those that distract."""
    roots = [*(str(root.root) for root in index.roots), *options.noise]
    return open_index(argparse.Namespace(**{**vars(options), "root": roots}))


def _print(
    options: argparse.Namespace,
    asked: QuestionSet,
    answered: Sequence[Answered],
    *,
    figures: Sequence[AnswerFigures],
    referee: str,
) -> None:
    if options.json:
        record = {"source": asked.facts, "seed": options.seed, "judge": referee, "figures": figures_record(figures)}
        if options.verbose:
            record["answers"] = [answered_record(one) for one in answered]
        print(json_line(record))
        return
    shown = screen(options.color)
    print(shown.paint(visible(asked.origin), Style.DIM))
    print("\n".join(["", *figure_lines(figures, judge=referee)]))
    if options.verbose:
        print("\n".join(["", *answer_lines(answered, shown)]))
