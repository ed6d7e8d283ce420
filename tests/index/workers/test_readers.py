"""Texts that fuzzing found: what is read of them has the lines of the file, and can be put together."""

from __future__ import annotations

import pytest

from coderag.catalog.fold import fold
from coderag.index.catalog.arrays import catalog_arrays
from coderag.index.workers.readers import ReadFile, read_chunks
from coderag.sql.records import AddDefinition, Describe, SchemaFile
from coderag.sql.settings import Settings
from coderag.syntax.language import languages


def read(text: str, *, language: str, path: str) -> ReadFile:
    found = read_chunks(text.encode(), languages()[language], path=path)
    catalog_arrays(fold([SchemaFile(path, found.facts)], Settings()))
    return found


@pytest.mark.parametrize("sign", ["\u2028", "\u2029", "\x85"])
def test_signs_that_end_lines_of_yaml_alone_end_none(sign: str) -> None:
    found = read(f"revenue: what{sign}comes in\ncosts: what goes out\n", language="glossary", path="glossary.yml")
    definitions = [operation.definition for operation in found.facts.operations if isinstance(operation, AddDefinition)]
    assert [
        (definition.term, definition.source.start_line, definition.source.end_line) for definition in definitions
    ] == [
        ("revenue", 1, 1),
        ("costs", 2, 2),
    ]
    found = read(f"version: 2{sign}\nmodels:\n  - name: orders\n", language="dbt", path="models/schema.yml")
    (described,) = [operation.table for operation in found.facts.operations if isinstance(operation, Describe)]
    assert [(source.start_line, source.end_line) for source in described.sources] == [(3, 3)]


@pytest.mark.parametrize(("text", "line"), [("terms:\n  - revenue: [\n", 2), ("a: b\n)\n\n", 2), ("[", 1)])
def test_what_lacks_at_the_end_is_lost_on_a_line_of_the_file(text: str, line: int) -> None:
    found = read(text, language="glossary", path="glossary.yml")
    assert [one.line for one in found.facts.unparsed] == [line]


def test_a_table_of_a_source_without_a_name_is_none() -> None:
    text = "sources:\n  - name: shop\n    tables:\n      - columns: [{name: id}]\n      - name: orders\n"
    found = read(text, language="dbt", path="models/schema.yml")
    assert [type(operation).__name__ for operation in found.facts.operations] == ["CreateTable"]


@pytest.mark.parametrize("end", ["", "\n"])
def test_data_that_is_passed_over_leaves_as_many_rows(end: str) -> None:
    text = "CREATE TABLE t (a text);\nCOPY t (a) FROM stdin;\n" + "\n".join(f"row {at}" for at in range(900)) + end
    assert len(read(text, language="sql", path="dump.sql").lines) == len(text.splitlines())


def test_a_notebook_with_several_lines_in_a_row_is_read_as_lines() -> None:
    text = '{"cells": [{"source": [\n"one\\ntwo",\n"three"\n]}]}\n'
    found = read(text, language="notebook", path="a.ipynb")
    assert found.problem == "not a readable notebook: a row of this notebook holds several lines of a cell"
    assert len(found.lines) == 4


def test_a_merge_without_a_condition_is_read() -> None:
    found = read("MERGE INTO a USING b WHEN NOT MATCHED THEN INSERT *;\n", language="sql", path="a.sql")
    assert [type(operation).__name__ for operation in found.facts.operations] == ["AddQuery"]


def test_loops_within_loops_of_a_template_leave_nothing() -> None:
    inner = "{% for a in b %}{{ a }}, {% endfor %}"
    broken = "{% if %}"  # no template, so that holes are filled by pattern
    text = f"{broken}SELECT 1 AS x {{% for c in d %}}{inner} {inner} {{{{ c }}}}{{% endfor %}}FROM orders"
    found = read(text, language="sql", path="models/x.sql")
    assert found.facts.unparsed == ()


def test_a_listing_that_nothing_closes_ends_with_its_file() -> None:
    found = read("# Glossary\n## e\n```\nit\n", language="markdown", path="docs/schema.md")
    assert [
        operation.definition.source.end_line
        for operation in found.facts.operations
        if isinstance(operation, AddDefinition)
    ] == [4]
