"""A treemap fills its area, and each rectangle has its share of it."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coderag import Index
from coderag.serve.html.map import squarified
from coderag.serve.html.map_parts import map_parts
from tests.workspace import write

WIDTH, HEIGHT = 1200.0, 560.0


@given(st.lists(st.floats(0.004, 1.0), min_size=1, max_size=24))
def test_rectangles_share_the_area_and_never_overlap(sizes: list[float]) -> None:
    sizes.sort(reverse=True)
    places = squarified(sizes, WIDTH, HEIGHT)
    for size, (x, y, width, height) in zip(sizes, places, strict=True):
        assert width * height == pytest.approx(WIDTH * HEIGHT * size / sum(sizes))
        assert x >= -1e-6
        assert y >= -1e-6
        assert x + width <= WIDTH + 1e-6
        assert y + height <= HEIGHT + 1e-6
    for (x1, y1, width1, height1), (x2, y2, width2, height2) in combinations(places, 2):
        apart = x1 + width1 <= x2 + 1e-6 or x2 + width2 <= x1 + 1e-6
        assert apart or y1 + height1 <= y2 + 1e-6 or y2 + height2 <= y1 + 1e-6


def test_equal_shares_are_nearly_square() -> None:
    assert squarified([1.0, 1.0, 1.0, 1.0], 100.0, 100.0) == [
        (0.0, 0.0, 50.0, 50.0),
        (0.0, 50.0, 50.0, 50.0),
        (50.0, 0.0, 50.0, 50.0),
        (50.0, 50.0, 50.0, 50.0),
    ]


def test_parts_are_computed_once_for_each_state_of_the_index(tmp_path: Path) -> None:
    root = write(tmp_path / "app", {"a.py": "def a():\n    return b()\n\n\ndef b():\n    return 1\n"})
    with Index.build(root, workers=0) as index:
        first = map_parts(index)
        assert map_parts(index) is first
        assert map_parts(index.as_seen_by(["staff"])) is not first
        write(root, {"other/c.py": "def c():\n    return 2\n"})
        index.update(workers=0)
        assert [one.files for one in first.maps] == [1]
        assert [one.files for one in map_parts(index).maps] == [2]
