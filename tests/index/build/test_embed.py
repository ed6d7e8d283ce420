"""Which vectors an index has, through updates, merges, other encoders and failures."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from coderag import Index
from coderag.encoders.encoder import quantised
from coderag.encoders.static import shipped_encoder
from coderag.errors import EncoderError, RetrievalWarning
from coderag.index.build.embed import Embedding, passage_of
from coderag.index.storage.folder.index_path import IndexPath
from coderag.index.storage.manifest import read_manifest
from coderag.index.storage.segment import Segment
from coderag.index.storage.vectors import vectors_name
from tests.embeddings import Endpoint, embeddings
from tests.workspace import answers, copy_shop, write

QUESTION = "where are failed payments retried?"


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[str]:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    with embeddings() as line:
        yield line


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write(
        tmp_path / "small",
        {
            "pay/retry.py": "def retry_failed(payments):\n    '''Ask the gateway again.'''\n    return payments\n",
            "pay/money.py": "def round_cents(value):\n    return round(value, 2)\n\n\nclass Price:\n    cents = 0\n",
            "notes.md": "# Payments\n\nThey are retried at night.\n",
        },
    )


def segments(root: Path) -> list[Segment]:
    manifest = read_manifest(IndexPath(root / ".coderag"))
    folder = root / ".coderag/segments"
    return [Segment(IndexPath(folder / entry.name), vectors=manifest.vectors) for entry in manifest.segments]


def files_of_vectors(root: Path) -> set[str]:
    return {path.name for path in (root / ".coderag/segments").glob("*/vectors-*")}


@pytest.mark.parametrize("workers", [0, 1])
def test_a_chunk_has_the_vector_of_its_passage(root: Path, workers: int) -> None:
    Index.build(root, workers=workers)
    (segment,) = segments(root)
    assert segment.vectors is not None
    passages = [passage_of(segment, number) for number in range(len(segment))]
    expected = quantised(shipped_encoder().encode_passages(passages))
    assert segment.vectors.rows.tolist() == expected.tolist()
    assert read_manifest(IndexPath(root / ".coderag")).vectors == shipped_encoder().identity.key


def test_vectors_survive_updates_and_merges(tmp_path: Path) -> None:
    shop = copy_shop(tmp_path / "shop")
    index = Index.build(shop, workers=0)
    for number in range(9):
        write(shop, {f"shop/extra_{number}.py": f"def wrap_gift_{number}(order):\n    return order\n"})
        index.update(workers=0)
    assert len(segments(shop)) < 9
    assert all(segment.vectors is not None and len(segment.vectors) == len(segment) for segment in segments(shop))
    assert answers(index) == answers(Index.build(shop, index=tmp_path / "fresh", workers=0))


def test_without_vectors_words_alone_answer(root: Path) -> None:
    index = Index.build(root, encoder="none", workers=0)
    assert not files_of_vectors(root)
    hits = index.search("retry failed payments")
    assert hits[0].chunk.name == "retry_failed"
    assert "cosine_scaled" not in hits[0].parts


def test_another_encoder_replaces_the_vectors_without_reading_again(root: Path, endpoint: str) -> None:
    index = Index.build(root, workers=0)
    before = {path.name for path in (root / ".coderag/segments").iterdir()}
    index.update(encoder=endpoint, workers=0)
    assert index.reports[0].read == 0
    assert index.reports[0].embedded == len(index)
    assert {path.name for path in (root / ".coderag/segments").iterdir()} == before
    assert files_of_vectors(root) == {vectors_name(read_manifest(IndexPath(root / ".coderag")).vectors)}
    assert index.search(QUESTION)
    # What is read later is embedded by it too, and nothing else is.
    asked = Endpoint.asked
    write(root, {"pay/gift.py": "def wrap_gift(order):\n    return order\n"})
    again = Index.open(root)
    again.update(workers=0)
    assert Endpoint.asked - asked == 1
    assert all(segment.vectors is not None for segment in segments(root))


def test_texts_that_were_embedded_once_are_not_sent_again(root: Path, endpoint: str) -> None:
    Index.build(root, encoder=endpoint, workers=0)
    asked = Endpoint.asked
    Index.build(root, encoder=endpoint, index=root.parent / "other", workers=0)
    assert Endpoint.asked == asked + 1  # for the width of its vectors


def test_an_encoder_that_fails_leaves_the_index_as_it_was(root: Path, endpoint: str) -> None:
    index = Index.build(root, workers=0)
    before = answers(index), read_manifest(IndexPath(root / ".coderag"))
    Endpoint.broken = True
    with pytest.raises(EncoderError, match="400"):
        index.update(encoder=endpoint, workers=0)
    assert (answers(Index.open(root)), read_manifest(IndexPath(root / ".coderag"))) == before


def test_an_encoder_that_fails_at_a_question_leaves_it_to_words(root: Path, endpoint: str) -> None:
    Index.build(root, encoder=endpoint, workers=0)
    Endpoint.broken = True
    index = Index.open(root)
    with pytest.warns(RetrievalWarning, match="words alone answer: .*400"):
        hits = index.search("retry failed payments")
    assert hits[0].chunk.name == "retry_failed"


def test_another_version_of_the_encoder_is_told(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Index.build(root, workers=0)
    made = Embedding.made(read_manifest(IndexPath(root / ".coderag")))
    monkeypatch.setattr(type(made), "key", "another")
    with pytest.raises(EncoderError, match="coderag index --encoder static"):
        made.opened()


def test_roots_of_different_encoders_are_searched_by_words(tmp_path: Path, root: Path, endpoint: str) -> None:
    other = write(tmp_path / "other", {"retry.py": "def retry_payment(one):\n    return one\n"})
    Index.build(root, workers=0)
    Index.build(other, encoder=endpoint, workers=0)
    with pytest.warns(RetrievalWarning, match="different encoders"):
        hits = Index.open(root, other).search("retry payments")
    assert {hit.chunk.repository for hit in hits} == {"small", "other"}
