"""Who is let in, by which name, and how much at once."""

from __future__ import annotations

import json
import socket
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.serve.http.served import Served

OPEN = ("/healthz", "/login", "/login.js")


def test_nothing_is_told_without_a_token(served: Served) -> None:
    for path in ("/", "/api/search?q=x", "/api/openapi.json", "/metrics", "/mcp", "/zzyzx"):
        for token in ("", "wrong", served.token[:-1], served.token + "x", "ä"):
            reply = served.get(path, headers={"Authorization": f"Bearer {token}".encode()})  # type: ignore[dict-item]
            assert reply.status == 401
            assert list(reply.json) == ["error"]
            assert reply.headers["www-authenticate"].startswith("Bearer")
    for path in OPEN:
        assert served.get(path, token="").status == 200


def test_a_page_asks_for_the_token(served: Served) -> None:
    reply = served.get("/", token="", headers={"Accept": "text/html"})
    assert reply.status == 401
    assert reply.headers["content-type"].startswith("text/html")
    assert b'<script src="/login.js">' in reply.body


def test_a_token_becomes_a_cookie(served: Served) -> None:
    body = json.dumps({"token": served.token}).encode()
    reply = served.ask("POST", "/api/login", body=body, token="")
    cookie = reply.headers["set-cookie"]
    assert reply.status == 200
    assert cookie.startswith(f"coderag-token-{served.port}=")
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    kept = {"Cookie": cookie.partition(";")[0]}
    assert served.get("/api/status", token="", headers=kept).status == 200
    assert served.get("/api/status", token="", headers={"Cookie": kept["Cookie"] + "x"}).status == 401
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    assert served.ask("POST", "/api/login", body=f"token={served.token}".encode(), token="", headers=form).status == 303
    for wrong, status in ((b'{"token": "x"}', 401), (b"{}", 400), (b"\xff", 400), (b"[1]", 400)):
        assert served.ask("POST", "/api/login", body=wrong, token="").status == status


@pytest.mark.slow
def test_a_token_of_groups_sees_what_they_may(served: Served) -> None:
    path = "/api/file?path=shop/payments/retry.py"
    assert served.get(path).status == 200
    assert served.get(path, token="of-finance").status == 200
    assert served.get(path, token="of-nobody").status == 404
    assert served.get(path + "&groups=finance", token="of-nobody").status == 400
    hits = served.get("/api/search?q=retry+failed+payments&k=50", token="of-nobody").json
    assert hits
    assert not [hit["path"] for hit in hits if hit["path"].startswith("shop/payments/")]
    assert served.get("/api/refs?target=PaymentRetrier", token="of-nobody").json == []


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1.evil.example:1", "localhost@evil.example", "[::1", "", "a b"]
)
def test_another_name_is_refused(served: Served, host: str) -> None:
    for path in ("/healthz", "/api/status"):
        assert served.get(path, headers={"Host": host}).status == 403


def test_another_site_is_refused(served: Served) -> None:
    own = f"http://127.0.0.1:{served.port}"
    assert served.get("/api/status", headers={"Origin": own, "Sec-Fetch-Site": "same-origin"}).status == 200
    assert (
        served.get("/api/status", headers={"Host": "localhost:9000", "Origin": "http://localhost:9000"}).status == 200
    )
    for origin in ("http://evil.example", "null", "http://127.0.0.1", f"http://localhost:{served.port}"):
        assert served.get("/api/status", headers={"Origin": origin}).status == 403
    assert served.get("/api/status", headers={"Sec-Fetch-Site": "cross-site"}).status == 403


def test_every_answer_says_what_a_page_may_load(served: Served) -> None:
    for path in ("/healthz", "/api/status", "/api/zzyzx", "/login"):
        headers = served.get(path).headers
        assert headers["content-security-policy"].startswith("default-src 'self'; frame-ancestors 'none'")
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
        assert "server" not in headers


@pytest.mark.slow
def test_a_long_body_is_refused_before_it_arrives(served: Served) -> None:
    head = f"POST /api/check-sql HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {served.token}\r\n"
    answer = served.send(f"{head}Content-Length: 100000000\r\n\r\n".encode() + b"x" * 1_000)
    assert answer.startswith(b"HTTP/1.1 413 ")
    assert json.loads(answer.partition(b"\r\n\r\n")[2])["error"]
    chunk = b"100000\r\n" + b"x" * 0x100000 + b"\r\n"
    typed = f"{head}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n".encode()
    assert served.send(typed + chunk * 4).startswith(b"HTTP/1.1 413 ")


def test_a_long_head_is_refused(served: Served) -> None:
    assert served.get("/healthz", headers={"X-Long": "x" * 20_000}).status == 431
    assert served.get(f"/api/search?q={'x' * 20_000}").status == 431
    assert served.send(b"GET / HTTP/1.1\r\nX-Long: " + b"x" * 100_000).startswith(b"HTTP/1.1 400 ")


@pytest.mark.slow
@pytest.mark.parametrize(
    "data",
    [
        b"\r\n\r\nhello\r\n\r\n",
        b"GET /\xff\xfe HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"GET / HTTP/9.9\r\nHost: localhost\r\nConnection: close\r\n\r\n",
        b"GET /%00%ff%zz?%=&&=%ff HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
        b"GET http://evil.example/ HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n",
        b"OPTIONS * HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
        b"CONNECT a:1 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\nConnection: close\r\n\r\n",
        b"POST /api/login HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n",
        b"POST /api/login HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade, close\r\n\r\n",
        b"GET / HTTP/1.0\r\n\r\n",
    ],
)
def test_what_is_hardly_http_is_refused(served: Served, data: bytes) -> None:
    answer = served.send(data)
    assert answer.startswith(b"HTTP/1.1 4")
    assert set(json.loads(answer.partition(b"\r\n\r\n")[2])) == {"error"}
    assert served.get("/healthz", token="").status == 200


def test_connections_that_say_nothing_stop_nobody(served: Served) -> None:
    silent = [socket.create_connection(("127.0.0.1", served.port)) for _ in range(300)]
    try:
        for connection in silent[::2]:
            connection.sendall(b"POST /api/login HTTP/1.1\r\nHost: localhost\r\nContent-Le")
        assert served.get("/api/symbol?name=place_order").status == 200
    finally:
        for connection in silent:
            connection.close()


def test_many_ask_at_once(served: Served) -> None:
    with ThreadPoolExecutor(50) as threads:
        replies = list(threads.map(lambda _: served.get("/api/search?q=retry+payments&k=2"), range(100)))
    assert {reply.status for reply in replies} == {200}
    assert len({reply.body for reply in replies}) == 1
