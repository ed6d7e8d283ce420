"""Documents and notebooks to queries and definitions, with their lines."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coderag.catalog.knowledge.documents import read_document
from coderag.chunking.sections import notebook_rows
from coderag.sql.records import AddDefinition, AddQuery, Definition, ExampleQuery, Facts


def read(text: str, path: str = "docs/guide.md") -> Facts:
    reader = {"rst": "restructuredtext", "ipynb": "notebook"}.get(path.rsplit(".", 1)[-1], "markdown")
    return read_document(text.encode(), path=path, reader=reader)


def queries(facts: Facts) -> list[ExampleQuery]:
    return [operation.query for operation in facts.operations if isinstance(operation, AddQuery)]


def definitions(facts: Facts) -> list[Definition]:
    return [operation.definition for operation in facts.operations if isinstance(operation, AddDefinition)]


def listed(facts: Facts) -> list[tuple[int, int, str, str]]:
    """Return the lines, questions and first rows of the queries."""
    return [
        (query.source.start_line, query.source.end_line, query.question, query.text.split("\n")[0])
        for query in queries(facts)
    ]


REPORTS = """# Reports

## Top customers

Customers who spent most. Run this query:

```sql
SET search_path = shop;
SELECT c.name FROM customers c JOIN orders o ON o.customer_id = c.id;

-- Query 2: How many orders are there?
SELECT count(*)
FROM orders;
```

- Find the late orders:

  ~~~postgresql
  SELECT * FROM orders WHERE due < now()
  ~~~

## Refunds

```
SELECT * FROM refunds
```

```python
SELECT = "not SQL"
```

```{sql connection=shop}
SELECT * FROM returns
```

```sql
SELECT column_a FROM table_name
```
"""


def test_queries_in_fences_answer_the_sentence_above_them() -> None:
    facts = read(REPORTS)
    assert listed(facts) == [
        (9, 9, "Customers who spent most.", "SELECT c.name FROM customers c JOIN orders o ON o.customer_id = c.id"),
        (12, 13, "How many orders are there?", "SELECT count(*)"),
        (19, 19, "Find the late orders", "SELECT * FROM orders WHERE due < now()"),
        (25, 25, "Refunds", "SELECT * FROM refunds"),
        (33, 33, "Refunds", "SELECT * FROM returns"),
    ]
    first = queries(facts)[0]
    assert [str(name) for name in first.usage.reads] == ["customers", "orders"]
    assert queries(facts)[2].dialect == "postgres"


def test_queries_in_restructuredtext() -> None:
    text = """Guide
=====

Everybody who is active:

.. code-block:: sql
   :caption: users

   SELECT *
   FROM users

.. note::

   Only the paid ones.

   .. code:: mysql

      SELECT `a` FROM orders

::

    SELECT nothing FROM here
"""
    assert listed(read(text, "guide.rst")) == [
        (9, 10, "Everybody who is active", "SELECT *"),
        (18, 18, "Only the paid ones.", "SELECT `a` FROM orders"),
    ]


NOTEBOOK = json.dumps(
    {
        "cells": [
            {"cell_type": "markdown", "metadata": {}, "source": ["# Users\n", "\n", "How many users are active?"]},
            {
                "cell_type": "code",
                "metadata": {},
                "outputs": [],
                "source": ["%%sql\n", "SELECT count(*)\n", "FROM users"],
            },
            {
                "cell_type": "code",
                "metadata": {},
                "outputs": [],
                "source": [
                    "# revenue by day\n",
                    'df = pd.read_sql("""\n',
                    "  SELECT day, sum(total) FROM orders\n",
                    '  GROUP BY 1""", connection)\n',
                    "cursor.execute(\"SELECT name FROM users WHERE city = 'Rome'\")\n",
                    "%sql SELECT * FROM cities\n",
                    'print("SELECT is a word FROM SQL")\n',
                ],
            },
        ],
        "nbformat": 4,
    },
    indent=1,
)


@pytest.mark.parametrize("text", [NOTEBOOK, notebook_rows(NOTEBOOK.encode())[0].decode()], ids=["json", "rows"])
def test_queries_in_notebooks_have_the_lines_of_the_file(text: str) -> None:
    facts = read(text, "report.ipynb")
    assert [(one.question, one.text.split("\n")[0]) for one in queries(facts)] == [
        ("How many users are active?", "SELECT count(*)"),
        ("revenue by day", "SELECT day, sum(total) FROM orders"),
        ("Users", "SELECT name FROM users WHERE city = 'Rome'"),
        ("Users", "SELECT * FROM cities"),
    ]
    rows = NOTEBOOK.split("\n")
    for query in queries(facts):
        assert query.text.split("\n")[0].strip()[:20] in rows[query.source.start_line - 1]


