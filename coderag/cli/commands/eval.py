"""`coderag eval`: questions with known answers to figures of quality and latency."""

from __future__ import annotations

import argparse
import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from coderag.api.index import Index
from coderag.api.records import json_line
from coderag.cli.caller import for_owners
from coderag.cli.exit_codes import FOUND, NOTHING
from coderag.cli.opening import note, open_index
from coderag.cli.output.eval_table import evaluation_record, print_evaluation
from coderag.cli.output.files import output_path, write_output
from coderag.cli.output.progress import Bar
from coderag.cli.output.text import Style, screen, shorten, visible
from coderag.cli.roots import given_roots
from coderag.errors import EvaluationError
from coderag.evaluate.configuration import DEFAULT, Configuration, parse_configuration
from coderag.evaluate.judge import Judged, judge
from coderag.evaluate.measure import ask
from coderag.evaluate.metrics import main_measure
from coderag.evaluate.plot import check_picture, plot
from coderag.evaluate.question import JudgedQuestion
from coderag.evaluate.questions_file import question_line, read_questions
from coderag.evaluate.report import ALL, Evaluation, Group, evaluate, grouped
from coderag.evaluate.sampling import sample
from coderag.files.globs import path_test
from coderag.search.query.languages import language_names
from coderag.search.query.query import make_query
from coderag.text.counted import counted
from coderag.types import Query

__all__ = ["run"]

MADE, MADE_OF_A_FOLDER = 300, 150  # questions, where no limit is given
MAX_MISSING = 10  # that are listed
EVERYWHERE, IN_FOLDER = "everywhere", "in its own folder"


@dataclass(frozen=True, slots=True)
class Asked:
    """What is asked, of which index, and where the questions come from."""

    index: Index
    questions: Sequence[JudgedQuestion]
    origin: str
    facts: Mapping[str, Any]  # of the origin, for programs


def run(options: argparse.Namespace) -> int:
    """Measure; 1 when there is no question to ask."""
    for_owners("eval")
    configurations = _configurations(options)
    conditions = _conditions(options)
    if options.plot:
        check_picture(output_path(options.plot))
    if options.save:
        output_path(options.save)  # before any work is done
    with _asked(options) as asked:
        if options.save:
            write_output(options.save, "\n".join(map(question_line, asked.questions)))
        everything = judge(asked.questions, asked.index)
        _note_missing(everything)
        judged = [one for one in everything if one.targets]
        if not judged:
            note(f"there is nothing to ask: {asked.origin}")
            return NOTHING
        found = _measured(options, asked, judged, configurations=configurations, conditions=conditions)
    _print(options, asked, found)
    if options.plot:
        _plot(options, found)
    return FOUND


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
        k=options.k,
        kinds=[kind.lower() for kind in options.kind],
        languages=language_names(options.language),
        paths=options.path,
        databases=options.database,
        tests=options.tests,
    )


@contextmanager
def _asked(options: argparse.Namespace) -> Iterator[Asked]:
    if options.since and not options.from_git:
        raise EvaluationError("--since is about commits; give it with --from-git")
    if options.from_docstrings:
        with tempfile.TemporaryDirectory(prefix="coderag-eval-") as scratch:
            yield _from_docstrings(options, Path(scratch))
    elif options.from_git:
        yield _from_git(options)
    else:
        yield _from_file(options)


def _from_file(options: argparse.Namespace) -> Asked:
    path = Path(options.questions)
    questions = read_questions(path)
    chosen = questions if options.sample is None else sample(questions, options.sample, seed=options.seed)
    origin = f"{counted(len(chosen), 'question')} of {path}"
    return Asked(open_index(options), chosen, origin, {"from": "file", "questions": len(chosen)})


def _from_git(options: argparse.Namespace) -> Asked:
    from coderag.evaluate.from_git import git_questions

    index = open_index(options)
    limit = MADE if options.sample is None else options.sample
    made = [git_questions(root.root, index, limit, since=options.since or "") for root in index.roots]
    questions = [question for one in made for question in one.questions]
    commits, targets = sum(one.commits for one in made), sum(one.targets for one in made)
    found = sum(one.found for one in made)
    skipped: dict[str, int] = {}
    for one in made:
        for reason, count in one.skipped.items():
            skipped[reason] = skipped.get(reason, 0) + count
    facts = {"from": "git", "questions": len(questions), "commits": commits, "skipped": skipped}
    facts |= {"targets": targets, "targets_found": found}
    share = f"{len(questions) / commits:.0%}" if commits else "0%"
    still = f"{found / targets:.0%}" if targets else "0%"
    origin = (
        f"{counted(len(questions), 'question')} of {counted(commits, 'commit')} ({share}); "
        f"{still} of the {counted(targets, 'function')} that they changed are still there; "
        f"not used: {_reasons(skipped)}"
    )
    if any(one.is_shallow for one in made):
        origin += "; the clone is shallow, so there are fewer commits than in the repository"
    return Asked(index, questions, origin, facts)


