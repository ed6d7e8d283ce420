"""The options of `coderag eval` to the questions that it asks, and the index that answers them."""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from coderag.api.index import Index
from coderag.cli.opening import note, open_index
from coderag.cli.output.progress import Bar
from coderag.cli.output.text import shorten, visible
from coderag.cli.roots import given_roots
from coderag.errors import EvaluationError
from coderag.evaluate.judge import Judged
from coderag.evaluate.question import JudgedQuestion
from coderag.evaluate.questions_file import read_questions
from coderag.evaluate.report import Group, grouped
from coderag.evaluate.sampling import sample
from coderag.files.globs import path_test
from coderag.text.counted import counted

__all__ = ["QuestionSet", "folder_of_path", "groups_by", "note_missing", "questions_of"]

MADE, MADE_OF_A_FOLDER = 300, 150  # questions, where no limit is given
MAX_MISSING = 10  # that are listed


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """What is asked, of which index, and where the questions come from."""

    index: Index
    questions: Sequence[JudgedQuestion]
    origin: str
    facts: Mapping[str, Any]  # of the origin, for programs


@contextmanager
def questions_of(options: argparse.Namespace) -> Iterator[QuestionSet]:
    """Give the questions of a file, of commits, or of documentation; raises EvaluationError."""
    if options.since and not options.from_git:
        raise EvaluationError("--since is about commits; give it with --from-git")
    if options.from_docstrings:
        with tempfile.TemporaryDirectory(prefix="coderag-eval-") as scratch:
            yield _from_docstrings(options, Path(scratch))
    elif options.from_git:
        yield _from_git(options)
    else:
        yield _from_file(options)


def _from_file(options: argparse.Namespace) -> QuestionSet:
    path = Path(options.questions)
    questions = read_questions(path)
    chosen = questions if options.sample is None else sample(questions, options.sample, seed=options.seed)
    origin = f"{counted(len(chosen), 'question')} of {path}"
    return QuestionSet(open_index(options), chosen, origin, {"from": "file", "questions": len(chosen)})


def _from_git(options: argparse.Namespace) -> QuestionSet:
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
    return QuestionSet(index, questions, origin, facts)


def _from_docstrings(options: argparse.Namespace, scratch: Path) -> QuestionSet:
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
        group=folder_of_path if options.group_by_folder else lambda _: "",
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
    return QuestionSet(index, made.questions, origin, facts)


def _reasons(skipped: Mapping[str, int]) -> str:
    ordered = sorted(skipped.items(), key=lambda item: (-item[1], item[0]))
    return ", ".join(f"{count:,} {reason}" for reason, count in ordered) or "none"


def folder_of_path(path: str) -> str:
    """Return the first folder of a path, "" for a file at the top."""
    return path.partition("/")[0] if "/" in path else ""


def groups_by(judged: Sequence[Judged], by: str | None) -> list[Group]:
    """Return questions by language, kind or folder, after all of them; these alone where `by` is None."""
    return grouped(judged, (lambda one: _group(one, by)) if by else None)


def _group(judged: Judged, by: str) -> str:
    folder = folder_of_path(judged.question.wanted[0][0].path) if judged.question.is_answerable else ""
    return {"language": judged.language, "kind": judged.question.kind, "folder": folder}[by]


def note_missing(judged: Sequence[Judged]) -> None:
    """Say which wanted places the index has not, and how many questions are left out for that."""
    missing = [f"{one.question.source}: {what}" for one in judged for what in one.missing]
    for line in missing[:MAX_MISSING]:
        note(f"not in the index: {shorten(line, 200)}")
    if len(missing) > MAX_MISSING:
        note(f"and {len(missing) - MAX_MISSING:,} more")
    if left_out := sum(not one.targets and one.question.is_answerable for one in judged):
        note(f"{counted(left_out, 'question')} left out: the index has nothing of what answers them")
