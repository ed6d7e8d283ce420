"""The endpoints answer what the commands print with --json."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from coderag import Index
from coderag.cli.main import run
from tests.effort import effort
from tests.embeddings import Endpoint, embeddings
from tests.serve.http.served import Served
from tests.workspace import copy_shop

SQL = "SELECT totl_cents FROM orders"
# An endpoint with its parameters, and the command that prints the same.
SAME: list[tuple[str, dict[str, Any], list[str]]] = [
    (
        "search",
        {"q": "where are failed payments retried?", "k": 3},
        ["search", "where are failed payments retried?", "-k3"],
    ),
    (
        "search",
        {"q": "order total", "kind": "function,method", "path": "shop/**", "tests": "exclude", "context": "whole"},
        [
            *("search", "order total", "--kind", "function,method", "--path", "shop/**"),
            *("--tests", "exclude", "--context", "whole"),
        ],
    ),
    ("search", {"q": '"connection refused" lang:go'}, ["search", '"connection refused" lang:go']),
    ("search", {"q": "zzyzx", "path": "nowhere/**"}, ["search", "zzyzx", "--path", "nowhere/**"]),
    ("symbol", {"name": "place_order"}, ["symbols", "place_order"]),
    ("symbol", {"name": "place_ordr", "k": 2}, ["symbols", "place_ordr", "-k2"]),
    ("refs", {"target": "orders"}, ["refs", "orders"]),
    ("refs", {"target": "place_order", "kind": "method", "k": 2}, ["refs", "place_order", "--kind", "method", "-k2"]),
    ("refs", {"target": "zzyzx"}, ["refs", "zzyzx"]),
    (
        "impact",
        {"target": "orders.total_cents", "change": "drop"},
        ["impact", "orders.total_cents", "--change", "drop"],
    ),
    ("impact", {"target": "zzyzx"}, ["impact", "zzyzx"]),
    ("path", {"from": "place_order", "to": "orders"}, ["path", "place_order", "orders"]),
    ("ask", {"q": "who calls place_order?"}, ["ask", "who calls place_order?"]),
    ("ask", {"q": "how are blockchains mined?"}, ["ask", "how are blockchains mined?"]),
    ("map", {"budget": 600}, ["map", "--budget", "600"]),
    ("map", {"q": "payments", "language": "python"}, ["map", "payments", "--language", "python"]),
    ("schema", {"q": "revenue per customer", "budget": 900}, ["schema", "revenue per customer", "--budget", "900"]),
    ("tables", {}, ["tables"]),
    ("tables", {"q": "order*", "k": 1}, ["tables", "order*", "-k1"]),
    ("table/orders", {}, ["table", "orders"]),
    ("table/zzyzx", {}, ["table", "zzyzx"]),
    ("check-sql", {"sql": SQL}, ["check-sql", "SQL"]),
    ("status", {}, ["status"]),
]


@pytest.mark.parametrize(("endpoint", "parameters", "command"), SAME, ids=lambda value: str(value)[:40])
def test_an_endpoint_answers_as_its_command(
    served: Served,
    shop: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    endpoint: str,
    parameters: dict[str, Any],
    command: list[str],
) -> None:
    file = tmp_path / "query.sql"
    file.write_text(SQL)
    run([str(file) if word == "SQL" else word for word in command] + ["--root", str(shop), "--json"])
    reply = served.get(f"/api/{endpoint}?{urlencode(parameters)}")
    assert reply.status == 200
    assert reply.json == json.loads(capsys.readouterr().out)
    assert reply.headers["content-type"] == "application/json"


def test_an_outline_is_that_of_the_command(
    served: Served, shop: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(shop)
    run(["outline", "shop/cart.py", "--kind", "class,method", "--json"])
    expected = [{**record, "repository": "shop"} for record in json.loads(capsys.readouterr().out)]
    assert served.get("/api/outline?path=shop/cart.py&kind=class,method").json == expected


def test_sql_is_checked_that_a_body_has(served: Served) -> None:
    headers = {"Content-Type": "application/json"}
    body = json.dumps({"sql": SQL, "database": [], "writes": False}).encode()
    reply = served.ask("POST", "/api/check-sql", body=body, headers=headers)
    assert reply.json == served.get(f"/api/check-sql?sql={quote(SQL)}").json
    assert reply.json[0]["suggestions"]
    for wrong in (b"{", b"[]", b'{"sql": 3}', b'{"sql": "x", "q": 1}', b"[" * 100_000):
        assert served.ask("POST", "/api/check-sql", body=wrong, headers=headers).status == 400
    assert served.ask("POST", "/api/check-sql", body=body).status == 400  # of an unknown type


def test_lines_of_a_file_come_from_the_index(served: Served, shop: Path) -> None:
    lines = (shop / "shop/cart.py").read_text().splitlines()
    whole = served.get("/api/file?path=shop/cart.py").json
    assert whole["lines"] == lines
    part = served.get("/api/file?path=shop/cart.py&start=14&end=16&repository=shop").json
    assert (part["lines"], part["start_line"], part["end_line"]) == (lines[13:16], 14, 16)
    assert part["total_lines"] == len(lines)
    assert served.get("/api/file?path=shop/cart.py&start=9999").json["lines"] == []


@pytest.mark.parametrize(
    "path", ["../secret", "/etc/passwd", "shop/../shop/cart.py", "shop", "coderag.toml", ".git/config", "a\0b"]
)
def test_no_file_is_shown_that_is_not_indexed(served: Served, path: str) -> None:
    for endpoint in ("file", "outline"):
        reply = served.get(f"/api/{endpoint}?{urlencode({'path': path})}")
        assert (reply.status, list(reply.json)) == (404, ["error"])


@pytest.mark.parametrize(
    ("address", "why"),
    [
        ("search", "required field `q`"),
        ("search?q=", "length >= 1"),
        ("search?q=%20", "empty"),
        ("search?q=x&k=0", ">= 1"),
        ("search?q=x&k=many", "int"),
        ("search?q=x&q=y", "q is given twice"),
        ("search?q=x&colour=red", "unknown parameter 'colour'; known are q, k,"),
        ("search?q=x&kind=chair", "chair"),
        ("search?q=x&language=klingon", "klingon"),
        ("search?q=/(/", ""),
        ("impact?target=orders&change=burn", "burn"),
        (f"tables?dialect={'x' * 3_000}", "unknown SQL dialect"),
        ("status?q=1", "known are none"),
    ],
)
def test_what_makes_no_sense_is_told(served: Served, address: str, why: str) -> None:
    reply = served.get(f"/api/{address}")
    assert reply.status == 400
    assert why in reply.json["error"]


def test_unknown_paths_and_methods(served: Served) -> None:
    assert served.get("/api/nothing").status == 404
    assert served.get("/api/search/").status == 404
    reply = served.ask("DELETE", "/api/search?q=x")
    assert (reply.status, reply.headers["allow"]) == (405, "GET, HEAD")
    assert "error" in reply.json
    assert served.ask("HEAD", "/api/search?q=x&k=1").body == b""


def test_the_description_names_every_endpoint_and_its_answer(served: Served) -> None:
    description = served.get("/api/openapi.json").json
    assert description["openapi"].startswith("3.1.")
    named = {endpoint.partition("/")[0] for endpoint, _, _ in SAME} | {"file", "outline"}
    assert {path.split("/")[2] for path in description["paths"] if path.startswith("/api/")} == named
    search = description["paths"]["/api/search"]["get"]
    known = {each["name"]: each for each in search["parameters"]}
    assert known["q"]["required"]
    assert known["k"]["schema"] == {"type": "integer", "minimum": 1, "maximum": 1000, "default": 10}
    references = served.get("/api/refs?target=orders").json
    described = description["components"]["schemas"]["References"]
    assert all(set(each) == set(described["properties"]) for each in references)


@pytest.mark.slow
def test_agents_call_tools(served: Served) -> None:
    call = {"jsonrpc": "2.0", "id": 7, "method": "tools/call"}
    call["params"] = {"name": "search", "arguments": {"query": "place_order", "k": 1}}
    headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    reply = served.ask("POST", "/mcp", body=json.dumps(call).encode(), headers=headers)
    assert (reply.status, reply.json["id"]) == (200, 7)
    assert "shop/checkout.py" in reply.json["result"]["content"][0]["text"]
    assert served.ask("POST", "/mcp", body=b"{}", headers=headers, token="").status == 401
    call["params"] = {"name": "symbol", "arguments": {"name": "PaymentRetrier"}}
    texts = [
        served.ask("POST", "/mcp", body=json.dumps(call).encode(), headers=headers, token=token).json
        for token in ("of-finance", "of-nobody")
    ]
    assert ["retry.py:" in json.dumps(text) for text in texts] == [True, False]


def test_metrics_count_what_was_answered(served: Served) -> None:
    first, second = (served.get("/api/symbol?name=place_order") for _ in range(2))
    assert first.body == second.body
    asked = [served.get("/api/ask?q=where+are+coupons+counted%3F").json for _ in range(2)]
    assert asked[1]["trace"][0]["stage"] == "cache"
    text = served.get("/metrics").body.decode()
    values = dict(line.rsplit(" ", 1) for line in text.splitlines() if not line.startswith("#"))
    assert float(values['coderag_requests_total{route="/api/symbol",method="GET",status="200"}']) >= 1
    counted = [
        float(value)
        for name, value in values.items()
        if name.startswith('coderag_request_seconds_bucket{route="/api/symbol"')
    ]
    assert counted == sorted(counted)
    assert counted[-1] == float(values['coderag_request_seconds_count{route="/api/symbol"}'])
    assert float(values['coderag_index_files{root="shop"}']) > 50
    assert float(values["coderag_roots"]) == 1
    assert float(values['coderag_answer_cache_total{found="true"}']) >= 1
    assert float(values['coderag_answer_cache_total{found="false"}']) >= 1
    assert float(values["coderag_answer_cache_bytes"]) > 100
    assert float(values['coderag_response_cache_total{answer="kept"}']) >= 1
    assert float(values['coderag_response_cache_total{answer="made"}']) >= 1
    assert float(values["coderag_response_cache_bytes"]) >= len(first.body)
    assert served.get("/metrics", token="of-finance").status == 403


NAMES = (
    "search",
    "ask",
    "symbol",
    "refs",
    "impact",
    "path",
    "map",
    "schema",
    "tables",
    "table/x",
    "check-sql",
    "file",
    "outline",
)
WORDS = st.sampled_from(["q", "k", "name", "target", "from", "to", "sql", "path", "kind", "budget", "start", "tests"])
VALUES = st.one_of(
    st.text(max_size=30), st.sampled_from(["orders", "shop/cart.py", "1", "-1", "99999999999", "*", "/a(/", "\0"])
)


@settings(
    max_examples=effort(150, thorough=2_000), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(name=st.sampled_from(NAMES), parameters=st.dictionaries(WORDS, VALUES, max_size=4))
def test_nothing_that_is_asked_is_a_fault(served: Served, name: str, parameters: dict[str, str]) -> None:
    reply = served.get(f"/api/{name}?{urlencode(parameters, errors='surrogatepass')}")
    assert reply.status in (200, 400, 404)
    assert reply.status == 200 or list(reply.json) == ["error"]


@pytest.mark.slow
def test_an_answer_after_the_encoder_failed_is_made_again(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    root = copy_shop(tmp_path / "shop")
    search = f"/api/search?{urlencode({'q': 'where are failed payments retried?'})}"
    with embeddings() as line:
        Index.build(root, encoder=line, workers=0).close()
        with Served(root) as served:
            Endpoint.broken = True
            by_words = served.get(search)
            Endpoint.broken = False
            whole = served.get(search)
            again = served.get(search)
    assert [note[:19] for note in json.loads(by_words.headers["coderag-notes"])] == ["words alone answer:"]
    assert "coderag-notes" not in whole.headers
    assert whole.body == again.body != by_words.body
