"""Late interaction over the token vectors of a small ONNX model, against the formula."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from coderag.encoders.encoder import Array, Passage, unit_rows
from coderag.errors import RerankerError
from coderag.rerankers.opening import open_reranker
from coderag.rerankers.reranker import Reranker
from coderag.rerankers.spec import parse_reranker
from tests.encoders.onnx_files import WORDS, write_words_model
from tests.encoders.safetensors_files import write_safetensors

pytest.importorskip("onnxruntime")
pytest.importorskip("tokenizers")

TABLE = np.random.default_rng(11).normal(size=(len(WORDS), 6)).astype(np.float32)
RETRY = Passage("", "", "", "retry the payment .")
PARSE = Passage("", "", "", "parse")


def opened(folder: Path, **metadata: object) -> Reranker:
    write_words_model(folder, TABLE)
    (folder / "artifact.metadata").write_text(
        json.dumps({"query_token_id": "query", "doc_token_id": "def", **metadata})
    )
    return open_reranker(parse_reranker(f"colbert:{folder}"))


def maxsim(query: list[str], passage: list[str], projection: Array | None = None) -> float:
    rows = TABLE if projection is None else TABLE @ projection.T
    first, second = (unit_rows(rows[[WORDS.index(word) for word in words]]) for words in (query, passage))
    return float((first @ second.T).max(axis=1).mean())


def test_each_word_of_the_question_is_matched_with_its_best(tmp_path: Path) -> None:
    reranker = opened(tmp_path, query_maxlen=6)
    query = ["[CLS]", "query", "payment", "[SEP]", "[MASK]", "[MASK]"]
    expected = [
        maxsim(query, ["[CLS]", "def", "parse", "[SEP]"]),
        maxsim(query, ["[CLS]", "def", "retry", "the", "payment", "[SEP]"]),  # the full stop matches nothing
    ]
    assert np.allclose(reranker.scores("payment", [PARSE, RETRY]), expected, atol=1e-6)
    assert expected[1] > expected[0]


def test_the_projection_beside_the_model_is_applied(tmp_path: Path) -> None:
    projection = np.random.default_rng(2).normal(size=(4, 6)).astype(np.float32)
    write_words_model(tmp_path, TABLE)
    (tmp_path / "1_Dense").mkdir()
    write_safetensors(tmp_path / "1_Dense/model.safetensors", {"linear.weight": projection})
    reranker = opened(tmp_path, query_maxlen=4)
    expected = maxsim(["[CLS]", "query", "retry", "[SEP]"], ["[CLS]", "def", "parse", "[SEP]"], projection)
    assert np.allclose(reranker.scores("retry", [PARSE]), [expected], atol=1e-6)
    (tmp_path / "1_Dense/model.safetensors").write_bytes(b"nonsense")
    with pytest.raises(RerankerError, match="damaged"):
        open_reranker(parse_reranker(f"colbert:{tmp_path}"))


def test_nothing_scores_nothing(tmp_path: Path) -> None:
    reranker = opened(tmp_path)
    assert reranker.scores("retry", []).shape == (0,)
    assert reranker.scores(" ", [RETRY]).tolist() == [0]
    assert reranker.scores("retry", [Passage("", "", "a.py", ""), RETRY])[0] == 0
    assert np.isfinite(reranker.scores("retry " * 30_000, [RETRY, PARSE])).all()


def test_order_does_not_matter(tmp_path: Path) -> None:
    reranker = opened(tmp_path)
    passages = [Passage("", "", "", " ".join(WORDS[5 : 6 + n % 6] * (n % 7 + 1))) for n in range(60)]
    scores = reranker.scores("retry payment", passages)
    assert np.allclose(reranker.scores("retry payment", passages[::-1]), scores[::-1], atol=1e-6)
