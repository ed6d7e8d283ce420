"""What the graph says in a ranking: hits that other hits use come forward, and nothing happens without a graph."""

from __future__ import annotations

from pathlib import Path

import pytest

from coderag import Index
from coderag.types import Pipeline
from tests.workspace import write

FILES = {
    "app/retry.py": """def retry_failed_payments(payments):
    return [retry_payment(one) for one in payments if one.failed]


def retry_payment(payment):
    return payment.charge()
""",
    "app/other.py": "def retry_payment_later(payment):\n    return payment.charge()\n",
}
QUESTION = "retry a payment"
WITH_GRAPH = Pipeline(reranker="graph")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write(tmp_path / "root", FILES)


def test_what_another_hit_calls_gains(root: Path) -> None:
    index = Index.build(root, workers=0)
    before = {hit.chunk.name: hit.score for hit in index.search(QUESTION)}
    hits = index.search(QUESTION, pipeline=WITH_GRAPH)
    gained = {hit.chunk.name: hit.parts.get("graph", 0.0) for hit in hits}
    assert 0 < gained.pop("retry_payment") <= 0.1
    assert not any(gained.values())
    after = {hit.chunk.name: hit.score for hit in hits}
    assert after["retry_payment"] > before["retry_payment"]
    assert [hit.score for hit in hits] == sorted(after.values(), reverse=True)


def test_without_a_graph_nothing_changes(root: Path) -> None:
    index = Index.build(root, workers=0, graph=False)
    assert index.search(QUESTION, pipeline=WITH_GRAPH) == index.search(QUESTION)
