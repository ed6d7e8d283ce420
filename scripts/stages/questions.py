"""The sets of questions and the indexed repositories that they are asked of."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from coderag.api.index import Index
from coderag.api.roots import resolve_roots
from coderag.api.snapshot import open_snapshot
from coderag.ask.findings.places import Places
from coderag.ask.turn import Options, Turn
from coderag.errors import IndexMissingError, RootError
from coderag.evaluate.judge import Judged, judge
from coderag.evaluate.question import JudgedQuestion, Wanted
from coderag.evaluate.questions_file import read_questions
from coderag.index.reader.corpus import Corpus
from coderag.search.retrieval.frequency import word_frequencies
from coderag.types import Span

__all__ = ["SUITES", "Repository", "compound_questions", "open_repository", "repositories"]

SUITES = {"semble": ("repos.json", "annotations"), "commits": ("commits.json", "commits")}


@dataclass(frozen=True, slots=True)
class Repository:
    """An indexed repository and its questions, which have targets in the index."""

    name: str
    suite: str
    index: Index
    corpus: Corpus
    judged: tuple[Judged, ...] = ()

    def turn(self, question: str, options: Options = Options()) -> Turn:  # noqa: B008  # a frozen record
        """Return a question on its way to an answer, as `Index.ask` begins."""
        frequencies = lambda words: word_frequencies(self.corpus, words)  # noqa: E731
        return Turn(question, self.index, Places(self.index), frequencies, options=options, text=question)


def open_repository(root: Path, *, suite: str, name: str) -> Repository:
    """Return an indexed repository without questions; raises IndexMissingError."""
    snapshot = open_snapshot(resolve_roots([root]))
    return Repository(name, suite, Index(snapshot), snapshot.corpus)


def repositories(sets: Path, indexed: Path, suite: str) -> Iterator[Repository]:
    """Yield the repositories of a suite that are indexed, by name."""
    manifest, folder = SUITES[suite]
    for name, entry in sorted(json.loads((sets / "code" / manifest).read_text(encoding="utf-8")).items()):
        inside = (entry.get("benchmark_root") or "").strip("/")
        try:
            opened = open_repository(indexed / suite / name / inside, suite=suite, name=name)
        except (IndexMissingError, RootError) as error:
            print(f"{name} is left out: {error}")
            continue
        read = json.loads((sets / "code" / folder / f"{name}.json").read_text(encoding="utf-8"))
        asked = read["queries"] if isinstance(read, dict) else read
        judged = judge([_question(one, inside) for one in asked], opened.index)
        yield Repository(name, suite, opened.index, opened.corpus, tuple(one for one in judged if one.targets))


def compound_questions(questions: Path, packages: Path) -> Iterator[Repository]:
    """Yield the compound questions of each file that is named after a folder in `packages`, which is indexed."""
    for path in sorted(questions.glob("*.jsonl")):
        for root in sorted(packages.glob(f"{path.stem}*")):
            opened = open_repository(root, suite="compound", name=path.stem)
            judged = judge([question for question in read_questions(path) if question.kind == "compound"], opened.index)
            yield Repository(path.stem, "compound", opened.index, opened.corpus, tuple(judged))


def _question(one: dict[str, Any], inside: str) -> JudgedQuestion:
    wanted = tuple((_wanted(place, inside),) for place in [*one["relevant"], *one.get("secondary", [])])
    return JudgedQuestion(one["query"], wanted, kind=one.get("category", ""))


def _wanted(place: str | dict[str, Any], inside: str) -> Wanted:
    if isinstance(place, str):
        return Wanted(place.removeprefix(f"{inside}/"))
    path = str(place["path"]).removeprefix(f"{inside}/")
    if place.get("start_line") is None:
        return Wanted(path)
    return Wanted(path, Span(place["start_line"], place["end_line"]))
