"""Questions that lean on their conversation, and those that do not."""

from __future__ import annotations

import pytest

from coderag import Index
from coderag.ask.memory.conversation import MOST_EXCHANGES, Conversation
from coderag.ask.memory.pronouns import pronouns_of
from tests.ask.memory.dialogues import readings, score


def talk(index: Index, *questions: str) -> Conversation:
    conversation = Conversation()
    for question in questions:
        conversation = conversation.after(index.ask(question, conversation=conversation), index)
    return conversation


@pytest.mark.slow
def test_dialogues_are_read_as_they_are_meant(shop: Index) -> None:
    found = readings(shop)
    for half in ("tuning", "measuring", "later"):
        scored = score([one for one in found if one.half == half])
        assert scored.precision >= 0.95
        assert scored.recall >= 0.9
        assert scored.unchanged >= 0.95


@pytest.mark.parametrize(
    ("questions", "read_as"),
    [
        (("who calls PaymentRetrier.retry_failed?", "and who calls that?"), "who calls Services.housekeeping?"),
        (("where are failed payments retried?", "and its tests?"), "what tests PaymentRetrier.retry_failed"),
        (("where are failed payments retried?", "how are invoices voided?", "who else?"), "how are invoices voided?"),
        (("where are failed payments retried?", "who calls the first one?"), "who calls PaymentRetrier.retry_failed?"),
        (("where are failed payments retried?", "explain [2]"), "explain PaymentRetrier._settle"),
        (("which customers never ordered?", "what reads that table?"), "what reads customers?"),
    ],
)
def test_the_last_turns_say_what_is_meant(shop: Index, questions: tuple[str, ...], read_as: str) -> None:
    *before, last = questions
    answer = shop.ask(last, conversation=talk(shop, *before))
    assert answer.question == last
    assert answer.read_as == read_as
    assert any(step.stage == "reframe" and repr(read_as) in step.said for step in answer.trace)


def test_without_a_conversation_nothing_is_added(shop: Index) -> None:
    assert shop.ask("who calls it?").read_as == ""
    assert shop.ask("who calls it?", conversation=Conversation()).read_as == ""


def test_a_pronoun_without_a_thing_is_left_and_said(shop: Index) -> None:
    conversation = talk(shop, "where is the Redis connection opened?")
    answer = shop.ask("which tables join that table?", conversation=conversation)
    assert answer.read_as == ""
    assert "points to nothing that the conversation named" in answer.trace[0].said


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("where is it called?", ["it"]),
        ("who calls that?", ["that"]),
        ("what joins that table?", ["that table"]),
        ("who calls it and where is it defined?", ["it", "it"]),
        ("how does Cart use it?", ["it"]),
        ("are those limited?", ["those"]),
        ("how is a coupon checked before it is redeemed?", []),
        ("how does the cart compute its total?", []),
        ("is it possible to pay twice?", []),
        ("which functions that parse dates are tested?", []),
        ("what does the code that checks signatures return?", []),
        ("what ensures that stock is never negative?", []),
        ("what does this repository do?", []),
        ("it " * 200, []),
    ],
)
def test_pronouns(question: str, words: list[str]) -> None:
    assert [one.text for one in pronouns_of(question)] == words


def test_old_exchanges_are_forgotten(shop: Index) -> None:
    answer = shop.ask("who calls backoff_delay?")
    conversation = Conversation()
    for _ in range(MOST_EXCHANGES + 5):
        conversation = conversation.after(answer, shop)
    assert len(conversation.exchanges) == MOST_EXCHANGES


def test_pinned_files_come_first_and_never_outside_of_the_paths(shop: Index) -> None:
    question = "where are orders stored?"
    assert shop.ask(question).sources[0].path == "shop/orders.py"
    pinned = Conversation(pinned=("shop/db",))
    assert shop.ask(question, conversation=pinned).sources[0].path == "shop/db/orders.py"
    narrowed = shop.ask(question, conversation=pinned, paths=["shop/orders.py"])
    assert {source.path for source in narrowed.sources} == {"shop/orders.py"}