def _from_docstrings(options: argparse.Namespace, scratch: Path) -> Asked:
    from coderag.evaluate.from_docstrings import docstring_questions

    placed = given_roots(options, options.root)
    if len(placed) > 1:
        raise EvaluationError("--from-docstrings copies one root; give one --root")
    copy = scratch / (placed[0].root.name or "root")
    each = MADE_OF_A_FOLDER if options.group_by_folder else MADE
    made = docstring_questions(
        placed[0].root,
        copy,
        each if options.sample is None else options.sample,
        allowed=path_test(options.path),
        group=_folder if options.group_by_folder else lambda _: "",
        seed=options.seed,
    )
    copy.mkdir(exist_ok=True)
    with Bar(f"Indexing a copy of {visible(placed[0].repository)}", at_once=True) as bar:
        index = Index.build(copy, index=scratch / "index", watch=bar)
    facts = {"from": "docstrings", "questions": len(made.questions), "files": made.files}
    facts |= {"functions": made.functions, "skipped": dict(made.skipped), "chunks": len(index)}
    origin = (
        f"{counted(len(made.questions), 'question')} of {counted(made.functions, 'function')} in "
        f"{counted(made.files, 'file')}, whose documentation is hidden; not asked: {_reasons(made.skipped)}"
    )
    return Asked(index, made.questions, origin, facts)


def _reasons(skipped: Mapping[str, int]) -> str:
    ordered = sorted(skipped.items(), key=lambda item: (-item[1], item[0]))
    return ", ".join(f"{count:,} {reason}" for reason, count in ordered) or "none"


def _folder(path: str) -> str:
    return path.partition("/")[0] if "/" in path else ""


def _folder_of(question: JudgedQuestion) -> str:
    return _folder(question.wanted[0][0].path)


def _folder_glob(question: JudgedQuestion) -> Sequence[str]:
    """Return the condition that confines a question to the folder that holds its answer; none for one at the top."""
    folder = _folder_of(question)
    return (re.sub(r"([\[*?])", r"[\1]", folder) + "/**",) if folder else ()


def _note_missing(judged: Sequence[Judged]) -> None:
    """Say which wanted places the index has not, and how many questions are left out for that."""
    missing = [f"{one.question.source}: {what}" for one in judged for what in one.missing]
    for line in missing[:MAX_MISSING]:
        note(f"not in the index: {shorten(line, 200)}")
    if len(missing) > MAX_MISSING:
        note(f"and {len(missing) - MAX_MISSING:,} more")
    if left_out := sum(not one.targets for one in judged):
        note(f"{counted(left_out, 'question')} left out: the index has nothing of what answers them")


def _measured(
    options: argparse.Namespace,
    asked: Asked,
    judged: Sequence[Judged],
    *,
    configurations: Sequence[Configuration],
    conditions: Query,
) -> dict[str, Evaluation]:
    """Return the figures by where was looked."""
    groups = _groups(judged, options.by)
    found: dict[str, Evaluation] = {}
    scopes = {EVERYWHERE: _nowhere_else, **({IN_FOLDER: _folder_glob} if options.group_by_folder else {})}
    for name, paths in scopes.items():
        answers = ask(asked.index, judged, configurations, conditions=conditions, paths=paths)
        found[name] = evaluate(judged, answers, k=conditions.k, groups=groups, seed=options.seed)
    return found


def _nowhere_else(_: JudgedQuestion) -> Sequence[str]:
    return ()


def _groups(judged: Sequence[Judged], by: str | None) -> list[Group]:
    return grouped(judged, (lambda one: _group(one, by)) if by else None)


def _group(one: Judged, by: str) -> str:
    return {"language": one.language, "kind": one.question.kind, "folder": _folder_of(one.question)}[by]


def _print(options: argparse.Namespace, asked: Asked, found: Mapping[str, Evaluation]) -> None:
    if options.json:
        scopes = {name: evaluation_record(one, verbose=options.verbose) for name, one in found.items()}
        print(json_line({"source": asked.facts, "k": options.k, "seed": options.seed, "scopes": scopes}))
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
        measure=main_measure(options.k),
        title=f"Quality and latency over {questions}",
    )
    note(f"wrote {options.plot}")
