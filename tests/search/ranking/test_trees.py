"""Trees of a ranker's file answer as the library that grew them, and a file that is none is told."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from coderag.errors import RerankerError
from coderag.search.ranking.trees import read_trees, tree_scores
from scripts.ranking_data.export import write_ranker

if TYPE_CHECKING:
    from lightgbm import Booster

FEATURES = ("text", "path", "name", "dense", "symbol")
TREE = {"feature": [0, 1], "threshold": [0.5, 0.25], "first": [0, 1], "last": [0, 1], "value": [0.0, 1.0, 3.0]}
WHOLE = {"format": 1, "features": ["name", "text"], "trees": [TREE]}


def grown(leaves: int, rows: np.ndarray[Any, Any], labels: np.ndarray[Any, Any]) -> Booster:
    """Return a ranker that LightGBM made of questions with ten rows each."""
    import lightgbm

    settings = {"objective": "lambdarank", "num_leaves": leaves, "min_data_in_leaf": 5, "verbose": -1, "seed": 1}
    data = lightgbm.Dataset(rows, labels, group=[10] * (len(rows) // 10))
    booster: Booster = lightgbm.train(settings, data, num_boost_round=30)
    return booster


@pytest.mark.slow
@pytest.mark.dev("lightgbm")
@pytest.mark.parametrize("leaves", [2, 7, 8, 15, 31, 60])
def test_scores_are_those_of_lightgbm(leaves: int, tmp_path: Path) -> None:
    chosen = np.random.default_rng(7)
    # Few distinct values: rows often lie on a threshold, where it matters which side they belong to.
    rows = np.round(chosen.random((2000, len(FEATURES))), 2).astype(np.float32)
    labels = (rows[:, 0] * rows[:, 3] + 0.1 * chosen.random(2000) > 0.4).astype(np.int64)
    booster = grown(leaves, rows, labels)
    write_ranker(tmp_path / "ranker.json", booster, FEATURES, about={"questions": 200})
    trees = read_trees(tmp_path / "ranker.json", FEATURES)
    assert len(trees) == 30
    np.testing.assert_allclose(tree_scores(trees, rows), booster.predict(rows), atol=1e-3)


def test_features_are_found_by_name(tmp_path: Path) -> None:
    file = tmp_path / "ranker.json"
    file.write_text(json.dumps(WHOLE))
    rows = np.array([[0.5, 0.25], [0.6, 0.25], [0.6, 0.26]], dtype=np.float32)
    assert tree_scores(read_trees(file, ("name", "text")), rows).tolist() == [0.0, 1.0, 3.0]
    turned = np.hstack([rows[:, ::-1], np.zeros((3, 1), dtype=np.float32)])
    assert tree_scores(read_trees(file, ("text", "name", "path")), turned).tolist() == [0.0, 1.0, 3.0]


def test_no_rows_have_no_scores(tmp_path: Path) -> None:
    file = tmp_path / "ranker.json"
    file.write_text(json.dumps(WHOLE))
    assert tree_scores(read_trees(file, ("name", "text")), np.zeros((0, 2), dtype=np.float32)).tolist() == []


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": 2}, "has format 2, this version reads 1"),
        ({"features": ["name", "smell"]}, "asks for the feature 'smell', which is not known"),
        ({"features": None}, "is damaged"),
        ({"trees": []}, "it has no trees"),
        ({"trees": [1]}, "is damaged"),
        ({"trees": [{**TREE, "value": [0.0, 1.0]}]}, "one leaf more"),
        ({"trees": [{**TREE, "first": [0]}]}, "its splits are not whole"),
        ({"trees": [{**TREE, "last": [2, 2]}]}, "rule out leaves that are not there"),
        ({"trees": [{**TREE, "first": [-1, 0]}]}, "rule out leaves that are not there"),
        ({"trees": [{**TREE, "feature": [0, -1]}]}, "rule out leaves that are not there"),
        ({"trees": [{**TREE, "feature": [0, 2]}]}, "is damaged"),
        ({"trees": [{**TREE, "feature": [0, 0.5]}]}, "its splits have fractions"),
        ({"trees": [{**TREE, "value": [0.0, 1.0, float("nan")]}]}, "values that are no numbers"),
        ({"trees": [{**TREE, "threshold": [0.5, "high"]}]}, "is damaged"),
        ({"trees": [{name: TREE[name] for name in TREE if name != "value"}]}, "no 'value'"),
    ],
)
def test_a_wrong_file_says_what_is_wrong(change: dict[str, Any], message: str, tmp_path: Path) -> None:
    file = tmp_path / "ranker.json"
    file.write_text(json.dumps({**WHOLE, **change}))
    with pytest.raises(RerankerError, match=r"scripts/train_ranker\.py") as told:
        read_trees(file, ("name", "text"))
    assert message in str(told.value)
    assert str(file) in str(told.value)


def test_a_missing_or_cut_file_says_so(tmp_path: Path) -> None:
    with pytest.raises(RerankerError, match="cannot be read: No such file"):
        read_trees(tmp_path / "none.json", FEATURES)
    cut = tmp_path / "cut.json"
    cut.write_text(json.dumps(WHOLE)[:40])
    with pytest.raises(RerankerError, match="is damaged"):
        read_trees(cut, FEATURES)
    cut.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(RerankerError, match="is damaged"):
        read_trees(cut, FEATURES)
