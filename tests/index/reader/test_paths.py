"""Many paths at once match what one by one they match."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coderag.files.globs import path_test
from coderag.index.reader.paths import PathTable

NAMES = st.text("ab.-", min_size=1, max_size=3).filter(lambda name: name not in (".", ".."))
PATHS = st.lists(NAMES, min_size=1, max_size=4).map("/".join)
PATTERNS = st.one_of(st.text("ab*?.-", min_size=1, max_size=4), st.just("**")).filter(
    lambda name: name not in (".", "..")
)
GLOBS = st.tuples(st.sampled_from(["", "!"]), st.sampled_from(["", "/"]), st.lists(PATTERNS, min_size=1, max_size=3))


@pytest.mark.slow
@given(paths=st.lists(PATHS, unique=True, max_size=30), globs=st.lists(GLOBS, min_size=1, max_size=3))
def test_a_table_matches_as_each_path_does(paths: list[str], globs: list[tuple[str, str, list[str]]]) -> None:
    written = [f"{sign}{anchor}{'/'.join(names)}" for sign, anchor, names in globs]
    allowed = path_test(written)
    assert PathTable(paths).matching(written).tolist() == [allowed(path) for path in paths]


def test_what_lies_inside_a_folder_is_not_taken_for_its_neighbour() -> None:
    paths = ["a/x", "a-b/x", "a.b/x", "a/b/x", "ab/x", "x"]
    found = PathTable(paths).matching(["a"]).tolist()
    assert [path for path, matches in zip(paths, found, strict=True) if matches] == ["a/x", "a/b/x"]
