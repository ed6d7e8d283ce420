"""How much of a question chunks hold, in its words or in words like them."""

from __future__ import annotations

from pathlib import Path

import pytest

from coderag import Index
from coderag.index.corpus import Corpus, open_members
from coderag.index.manifest import read_manifest
from coderag.ranking.retrieve import retrieve
from coderag.ranking.understand import understand
from tests.files import write


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
    return Corpus(open_members(folder, read_manifest(folder)))


def test_the_word_itself_counts_all_and_one_like_it_less(corpus: Corpus) -> None:
    scores = retrieve(corpus, understand("delete"))
    alike = {corpus.place(chunk)[0]: float(scores.alike[chunk]) for chunk in range(len(corpus))}
    assert alike["a.py"] == 1.0
    assert 0.4 < alike["b.py"] < 1.0
    assert alike["c.py"] == 0.0
    held = {corpus.place(chunk)[0]: float(scores.held[chunk]) for chunk in range(len(corpus))}
    assert held == {"a.py": 1.0, "b.py": 0.0, "c.py": 0.0}


def test_rare_words_count_more(corpus: Corpus) -> None:
    scores = retrieve(corpus, understand("user wall"))
    held = {corpus.place(chunk)[0]: float(scores.held[chunk]) for chunk in range(len(corpus))}
    assert held["c.py"] > held["a.py"] == held["b.py"] > 0


def test_a_question_without_content_holds_nothing(corpus: Corpus) -> None:
    scores = retrieve(corpus, understand("the of and"))
    assert not scores.held.any()
    assert not scores.alike.any()


def test_what_is_like_a_question_is_found_without_a_word_in_common(tmp_path: Path) -> None:
    files = {
        "shop/users.py": "def remove_account(account):\n    return account.unlink()\n",
        "shop/walls.py": "def paint(colour):\n    return colour\n",
        "shop/songs.py": "def sing(song):\n    return song\n",
    }
    index = Index.build(write(tmp_path / "root", files), workers=0)
    assert index.search("delete a user")[0].chunk.name == "remove_account"
