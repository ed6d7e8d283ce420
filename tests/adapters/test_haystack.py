"""The retriever of Haystack, by the package itself: `pip install '.[haystack]' hypothesis pytest`, then pytest."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable

import pytest

from coderag import Index
from coderag.adapters import BM25Index, Retriever, VectorIndex

pytest.importorskip("haystack", reason="needs haystack-ai: pip install '.[haystack]'")

os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"  # else a thread of it sends events, and outlives the tests

from haystack import Document, Pipeline
from haystack.components.builders import PromptBuilder

from coderag.adapters.haystack import CoderagRetriever

QUESTION = "where are failed payments retried?"


def test_hits_are_documents(shop: Index) -> None:
    hits = shop.search(QUESTION, k=3)
    documents = CoderagRetriever(shop, top_k=3).run(query=QUESTION)["documents"]
    assert all(isinstance(document, Document) for document in documents)
    assert [document.content for document in documents] == [hit.chunk.text for hit in hits]
    assert [document.score for document in documents] == pytest.approx([hit.score for hit in hits])
    meta, hit = documents[0].meta, hits[0]
    assert (meta["path"], meta["name"]) == (hit.chunk.path, hit.chunk.qualified_name)
    assert (meta["start_line"], meta["end_line"]) == (hit.chunk.span.start_line, hit.chunk.span.end_line)
    assert meta["confidence"] == pytest.approx(hit.confidence, abs=1e-4)


def test_a_pipeline_with_a_prompt(shop: Index) -> None:
    pipeline = Pipeline()
    pipeline.add_component("retriever", CoderagRetriever(shop, top_k=5))
    template = "{% for document in documents %}{{ document.meta.path }}\n{{ document.content }}\n{% endfor %}"
    pipeline.add_component("prompt", PromptBuilder(template, required_variables=["documents"]))
    pipeline.connect("retriever.documents", "prompt.documents")
    asked = {"retriever": {"query": QUESTION, "top_k": 1}}
    (hit,) = shop.search(QUESTION, k=1)
    expected = f"{hit.chunk.path}\n{hit.chunk.text}\n"
    assert pipeline.run(asked)["prompt"]["prompt"] == expected
    assert asyncio.run(pipeline.run_async(asked))["prompt"]["prompt"] == expected


def test_async(shop: Index) -> None:
    retriever = CoderagRetriever(shop)
    assert asyncio.run(retriever.run_async(QUESTION, top_k=2)) == retriever.run(QUESTION, top_k=2)


def test_indexes_of_documents() -> None:
    texts = ["Stock is reserved.", "A failed payment is retried."]
    retriever = CoderagRetriever(Retriever(BM25Index(texts), VectorIndex(texts)), top_k=1)
    assert [document.content for document in retriever.run("payment retried")["documents"]] == [texts[1]]


def test_the_example_of_the_guide(run_example: Callable[[str], tuple[str, str]]) -> None:
    printed, shown = run_example("Haystack")
    assert printed == shown
