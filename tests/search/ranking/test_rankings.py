"""Golden rankings: one readable file a question, and how good they are together; `pytest --update` rewrites them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from coderag import Hit, Index
from coderag.evaluate.baselines.found import found_hit
from coderag.evaluate.judge import judge, marks
from coderag.evaluate.metrics import score
from coderag.evaluate.questions_file import read_questions
from coderag.evaluate.report import grouped
from tests.conftest import Golden
from tests.workspace import REPOSITORY, SHOP

RANKINGS = REPOSITORY / "fixtures/rankings"
K = 10
STATS = ("MRR@10", "nDCG@10", "recall@10", "success@1")
WIDTH = 9


@dataclass(frozen=True)
class Question:
    """A question to the example application and the definitions that answer it."""

    text: str
    category: str
    relevant: tuple[tuple[str, str], ...]  # path, and the end of a qualified name or "" for all that the file holds

    @property
    def file(self) -> Path:
        """Return where the ranking is kept."""
        slug = re.sub(r"[^a-z0-9]+", "-", self.text.lower()).strip("-")[:60].rstrip("-")
        return RANKINGS / f"{self.category}-{slug}.txt"


def meant(index: Index, path: str, name: str) -> set[str]:
    """Return the ids of the chunks that are meant by a file and a name in it; by a name of "" all of them are.

    It is the definition of that name, or what holds one that is no chunk of its own, or in a file that is read as
    lines what mentions it.
    """
    chunks = index.chunks(path)
    if not name:
        return {chunk.id for chunk in chunks}
    written = re.compile(rf"(^|\W){re.escape(name)}$")  # Poller.Run means main.Poller.Run
    found = {chunk.id for chunk in chunks if written.search(chunk.qualified_name)}
    lines = [one.span.start_line for one in index.outline(path) if written.search(one.qualified_name)]
    found = found or {chunk.id for chunk in chunks for line in lines if any(line in part for part in chunk.parts)}
    return found or {chunk.id for chunk in chunks if re.search(rf"\b{re.escape(name)}\b", chunk.text)}


def questions() -> Iterator[Question]:
    for line in (REPOSITORY / "fixtures/questions.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        relevant = tuple((one["path"], one.get("name", "")) for one in row["relevant"])
        yield Question(row["query"], row["category"], relevant)


QUESTIONS = list(questions())


@pytest.fixture(scope="module")
def index(shop_index: Path) -> Index:
    return Index.open(SHOP, index=shop_index)


def render(index: Index, question: Question, hits: list[Hit]) -> str:
    """Return a ranking as text; a star marks what is relevant, and what was not found stands below."""
    rows = [question.text, ""]
    relevant = {place: meant(index, *place) for place in question.relevant}
    every = set[str]().union(*relevant.values())
    for rank, hit in enumerate(hits, start=1):
        chunk = hit.chunk
        place = f"{chunk.path}:{chunk.span.start_line}"
        mark = "*" if chunk.id in every else " "
        rows.append(f"{mark} {rank:2} {place:44} {chunk.kind:9} {chunk.qualified_name}")
    for (path, name), ids in relevant.items():
        if ids.isdisjoint(hit.chunk.id for hit in hits):
            rows.append(f"*  - {path:44} {'missed':9} {name}")
    return "\n".join(row.rstrip() for row in rows) + "\n"


@pytest.mark.slow
@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.file.stem)
def test_ranking(index: Index, question: Question, golden: Golden) -> None:
    golden(question.file, render(index, question, index.search(question.text, k=K)))


@pytest.mark.slow
@pytest.mark.dev("ir_measures")
def test_rank_stats(index: Index, golden: Golden) -> None:
    judged = judge(read_questions(REPOSITORY / "fixtures/questions.jsonl"), index)
    answers = [
        marks([found_hit(hit).places for hit in index.search(one.question.text, k=K)], one.targets) for one in judged
    ]
    scores = score(answers, [len(one.targets) for one in judged], k=K)
    rows = [" ".join([f"{'category':12} {'questions':>9}", *(f"{name:>{WIDTH}}" for name in STATS)])]
    for category, numbers in [*grouped(judged, lambda one: one.question.kind)[1:], ("all", range(len(judged)))]:
        means = [float(scores[name][list(numbers)].mean()) for name in STATS]
        rows.append(" ".join([f"{category:12} {len(numbers):9}", *(f"{mean:{WIDTH}.3f}" for mean in means)]))
    golden(RANKINGS / "rank_stats.txt", "\n".join(rows) + "\n")


def test_every_question_has_its_file_and_every_file_its_question() -> None:
    expected = {question.file.name for question in QUESTIONS} | {"rank_stats.txt"}
    assert len(expected) == len(QUESTIONS) + 1
    assert {path.name for path in RANKINGS.iterdir()} == expected


def test_relevant_definitions_exist(index: Index) -> None:
    for question in QUESTIONS:
        for path, name in question.relevant:
            assert meant(index, path, name), f"{question.text}: {path} has no {name}"
