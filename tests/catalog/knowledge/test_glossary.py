"""YAML glossaries to definitions."""

from __future__ import annotations

import pytest

from coderag.catalog.knowledge.glossary import read_glossary
from coderag.sql.records import AddDefinition, Definition, Facts


def read(text: str) -> Facts:
    return read_glossary(text.encode(), path="docs/glossary.yml")


def definitions(text: str) -> list[Definition]:
    facts = read(text)
    assert facts.unparsed == ()
    return [operation.definition for operation in facts.operations if isinstance(operation, AddDefinition)]


def listed(text: str) -> list[tuple[str, str, int, int]]:
    return [
        (definition.term, definition.text, definition.source.start_line, definition.source.end_line)
        for definition in definitions(text)
    ]


def test_terms_and_their_texts() -> None:
    text = """# what we mean
active customer: ordered within 90 days
churn: |
  customers
  who left
lead: >-
  somebody
  who asked
"""
    assert listed(text) == [
        ("active customer", "ordered within 90 days", 2, 2),
        ("churn", "customers who left", 3, 5),
        ("lead", "somebody who asked", 6, 8),
    ]


def test_terms_with_fields() -> None:
    text = """
version: 2
terms:
  churn_rate:
    definition: customers lost over all
    synonyms: [attrition, loss]
    sql: sum(lost) / count(*)
    tables: sales.customers
    columns: [customers.lost, region]
"""
    (one,) = definitions(text)
    assert (one.term, one.text, one.expression) == ("churn rate", "customers lost over all", "sum(lost) / count(*)")
    assert one.synonyms == ("attrition", "loss", "churn_rate")
    assert [str(name) for name in one.tables] == ["sales.customers"]
    assert [(use.column, [str(name) for name in use.tables]) for use in one.columns] == [
        ("lost", ["sales.customers"]),
        ("region", ["sales.customers"]),
    ]
    assert (one.source.start_line, one.source.end_line) == (4, 9)


@pytest.mark.parametrize(
    "text",
    [
        "- term: MRR\n  meaning: monthly money\n",
        "glossary:\n  - name: MRR\n    description: monthly money\n",
        "metrics:\n  finance:\n    MRR: monthly money\n",
        "definitions:\n  - MRR: monthly money\n",
        "definitions:\n  - 'MRR: monthly money'\n",
        "---\nterms: []\n---\nMRR: {text: monthly money}\n",
        "title: Our words\nMRR:\n  description: monthly money\n",
    ],
)
def test_every_common_shape(text: str) -> None:
    assert [(definition.term, definition.text) for definition in definitions(text)] == [("MRR", "monthly money")]


def test_a_metric_with_a_formula_only() -> None:
    (one,) = definitions("metrics:\n  - name: gmv\n    label: Gross value\n    expression: sum(total)\n")
    assert (one.text, one.expression, one.synonyms) == ("Gross value", "sum(total)", ("Gross value",))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("a: b: c", "not YAML"),
        ("a: [", "not YAML"),
        ("[" * 500, "nested more than"),
        ("[" * 100_000, "nest"),  # by our limit or by that of the YAML library
        ("\t- a", "not YAML"),
    ],
)
def test_what_is_no_glossary_is_lost_with_a_reason(text: str, reason: str) -> None:
    facts = read(text)
    assert facts.operations == ()
    assert [reason in one.reason for one in facts.unparsed] == [True]


def test_aliases_are_not_followed() -> None:
    bomb = "a: &a [x, x]\n" + "".join(f"b{n}: &b{n} [*{'a' if n == 0 else f'b{n - 1}'}, *a]\n" for n in range(30))
    assert listed(bomb + "churn: customers who left\n") == [("churn", "customers who left", 32, 32)]


def test_an_empty_document_has_no_terms() -> None:
    assert definitions("") == []
    assert definitions("# only a comment\n") == []
