"""Stages that look at the evidence once more: the class around a member, four questions, and what the budget holds."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from coderag import Answer, Index
from coderag.ask.refining.eliding import ELIDED, elided
from coderag.text.budget import tokens_of
from tests.ask.models.scripted import Prompt, serve_model
from tests.workspace import write

RETRIED = "where are failed payments retried?"


def tokens(answer: Answer) -> int:
    return sum(tokens_of(source.text) for source in answer.sources)


def said(answer: Answer, stage: str) -> str:
    return next(step.said for step in answer.trace if step.stage == stage)


def test_lines_are_left_out_until_the_rest_fits() -> None:
    lines = ["def pay():", "    one()", "    two()", "    three()", "    retry()", "    five()"]
    assert elided(lines, [0.0] * 6, tokens=100) == "\n".join(lines)
    assert elided(lines, [0, 0, 0, 0, 1.0, 0], tokens=8) == "def pay():\n…\n    retry()\n…"
    assert elided(lines, [0, 0, 0, 0, 1.0, 0], tokens=8, kept={1}) == "def pay():\n    one()\n    two()\n…"


@pytest.mark.parametrize("size", range(4, 40, 3))
def test_the_lines_never_exceed_the_tokens(size: int) -> None:
    lines = ["def pay():", *(f"    step_{number}(order, {number})" for number in range(12))]
    text = elided(lines, [float(number % 5) for number in range(13)], tokens=size)
    assert tokens_of(text) <= size
    assert [line for line in text.split("\n") if line != ELIDED] == [line for line in lines if line in text.split("\n")]


@pytest.mark.parametrize("budget", [150, 300])
def test_compressed_sources_keep_the_budget_and_are_more(shop: Index, shop_root: Path, budget: int) -> None:
    whole = shop.ask(RETRIED, pipeline="retrieve,correct,answer", budget=budget)
    short = shop.ask(RETRIED, pipeline="retrieve,correct,compress,answer", budget=budget)
    assert tokens(short) <= budget
    assert len(short.sources) > len(whole.sources)
    assert "tokens are cut to" in said(short, "compress")
    for source in short.sources:
        lines = (shop_root / source.path).read_text(encoding="utf-8").split("\n")
        assert set(source.text.split("\n")) <= {*lines, ELIDED}
    for statement in short.statements:
        text = short.sources[statement.citations[0] - 1].text
        assert all(quote.rstrip("…") in text for quote in statement.quotes)


def test_the_default_pipeline_compresses_by_rules_alone(shop: Index) -> None:
    with serve_model() as server:
        answer = shop.ask(RETRIED, budget=150, model=server.chat("faithful"))
    assert "compress" in answer.pipeline
    assert said(answer, "compress").startswith("368 tokens are cut to ")
    assert tokens(answer) <= 150
    assert len(server.prompts) == 1  # the one that writes the answer


def test_nothing_is_cut_that_fits(shop: Index) -> None:
    whole = shop.ask(RETRIED, pipeline="retrieve,correct,answer", budget=4000)
    short = shop.ask(RETRIED, pipeline="retrieve,correct,compress,answer", budget=4000)
    assert short.sources == whole.sources


def test_repetitions_are_left_out(tmp_path: Path) -> None:
    body = '(order):\n    """Refund an order to the card that paid it."""\n    order.refund(order.card, order.total)\n'
    files = {"a.py": f"def refund_order{body}", "b.py": f"def refund_order_again{body}"}
    index = Index.build(write(tmp_path / "twins", files), workers=0)
    answers = [
        index.ask("how is an order refunded?", pipeline=names, budget=60)
        for names in ("naive", "retrieve,compress,answer")
    ]
    assert [answer.sources[0].path for answer in answers] == ["a.py", "a.py"]
    assert "1 repeated" in said(answers[1], "compress")


def test_a_model_chooses_lines_by_number_and_adds_no_word(shop: Index) -> None:
    def choose(prompt: Prompt) -> str:
        chosen = [{"source": 1, "lines": [2, 999, -4]}, {"source": 77, "lines": [1]}]
        return json.dumps({"chosen": chosen}) if "choose the lines" in prompt.text else "Invented [1]."

    with serve_model({"chooses": choose}) as server:
        names = "retrieve,correct,compress,answer"
        answer = shop.ask(RETRIED, pipeline=names, budget=150, model=server.chat("chooses"))
        assert f"by {server.chat('chooses')}" in said(answer, "compress") or " by " in said(answer, "compress")
        sources = answer.sources or answer.nearest
        assert "Invented" not in "".join(source.text for source in sources)
        failed = shop.ask(RETRIED, pipeline=names, budget=150, model=server.chat("gives-up"))
        assert "by rules" in said(failed, "compress")


def test_a_member_is_given_with_its_class(tmp_path: Path) -> None:
    shelf = (
        'class Shelf:\n    """Books in order."""\n\n    def __init__(self) -> None:\n        self.books = []\n\n'
        '    def borrow_book(self, title):\n        """Hand out a book to a reader."""\n'
        "        return self.books.pop(title)\n"
    )
    index = Index.build(write(tmp_path / "library", {"shelf.py": shelf, "other.py": "LIMIT = 3\n"}), workers=0)
    small = index.ask("how is a book handed out to a reader?", pipeline="retrieve,answer")
    big = index.ask("how is a book handed out to a reader?", pipeline="retrieve,small_to_big,answer")
    assert small.sources[0].place == "shelf.py:7-9"
    assert big.sources[0].place == "shelf.py:1-9"
    assert big.sources[0].text.split("\n") == [line for line in shelf.split("\n") if line]
    assert [statement.text for statement in big.statements] == [statement.text for statement in small.statements]
    tight = index.ask("how is a book handed out to a reader?", pipeline="retrieve,small_to_big,answer", budget=60)
    assert tight.sources[0].place == "shelf.py:7-9"


@pytest.mark.parametrize("question", ["thanks!", "hello there", "2 + 2", "what is 17*3?"])
def test_what_no_file_could_answer_is_not_looked_up(shop: Index, question: str) -> None:
    answer = shop.ask(question, pipeline="retrieve,reflect,answer")
    assert not answer.is_found
    assert said(answer, "reflect").endswith("nothing that files could say is asked")
    assert shop.ask(question, pipeline="retrieve,answer").is_found


@pytest.mark.parametrize("question", ["hello, where is the cart?", "thanks, what is TokenBucket", "ok 2 carts", "v1.2"])
def test_what_only_begins_like_it_is_looked_up(shop: Index, question: str) -> None:
    answer = shop.ask(question, pipeline="retrieve,reflect,answer")
    assert "nothing that files could say" not in said(answer, "reflect")


def test_a_name_that_no_passage_shows_is_looked_up(shop: Index) -> None:
    names = "PaymentRetrier TokenBucket CouponBook IdempotencyStore OrderDesk WebhookReceiver MigrationRunner".split()
    names += "PaymentService Checkout Session".split()
    question = f"what do {', '.join(names)} do?"
    without = shop.ask(question, pipeline="retrieve,answer", k=30, budget=9000)
    with_it = shop.ask(question, pipeline="retrieve,reflect,answer", k=30, budget=9000)
    found = said(with_it, "reflect").partition("looked up: ")[2].rpartition(", ")[0].split(", ")
    assert found
    for name in found:
        assert not any(name in source.name for source in without.sources)
        assert any(name in source.name for source in with_it.sources)


def test_a_model_may_only_leave_out(shop: Index) -> None:
    def judge(prompt: Prompt) -> str:
        if "You judge" not in prompt.text:
            return "The sources do not say."
        return json.dumps({"retrieve": True, "relevant": [1, 2, 55], "supported": [2, 3, 55], "useful": True})

    useless = {"retrieve": True, "relevant": [1], "supported": [1], "useful": False}
    with serve_model({"judges": judge, "useless": lambda _: json.dumps(useless)}) as server:
        usual = shop.ask(RETRIED, pipeline="retrieve,correct,answer")
        judged = shop.ask(RETRIED, pipeline="retrieve,correct,reflect,answer", model=server.chat("judges"))
        kept = judged.sources or judged.nearest
        assert [source.place for source in kept] == [usual.sources[1].place]
        assert not shop.ask(RETRIED, pipeline="retrieve,correct,reflect,answer", model=server.chat("useless")).is_found
        failed = shop.ask(RETRIED, pipeline="retrieve,correct,reflect,answer", model=server.chat("gives-up"))
        assert said(failed, "reflect").partition(": ")[2].startswith("by rules")
