"""What names and paths are made of."""

from __future__ import annotations

import pytest

from coderag.index.reader.corpus import text_keys
from coderag.search.ranking.spelled import spelled, spelled_path


def test_a_name_and_its_scope_are_taken_apart() -> None:
    found = spelled("parseHTTPRequests", "RequestParser")
    assert found.words == ("parse", "http", "requests")
    assert found.scope_words == ("request", "parser")
    assert found.terms == {"pars", "http", "request"}
    assert found.stems == ("request", "parser", "pars", "http", "request")
    assert ("pars", "http") in found.pairs
    assert found.key == text_keys(["parsehttprequest"])[0]


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("src/parser/lexer.test.ts", ("lexer",)),
        ("src/parser/index.ts", ("parser",)),
        ("index.ts", ("index",)),
        ("pkg/query_plan/__init__.py", ("query", "plan")),
    ],
)
def test_a_file_is_called_after_its_folder_where_its_name_says_nothing(path: str, name: tuple[str, ...]) -> None:
    assert spelled_path(path).name_words == name


def test_words_that_are_like_each_other_share_a_hint() -> None:
    named = spelled("ArgumentLists", "").hints
    assert {"argument", "list"} <= named  # their stems
    assert "arg" in named  # the beginning of "args"


def test_what_has_no_term_has_no_key() -> None:
    assert spelled("", "").key == spelled("_", "").key == 0
