"""Chunks of several segments and roots in order of path and line, and which of equal ones are cut off."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from coderag import Index
from coderag.index.reader import corpus as corpus_module
from coderag.index.reader.corpus import Corpus, open_members
from coderag.index.reader.order import best_chunks, place_order
from coderag.index.storage.folder.index_path import IndexPath
from coderag.index.storage.manifest import read_manifest
from tests.workspace import write

COPY = "def first():\n    return 1\n\n\ndef second():\n    return 2\n"


@pytest.fixture
def corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Corpus:
    """Two roots, the first of three segments, whose files were read in another order than that of their paths."""
    monkeypatch.setattr("coderag.index.build.build.quick_to_merge", lambda _: [])
    root = write(tmp_path / "root", {"m.py": COPY, "z/a.py": COPY})
    Index.build(root, workers=0)
    for path in ("c.py", "a.py"):
        write(root, {path: COPY})
        Index.open(root).update(workers=0)
    other = write(tmp_path / "other", {"b.py": COPY, "m.py": COPY})
    Index.build(other, workers=0)
    folders = IndexPath(root / ".coderag"), IndexPath(other / ".coderag")
    return Corpus([member for folder in folders for member in open_members(folder, read_manifest(folder))])


def places(corpus: Corpus, chunks: np.ndarray) -> list[str]:
    return [f"{path}:{row + 1}" for path, row in map(corpus.place, chunks.tolist())]


def test_order_goes_by_path_and_line_and_then_by_root(corpus: Corpus) -> None:
    chunks = np.arange(len(corpus))
    ordered = chunks[place_order(corpus, chunks)]
    paths = ["a.py", "b.py", "c.py", "m.py", "z/a.py"]
    expected = [f"{path}:{line}" for path in paths for line in (1, 5) for _ in range(1 + (path == "m.py"))]
    assert places(corpus, ordered) == expected
    of_both = [corpus.member_of(chunk)[0].repository for chunk in ordered[6:10].tolist()]
    assert of_both == ["root", "other", "root", "other"]


def test_many_files_are_ordered_like_few(corpus: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    chunks = np.arange(len(corpus))[::-1]
    few = place_order(corpus, chunks).tolist()
    monkeypatch.setattr(corpus_module, "MANY_FILES", 1)
    assert place_order(corpus, chunks).tolist() == few


def test_of_equal_scores_the_first_by_path_are_taken(corpus: Corpus) -> None:
    scores = np.ones(len(corpus), dtype=np.float32)
    assert sorted(places(corpus, best_chunks(corpus, scores, 5))) == ["a.py:1", "a.py:5", "b.py:1", "b.py:5", "c.py:1"]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(scores=st.lists(st.sampled_from([0.0, 0.5, 1.0, 2.0]), min_size=12, max_size=12), k=st.integers(1, 14))
def test_the_best_are_those_of_a_whole_sort(corpus: Corpus, scores: list[float], k: int) -> None:
    found = best_chunks(corpus, np.array(scores, dtype=np.float32), k)
    positive = [chunk for chunk in range(12) if scores[chunk] > 0]
    expected = sorted(positive, key=lambda chunk: (-scores[chunk], *corpus.place(chunk), chunk))[:k]
    assert sorted(found.tolist()) == sorted(expected)
    assert [scores[chunk] for chunk in found.tolist()] == [scores[chunk] for chunk in expected]
