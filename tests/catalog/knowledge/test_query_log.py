"""Query logs to example queries with their counts."""

from __future__ import annotations

import json

import pytest

from coderag.catalog.knowledge.query_log import MAX_QUERIES, read_query_log
from coderag.sql.records import AddQuery, ExampleQuery, Facts


def read(text: str, *, mask: bool = False) -> Facts:
    return read_query_log(text.encode(), path="logs/queries.csv", mask=mask)


def queries(facts: Facts) -> list[ExampleQuery]:
    return [operation.query for operation in facts.operations if isinstance(operation, AddQuery)]


STATEMENTS = """userid,query,calls,total_exec_time,mean_exec_time
10,"SELECT name FROM users WHERE id = $1",20,200.0,10
10,"SELECT name
FROM users WHERE id = $1 -- again",5,100,20
10,BEGIN,1000,1,1
10,SELECT * FROM pg_stat_activity,9,1,1
10,"UPDATE users SET name = $1 WHERE id IN ($2, $3)",2,1,1
10,"UPDATE users SET name = $1 WHERE id IN ($2)",2,1,1
10,<insufficient privilege>,7,1,1
10,,7,1,1
"""


def test_an_export_of_pg_stat_statements() -> None:
    facts = read(STATEMENTS)
    assert (facts.dialect, facts.statements) == ("postgres", 8)
    assert [(query.text.split("\n")[0], query.calls, query.milliseconds) for query in queries(facts)] == [
        ("SELECT name FROM users WHERE id = $1", 25, 12.0),
        ("UPDATE users SET name = $1 WHERE id IN ($2, $3)", 4, 0.5),
    ]
    assert [(query.source.start_line, query.source.end_line) for query in queries(facts)] == [(2, 2), (7, 7)]
    assert [str(name) for name in queries(facts)[1].usage.writes] == ["users"]
    assert [(one.line, one.reason) for one in facts.unparsed] == [(10, "1 rows hold no query")]


def test_queries_that_differ_in_literals_are_one() -> None:
    lines = [
        {"SQL": "SELECT a FROM t WHERE x = 'john'", "count": 3, "question": "Who is it?"},
        {"SQL": "select a  from t where x = 'bob'", "count": "1,000"},
        {"SQL": "SELECT a FROM t WHERE y = 1"},
    ]
    text = "\n".join(map(json.dumps, lines)) + '\n{"SQL": "SELECT'
    facts = read(text)
    assert [(query.text, query.calls, query.question) for query in queries(facts)] == [
        ("SELECT a FROM t WHERE x = 'john'", 1003, "Who is it?"),
        ("SELECT a FROM t WHERE y = 1", 1, ""),
    ]
    assert [one.line for one in facts.unparsed] == [4]
    assert [query.text for query in queries(read(text, mask=True))] == [
        "SELECT a FROM t WHERE x = '?'",
        "SELECT a FROM t WHERE y = 0",
    ]


def test_a_json_array_has_the_lines_of_its_rows() -> None:
    text = '[\n {"query": "SELECT a\\nFROM t"},\n\n {"query": "/* daily: users */ SELECT b\\n FROM s"}\n]\n'
    assert [(query.source.start_line, query.question) for query in queries(read(text))] == [
        (2, ""),
        (4, "daily: users"),
    ]


@pytest.mark.parametrize(
    ("header", "row", "dialect", "text"),
    [
        ("QUERY_TEXT\tWAREHOUSE_NAME\tEXECUTION_TIME", "SELECT c:x FROM t\tW\t12", "snowflake", "SELECT c:x FROM t"),
        ("query;total_slot_ms", "SELECT a FROM `p.d.t`;3", "bigquery", "SELECT a FROM `p.d.t`"),
        ("DIGEST_TEXT,COUNT_STAR", "SELECT `a` FROM `t`,3", "mysql", "SELECT `a` FROM `t`"),
        ("sql,dialect", "SELECT TOP 1 a FROM t,tsql", "tsql", "SELECT TOP 1 a FROM t"),
    ],
)
def test_the_exports_of_other_systems(header: str, row: str, dialect: str, text: str) -> None:
    facts = read(f"{header}\n{row}\n")
    assert facts.dialect == dialect
    assert [(query.text, query.dialect) for query in queries(facts)] == [(text, dialect)]


@pytest.mark.slow
def test_only_the_most_frequent_are_kept_and_the_rest_is_counted() -> None:
    rows = "".join(f"SELECT a{number} FROM t,{number}\n" for number in range(MAX_QUERIES + 5))
    facts = read("query,calls\n" + rows)
    assert len(queries(facts)) == MAX_QUERIES
    assert queries(facts)[0].calls == MAX_QUERIES + 4
    assert [one.reason for one in facts.unparsed] == [
        "5 of 2,005 different queries: only the 2,000 most frequent are kept"
    ]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("a,b\n1,2\n", "no column holds queries; there are a, b"),
        ("{broken", "not a readable log"),
        ('[{"query": "SELECT 1"', "not a readable log"),
        ("[" * 50_000, "not a readable log"),
    ],
)
def test_what_is_no_log_is_lost_with_a_reason(text: str, reason: str) -> None:
    facts = read(text)
    assert facts.operations == ()
    assert [one.reason.startswith(reason) for one in facts.unparsed] == [True]


def test_an_empty_log_holds_nothing() -> None:
    assert read("") == Facts()
    assert read("query,calls\n").operations == ()
