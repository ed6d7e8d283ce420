"""GROUP BY and aggregates to the columns that are neither, by the rules of each dialect."""

from __future__ import annotations

import pytest

from coderag.sql.check import Code, Severity, check_sql
from coderag.sql.records import Column, Name, Table


def table(name: str, *columns: str, key: tuple[str, ...] = ("id",)) -> Table:
    found = tuple(Column(column.split()[0], column.split()[1]) for column in columns)
    return Table(Name(name, "", "shop"), columns=found, primary_key=key)


TABLES = (
    table("customers", "id bigint", "name text", "country text", "born date"),
    table("orders", "id bigint", "customer_id bigint", "total numeric", "status text", "placed date"),
    table("logs", "id bigint", "line text", "place text", key=()),
)
EVERY = ("postgres", "mysql", "mariadb", "sqlite", "tsql", "oracle", "duckdb", "snowflake", "bigquery", "ansi")
JOINED = "FROM customers c JOIN orders o ON o.customer_id = c.id"


def found(sql: str, dialect: str) -> list[str]:
    """Return the columns that are complained of, those of warnings with a question mark."""
    every = [one for one in check_sql(sql, TABLES, dialect=dialect) if one.code is Code.UNGROUPED_COLUMN]
    return [one.message.split()[0] + "?" * (one.severity is Severity.WARNING) for one in every]


@pytest.mark.parametrize("dialect", EVERY)
@pytest.mark.parametrize(
    "sql",
    [
        "SELECT country, count(*) FROM customers GROUP BY country HAVING count(*) > 2 ORDER BY country, count(*)",
        "SELECT country AS land, count(*) FROM customers GROUP BY country ORDER BY land",
        "SELECT upper(country) || '!', count(*) FROM customers GROUP BY country",
        "SELECT upper(country), max(name) FROM customers GROUP BY upper(country) ORDER BY upper(customers.country)",
        "SELECT c.country, sum(total) FROM customers c, orders WHERE customer_id = c.id GROUP BY country",
        "SELECT country, count(*) FROM customers GROUP BY 1 ORDER BY 2",
        "SELECT count(*), max(born) FROM customers ORDER BY 1",
        "SELECT sum(count(*)) OVER (ORDER BY country), country FROM customers GROUP BY country",
        "SELECT name, row_number() OVER (PARTITION BY country ORDER BY born) FROM customers",
        "SELECT name, sum(id) OVER (PARTITION BY country) FROM customers",
        f"SELECT c.country, (SELECT count(*) FROM logs l WHERE l.place = c.country) {JOINED} GROUP BY c.country",
        "SELECT name FROM customers WHERE id IN (SELECT customer_id FROM orders GROUP BY customer_id)",
        "SELECT DISTINCT country FROM customers",
        "SELECT CASE WHEN count(*) > 1 THEN 'many' ELSE 'one' END FROM customers",
        f"SELECT c.id, c.name, count(*) {JOINED} GROUP BY c.id, c.name",
        "SELECT n, count(*) FROM (SELECT count(*) AS n FROM orders GROUP BY customer_id) x GROUP BY n",
    ],
)
def test_what_is_grouped_or_aggregated_is_right_everywhere(sql: str, dialect: str) -> None:
    assert found(sql, dialect) == []


