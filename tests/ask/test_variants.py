"""Stages that word a question in other ways: when they do, what they write, and what a language model may write."""

from __future__ import annotations

import json

import pytest

from coderag import Index
from coderag.ask.pipelines import DEFAULT, PIPELINES
from tests.ask.models.scripted import Prompt, serve_model

WORDING = "route,expand,multi_query,hyde,step_back,retrieve,correct,answer"
UNSURE = "where do we notify shoppers about late parcels"
PARAPHRASES = ["mails about parcels that are late", "where is a mail queued"]


def said(index: Index, question: str, *, model: str = "", pipeline: str = WORDING) -> dict[str, str]:
    """Return what each stage says of a question, without the question."""
    answer = index.ask(question, pipeline=pipeline, model=model)
    return {step.stage: step.said.removeprefix(f"{question}: ") for step in answer.trace}


def test_no_such_stage_is_on_by_default() -> None:
    assert {"expand", "multi_query", "hyde", "step_back"}.isdisjoint(PIPELINES[DEFAULT])


def test_a_sure_question_stays_as_it_is(shop: Index) -> None:
    steps = said(shop, "where are failed payments retried?")
    assert steps["expand"] == "every word is common"
    assert all(steps[stage].startswith("sure enough as it is") for stage in ("multi_query", "hyde", "step_back"))
    names = PIPELINES[DEFAULT]
    without = shop.ask("where are failed payments retried?", pipeline=names)
    worded = shop.ask(
        "where are failed payments retried?", pipeline=[*names[:3], "expand", "multi_query", "hyde", *names[3:]]
    )
    assert (worded.statements, worded.sources) == (without.statements, without.sources)


def test_rare_words_are_expanded_by_words_of_the_index(shop: Index) -> None:
    assert said(shop, "what may discard a cart")["expand"] == "what may discard a cart remove"
    assert said(shop, "what may remove a cart")["expand"] == "every word is common"


def test_an_unsure_question_is_worded_in_several_ways(shop: Index) -> None:
    steps = said(shop, UNSURE)
    assert steps["multi_query"] == "notify shoppers parcels; notify shoppers late parcels; notify shopper late parcel"
    assert steps["hyde"] == f'def notify_parcels(parcel): """{UNSURE}."""'
    assert steps["step_back"] == "notifier Mails to customers: queued with the change that causes them, sent later."


def test_a_question_that_names_code_gets_no_hypothesis(shop: Index) -> None:
    assert said(shop, "where is flush_everything_now called in parcels")["hyde"] == "it names code"


def test_a_hypothesis_about_data_is_a_select(shop: Index) -> None:
    steps = said(shop, "how many coupons were redeemed per month")
    assert steps["hyde"] == "SELECT COUNT(*) FROM coupons"
    assert steps["step_back"] == "its tables belong to no domain"


def test_the_graph_needs_no_other_wording(shop: Index) -> None:
    assert said(shop, "who calls backoff_delay?")["multi_query"] == "the graph answers"


def test_parts_are_worded_apart(shop: Index) -> None:
    answer = shop.ask(f"who calls backoff_delay, and {UNSURE}?", pipeline=f"decompose,{WORDING}")
    steps = [step.said for step in answer.trace if step.stage == "multi_query"]
    assert steps[0] == "who calls backoff_delay: the graph answers"
    assert "notify shoppers parcels" in steps[1]


def paraphrased(prompt: Prompt) -> str:
    """Word the question that is in the prompt in other ways, and nothing else."""
    return json.dumps({"texts": PARAPHRASES if prompt.question == UNSURE else []})


def test_a_model_words_the_question_and_sees_nothing_else(shop: Index) -> None:
    with serve_model({"words": paraphrased, "shouts": lambda _: json.dumps({"texts": ["x" * 10_000] * 9})}) as server:
        steps = said(shop, UNSURE, model=server.chat("words"), pipeline="multi_query,retrieve,answer")
        assert steps["multi_query"].endswith(f"| {'; '.join(PARAPHRASES)}")
        asked = next(prompt for prompt in server.prompts if "other words" in prompt.text)
        assert "notifier" not in asked.text
        assert "shop/" not in asked.text
        loud = said(shop, UNSURE, model=server.chat("shouts"), pipeline="multi_query,retrieve,answer")
        assert loud["multi_query"].count("x") < 1_100


@pytest.mark.parametrize("mode", ["gives-up", "500", "cut-early"])
def test_rules_word_it_where_a_model_fails(shop: Index, mode: str) -> None:
    with serve_model() as server:
        steps = said(shop, UNSURE, model=server.chat(mode), pipeline="multi_query,retrieve,correct,answer")
    assert "failed" in steps["multi_query"]
    assert "notify shoppers parcels" in steps["multi_query"]


def test_a_model_is_not_asked_about_a_sure_question(shop: Index) -> None:
    with serve_model({"words": paraphrased}) as server:
        shop.ask("thanks", pipeline="multi_query,retrieve,correct,answer", model=server.chat("words"))
        before = len(server.prompts)
        shop.ask("where are failed payments retried?", pipeline=WORDING, model=server.chat("words"))
        assert not any("other words" in prompt.text for prompt in server.prompts[before:])
