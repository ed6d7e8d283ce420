"""Questions about one thing: the thing itself, and the edges of the graph around it."""

from __future__ import annotations

import pytest

from coderag import Answer, Index
from coderag.ask.findings.neighbourhood import subject_of
from coderag.ask.records import Verdict


def facts(answer: Answer) -> list[str]:
    return [statement.text for statement in answer.facts]


def test_a_method_with_its_class_callers_and_calls(shop: Index) -> None:
    answer = shop.ask("what does CouponBook.redeemable do?")
    assert answer.statements[0].text.startswith("def redeemable(")
    assert facts(answer)[:2] == [
        "CouponBook.redeemable is part of the class CouponBook",
        "Checkout._discount calls CouponBook.redeemable",
    ]
    assert "CouponBook.redeemable calls CouponBook._used_up" in facts(answer)
    assert {source.path for source in answer.sources} == {"shop/discounts.py", "shop/checkout.py"}


def test_a_table_with_who_reads_and_writes_it(shop: Index) -> None:
    answer = shop.ask("what is the table login_sessions?")
    assert "login_sessions" in answer.statements[0].text
    found = facts(answer)
    assert "SessionStore.lookup reads login_sessions" in found
    assert "SessionStore.open writes login_sessions" in found
    assert "login_sessions refers to customers" in found


def test_a_class_with_the_edges_of_its_members_and_its_tests(shop: Index) -> None:
    found = facts(shop.ask("how does PaymentRetrier work?"))
    assert "Services.housekeeping calls PaymentRetrier.retry_failed" in found
    assert any(one.startswith("RetryTest.") and " tests PaymentRetrier." in one for one in found)


def test_every_fact_cites_the_line_that_says_it(shop: Index) -> None:
    answer = shop.ask("what does CouponBook.redeemable do?")
    for statement in answer.facts:
        text = answer.sources[statement.citations[0] - 1].text
        subject, _, target = statement.text.rpartition(" ")
        assert any(name.rpartition(".")[2] in text for name in (target, subject.partition(" ")[0]))


def test_what_nothing_is_called_has_no_neighbours(shop: Index) -> None:
    answer = shop.ask("what does FrobnicatorQueue do?")
    assert answer.verdict is Verdict.NOT_FOUND
    assert shop.neighbours("FrobnicatorQueue").edges == ()


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("what does CouponBook.redeemable do?", "CouponBook.redeemable"),
        ("What is the table login_sessions?", "login_sessions"),
        ("tell me about the orders table", "orders"),
        ("how does `PaymentRetrier` work?", "PaymentRetrier"),
        ("explain storage::Users", "storage::Users"),
        ("what does CouponBook.redeemable do with an expired coupon?", ""),
        ("how does the retry of payments work?", ""),
        ("what are the main parts?", ""),
        ("what is " + "a" * 300, ""),
    ],
)
def test_the_subject_of_a_question(question: str, name: str) -> None:
    assert subject_of(question) == name
