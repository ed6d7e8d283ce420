"""`coderag eval`: questions with known answers to figures of quality and latency."""

from __future__ import annotations

import argparse
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from coderag.api.records import json_line
from coderag.cli.eval_questions import QuestionSet, folder_of_path, groups_by, note_missing, questions_of
from coderag.cli.exit_codes import FOUND, NOTHING
from coderag.cli.groups import for_owners
from coderag.cli.opening import note
from coderag.cli.output.eval_table import evaluation_record, print_evaluation
from coderag.cli.output.files import output_path, write_output
from coderag.cli.output.text import Style, screen, visible
from coderag.errors import EvaluationError
from coderag.evaluate.configuration import DEFAULT, Configuration, parse_configuration
from coderag.evaluate.judge import Judged, judge
from coderag.evaluate.measure import ask
from coderag.evaluate.metrics import main_measure
from coderag.evaluate.plot import check_picture, plot
from coderag.evaluate.question import JudgedQuestion
from coderag.evaluate.questions_file import question_line
from coderag.evaluate.report import ALL, Evaluation, evaluate
from coderag.search.query.languages import language_names
from coderag.search.query.query import make_query
from coderag.text.counted import counted
from coderag.types import Query

__all__ = ["run"]

HITS = 10  # of each question count, where no number is given
EVERYWHERE, IN_FOLDER = "everywhere", "in its own folder"


def run(options: argparse.Namespace) -> int:
    """Measure; 1 when there is no question to ask."""
    for_owners("eval")
    if options.answers:
        from coderag.cli.commands import eval_answers  # which needs a model's client and the checker

        return eval_answers.run(options)
    _refuse_options_of_answers(options)
    configurations = _configurations(options)
    conditions = _conditions(options)
    if options.plot:
        check_picture(output_path(options.plot))
    if options.save:
        output_path(options.save)  # before any work is done
    with questions_of(options) as asked:
        if options.save:
            write_output(options.save, "\n".join(map(question_line, asked.questions)))
        everything = judge(asked.questions, asked.index)
        note_missing(everything)
        judged = [one for one in everything if one.targets]  # a search abstains from nothing
        if not judged:
            note(f"there is nothing to ask: {asked.origin}")
            return NOTHING
        found = _measured(options, asked, judged, configurations=configurations, conditions=conditions)
    _print(options, asked, found)
    if options.plot:
        _plot(options, found)
    return FOUND


def _refuse_options_of_answers(options: argparse.Namespace) -> None:
    options_given = {"--pipeline": options.pipeline, "--model": options.model, "--judge": options.judge}
    options_given |= {"--noise": options.noise, "--budget": options.budget}
    if wrong := next((name for name, value in options_given.items() if value), ""):
        raise EvaluationError(f"{wrong} is about answers; give it with --answers")


def _configurations(options: argparse.Namespace) -> list[Configuration]:
    configurations = [DEFAULT, *map(parse_configuration, options.compare)]
    names = [configuration.name for configuration in configurations]
    if len(set(names)) < len(names):
        raise EvaluationError("--compare names a configuration twice")
    if options.from_docstrings and any("index" in configuration.settings for configuration in configurations):
        raise EvaluationError("--from-docstrings asks an index of its own; no other one can be compared with it")
    return configurations


def _conditions(options: argparse.Namespace) -> Query:
    return make_query(
        "-",
        k=options.k or HITS,
        kinds=[kind.lower() for kind in options.kind],
        languages=language_names(options.language),
        paths=options.path,
        databases=options.database,
        tests=options.tests,
    )


def _folder_glob(question: JudgedQuestion) -> Sequence[str]:
    """Return the condition that confines a question to the folder that holds its answer; none for one at the top."""
    folder = folder_of_path(question.wanted[0][0].path)
    return (re.sub(r"([\[*?])", r"[\1]", folder) + "/**",) if folder else ()


def _measured(
    options: argparse.Namespace,
    asked: QuestionSet,
    judged: Sequence[Judged],
    *,
    configurations: Sequence[Configuration],
    conditions: Query,
) -> dict[str, Evaluation]:
    """Return the figures by where was looked."""
    groups = groups_by(judged, options.by)
    evaluations: dict[str, Evaluation] = {}
    scopes = {EVERYWHERE: _nowhere_else, **({IN_FOLDER: _folder_glob} if options.group_by_folder else {})}
    for name, paths in scopes.items():
        answers = ask(asked.index, judged, configurations, conditions=conditions, paths=paths)
        evaluations[name] = evaluate(judged, answers, k=conditions.k, groups=groups, seed=options.seed)
    return evaluations


def _nowhere_else(_: JudgedQuestion) -> Sequence[str]:
    return ()


def _print(options: argparse.Namespace, asked: QuestionSet, found: Mapping[str, Evaluation]) -> None:
    if options.json:
        scopes = {name: evaluation_record(one, verbose=options.verbose) for name, one in found.items()}
        print(json_line({"source": asked.facts, "k": options.k or HITS, "seed": options.seed, "scopes": scopes}))
        return
    shown = screen(options.color)
    print(shown.paint(visible(asked.origin), Style.DIM))
    for name, evaluation in found.items():
        print()
        if len(found) > 1:
            print(shown.paint(name[0].upper() + name[1:], Style.TITLE))
        print_evaluation(evaluation, shown, verbose=options.verbose)


def _plot(options: argparse.Namespace, found: Mapping[str, Evaluation]) -> None:
    figures = []
    for name, evaluation in found.items():
        for each in evaluation.figures:
            if each.group == ALL:
                label = f"{each.configuration}, {name}" if len(found) > 1 else each.configuration
                figures.append(replace(each, configuration=label))
    questions = counted(figures[0].questions, "question")
    plot(
        figures,
        output_path(options.plot),
        measure=main_measure(options.k or HITS),
        title=f"Quality and latency over {questions}",
    )
    note(f"wrote {options.plot}")
