"""The folders that the ranker learns from, and what is asked of each."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, replace
from functools import partial
from itertools import chain
from pathlib import Path

from coderag.evaluate.from_docstrings import docstring_questions
from coderag.evaluate.from_git import git_questions
from coderag.evaluate.question import JudgedQuestion
from scripts.ranking_data.documented import ask_symbols, ask_topics, ask_ways
from scripts.ranking_data.documents import ask_documents
from scripts.ranking_data.packages import fetch, packages, source_repositories
from scripts.ranking_data.records import Collection, Judged, Opened, Say, Target
from scripts.ranking_data.second import ask_second
from scripts.ranking_data.suites import checked_out, repositories, suite_questions
from scripts.ranking_data.tested import ask_tests

__all__ = ["asked", "of_packages", "of_repositories", "of_suites"]

MOST = 60  # questions of a kind from a collection, so that no package outweighs the others
COMMITS = 500
SEED = 20261122
MAX_HIDDEN_BYTES = 4_000_000  # of a repository that is also read without its documentation


def of_packages(cache: Path, *, say: Say) -> list[Collection]:
    """Return each package as it is, and with its documentation hidden."""
    found: list[Collection] = []
    for package in packages():
        root = fetch(package, cache / "packages", say=say)
        ask = partial(_of_definitions, name=package.name)
        found.append(Collection(package.name, package.name, root, ask))
        found.append(_hidden(package.name, root, cache, say=say))
    return found


def of_repositories(git: Path, cache: Path, *, say: Say) -> list[Collection]:
    """Return the repositories of the list of sources, as they are and with their documentation hidden."""
    found: list[Collection] = []
    for repository in source_repositories():
        tree = checked_out(repository, git=git, cache=cache / "trees", say=say, keeps_later=True)
        if tree is None:
            say(f"{repository.name} is left out: there is no clone of {repository.source} in {git}")
            continue
        root = tree / repository.inside
        ask = partial(_of_repository, name=repository.name, since=repository.revision)
        found.append(Collection(f"git-{repository.name}", repository.name, root, ask))
        if _size(root) <= MAX_HIDDEN_BYTES:
            hidden = _hidden(repository.name, root, cache, say=say)
            documented = cache / "questions" / f"git-{repository.name}.json"
            found.append(replace(hidden, ask=partial(_of_hidden, hidden=hidden, documented=documented)))
    return found


def of_suites(folder: Path, *, git: Path | None, trees: Path | None, cache: Path, say: Say) -> list[Collection]:
    """Return the repositories of the suites in a folder and their questions, which measure and are never learned from.

    `git` holds clones; `trees` what no clone is there for.
    """
    found: list[Collection] = []
    for suite, table, questions in (("semble", "repos.json", "annotations"), ("commits", "commits.json", "commits")):
        for repository in repositories(folder / table):
            laid_out = None if trees is None else trees / suite / repository.name
            if (laid_out is None or not laid_out.is_dir()) and git is not None:
                laid_out = checked_out(repository, git=git, cache=cache / "trees", say=say)
            if laid_out is None or not laid_out.is_dir():
                say(f"{repository.name} is left out: there is no clone and no tree of {repository.source}")
                continue
            judged = suite_questions(folder / questions / f"{repository.name}.json", suite=suite)
            root = laid_out / repository.inside
            found.append(Collection(f"{suite}-{repository.name}", repository.name, root, partial(_only, judged)))
    return found


def asked(collection: Collection, opened: Opened, cache: Path) -> list[Judged]:
    """Return what is asked of a collection, made once: it depends on no encoder and on no ranking."""
    file = cache / "questions" / f"{collection.name}.json"
    if not file.is_file():
        file.parent.mkdir(parents=True, exist_ok=True)
        rows = [asdict(one) for one in collection.ask(opened)]
        file.write_text(json.dumps(rows), encoding="utf-8")
    return [
        Judged(row["text"], row["kind"], tuple(Target(**one) for one in row["targets"]))
        for row in json.loads(file.read_text(encoding="utf-8"))
    ]


def _only(questions: Sequence[Judged], _: Opened) -> Sequence[Judged]:
    return questions


def _of_definitions(opened: Opened, *, name: str) -> Iterator[Judged]:
    corpus = opened.corpus
    yield from ask_ways(corpus, name, most=MOST // 2, seed=SEED)
    yield from ask_topics(corpus, name, most=MOST // 2, seed=SEED)
    yield from ask_symbols(corpus, most=MOST // 2, seed=SEED)


def _of_repository(opened: Opened, *, name: str, since: str) -> Iterator[Judged]:
    yield from _of_definitions(opened, name=name)
    yield from ask_documents(opened.corpus, most=MOST // 2, seed=SEED)
    yield from ask_tests(opened.corpus, most=MOST // 2, seed=SEED)
    yield from _judged(git_questions(opened.root, opened.index, COMMITS, since=since).questions, "commit")


def _of_hidden(opened: Opened, *, hidden: Collection, documented: Path) -> Iterator[Judged]:
    """Yield what is asked of a folder without documentation, with what its types were said to be about."""
    yield from hidden.ask(opened)
    for row in json.loads(documented.read_text(encoding="utf-8")):
        if row["kind"] == "topic":
            yield Judged(row["text"], "about", tuple(Target(**target) for target in row["targets"]))


def _hidden(name: str, root: Path, cache: Path, *, say: Say) -> Collection:
    """Return a folder with its documentation hidden, written and asked for once."""
    folder = cache / "hidden" / name
    file = folder.with_name(f"{name}.json")
    if not file.is_file():
        say(f"hiding the documentation of {name}")
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        made = docstring_questions(root, folder, MOST, seed=SEED)
        questions = [*_judged(made.questions, "docstring"), *ask_second(root, most=MOST // 2, seed=SEED)]
        rows = [asdict(question) for question in questions]
        file.write_text(json.dumps(rows), encoding="utf-8")
    questions = [
        Judged(row["text"], row["kind"], tuple(Target(**one) for one in row["targets"]))
        for row in json.loads(file.read_text(encoding="utf-8"))
    ]
    return Collection(f"{name}-hidden", name, folder, partial(_only, questions))


def _size(root: Path) -> int:
    return sum(path.stat().st_size for path in root.rglob("*") if path.is_file() and ".git" not in path.parts)


def _judged(questions: Iterable[JudgedQuestion], kind: str) -> Iterator[Judged]:
    for question in questions:
        targets = [
            Target(place.path, place.span.start_line, place.span.end_line)
            for place in chain.from_iterable(question.wanted)
            if place.span is not None
        ]
        yield Judged(question.text, kind, tuple(targets))