GLOSSARY = """# Handbook

- Not here: this is no term

## Business Glossary

- **Active customer**: one with an order in 90 days, `last_order > now() - interval '90 days'`.
- Churn - customers who left
- `lifetime_value`: all that a customer ever paid
- **Monthly Recurring Revenue (MRR)** - what all plans
  bring in a month. Also known as: run rate.

| Term | Definition | SQL |
|------|------------|-----|
| ARPU | revenue \\| user | `sum(total) / count(*)` |

Lead
: somebody who asked

**Prospect**
- Definition: has an account
- Example: a trial

### Net revenue

Revenue less refunds.

- Formula: `sum(total) - sum(refund)`
- Owner: finance

### Notes

Nothing to define.

## Install

- Step: run it
"""


def test_a_glossary_section_defines_terms() -> None:
    found = definitions(read(GLOSSARY))
    assert [(one.term, one.text, one.source.start_line, one.source.end_line) for one in found] == [
        ("Active customer", "one with an order in 90 days, last_order > now() - interval '90 days'.", 7, 7),
        ("Churn", "customers who left", 8, 8),
        ("lifetime_value", "all that a customer ever paid", 9, 9),
        ("Monthly Recurring Revenue", "what all plans bring in a month. Also known as: run rate.", 10, 11),
        ("ARPU", "revenue | user", 15, 15),
        ("Lead", "somebody who asked", 17, 18),
        ("Prospect", "has an account", 20, 22),
        ("Net revenue", "Revenue less refunds.", 24, 29),
    ]
    by_term = {one.term: one for one in found}
    assert by_term["Active customer"].expression == "last_order > now() - interval '90 days'"
    assert by_term["Monthly Recurring Revenue"].synonyms == ("MRR", "run rate")
    assert by_term["ARPU"].expression == "sum(total) / count(*)"
    assert by_term["Net revenue"].expression == "sum(total) - sum(refund)"


def test_a_file_called_glossary_defines_terms_everywhere() -> None:
    text = "# MRR\n\nMonthly money.\n\n# Status\n\n| Status | Description |\n|---|---|\n| Trial | not paid yet |\n"
    found = definitions(read(text, "docs/glossary.md"))
    assert [(one.term, one.text) for one in found] == [("MRR", "Monthly money."), ("Trial", "not paid yet")]
    assert definitions(read(text, "docs/readme.md")) == []


def test_glossaries_in_restructuredtext() -> None:
    text = """Manual
======

.. glossary::
   :sorted:

   churn
      Customers who left.

   MRR
   run rate
      Monthly money.

Terminology
-----------

lead
  Somebody who asked.
"""
    found = definitions(read(text, "manual.rst"))
    assert [(one.term, one.text, one.synonyms, one.source.start_line) for one in found] == [
        ("churn", "Customers who left.", (), 7),
        ("MRR", "Monthly money.", ("run rate",), 10),
        ("lead", "Somebody who asked.", (), 17),
    ]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("LICENSE.md", "# Definitions\n\n- **License**: this text\n"),
        ("README.md", "# Options\n\n- **--port**: the port\n\n| Option | Description |\n|---|---|\n| a | b |\n"),
        ("README.md", "# Glossary\n\nSee [the other file](x.md).\n"),
        ("glossary.md", "# Glossary\n\n## Installation\n\nRun it.\n"),
    ],
)
def test_other_lists_define_nothing(path: str, text: str) -> None:
    assert read(text, path).operations == ()


def test_a_document_without_any_is_not_taken_apart() -> None:
    assert read("# Title\n\nText about SQL.\n\n```python\nx = 1\n```\n") == Facts()


@pytest.mark.parametrize("text", ["```sql\nSELECT * FROM t", "```sql", "# Glossary\n|a|\n|-|", "{", '{"cells": [{}]}'])
@pytest.mark.parametrize("path", ["a.md", "a.rst", "a.ipynb"])
def test_damaged_documents_are_no_error(path: str, text: str) -> None:
    read(text, path)


PIECES = st.sampled_from(
    [
        "```sql\n",
        "```\n",
        "SELECT a FROM t\n",
        "# Glossary\n",
        "**a**: b\n",
        "- c: d\n",
        "| a | b |\n",
        "|---|---|\n",
        "\n",
        ": e\n",
        ".. glossary::\n",
        "   f\n",
        "      g\n",
        ".. code-block:: sql\n",
        "====\n",
        "%%sql\n",
    ]
)


@settings(max_examples=80, deadline=None)
@given(st.lists(PIECES, max_size=25).map("".join), st.sampled_from(["a.md", "glossary.rst", "a.ipynb", "kpi.md"]))
def test_lines_lie_within_the_document(text: str, path: str) -> None:
    last = text.count("\n") + 1
    facts = read(text, path)
    sources = [*(query.source for query in queries(facts)), *(definition.source for definition in definitions(facts))]
    for source in sources:
        assert 1 <= source.start_line <= source.end_line <= last
