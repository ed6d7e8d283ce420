"""Endpoints that rerank, in each of the formats."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from coderag.encoders.encoder import Passage
from coderag.errors import RerankerError
from coderag.rerankers.opening import open_reranker
from coderag.rerankers.reranker import Reranker
from coderag.rerankers.spec import parse_reranker
from tests.encoders.servers import Reply, Request, Server, serve

PASSAGES = [Passage("", "", "", text) for text in ("parse", "retry retry", "retry")]


def reranker_at(server: Server, options: str = "#mini") -> Reranker:
    return open_reranker(parse_reranker(f"{server.url}/rerank{options}"))


def counted(request: Request) -> Reply:
    """Answer in the format that was asked in: how often the question is in each text, the best first."""
    body = request.body
    texts = body.get("documents") or body["texts"]
    score = "score" if "texts" in body else "relevance_score"
    rows = [{"index": place, score: text.count(body["query"]) / 4} for place, text in enumerate(texts)]
    rows.sort(key=lambda row: -row[score])
    if "texts" in body:
        return Reply(rows)
    return Reply({"data" if "top_k" in body else "results": rows})


@pytest.mark.parametrize("options", ["#mini", "#mini?format=cohere", "#mini?format=jina", "#mini?format=voyage", ""])
def test_scores_come_in_the_order_of_the_passages(options: str) -> None:
    with serve(counted) as server:
        reranker = reranker_at(server, options)
        assert reranker.scores("retry", PASSAGES).tolist() == [0, 0.5, 0.25]
        body = server.requests[0].body
        assert body.get("model") == ("mini" if "mini" in options else None)
        assert ("texts" in body) == (options == "")
        assert body.get("top_k" if "voyage" in options else "top_n") == (3 if options else None)
        assert reranker.scores("retry", []).shape == (0,)
        assert not reranker.scores(" ", PASSAGES).any()
        assert len(server.requests) == 1


def test_many_passages_are_sent_in_parts_where_the_server_takes_no_more() -> None:
    with serve(counted) as server:
        passages = [Passage("", "", "", "retry " * (number % 3)) for number in range(70)]
        scores = reranker_at(server, "").scores("retry", passages)
        assert np.allclose(scores, [number % 3 / 4 for number in range(70)])
        assert sorted(len(request.body["texts"]) for request in server.requests) == [6, 32, 32]


def row(index: Any, score: Any) -> dict[str, Any]:
    return {"index": index, "relevance_score": score}


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        (Reply(b"oops"), "no JSON"),
        (Reply({"data": []}), "no list of scores"),
        (Reply({"results": [1, 2, 3]}), "no list of scores"),
        (Reply({"results": [row(0, 1), row(1, 1)]}), "scores of 2 texts, not of the 3"),
        (Reply({"results": [row(0, 1), row(1, 1), row(1, 1)]}), "scores of 2 texts, not of the 3"),
        (Reply({"results": [row(0, 1), row(1, 1), row(7, 1)]}), "scores of 3 texts, not of the 3"),
        (Reply({"results": [row([], 1), row(1, 1), row(2, 1)]}), "scores of 3 texts, not of the 3"),
        (Reply({"results": [row(0, "high"), row(1, 1), row(2, 1)]}), "scores that are no numbers"),
        (Reply({"results": [row(0, float("nan")), row(1, 1), row(2, 1)]}), "NaN or infinity"),
        (Reply(b"no such model", 404), "answered 404: no such model"),
    ],
)
def test_a_bad_answer_is_an_error_that_says_which(reply: Reply, message: str) -> None:
    with serve(lambda _: reply) as server, pytest.raises(RerankerError, match=message):
        reranker_at(server).scores("retry", PASSAGES)
