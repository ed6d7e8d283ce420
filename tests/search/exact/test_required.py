"""The literals that an expression needs: no text that it matches is without them, and there are enough of them."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coderag.search.exact.required import required_literals

CHARACTERS = st.sampled_from(["a", "b", "ab", "[ab]", ".", r"\x61", "^", "$", r"\b", "ä"])
REPEATS = st.sampled_from(["", "", "", "?", "*", "+", "{2}", "{0,1}", "+?"])


def expressions() -> st.SearchStrategy[str]:
    """Expressions of few characters, with groups, alternatives and repetitions in each other."""

    def larger(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
        groups = st.lists(inner, min_size=1, max_size=3).map(lambda branches: f"(?:{'|'.join(branches)})")
        repeated = st.tuples(groups, REPEATS).map("".join)
        return st.lists(st.one_of(inner, repeated), min_size=1, max_size=4).map("".join)

    return st.recursive(CHARACTERS, larger, max_leaves=12)


@pytest.mark.slow
@given(expressions(), st.text("abä\n", max_size=12), st.booleans())
@settings(max_examples=400, deadline=None)
def test_no_match_lacks_them(expression: str, text: str, ignore_case: bool) -> None:
    needed = required_literals(expression, ignore_case=ignore_case)
    written = text.upper() if ignore_case else text
    for match in re.finditer(expression, written, re.MULTILINE | (re.IGNORECASE if ignore_case else 0)):
        raw = match[0].encode().lower()
        assert all(any(literal in raw for literal in group) for group in needed), (match[0], needed)


@pytest.mark.parametrize(
    ("expression", "needed"),
    [
        (r"(get|set)_\w+", [{b"get_", b"set_"}]),
        (r"err(or)?_code", [{b"err"}, {b"_code"}]),
        (r"(?:(?:un)?known|lost) key", [{b"known", b"lost"}, {b" key"}]),
        (r"(ab)+cde", [{b"abcde"}]),
        (
            r"(a|b)(c|d)(e|f)(g|h)(i|j)xyz",
            [{f"{a}{c}{e}{g}".encode() for a in "ab" for c in "cd" for e in "ef" for g in "gh"}, {b"ixyz", b"jxyz"}],
        ),
        (r"(foo|b.r)_baz", [{b"_baz"}]),
        (r"(foo|[bc]ar)x", []),
        ("x" * 600, [{b"x" * 256}, {b"x" * 256}, {b"x" * 88}]),
    ],
)
def test_what_is_needed(expression: str, needed: list[set[bytes]]) -> None:
    assert [set(group) for group in required_literals(expression, ignore_case=False)] == needed
