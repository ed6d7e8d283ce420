"""Globs on paths: as git matches them, in a time that no pattern can stretch."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coderag.errors import QueryError
from coderag.files.globs import parse_glob, path_test
from coderag.files.ignore import parse_rules

CASES = [
    ("*.py", "a.py", True),
    ("*.py", "deep/down/a.py", True),
    ("*.py", "a.py/b.c", True),  # a folder is called so
    ("*.py", "a.pyc", False),
    ("src", "src/a.c", True),
    ("src", "lib/src/a.c", True),
    ("src/", "lib/src/a.c", True),
    ("/src", "lib/src/a.c", False),
    ("./src/*.c", "src/a.c", True),
    ("src/*.c", "src/a.c", True),
    ("src/*.c", "src/sub/a.c", False),
    ("src/**", "src/sub/a.c", True),
    ("src/**", "src", False),
    ("src/**/a.c", "src/a.c", True),
    ("src/**/a.c", "src/x/y/a.c", True),
    ("src/**/test/*.c", "src/a/test/x.c", True),
    ("src/**/test/*.c", "src/test/test/x.c", True),
    ("**/gen/*", "a/gen/b.c", True),
    ("**/gen/*", "gen/b.c", True),
    ("a**b", "a/b", False),
    ("a**b", "axxb", True),
    ("**", "a", True),
    ("?.c", "a.c", True),
    ("?.c", "ab.c", False),
    ("[ab].c", "b.c", True),
    ("[!ab].c", "b.c", False),
    ("[^ab].c", "c.c", True),
    ("[0-9]*", "7up", True),
    ("a[", "a[", True),
    (r"a\*b", "a*b", True),
    (r"a\*b", "axb", False),
    ("ä*", "äö.py", True),
    ("a\nb", "a\nb", True),
]


@pytest.mark.parametrize(("glob", "path", "matches"), CASES)
def test_a_glob_matches_as_in_a_rule_file(glob: str, path: str, *, matches: bool) -> None:
    assert parse_glob(glob).matches(path) is matches


@pytest.mark.parametrize("glob", ["", "/", "//", "./"])
def test_a_glob_has_a_name(glob: str) -> None:
    with pytest.raises(QueryError, match=re.escape(f"the path filter {glob!r} names nothing")):
        parse_glob(glob)


@pytest.mark.parametrize(
    ("globs", "path", "allowed"),
    [
        (["src/**"], "src/a.c", True),
        (["src/**", "!*.h"], "src/a.h", False),
        (["src/**", "!*.h"], "lib/a.c", False),
        (["!*.h"], "lib/a.c", True),
        (["!*.h"], "lib/a.h", False),
        (["a/", "b/"], "b/x", True),
    ],
)
def test_some_include_and_some_exclude(globs: list[str], path: str, *, allowed: bool) -> None:
    assert path_test(globs)(path) is allowed


NAMES = st.text("ab.-", min_size=1, max_size=4).filter(lambda name: name not in (".", ".."))
PATTERNS = st.one_of(st.text("ab*?.-", min_size=1, max_size=5), st.just("**")).filter(
    lambda name: name not in (".", "..") and ("**" not in name or name == "**")
)


@pytest.mark.slow
@given(glob=st.lists(PATTERNS, min_size=1, max_size=4), path=st.lists(NAMES, min_size=1, max_size=5))
def test_git_agrees(glob: list[str], path: list[str]) -> None:
    text = "/" + "/".join(glob)
    rules = parse_rules(text.encode())
    ends = range(1, len(path) + 1)
    inside = ("/".join(path[:end]).encode() for end in ends)
    wanted = any(
        rules.match(one, one.rpartition(b"/")[2], folder=end < len(path)) for end, one in zip(ends, inside, strict=True)
    )
    assert parse_glob(text).matches("/".join(path)) is wanted


@pytest.mark.parametrize("glob", ["*a" * 30 + "b", "/".join(["**", "a*a*a"] * 30) + "/b", "*?" * 50 + "!"])
def test_no_glob_tries_every_way_to_match(glob: str) -> None:
    # Of which there are more than could be tried before the sun goes out.
    assert not parse_glob(glob).matches("/".join(["a" * 200] * 60))
