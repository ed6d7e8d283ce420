"""What the ranker is trained on: questions with answers that are there, rows of the engine, and figures."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from coderag.encoders.static import shipped_encoder
from coderag.index.reader.corpus import Corpus, open_members
from coderag.index.storage.folder.index_path import IndexPath
from coderag.index.storage.manifest import read_manifest
from coderag.search.ranking.features import FEATURES, LENGTHS
from coderag.search.ranking.rank import RANKER, RANKERS
from coderag.search.ranking.trees import read_trees, tree_scores
from coderag.search.ranking.tuning import DEFAULT
from scripts.ranking_data.documented import ask_symbols, ask_topics, ask_ways
from scripts.ranking_data.documents import ask_documents
from scripts.ranking_data.export import write_ranker
from scripts.ranking_data.fit import Plan, cross_fitted, grow
from scripts.ranking_data.measure import by_kind, difference, measure
from scripts.ranking_data.records import Judged
from scripts.ranking_data.rows import Rows, joined, rows_of
from scripts.ranking_data.second import ask_second
from scripts.ranking_data.suites import suite_questions
from tests.workspace import REPOSITORY, SHOP


@pytest.fixture(scope="module")
def corpus(shop_index: Path) -> Corpus:
    return Corpus(open_members(IndexPath(shop_index), read_manifest(IndexPath(shop_index))))


@pytest.fixture(scope="module")
def questions(corpus: Corpus) -> list[Judged]:
    return [
        *ask_symbols(corpus, most=40, seed=1),
        *ask_ways(corpus, "shop", most=40, seed=1),
        *ask_topics(corpus, "shop", most=40, seed=1),
        *ask_documents(corpus, most=40, seed=1),
    ]


@pytest.fixture(scope="module")
def rows(corpus: Corpus, questions: list[Judged]) -> Rows:
    parts = [questions[place::3] for place in range(3)]
    return joined([rows_of(corpus, part, group=f"part {n}", encoder=shipped_encoder()) for n, part in enumerate(parts)])


@pytest.mark.slow
def test_every_kind_is_asked_and_answered_by_what_is_there(questions: list[Judged]) -> None:
    assert {question.kind for question in questions} == {"symbol", "how", "topic", "document"}
    for question in questions:
        assert question.text.strip()
        for target in question.targets:
            lines = (SHOP / target.path).read_text(encoding="utf-8").splitlines()
            assert 0 <= target.first_line <= target.last_line <= len(lines)


def test_the_same_seed_asks_the_same(corpus: Corpus) -> None:
    assert ask_symbols(corpus, most=10, seed=3) == ask_symbols(corpus, most=10, seed=3)
    assert ask_symbols(corpus, most=10, seed=3) != ask_symbols(corpus, most=10, seed=4)


def test_the_second_sentence_is_asked(tmp_path: Path) -> None:
    body = '    """Join parts.\n\n    Empty ``parts`` are left out of it.\n\n    :param parts: what\n    """\n'
    (tmp_path / "a.py").write_text(f"@cached\ndef join(parts):\n{body}    found = parts\n    return found\n")
    (tmp_path / "test_a.py").write_text((tmp_path / "a.py").read_text())
    (tmp_path / "broken.py").write_text("def (")
    (one,) = ask_second(tmp_path, most=5, seed=1)
    assert (one.text, one.kind) == ("Empty parts are left out of it.", "second")
    assert (one.targets[0].path, one.targets[0].first_line, one.targets[0].last_line) == ("a.py", 1, 10)


def test_questions_of_suites_have_files_or_lines(tmp_path: Path) -> None:
    lines = {"path": "b.go", "start_line": 3, "end_line": 9}
    rows = [{"query": "how", "relevant": ["a.go", lines], "secondary": [], "category": "semantic"}]
    (tmp_path / "x.json").write_text(json.dumps(rows))
    (one,) = suite_questions(tmp_path / "x.json", suite="s")
    assert one.kind == "s:semantic"
    assert [(target.path, target.first_line, target.last_line) for target in one.targets] == [
        ("a.go", 0, 0),
        ("b.go", 3, 9),
    ]


def test_rows_hold_the_answers(rows: Rows, tmp_path: Path) -> None:
    figures = measure(rows, rows.features[:, FEATURES.index("text")], DEFAULT.file_decay)
    assert rows.features.shape == (rows.sizes.sum(), len(FEATURES))
    assert figures.found.mean() > 0.9
    assert by_kind(rows, figures.reciprocal)["symbol"] > 0.8
    best = measure(rows, (rows.tight > 0).astype(np.float32), DEFAULT.file_decay)
    gain, low, high = difference(best.reciprocal, figures.reciprocal)
    assert 0 < low < gain < high
    rows.save(tmp_path / "rows.npz")
    assert (Rows.load(tmp_path / "rows.npz").text == rows.text).all()


@pytest.mark.slow
@pytest.mark.dev("lightgbm")
def test_a_ranker_is_grown_and_read_back(rows: Rows, tmp_path: Path) -> None:
    learnable = [place for place, name in enumerate(FEATURES) if name not in LENGTHS]
    plan = Plan(tuple(learnable), 5, {"symbol": 1.0, "how": 1.0, "topic": 0.5})
    booster = grow(rows, plan, np.ones(len(rows.sizes), dtype=bool))
    write_ranker(tmp_path / "ranker.json", booster, [FEATURES[place] for place in learnable], about={})
    told = tree_scores(read_trees(tmp_path / "ranker.json", FEATURES), rows.features)
    grown = booster.predict(rows.features[:, learnable])
    np.testing.assert_allclose(told - told[0], grown - grown[0], atol=1e-4)
    assert np.isfinite(cross_fitted(rows, plan)).all()


@pytest.mark.parametrize("name", [RANKER, *RANKERS.values()])
def test_the_rankers_that_are_shipped_know_the_features(name: str) -> None:
    trees = read_trees(REPOSITORY / "coderag/search/ranking" / name, FEATURES)
    low, high = tree_scores(trees, np.array([[0.0] * len(FEATURES), [1.0] * len(FEATURES)], dtype=np.float32)).tolist()
    assert low < high


@pytest.mark.slow
def test_the_command_explains_itself() -> None:
    command = [sys.executable, str(REPOSITORY / "scripts/train_ranker.py"), "--help"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "--cache" in done.stdout
