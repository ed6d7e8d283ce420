"""Indexes of documents and the retriever: scores of a repository's index, fusion, rerankers, folders, odd input."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from coderag import Fusion, Index
from coderag.adapters import (
    BM25Index,
    Document,
    RepositoryIndex,
    Retriever,
    SearchIndex,
    VectorIndex,
)
from coderag.adapters.documents import document_of
from coderag.adapters.retriever import fuse_ranks
from coderag.adapters.trees import rerank_by_trees
from coderag.chunkers import chunk_by_section
from coderag.encoders.encoder import Passage
from coderag.errors import (
    EncoderError,
    IndexDamagedError,
    IndexFormatError,
    IndexWriteError,
    QueryError,
    RerankerError,
)
from coderag.search.query.understand import understand
from coderag.search.retrieval.fuse import fuse, listed
from coderag.search.retrieval.lexical import lexical_scores
from tests.workspace import NEEDING, REPOSITORY, write

DOCUMENTS = [
    {"id": "retry", "content": "A failed payment is retried three times.", "topic": "payments"},
    {"id": "refund", "content": "A refund returns the money of an order.", "topic": "payments"},
    {"id": "stock", "content": "Stock is reserved when an order is placed.", "topic": "stock"},
    {"id": "coupon", "content": "A coupon lowers the total until it expires.", "topic": "coupons"},
]


def ids(results: Iterable[tuple[Document, float]]) -> list[str]:
    return [document.id for document, _ in results]


def test_words_score_as_in_the_index_of_a_repository(tmp_path: Path) -> None:
    texts = {f"notes/{number}.md": f"# Note {number}\n\n{one['content']}\n" for number, one in enumerate(DOCUMENTS)}
    index = Index.build(write(tmp_path, texts), workers=0, graph=False, history=False)
    chunks = [chunk for path in texts for chunk in index.chunks(path)]
    documents = [
        Document(
            chunk.text,
            {"name": chunk.name, "scope": chunk.qualified_name.removesuffix(chunk.name), "path": chunk.path},
            chunk.id,
        )
        for chunk in chunks
    ]
    own = BM25Index(documents)
    for question in ("when is a failed payment retried", "order", "note 2 stock", "until_it expires"):
        scores = lexical_scores(index._snapshot.corpus, understand(question)).text
        best = np.argsort(-scores, kind="stable")
        results = own.search(question, k=10)
        assert ids(results) == [chunks[at].id for at in best if scores[at] > 0]
        assert [score for _, score in results] == pytest.approx([scores[at] for at in best if scores[at] > 0])


def test_vectors_are_those_of_the_shipped_encoder() -> None:
    index = VectorIndex(DOCUMENTS)
    results = index.search("payments that failed", k=2)
    assert ids(results)[0] == "retry"
    assert 1 >= results[0].score >= results[1].score > 0
    assert index.search("payments that failed", k=2) == VectorIndex(reversed(DOCUMENTS)).search(
        "payments that failed", k=2
    )
    assert index.search("\u1234\u1235") == []


@pytest.mark.parametrize("kind", [BM25Index, VectorIndex])
def test_documents_read_as_dicts(kind: type[BM25Index | VectorIndex]) -> None:
    index = kind()
    assert isinstance(index, SearchIndex)
    index.add_document({"content": "a dict", "source": "x"})
    index.add_document("a dict that is a text")
    index.add_documents(chunk_by_section("# Dict\nA dict has keys."))
    index.add_document(Document("one dict more", {"content": "hidden"}))
    assert len(index) == 4
    found = {document["content"]: document for document, _ in index.search("dict", k=10)}
    assert sorted(found) == ["# Dict\nA dict has keys.", "a dict", "a dict that is a text", "one dict more"]
    assert found["a dict"]["source"] == "x"
    assert dict(found["a dict"]) == {
        "id": found["a dict"].id,
        "content": "a dict",
        "metadata": {"source": "x"},
        "source": "x",
    }
    assert (found["# Dict\nA dict has keys."]["name"], found["# Dict\nA dict has keys."]["end"]) == ("Dict", 23)


@pytest.mark.parametrize("kind", [BM25Index, VectorIndex])
def test_a_document_of_the_same_id_is_replaced(kind: type[BM25Index | VectorIndex]) -> None:
    index = kind(DOCUMENTS)
    before = index.search("payment order")
    index.add_documents(DOCUMENTS)
    assert index.search("payment order") == before
    index.add_documents(
        [{"id": "stock", "content": "A zebra grazes."}, {"id": "new", "content": "A payment of zebras."}]
    )
    assert len(index) == 5
    assert index.search("payment zebra") == kind(
        [
            *DOCUMENTS[:2],
            {"id": "stock", "content": "A zebra grazes."},
            DOCUMENTS[3],
            {"id": "new", "content": "A payment of zebras."},
        ]
    ).search("payment zebra")


@pytest.mark.parametrize("kind", [BM25Index, VectorIndex])
def test_a_folder_keeps_documents(kind: type[BM25Index | VectorIndex], tmp_path: Path) -> None:
    folder = tmp_path / "a/b"
    kind(DOCUMENTS[:3], folder=folder).add_document(DOCUMENTS[3])
    odd = {"id": "odd", "content": "payment \ud800 \0 \u2028 line\nline", "nested": {"list": [1, None]}}
    kind([odd, {"id": "stock", "content": "replaced"}], folder=folder)
    index = kind(folder=folder)
    expected = kind([*DOCUMENTS[:2], {"id": "stock", "content": "replaced"}, DOCUMENTS[3], odd])
    assert index.search("payment order") == expected.search("payment order")
    (file,) = folder.iterdir()
    tags = {"content": "tagged", "tags": ("a", "b"), "number": {1: float("nan")}}
    kind([tags], folder=folder)
    written = file.read_bytes()
    assert len(kind([tags], folder=folder)) == 6
    assert file.read_bytes() == written  # a tuple is a list once it was stored, and is no other document
    file.write_bytes(written + b'{"id": "half", "cont')  # as a killed process leaves it
    index = kind(folder=folder)
    assert len(index) == 6
    index.add_document("one more")
    assert len(kind(folder=folder)) == 7
    assert file.read_bytes().startswith(written)
    other = kind(folder=folder)
    index.add_document("by another process")
    with pytest.raises(IndexWriteError, match="changed by another process"):
        other.add_document("lost")
    assert len(other) == 7


@pytest.mark.parametrize(
    ("data", "error", "message"),
    [
        (b"\xff\n", IndexDamagedError, "line 1 is not JSON"),
        (b'{"coderag_documents": 2}\n', IndexFormatError, "has format 2"),
        (b'{"coderag_documents": 1}\n[]\n', IndexDamagedError, "line 2 is no JSON object"),
        (b'{"coderag_documents": 1}\n{"id": "a"}\n', IndexDamagedError, "line 2 is no document"),
        (b'{"coderag_documents": 1}\n' + b"[" * 100_000 + b"\n", IndexDamagedError, "line 2 is not JSON"),
    ],
)
def test_a_damaged_folder_is_refused(data: bytes, error: type[Exception], message: str, tmp_path: Path) -> None:
    BM25Index(folder=tmp_path).add_document("text")
    (file,) = tmp_path.iterdir()
    file.write_bytes(data)
    with pytest.raises(error, match=message):
        BM25Index(folder=tmp_path)


def test_a_folder_that_cannot_be_written_changes_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    index = BM25Index(folder=tmp_path / "other")
    with pytest.raises(QueryError, match="cannot be stored"):
        index.add_document({"content": "a", "when": {1, 2}, "id": "a"})
    with pytest.raises((IndexWriteError, IndexDamagedError)):
        BM25Index(["text"], folder=tmp_path / "file")
    assert len(index) == 0


def test_what_is_no_document_or_no_query_is_refused() -> None:
    index = Retriever(BM25Index(), VectorIndex())
    for value, error in (({"title": "x"}, QueryError), ({"content": 3}, TypeError), (3, TypeError), (None, TypeError)):
        with pytest.raises(error):
            index.add_document(value)  # type: ignore[arg-type]  # that is the point
    for part in (index, BM25Index(), VectorIndex()):
        for one in ("text", {"content": "text"}, Document("text")):
            with pytest.raises(TypeError, match="list of documents"):
                part.add_documents(one)
        assert list(part.search("anything")) == []
        for query, k in (("", 1), (" ", 1), ("a", 0), ("a" * 40_000, 1)):
            with pytest.raises(QueryError):
                part.search(query, k)
    with pytest.raises(EncoderError, match="BM25Index"):
        VectorIndex(encoder="none")
    with pytest.raises(QueryError, match="no index"):
        Retriever()


def test_an_encoder_of_ones_own() -> None:
    class Lengths:
        """Texts by whether they are long."""

        identity: Any = None

        def encode_passages(self, passages: Sequence[Passage]) -> Any:
            return np.array([self.encode_query(passage.text) for passage in passages])

        def encode_query(self, text: str) -> Any:
            return np.array([1.0, 0.0] if len(text) > 20 else [0.0, 1.0], dtype=np.float32)

    index = VectorIndex(["short", "long " * 10], encoder=Lengths())
    assert [document.content for document, _ in index.search("tiny")] == ["short"]


def test_ranks_are_fused_as_in_a_search() -> None:
    bm25, vectors = BM25Index(DOCUMENTS), VectorIndex(DOCUMENTS)
    results = Retriever(bm25, vectors).search("refund of a failed order", k=4)
    lists = [index.search("refund of a failed order", k=50) for index in (bm25, vectors)]
    numbers = {str(one["id"]): number for number, one in enumerate(DOCUMENTS)}
    rows = [np.zeros(len(DOCUMENTS), dtype=np.float32) for _ in lists]
    for row, found in zip(rows, lists, strict=True):
        for document, score in found:
            row[numbers[document.id]] = score
    expected = fuse(np.arange(len(DOCUMENTS)), [(listed(row), row, 1.0) for row in rows], Fusion.RANKS)
    assert {document.id: score * 61 for document, score in results} == pytest.approx(
        {identity: expected[number] for identity, number in numbers.items() if expected[number]}
    )


def test_reciprocal_rank_fusion_by_hand() -> None:
    a, b, c = (Document(one, {}, one) for one in "abc")
    assert fuse_ranks([[a, b], [b, c, b]], k_rrf=1) == [(b, 1 / 3 + 1 / 2), (a, 1 / 2), (c, 1 / 3)]
    assert ids(fuse_ranks([[a], [b], [c]])) == ["a", "b", "c"]
    assert fuse_ranks([]) == []


def test_a_class_from_a_course_joins() -> None:
    class Keywords:
        """As courses write it: dicts in, dicts with scores out."""

        def __init__(self) -> None:
            self.documents: list[dict[str, Any]] = []

        def search(self, query: str, k: int = 1) -> list[tuple[dict[str, Any], float]]:
            return [(document, 1.0) for document in self.documents if query in document["content"]][:k]

    own = Keywords()
    own.documents = DOCUMENTS
    assert ids(Retriever(own, BM25Index(DOCUMENTS)).search("order", k=2)) == ["refund", "stock"]


def test_a_repository_is_an_index(shop: Index) -> None:
    question = "where are failed payments retried?"
    hits = shop.search(question, k=3)
    results = Retriever(shop).search(question, k=3)
    assert ids(results) == [hit.chunk.id for hit in hits]
    assert results[0].document.content == hits[0].chunk.text
    metadata = results[0].document.metadata
    assert (metadata["path"], metadata["start_line"]) == (hits[0].chunk.path, hits[0].chunk.span.start_line)
    assert (metadata["name"], metadata["end_line"]) == (hits[0].chunk.qualified_name, hits[0].chunk.span.end_line)
    assert 0 < metadata["confidence"] <= 1
    assert RepositoryIndex(shop).search(question, k=3)[0].score == pytest.approx(hits[0].score)
    both = Retriever(shop, notes := BM25Index())
    both.add_document({"id": "note", "content": "Failed payments are retried by a nightly job, see the runbook."})
    assert "note" in ids(both.search(question, k=3))
    assert len(notes) == 1
    with pytest.raises(QueryError, match="takes documents"):
        Retriever(shop).add_document("text")


def test_retrievers_nest(shop: Index) -> None:
    notes = Retriever(BM25Index(DOCUMENTS), VectorIndex(DOCUMENTS))
    assert "retry" in ids(Retriever(shop, notes).search("where are failed payments retried?", k=4))


def by_length(_: str, documents: Sequence[Document]) -> list[int]:
    return [len(document.content) for document in documents]


@pytest.mark.parametrize(
    ("reranker", "expected"),
    [
        (by_length, ["stock", "refund"]),
        (lambda *_: ["refund"], ["refund", "stock"]),
        (lambda _, documents: sorted(documents, key=lambda one: one.id), ["refund", "stock"]),
        (lambda _, documents: np.array([len(document.id) for document in documents]), ["refund", "stock"]),
        ("maxsim", ["stock", "refund"]),
        ("trees", ["stock", "refund"]),
    ],
)
def test_rerankers(reranker: Any, expected: list[str]) -> None:
    retriever = Retriever(BM25Index(DOCUMENTS), reranker=reranker)
    results = retriever.search("stock that an order reserves", k=5)
    assert ids(results) == expected
    assert results[0].score >= results[1].score


def test_a_reranker_may_be_a_share_of_the_order() -> None:
    reverse = partial(Retriever, BM25Index(DOCUMENTS), reranker=lambda _, documents: list(reversed(documents)))
    before = ids(Retriever(BM25Index(DOCUMENTS)).search("payment order refund stock"))
    assert len(before) == 3
    assert ids(reverse().search("payment order refund stock")) == before[::-1]
    assert ids(reverse(blend=0.0).search("payment order refund stock")) == before
    assert ids(reverse(blend=0.9).search("payment order refund stock")) == before[::-1]
    assert len(reverse(blend=0.5, depth=1).search("payment order refund stock", k=2)) == 2


def test_trees_take_documents_as_they_are() -> None:
    odd = [
        {"content": "def settle(order): pass", "path": "../../etc/settle.py", "id": "up"},
        {"content": "", "path": "..", "id": "nothing"},
        {"content": "settle \ud800 \0 an order", "path": "/" + "x" * 5000, "name": "a/b\\c", "id": "odd"},
        {"content": "text", "path": ".gitignore", "id": "hidden"},
        {"content": "text", "name": "\U00020000" * 300, "path": "\u6771" * 300 + "." + "\u6771" * 300, "id": "wide"},
    ]
    documents = [document_of(one) for one in odd]
    order = rerank_by_trees("settle an order", documents)
    assert order[0].id in {"up", "odd"}
    assert sorted(one.id for one in order) == ["hidden", "nothing", "odd", "up", "wide"]
    assert rerank_by_trees("anything", []) == []


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ([1.0], "1 scores for 2"),
        ([1.0, float("nan")], "nan"),
        ([1.0, "a"], "'a'"),
        (["nobody"], "'nobody'"),
    ],
)
def test_a_wrong_answer_of_a_reranker_is_refused(answer: list[Any], message: str) -> None:
    retriever = Retriever(BM25Index(DOCUMENTS), reranker=lambda *_: answer)
    with pytest.raises(RerankerError, match=message):
        retriever.search("order")


def test_an_unknown_reranker_is_refused() -> None:
    with pytest.raises(RerankerError):
        Retriever(BM25Index(), reranker="nonsense")
    with pytest.raises(TypeError):
        Retriever(BM25Index(), reranker=3)  # type: ignore[arg-type]  # that is the point


def test_threads_add_and_search() -> None:
    retriever = Retriever(BM25Index(), VectorIndex())
    failures: list[BaseException] = []

    def work(number: int) -> None:
        try:
            for at in range(20):
                retriever.add_document({"id": f"{number}.{at}", "content": f"payment number {number} of {at}"})
                assert retriever.search(f"payment {number}", k=5)
        except BaseException as error:  # noqa: BLE001  # shown below
            failures.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert len(retriever.search("payment", k=100)) == 80


def test_a_document_of_many_chunks_is_found() -> None:
    text = (REPOSITORY / "README.md").read_text(encoding="utf-8")
    retriever = Retriever(BM25Index(), VectorIndex())
    retriever.add_documents(chunk_by_section(text))
    document = retriever.search("licence of this project", k=1)[0].document
    assert document.content == text[document["start"] : document["end"]]


@pytest.mark.parametrize("module", sorted(name for name in NEEDING if name.startswith("coderag.adapters.")))
def test_a_framework_that_is_missing_is_named(module: str) -> None:
    if find_spec(NEEDING[module]) is not None:
        pytest.skip(f"{NEEDING[module]} is installed")
    extra = module.rpartition(".")[2].replace("_", "-")
    with pytest.raises(ModuleNotFoundError, match=rf"is not installed; .*pip install '\.\[{extra}\]'"):
        import_module(module)
