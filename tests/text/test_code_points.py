"""Numbers in the escapes of literals: pairs become one character, and no text holds half of one."""

from __future__ import annotations

import pytest

from coderag.syntax.trees.string_literals import unescaped
from coderag.text.code_points import character


@pytest.mark.parametrize(
    ("written", "text"),
    [
        (r"\u0041", "A"),
        (r"\ud83d\ude00 users", "\U0001f600 users"),
        (r"\ud83d", "\ufffd"),
        (r"\ude00\ud83d", "\ufffd\ufffd"),
        (r"\U00110000", "\ufffd"),
    ],
)
def test_escapes(written: str, text: str) -> None:
    assert unescaped(written) == text
    assert unescaped(written).encode()


def test_numbers_that_are_no_character() -> None:
    assert character(0x10FFFF) == "\U0010ffff"
    assert character(0xFFFFFF) == "\ufffd"
