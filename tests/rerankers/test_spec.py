"""Lines that name a reranker."""

from __future__ import annotations

from pathlib import Path

import pytest

from coderag.errors import RerankerError
from coderag.rerankers.opening import open_reranker
from coderag.rerankers.spec import RerankerSpec, parse_reranker, reranker_warning

LINES = {
    "none": RerankerSpec("none"),
    "bge-reranker": RerankerSpec("cross", "BAAI/bge-reranker-base"),
    "answerai-colbert?max_tokens=200": RerankerSpec("colbert", "answerdotai/answerai-colbert-small-v1", max_tokens=200),
    "cross:owner/name@v2?dtype=int8": RerankerSpec("cross", "owner/name", revision="v2", dtype="int8"),
    "colbert:/models/mine": RerankerSpec("colbert", "/models/mine"),
    "cohere:rerank-v3.5": RerankerSpec("http", "rerank-v3.5", url="https://api.cohere.com/v2/rerank", format="cohere"),
    "http://localhost:8080/rerank": RerankerSpec("http", url="http://localhost:8080/rerank", format="tei"),
    "http://localhost/v1/rerank#m?timeout=9": RerankerSpec("http", "m", url="http://localhost/v1/rerank", timeout=9),
    "judge:openai:gpt-4.1-mini": RerankerSpec(
        "judge", "gpt-4.1-mini", url="https://api.openai.com/v1/chat/completions"
    ),
    "judge:http://localhost/v1/chat/completions#qwen?timeout=90": RerankerSpec(
        "judge", "qwen", url="http://localhost/v1/chat/completions", timeout=90
    ),
}


@pytest.mark.parametrize("line", LINES)
def test_a_line_names_a_reranker_and_comes_back(line: str) -> None:
    assert parse_reranker(line) == LINES[line]
    assert parse_reranker(str(LINES[line])) == LINES[line]


def test_folders_are_relative_to_where_the_line_is_from(tmp_path: Path) -> None:
    assert parse_reranker("cross:./mine", base=tmp_path).model == str(tmp_path / "mine")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("bge-rerankr", "did you mean 'bge-reranker'"),
        ("", "no reranker is called ''"),
        ("cross:bert", "no id of the hub"),
        ("bge-reranker?pooling=cls", "unknown option 'pooling'"),
        ("http://host/rerank?format=xml", "format is 'xml'"),
        ("https://me:hunter2@host/rerank", "CODERAG_API_KEY"),
        ("judge:openai", "a judge needs a model"),
        ("judge:http://host/chat", "a judge needs a model"),
        ("judge:file:///etc/passwd#m", "must be http://HOST/PATH"),
        ("bge-reranker#m", 'only an address is followed by "#"'),
    ],
)
def test_a_wrong_line_is_explained(line: str, message: str) -> None:
    with pytest.raises(RerankerError, match=message):
        parse_reranker(line)


def test_a_reranker_that_measures_worse_says_so() -> None:
    assert "worse than no reranker" in reranker_warning(parse_reranker("ms-marco"))
    assert not reranker_warning(parse_reranker("bge-reranker"))


@pytest.mark.parametrize("line", ["cohere:m", "judge:openai:m", "cross:owner/name?trust_remote_code=true"])
def test_what_a_file_names_needs_the_users_word(line: str) -> None:
    with pytest.raises(RerankerError, match="CODERAG_TRUST="):
        open_reranker(parse_reranker(line, trusted=False))


def test_none_is_no_reranker() -> None:
    with pytest.raises(RerankerError, match="scores nothing"):
        open_reranker(RerankerSpec("none"))
