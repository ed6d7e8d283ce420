"""Compound questions to parts, and parts that lean on each other."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace

import pytest

from coderag import Index
from coderag.ask.decomposing import decompose as decompose_stage
from coderag.ask.decomposition import decompose
from coderag.ask.findings.places import Places
from coderag.ask.models.http_model import open_model
from coderag.ask.models.spec import parse_model
from coderag.ask.turn import Turn
from coderag.evaluate.answers.counting_model import CountingModel
from tests.ask.models.scripted import Script, ScriptedModel, serve_model

COMPOUND = "where is the cart emptied, and who calls it?"
SIMPLE = "where are failed payments retried?"
NESTED = [
    {"question": "where is the cart emptied", "depends_on": 0},
    {"question": "who calls what empties the cart", "depends_on": 1},
]
PROPOSALS = {
    "proposes": NESTED,
    "proposes-one": NESTED[:1],
    "proposes-none": [],
    "proposes-many": [NESTED[0]] * 5,
    "invents": [NESTED[0], {"question": "who calls PaymentTeleporter.beam_up", "depends_on": 0}],
    "looks-ahead": [{"question": "who calls it", "depends_on": 2}, NESTED[0]],
    "says-nothing": [NESTED[0], {"question": " ", "depends_on": 0}],
}


def script(mode: str) -> Script:
    return lambda _: json.dumps({"parts": PROPOSALS[mode]})


@pytest.fixture(scope="module")
def model() -> Iterator[ScriptedModel]:
    modes: dict[str, Script] = {mode: script(mode) for mode in PROPOSALS}
    with serve_model({**modes, "prose": lambda _: "First, find the cart."}) as served:
        yield served


def turn_of(index: Index, question: str) -> Turn:
    return Turn(question, index, Places(index), lambda words: dict.fromkeys(words, 1), text=question)


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        ("how are mails sent and where are they rendered?", ["how are mails sent", "where are they rendered"]),
        ("what is a Cart; who empties it?", ["what is a Cart", "who empties it"]),
        ("what is the difference between Cart and Order?", ["what is Cart", "what is Order"]),
        ("how does void_invoice differ from refund?", ["what is void_invoice", "what is refund"]),
        ("who calls Cart.lines and Cart.empty?", ["who calls Cart.lines", "who calls Cart.empty"]),
        ("who calls A.b, C.d and E.f?", ["who calls A.b", "who calls C.d", "who calls E.f"]),
        ("who reads and writes orders?", ["who reads orders", "who writes orders"]),
        ("how are cursors encoded and decoded?", ["how are cursors encoded", "how are cursors decoded"]),
        (
            "how is it cached on disk, and how in memcached?",
            ["how is it cached on disk", "how is it cached in memcached"],
        ),
        ("where is it? how is it made?", ["where is it", "how is it made"]),
        (
            "I want to know how mails are sent. Also, who signs them?",
            ["I want to know how mails are sent", "who signs them"],
        ),
        (
            "the parsing of request headers as well as the rendering of error pages",
            ["the parsing of request headers", "the rendering of error pages"],
        ),
    ],
)
def test_parts(question: str, parts: list[str]) -> None:
    assert [part.text for part in decompose(question)] == parts


@pytest.mark.parametrize(
    "question",
    [
        "how do orders and payments fit together?",
        "where are retries handled?",
        "how does it work and why",
        "give an overview of the modules and what each is for",
        "enum for JSON null, boolean, number, string, array, and object",
        "which path leads from the cart to the invoice?",
        "the queue is stuck. what do I do?",
        "how do I run v1. 2 of it?",
        "a word and " * 200,
    ],
)
def test_one_question_stays_whole(question: str) -> None:
    assert [part.text for part in decompose(question)] == [question]


def test_a_part_that_points_to_another_needs_it() -> None:
    assert [part.needs for part in decompose(COMPOUND)] == [-1, 0]
    assert [part.needs for part in decompose("how are coupons checked and where are mails sent?")] == [-1, -1]


def test_a_pronoun_is_what_answers_the_part_before(shop: Index) -> None:
    answer = shop.ask(COMPOUND)
    assert [part.text for part in answer.parts] == ["where is the cart emptied", "who calls Cart.empty"]
    assert "Checkout.place_order calls Cart.empty" in [fact.text for fact in answer.facts]


def test_a_pronoun_is_searched_as_the_subject_of_the_part_before(shop: Index) -> None:
    answer = shop.ask("how are coupons checked and how are they redeemed?")
    assert answer.parts[1].text == "how are they redeemed"
    assert "CouponBook.redeemable" in [source.name for source in answer.sources]


def test_a_model_proposes_beside_the_question(shop: Index, model: ScriptedModel) -> None:
    counting = CountingModel(open_model(model.chat("proposes")))
    after = decompose_stage(replace(turn_of(shop, COMPOUND), model=counting))
    assert [part.text for part in after.parts] == [COMPOUND, *(str(part["question"]) for part in NESTED)]
    assert [part.needs for part in after.parts] == [-1, -1, 1]
    assert "(after where is the cart emptied), by " in after.trace[-1].said
    assert counting.take().calls == 1
    assert "shop/" not in model.prompts[-1].text  # it sees no file
    simple = decompose_stage(replace(turn_of(shop, SIMPLE), model=counting))
    assert [part.text for part in simple.parts] == [SIMPLE]
    assert counting.take().calls == 0


def test_what_a_part_needs_is_looked_up_first(shop: Index, model: ScriptedModel) -> None:
    stages = "decompose,route,retrieve,correct,answer"
    answer = shop.ask(COMPOUND, pipeline=stages, model=model.chat("proposes"), cache=False, k=3)
    assert answer.parts[0].text == COMPOUND
    (retrieved,) = [step.said for step in answer.trace if step.stage == "retrieve"]
    assert retrieved.count("findings") == len(NESTED) + 1
    assert "Cart.empty" in [source.name for source in answer.sources]


@pytest.mark.slow
@pytest.mark.parametrize(
    "mode",
    ["proposes-one", "proposes-none", "proposes-many", "invents", "looks-ahead", "says-nothing", "prose", "silent"],
)
def test_a_bad_proposal_leaves_the_parts_of_the_rules(shop: Index, model: ScriptedModel, mode: str) -> None:
    opened = open_model(replace(parse_model(model.chat(mode)), timeout=0.2 if mode == "silent" else 30))
    after = decompose_stage(replace(turn_of(shop, COMPOUND), model=opened))
    assert [(part.text, part.needs) for part in after.parts] == [
        (part.text, part.needs) for part in decompose(COMPOUND)
    ]
    assert ", by rules, as " in after.trace[-1].said
