"""Compound questions to parts."""

from __future__ import annotations

import pytest

from coderag.ask.decomposition import decompose


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        ("how are mails sent and where are they rendered?", ["how are mails sent", "where are they rendered"]),
        ("what is a Cart; who empties it?", ["what is a Cart", "who empties it"]),
        ("what is the difference between Cart and Order?", ["what is Cart", "what is Order"]),
        ("how does void_invoice differ from refund?", ["what is void_invoice", "what is refund"]),
        ("who calls Cart.lines and Cart.empty?", ["who calls Cart.lines", "who calls Cart.empty"]),
        ("where is it? how is it made?", ["where is it", "how is it made"]),
        ("how do orders and payments fit together?", ["how do orders and payments fit together?"]),
        ("where are retries handled?", ["where are retries handled?"]),
        ("how does it work and why", ["how does it work and why"]),
    ],
)
def test_parts(question: str, parts: list[str]) -> None:
    assert list(decompose(question)) == parts
