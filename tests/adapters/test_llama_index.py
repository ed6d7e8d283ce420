"""The retriever of LlamaIndex, by the package itself: `pip install '.[llama-index]' hypothesis pytest`, then pytest."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from coderag import Index
from coderag.adapters import BM25Index, Retriever, VectorIndex

pytest.importorskip("llama_index.core", reason="needs llama-index-core: pip install '.[llama-index]'")

from llama_index.core.llms import MockLLM
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.response_synthesizers import ResponseMode

from coderag.adapters.llama_index import CoderagRetriever

QUESTION = "where are failed payments retried?"


def test_hits_are_nodes(shop: Index) -> None:
    hits = shop.search(QUESTION, k=3)
    nodes = CoderagRetriever(shop, k=3).retrieve(QUESTION)
    assert [node.text for node in nodes] == [hit.chunk.text for hit in hits]
    assert [node.score for node in nodes] == pytest.approx([hit.score for hit in hits])
    metadata, hit = nodes[0].metadata, hits[0]
    assert (metadata["path"], metadata["name"]) == (hit.chunk.path, hit.chunk.qualified_name)
    assert (metadata["start_line"], metadata["end_line"]) == (hit.chunk.span.start_line, hit.chunk.span.end_line)
    assert metadata["confidence"] == pytest.approx(hit.confidence, abs=1e-4)


def test_async(shop: Index) -> None:
    retriever = CoderagRetriever(shop, k=2)
    expected = [(node.node_id, node.score) for node in retriever.retrieve(QUESTION)]
    assert [(node.node_id, node.score) for node in asyncio.run(retriever.aretrieve(QUESTION))] == expected


def test_a_query_engine_cites_the_nodes(shop: Index) -> None:
    engine = RetrieverQueryEngine.from_args(
        CoderagRetriever(shop, k=2), llm=MockLLM(), response_mode=ResponseMode.COMPACT
    )
    response = engine.query(QUESTION)
    assert [node.node_id for node in response.source_nodes] == [hit.chunk.id for hit in shop.search(QUESTION, k=2)]
    assert shop.search(QUESTION, k=1)[0].chunk.text in str(response)  # the mock model repeats its prompt


def test_indexes_of_documents() -> None:
    texts = ["Stock is reserved.", "A failed payment is retried."]
    retriever = CoderagRetriever(Retriever(BM25Index(texts), VectorIndex(texts)), k=1)
    assert [node.text for node in retriever.retrieve("payment retried")] == [texts[1]]


def test_the_example_of_the_guide(run_example: Callable[[str], tuple[str, str]]) -> None:
    printed, shown = run_example("LlamaIndex")
    assert printed == shown
