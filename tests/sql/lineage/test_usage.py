"""Statements to the tables, columns, joins and routines that they use."""

from __future__ import annotations

import pytest
import sqlglot
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlglot.optimizer.scope import traverse_scope

from coderag.sql.lineage.lineage import lineage_of
from coderag.sql.lineage.usage import resolved, usage_of, usage_of_text
from coderag.sql.records import ColumnUse, Name, Usage


def use(text: str, dialect: str = "postgres") -> Usage:
    return usage_of(sqlglot.parse_one(text, read=dialect))


def reads(text: str, dialect: str = "postgres") -> list[str]:
    return [str(name) for name in use(text, dialect).reads]


def columns(usage: Usage) -> list[str]:
    """Return columns as "table.column", with every candidate, and with "!" where they are written."""
    return [
        f"{'!' if column.write else ''}{'|'.join(map(str, column.tables))}.{column.column}" for column in usage.columns
    ]


def joins(text: str, dialect: str = "postgres") -> list[str]:
    return [
        " and ".join(
            f"{join.left}.{left} = {join.right}.{right}"
            for left, right in zip(join.left_columns, join.right_columns, strict=True)
        )
        for join in use(text, dialect).joins
    ]


def lineage(text: str, *names: str, dialect: str = "postgres") -> dict[str, list[str]]:
    found = lineage_of(sqlglot.parse_one(text, read=dialect), names)
    return {one.column: columns(Usage(columns=one.sources)) for one in found}


QUERIES = [
    "SELECT o.id FROM shop.orders o, users AS u WHERE o.user_id = u.id",
    "WITH x AS (SELECT * FROM a), y AS (SELECT * FROM x) SELECT * FROM y JOIN b ON true",
    "WITH users AS (SELECT * FROM users) SELECT * FROM users",
    "SELECT * FROM (WITH x AS (SELECT 1) SELECT * FROM x) q JOIN x ON true",
    "SELECT (SELECT max(x) FROM a) FROM b WHERE EXISTS (SELECT 1 FROM c WHERE c.i = b.i)",
    "SELECT a FROM x UNION SELECT a FROM y EXCEPT SELECT a FROM z",
    "WITH RECURSIVE r AS (SELECT id FROM n UNION ALL SELECT n.id FROM n JOIN r ON r.id = n.up) SELECT * FROM r",
    "SELECT * FROM a CROSS JOIN LATERAL (SELECT * FROM b WHERE b.i = a.i) q",
]


@pytest.mark.parametrize("text", QUERIES)
def test_the_scopes_of_sqlglot_read_the_same_tables(text: str) -> None:
    found = {
        source.sql().rpartition(" AS ")[0] or source.sql()
        for scope in traverse_scope(sqlglot.parse_one(text, read="postgres"))
        for _, source in scope.selected_sources.values()
        if isinstance(source, sqlglot.exp.Table)
    }
    assert set(reads(text)) == found


@pytest.mark.parametrize(
    ("text", "tables", "written"),
    [
        # sqlglot takes a CTE that changes rows for a table, and has no scopes for what is no query.
        ("WITH l AS (UPDATE lists SET a = 1 RETURNING id) SELECT * FROM l JOIN b ON b.i = l.id", ["b"], ["lists"]),
        ("WITH s AS (INSERT INTO subs (a) SELECT a FROM c RETURNING id) SELECT id FROM s", ["c"], ["subs"]),
        ("UPDATE t SET a = u.a FROM u WHERE u.i = t.i", ["u"], ["t"]),
        # And it refuses an alias that is used twice.
        ("SELECT T1.a FROM x T1 JOIN y T2 ON T2.i = T1.i JOIN z T2 ON T2.i = T1.i", ["x", "y", "z"], []),
    ],
)
def test_tables_that_the_scopes_of_sqlglot_have_not(text: str, tables: list[str], written: list[str]) -> None:
    usage = use(text)
    assert (reads(text), [str(name) for name in usage.writes]) == (tables, written)


@pytest.mark.parametrize(
    ("text", "tables"),
    [
        ("SELECT * FROM shop.orders o, users AS u", ["shop.orders", "users"]),
        ("SELECT 1 FROM (a JOIN b USING (k)) LEFT JOIN c ON true", ["a", "b", "c"]),
        ("WITH x AS (SELECT * FROM a), y AS (SELECT * FROM x) SELECT * FROM y JOIN b ON true", ["a", "b"]),
        ("WITH users AS (SELECT * FROM users) SELECT * FROM users", ["users"]),
        ("SELECT * FROM (WITH x AS (SELECT 1) SELECT * FROM x) q JOIN x ON true", ["x"]),
        ("WITH RECURSIVE r AS (SELECT id FROM n UNION ALL SELECT n.id FROM n JOIN r ON r.id = n.up) TABLE r", ["n"]),
        ("SELECT (SELECT max(x) FROM a) FROM b WHERE EXISTS (SELECT 1 FROM c WHERE c.i = b.i)", ["b", "a", "c"]),
        ("SELECT a FROM x UNION SELECT a FROM y EXCEPT SELECT a FROM z", ["x", "y", "z"]),
        ("SELECT * FROM generate_series(1, 3) g, LATERAL (SELECT * FROM a WHERE a.i = g) q", ["a"]),
        ("VALUES (1, 2)", []),
        ("TABLE users", ["users"]),
    ],
)
def test_tables_are_found_through_ctes_aliases_and_nested_queries(text: str, tables: list[str]) -> None:
    assert reads(text) == tables


