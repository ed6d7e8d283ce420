"""Nothing is obeyed and nothing is hidden, whatever the Unicode category; scripts and emoji stay readable in lines."""

from __future__ import annotations

import sys
import unicodedata

import pytest

from coderag.text.visible import visible, visible_prose

UNSEEN = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}  # categories of Unicode


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("src/cart.py", "src/cart.py"),
        ("größe 東京 क्षि", "größe 東京 क्षि"),
        ("a\tb\n", "a    b\\n"),
        ("\x1b[31m\x9b", "\\x1b[31m\\x9b"),
        ("na\u200bme \u00ad\u2060\ufeff", "na\\u200bme \\xad\\u2060\\ufeff"),
        ("\u202egnp.exe", "\\u202egnp.exe"),
        ("\u3164\u115f\u2800", "\\u3164\\u115f\\u2800"),
        ("a\ufe0f\U000e0100\U000e0041", "a\\ufe0f\\U000e0100\\U000e0041"),
        ("\udcff\ud800", "\\xff\\ud800"),
        ("no\u00a0break\u3000wide", "no\u00a0break\u3000wide"),
    ],
)
def test_what_is_shown_of_a_name(text: str, shown: str) -> None:
    assert visible(text) == shown


@pytest.mark.slow
def test_every_character_without_a_shape_is_escaped() -> None:
    hidden = [chr(code) for code in range(sys.maxunicode + 1) if unicodedata.category(chr(code)) in UNSEEN]
    assert len(hidden) > 900_000
    assert [one for one in hidden if one != "\t" and not visible(one).startswith("\\")] == []
    assert visible("".join(hidden)).isascii()


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("👨\u200d👩\u200d👧 ❤\ufe0f\u200d🔥", "👨\u200d👩\u200d👧 ❤\ufe0f\u200d🔥"),
        ("क्\u200dष क्\u200cष", "क्\u200dष क्\u200cष"),
        ("pass\u200dword \u200c", "pass\\u200dword \\u200c"),
        ("\u200b\u200d \u2060\ufe0f ❤\ufe0f\ufe0f", "\\u200b\\u200d \\u2060\\ufe0f ❤\ufe0f\\ufe0f"),
    ],
)
def test_joiners_stay_where_they_join(text: str, shown: str) -> None:
    assert visible_prose(text) == shown
