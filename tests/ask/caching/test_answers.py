"""Answers that are given again, and those that never are."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path

import pytest

from coderag import Answer, Index
from coderag.ask.caching.answers import ANSWERS, AnswerCache
from coderag.ask.caching.key import AnswerKey, generation_of, normalised
from coderag.ask.memory.conversation import Conversation
from coderag.ask.records import Verdict
from coderag.ask.turn import Options
from tests.workspace import let_clock_tick, write

FILES = {
    "app.py": 'def greet():\n    """Say hello to somebody."""\n',
    "pay/salary.py": 'def raise_salary():\n    """Raise the salary of the director."""\n',
    "coderag.toml": '[[access]]\npaths = ["pay/"]\ngroups = ["hr"]\n',
}
SALARY = "where is the salary of the director raised?"
KEY = AnswerKey(1, "q", ("retrieve", "answer"), Options())


@pytest.fixture(autouse=True)
def empty() -> None:
    ANSWERS.clear()


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    return Index.build(write(tmp_path_factory.mktemp("cache") / "small", FILES), workers=0)


def was_kept(answer: Answer) -> bool:
    return answer.trace[0].stage == "cache"


def test_an_equal_question_has_the_same_answer(index: Index) -> None:
    first = index.ask("who says hello?")
    again = index.ask("  who says   hello? ")
    assert not was_kept(first)
    assert was_kept(again)
    assert again == replace(first, question="  who says   hello? ", trace=again.trace)
    assert again.trace[1:] == first.trace


def test_what_differs_is_answered_anew(index: Index) -> None:
    question = "who says hello?"
    index.ask(question)
    assert not was_kept(index.ask("who says Hello?"))
    assert not was_kept(index.ask(question, k=2))
    assert not was_kept(index.ask(question, budget=100))
    assert not was_kept(index.ask(question, paths=["*.py"]))
    assert not was_kept(index.ask(question, pipeline="naive"))
    assert not was_kept(index.ask(question, conversation=Conversation(pinned=("app.py",))))
    assert not was_kept(index.with_stored_graph().ask(question))
    assert not was_kept(index.ask(question, cache=False))
    assert was_kept(index.ask(question))


def test_no_group_has_the_answer_of_another(index: Index) -> None:
    assert index.ask(SALARY).is_found
    assert index.as_seen_by(["hr"]).ask(SALARY).is_found
    others = index.as_seen_by(["web"])
    for _ in range(2):
        answer = others.ask(SALARY)
        assert "salary" in answer.parts[0].unknown
        assert "salary" not in repr((answer.statements, answer.sources, answer.nearest))
    assert was_kept(answer)
    assert was_kept(index.as_seen_by(["web"]).ask(SALARY))
    assert index.as_seen_by(["hr"]).ask(SALARY).is_found


def test_rules_that_come_later_count(tmp_path: Path) -> None:
    root = write(tmp_path / "small", FILES | {"coderag.toml": ""})
    index = Index.build(root, workers=0)
    assert index.as_seen_by(["web"]).ask(SALARY).is_found
    let_clock_tick()
    write(root, {"coderag.toml": FILES["coderag.toml"]})
    assert not index.as_seen_by(["web"]).ask(SALARY).is_found


def test_an_update_ends_what_was_kept(tmp_path: Path) -> None:
    root = write(tmp_path / "small", FILES)
    index = Index.build(root, workers=0)
    assert not index.ask("where are blockchains mined?").is_found
    let_clock_tick()
    write(root, {"mine.py": 'def mine():\n    """Mine blockchains."""\n'})
    index.update(workers=0)
    answer = index.ask("where are blockchains mined?")
    assert answer.sources[0].path == "mine.py"
    assert not was_kept(answer)


def test_another_index_has_answers_of_its_own(index: Index, tmp_path: Path) -> None:
    index.ask("who says hello?")
    other = Index.build(write(tmp_path / "small", {"b.py": 'def shout():\n    """Say hello loudly."""\n'}), workers=0)
    assert other.ask("who says hello?").sources[0].path == "b.py"


def test_settings_that_change_count(tmp_path: Path) -> None:
    root = write(tmp_path / "small", FILES)
    index = Index.build(root, workers=0)
    index.ask("who says hello?")
    write(root, {"coderag.toml": '[ask]\npipeline = "naive"\n'})
    assert index.ask("who says hello?").pipeline == ("retrieve", "answer")


def test_the_bytes_are_bounded_and_the_oldest_go_first() -> None:
    cache = AnswerCache(most_bytes=10_000)
    answer = Answer("q", Verdict.FOUND, text="x" * 4_500)
    keys = [replace(KEY, question=str(number)) for number in range(4)]
    for key in keys[:2]:
        cache.put(key, answer)
    assert cache.get(keys[0])
    cache.put(keys[2], answer)
    assert [cache.get(key) is not None for key in keys] == [True, False, True, False]
    assert 9_000 < cache.counts().bytes <= 10_000
    cache.put(keys[1], replace(answer, text="x" * 20_000))
    assert cache.get(keys[1]) is None
    assert cache.counts().answers == 2


def test_threads_share_a_cache() -> None:
    cache = AnswerCache(most_bytes=50_000)
    answer = Answer("q", Verdict.FOUND, text="x" * 500)

    def use(first: int) -> None:
        for number in range(200):
            key = replace(KEY, question=str((first + number) % 90))
            if cache.get(key) is None:
                cache.put(key, answer)

    threads = [threading.Thread(target=use, args=[first * 7]) for first in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    counts = cache.counts()
    assert counts.hits + counts.misses == 1200
    assert counts.bytes <= 50_000


def test_snapshots_have_numbers_that_never_come_again() -> None:
    class Snapshot:
        pass

    one = Snapshot()
    number = generation_of(one)
    assert generation_of(one) == number
    del one
    assert generation_of(Snapshot()) > number


def test_spaces_and_forms_of_characters_do_not_matter() -> None:
    assert normalised(" caf\u0065\u0301  au\nlait ") == "caf\u00e9 au lait"
    assert normalised("Cart") != normalised("cart")