@pytest.mark.parametrize(
    ("dialect", "text", "tables"),
    [
        ("tsql", "SELECT * FROM #temporary t JOIN [Order Details] d ON 1 = 1 JOIN @rows r ON 1 = 1", ["Order Details"]),
        (
            "tsql",
            "WITH r AS (SELECT id FROM n UNION ALL SELECT n.id FROM n JOIN r ON r.id = n.up) SELECT * FROM r",
            ["n"],
        ),
        ("tsql", "SELECT * FROM a CROSS APPLY dbo.rows_of(a.x) f OUTER APPLY (SELECT TOP 1 * FROM b) q", ["a", "b"]),
        (
            "bigquery",
            "SELECT i.sku FROM `shop-1.sales.orders` o, o.items i, UNNEST(o.tags) tag",
            ["shop-1.sales.orders"],
        ),
        ("oracle", "SELECT sysdate FROM dual", []),
        ("duckdb", "SELECT * FROM 'rows.csv' JOIN t ON true", ["t"]),
        ("snowflake", "SELECT $1 FROM @stage/x", []),
        ("spark", "SELECT c FROM t LATERAL VIEW explode(b) x AS c", ["t"]),
    ],
)
def test_what_is_stored_is_a_table_in_every_dialect(dialect: str, text: str, tables: list[str]) -> None:
    assert reads(text, dialect) == tables


@pytest.mark.parametrize(
    ("dialect", "text", "read", "written"),
    [
        ("postgres", "INSERT INTO t (a) SELECT b FROM s", ["s"], ["t"]),
        ("postgres", "DELETE FROM a USING b WHERE a.i = b.i", ["b"], ["a"]),
        ("postgres", "TRUNCATE TABLE a, b", [], ["a", "b"]),
        ("postgres", "CREATE TABLE t AS SELECT * FROM s", ["s"], ["t"]),
        ("postgres", "CREATE VIEW v AS SELECT * FROM s", ["s"], []),
        ("postgres", "WITH gone AS (DELETE FROM a RETURNING *) INSERT INTO b SELECT * FROM gone", [], ["a", "b"]),
        ("tsql", "UPDATE o SET x = 1 FROM orders o JOIN lines l ON l.o = o.id", ["lines"], ["orders"]),
        ("tsql", "DELETE o FROM orders o JOIN lines l ON l.o = o.id", ["lines"], ["orders"]),
        ("tsql", "SELECT * INTO copy FROM t", ["t"], ["copy"]),
        ("mysql", "UPDATE a JOIN b ON a.i = b.i SET a.x = b.y", ["b"], ["a"]),
        ("snowflake", "MERGE INTO t USING s ON t.i = s.i WHEN MATCHED THEN UPDATE SET x = s.x", ["s"], ["t"]),
        ("oracle", "INSERT ALL INTO a VALUES (x) INTO b VALUES (x) SELECT x FROM c", ["c"], ["a", "b"]),
    ],
)
def test_statements_read_and_write(dialect: str, text: str, read: list[str], written: list[str]) -> None:
    usage = use(text, dialect)
    assert [str(name) for name in usage.reads] == read
    assert [str(name) for name in usage.writes] == written


def test_columns_belong_to_the_table_that_qualifies_them_or_to_any_in_scope() -> None:
    assert columns(use("SELECT u.name, total FROM users u JOIN orders o ON o.user_id = u.id")) == [
        "orders.user_id",
        "users.id",
        "users.name",
        "users|orders.total",
    ]


def test_columns_are_traced_through_ctes_and_derived_tables() -> None:
    text = """
        WITH paid AS (SELECT user_id AS buyer, sum(total) AS spent FROM orders GROUP BY user_id)
        SELECT p.buyer, q.spent FROM paid p JOIN (SELECT * FROM paid) q ON q.buyer = p.buyer ORDER BY spent
    """
    assert columns(use(text)) == ["orders.user_id", "orders.total"]


def test_aliases_of_the_select_list_are_no_columns() -> None:
    text = "SELECT count(*) AS n, lower(name) AS label FROM users GROUP BY label HAVING n > 2 ORDER BY n"
    assert columns(use(text, "mysql")) == ["users.name"]


