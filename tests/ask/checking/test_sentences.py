"""Markdown to sentences: what each is, and where."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coderag.ask.checking.sentences import Form, split_sentences

MARKDOWN = """\
# Payments

Retries use `a.b. C` delays, e.g. one minute. They stop
after five attempts. [1] Then nobody pays!

- First item (src/a.py:3-9).
  It goes on.
2. Second item: why?

| name | value |
|---|---|
| `MAX` | 5 [2] |

> Quoted words.

```python
x = 1.  # A. B.
```
"""


def test_markdown_is_split_into_sentences() -> None:
    found = [(sentence.form, sentence.line, sentence.text) for sentence in split_sentences(MARKDOWN)]
    assert found == [
        (Form.HEADING, 1, "# Payments"),
        (Form.PROSE, 3, "Retries use `a.b. C` delays, e.g. one minute."),
        (Form.PROSE, 3, "They stop\nafter five attempts. [1]"),
        (Form.PROSE, 4, "Then nobody pays!"),
        (Form.ITEM, 6, "First item (src/a.py:3-9)."),
        (Form.ITEM, 7, "It goes on."),
        (Form.ITEM, 8, "Second item: why?"),
        (Form.ROW, 10, "| name | value |"),
        (Form.ROW, 12, "| `MAX` | 5 [2] |"),
        (Form.PROSE, 14, "Quoted words."),
        (Form.FENCE, 17, "x = 1.  # A. B."),
    ]


@pytest.mark.parametrize(
    "text", ["", "\n\n", "```", "~~~sql\nSELECT 1", "|", "-", "# ", "> ", "`" * 99, "...", "a\x00b"]
)
def test_odd_texts_are_split(text: str) -> None:
    assert all(sentence.text for sentence in split_sentences(text))


@given(st.text(alphabet="ab.!?`~[]()|#>-* \n1", max_size=300))
def test_passages_are_parts_of_the_text_in_order(text: str) -> None:
    passages = list(split_sentences(text))
    assert [text[passage.start : passage.end] for passage in passages] == [passage.text for passage in passages]
    assert all(one.end <= other.start for one, other in pairwise(passages))
    assert all(passage.line == text.count("\n", 0, passage.start) + 1 for passage in passages)


@given(st.text(alphabet="abc .`\n-|", max_size=300))
def test_no_word_is_lost(text: str) -> None:
    kept = "".join(sentence.text for sentence in split_sentences(text))
    assert kept.count("a") == text.count("a") or "```" in text


def test_a_citation_behind_a_closing_bracket_belongs_to_the_sentence() -> None:
    assert [sentence.text for sentence in split_sentences("Call it as run(order, ...) [4]. It returns [5].")] == [
        "Call it as run(order, ...) [4].",
        "It returns [5].",
    ]
