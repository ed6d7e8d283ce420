"""Statements and their comments to example queries, and text with its literals covered."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coderag.sql.ddl.example_queries import question_of, read_query
from coderag.sql.lineage.scopes import HOLE
from coderag.sql.records import ExampleQuery, Source
from coderag.sql.statements.dialect import dialects, find_dialect
from coderag.sql.statements.masking import fill_holes, mask_literals


def read(text: str, dialect: str = "postgres") -> ExampleQuery | None:
    return read_query(text, dialect=find_dialect(dialect))


def tables(text: str, dialect: str = "postgres") -> list[str] | None:
    query = read(text, dialect)
    return None if query is None else [str(name) for name in (*query.usage.reads, *query.usage.writes)]


def test_a_query_keeps_its_text_question_and_place() -> None:
    source = Source(start_line=3, end_line=4)
    query = read_query(
        "SELECT name\nFROM users;", dialect=find_dialect("mysql"), question="Who is there?", source=source
    )
    assert query is not None
    assert (query.text, query.question, query.dialect) == ("SELECT name\nFROM users", "Who is there?", "mysql")
    assert query.source == source
    assert [str(name) for name in query.usage.reads] == ["users"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        ";",
        "SELECT 1",
        "SELECT now()",
        "CREATE TABLE t (a int)",
        "SET x = 1",
        "BEGIN",
        "CALL refresh(1)",
        "GRANT ALL ON t TO u",
        "ls -l",
    ],
)
def test_what_reads_no_table_is_no_example(text: str) -> None:
    assert read(text) is None


@pytest.mark.parametrize(
    ("dialect", "text", "expected"),
    [
        ("postgres", "-- why\n/* and how */ SELECT a FROM t", ["t"]),
        ("postgres", "EXPLAIN (ANALYZE, BUFFERS) SELECT a FROM t", ["t"]),
        ("mysql", "EXPLAIN FORMAT=JSON SELECT a FROM t", ["t"]),
        ("tsql", "SELECT a FROM t WHERE b > = 3", ["t"]),
        ("ansi", "SELECT `a` FROM `t`", ["t"]),
        ("postgres", "SELECT a FROM t WHERE ((((", ["t"]),
    ],
)
def test_what_does(dialect: str, text: str, expected: list[str]) -> None:
    assert tables(text, dialect) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("SELECT a FROM {{ ref('users') }} WHERE {{ condition }}", ["users"]),
        ("SELECT a FROM {{ source('shop', 'users') }} {% if x %} WHERE b = 1 {% endif %}", ["shop.users"]),
        ("{{ config(materialized='table', partition_by={'field': 'a'}) }} SELECT a FROM t", ["t"]),
        ("SELECT a FROM ${schema}.users WHERE id = ${id}", ["users"]),
        ("SELECT a FROM events_${day}", ["events_*"]),
        ("SELECT a FROM t WHERE x = %s AND y IN %s LIMIT %(limit)s", ["t"]),
        ("SELECT a FROM t WHERE x = :x AND y = @y AND z = ? AND w = $1", ["t"]),
        ("SELECT a FROM t WHERE 1 = 1 [[ AND x = {{x}} ]]", ["t"]),
        ("SELECT a FROM t WHERE x = <x> AND name LIKE '%%b%%'", ["t"]),
        ("SELECT a FROM t WHERE x = {x!r} AND y = <%= y %>", ["t"]),
        ("SELECT a FROM &owner..t WHERE x = &&x", ["t"]),
    ],
)
def test_the_holes_of_templates_are_filled(text: str, expected: list[str]) -> None:
    query = read(text, "ansi")
    assert query is not None
    assert query.text == text
    assert tables(text, "ansi") == expected
    assert HOLE not in repr(query.usage)


def test_text_too_long_to_parse_is_kept_with_its_tables() -> None:
    query = read("SELECT a FROM t WHERE b IN (" + ", ".join(["'abcdefgh'"] * 10_000) + ")")
    assert query is not None
    assert [str(name) for name in query.usage.reads] == ["t"]
    assert query.usage.columns == ()


@pytest.mark.parametrize(
    ("comment", "question"),
    [
        ("How many users are there?", "How many users are there?"),
        ("-- How many\n-- users?", "How many users?"),
        ("/* Orders\n * of a day */", "Orders of a day"),
        ("Query 12: Top customers", "Top customers"),
        ("Q3) Top customers", "Top customers"),
        ("1. Top customers", "Top customers"),
        ("1.2 - Top customers", "Top customers"),
        ("Question: Which one?", "Which one?"),
        ("=====\n= Title: Orders per day =\n=====", "Orders per day"),
        ("5 best customers", "5 best customers"),
        ("name: GetUserByID :one", "get user by id"),
        ("name: list-users\nAll users that are active.", "list users: All users that are active."),
        (":name get-user :? :1\n:doc Returns a user", "get user: Returns a user"),
        ("Copyright 2020 Example Ltd.\nAll rights reserved.\n\nFind the late orders.", "Find the late orders."),
        ("File: report.sql\nAuthor: somebody\nDate: 2020-01-01", ""),
        ("SELECT * FROM users;\nSelect all customers who paid", "Select all customers who paid"),
        ("Solution 5", ""),
        ("-- ---------", ""),
        ("", ""),
    ],
)
def test_the_question_in_a_comment(comment: str, question: str) -> None:
    assert question_of(comment) == question


def test_a_long_comment_is_cut_where_a_sentence_ends() -> None:
    assert question_of("Find all. " + "Then many other words follow here. " * 30).startswith("Find all. Then many")
    assert len(question_of("word " * 500)) <= 402


def test_a_column_called_explain_is_a_column() -> None:
    query = read("SELECT plan, explain FROM t")
    assert query is not None
    assert [use.column for use in query.usage.columns] == ["plan", "explain"]


@pytest.mark.parametrize(
    ("dialect", "text", "masked"),
    [
        ("postgres", "a1 = 'it''s' AND b2 = -1.5e3", "a1 = '?' AND b2 = -0"),
        ("postgres", "IN (1, 22) AND x = $1 AND y = $$o'clock$$", "IN (0, 0) AND x = $1 AND y = '?'"),
        ("postgres", "e = E'\\'' AND d = DATE '2020-01-01'", "e = '?' AND d = DATE '?'"),
        ("postgres", '"a 1" = 2 -- it\'s 3', '"a 1" = 0 -- it\'s 3'),
        ("mysql", "`a 1` = \"x\" AND b = 'a\\'b'", "`a 1` = '?' AND b = '?'"),
        ("tsql", "SELECT TOP 5 [a 1] FROM t WHERE b = N'x'", "SELECT TOP 5 [a 1] FROM t WHERE b = '?'"),
        ("oracle", "a = q'[it's]' AND b = :1", "a = '?' AND b = :1"),
        ("bigquery", "a = '''x'y''' AND b = r\"z\"", "a = '?' AND b = '?'"),
        ("bigquery", "a = rb'x' AND b = \"it's", "a = '?' AND b = '?'"),
        ("mysql", "a = _utf8'x' AND b = 'y\\", "a = '?' AND b = '?'"),
        ("postgres", "\"a AND b = 'x' AND c = 22", "\"a AND b = '?' AND c = 0"),
        (
            "postgres",
            "GROUP BY 1, 2 ORDER BY 3 DESC LIMIT 10 OFFSET 5",
            "GROUP BY 1, 2 ORDER BY 3 DESC LIMIT 10 OFFSET 5",
        ),
        ("postgres", "CAST(a AS varchar(10)) || round(b, 2)", "CAST(a AS varchar(10)) || round(b, 0)"),
    ],
)
def test_literals_are_masked_and_the_shape_is_kept(dialect: str, text: str, masked: str) -> None:
    assert mask_literals(text, find_dialect(dialect)) == masked


@settings(max_examples=60, deadline=None)
@given(st.text(alphabet="ab1 '\"`$[](),.-\n/*%{}<>q&:", max_size=60), st.sampled_from(sorted(dialects())))
def test_masking_twice_changes_nothing_and_no_text_is_an_error(text: str, name: str) -> None:
    dialect = find_dialect(name)
    masked = mask_literals(text, dialect)
    assert mask_literals(masked, dialect).count("'?'") == masked.count("'?'")
    fill_holes(text)
    question_of(text)
    read_query(f"SELECT {text}", dialect=dialect)