def test_columns_of_an_outer_query_are_seen_inside() -> None:
    text = "SELECT 1 FROM a WHERE EXISTS (SELECT 1 FROM (SELECT k FROM b) q WHERE q.k = a.i AND j = 2)"
    assert columns(use(text)) == ["b.k", "a.i", "a.j"]


def test_written_columns_are_marked() -> None:
    text = "INSERT INTO t (a, b) SELECT x, y FROM s ON CONFLICT (a) DO UPDATE SET b = excluded.b"
    assert columns(use(text)) == ["!t.a", "!t.b", "s.x", "s.y", "t.a"]
    assert columns(use("UPDATE t SET a = b + 1 WHERE c = 2")) == ["!t.a", "t.b", "t.c"]


def test_fields_of_a_column_are_that_column() -> None:
    assert columns(use("SELECT o.address.city, meta.source FROM orders o", "bigquery")) == [
        "orders.address",
        "orders.meta",
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("SELECT 1 FROM a JOIN b ON a.x = b.y", ["a.x = b.y"]),
        ("SELECT 1 FROM a, b WHERE a.x = b.y AND a.z = 1", ["a.x = b.y"]),
        ("SELECT 1 FROM a JOIN b ON a.x = b.x AND b.y = a.y", ["a.x = b.x and a.y = b.y"]),
        ("SELECT 1 FROM a JOIN b USING (x, y)", ["a.x = b.x and a.y = b.y"]),
        ("SELECT 1 FROM a JOIN b USING (k) JOIN c USING (k)", ["a.k = b.k", "a.k = c.k"]),
        ("SELECT 1 FROM e JOIN e AS boss ON boss.id = e.boss_id", ["e.id = e.boss_id"]),
        ("SELECT 1 FROM a JOIN b ON a.x = b.y OR a.x = b.z", ["a.x = b.y", "a.x = b.z"]),
        ("SELECT 1 FROM (SELECT dept AS d FROM emp) e JOIN dept ON dept.id = e.d", ["dept.id = emp.dept"]),
        ("SELECT 1 FROM a WHERE x IN (SELECT y FROM b)", ["a.x = b.y"]),
        ("SELECT 1 FROM a WHERE (a.x, a.y) IN (SELECT p, q FROM b)", ["a.x = b.p and a.y = b.q"]),
        ("SELECT 1 FROM a WHERE EXISTS (SELECT 1 FROM b WHERE b.x = a.y)", ["b.x = a.y"]),
        ("SELECT 1 FROM a JOIN b ON lower(a.x) = lower(CAST(b.y AS text))", ["a.x = b.y"]),
        ("SELECT 1 FROM a JOIN b ON a.id = b_id", ["a.id = b.b_id"]),
        ("SELECT 1 FROM a, b WHERE a.id = other", []),
        ("SELECT 1 FROM a JOIN b ON a.x = b.y + 1", []),
        ("SELECT 1 FROM a JOIN (SELECT max(y) AS y FROM b) q ON a.x = q.y", []),
        ("SELECT CASE WHEN a.x = b.y THEN 1 END FROM a, b", []),
    ],
)
def test_equal_columns_of_two_tables_are_joins(text: str, expected: list[str]) -> None:
    assert joins(text) == expected


def test_a_natural_join_needs_the_columns() -> None:
    known = {"a": frozenset({"id", "k", "x"}), "b": frozenset({"id", "k", "y"})}
    tree = sqlglot.parse_one("SELECT x FROM a NATURAL JOIN b")
    assert usage_of(tree).joins == ()
    usage = usage_of(tree, columns_of=lambda name: known.get(name.name))
    assert [(join.left_columns, join.right_columns) for join in usage.joins] == [(("id", "k"), ("id", "k"))]
    assert columns(usage)[-1] == "a.x"


def test_routines_that_are_called() -> None:
    assert use("SELECT dbo.price(a), rebate(b), count(*) FROM t", "tsql").calls == ("dbo.price", "rebate")
    assert use("SELECT * FROM sales.rows_of(1) r").calls == ("sales.rows_of",)
    assert use("CALL refresh(1)").calls == ("refresh",)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("SELECT a, b + c AS d FROM t", {"a": ["t.a"], "d": ["t.b", "t.c"]}),
        ("SELECT * FROM t", {"*": ["t.*"]}),
        ("SELECT u.*, 1 AS one FROM t u", {"*": ["t.*"], "one": []}),
        ("SELECT x FROM (SELECT a AS x FROM t) q", {"x": ["t.a"]}),
        ("SELECT a FROM t UNION ALL SELECT b FROM s", {"a": ["t.a", "s.b"]}),
        (
            "WITH RECURSIVE r(n) AS (SELECT id FROM t UNION ALL SELECT up FROM r, t) SELECT n FROM r",
            {"n": ["t.id", "t.up"]},
        ),
        ("SELECT (SELECT max(y) FROM s) AS m FROM t", {"m": ["s.y"]}),
        ("CREATE VIEW v (p, q) AS SELECT a, b FROM t", {"p": ["t.a"], "q": ["t.b"]}),
    ],
)
def test_lineage_of_a_views_columns(text: str, expected: dict[str, list[str]]) -> None:
    assert lineage(text) == expected


