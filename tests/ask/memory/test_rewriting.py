"""A model writes out a question that leans on its conversation; what rules made of it is looked up beside it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator

import pytest

from coderag import Answer, Index
from coderag.ask.memory.conversation import Conversation
from tests.ask.models.scripted import Calls, Prompt, ScriptedModel, faithful, serve_model

REWRITES = "You rewrite the last question"
FIRST = "where are failed payments retried?"


def rewriting(text: str) -> Callable[[Prompt], str]:
    """Return a model that gives this text where it is to rewrite, and answers faithfully else."""
    return lambda prompt: json.dumps({"question": text}) if REWRITES in prompt.text else faithful(prompt)


@pytest.fixture(scope="module")
def server() -> Iterator[ScriptedModel]:
    modes: dict[str, Callable[[Prompt], str | Calls]] = {
        "rewrites": rewriting("which jobs call PaymentRetrier.retry_failed?"),
        "invents": rewriting("who calls PaymentTeleporter?"),
        "says-nothing": rewriting(""),
        "rambles": rewriting("who calls it " * 60),
        "chats": lambda prompt: "I would rather not." if REWRITES in prompt.text else faithful(prompt),
    }
    with serve_model(modes) as model:
        yield model


@pytest.fixture(scope="module")
def conversation(shop: Index) -> Conversation:
    return Conversation().after(shop.ask(FIRST), shop)


def ask(shop: Index, question: str, conversation: Conversation, line: str) -> tuple[Answer, list[str]]:
    answer = shop.ask(question, conversation=conversation, model=line, cache=False)
    return answer, [step.said for step in answer.trace if step.stage == "reframe"]


def test_the_rewriting_is_looked_up_beside_the_reading_of_the_rules(
    shop: Index, conversation: Conversation, server: ScriptedModel
) -> None:
    server.prompts.clear()
    answer, said = ask(shop, "who calls it?", conversation, server.chat("rewrites"))
    assert answer.question == "who calls it?"
    assert answer.read_as == "which jobs call PaymentRetrier.retry_failed?"
    assert "'who calls PaymentRetrier.retry_failed?' is looked up beside it" in said[1]
    assert "shop/payments/retry.py" in {source.path for source in answer.sources}
    rewrite, write = server.prompts[0].text, server.prompts[-1]
    assert f"asked: {FIRST}\nshown: PaymentRetrier.retry_failed in shop/payments/retry.py" in rewrite
    assert "def retry_failed" not in rewrite
    assert write.question == "which jobs call PaymentRetrier.retry_failed?"


def test_a_question_that_stands_alone_is_no_question_for_a_model(
    shop: Index, conversation: Conversation, server: ScriptedModel
) -> None:
    server.prompts.clear()
    answer, _ = ask(shop, "how is a coupon checked before it is redeemed?", conversation, server.chat("rewrites"))
    assert answer.read_as == ""
    assert not any(REWRITES in prompt.text for prompt in server.prompts)


@pytest.mark.parametrize("mode", ["invents", "says-nothing", "rambles", "chats"])
def test_a_model_that_fails_leaves_the_reading_of_the_rules(
    shop: Index, conversation: Conversation, server: ScriptedModel, mode: str
) -> None:
    answer, said = ask(shop, "who calls it?", conversation, server.chat(mode))
    assert answer.read_as == "who calls PaymentRetrier.retry_failed?"
    assert "rewriting names what nobody said" in said[1] or "did not rewrite" in said[1]
