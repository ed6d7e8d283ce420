"""The type of a query: what its first words say about what is wanted."""

from __future__ import annotations

import pytest

from coderag.search.query.understand import QueryType, understand


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("parser: accept empty lines", QueryType.EDIT),
        ("fix(core): keep the first error", QueryType.EDIT),
        ("do not follow links out of the root", QueryType.EDIT),
        ("don't wait twice", QueryType.EDIT),
        ("reject names without a letter", QueryType.EDIT),
        ("do we have a rate limit", QueryType.TOPIC),
        ("note: empty lines", QueryType.TOPIC),
        ("parse a header", QueryType.BEHAVIOR),
        ("how often is a failed payment retried", QueryType.BEHAVIOR),
        ("can an order be cancelled after it ships", QueryType.BEHAVIOR),
        ("is there a limit on open sessions", QueryType.TOPIC),
        ("could not open the session file", QueryType.TOPIC),
        ("session storage", QueryType.TOPIC),
        ("PaymentRetrier.retry_failed", QueryType.SYMBOL),
    ],
)
def test_query_type(text: str, expected: QueryType) -> None:
    assert understand(text).query_type is expected