def test_lineage_takes_the_names_that_the_view_gives() -> None:
    assert lineage("SELECT a, b FROM t", "p", "q") == {"p": ["t.a"], "q": ["t.b"]}


def test_a_schema_narrows_the_candidates() -> None:
    known = {"users": frozenset({"id", "name"}), "orders": frozenset({"user_id", "total"})}
    usage = use("SELECT name, total, misspelt FROM users JOIN orders ON users.id = user_id JOIN log ON true")
    narrowed = resolved(usage, lambda name: known.get(name.name.casefold()))
    assert columns(narrowed) == ["users.id", "orders.user_id", "users.name", "orders.total", "log.misspelt"]
    alone = Usage(columns=(ColumnUse("misspelt", (Name("users"),)),))
    assert resolved(alone, lambda _: known["users"]) == Usage()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("BEGIN FOR r IN SELECT * FROM orders o, lines LOOP NULL; END LOOP; END", (["orders", "lines"], [], [])),
        (
            "insert into log(a) values (1); update users set x = 1; merge into t using s on 1",
            (["s"], ["log", "users", "t"], []),
        ),
        (
            "UPDATE o SET x = 1 FROM sales.orders AS o; DELETE FROM [old rows]",
            (["sales.orders"], ["sales.orders", "old rows"], []),
        ),
        ('WITH c AS (SELECT 1 FROM base) SELECT * FROM c JOIN "My T" ON 1', (["base", "My T"], [], [])),
        ("EXEC dbo.refresh @x = 1; CALL f(); PERFORM g.h(1)", ([], [], ["dbo.refresh", "f", "g.h"])),
        (
            "-- FROM a\n/* JOIN b */ SELECT 'FROM c', extract(year FROM d), trim(both FROM e) FROM real_one",
            (["real_one"], [], []),
        ),
        ("IF x IS DISTINCT FROM y THEN FETCH NEXT FROM cur INTO v; END IF", ([], [], [])),
        ("CREATE TRIGGER t AFTER UPDATE ON a FOR EACH ROW; SELECT 1 FROM b FOR UPDATE OF b", (["b"], [], [])),
        ("UPDATE p FOR PORTION OF at FROM '2024-07-01' TO '2024-08-01' SET r = 1; SELECT 1 FROM b", (["b"], ["p"], [])),
        ("SELECT * FROM #t JOIN unnest(x) u ON 1; TRUNCATE TABLE stage", ([], ["stage"], [])),
    ],
)
def test_text_that_no_parser_understands_still_names_its_tables(
    text: str, expected: tuple[list[str], list[str], list[str]]
) -> None:
    usage = usage_of_text(text)
    found = ([str(name) for name in usage.reads], [str(name) for name in usage.writes], list(usage.calls))
    assert found == expected


@pytest.mark.slow
def test_a_long_condition_is_read_and_a_deep_one_is_no_error() -> None:
    wide = " OR ".join(f"c{number} = {number}" for number in range(5_000))
    assert len(use(f"SELECT a FROM t WHERE {wide}").columns) == 5_001
    deep = "SELECT a FROM " + "(SELECT a FROM " * 40 + "t" + ") q" * 40
    assert columns(use(deep)) == ["t.a"]


def test_ctes_that_join_each_other_stay_small() -> None:
    steps = ", ".join(f"c{n} AS (SELECT * FROM c{n - 1} x JOIN c{n - 1} y ON x.k = y.k)" for n in range(1, 60))
    usage = use(f"WITH c0 AS (SELECT * FROM t), {steps} SELECT last FROM c59")
    assert columns(usage) == ["t.k", "t.last"]


WORDS = st.sampled_from(
    "SELECT FROM JOIN ON USING WITH AS ( ) , . a b t * = IN UNION INSERT INTO UPDATE SET DELETE VALUES 'x'".split()
)


@settings(max_examples=60, deadline=None)
@given(st.lists(WORDS, max_size=40).map(" ".join))
def test_no_text_is_an_error(text: str) -> None:
    usage = usage_of_text(text)
    assert usage_of_text(text) == usage
    try:
        trees = sqlglot.parse(text)
    except sqlglot.errors.SqlglotError:
        return
    for tree in trees:
        if tree is not None:
            usage_of(tree)
            lineage_of(tree)
