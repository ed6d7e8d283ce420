"""The repositories and packages that the confidence is fitted to, indexed, and what is asked of each."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import chain
from pathlib import Path

from coderag.api.index import Index
from coderag.encoders.encoder import Encoder
from coderag.errors import StoredIndexError
from coderag.evaluate.from_docstrings import docstring_questions
from coderag.evaluate.from_git import git_questions
from coderag.evaluate.question import JudgedQuestion
from coderag.index.build.embed import Embedding
from coderag.index.reader.corpus import Corpus, open_members
from coderag.index.storage.folder.index_path import IndexPath
from coderag.index.storage.manifest import read_manifest
from scripts.confidence_data.written import ask_shared_names, ask_strings
from scripts.ranking_data.documented import ask_symbols, ask_topics, ask_ways
from scripts.ranking_data.documents import ask_documents
from scripts.ranking_data.packages import fetch, packages
from scripts.ranking_data.records import Judged, Say, Target
from scripts.ranking_data.suites import Repository, checked_out, repositories, suite_questions

__all__ = ["Source", "learned_from", "measured_on"]

TABLE = Path(__file__).with_name("sources.toml")
SUITES = (("semble", "repos.json", "annotations"), ("commits", "commits.json", "commits"))
MOST = 40  # questions of a kind from a source that is learned from
MOST_MEASURED = 12  # ... that is only measured on
SEED = 20261123
MAX_HIDDEN_BYTES = 40_000_000  # of a source that is also read without its documentation


@dataclass(frozen=True, slots=True)
class Source:
    """An indexed folder and the questions that it answers."""

    name: str
    group: str  # the same for a source as it is and with its documentation hidden
    corpus: Corpus
    encoder: Encoder | None
    questions: tuple[Judged, ...]
    is_hidden: bool = False  # its documentation


def learned_from(cache: Path, *, git: Path, workers: int, say: Say) -> Iterator[Source]:
    """Yield the sources that are learned from: each as it is, and small ones with their documentation hidden."""
    table = tomllib.loads(TABLE.read_text(encoding="utf-8"))
    roots = {
        package.name: fetch(package, cache / "packages", say=say)
        for package in packages()
        if package.name in table["packages"].split()
    }
    for source, revision in table["repositories"].items():
        repository = Repository(source.replace("/", "-"), source, revision, "")
        root = checked_out(repository, git=git, cache=cache / "trees", say=say)
        if root is None:
            say(f"{source} is left out: there is no clone in {git}")
            continue
        roots[repository.name] = root
    (cache / "trees").mkdir(parents=True, exist_ok=True)
    for name, root in sorted(roots.items()):
        say(name)
        index, corpus, encoder = _indexed(root, cache / "indexes" / name, workers)
        file = cache / "questions" / f"{name}.json"
        if not file.is_file():
            _write(file, _asked_of(name, root, index, corpus))
        questions = _read(file)
        yield Source(name, name, corpus, encoder, questions)
        hidden = _hidden(name, root, questions, cache)
        if hidden is not None:
            _, corpus, encoder = _indexed(hidden, cache / "indexes" / f"{name}-hidden", workers)
            questions = _read(cache / "questions" / f"{name}-hidden.json")
            yield Source(f"{name}-hidden", name, corpus, encoder, questions, is_hidden=True)


def measured_on(suites: Path, indexed: Path, cache: Path) -> Iterator[Source]:
    """Yield the repositories of the suites, indexed below `indexed`: their questions, names, strings and topics.

    Nothing is learned from them.
    """
    for suite, table, folder in SUITES:
        for repository in repositories(suites / table):
            root = indexed / suite / repository.name / repository.inside
            if not root.is_dir():
                continue
            corpus, encoder = _opened(IndexPath(root / ".coderag"))
            file = cache / "held-out" / f"{suite}-{repository.name}.json"
            if not file.is_file():
                own = suite_questions(suites / folder / f"{repository.name}.json", suite=suite)
                _write(file, [*own, *_of_definitions(repository.name, corpus, most=MOST_MEASURED)])
            yield Source(f"{suite}-{repository.name}", repository.name, corpus, encoder, _read(file))


def _asked_of(name: str, root: Path, index: Index, corpus: Corpus) -> Iterator[Judged]:
    yield from _of_definitions(name.rpartition("-")[2], corpus, most=MOST)
    yield from ask_documents(corpus, most=MOST // 2, seed=SEED)
    if (root / ".git").exists():
        yield from _judged(git_questions(root, index, 2 * MOST).questions, "commit")


def _of_definitions(name: str, corpus: Corpus, *, most: int) -> Iterator[Judged]:
    yield from ask_ways(corpus, name, most=most, seed=SEED)
    yield from ask_topics(corpus, name, most=most, seed=SEED)
    yield from ask_symbols(corpus, most=most, seed=SEED)
    yield from ask_shared_names(corpus, most=most // 4, seed=SEED)
    yield from ask_strings(corpus, most=most, seed=SEED)


def _hidden(name: str, root: Path, asked: Sequence[Judged], cache: Path) -> Path | None:
    """Return a copy of a source with its documentation hidden, written and asked for once; None for a large source."""
    folder, file = cache / "hidden" / name, cache / "questions" / f"{name}-hidden.json"
    if not file.is_file():
        if (
            sum(path.stat().st_size for path in root.rglob("*") if path.is_file() and ".git" not in path.parts)
            > MAX_HIDDEN_BYTES
        ):
            return None
        folder.mkdir(parents=True, exist_ok=True)
        made = docstring_questions(root, folder, MOST, seed=SEED)
        _write(file, [*_judged(made.questions, "docstring"), *_of_files(asked)])
    return folder


def _of_files(asked: Sequence[Judged]) -> Iterator[Judged]:
    """Yield the questions made of documentation, which the whole file answers where the documentation is hidden."""
    for one in asked:
        if one.kind in ("how", "topic"):
            yield Judged(one.text, "about", tuple(Target(target.path) for target in one.targets))


def _indexed(root: Path, folder: Path, workers: int) -> tuple[Index, Corpus, Encoder | None]:
    """Return the index of a folder, its corpus and its encoder; made where it is missing or of another version."""
    try:
        index = Index.open(root, index=folder)
        index.update(workers=workers)
    except StoredIndexError:
        index = Index.build(root, index=folder, workers=workers)
    return index, *_opened(IndexPath(folder))


def _opened(path: IndexPath) -> tuple[Corpus, Encoder | None]:
    manifest = read_manifest(path)
    return Corpus(open_members(path, manifest)), Embedding.of(manifest).encoder


def _judged(questions: Sequence[JudgedQuestion], kind: str) -> Iterator[Judged]:
    for question in questions:
        targets = [
            Target(place.path, place.span.start_line, place.span.end_line)
            for place in chain.from_iterable(question.wanted)
            if place.span is not None
        ]
        yield Judged(question.text, kind, tuple(targets))


def _write(file: Path, questions: Iterator[Judged] | Sequence[Judged]) -> None:
    rows = [asdict(question) for question in questions]
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(rows), encoding="utf-8")


def _read(file: Path) -> tuple[Judged, ...]:
    return tuple(
        Judged(row["text"], row["kind"], tuple(Target(**one) for one in row["targets"]))
        for row in json.loads(file.read_text(encoding="utf-8"))
    )
