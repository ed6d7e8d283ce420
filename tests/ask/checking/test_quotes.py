"""Quotes that stand in a text, nearly, or not."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coderag.ask.checking.quotes import Likeness, likeness

TEXT = '''def wait(attempt, retries=50):
    """Return the seconds to wait."""
    if not allowed(attempt):
        raise Refused("too many")
    return round(min(BASE * 2 ** (attempt - 1), MAX))
'''


@pytest.mark.parametrize(
    ("quote", "like"),
    [
        ("if not allowed(attempt):", Likeness.EXACT),
        ("def wait(attempt, retries=50):\n  ...\n  return round(", Likeness.EXACT),
        ("raise  Refused( … )", Likeness.EXACT),
        ("raise Refused('too many')", Likeness.NEAR),
        ("BASE * 2 ** (attempt - 1)", Likeness.EXACT),
        ("BASE * 3 ** (attempt - 1)", Likeness.NONE),
        ("BASE * 2 ** (attempt + 1)", Likeness.NONE),
        ("retries=5", Likeness.NONE),
        ("if allowed(attempt):", Likeness.NONE),
        ("Return the minutes to wait.", Likeness.NONE),
    ],
)
def test_quotes(quote: str, like: Likeness) -> None:
    assert likeness(quote, TEXT) is like


@settings(max_examples=30, deadline=None)
@given(st.data())
def test_every_whole_part_of_a_text_is_a_quote_of_it(data: st.DataObject) -> None:
    lines = TEXT.splitlines()
    first = data.draw(st.integers(0, len(lines) - 1))
    last = data.draw(st.integers(first, len(lines) - 1))
    spaces = data.draw(st.sampled_from(["\n", " ", "\n\n   "]))
    assert likeness(spaces.join(lines[first : last + 1]), TEXT) is Likeness.EXACT
