"""Hostile queries, names and schemas to findings with places in the text, never to a traceback."""

from __future__ import annotations

import json
from dataclasses import asdict

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coderag.sql.check import Finding, check_sql
from coderag.sql.records import Column, Name, Table
from coderag.sql.statements.dialect import dialects

ODD = (
    "",
    "*",
    "a",
    "A",
    "é",
    "a b",
    'a"b',
    "a`b",
    "a]b",
    "a.b",
    "'",
    "--",
    "/*",
    ";",
    "\x00",
    "\n",
    "select",
    "💥",
    "\u0131",
)
NAMES = st.one_of(st.sampled_from(ODD), st.text(max_size=6))
DIALECTS = st.sampled_from(["", *dialects()])
WORDS = st.sampled_from(
    """SELECT FROM WHERE GROUP BY HAVING ORDER LIMIT JOIN LEFT RIGHT FULL CROSS NATURAL ON USING AS WITH RECURSIVE UNION
    ALL EXCEPT DISTINCT IN EXISTS NOT AND OR IS NULL LIKE BETWEEN CASE WHEN THEN ELSE END OVER PARTITION ROLLUP CUBE
    GROUPING SETS LATERAL VALUES INSERT INTO UPDATE SET DELETE CREATE TABLE VIEW count( max( sum( ( ( ) ) , , . = = > <
    * * 1 2 -1 'x' "x" `x` [x] a a b c t t u u t.a t.b u.c t.* FILTER WITHIN UNNEST( @v :v ? $1 ; -- /* */ " ' ` [ ]
    QUALIFY TOP PIVOT FOR ARRAY[ STRUCT( :: || => { } {{ TABLESAMPLE APPLY (+) EXPLAIN""".split()
)
QUERIES = st.lists(WORDS, max_size=40).map(" ".join)


@st.composite
def tables(draw: st.DrawFn) -> list[Table]:
    found = []
    for name in draw(st.lists(st.one_of(st.sampled_from("tuTU"), NAMES), max_size=4)):
        columns = draw(st.lists(st.one_of(st.sampled_from("abcAB"), NAMES), max_size=4))
        held = tuple(Column(column, draw(st.sampled_from(["", "int", "text", "date", "💥"]))) for column in columns)
        key = tuple(draw(st.lists(st.sampled_from([*columns, "nowhere"]), max_size=2)))
        place = Name(name, draw(st.sampled_from(["", "s", "é"])), draw(st.sampled_from(["", "one", "two"])))
        dialect = draw(DIALECTS)
        found.append(Table(place, columns=held, primary_key=key, unique=(key,), family=(name,), dialect=dialect))
    return found


def assert_placed(found: list[Finding], text: str) -> None:
    lines = text.split("\n")
    for one in found:
        assert 1 <= one.line <= len(lines)
        assert 1 <= one.column <= max(one.end_column, 1) <= len(lines[one.line - 1]) + 1
        json.dumps(asdict(one))


@pytest.mark.slow
@settings(deadline=None)
@given(QUERIES, tables(), DIALECTS)
def test_any_words_in_any_order(query: str, held: list[Table], dialect: str) -> None:
    assert_placed(check_sql(query, held, dialect=dialect, writes=True), query)


@pytest.mark.slow
@settings(deadline=None)
@given(NAMES, NAMES, NAMES, tables(), DIALECTS)
def test_any_name_anywhere(table: str, column: str, alias: str, held: list[Table], dialect: str) -> None:
    t, c, a = (f'"{one.replace(chr(34), chr(34) * 2)}"' for one in (table, column, alias))
    sql = (
        f"WITH {a} AS (SELECT {c}, count(*) FROM {t} GROUP BY {c})\n"
        f"SELECT {a}.{c}, x.{c} AS {a}, max({t}.{c}) FROM ({t} JOIN {a} ON {t}.{c} = {a}.{c}) JOIN u x, t\n"
        f"WHERE {c} = {t} AND x.{c} IN (SELECT {c} FROM {a}) GROUP BY 1, {a} HAVING {c} > 2 ORDER BY {table or 1}"
    )
    assert_placed(check_sql(sql, held, dialect=dialect), sql)


@pytest.mark.slow
@settings(deadline=None)
@given(st.text(max_size=60), tables(), DIALECTS)
def test_any_text(text: str, held: list[Table], dialect: str) -> None:
    assert_placed(check_sql(text, held, dialect=dialect), text)
