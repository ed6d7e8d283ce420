"""What a model reads of a passage and of a question."""

from __future__ import annotations

import pytest

from coderag.encoders.encoder import Passage
from coderag.encoders.inference.passages import passage_text, query_text


@pytest.mark.parametrize(
    ("passage", "text"),
    [
        (
            Passage("retry", "Payments", "src/pay.py", "def retry():\n    pass\n"),
            "# src/pay.py Payments.retry\ndef retry():\n    pass",
        ),
        (Passage("retry", "Payments.", "pay.py", "x"), "# pay.py Payments.retry\nx"),
        (Passage("push", "std::vector::", "v.h", "x"), "# v.h std::vector::push\nx"),
        (Passage("", "", "notes.md", "Hello\x00 there"), "# notes.md\nHello  there"),
        (Passage("orders", "shop", "", "id, total"), "# shop.orders\nid, total"),
        (Passage("orders", "", "", ""), "# orders"),
        (Passage("", "", "", "text"), "text"),
        (Passage("", "scope", "path.py", " \n\t"), ""),
        (Passage("a\ud800b", "", "", "c"), "# a b\nc"),
    ],
)
def test_a_passage_says_where_it_is(passage: Passage, text: str) -> None:
    assert passage_text(passage) == text


def test_a_question_is_taken_as_it_is_but_for_what_is_no_text() -> None:
    assert query_text("  where\tis \x1b[31mmoney\x00?\n") == "where\tis  [31mmoney ?"
