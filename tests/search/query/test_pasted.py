"""The text of a question to the run of words, and the names, that may stand in code as they are."""

from __future__ import annotations

import pytest

from coderag.search.query.pasted import VALUE, pasted, tokens


@pytest.mark.parametrize(
    ("text", "run"),
    [
        ("could not open store", ("could", "not", "open", "store")),
        ("2026-11-02T13:45:10Z [ERROR] could not open store", ("could", "not", "open", "store")),
        ("java.io.IOException: could not open store", ("could", "not", "open", "store")),
        ("E/App(1234): Error: could not open store", ("could", "not", "open", "store")),
        ("where could a store open", ()),
        ("could it not open the store?", ("could", "it", "not", "open", "the", "store")),
        ("open store", ()),
    ],
)
def test_a_run_has_no_prefix_and_is_no_question_without_its_sign(text: str, run: tuple[str, ...]) -> None:
    assert pasted(text).run == run
    assert pasted(text).asks is (text.startswith("where") or text.endswith("?"))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('"no %s in %(where)s"', ["no", VALUE, "in", VALUE]),
        ("`no ${what} in #{where} of {0}`", ["no", VALUE, "in", VALUE, "of", VALUE]),
        ('"no " + what + " in " + where', ["no", VALUE, "in", VALUE, "where"]),
        ('"a word "\n    f"and another"', ["a", "word", "and", "another"]),
        (r'"a \"word\"\nand another"', ["a", "word", "and", "another"]),
    ],
)
def test_tokens_see_through_placeholders_escapes_and_joints(text: str, found: list[str]) -> None:
    assert tokens(text) == found


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("where is MAX_PAGES read", ("MAX_PAGES",)),
        ("what does --dry-run do", ("--dry-run",)),
        ("server.max-pages is ignored", ("server.max-pages",)),
        ("0x80004005", ("0x80004005",)),
        ("E1042", ("E1042",)),
        ("/api/v1/pages/{id}", ("/api/v1/pages/{id}",)),
        ("https://example.org/pages", ()),
        ("e.g. the pages", ()),
        ("where are pages read", ()),
        ("`MAX_PAGES` and maxPages", ("MAX_PAGES", "maxPages")),
    ],
)
def test_names_are_spelled_as_code_spells_them(text: str, names: tuple[str, ...]) -> None:
    assert pasted(text).names == names


def test_the_words_beside_names_are_counted() -> None:
    assert pasted("where is MAX_PAGES read").others == 1
    assert pasted("count the pages of a store by MAX_PAGES").others == 3


def test_a_message_shows_that_it_was_printed() -> None:
    assert pasted("Error: could not open store").is_printed
    assert pasted("could not open 'store'").values == {"store"}
    assert pasted("could not open node-7 of the store").values == {"node", "7"}
    assert not pasted("could not open store").is_printed


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("where is main.py read", True),
        ("who uses main.py", True),
        ("main.py", False),
        ("read main.py", False),
        ("", False),
    ],
)
def test_a_question_may_ask_for_the_use_of_a_name(text: str, asks: bool) -> None:
    assert pasted(text).asks_for_use == asks
