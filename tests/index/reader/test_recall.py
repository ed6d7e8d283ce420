"""How many of the nearest vectors are found, measured on what an index holds."""

from __future__ import annotations

from pathlib import Path

import pytest

from coderag import Index
from coderag.index.reader import dense_search as nearest
from coderag.index.reader.dense_search import How
from tests.workspace import write

FUNCTIONS = "".join(
    f'def read_{noun}_{number}():\n    """Read the {noun} of page {number}."""\n'
    for number in range(40)
    for noun in ("title", "author", "table", "margin")
)


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    root = write(tmp_path_factory.mktemp("recall") / "root", {"a.py": FUNCTIONS, "b.py": FUNCTIONS})
    index = Index.build(root, workers=0)
    (root / "b.py").unlink()
    index.update(workers=0)
    return index


def test_a_small_index_finds_all(index: Index) -> None:
    found = index.recall()
    assert found is not None
    assert (found.how, found.at_10, found.at_200) == (How.ALL, 1.0, 1.0)
    assert found.chunks == len(index)
    assert 100 < found.questions <= 160


def test_a_large_one_finds_nearly_all(index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nearest, "EXACT_UP_TO", 100)
    monkeypatch.setattr(nearest, "COMPARED", 100)
    monkeypatch.setattr(nearest, "SAMPLED", 1)
    found = index.recall()
    assert found is not None
    assert found.how is How.SIGNS
    assert 0.9 <= found.at_10 <= 1.0
    assert found.at_200 < 1.0  # of 160, 100 were compared


def test_words_alone_have_none(tmp_path: Path) -> None:
    assert Index.build(write(tmp_path, {"a.py": FUNCTIONS}), encoder="none", workers=0).recall() is None


def test_an_empty_index_yields_no_questions(tmp_path: Path) -> None:
    found = Index.build(write(tmp_path, {"a.txt": ""}), workers=0).recall()
    assert found is not None
    assert (found.questions, found.at_10) == (0, 1.0)
