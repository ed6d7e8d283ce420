"""Words to rows: whole where they are known, in pieces where they are not."""

from __future__ import annotations

import numpy as np
import pytest

from coderag.encoders.pieces import Pieces
from coderag.text.tokens import raw_words

LINES = sorted(
    ["##ing", "##s", "##y", "a", "e", "header", "http", "i", "parse", "pars", "r", "retr", "x", "2", "é", "naïve"]
)


def pieces() -> Pieces:
    """Return pieces of a small list."""
    encoded = [line.encode() for line in LINES]
    return Pieces(b"\n".join(encoded), (np.cumsum([len(one) + 1 for one in encoded]) - 1).tolist())


def told(text: str, *, of: Pieces | None = None) -> list[str]:
    """Return the pieces of a text by name."""
    return [LINES[row] for row in (of or pieces()).rows(raw_words(text.encode()))]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("parse the header", ["parse", "header"]),  # of "the", no letter is a piece
        ("parseHTTPHeader", ["parse", "http", "header"]),
        ("HEADER_2", ["header", "2"]),
        ("retry headers", ["retr", "##y", "header", "##s"]),
        ("parsing", ["pars", "##ing"]),  # the longest piece from the left
        ("naïve É", ["naïve", "é"]),
        ("retr" + "y" * 70, []),  # data, not a word
        ("", []),
        ("!?# \t", []),
    ],
)
def test_words_are_rows_or_the_longest_pieces_from_the_left(text: str, expected: list[str]) -> None:
    assert told(text) == expected


def test_many_words_have_the_rows_that_a_few_have() -> None:
    few, many = pieces(), pieces()
    many.remember_all()
    for text in ("parseHTTPHeader", "retry headers", "naïve unknown parsing", "ÑandÚ"):
        assert told(text, of=few) == told(text, of=many)
    others = pieces()
    crowd = " ".join(f"header{number}" for number in range(600))
    assert told(crowd, of=others).count("header") == 600
    assert told("retry", of=others) == ["retr", "##y"]


def test_a_list_knows_its_length_and_its_ends() -> None:
    found = pieces()
    assert len(found) == len(LINES)
    assert [found.rows_of(LINES[row].encode()) for row in (0, len(LINES) - 1)] != []
    assert told(" ".join(line for line in LINES if line.isalnum())) == [line for line in LINES if line.isalnum()]
