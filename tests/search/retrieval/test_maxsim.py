"""The words of a question against those of names."""

from __future__ import annotations

import pytest

from coderag.search.retrieval.maxsim import likeness, name_words


def test_the_words_of_a_name_are_lower_case_and_there_once() -> None:
    assert name_words("parseHTTPRequest_parse") == ("parse", "http", "request")
    assert name_words("src/http_client/retry.py") == ("src", "http", "client", "retry", "py")


def test_a_word_is_entirely_like_itself() -> None:
    found = likeness({"retry": 1.0}, [("retry", "payment"), ("banana",)])
    assert found[0] == pytest.approx(1.0, abs=1e-4)
    assert found[1] < 0.7


def test_a_word_of_the_same_sense_is_nearer_than_any_other() -> None:
    found = likeness({"delete": 1.0}, [("remove",), ("colour",)])
    assert found[0] > found[1] + 0.1


def test_words_count_by_what_they_weigh() -> None:
    texts = [("retry",), ("payment",)]
    heavy = likeness({"retry": 9.0, "payment": 1.0}, texts)
    assert heavy[0] > heavy[1]


def test_nothing_is_like_nothing() -> None:
    assert likeness({}, [("retry",)]).tolist() == [0.0]
    assert likeness({"retry": 1.0}, [(), ("retry",)])[0] == 0.0
    assert likeness({"retry": 1.0}, []).tolist() == []
