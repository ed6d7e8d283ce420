"""Queries to their patterns, and the kinds of nodes without which these do not match."""

from __future__ import annotations

import pytest

from coderag.syntax.grammar import reader
from coderag.syntax.language import Language
from coderag.syntax.query_patterns import query_patterns
from tests.syntax.outlined import OUTLINED


@pytest.mark.parametrize(
    ("pattern", "kinds"),
    [
        ("(call function: (identifier) @name) @call", {"call", "identifier"}),
        ('(pair "=" @sign (_) . !type)', {"pair", "="}),
        ("(block (comment)? (comment) @doc * (line)+ @_lines)", {"block", "line"}),
        ("(block [(comment) (line)] @one)", {"block"}),
        ("[(comment) (line)] @one", set()),
        ('((name) @name . ((end) (start))? (#eq? @name "(call"))', {"name"}),
        ('(call "\\"" (MISSING "]") (#match? @x "^\\\\[a"))', {"call", "]"}),
        ("(_ (comment)) ; (line)", {"comment"}),
        ('"import" @all', {"import"}),
        ("(block (value/name) @value)", {"block"}),
    ],
)
def test_kinds_that_every_match_has(pattern: str, kinds: set[str]) -> None:
    assert [one.kinds for one in query_patterns(pattern)] == [kinds]


def test_a_query_of_comments_has_no_patterns() -> None:
    assert list(query_patterns("; (line)\n")) == []


@pytest.mark.parametrize("language", OUTLINED, ids=lambda language: language.name)
def test_patterns_begin_where_the_compiler_says(language: Language) -> None:
    query, text = reader(language).query, language.tags()
    patterns = list(query_patterns(text))
    assert len(patterns) == query.pattern_count
    begin = len(text.encode()) - sum(len(pattern.text.encode()) for pattern in patterns)
    for number, pattern in enumerate(patterns):
        assert begin == query.start_byte_for_pattern(number)
        begin += len(pattern.text.encode())
