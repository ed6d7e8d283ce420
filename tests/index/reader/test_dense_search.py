"""The nearest vectors, by signs first, against all of them compared."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coderag import Index
from coderag.encoders.encoder import quantised, unit_rows
from coderag.encoders.static import shipped_encoder
from coderag.index.reader.corpus import Corpus, open_members
from coderag.index.reader.dense_search import COMPARED, EXACT_UP_TO, How, cosines_of, dense_search, way
from coderag.index.storage.folder.index_path import IndexPath
from coderag.index.storage.manifest import read_manifest
from coderag.index.storage.vectors import write_vectors
from tests.workspace import write

CHUNKS = 12_000  # three times as many as are compared
NUMBERS = np.random.default_rng(3)


def vectors_of(count: int, dimensions: int) -> np.ndarray:
    """Return vectors that lie in heaps, as those of code do."""
    heaps = NUMBERS.normal(size=(60, dimensions))
    found = heaps[NUMBERS.integers(60, size=count)] + 0.9 * NUMBERS.normal(size=(count, dimensions))
    return unit_rows(found.astype(np.float32))


def questions(rows: np.ndarray, count: int) -> Iterator[np.ndarray]:
    for row in NUMBERS.integers(len(rows), size=count):
        yield unit_rows((rows[row] + 0.05 * NUMBERS.normal(size=rows.shape[1]))[np.newaxis])[0]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return an index of many chunks in two segments, the second of two files of which one has gone since."""
    root = tmp_path_factory.mktemp("root")
    lines = [f"def function_{number}():\n    return {number}\n" for number in range(CHUNKS)]
    write(root, {"a.py": "".join(lines[:9_000])})
    index = Index.build(root, workers=0, max_bytes=1 << 22)
    write(root, {"b.py": "".join(lines[9_000:11_500]), "c.py": "".join(lines[11_500:])})
    index.update(workers=0)
    (root / "c.py").unlink()
    index.update(workers=0)
    return root / ".coderag"


def corpus_of(folder: Path, rows: np.ndarray) -> Corpus:
    """Return the chunks of an index with other vectors."""
    manifest = read_manifest(IndexPath(folder))
    begin = 0
    for member in open_members(IndexPath(folder), manifest):
        end = begin + len(member.segment)
        write_vectors(member.segment.folder, manifest.vectors, quantised(rows[begin:end]))
        begin = end
    return Corpus(open_members(IndexPath(folder), manifest))


def recall(corpus: Corpus, query: np.ndarray, counts: np.ndarray, *, k: int = 10) -> float:
    exact, found = (dense_search(corpus, query, counts, k=k, how=how).chunks.tolist() for how in (How.ALL, How.SIGNS))
    return len(set(exact) & set(found)) / len(exact)


@pytest.mark.slow
@pytest.mark.parametrize("dimensions", [256, 100, 384, 768])
def test_signs_find_nearly_all(folder: Path, dimensions: int) -> None:
    rows = vectors_of(CHUNKS + 100, dimensions)
    corpus = corpus_of(folder, rows)
    counts = np.ones(len(corpus), dtype=np.float32)
    assert np.mean([recall(corpus, query, counts) for query in questions(rows, 30)]) >= 0.97


@pytest.mark.slow
def test_what_counts_less_comes_later_and_what_counts_nothing_never(folder: Path) -> None:
    rows = vectors_of(CHUNKS + 100, 256)
    corpus = corpus_of(folder, rows)
    counts = NUMBERS.choice(np.array([0.0, 0.4, 1.0], dtype=np.float32), size=len(corpus))
    for query in questions(rows, 10):
        found = dense_search(corpus, query, counts, k=50, how=How.SIGNS)
        expected = cosines_of(corpus, query, found.chunks) * counts[found.chunks]
        assert found.scores.tolist() == pytest.approx(expected.tolist())
        assert (np.diff(found.scores) <= 0).all()
        assert (counts[found.chunks] > 0).all()
    assert np.mean([recall(corpus, query, counts) for query in questions(rows, 30)]) >= 0.97


@pytest.mark.slow
def test_under_a_filter_every_one_is_found(folder: Path) -> None:
    rows = vectors_of(CHUNKS + 100, 256)
    corpus = corpus_of(folder, rows)
    counts = np.zeros(len(corpus), dtype=np.float32)
    counts[NUMBERS.choice(len(corpus), size=COMPARED, replace=False)] = 1
    assert all(recall(corpus, query, counts, k=200) == 1 for query in questions(rows, 10))


@pytest.mark.slow
def test_what_is_compared_does_not_depend_on_the_segments(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("coderag.index.reader.dense_search.COMPARED", 100)
    words = "read write parse send load store check retry cancel open close merge split sort find count".split()
    lines = [f"def {one}_{other}(value):\n    return {one}(value, {other})\n\n" for one in words for other in words]
    root = write(tmp_path / "root", {"m.py": "".join(lines[::5]), "z.py": "".join(lines[1::5])})
    Index.build(root, workers=0)
    for number, name in enumerate("bya", 2):
        write(root, {f"{name}.py": "".join(lines[number::5])})
        Index.open(root).update(workers=0)
    (root / "y.py").unlink()
    Index.open(root).update(workers=0)
    Index.build(root, index=tmp_path / "fresh", workers=0)
    folders = root / ".coderag", tmp_path / "fresh"
    updated, fresh = (Corpus(open_members(IndexPath(one), read_manifest(IndexPath(one)))) for one in folders)
    assert len(updated.members) > len(fresh.members) == 1
    for word in words:
        query = shipped_encoder().encode_query(f"{word} the value")
        found = []
        for corpus in (updated, fresh):
            counts = corpus.live_file[corpus.chunk_file].astype(np.float32)
            near = dense_search(corpus, query, counts, k=len(corpus), how=How.SIGNS)
            pairs = zip(near.chunks.tolist(), near.scores.tolist(), strict=True)
            found.append(sorted((*corpus.place(chunk), score) for chunk, score in pairs))
        assert found[0] == found[1]


@pytest.mark.slow
def test_a_small_index_is_compared_as_a_whole(folder: Path) -> None:
    assert len(Corpus(open_members(IndexPath(folder), read_manifest(IndexPath(folder))))) < EXACT_UP_TO
    assert way(Corpus(open_members(IndexPath(folder), read_manifest(IndexPath(folder))))) is How.ALL


@pytest.mark.slow
@given(st.lists(st.integers(0, CHUNKS - 1), max_size=50))
def test_cosines_of_some_are_those_among_all(folder: Path, chunks: list[int]) -> None:
    corpus = Corpus(open_members(IndexPath(folder), read_manifest(IndexPath(folder))))
    vectors = corpus.members[0].segment.vectors
    assert vectors is not None
    query = NUMBERS.normal(size=(1, vectors.rows.shape[1])).astype(np.float32)[0]
    some = np.array(chunks, dtype=np.int64)
    assert cosines_of(corpus, query, some).tolist() == corpus.cosines(query)[some].tolist()
