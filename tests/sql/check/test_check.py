"""SQL and a schema to findings: what is wrong, where, and what was meant."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from coderag.errors import QueryError
from coderag.sql.check import Finding, Severity, check_sql
from coderag.sql.records import Column, ForeignKey, Name, Table


def table(name: str, *columns: str, schema: str = "", database: str = "shop", dialect: str = "postgres") -> Table:
    found = tuple(Column(column.split()[0], " ".join(column.split()[1:])) for column in columns)
    return Table(Name(name, schema, database), columns=found, dialect=dialect)


TABLES = (
    table("customers", "id bigint", "name text", "email text", "created_at timestamp"),
    table(
        "orders", "id bigint", "customer_id bigint", "total numeric", "status text", "placed_on date", "paid boolean"
    ),
    table("order_items", "order_id bigint", "product_id bigint", "quantity int"),
    table("events", "id bigint", "payload jsonb", schema="audit"),
)


def found(sql: str, **options: object) -> list[str]:
    return [said(one) for one in check_sql(sql, TABLES, **options)]  # type: ignore[arg-type]


def said(one: Finding) -> str:
    suggestions = f" -> {', '.join(one.suggestions)}" if one.suggestions else ""
    return f"{one.line}:{one.column}-{one.end_column} {one.code}{suggestions}"


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT c.name, sum(o.total) AS spent FROM customers c JOIN orders o ON o.customer_id = c.id GROUP BY c.name",
        "select NAME from CUSTOMERS order by Created_At",
        "SELECT status, count(*) AS n FROM orders GROUP BY status HAVING count(*) > 1 ORDER BY n DESC",
        "WITH paid AS (SELECT id, total FROM orders WHERE paid) SELECT avg(paid.total) FROM paid",
        "SELECT name FROM customers c WHERE EXISTS (SELECT 1 FROM orders o WHERE o.customer_id = c.id)",
        "SELECT * FROM customers CROSS JOIN order_items",
        "SELECT o.total, m.top FROM orders o, (SELECT max(total) AS top FROM orders) m",
        "SELECT n FROM generate_series(1, 3) AS n",
        "SELECT tablename FROM pg_catalog.pg_tables",
        "SELECT payload FROM audit.events WHERE id = 3",
        "SELECT id FROM orders WHERE placed_on > '2025-01-01' AND customer_id = '17' AND paid = 'true'",
        "SELECT customer_id FROM orders UNION SELECT id FROM customers",
        "SELECT quantity FROM order_items JOIN orders ON orders.id = order_id JOIN customers c ON c.id = customer_id",
        "WITH RECURSIVE up AS (SELECT id FROM orders UNION ALL SELECT up.id FROM up) SELECT id FROM up",
        "WITH RECURSIVE up(a, n) AS (SELECT id, 0 FROM orders UNION ALL SELECT o.id, up.n + 1 FROM orders o"
        " JOIN up ON o.customer_id = up.a) SELECT a, n FROM up",
        "WITH RECURSIVE up(a, n) AS ((SELECT id, 0 FROM orders) UNION SELECT o.id, n + 1 FROM orders o, up"
        " WHERE o.customer_id = up.a UNION SELECT o.id, up.n FROM orders o, up WHERE o.id = up.a) SELECT n FROM up",
        "SELECT o.id FROM orders o JOIN LATERAL (SELECT name FROM customers c WHERE c.id = o.customer_id) x ON true",
        "SELECT row_number() OVER (PARTITION BY status ORDER BY total) AS place FROM orders",
        "SELECT total FROM orders WHERE customer_id = (SELECT id FROM customers ORDER BY created_at LIMIT 1)",
        "-- only a comment",
        "SET search_path TO shop; SELECT id FROM orders",
    ],
)
def test_nothing_is_wrong(sql: str) -> None:
    assert found(sql) == []


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT nmae FROM customers", ["1:8-11 unknown-column -> name"]),
        ("SELECT c.naem\nFROM customers c", ["1:10-13 unknown-column -> c.name"]),
        ("SELECT 1\nFROM\n  custmers", ["3:3-10 unknown-table -> customers"]),
        (
            "SELECT o.quantity FROM orders o JOIN order_items i ON i.order_id = o.id",
            ["1:10-17 unknown-column -> i.quantity"],
        ),
        ("SELECT x.total FROM orders o", ["1:8-8 unknown-table -> o"]),
        (
            "SELECT id FROM customers JOIN orders ON customer_id = customers.id",
            ["1:8-9 ambiguous-column -> customers.id, orders.id"],
        ),
        ("SELECT * FROM customers, orders", ["1:26-31 cartesian-product"]),
        ("SELECT * FROM customers c JOIN orders o", ["1:32-39 cartesian-product"]),
        ("WITH t AS (SELECT total FROM orders) SELECT t.totl FROM t", ["1:47-50 unknown-column -> t.total"]),
        ("SELECT IFNULL(name, '') FROM customers", ["1:8-13 wrong-function -> COALESCE"]),
        (
            "WITH RECURSIVE up(a) AS (SELECT id FROM orders UNION SELECT up.id FROM up) SELECT a FROM up",
            ["1:64-65 unknown-column"],
        ),
        ("DELETE FROM orders WHERE stauts = 'x'", ["1:1-6 writes", "1:26-31 unknown-column -> status"]),
        ("UPDATE orders SET totl = 5", ["1:1-6 writes", "1:19-22 unknown-column -> total"]),
        ("INSERT INTO orders (id, totl) VALUES (1, 2)", ["1:1-6 writes", "1:25-28 unknown-column -> total"]),
        ("WITH d AS (DELETE FROM orders RETURNING id) SELECT id FROM d", ["1:12-17 writes"]),
        ("SELECT 1; SELECT nope FROM audit.events", ["1:18-21 unknown-column"]),
        ("SELECT 1 FROM orders o, customers o", ["1:25-35 duplicate-alias"]),
        ("SELECT 1 FROM orders CROSS JOIN shop.orders x CROSS JOIN Orders", ["1:58-63 duplicate-alias"]),
        ("SELECT é.x FROM customers é", ["1:10-10 unknown-column"]),
    ],
)
def test_findings_have_places_and_suggestions(sql: str, expected: list[str]) -> None:
    assert found(sql) == expected


@pytest.mark.parametrize(
    "sql", ["no sql at all", "\x00\x01 ;", "SELECT (", "SELECT 'abc", "SELECT * FORM orders", "SELECT a FROM b WHERE ("]
)
def test_what_cannot_be_parsed_is_one_syntax_error(sql: str) -> None:
    assert [one.code for one in check_sql(sql, TABLES)] == ["syntax"]


@pytest.mark.parametrize(
    ("condition", "message"),
    [
        ("customer_id = 'abc'", "customer_id is a number, 'abc' is a text"),
        ("placed_on > 20250101", "placed_on is a date or time, 20250101 is a number"),
        ("status = 5", "status is a text, 5 is a number"),
        ("total IN (1, 'much')", "total is a number, 'much' is a text"),
    ],
)
def test_comparisons_of_values_that_cannot_be_alike(condition: str, message: str) -> None:
    sql = f"SELECT id FROM orders WHERE {condition}"
    (strict,) = check_sql(sql, TABLES)
    assert (strict.message, strict.severity) == (message, Severity.ERROR)
    (lenient,) = check_sql(sql, TABLES, dialect="mysql")
    assert lenient.severity is Severity.WARNING  # it converts one side


def test_what_is_missing_is_said_in_words() -> None:
    (one,) = check_sql("SELECT id FROM orders WHERE (", TABLES)
    assert one.message == "something is missing at '('"


def test_writing_is_allowed_when_asked_for() -> None:
    assert found("DELETE FROM orders WHERE id = 3", writes=True) == []
    assert found("CREATE TABLE recent AS SELECT id FROM orders; SELECT id FROM recent", writes=True) == []


def test_functions_are_those_of_the_dialect_and_of_the_schema() -> None:
    assert found("SELECT IFNULL(name, '') FROM customers", dialect="mysql") == []
    assert found("SELECT ifnull(name, '') FROM customers", routines=["ifnull"]) == []


def test_tables_of_one_name_in_two_databases_are_told_apart() -> None:
    both = (
        *TABLES,
        table("orders", "number int", "weight int", database="warehouse"),
        table("shelves", "place text", "order_number int", database="warehouse"),
    )
    sql = "SELECT weight FROM orders JOIN shelves ON order_number = number"
    assert check_sql(sql, both) == []
    assert [one.code for one in check_sql("SELECT weight FROM orders JOIN customers ON customers.id = 1", both)] != []


BRANCHES = tuple(
    one
    for database in ("paris", "rome", "york")
    for one in (
        table("customers", "id bigint", "name text", f"{database}_id bigint", database=database),
        table("visits", "id bigint", "customer_id bigint", database=database, dialect="sqlite"),
        table(f"{database}_staff", "id bigint", "name text", database=database),
    )
)


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT rome_id FROM customers", []),  # one database has the column
        ("SELECT c.name FROM visits v JOIN customers c ON c.id = v.customer_id JOIN york_staff s ON s.id = v.id", []),
        ("SELECT name FROM customers", ["warning ambiguous-database"]),
        ("SELECT nmae FROM customers WHERE rome_id = 3", ["error unknown-column"]),
        (
            "SELECT s.name FROM york_staff s JOIN rome_staff r ON r.id = s.id JOIN visits v ON v.id = r.id",
            ["warning other"],
        ),
        ("SELECT name FROM rome_staff", []),
        ("SELECT name FROM york.customers", []),
    ],
)
def test_a_query_is_bound_to_the_database_that_has_all_it_names(sql: str, expected: list[str]) -> None:
    found = [f"{one.severity} {one.code}" for one in check_sql(sql, BRANCHES)]
    assert len(found) == len(expected)
    assert all(one.startswith(wanted) for one, wanted in zip(found, expected, strict=True))


def test_each_statement_of_a_text_may_be_about_another_database() -> None:
    text = "SELECT rome_id FROM customers;\nSELECT name FROM york_staff;\nSELECT rome_id, york_id FROM customers"
    assert [(one.line, one.column, one.code) for one in check_sql(text, BRANCHES)] == [(3, 8, "unknown-column")]


def test_a_name_of_several_databases_is_said_with_them() -> None:
    (one,) = check_sql("SELECT id\nFROM visits", BRANCHES)
    assert one.message == (
        "3 databases have visits and all else that is named: paris, rome, york; "
        "checked against paris, --database says which"
    )
    assert (one.line, one.column, one.end_column) == (2, 6, 11)


def test_a_table_whose_columns_nobody_declared_has_any() -> None:
    assert check_sql("SELECT anything FROM opaque", [table("opaque")]) == []


@pytest.mark.parametrize("dialect", ["sqlite", "postgres", "mysql", "tsql", "ansi"])
@pytest.mark.parametrize(
    ("joins", "found"),
    [
        ("customers c, orders o", ["cartesian-product"]),
        ("customers c JOIN orders o", ["cartesian-product"]),
        ("customers c JOIN orders o JOIN order_items i ON i.order_id = o.id", ["cartesian-product"]),
        ("customers c, (SELECT id, total FROM orders) o", ["cartesian-product"]),
        ("customers c, (SELECT 1 AS id, 2 AS total UNION SELECT 3, 4) AS o", ["cartesian-product"]),
        ("customers c, ((SELECT id, total FROM orders)) o", ["cartesian-product"]),
        ("customers c, orders o WHERE c.id = 7", ["cartesian-product"]),
        ("customers c CROSS JOIN orders o", []),
        ("customers c CROSS JOIN orders o JOIN order_items i ON i.order_id = o.id", []),
        ("customers c JOIN orders o ON 1 = 1", []),
        ("customers c, orders o WHERE o.customer_id = c.id", []),
        ("customers c JOIN orders o WHERE o.customer_id = c.id", []),
        ("(customers c JOIN orders o ON o.customer_id = c.id) JOIN order_items i ON i.order_id = o.id", []),
        ("customers c LEFT JOIN (orders o JOIN order_items i ON i.order_id = o.id) ON o.customer_id = c.id", []),
        ("customers c LEFT JOIN orders o JOIN order_items i ON i.order_id = o.id ON o.customer_id = c.id", []),
        ("((customers c JOIN orders o ON o.customer_id = c.id))", []),
        ("(customers c JOIN orders o ON true) JOIN order_items i", ["cartesian-product"]),
        ("customers c, (SELECT max(total) AS total FROM orders) o", []),
        ("(SELECT name FROM customers WHERE id = 1) c, (SELECT total FROM orders WHERE id = 2) o", []),
    ],
)
def test_sources_that_nothing_joins(joins: str, found: list[str], dialect: str) -> None:
    said = check_sql(f"SELECT c.name, o.total FROM {joins}", TABLES, dialect=dialect)
    assert [one.code for one in said] == found


def test_a_foreign_key_says_what_joins_two_tables() -> None:
    orders = replace(TABLES[1], foreign_keys=(ForeignKey(("customer_id",), Name("customers"), ("id",)),))
    for sql in ("SELECT 1 FROM customers c, orders o", "SELECT 1 FROM orders o, customers c"):
        (one,) = check_sql(sql, [TABLES[0], orders])
        assert one.suggestions == ("ON o.customer_id = c.id",)


def test_joins_in_parentheses_with_an_alias_have_the_columns_of_all() -> None:
    source = "(customers c JOIN orders o ON o.customer_id = c.id) AS q"
    assert found(f"SELECT q.email, q.total FROM {source}") == []
    assert found(f"SELECT q.emial FROM {source}") == ["1:10-14 unknown-column -> q.email"]
    assert found(f"SELECT c.email FROM {source}") == ["1:8-8 unknown-table -> q"]


def test_a_cartesian_product_under_aggregates_that_ignore_it_is_a_warning() -> None:
    (one,) = check_sql("SELECT count(DISTINCT c.id), max(o.total) FROM customers c, orders o", TABLES)
    assert (one.code, one.severity) == ("cartesian-product", Severity.WARNING)
    (one,) = check_sql("SELECT count(DISTINCT c.id) FROM customers c, orders o", TABLES)
    assert one.severity is Severity.ERROR


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT status FROM orders GROUP BY status HAVING avg(quantity) > 3", ["1:54-61 unknown-column"]),
        ("SELECT oid FROM orders", ["1:8-10 unknown-column -> id"]),
        ("SELECT ctid FROM orders", []),
    ],
)
def test_columns_in_having_and_those_that_no_table_declares(sql: str, expected: list[str]) -> None:
    assert found(sql) == expected


@pytest.mark.parametrize(
    ("sql", "refused"),
    [
        ("SELECT total * 2 AS double FROM orders ORDER BY double", ""),
        ("SELECT total * 2 AS double FROM orders WHERE double > 5", "postgres mysql tsql bigquery"),
        ("SELECT total * 2 AS double, double + 1 AS more FROM orders", "postgres mysql tsql bigquery sqlite"),
        ("SELECT status AS state, sum(total) AS sum FROM orders GROUP BY state", "tsql"),
        ("SELECT status, sum(total) AS spent FROM orders GROUP BY status HAVING spent > 5", "postgres tsql"),
        ("SELECT row_number() OVER (ORDER BY double) AS n, total * 2 AS double FROM orders", "postgres mysql sqlite"),
        ("SELECT status AS total FROM orders WHERE total > 5", ""),
    ],
)
def test_names_of_the_select_list_count_in_clauses_of_the_dialect(sql: str, refused: str) -> None:
    for dialect in ("postgres", "mysql", "tsql", "bigquery", "sqlite", "duckdb", "snowflake", "redshift", "ansi"):
        found = check_sql(sql, TABLES, dialect=dialect)
        if dialect in refused.split():
            assert [one.code for one in found] == ["unknown-column"]
            assert "is a name of the SELECT list" in found[0].message
        elif refused.split() != ["postgres", "mysql", "sqlite"]:
            assert found == []


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT `name` FROM `customers`",
        "SELECT [name] FROM [customers] WHERE [id] = 5",
        "SELECT TOP 5 name FROM customers",
        "SELECT name FROM customers WHERE email ~ 'x'",
    ],
)
def test_sql_of_any_dialect_is_read_where_none_is_known(sql: str) -> None:
    tables = [table("customers", "id bigint", "name text", "email text", dialect="ansi")]
    assert check_sql(sql, tables) == []
    assert [one.code for one in check_sql(sql.replace("name", "nmae"), tables)] == ["unknown-column"]


def test_comparisons_of_transact_sql_may_be_spaced() -> None:
    sql = "SELECT id FROM orders WHERE total > = 3 AND status ! = 'a > = b' AND totl < = 9"
    assert [(one.code, one.column) for one in check_sql(sql, TABLES, dialect="tsql")] == [("unknown-column", 70)]


def test_arrays_of_a_row_are_no_tables() -> None:
    sql = "SELECT e.id FROM events e, e.payload"
    tables = [table("events", "id int64", "payload array<string>", dialect="bigquery")]
    assert check_sql(sql, tables) == []


@pytest.mark.slow
def test_deep_nesting_and_long_texts_end() -> None:
    assert [one.code for one in check_sql("SELECT " + "(" * 3000 + "1" + ")" * 3000, TABLES)] == ["syntax"]
    many = "SELECT id FROM orders WHERE " + " OR ".join(f"id = {number}" for number in range(3000))
    assert check_sql(many, TABLES) == []


TOO_LARGE = (
    ("SELECT 1" + " UNION SELECT 1" * 400, "it has more than 300 queries and tables"),
    ("SELECT id FROM orders " + " ".join(f"JOIN orders o{n} USING (id)" for n in range(400)), "more than 300 queries"),
    ("SELECT id FROM orders WHERE " + " AND ".join(["id=1"] * 4_100), "it has more than 4,000 columns"),
    ("SELECT id FROM orders WHERE id IN (" + ", ".join(map(str, range(10_000))) + ")", "of which 50,000 are checked"),
)


@pytest.mark.parametrize(("text", "why"), TOO_LARGE, ids=[one[1] for one in TOO_LARGE])
def test_a_statement_that_would_take_too_long_is_an_error(text: str, why: str) -> None:
    """Whoever relies on the check must not take it for one that was passed."""
    (one,) = check_sql(text, TABLES)
    assert (one.code, one.severity) == ("too-large", Severity.ERROR)
    assert why in one.message


def test_findings_are_bounded() -> None:
    assert len(check_sql("SELECT nmae FROM orders;\n" * 1_000, TABLES)) == 200


def test_a_string_in_double_quotes_is_a_warning_where_it_works() -> None:
    (one,) = check_sql('SELECT id FROM orders WHERE status = "shipped"', TABLES, dialect="sqlite")
    assert (one.code, one.severity) == ("unknown-column", Severity.WARNING)
    (one,) = check_sql('SELECT id FROM orders WHERE status = "shipped"', TABLES)
    assert (one.code, one.severity) == ("unknown-column", Severity.ERROR)
    for sql in ('SELECT "stauts" FROM orders', "SELECT id FROM orders WHERE `stauts` = 'shipped'"):
        (one,) = check_sql(sql, TABLES, dialect="sqlite")
        assert (one.code, one.severity, one.suggestions[:1]) == ("unknown-column", Severity.ERROR, ("status",))


def test_an_unknown_dialect_is_refused() -> None:
    with pytest.raises(QueryError, match="unknown SQL dialect 'klingon'"):
        check_sql("SELECT 1", TABLES, dialect="klingon")
