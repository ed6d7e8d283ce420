"""Sessions in both eras of the protocol, line by line, with what no client should send."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from coderag.serve.tools import INSTRUCTIONS, TOOLS
from coderag.text.budget import tokens_of
from tests.serve.mcp.session import LEGACY, MODERN, Session, text_of
from tests.workspace import copy_shop

pytestmark = pytest.mark.slow

MAX_TOKENS = 1_500  # of all tools: agents send their descriptions with every request
QUESTION = "where are failed payments retried?"
ODD_TOOLS = (sys.executable, "-m", "tests.serve.mcp.odd_tools", "mcp")
PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS = -32700, -32600, -32601, -32602


@pytest.fixture(scope="module", params=[LEGACY, MODERN])
def session(shop: Path, request: pytest.FixtureRequest) -> Iterator[Session]:
    """One server for many tests: each shows that it has survived those before."""
    with Session("--root", shop) as opened:
        yield opened.open(request.param)


@pytest.fixture(scope="module")
def odd(shop: Path) -> Iterator[Session]:
    """A server whose tools misbehave."""
    with Session("--root", shop, "--structured", command=ODD_TOOLS) as opened:
        yield opened.open(LEGACY)


@pytest.mark.parametrize("version", ["2024-11-05", "2025-03-26", "2025-06-18", LEGACY])
def test_every_version_with_a_handshake_is_spoken(shop: Path, version: str) -> None:
    with Session("--root", shop) as session:
        opened = session.ask(
            "initialize", protocolVersion=version, capabilities={}, clientInfo={"name": "", "version": ""}
        )
        assert opened["result"]["protocolVersion"] == version
        assert opened["result"]["instructions"] == INSTRUCTIONS
        session.say({"jsonrpc": "2.0", "method": "notifications/initialized"})
        assert "retry_failed" in text_of(session.call("search", query=QUESTION))


def test_a_stateless_client_discovers_the_server(shop: Path) -> None:
    with Session("--root", shop) as session:
        found = session.open(MODERN).ask("server/discover")["result"]
        assert MODERN in found["supportedVersions"]
        assert found["instructions"] == INSTRUCTIONS
        assert "tools" in found["capabilities"]


def test_every_tool_is_listed_as_read_only(session: Session) -> None:
    listed = session.ask("tools/list")["result"]["tools"]
    assert [tool["name"] for tool in listed] == list(TOOLS)
    for tool in listed:
        assert tool["annotations"] == {
            "readOnlyHint": True,
            "destructiveHint": False,
            "idempotentHint": True,
            "openWorldHint": False,
        }
        assert tool["inputSchema"]["type"] == "object"


def test_the_list_of_tools_costs_few_tokens(session: Session) -> None:
    assert tokens_of(json.dumps(session.ask("tools/list")["result"]["tools"])) < MAX_TOKENS


def test_an_answer_is_text_alone(session: Session) -> None:
    result = session.call("search", query=QUESTION)
    assert not result.get("isError")
    assert "structuredContent" not in result
    assert "shop/payments/retry.py:68" in text_of(result)


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (b"{nonsense", PARSE_ERROR),
        (b"\xff\xfe\x00", PARSE_ERROR),
        (b'"\\ud800"', PARSE_ERROR),
        (b"[" * 100_000, PARSE_ERROR),
        (b"[]", INVALID_REQUEST),
        (b'[{"jsonrpc": "2.0", "id": 1, "method": "ping"}]', INVALID_REQUEST),
        (b"17", INVALID_REQUEST),
        (b'{"jsonrpc": "2.0", "id": 1.5, "method": "ping"}', INVALID_REQUEST),
        (b'{"jsonrpc": "2.0", "id": [1], "method": 5}', INVALID_REQUEST),
        (b'{"jsonrpc": "2.0", "id": null, "method": "ping"}', INVALID_REQUEST),
        (b'{"jsonrpc": "2.0", "id": true, "method": "ping"}', INVALID_REQUEST),
        (b"x" * 33_000_000, INVALID_REQUEST),
    ],
    ids=[
        "no JSON",
        "no UTF-8",
        "half a pair",
        "deep",
        "array",
        "batch",
        "number",
        "part of an id",
        "list",
        "no id",
        "bool id",
        "too long",
    ],
)
def test_what_is_no_message_gets_an_error(session: Session, line: bytes, code: int) -> None:
    session.say(line)
    answer = session.answer()
    assert answer["id"] is None
    assert answer["error"]["code"] == code
    assert answer["error"]["message"]


def test_what_is_no_message_but_has_an_id_is_answered_by_it(session: Session) -> None:
    session.say({"jsonrpc": "1.0", "id": "seven", "method": "ping"})
    assert session.answer()["id"] == "seven"


def test_empty_lines_and_unasked_answers_are_passed_over(session: Session) -> None:
    session.say(b"")
    session.say(b"  \r")
    session.say({"jsonrpc": "2.0", "id": 99, "result": {}})
    session.say({"jsonrpc": "2.0", "id": 99, "error": {"code": 1, "message": "no"}})
    session.say({"jsonrpc": "2.0", "method": "notifications/unheard"})
    session.say({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 12345}})
    assert session.ask("tools/list")["result"]


@pytest.mark.parametrize("method", ["no/such", "", "resources/list", "prompts/list", "tools/" + "x" * 10_000])
def test_an_unknown_method_gets_an_error(session: Session, method: str) -> None:
    assert session.ask(method)["error"]["code"] == METHOD_NOT_FOUND


@pytest.mark.parametrize("params", [{}, {"name": 7}, {"name": "search", "arguments": []}, {"name": None}])
def test_a_call_of_the_wrong_shape_gets_an_error(session: Session, params: dict[str, Any]) -> None:
    assert session.ask("tools/call", **params)["error"]["code"] == INVALID_PARAMS


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"query": 7},
        {"query": None},
        {"query": {"a": 1}},
        {"query": ""},
        {"query": "a", "k": "many"},
        {"query": "a", "k": 1e300},
        {"query": "a", "k": -1},
        {"query": "a", "no_such": True},
        {"query": "x" * 10_000_000},
        {"query": QUESTION, "groups": ["admin"]},
    ],
    ids=lambda value: str(value)[:40],
)
def test_wrong_arguments_are_told_in_words(session: Session, arguments: dict[str, Any]) -> None:
    result = session.call("search", **arguments)
    assert result["isError"]
    assert 0 < len(text_of(result)) < 1_000


def test_an_unknown_tool_is_told_with_those_there_are(session: Session) -> None:
    result = session.call("serch", query=QUESTION)
    assert result["isError"]
    assert "search" in text_of(result)


def test_many_calls_at_once_are_all_answered(session: Session) -> None:
    sent = {session.send_call("search", query=f"{QUESTION} {number}") for number in range(40)}
    answers = [session.answer() for _ in sent]
    assert {answer["id"] for answer in answers} == sent
    assert not any(answer["result"].get("isError") for answer in answers)


def test_only_one_era_is_spoken_with_a_client(session: Session) -> None:
    other = MODERN if not session.is_modern else LEGACY
    if other == LEGACY:
        error = session.ask(
            "initialize", protocolVersion=LEGACY, capabilities={}, clientInfo={"name": "", "version": ""}
        )
    else:
        error = session.ask("tools/list", _meta={"io.modelcontextprotocol/protocolVersion": MODERN})
    assert error["error"]["message"]


def test_calls_before_the_handshake_get_an_error(shop: Path) -> None:
    with Session("--root", shop) as session:
        assert session.ask("tools/list")["error"]["code"] == INVALID_PARAMS
        assert session.open(LEGACY).ask("tools/list")["result"]


def test_selected_tools_are_offered_alone(shop: Path) -> None:
    first, *others = TOOLS
    with Session("--root", shop, "--tools", first) as session:
        session.open(LEGACY)
        assert [tool["name"] for tool in session.ask("tools/list")["result"]["tools"]] == [first]
        for name in others:
            result = session.call(name)
            assert result["isError"]
            assert text_of(result) == f"unknown tool {name!r}; there are {first}"


def test_data_is_returned_on_request(shop: Path) -> None:
    with Session("--root", shop, "--structured") as session:
        result = session.open(MODERN).call("search", query=QUESTION)
        assert "retry_failed" in text_of(result)
        assert isinstance(result["structuredContent"], dict)


def test_a_root_that_vanishes_is_told_in_words(tmp_path: Path) -> None:
    root = copy_shop(tmp_path / "shop")
    with Session("--root", root) as session:
        session.open(LEGACY).call("search", query=QUESTION)
        shutil.rmtree(root / ".coderag")
        assert text_of(session.call("search", query=QUESTION))
        shutil.rmtree(root)
        assert text_of(session.call("search", query=QUESTION))
        assert "Traceback" not in "".join(session.stderr)
        assert session.ask("tools/list")["result"]


def test_a_fault_of_a_tool_is_one_line(odd: Session) -> None:
    result = odd.call("search", query="crash")
    assert result["isError"]
    assert text_of(result).startswith("search failed: ZeroDivisionError;")
    assert "secret" not in text_of(result)
    assert "\n" not in text_of(result)


def test_what_tools_print_is_no_message(odd: Session) -> None:
    assert not odd.call("search", query="print").get("isError")


def test_names_that_are_no_unicode_arrive(odd: Session) -> None:
    result = odd.call("search", query="half a pair")
    assert text_of(result) == "name ?"
    assert result["structuredContent"] == {"name": ["?"]}


def test_a_cancelled_call_is_never_answered(odd: Session) -> None:
    number = odd.send_call("search", query="hang")
    odd.say({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": number}})
    assert odd.ask("ping")["result"] == {}


def test_a_call_that_hangs_is_given_up(shop: Path) -> None:
    with Session("--root", shop, command=ODD_TOOLS, LONGEST_SECONDS="0.5") as session:
        session.open(LEGACY)
        sent = [session.send_call("search", query="hang") for _ in range(6)]  # more than are run at once
        answers = [session.answer() for _ in sent]
        assert sorted(answer["id"] for answer in answers) == sent
        assert all(answer["result"]["isError"] for answer in answers)
        assert "took more than" in text_of(answers[0]["result"])
        assert session.ask("ping")["result"] == {}
