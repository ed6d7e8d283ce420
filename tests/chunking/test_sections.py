"""Documents by section, notebooks by cell."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coderag.chunking.sections import notebook_rows
from coderag.index.workers.readers import ReadFile, read_chunks
from coderag.syntax.language import languages
from coderag.types import Kind
from tests.chunking.test_chunk import check


def read(text: str, language: str = "markdown") -> ReadFile:
    found = read_chunks(text.encode(), languages()[language], path="doc")
    check(found)
    return found


def sections(text: str, language: str = "markdown") -> list[tuple[str, int, int]]:
    return [(draft.qualified_name, draft.first_row + 1, draft.last_row + 1) for draft in read(text, language).drafts]


GUIDE = """Before the first heading.

# Guide

What this is.

## Install

```bash
# not a heading
pip install shop
```

### On Windows ###

Use WSL.

## Use *it* with `care`

See [the docs](https://example.org).
"""


def test_markdown_sections_carry_the_headings_above_them() -> None:
    assert sections(GUIDE) == [
        ("doc", 1, 1),
        ("Guide", 3, 5),
        ("Guide > Install", 7, 12),
        ("Guide > Install > On Windows", 14, 16),
        ("Guide > Use it with care", 18, 20),
    ]


def test_a_heading_without_a_body_goes_to_the_section_below() -> None:
    assert sections("# Title\n\n## First\n\nText.\n\n## Empty\n") == [
        ("Title > First", 1, 5),
        ("Title > Empty", 7, 7),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "~~~\n# no\n```\n# no\n~~~\n",
        "````\n```\n# no\n````\n",
        "```python\n# no\n",
        "    # code that is indented is no heading either\n",
        "#no space\n",
        "|a|b|\n|-|-|\n",
        "A paragraph\nof two lines\n---\nand a rule.\n",
    ],
)
def test_what_is_no_heading(text: str) -> None:
    (name, _, _), *others = sections(text)
    assert (name, others) == ("doc", [])


def test_underlined_headings() -> None:
    assert sections("Title\n=====\n\nText.\n\nPart\n----\n\nMore.\n") == [("Title", 1, 4), ("Title > Part", 6, 9)]


def test_front_matter_is_no_heading() -> None:
    text = "---\ntitle: The guide\ndate: today\n---\n\n# Guide\n\nText.\n"
    assert sections(text) == [("doc", 1, 4), ("Guide", 6, 8)]


def test_long_sections_are_split_at_blank_lines() -> None:
    found = read("# Long\n\n" + "\n".join(["Some words, again and again and again.\n" * 10] * 80))
    assert len(found.drafts) > 2
    assert {draft.qualified_name for draft in found.drafts} == {"Long"}
    assert all(not found.lines.is_blank(draft.first_row) for draft in found.drafts)


def test_restructuredtext_sections() -> None:
    text = """=====
Guide
=====

What this is.

Install
-------

Run it.

On Windows
~~~~~~~~~~

Use WSL.

Use
---

Now.
"""
    assert sections(text, "restructuredtext") == [
        ("Guide", 1, 5),
        ("Guide > Install", 7, 10),
        ("Guide > Install > On Windows", 12, 15),
        ("Guide > Use", 17, 20),
    ]


def test_restructuredtext_tables_and_rules_are_no_headings() -> None:
    text = "Title\n=====\n\n=====  =====\nA      B\n=====  =====\n1      2\n=====  =====\n\nText\n\n-----\n\nMore.\n"
    assert sections(text, "restructuredtext") == [("Title", 1, 14)]


def test_plain_text_is_read_as_lines() -> None:
    assert sections("Some notes.\n\n# no heading here\n", "text") == [("doc", 1, 3)]


@given(
    st.lists(
        st.sampled_from(["# A", "## B", "Title", "=====", "-----", "```", "", "text", "- item", "~~~~", "..", "***"])
    )
)
def test_sections_of_any_document_hold_every_line_once(rows: list[str]) -> None:
    for language in ("markdown", "restructuredtext", "text"):
        read("\n".join(rows) + "\n", language)


def notebook(*cells: tuple[str, list[str] | str]) -> str:
    table: list[dict[str, object]] = [
        {"cell_type": kind, "metadata": {}, "outputs": [], "source": source} for kind, source in cells
    ]
    return json.dumps({"cells": table, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}, indent=1) + "\n"


ANALYSIS = notebook(
    ("markdown", ["# Revenue\n", "\n", "Per month."]),
    ("code", ["def revenue(orders):\n", "    return sum(orders)"]),
    ("code", []),
    ("code", ["revenue([1, 2])"]),
    ("markdown", ["## By country"]),
    ("code", ['print("a \\"quote\\"")\n', "\n", 'print("é")']),
)


def test_cells_are_chunks_on_the_rows_of_the_file() -> None:
    found = read(ANALYSIS, "notebook")
    rows = ANALYSIS.split("\n")
    assert [(draft.kind, draft.name) for draft in found.drafts] == [
        (Kind.CELL, "Revenue"),
        (Kind.CELL, "Revenue"),
        (Kind.CELL, "Revenue"),
        (Kind.CELL, "By country"),
        (Kind.CELL, "By country"),
    ]
    texts = [found.lines.text(draft.parts).decode() for draft in found.drafts]
    assert texts[1] == "def revenue(orders):\n    return sum(orders)\n"
    for one, text in zip(found.drafts, texts, strict=True):
        for row, line in zip(range(one.first_row, one.last_row + 1), text.split("\n"), strict=False):
            assert json.loads(rows[row].strip().rstrip(",")).rstrip("\n") == line


def test_a_line_that_stands_in_an_output_too_is_found_in_its_cell() -> None:
    text = notebook(("code", ["x = 1\n", "x"]))
    text = text.replace('"outputs": []', '"outputs": [\n    "x = 1\\n"\n   ]')
    source, cells = notebook_rows(text.encode())
    ((_, first, last),) = cells
    assert source.split(b"\n")[first : last + 1] == [b"x = 1", b"x"]
    assert '"source"' in text.split("\n")[first - 1]


@pytest.mark.parametrize(
    "text",
    [
        "not json",
        '{"cells": 3}',
        '{"nothing": []}',
        '{"cells": [{"source": null}]}',
        '{"cells": ["x"]}',
        "[" * 100_000,
        json.dumps({"cells": [{"cell_type": "code", "source": ["a = 1\n", "b = 2"]}]}),
        json.dumps({"worksheets": [{"cells": []}]}),
    ],
)
def test_what_is_no_notebook_is_read_as_lines(text: str) -> None:
    found = read(text + "\n", "notebook")
    assert found.problem.startswith("not a readable notebook: ")
    assert {draft.kind for draft in found.drafts} == {Kind.BLOCK}
