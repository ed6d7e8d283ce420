"""A LightGBM ranker to the file that coderag.search.ranking.trees reads."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from coderag.search.ranking.trees import FORMAT

if TYPE_CHECKING:
    from lightgbm import Booster

__all__ = ["as_table", "write_ranker"]

VALUE_DIGITS = 5


def write_ranker(path: Path, booster: Booster, features: Sequence[str], *, about: Mapping[str, Any]) -> None:
    """Write a ranker: features, how it was made, and a tree on each line, so that changes are seen in a diff."""
    table = as_table(booster, features)
    head = {"format": FORMAT, "about": about, "features": table["features"]}
    lines = ",\n".join(json.dumps(tree, separators=(",", ":")) for tree in table["trees"])
    path.write_text(f'{json.dumps(head, indent=1)[:-2]},\n "trees": [\n{lines}\n]}}\n', encoding="utf-8")


def as_table(booster: Booster, features: Sequence[str]) -> dict[str, Any]:
    """Return a ranker as a table; trees without a split add the same to every score and are left out."""
    dumped = booster.dump_model()["tree_info"]
    trees = [_tree(one["tree_structure"]) for one in dumped if "split_index" in one["tree_structure"]]
    used = sorted({feature for tree in trees for feature in tree["feature"]})
    place = {feature: number for number, feature in enumerate(used)}
    for tree in trees:
        tree["feature"] = [place[feature] for feature in tree["feature"]]
    return {"format": FORMAT, "features": [features[one] for one in used], "trees": trees}


def _tree(root: dict[str, Any]) -> dict[str, list[Any]]:
    tree: dict[str, list[Any]] = {name: [] for name in ("feature", "threshold", "first", "last", "value")}

    def add(node: dict[str, Any]) -> None:
        if "split_index" not in node:
            tree["value"].append(float(f"{node['leaf_value']:.{VALUE_DIGITS}g}"))
            return
        row = len(tree["feature"])
        first = len(tree["value"])
        tree["feature"].append(node["split_feature"])
        tree["threshold"].append(_rounded_down(node["threshold"]))
        tree["first"].append(first)
        tree["last"].append(first)
        add(node["left_child"])
        tree["last"][row] = len(tree["value"]) - 1
        add(node["right_child"])

    add(root)
    return tree


def _rounded_down(threshold: float) -> float:
    """Return the largest 32-bit number that is not above a threshold: what exceeds one exceeds the other."""
    near = np.float32(threshold)
    if float(near) > threshold:
        near = np.nextafter(near, np.float32(-np.inf))
    return float(str(near))
