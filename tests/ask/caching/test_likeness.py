"""Questions that ask the same may share an answer on request; those that differ in a word that matters never do."""

from __future__ import annotations

import pytest

from coderag import Index
from coderag.ask.caching.answers import ANSWERS
from coderag.errors import QueryError

LIKE = [
    ("where are coupons redeemed?", "Please, where are the coupons redeemed in this repository?"),
    ("how is a coupon redeemed?", "how are coupons redeemed"),
    ("what does Cart do?", "what exactly does the Cart do?"),
    ("Where are failed payments retried?", "where are the failed payments actually retried"),
]
UNLIKE = [
    ("who may cancel an order?", "who may not cancel an order?"),
    ("who can cancel an order?", "who can't cancel an order?"),
    ("is an order paid?", "is an order unpaid?"),
    ("how are orders stored?", "how are payments stored?"),
    ("what calls Cart?", "what does Cart call?"),
    ("what calls Cart?", "what is called by Cart?"),
    ("does orders reference payments?", "does payments reference orders?"),
    ("path from checkout to payments", "path from payments to checkout"),
    ("where is the worker started?", "where is the worker stopped?"),
    ("orders of the last 3 months", "orders of the last 4 months"),
    ("what does Cart do?", "what does cart do?"),
    ("what does retry_failed do?", "what does retry.failed do?"),
    ("who can cancel an order?", "who must cancel an order?"),
    ("what happens before an order is paid?", "what happens after an order is paid?"),
    ("which orders have a coupon?", "which orders have no coupon?"),
    ("where are sessions opened?", "why are sessions opened?"),
    ("where is total < 5?", "where is total > 5?"),
    ("customers with orders", "customers without orders"),
]


@pytest.fixture(autouse=True)
def empty() -> None:
    ANSWERS.clear()


@pytest.mark.parametrize(("first", "second"), LIKE)
def test_courtesy_articles_and_endings_do_not_matter(shop: Index, first: str, second: str) -> None:
    kept = shop.ask(first, semantic_cache=0.7)
    answer = shop.ask(second, semantic_cache=0.7)
    assert answer.trace[0].stage == "cache"
    assert repr(first) in answer.trace[0].said
    assert (answer.question, answer.statements) == (second, kept.statements)


@pytest.mark.parametrize(("first", "second"), UNLIKE)
def test_a_word_that_matters_does(shop: Index, first: str, second: str) -> None:
    shop.ask(first, semantic_cache=0.01)
    assert shop.ask(second, semantic_cache=0.01).trace[0].stage != "cache"


def test_only_on_request_and_only_as_near_as_asked(shop: Index) -> None:
    first, second = LIKE[1]
    shop.ask(first, semantic_cache=0.7)
    assert shop.ask(second).trace[0].stage != "cache"
    ANSWERS.clear()
    shop.ask(first, semantic_cache=0.7)
    assert shop.ask(second, semantic_cache=0.9999).trace[0].stage != "cache"


@pytest.mark.parametrize("least", [-0.1, 1.1, float("nan")])
def test_a_cosine_is_between_0_and_1(shop: Index, least: float) -> None:
    with pytest.raises(QueryError, match="semantic_cache"):
        shop.ask("who?", semantic_cache=least)
