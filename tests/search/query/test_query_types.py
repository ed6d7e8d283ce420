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
        ("false positive for a reference in a block", QueryType.EDIT),
        ("small fixes of the header's parser", QueryType.EDIT),
        ("session: close the file instead of leaking it", QueryType.EDIT),
        ("read headers instead of bodies", QueryType.BEHAVIOR),
        ("how bugs are reported", QueryType.TOPIC),
        ("do we have a rate limit", QueryType.TOPIC),
        ("note: empty lines", QueryType.TOPIC),
        ("parse a header", QueryType.BEHAVIOR),
        ("Serialize and Serializer trait definitions", QueryType.TOPIC),
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


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("how often is a failed payment retried", True),
        ("what happens when a token expires", True),
        ("where are expired tokens refused", False),
        ("which function refuses expired tokens", False),
        ("how does a class refuse expired tokens", False),
        ("parse a header", False),
    ],
)
def test_direct_questions_ask_for_a_function(text: str, expected: bool) -> None:
    assert understand(text).is_direct is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("documentation of the header's format", {"docs"}),
        ("documentation generation for headers", set()),
        ("test for the parser of headers", {"test"}),
    ],
)
def test_what_code_makes_is_not_asked_for(text: str, expected: set[str]) -> None:
    assert understand(text).wants == expected
