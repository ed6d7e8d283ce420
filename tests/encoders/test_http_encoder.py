"""Encoders behind HTTP, and what becomes of bad answers."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from itertools import count
from typing import Any

import numpy as np
import pytest

from coderag.encoders.encoder import Encoder, Passage
from coderag.encoders.opening import open_encoder
from coderag.encoders.spec import EncoderSpec, parse_encoder
from coderag.errors import EncoderError
from tests.encoders.servers import Reply, Request, Server, serve, vectors
from tests.growth import HANG_SECONDS

RETRY = Passage("retry", "Payments", "pay.py", "def retry(): ...")
PARSE = Passage("parse", "", "read.py", "def parse(): parse parse")
EMPTY = Passage("", "", "empty.py", " \n")


def encoder_at(server: Server, options: str = "") -> Encoder:
    return open_encoder(parse_encoder(f"{server.url}/v1/embeddings#mini{options}"))


def failing(answer: Callable[[Request], Reply], message: str, options: str = "?dimensions=4") -> int:
    """Check that an answer is refused with a message, and return how often it was asked for."""
    with serve(answer) as server:
        with pytest.raises(EncoderError, match=message):
            encoder_at(server, options).encode_passages([RETRY, PARSE])
        return len(server.requests)


def data(*rows: Any) -> Reply:
    return Reply({"data": [{"index": place, "embedding": row} for place, row in enumerate(rows)]})


def test_passages_and_questions_become_unit_vectors_in_order() -> None:
    with serve(vectors) as server:
        encoder = encoder_at(server)
        rows = encoder.encode_passages([PARSE, EMPTY, RETRY])
        question = encoder.encode_query("parse")
        assert rows.shape == (3, 4)
        assert rows.dtype == np.float32
        assert np.allclose(np.linalg.norm(rows, axis=1), [1, 0, 1])
        assert rows[0] @ question > rows[2] @ question
        assert encoder.identity.dimensions == 4
        assert server.requests[0].body["model"] == "mini"
        assert len(server.requests) == 2
        assert server.requests[0].path == "/v1/embeddings"


def test_prefixes_are_sent_and_long_texts_are_cut() -> None:
    with serve(vectors) as server:
        encoder = encoder_at(server, "?query_prefix=Q: &passage_prefix=P: &max_tokens=15")
        encoder.encode_query("x" * 100_000)
        encoder.encode_passages([RETRY])
        assert server.requests[0].body["input"] == ["Q: " + "x" * 42]
        assert server.requests[1].body["input"] == ["P: # pay.py Payments.retry\ndef retry(): ..."]


def test_many_passages_go_in_several_requests() -> None:
    with serve(vectors) as server:
        passages = [Passage("f", "", f"{number}.py", "retry " * number) for number in range(1, 101)]
        rows = encoder_at(server).encode_passages(passages)
        assert len(server.requests) == 4
        assert np.allclose(rows, [[1, 0, 0, 0]])


def test_nothing_is_asked_about_no_text() -> None:
    with serve(vectors) as server:
        encoder = encoder_at(server, "?dimensions=4")
        assert not encoder.encode_query(" \x00\n").any()
        assert encoder.encode_passages([]).shape == (0, 4)
        assert encoder.encode_passages([EMPTY]).tolist() == [[0, 0, 0, 0]]
        assert not server.requests


def test_control_characters_and_halves_of_pairs_are_left_out() -> None:
    with serve(vectors) as server:
        encoder_at(server).encode_query("a\x00b\ud800c\x1b[2J")
        assert server.requests[0].body["input"] == ["a b c [2J"]


def test_vectors_are_cut_and_scaled_anew() -> None:
    with serve(vectors) as server:
        encoder = encoder_at(server, "?dimensions=2")
        assert np.allclose(encoder.encode_passages([PARSE]), [[0, 1]])
        assert encoder.identity.dimensions == 2


def test_a_busy_endpoint_is_asked_again() -> None:
    asked = count(1)

    def answer(request: Request) -> Reply:
        return vectors(request) if next(asked) == 3 else Reply({}, 429, {"Retry-After": "0"})

    with serve(answer) as server:
        assert encoder_at(server, "?dimensions=4").encode_passages([RETRY]).any()
        assert len(server.requests) == 3


@pytest.mark.slow
def test_it_is_waited_as_long_as_the_endpoint_asks() -> None:
    asked = count()

    def answer(request: Request) -> Reply:
        return vectors(request) if next(asked) else Reply(b"slow down", 503, {"Retry-After": "1"})

    with serve(answer) as server:
        begun = time.monotonic()
        encoder_at(server, "?dimensions=4").encode_passages([RETRY])
        assert time.monotonic() - begun >= 1


def test_a_broken_connection_is_tried_again() -> None:
    asked = count()

    def answer(request: Request) -> Reply:
        if not next(asked):
            raise ConnectionResetError
        return vectors(request)

    with serve(answer) as server:
        assert encoder_at(server, "?dimensions=4").encode_passages([RETRY]).any()


def test_a_question_is_not_tried_for_long() -> None:
    with serve(lambda _: Reply(b"busy", 503, {"Retry-After": "0"})) as server:
        with pytest.raises(EncoderError, match="answered 503: busy; tried 2 times"):
            encoder_at(server).encode_query("retry")
        assert len(server.requests) == 2


def test_a_wait_of_hours_is_an_error() -> None:
    assert failing(lambda _: Reply(b"", 429, {"Retry-After": "7200"}), "come back in 7200 s") == 1


@pytest.mark.slow
def test_an_endpoint_that_hangs_is_an_error() -> None:
    given_up = threading.Event()

    def answer(_: Request) -> Reply:
        given_up.wait(HANG_SECONDS)
        return Reply({})

    with serve(answer) as server:
        with pytest.raises(EncoderError, match="did not answer within 1 s; tried 2 times"):
            encoder_at(server, "?dimensions=4&timeout=1").encode_passages([RETRY])
        given_up.set()


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        (Reply(b"<html>hello</html>"), "no JSON: '<html>hello</html>'"),
        (Reply(b""), "no JSON"),
        (Reply(b"[" * 100_000), "no JSON"),
        (Reply({"error": "x"}), "no list 'data'"),
        (Reply([1, 2]), "no list 'data'"),
        (Reply({"data": [1, 2]}), "no list 'data'"),
        (data([1, 0, 0, 0]), "1 vectors for 2 texts"),
        (Reply({"data": [{"index": 1, "embedding": [1]}] * 2}), "numbers its vectors otherwise"),
        (Reply({"data": [{"index": "a", "embedding": [1]}, {"index": 0, "embedding": [1]}]}), "numbers its vectors"),
        (data([1, 0, 0, 0], [float("nan"), 0, 0, 0]), r"NaN or infinity \(row 1 of 2\)"),
        (data([1e300, 0, 0, 0], [1, 0, 0, 0]), "NaN or infinity"),
        (data([1, 0, 0, 0], [None, 0, 0, 0]), "NaN or infinity"),
        (data([1, 0, 0, 0], ["x", 0, 0, 0]), "no lists of numbers"),
        (data([1, 0, 0, 0], [1, 0]), "no lists of numbers of one length"),
        (data([], []), "no lists of numbers"),
        (data("abc", "def"), "no lists of numbers"),
        (data([1, 0], [0, 1]), "vectors of 2 numbers; 4 were asked for"),
        (Reply({"error": {"message": "too long"}}, 413), "answered 413: .*too long.*max_tokens="),
        (Reply(b"who are you", 401), "answered 401: who are you; is the key right in CODERAG_API_KEY"),
        (Reply(b"", 302, {"Location": "http://example.org/"}), "answered 302"),
    ],
)
def test_a_bad_answer_is_an_error_that_says_which(reply: Reply, message: str) -> None:
    assert failing(lambda _: reply, message) == 1


def test_a_width_that_changes_is_an_error() -> None:
    with serve(lambda request: data(*([1.0] * len(request.body["input"][0]) for _ in request.body["input"]))) as server:
        encoder = encoder_at(server)
        encoder.encode_query("ab")
        with pytest.raises(EncoderError, match="vectors of 3 numbers; 2 were expected"):
            encoder.encode_query("abc")


def test_the_width_of_a_well_known_model_is_not_asked_for() -> None:
    with serve(vectors) as server:
        encoder = open_encoder(parse_encoder(f"{server.url}/v1/embeddings#BAAI/bge-small-en-v1.5"))
        assert encoder.identity.dimensions == 384
        assert not server.requests
        with pytest.raises(EncoderError, match="vectors of 4 numbers; 384 were expected"):
            encoder.encode_query("retry")


def test_the_key_is_sent_and_never_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CODERAG_API_KEY", "sk-secret")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-openai")
    with serve(
        lambda request: Reply(f"bad key {request.headers.get('Authorization', 'none')}".encode(), 401)
    ) as server:
        encoder = encoder_at(server)
        with pytest.raises(EncoderError, match=r"bad key Bearer \*\*\*") as caught:
            encoder.encode_query("retry")
        assert "sk-" not in f"{caught.value} {encoder!r} {vars(encoder)}"
        monkeypatch.delenv("CODERAG_API_KEY")
        with pytest.raises(EncoderError):
            encoder_at(server, "?dimensions=4").encode_passages([RETRY, PARSE])
        assert "Authorization" in server.requests[0].headers
        assert "Authorization" not in server.requests[1].headers, "the key of a provider is for that provider"


def test_an_endpoint_that_nobody_runs_is_an_error() -> None:
    with serve(vectors) as server:
        url = server.url
    with pytest.raises(EncoderError, match=r"cannot be reached: .*refused; tried 2 times"):
        open_encoder(parse_encoder(f"{url}/v1/embeddings?dimensions=4")).encode_query("retry")
    with pytest.raises(EncoderError, match="cannot be reached"):
        open_encoder(parse_encoder("http://no-such-host.invalid/v1/embeddings")).encode_query("retry")


def test_an_endpoint_that_an_index_names_needs_the_users_word(monkeypatch: pytest.MonkeyPatch) -> None:
    spec = EncoderSpec.from_dict(parse_encoder("https://models.example.org/v1/embeddings#m").as_dict())
    with pytest.raises(EncoderError, match=r"models\.example\.org.*CODERAG_TRUST=models\.example\.org"):
        open_encoder(spec)
    monkeypatch.setenv("CODERAG_TRUST", "other.example.org, Models.Example.Org")
    assert open_encoder(spec)
    with serve(vectors) as server:
        table = parse_encoder(f"{server.url}/v1/embeddings#m").as_dict()
        for trust in ("", "example.org", f"127.0.0.1:{int(server.url.rpartition(':')[2]) - 1}"):
            monkeypatch.setenv("CODERAG_TRUST", trust)
            with pytest.raises(EncoderError, match=r"name the endpoint 127\.0\.0\.1"):
                open_encoder(EncoderSpec.from_dict(table))
        assert open_encoder(EncoderSpec.from_dict(table, trusted=True)).encode_query("retry").any()
        for trust in ("127.0.0.1", server.url.removeprefix("http://")):
            monkeypatch.setenv("CODERAG_TRUST", trust)
            assert open_encoder(EncoderSpec.from_dict(table)).encode_query("retry").any()


@pytest.mark.parametrize("url", ["file://localhost/etc/passwd", "ftp://127.0.0.1/x", "data:text/plain,x", ""])
def test_an_index_names_no_endpoint_but_http(url: str) -> None:
    with pytest.raises(EncoderError, match="must be http"):
        EncoderSpec.from_dict({"kind": "http", "url": url, "model": "m"})
    with pytest.raises(EncoderError, match="no address of HTTP"):
        open_encoder(EncoderSpec("http", "m", url, trusted=True))
