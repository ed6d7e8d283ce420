"""What names and paths are made of."""

from __future__ import annotations

import pytest

from coderag.index.reader.corpus import text_keys
from coderag.search.ranking.spelled import beginning, name_key, spelled, spelled_path


def test_a_name_and_its_scope_are_taken_apart() -> None:
    found = spelled("parseHTTPRequests", "RequestParser")
    assert found.words == ("parse", "http", "requests")
    assert found.scope_words == ("request", "parser")
    assert set(found.terms) == {"pars", "http", "request"}
    assert found.stems == ("request", "parser", "pars", "http", "request")
    assert name_key("parseHTTPRequests") == text_keys(["parsehttprequest"])[0]


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


def test_the_key_of_a_file_is_that_of_its_name() -> None:
    assert spelled_path("src/QueryPlan/index.ts").key == name_key("QueryPlan")


@pytest.mark.parametrize(
    "name", ["close", "parse_url", "HTTPServer2", "_", "_private", "operator ==", "a.b_c", "größe"]
)
def test_the_key_of_a_name_is_the_same_however_it_is_asked_for(name: str) -> None:
    assert spelled(name, "Scope").key == name_key(name)


def test_words_that_are_like_each_other_have_the_same_beginning() -> None:
    assert beginning("args") == beginning("arguments") == "arg"


def test_what_has_no_term_has_no_key() -> None:
    assert name_key("") == name_key("_") == 0