@pytest.mark.parametrize("dialect", EVERY)
@pytest.mark.parametrize(
    ("sql", "column"),
    [
        ("SELECT country, count(*) FROM customers", "country"),
        ("SELECT upper(c.country), sum(o.total) " + JOINED, "c.country"),
        ("SELECT country FROM customers ORDER BY count(*) DESC LIMIT 1", "country"),
        ("SELECT country FROM customers HAVING count(*) > 5", "country"),
        ("SELECT *, count(*) FROM customers", "*"),
        ("WITH t AS (SELECT status, avg(total) AS mean FROM orders) SELECT status FROM t", "status"),
        (
            "SELECT name FROM customers WHERE id IN (SELECT customer_id FROM orders HAVING sum(total) > 9)",
            "customer_id",
        ),
        ("SELECT sum(total) OVER (), status, count(*) FROM orders", "total"),
    ],
)
def test_a_dropped_group_by_is_an_error_everywhere(sql: str, column: str, dialect: str) -> None:
    assert found(sql, dialect) == [column]


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        # A table's other columns depend on its key: PostgreSQL knows the primary key that is grouped by itself.
        (
            f"SELECT c.id, c.name, count(*) {JOINED} GROUP BY c.id",
            {"tsql": "c.name", "oracle": "c.name", "duckdb": "c.name", "bigquery": "c.name"},
        ),
        # Through the condition of a join only MySQL does, and who lets any column stand.
        (
            f"SELECT c.name, count(*) {JOINED} GROUP BY o.customer_id",
            {"postgres": "c.name", "tsql": "c.name", "oracle": "c.name", "duckdb": "c.name", "bigquery": "c.name"},
        ),
        (
            "SELECT country, name, count(*) FROM customers GROUP BY country",
            dict.fromkeys(EVERY, "name") | {"sqlite": "name?", "mariadb": "name?", "ansi": "name?"},
        ),
        (
            "SELECT status, count(*) FROM orders GROUP BY status ORDER BY placed",
            dict.fromkeys(EVERY, "placed") | {"sqlite": "placed?", "mariadb": "placed?", "ansi": "placed?"},
        ),
        # The key of a table may be one that the schema does not say.
        (
            "SELECT place, line, count(*) FROM logs GROUP BY place",
            {"postgres": "line?", "mysql": "line?", "sqlite": "line?", "ansi": "line?"},
        ),
        # One value for all rows.
        (
            "SELECT status, count(*) FROM orders WHERE status = 'paid'",
            {"postgres": "status", "tsql": "status", "oracle": "status", "duckdb": "status"},
        ),
        # All rows of a value that is picked may be alike; not where groups are kept by an aggregate.
        (
            "SELECT place, count(*) FROM logs WHERE line = 'x'",
            {"sqlite": "place?", "ansi": "place?", "postgres": "place", "mysql": "place"},
        ),
        (
            "SELECT place FROM logs WHERE line = 'x' HAVING count(*) > 2",
            {"sqlite": "place", "ansi": "place", "postgres": "place", "mysql": "place"},
        ),
        # SQLite gives the name of the row that has the maximum.
        (
            "SELECT name, max(born) FROM customers",
            {"postgres": "name", "mysql": "name", "ansi": "name?", "duckdb": "name", "tsql": "name"},
        ),
        (
            "SELECT name, max(born), count(*) FROM customers",
            {"sqlite": "name", "ansi": "name", "postgres": "name", "mysql": "name"},
        ),
        ("SELECT country, name, max(born) FROM customers GROUP BY country", {"postgres": "name", "mysql": "name"}),
        # An order of one row.
        ("SELECT count(*) FROM customers ORDER BY name", {"postgres": "name", "mysql": "name", "sqlite": "name?"}),
    ],
)
def test_what_else_may_stand_there_is_the_dialects(sql: str, expected: dict[str, str]) -> None:
    said = {dialect: " ".join(found(sql, dialect)) for dialect in ("sqlite", "mysql", "postgres", *expected)}
    assert said == {"sqlite": "", "mysql": "", "postgres": ""} | expected


@pytest.mark.parametrize(
    ("sql", "dialect"),
    [
        ("SELECT country, status, count(*) FROM customers, orders GROUP BY ALL", "duckdb"),
        ("SELECT country, status, sum(total) FROM customers, orders GROUP BY ROLLUP (country, status)", "postgres"),
        ("SELECT country, count(*), grouping(country) FROM customers GROUP BY country WITH ROLLUP", "mysql"),
        ("SELECT country, name, count(*) FROM customers GROUP BY GROUPING SETS ((country), (name), ())", "postgres"),
        ("SELECT country, name, count(*) FROM customers GROUP BY CUBE (country, name)", "tsql"),
        ("SELECT country, any_value(name) FROM customers GROUP BY country", "mysql"),
        ("SELECT DISTINCT ON (country) country, name FROM customers ORDER BY country, born", "postgres"),
        ("SELECT date_trunc('month', placed) AS month, sum(total) FROM orders GROUP BY month", "postgres"),
        ("SELECT date_trunc('month', placed) AS month, sum(total) FROM orders GROUP BY month", "snowflake"),
        ("SELECT strftime('%Y', placed), sum(total) FROM orders GROUP BY strftime('%Y', placed)", "sqlite"),
        ("SELECT country, count(*) FILTER (WHERE name > 'm') FROM customers GROUP BY country", "postgres"),
        ("SELECT count(*) FILTER (WHERE name > 'm') FROM customers", "postgres"),
        ("SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY total) FROM orders", "postgres"),
        ("SELECT string_agg(name, ',') WITHIN GROUP (ORDER BY name) FROM customers", "tsql"),
        (
            "SELECT jsonb_agg(name ORDER BY born), bool_and(born > '2000-01-01'), every(id > 3) FROM customers",
            "postgres",
        ),
        ("SELECT max(name) KEEP (DENSE_RANK FIRST ORDER BY born) FROM customers", "oracle"),
        (
            "SELECT c.name, x.n FROM customers c, LATERAL (SELECT count(*) AS n FROM orders o WHERE o.id = c.id) x",
            "postgres",
        ),
        ("SELECT max(id, 5), name FROM customers", "sqlite"),
        ("SELECT country, max(born, '2000') FROM customers GROUP BY country, born", "sqlite"),
    ],
)
def test_forms_of_grouping(sql: str, dialect: str) -> None:
    assert found(sql, dialect) == []


def test_a_finding_names_the_group_by_that_is_missing() -> None:
    (one,) = check_sql("SELECT name, country, count(*)\nFROM customers", TABLES, dialect="postgres")
    assert (one.line, one.column, one.end_column, one.suggestions) == (1, 8, 11, ("GROUP BY name, country",))
    (one,) = check_sql("SELECT country, name, count(*) FROM customers GROUP BY country", TABLES, dialect="postgres")
    assert (one.column, one.end_column, one.suggestions) == (17, 20, ("GROUP BY country, name",))
