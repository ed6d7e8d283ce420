"""The chunks that are worth a closer look: those of few files, and the same as if all had been looked into."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from coderag.encoders.static import shipped_encoder
from coderag.index.reader.corpus import Corpus, open_members
from coderag.index.storage.folder.index_path import IndexPath
from coderag.index.storage.manifest import read_manifest
from coderag.search.query.understand import understand
from coderag.search.ranking.priors import priors
from coderag.search.ranking.tuning import DEFAULT
from coderag.search.retrieval import candidates
from coderag.search.retrieval.candidates import Candidates, fuse_lists, retrieve_lists
from coderag.search.retrieval.lexical import lexical_scores

QUESTIONS = (
    "where are failed payments retried?",
    "PaymentRetrier.retry_failed",
    "order",
    "the table of orders and its columns",
    "how is money rounded to cents",
    "Order Payment Customer",
    "nothing here is called zzyzx",
    "the of and",
)


@pytest.fixture(scope="module")
def corpus(shop_index: Path) -> Corpus:
    return Corpus(open_members(IndexPath(shop_index), read_manifest(IndexPath(shop_index))))


def found(corpus: Corpus, text: str, *, prior: np.ndarray, dense: float) -> Candidates:
    scores = lexical_scores(corpus, understand(text))
    vector = shipped_encoder().encode_query(text)
    lists = retrieve_lists(corpus, scores, prior, weights=DEFAULT.weights, dense_weight=dense, vector=vector)
    return fuse_lists(corpus, lists, prior, dense_weight=dense)


@pytest.mark.slow
@pytest.mark.parametrize("dense", [0.0, 0.5])
@pytest.mark.parametrize("text", QUESTIONS)
@pytest.mark.parametrize("first_files", [1, 5, 40])
def test_no_other_file_would_have_mattered(
    corpus: Corpus, text: str, dense: float, first_files: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = priors(corpus, understand(text), DEFAULT)
    some = whole * (np.arange(len(corpus)) % 3 > 0)
    monkeypatch.setattr(candidates, "DEPTH", 20)
    for prior in (whole, some):
        monkeypatch.setattr(candidates, "FIRST_FILES", corpus.files)
        expected = found(corpus, text, prior=prior, dense=dense)
        monkeypatch.setattr(candidates, "FIRST_FILES", first_files)
        least = found(corpus, text, prior=prior, dense=dense)
        assert least.chunks.tolist() == expected.chunks.tolist()
        assert least.fused.tolist() == pytest.approx(expected.fused.tolist())
        assert (prior[least.chunks] > 0).all()


def test_a_path_alone_makes_no_candidate(corpus: Corpus) -> None:
    text = "retry"
    scores = lexical_scores(corpus, understand(text))
    chosen = found(corpus, text, prior=np.ones(len(corpus), dtype=np.float32), dense=0.0).chunks
    assert len(chosen)
    assert all(scores.text[chunk] > 0 or chunk in scores.symbols for chunk in chosen.tolist())
