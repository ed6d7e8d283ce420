"""Text to index terms."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coderag.text.comments import doc_summary
from coderag.text.tokens import raw_words, split_identifier, term_hash, terms, words
from coderag.text.vocabulary import Vocabulary


@pytest.mark.parametrize(
    ("identifier", "pieces"),
    [
        ("parseHTTPRequest_v2", ["parse", "http", "request", "v", "2"]),
        ("snake_case_name", ["snake", "case", "name"]),
        ("HTTPServer", ["http", "server"]),
        ("getURL", ["get", "url"]),
        ("UPPER_CASE", ["upper", "case"]),
        ("__init__", ["init"]),
        ("utf8", ["utf", "8"]),
        ("straße", ["straße"]),
        ("größe_2", ["größe", "2"]),
        ("_", []),
    ],
)
def test_identifiers_are_split(identifier: str, pieces: list[str]) -> None:
    assert split_identifier(identifier) == pieces


@pytest.mark.parametrize("spelling", ["rateLimit", "rate_limit", "RateLimit", "RATE_LIMIT"])
def test_spellings_of_a_name_share_their_terms(spelling: str) -> None:
    assert terms(spelling) == terms("rateLimit")
    assert terms(spelling)[-1] == terms("ratelimit")[-1]


def test_what_is_data_has_no_terms() -> None:
    assert terms("a" * 65) == ()
    assert terms("0x" + "f" * 40) == ()
    assert terms("0xFF") == ("0xff",)


def test_endings_do_not_matter() -> None:
    assert terms("retries") == terms("retry")
    assert terms("retried") == terms("retry")
    assert terms("is") == ("is",)


def test_scripts_without_spaces_are_found_by_pairs() -> None:
    assert {"東京", "京都"} <= set(terms("東京都"))


@given(st.text())
def test_any_text_has_terms(text: str) -> None:
    vocabulary = Vocabulary()
    raw = text.encode("utf-8", "replace")
    found = words(raw.decode())
    numbers = vocabulary.numbers(raw_words(raw))
    assert len(numbers) == sum(len(terms(word)) for word in found)
    hashes = vocabulary.hashes()
    assert [hashes[number] for number in numbers] == [term_hash(term) for word in found for term in terms(word)]


@given(st.text())
def test_any_text_has_a_summary_on_one_line(text: str) -> None:
    summary = doc_summary(text)
    assert "\n" not in summary
    assert len(summary) <= 240


@pytest.mark.parametrize(
    ("comment", "summary"),
    [
        ('"""Return the total. Taxes are in it."""', "Return the total."),
        ("/**\n * Returns the total.\n *\n * @param cart what is bought\n */", "Returns the total."),
        ("/// Returns the total\n/// of a cart.", "Returns the total of a cart."),
        ("# Return the total.\n# noqa: E501", "Return the total."),
        ("-- | Returns the total.", "Returns the total."),
        ("(* Returns the total. *)", "Returns the total."),
        ("// Copyright 2020 Somebody. All rights reserved.", ""),
        ("", ""),
    ],
)
def test_summaries(comment: str, summary: str) -> None:
    assert doc_summary(comment) == summary
