"""The retriever of LangChain, by the package itself: `pip install '.[langchain]' hypothesis pytest`, then pytest."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from coderag import Index
from coderag.adapters import BM25Index, Retriever, VectorIndex

pytest.importorskip("langchain_core", reason="needs langchain-core: pip install '.[langchain]'")

from langchain_core.documents import Document
from langchain_core.runnables import RunnableLambda

from coderag.adapters.langchain import CoderagRetriever

QUESTION = "where are failed payments retried?"


def test_hits_are_documents(shop: Index) -> None:
    hits = shop.search(QUESTION, k=3)
    documents = CoderagRetriever(index=shop, k=3).invoke(QUESTION)
    assert all(isinstance(document, Document) for document in documents)
    assert [document.page_content for document in documents] == [hit.chunk.text for hit in hits]
    metadata, hit = documents[0].metadata, hits[0]
    assert (metadata["path"], metadata["name"]) == (hit.chunk.path, hit.chunk.qualified_name)
    assert (metadata["start_line"], metadata["end_line"]) == (hit.chunk.span.start_line, hit.chunk.span.end_line)
    assert metadata["confidence"] == pytest.approx(hit.confidence, abs=1e-4)
    assert metadata["score"] == pytest.approx(hit.score)


def test_async_batches_and_chains(shop: Index) -> None:
    retriever = CoderagRetriever(index=shop, k=2)
    expected = retriever.invoke(QUESTION)
    assert asyncio.run(retriever.ainvoke(QUESTION)) == expected
    assert retriever.batch([QUESTION, "money rounding"])[0] == expected
    chain = retriever | RunnableLambda(lambda documents: [document.metadata["path"] for document in documents])
    assert chain.invoke(QUESTION) == [one.metadata["path"] for one in expected]


def test_indexes_of_documents() -> None:
    texts = ["Stock is reserved.", "A failed payment is retried."]
    retriever = CoderagRetriever(index=Retriever(BM25Index(texts), VectorIndex(texts)), k=1)
    assert [document.page_content for document in retriever.invoke("payment retried")] == [texts[1]]


def test_the_example_of_the_guide(run_example: Callable[[str], tuple[str, str]]) -> None:
    printed, shown = run_example("LangChain")
    assert printed == shown
