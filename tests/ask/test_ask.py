"""Answers about fixtures/shop: what they state, what they cite, and when there is none."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from coderag import Answer, Index
from coderag.ask.records import Route, Verdict
from coderag.errors import QueryError, SettingsError
from tests.workspace import REPOSITORY, write

ANSWERABLE = (REPOSITORY / "fixtures/ask/answerable.jsonl").read_text(encoding="utf-8").splitlines()
QUESTIONS = (
    "where are failed payments retried?",
    "who calls PaymentRetrier.retry_failed?",
    "which customers never ordered anything?",
    "what are the main parts?",
    "how do I restore a backup?",
)


def said(answer: Answer) -> list[str]:
    return [statement.text for statement in (*answer.statements, *answer.facts)]


@pytest.mark.parametrize("question", QUESTIONS)
def test_every_citation_is_a_source_whose_lines_are_in_the_file(shop: Index, shop_root: Path, question: str) -> None:
    answer = shop.ask(question)
    assert answer.verdict is Verdict.FOUND
    assert [source.number for source in answer.sources] == list(range(1, len(answer.sources) + 1))
    cited = {number for statement in (*answer.statements, *answer.facts) for number in statement.citations}
    assert cited == {source.number for source in answer.sources}
    for source in answer.sources:
        lines = (shop_root / source.path).read_text(encoding="utf-8")
        assert all(line in lines for line in source.text.split("\n"))
    for statement in answer.statements:
        text = answer.sources[statement.citations[0] - 1].text
        assert all(quote.rstrip("…") in text for quote in statement.quotes)


def test_code_states_a_signature_and_its_comment(shop: Index) -> None:
    answer = shop.ask("what does CouponBook.redeemable do?")
    assert said(answer)[0] == (
        "def redeemable(self, code: str, basket: Money) -> Coupon of CouponBook: "
        "Return the coupon, or raise Invalid with a reason to show the customer."
    )
    assert answer.sources[0].path == "shop/discounts.py"


def test_the_graph_states_who_calls(shop: Index) -> None:
    answer = shop.ask("which code is calling PaymentRetrier.retry_failed?")
    assert answer.routes == (Route.GRAPH,)
    assert said(answer)[0] == "Services.housekeeping calls PaymentRetrier.retry_failed"
    assert answer.sources[0].path == "shop/services.py"


def test_a_path_is_told_step_by_step(shop: Index) -> None:
    answer = shop.ask("path from place_order to payments")
    assert said(answer)[0] == "Checkout.place_order calls PaymentService.attempt"
    assert said(answer)[-1] == "payment_attempts refers to payments"


def test_data_has_tables_joins_and_the_nearest_query(shop: Index) -> None:
    answer = shop.ask("which customers never ordered anything?")
    assert answer.routes == (Route.DATA,)
    assert any(text.startswith("table customers (") for text in said(answer))
    assert "orders joins customers on orders.customer_id = customers.id" in said(answer)
    assert answer.sql.startswith("SELECT c.id, c.email")
    assert answer.sql_origin == "the example query at schema/queries/customers.sql:12"


def test_a_skeleton_joins_the_tables_and_passes_the_check(shop: Index) -> None:
    answer = shop.ask("what tables hold orders?")
    assert "skeleton" in answer.sql_origin
    assert "JOIN order_items ON order_items.order_id = orders.id" in answer.sql
    assert [finding for finding in shop.check_sql(answer.sql) if finding.severity == "error"] == []


def test_documents_state_their_sentences(shop: Index) -> None:
    answer = shop.ask("how do I rotate the webhook secret?")
    assert answer.sources[0].path == "docs/runbook.md"
    assert said(answer)[0].startswith("Set `SHOP_WEBHOOK_SECRET`, restart")


def test_parts_are_answered_apart_and_one_may_be_missing(shop: Index) -> None:
    answer = shop.ask("who calls backoff_delay, and how are GraphQL subscriptions handled?")
    assert [part.verdict for part in answer.parts] == [Verdict.FOUND, Verdict.NOT_FOUND]
    assert answer.parts[1].unknown == ("GraphQL", "subscriptions")
    assert {statement.part for statement in (*answer.statements, *answer.facts)} == {0}


def test_a_misspelled_word_is_mended(shop: Index) -> None:
    answer = shop.ask("what does the WebhookReciever receive?")
    assert answer.is_found
    assert "WebhookReciever is read as WebhookReceiver" in answer.trace[0].said


def test_what_the_index_lacks_is_not_found(shop: Index) -> None:
    answer = shop.ask("where is the Redis connection opened?")
    assert answer.verdict is Verdict.NOT_FOUND
    assert (answer.statements, answer.facts, answer.sources) == ((), (), ())
    assert answer.parts[0].unknown == ("Redis",)
    assert answer.nearest


@pytest.mark.slow
def test_refusals_are_right(shop: Index) -> None:
    asked = [one for one in map(json.loads, ANSWERABLE) if one["root"] == "shop"]
    answers = [(one, shop.ask(one["question"])) for one in asked]
    refused = [one for one, answer in answers if not answer.is_found]
    right = sum(one["path"] is None for one in refused)
    assert right / len(refused) >= 0.85
    assert right / sum(one["path"] is None for one in asked) >= 0.8
    cited = [one for one, answer in answers if one["path"] in {source.path for source in answer.sources}]
    assert len(cited) / sum(one["path"] is not None for one in asked) >= 0.85


def test_without_correction_the_nearest_hits_are_the_answer(shop: Index) -> None:
    answer = shop.ask("where is the Redis connection opened?", pipeline="naive")
    assert answer.is_found
    assert answer.pipeline == ("retrieve", "answer")


def test_the_budget_bounds_the_sources(shop: Index) -> None:
    small = shop.ask("where are failed payments retried?", budget=120)
    large = shop.ask("where are failed payments retried?", budget=4000)
    assert 0 < sum(len(source.text) for source in small.sources) <= 120 * 4
    assert sum(len(source.text) for source in small.sources) < sum(len(source.text) for source in large.sources)


def test_quotes_and_colons_are_words_of_the_question(shop: Index) -> None:
    answer = shop.ask('kind:table where are "failed payments" retried? /x(/')
    assert answer.sources[0].path == "shop/payments/retry.py"


def test_paths_narrow_the_sources(shop: Index) -> None:
    answer = shop.ask("where are payments attempted?", paths=["shop/payments/**"])
    assert answer.sources
    assert all(source.path.startswith("shop/payments/") for source in answer.sources)


@pytest.mark.parametrize("pipeline", ["clever", "answer", ["answer", "retrieve"], ["retrieve"], ["route", "route"]])
def test_a_pipeline_that_makes_no_sense_is_refused(shop: Index, pipeline: str | list[str]) -> None:
    with pytest.raises(QueryError, match=r"pipeline|stages"):
        shop.ask("where are payments retried?", pipeline=pipeline)


def test_settings_choose_the_pipeline(tmp_path: Path) -> None:
    files = {
        "a.py": 'def greet():\n    """Say hello."""\n',
        "coderag.toml": '[ask]\npipeline = ["retrieve", "answer"]\n',
    }
    root = write(tmp_path / "small", files)
    index = Index.build(root, workers=0)
    assert index.ask("who says hello?").pipeline == ("retrieve", "answer")
    write(root, {"coderag.toml": '[ask]\npipeline = "clever"\n'})
    with pytest.raises(SettingsError, match=r"coderag.toml: \[ask\]: pipeline: there is no pipeline or stage 'clever'"):
        index.ask("who says hello?")


def test_an_answer_says_nothing_of_what_the_caller_may_not_see(tmp_path: Path) -> None:
    files = {
        "app.py": 'def greet():\n    """Say hello."""\n',
        "pay/salary.py": 'def raise_salary():\n    """Raise the salary of the director."""\n    return greet()\n',
        "coderag.toml": '[[access]]\npaths = ["pay/"]\ngroups = ["hr"]\n',
    }
    index = Index.build(write(tmp_path / "small", files), workers=0)
    assert index.as_seen_by(["hr"]).ask("where is the salary of the director raised?").is_found
    others = index.as_seen_by(["web"])
    assert "salary" in others.ask("where is the salary of the director raised?").parts[0].unknown
    for question in ("where is the salary of the director raised?", "who calls greet()?", "what are the main parts?"):
        answer = others.ask(question)
        assert "salary" not in repr((answer.statements, answer.facts, answer.sources, answer.nearest))
