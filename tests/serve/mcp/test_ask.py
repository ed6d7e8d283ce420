"""`ask` as a tool: offered where the user names a language model, and held to what the sources say."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from coderag.api.roots import resolve_roots
from coderag.errors import LanguageModelError, QueryError
from coderag.serve.answers.ask import ask
from coderag.serve.arguments import AskArguments
from coderag.serve.tools import MODEL_TOOLS, TOOLS, call
from coderag.serve.workspace import Workspace
from coderag.text.budget import tokens_of
from tests.ask.agentic.scripts import SCRIPTS
from tests.ask.models.scripted import ScriptedModel, serve_model
from tests.commands import run_here
from tests.serve.http.served import Served
from tests.serve.mcp.session import COMMAND, ENVIRONMENT, LEGACY, Session, text_of

MAX_TOKENS = 1_500  # of all tools, this one too
QUESTION = "what retries failed payments?"

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def server() -> Iterator[ScriptedModel]:
    with serve_model(SCRIPTS) as model:
        yield model


@pytest.fixture(scope="module")
def session(shop: Path, server: ScriptedModel) -> Iterator[Session]:
    """One server for many tests, with a model that searches first where it may."""
    with Session("--root", shop, "--structured", "--model", server.chat("searches")) as opened:
        yield opened.open(LEGACY)


def test_it_is_listed_with_a_model_alone(session: Session) -> None:
    listed = session.ask("tools/list")["result"]["tools"]
    assert [tool["name"] for tool in listed] == [*TOOLS, *MODEL_TOOLS]
    assert tokens_of(json.dumps(listed)) < MAX_TOKENS
    assert listed[-1]["annotations"] == {
        "readOnlyHint": True,
        "destructiveHint": False,
        "idempotentHint": False,
        "openWorldHint": True,
    }


def test_without_a_model_there_is_no_such_tool(shop: Path) -> None:
    with Workspace(resolve_roots([shop])) as workspace, pytest.raises(QueryError, match="unknown tool 'ask'"):
        call(workspace, "ask", {"question": QUESTION})


def test_the_answer_cites_its_sources(session: Session) -> None:
    result = session.call("ask", question=QUESTION)
    first, *_ = text_of(result).split("\n")
    assert first.startswith("`def retry_failed` is defined there [1].")
    assert "\n[1] shop/payments/retry.py:68-79 PaymentRetrier.retry_failed\n" in text_of(result)
    assert result["structuredContent"]["verdict"] == "found"
    assert result["structuredContent"]["pipeline"][-1] == "answer"


def test_the_model_may_call_the_other_tools_first(session: Session) -> None:
    record = session.call("ask", question="how does redeemable check a coupon?", agentic=True)["structuredContent"]
    said = [step["said"] for step in record["trace"] if step["stage"] == "agentic"]
    assert any(one.startswith("1. search(query='redeem a coupon') found ") for one in said)


def test_the_budget_is_kept(session: Session, server: ScriptedModel) -> None:
    small = session.call("ask", question=QUESTION, budget=200)
    assert tokens_of(text_of(small)) <= 200
    shown = sum(len(text) for _, text in server.prompts[-1].sources)
    assert 0 < shown <= 200 * 4


def test_a_conversation_goes_on_and_is_the_users_own(session: Session, shop: Path) -> None:
    session.call("ask", question="where are failed payments retried?", session="agent")
    record = session.call("ask", question="who calls it?", session="agent")["structuredContent"]
    assert record["read_as"] == "who calls PaymentRetrier.retry_failed?"
    assert session.call("ask", question="who calls it?", session="other")["structuredContent"]["read_as"] == ""
    assert session.call("ask", question="who calls it?", session="../x")["isError"]
    listed = run_here("sessions", "--root", shop, cwd=shop.parent)
    assert {"agent", "other"} <= {line.split()[0] for line in listed.stdout.splitlines()}


def test_what_is_not_found_is_told(session: Session) -> None:
    text = text_of(session.call("ask", question="where is the Redis connection opened?"))
    assert text.startswith("not found; the nearest are:\n[1] shop/")


def test_paths_and_wrong_arguments(session: Session) -> None:
    text = text_of(session.call("ask", question="where are payments attempted?", path="shop/payments/**"))
    assert "shop/payments/service.py" in text
    assert session.call("ask", question="")["isError"]
    assert session.call("ask", question=QUESTION, model="http://evil.example/v1#m")["isError"]


@pytest.mark.parametrize(
    ("mode", "message"),
    [
        ("401", "answered 401"),
        ("refuses", "refused to answer: I cannot help with that."),
        ("cut", "broke off its answer"),
        ("invents", "not found; the nearest are:\n[left out: '`PaymentTeleporter.beam_up` retries a payment"),
    ],
)
def test_a_model_that_fails_is_told_in_words(shop: Path, server: ScriptedModel, mode: str, message: str) -> None:
    with Workspace(resolve_roots([shop]), language_model=f"{server.chat(mode)}?timeout=1") as workspace:
        try:
            said = call(workspace, "ask", {"question": QUESTION}).text
        except LanguageModelError as error:
            said = str(error)
    assert message in said


def test_cancelled_questions_and_a_silent_model(shop: Path, server: ScriptedModel) -> None:
    with Session("--root", shop, "--model", f"{server.chat('silent')}?timeout=1") as session:
        session.open(LEGACY)
        for _ in range(3):  # more than wait for a model at once
            number = session.send_call("ask", question=QUESTION)
            session.say({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": number}})
        assert "retry_failed" in text_of(session.call("search", query=QUESTION))
        result = session.call("ask", question=QUESTION)
        assert result["isError"]
        assert "/v1/chat/completions did not answer within 1 s" in text_of(result)


def test_a_model_is_broken_off_when_nobody_waits(shop: Path, server: ScriptedModel) -> None:
    opened = Workspace(resolve_roots([shop]), language_model=server.chat("faithful"))
    with opened as workspace, pytest.raises(QueryError, match="the question was cancelled"):
        ask(workspace, AskArguments(question=QUESTION), stopped=lambda: True)


def test_a_line_that_names_no_model_is_told_before_serving(shop: Path) -> None:
    done = subprocess.run([*COMMAND, "--root", shop, "--model", "gpt"], capture_output=True, text=True, env=ENVIRONMENT)
    assert done.returncode == 2
    assert "no language model is called 'gpt'" in done.stderr


def test_it_is_offered_over_http_too(shop: Path, server: ScriptedModel) -> None:
    headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    request: dict[str, Any] = {"jsonrpc": "2.0", "id": 1, "method": "tools/call"}
    request["params"] = {"name": "ask", "arguments": {"question": QUESTION}}
    with Served(shop, "--model", server.chat("faithful")) as served:
        reply = served.ask("POST", "/mcp", body=json.dumps(request).encode(), headers=headers)
    assert "retry_failed` is defined there [1]." in reply.json["result"]["content"][0]["text"]
