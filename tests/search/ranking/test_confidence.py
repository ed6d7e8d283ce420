"""Confidence tells right hits from wrong ones, and from the best that an unrelated repository has to offer."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coderag import Index
from coderag.errors import QueryError
from coderag.evaluate.baselines.found import found_hit
from coderag.evaluate.judge import judge, marks
from coderag.evaluate.questions_file import read_questions
from coderag.search.ranking.confidence import probability
from coderag.search.ranking.evidence import EVIDENCE
from tests.workspace import REPOSITORY, SHOP, write

SURE = 0.7
LIKELY = 0.5
OF_THE_QUESTION = ("words", "is_symbol", "is_edit", "is_behavior")  # evidence that is the same for all chunks
OFF_TOPIC = [
    *("how to bake bread", "what is the capital of France", "recipe for chocolate cake with almonds"),
    *("who won the world cup in 2014", "weather forecast for tomorrow", "how tall is mount everest"),
]
GIBBERISH = ["asdf qwer zxcv", "xqzv blorp fnord", "!!!", "the of and to", "\x00\x1b[31m", "lkjh 9834 kjhsdf"]
OTHER_SCRIPTS = ["где хранится пароль", "如何烤面包", "كيف أخبز الخبز", "パンの焼き方", "πώς γίνεται το ψωμί"]


@pytest.fixture(scope="module")
def shop(shop_index: Path) -> Index:
    return Index.open(SHOP, index=shop_index)


@pytest.fixture(scope="module")
def unrelated(tmp_path_factory: pytest.TempPathFactory) -> Index:
    return Index.build(REPOSITORY / "coderag/evaluate", index=tmp_path_factory.mktemp("evaluate"), workers=0)


def best(index: Index, question: str) -> float:
    return max((hit.confidence for hit in index.search(question)), default=0.0)


@pytest.mark.slow
def test_right_first_hits_are_told_from_wrong_ones_and_from_what_an_unrelated_repository_offers(
    shop: Index, unrelated: Index
) -> None:
    judged = judge(read_questions(REPOSITORY / "fixtures/questions.jsonl"), shop)
    firsts = [(shop.search(one.question.text, k=1)[0], one) for one in judged]
    right = np.array([marks([found_hit(hit).places], one.targets) != [-1] for hit, one in firsts])
    here = np.array([hit.confidence for hit, _ in firsts])
    there = np.array([best(unrelated, one.question.text) for one in judged])
    assert np.mean(here[right][:, None] > here[~right][None]) > 0.8  # the area under the curve
    assert np.mean(here[right][:, None] > there[None]) > 0.93
    assert np.mean(here[right] >= LIKELY) > 0.6
    assert np.mean(here[~right] >= LIKELY) < 0.2
    assert np.mean(there >= LIKELY) < 0.05


@pytest.mark.parametrize("question", [*OFF_TOPIC, *GIBBERISH, *OTHER_SCRIPTS])
def test_nothing_here_answers_that(shop: Index, question: str) -> None:
    assert shop.search(question, threshold=SURE) == []


def test_a_threshold_drops_hits_and_moves_none(shop: Index) -> None:
    question = "refund money to the customer"
    every = shop.search(question, k=5)
    assert all(0 <= hit.confidence <= 1 for hit in every)
    sure = shop.search(question, k=5, threshold=0.4)
    assert sure
    assert all(hit.confidence >= 0.4 for hit in sure)
    kept = [hit.chunk.id for hit in every if hit.confidence >= 0.4]
    assert [hit.chunk.id for hit in sure][: len(kept)] == kept


def test_a_symbol_is_certain_where_it_is_defined(shop: Index) -> None:
    hit = shop.search("PaymentRetrier.retry_failed", k=1, threshold=0.9)[0]
    assert hit.chunk.name == "retry_failed"
    assert shop.search("PaymentRetrier.cancel_everything_at_once", k=1, threshold=0.9) == []


def test_a_name_that_is_a_stop_word_can_be_asked_for(shop: Index) -> None:
    assert shop.search("get", k=1, threshold=SURE)[0].chunk.name == "get"


def test_a_place_that_others_resemble_is_less_sure(tmp_path: Path) -> None:
    cart = {"cart.py": "def add_to_cart(cart, product):\n    cart.items.append(product)\n"}
    others = {f"{name}.py": cart["cart.py"].replace("items", name) for name in ("lines", "rows")}
    alone = Index.build(write(tmp_path / "a", cart), index=tmp_path / "ia", workers=0)
    among = Index.build(write(tmp_path / "b", cart | others), index=tmp_path / "ib", workers=0)
    question = "add a product to the cart"
    [one] = [hit.confidence for hit in alone.search(question) if hit.chunk.path == "cart.py"]
    [other] = [hit.confidence for hit in among.search(question, collapse=False) if hit.chunk.path == "cart.py"]
    assert one > other > 0


@given(
    st.lists(st.floats(0, 1, width=32), min_size=len(EVIDENCE), max_size=len(EVIDENCE)),
    st.sampled_from([name for name in EVIDENCE if name not in OF_THE_QUESTION]),
    st.floats(0, 1, width=32),
    st.booleans(),
)
def test_no_evidence_of_a_chunk_lowers_it(values: list[float], name: str, more: float, has_cosines: bool) -> None:
    rows = np.array([values, values], dtype=np.float32)
    column = EVIDENCE.index(name)
    rows[1, column] = max(rows[0, column], np.float32(more))
    less_sure, surer = probability(rows, has_cosines=has_cosines).tolist()
    assert 0 <= less_sure <= surer <= 1


@pytest.mark.parametrize("share", [-0.1, 1.5, float("nan")])
def test_shares_are_from_0_to_1(shop: Index, share: float) -> None:
    with pytest.raises(QueryError, match=r"threshold is .*; give a number from 0 to 1"):
        shop.search("cart", threshold=share)
    with pytest.raises(QueryError, match=r"diversity is .*; give a number from 0 to 1"):
        shop.search("cart", diversity=share)
