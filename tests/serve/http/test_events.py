"""Answers as server-sent events, from a server in a process of its own."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

from tests.ask.models.scripted import ScriptedModel, serve_model
from tests.serve.http.served import SECONDS, Reply, Served
from tests.serve.http.test_life import until

pytestmark = pytest.mark.slow

QUESTION = urlencode({"q": "where are failed payments retried?"})
ACCEPTED = {"Accept": "text/event-stream"}


def events(reply: Reply) -> list[tuple[str, Any]]:
    """Return the events of an answer, by name and data."""
    assert reply.status == 200, reply.body
    assert reply.headers["content-type"] == "text/event-stream; charset=utf-8"
    blocks = [block.split("\n") for block in reply.body.decode().split("\n\n") if block and block[0] != ":"]
    assert all(len(block) == 2 for block in blocks)
    return [(name.removeprefix("event: "), json.loads(data.removeprefix("data: "))) for name, data in blocks]


@pytest.fixture(scope="module")
def model() -> Iterator[ScriptedModel]:
    with serve_model() as model:
        yield model


def test_an_answer_is_told_step_by_step_and_ends_with_the_same_record(served: Served) -> None:
    served.get(f"/api/ask?{QUESTION}")  # an answer that is given again says so in its first step
    whole = served.get(f"/api/ask?{QUESTION}").json
    for reply in (served.get(f"/api/ask?{QUESTION}&stream=1"), served.get(f"/api/ask?{QUESTION}", headers=ACCEPTED)):
        *steps, (last, answer) = events(reply)
        assert {name for name, _ in steps} == {"step"}
        assert [step["stage"] for _, step in steps] == [step["stage"] for step in whole["trace"]]
        assert (last, answer) == ("answer", whole)


def test_what_fails_at_once_has_its_status(served: Served) -> None:
    for address, status in (("q=", 400), ("q=%20", 400), (f"{QUESTION}&stream=perhaps", 400), (f"{QUESTION}&k=0", 400)):
        reply = served.get(f"/api/ask?{address}", headers=ACCEPTED)
        assert (reply.status, list(reply.json)) == (status, ["error"])
    assert served.get(f"/api/ask?{QUESTION}", headers=ACCEPTED, token="").status == 401


def test_what_a_caller_may_not_see_is_in_no_event(served: Served) -> None:
    told = served.get(f"/api/ask?{QUESTION}&stream=1", token="of-nobody")
    assert "shop/payments/retry.py" not in told.body.decode()


def test_the_description_tells_of_events(served: Served) -> None:
    paths = served.get("/api/openapi.json").json["paths"]
    assert set(paths["/api/ask"]["get"]["responses"]["200"]["content"]) == {"application/json", "text/event-stream"}
    assert "text/event-stream" not in paths["/api/search"]["get"]["responses"]["200"]["content"]


def test_a_draft_is_told_and_what_the_sources_do_not_carry_is_left_out(shop: Path, model: ScriptedModel) -> None:
    with Served(shop, "--model", model.chat("mixes")) as server:
        told = events(server.get(f"/api/ask?{QUESTION}&stream=1"))
        draft = "".join(data["text"] for name, data in told if name == "draft")
        answer = told[-1][1]
        assert "PaymentTeleporter" in draft
        assert "PaymentTeleporter" not in answer["text"]
        assert answer["faults"]
        assert server.get(f"/api/ask?{QUESTION}").json["text"] == answer["text"]
        page = server.get(f"/ask?{QUESTION}&part=events").body.decode()
        assert "Left out of what the model wrote" in page


def test_a_model_that_fails_is_told(shop: Path, model: ScriptedModel) -> None:
    with Served(shop, "--model", model.chat("refuses")) as server:
        name, data = events(server.get(f"/api/ask?{QUESTION}&stream=1"))[-1]
        assert (name, data["status"]) == ("error", 502)
        assert server.get(f"/api/ask?{QUESTION}").status == 502


def test_a_client_that_leaves_ends_its_request(shop: Path, model: ScriptedModel) -> None:
    model.release = threading.Event()
    with Served(shop, "--model", model.chat("silent")) as server:
        with socket.create_connection(("127.0.0.1", server.port), timeout=SECONDS) as connection:
            head = f"GET /api/ask?{QUESTION}&stream=1 HTTP/1.1\r\nHost: localhost\r\n"
            connection.sendall(f"{head}Authorization: Bearer {server.token}\r\n\r\n".encode())
            received = b""
            while b"event: step" not in received:
                received += connection.recv(65_536)
            assert in_flight(server) == 2
        until(lambda: in_flight(server) == 1)  # that which asks
        model.release.set()


def in_flight(server: Served) -> int:
    lines = server.get("/metrics").body.decode().splitlines()
    return int(next(line for line in lines if line.startswith("coderag_requests_in_flight ")).rsplit(" ", 1)[1])


def test_a_model_that_nobody_knows_is_told_at_the_start(shop: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from coderag.cli.main import run

    assert run(["serve", "--root", str(shop), "--port", "0", "--model", "nobody:knows"]) == 2
    assert "nobody" in capsys.readouterr().err
