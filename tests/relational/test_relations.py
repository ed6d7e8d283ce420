"""Tables say what the Python API says, and have the columns that are documented."""

from __future__ import annotations

from pathlib import Path

import pytest

from coderag import Index
from coderag.graph.queries.refs import References, Role
from coderag.relational.context import index_context
from coderag.relational.relations import index_schema, needed_tables, relations
from coderag.sql.check import check_sql
from tests.relational.test_recipes import RECIPES
from tests.workspace import write

SHOP = "repository = 'shop'"


@pytest.mark.parametrize("name", relations())
def test_columns_are_those_that_are_documented(name: str, index: Index) -> None:
    found = index.sql(f"SELECT * FROM {name} LIMIT 0")
    assert list(zip(found.columns, found.types, strict=True)) == [
        (column.name, column.type) for column in relations()[name].columns
    ]


def test_chunks_are_those_of_the_files(index: Index) -> None:
    files = {(row["repository"], row["path"]) for row in index.sql("FROM files").records()}
    chunks = index.sql("FROM chunks", k=10_000).records()
    assert {(row["repository"], row["path"]) for row in chunks} == files
    for path in ("shop/money.py", "docs/runbook.md"):
        expected = [
            (
                str(chunk.kind),
                chunk.name,
                chunk.qualified_name,
                chunk.span.start_line,
                chunk.span.end_line,
                chunk.parent or None,
            )
            for chunk in index.chunks(path)
        ]
        rows = index.sql(
            "SELECT c.kind, c.name, c.qualified_name, c.start_line, c.end_line, p.qualified_name "
            f"FROM chunks c LEFT JOIN chunks p ON p.chunk_id = c.parent_id WHERE c.path = '{path}'"
        ).rows
        assert sorted(map(str, rows)) == sorted(map(str, expected))


def test_callers_and_tests_are_the_references(index: Index) -> None:
    functions = index.sql(f"FROM functions WHERE {SHOP} AND starts_with(path, 'shop/payments/')").records()
    assert len(functions) > 20
    for row in functions:
        references = index.refs(f"{row['path']}:{row['start_line']}", shown=0)
        (own,) = [reference for reference in references if reference.target.name == row["qualified_name"]]
        assert (_total(own, Role.CALLERS), _total(own, Role.TESTS)) == (row["callers"], row["tests"]), row


@pytest.mark.slow
def test_access_of_tables_is_the_references(index: Index) -> None:
    tables = index.sql(f"SELECT name, table_id, path FROM tables WHERE {SHOP} AND kind = 'table'").records()
    assert len(tables) == 16
    for row in tables:
        counted = index.sql(
            "SELECT access, count(DISTINCT source_id) FROM table_access "
            f"WHERE table_id = {row['table_id']} AND NOT is_test AND source_kind IN ('function', 'method', 'constant') "
            "GROUP BY access"
        ).rows
        (own,) = [
            reference
            for reference in index.refs(row["name"], shown=0, kinds=["table"])
            if reference.repository == "shop"
        ]
        roles = {"reads": Role.READERS, "writes": Role.WRITERS, "deletes": Role.DELETERS}
        of_code = {access: count for access, count in counted if access in roles}
        assert of_code == {name: _total(own, role) for name, role in roles.items() if _total(own, role)}, row


def test_whole_rows_are_marked_and_may_read_what_nothing_names(tmp_path: Path) -> None:
    files = {
        "schema.sql": "CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT);\n",
        "notes.py": """def add(db, text):
    db.execute("INSERT INTO notes (text) VALUES (?)", [text])


def everything(db):
    return db.execute("SELECT * FROM notes").fetchall()
""",
    }
    index = Index.build(write(tmp_path, files), workers=0)
    rows = index.sql("SELECT source, access, column_name, whole_rows FROM table_access ORDER BY ALL").rows
    assert list(rows) == [
        ("add", "writes", "text", False),
        ("add", "writes", None, False),
        ("everything", "reads", None, True),
    ]
    assert list(index.sql("SELECT name, row_readers FROM unread_columns").rows) == [("text", 1)]


def test_tables_and_columns_are_those_of_the_schema(index: Index) -> None:
    rows = index.sql(
        "SELECT t.name, c.name, c.type FROM columns c JOIN tables t USING (table_id) ORDER BY column_id"
    ).rows
    expected = [(table.name.name, column.name, column.type) for table in index.tables() for column in table.columns]
    assert sorted(rows) == sorted(expected)
    wrong = index.sql(
        "SELECT 1 FROM columns c JOIN symbols s ON s.symbol_id = c.column_id "
        "WHERE s.kind <> 'column' OR s.name <> c.name"
    )
    assert not wrong.rows
    assert not index.sql("FROM columns WHERE column_id IS NULL").rows


def test_commits_are_those_of_git(index: Index) -> None:
    rows = index.sql("SELECT subject, author, time >= TIMESTAMP '2020-01-01' FROM commits ORDER BY subject").rows
    assert rows == (("Add the shop", "Ada", True), ("Count money in cents", "Ada", True))
    changed = "SELECT changed_files, changed_lines FROM commits WHERE subject = 'Count money in cents'"
    ((files, lines),) = index.sql(changed).rows
    lines_left = "SELECT sum(end_line - start_line + 1) FROM changes JOIN commits USING (commit_id) "
    assert files == 1
    # Each line that went has one in its place.
    assert lines == 2 * index.sql(f"{lines_left} WHERE subject = 'Count money in cents'").rows[0][0]


def test_numbers_of_two_roots_do_not_meet(index: Index) -> None:
    for table, number in (("files", "file_id"), ("chunks", "chunk_id"), ("symbols", "symbol_id")):
        counts = index.sql(f"SELECT count(*), count(DISTINCT {number}), count(DISTINCT repository) FROM {table}").rows[
            0
        ]
        assert counts[0] == counts[1]
        assert counts[2] == 2
    assert not index.sql(
        "SELECT 1 FROM edges e JOIN symbols s ON s.symbol_id = e.source_id WHERE s.repository <> e.repository"
    ).rows


def test_only_named_tables_are_needed() -> None:
    assert needed_tables("SELECT 1 FROM Files") == ["files"]
    assert needed_tables("FROM untested_functions") == ["files", "symbols", "edges", "functions", "untested_functions"]
    assert needed_tables("SELECT 1") == []


def test_a_model_gets_the_tables_of_the_index() -> None:
    context = index_context("which functions longer than 80 lines write to orders and have no test?", budget=8000)
    shown = {table.table.name.name for table in context.tables}
    assert {"untested_functions", "table_access", "functions"} <= shown
    assert "REFERENCES symbols (symbol_id)" in context.as_ddl()
    small = index_context("which functions have no test?", budget=900)
    assert "functions" in {table.table.name.name for table in small.tables}


@pytest.mark.parametrize("title", RECIPES)
def test_recipes_fit_the_schema_that_a_model_gets(title: str) -> None:
    findings = check_sql(RECIPES[title], index_schema().tables, dialect="duckdb")
    assert [finding.message for finding in findings if finding.severity == "error"] == []


def _total(references: References, role: Role) -> int:
    return sum(group.total for group in references.groups if group.role is role)
