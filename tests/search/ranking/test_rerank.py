"""The best of a ranking in another order."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from coderag import Index, errors
from coderag.encoders.encoder import Array, Passage
from coderag.index.reader.corpus import Corpus, open_members
from coderag.index.storage.folder.index_path import IndexPath
from coderag.index.storage.manifest import read_manifest
from coderag.search.ranking.rank import Ranked
from coderag.search.ranking.rerank import LateInteraction, find_reranker, reranked
from coderag.search.ranking.settings import make_pipeline
from coderag.types import Fusion, Pipeline
from tests.workspace import SHOP, write

pytestmark = pytest.mark.slow


class Backwards:
    """Likes the last best."""

    name = "backwards"

    def __init__(self) -> None:
        self.seen: list[str] = []

    def scores(self, question: str, passages: Sequence[Passage]) -> Array:
        assert question
        self.seen = [passage.name for passage in passages]
        return np.arange(len(passages), dtype=np.float32)


@pytest.fixture
def corpus(tmp_path: Path) -> Corpus:
    root = write(tmp_path / "root", {f"{name}.py": f"def {name}():\n    return 1\n" for name in "abcd"})
    Index.build(root, workers=0)
    return Corpus(open_members(IndexPath(root / ".coderag"), read_manifest(IndexPath(root / ".coderag"))))


RANKED = [Ranked(chunk, 4.0 - chunk, {"text": 1.0}) for chunk in range(4)]


def test_only_the_first_change_places(corpus: Corpus) -> None:
    reranker = Backwards()
    found = reranked(corpus, "q", RANKED, reranker=reranker, depth=3, blend=1.0)
    assert [one.chunk for one in found] == [2, 1, 0, 3]
    assert reranker.seen == ["a", "b", "c"]
    assert [one.score for one in found] == [4.0, 3.0, 2.0, 1.0]
    assert found[0].parts == {"text": 1.0, "rerank": 1.0}


def test_a_blend_weighs_both_orders(corpus: Corpus) -> None:
    asked = [reranked(corpus, "q", RANKED, reranker=Backwards(), depth=4, blend=share) for share in (0.0, 0.2, 0.8)]
    assert [[one.chunk for one in found] for found in asked] == [[0, 1, 2, 3], [0, 1, 2, 3], [3, 2, 1, 0]]


def test_late_interaction_finds_the_words_and_those_like_them() -> None:
    passages = [Passage("paint", "", "wall.py", "the colour"), Passage("remove", "", "users.py", "remove an account")]
    scores = LateInteraction().scores("delete the account", passages)
    assert scores[1] > scores[0] + 0.2


def test_maxsim_is_chosen_by_its_name(tmp_path: Path) -> None:
    index = Index.build(SHOP, index=tmp_path / "index", workers=0)
    hits = index.search("where are failed payments retried?", pipeline=Pipeline(reranker="maxsim"))
    assert any("rerank" in hit.parts for hit in hits)


def test_a_reranker_that_fails_leaves_the_order(tmp_path: Path) -> None:
    index = Index.build(SHOP, index=tmp_path / "index", workers=0)
    usual = [hit.chunk.id for hit in index.search("retry payments")]
    with pytest.warns(errors.RetrievalWarning, match="not reranked"):
        hits = index.search("retry payments", pipeline=Pipeline(reranker="http://127.0.0.1:9/rerank"))
    assert [hit.chunk.id for hit in hits] == usual


def test_wrong_settings_are_told() -> None:
    with pytest.raises(errors.QueryError, match="unknown evidence 'colour'; known is words, vectors"):
        make_pipeline(without=["colour"])
    with pytest.raises(errors.QueryError, match="unknown fusion 'sum'; known are minmax, rrf"):
        make_pipeline(fusion="sum")
    with pytest.raises(errors.RerankerError):
        make_pipeline(reranker="no such model")
    assert make_pipeline(fusion="rrf", without=["paths"]) == Pipeline(Fusion.RANKS, without=frozenset({"paths"}))
    assert find_reranker("maxsim") is find_reranker("maxsim")


@pytest.mark.parametrize("family", ["words", "vectors", "paths", "names", "symbols", "likeness"])
def test_each_kind_of_evidence_can_be_left_out(tmp_path: Path, family: str) -> None:
    index = Index.build(SHOP, index=tmp_path / "index", workers=0)
    hits = index.search("where are failed payments retried?", pipeline=make_pipeline(without=[family]))
    assert hits
    assert (
        not {"words": {"text", "file"}, "vectors": {"cosine_scaled", "file_cosine"}}.get(family, set())
        & hits[0].parts.keys()
    )
