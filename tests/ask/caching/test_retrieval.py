"""Parts that are found again, and those that never are."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path

import pytest

from coderag import Answer, Index
from coderag.ask import Turn, repeat, stage
from coderag.ask.agentic.records import Limits
from coderag.ask.caching.answers import ANSWERS
from coderag.ask.caching.bounded import BoundedCache
from coderag.ask.caching.retrieval import RETRIEVED, RetrievalKey, size_of
from coderag.ask.memory.conversation import Conversation
from coderag.ask.turn import Evidence, IndexState, SourceFilter
from tests.workspace import let_clock_tick, write

FILES = {
    "app.py": 'def greet():\n    """Say hello to somebody."""\n',
    "pay/salary.py": 'def raise_salary():\n    """Raise the salary of the director."""\n',
    "coderag.toml": '[[access]]\npaths = ["pay/"]\ngroups = ["hr"]\n',
}
SALARY = "where is the salary of the director raised?"
HELLO = "who says hello?"
KEY = RetrievalKey(IndexState(1), SourceFilter(), "q", (), (), (), "")


@pytest.fixture(autouse=True)
def empty() -> None:
    ANSWERS.clear()
    RETRIEVED.clear()


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    return Index.build(write(tmp_path_factory.mktemp("retrieval") / "small", FILES), workers=0)


def found_again(index: Index, question: str = HELLO, **options: object) -> tuple[int, Answer]:
    """Return how many parts of a question were looked up before."""
    before = RETRIEVED.counts().hits
    answer = index.ask(question, **options)  # type: ignore[arg-type]
    return RETRIEVED.counts().hits - before, answer


def test_a_part_is_looked_up_once(index: Index) -> None:
    count, first = found_again(index)
    assert count == 0
    count, naive = found_again(index, pipeline="decompose,route,retrieve,correct,answer")
    assert count == 1
    assert naive.statements == first.statements
    count, both = found_again(index, f"{SALARY.rstrip('?')}, and {HELLO}")
    assert count == 0  # "who says hello" is another text
    count, again = found_again(index, f"{HELLO.rstrip('?')} and {SALARY.rstrip('?')}?")
    assert count == 2
    assert {statement.text for statement in again.statements} == {statement.text for statement in both.statements}


def test_a_loop_repeats_no_lookup(index: Index) -> None:
    found_again(index, "where is Redis?", pipeline="retrieve,correct,answer")
    fresh = RETRIEVED.counts().misses
    loop = repeat("retrieve", "correct", until="sufficient", at_most=3)
    count, _ = found_again(index, "where is Redis?", pipeline=("retrieve", "correct", loop, "answer"))
    assert count >= 2
    assert RETRIEVED.counts().misses == fresh


def test_what_differs_is_looked_up_anew(index: Index) -> None:
    found_again(index)
    assert found_again(index, paths=["*.py"])[0] == 0
    assert found_again(index, conversation=Conversation(pinned=("app.py",)))[0] == 0
    assert found_again(index.with_stored_graph())[0] == 0
    assert found_again(index, cache=False)[0] == 0
    assert found_again(index, limits=Limits(steps=1))[0] == 1
    assert found_again(index, k=2, budget=900)[0] == 1


def test_no_group_finds_what_another_found(index: Index) -> None:
    pipelines = ("modular", "decompose,route,retrieve,correct,answer")
    for pipeline in pipelines:
        assert index.ask(SALARY, pipeline=pipeline).is_found
        assert index.as_seen_by(["hr"]).ask(SALARY, pipeline=pipeline).is_found
        answer = index.as_seen_by(["web"]).ask(SALARY, pipeline=pipeline)
        assert "salary" in answer.parts[0].unknown
        assert "salary" not in repr((answer.statements, answer.sources, answer.nearest))


def test_an_update_ends_what_was_found(tmp_path: Path) -> None:
    root = write(tmp_path / "small", FILES)
    index = Index.build(root, workers=0)
    question = "where are blockchains mined?"
    assert not index.ask(question).is_found
    let_clock_tick()
    write(root, {"mine.py": 'def mine():\n    """Mine blockchains."""\n'})
    index.update(workers=0)
    assert found_again(index, question)[0] == 0
    assert index.ask(question).is_found


def test_stages_of_ones_own_leave_nothing_to_others(index: Index) -> None:
    def elsewhere(turn: Turn) -> Turn:
        return replace(turn, index=turn.index.as_seen_by(["nobody"]))

    named = stage(elsewhere, name="elsewhere", version="1")
    hidden = index.ask(SALARY, pipeline=(named, "retrieve", "correct", "answer"))
    assert not hidden.is_found
    assert RETRIEVED.counts().answers == 0
    assert index.ask(SALARY, pipeline="retrieve,correct,answer").is_found


def test_the_bytes_are_bounded_and_threads_share_them() -> None:
    cache = BoundedCache[RetrievalKey, Evidence](size_of, most_bytes=30_000)
    found = Evidence("q", sql="x" * 1_000)

    def use(first: int) -> None:
        for number in range(100):
            key = replace(KEY, text=str((first + number) % 40))
            if cache.get(key) is None:
                cache.put(key, found)

    threads = [threading.Thread(target=use, args=[first * 7]) for first in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    counts = cache.counts()
    assert counts.hits + counts.misses == 400
    assert (counts.answers, counts.bytes) == (10, 30_000)
    cache.put(KEY, replace(found, sql="x" * 40_000))
    assert cache.get(KEY) is None
