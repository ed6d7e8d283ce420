"""The citations of a sentence, as answers write them."""

from __future__ import annotations

import pytest

from coderag.ask.checking.citations import find_citations, listed_source


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("It waits [1].", [(1, "", 0, 0)]),
        ("It waits [Source 2][3].", [(2, "", 0, 0), (3, "", 0, 0)]),
        ("It waits [1, 4-6].", [(1, "", 0, 0), *((number, "", 0, 0) for number in (4, 5, 6))]),
        ("It waits (src/a.py:12).", [(0, "src/a.py", 12, 12)]),
        ("It waits `src/a.py:12-20`.", [(0, "src/a.py", 12, 20)]),
        ("It waits [a.py](src/a.py#L12-L20).", [(0, "src/a.py", 12, 20)]),
        ("It waits (./src/a.py:L3-L9).", [(0, "src/a.py", 3, 9)]),
        ("It reads `rows[0]` and args[0].", []),
        ("A link [1](https://example.com/a).", []),
        ("At 12:30 on http://localhost:8000 or 127.0.0.1:80", []),
        ("See std::vec:3 or version 1.2:3", []),
    ],
)
def test_citations_are_found(text: str, found: list[tuple[int, str, int, int]]) -> None:
    citations = find_citations(text).citations
    assert [(citation.number, citation.path, citation.start_line, citation.end_line) for citation in citations] == found


def test_the_rest_of_a_sentence_has_its_length() -> None:
    text = "It waits [1] and stops (src/a.py:12-20)."
    assert find_citations(text).text == "It waits     and stops (              )."


@pytest.mark.parametrize("text", ["[1] src/a.py:3-9", "[1]: `src/a.py:3-9`", "[Source 1] src/a.py:3-9 `retry`"])
def test_a_list_of_sources_is_read(text: str) -> None:
    source = listed_source(text)
    assert source is not None
    assert (source.number, source.path, source.start_line, source.end_line) == (1, "src/a.py", 3, 9)


def test_a_sentence_is_no_list_of_sources() -> None:
    assert listed_source("[1] says that src/a.py:3-9 waits") is None


def test_the_host_of_an_address_is_no_citation() -> None:
    assert find_citations("see https://jo:a%20secret@shop.example:1234/pa").citations == ()
    assert [
        citation.path for citation in find_citations("see http://shop.example:80 and shop/cart.py:3").citations
    ] == ["shop/cart.py"]
