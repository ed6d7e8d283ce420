"""How much of a question chunks hold, in its words or in words like them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from coderag import Index
from coderag.index.reader.corpus import Corpus, open_members
from coderag.index.storage.folder.index_path import IndexPath
from coderag.index.storage.manifest import read_manifest
from coderag.search.query.understand import understand
from coderag.search.retrieval.lexical import lexical_scores
from coderag.search.retrieval.soft_match import soft_coverage
from tests.workspace import write


@pytest.fixture
def corpus(tmp_path: Path) -> Corpus:
    files = {
        "a.py": "def delete_user(user):\n    return drop(user)\n",
        "b.py": "def remove_user(user):\n    return drop(user)\n",
        "c.py": "def paint_wall(colour):\n    return brush(colour)\n",
    }
    root = write(tmp_path / "root", files)
    Index.build(root, workers=0)
    folder = root / ".coderag"
    return Corpus(open_members(IndexPath(folder), read_manifest(IndexPath(folder))))


def shares(corpus: Corpus, question: str) -> tuple[dict[str, float], dict[str, float]]:
    """Return what the one chunk of each file holds of a question: its words, and words like them."""
    chunks = np.arange(len(corpus))
    paths = [corpus.place(chunk)[0] for chunk in chunks.tolist()]
    held, alike = soft_coverage(corpus, lexical_scores(corpus, understand(question)).words, chunks)
    return dict(zip(paths, held.tolist(), strict=True)), dict(zip(paths, alike.tolist(), strict=True))


def test_the_word_itself_counts_all_and_one_like_it_less(corpus: Corpus) -> None:
    held, alike = shares(corpus, "delete")
    assert alike["a.py"] == 1.0
    assert 0.4 < alike["b.py"] < 1.0
    assert alike["c.py"] == 0.0
    assert held == {"a.py": 1.0, "b.py": 0.0, "c.py": 0.0}


def test_rare_words_count_more(corpus: Corpus) -> None:
    held, _ = shares(corpus, "user wall")
    assert held["c.py"] > held["a.py"] == held["b.py"] > 0


def test_a_question_without_content_holds_nothing(corpus: Corpus) -> None:
    held, alike = shares(corpus, "the of and")
    assert not any(held.values())
    assert not any(alike.values())


def test_some_chunks_hold_what_they_hold_among_all(corpus: Corpus) -> None:
    asked = lexical_scores(corpus, understand("delete a user")).words
    of_all, of_some = soft_coverage(corpus, asked, np.arange(3)), soft_coverage(corpus, asked, np.array([2, 0]))
    assert of_some[1].tolist() == of_all[1][[2, 0]].tolist()


def test_what_is_like_a_question_is_found_without_a_word_in_common(tmp_path: Path) -> None:
    files = {
        "shop/users.py": "def remove_account(account):\n    return account.unlink()\n",
        "shop/walls.py": "def paint(colour):\n    return colour\n",
        "shop/songs.py": "def sing(song):\n    return song\n",
    }
    index = Index.build(write(tmp_path / "root", files), workers=0)
    assert index.search("delete a user")[0].chunk.name == "remove_account"
