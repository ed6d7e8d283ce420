"""Questions for what a definition calls, reads and writes."""

from __future__ import annotations

import pytest

from coderag import Answer, Index
from coderag.ask.findings.outgoing import CALLS, READS, WRITES, outgoing_asked
from coderag.errors import QueryError
from coderag.graph.queries.outgoing import DATA_EDGES


def facts(answer: Answer) -> set[str]:
    return {statement.text for statement in answer.facts}


def test_what_a_method_calls(shop: Index) -> None:
    assert facts(shop.ask("what does Services.housekeeping call?")) == {
        "Services.housekeeping calls SessionStore.purge_expired",
        "Services.housekeeping calls OrderDesk.drop_abandoned",
        "Services.housekeeping calls IdempotencyStore.forget_old",
        "Services.housekeeping calls PaymentRetrier.retry_failed",
        "method Services.housekeeping is defined here",
    }


def test_tables_are_found_through_calls(shop: Index) -> None:
    found = facts(shop.ask("which tables does Checkout.place_order write to?"))
    assert "Cart.empty deletes from cart_items (1 call away)" in found
    assert "PaymentService._record writes payment_attempts (2 calls away)" in found
    assert not any(" reads " in fact for fact in found)


def test_the_members_of_a_class_count(shop: Index) -> None:
    found = facts(shop.ask("which tables are read by Catalogue?"))
    assert {"Catalogue._search reads products", "class Catalogue is defined here"} <= found


def test_every_edge_cites_a_line_with_its_source_or_target(shop: Index) -> None:
    answer = shop.ask("what does Services.housekeeping call?")
    for statement in answer.facts[:-1]:
        text = answer.sources[statement.citations[0] - 1].text
        assert statement.text.rpartition(".")[2] in text


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("what does a.b() call?", ("a.b", CALLS)),
        ("Which tables does `Cart` read from", ("Cart", READS)),
        ("which tables does the class Cart write to?", ("Cart", WRITES)),
        ("what tables are updated by Cart.empty?", ("Cart.empty", WRITES)),
        ("what does Cart use?", ("Cart", CALLS | DATA_EDGES)),
        ("which tables does Cart call?", ("Cart", DATA_EDGES)),
        ("who calls Cart.empty?", None),
        ("what does the retry loop call when it fails?", None),
        ("what calls Cart", None),
        ("what does Cart call " * 20, None),
    ],
)
def test_how_a_question_is_read(question: str, asked: object) -> None:
    assert outgoing_asked(question) == asked


def test_an_ordinary_word_is_no_definition(shop: Index) -> None:
    assert not any("is defined here" in fact for fact in facts(shop.ask("what does shipping use?")))


def test_an_unknown_kind_of_edge(shop: Index) -> None:
    with pytest.raises(QueryError, match="the kinds of edges are contains, imports, calls"):
        shop.outgoing("Cart", kinds=["eats"])
    assert shop.outgoing("NoSuchThing").edges == ()
