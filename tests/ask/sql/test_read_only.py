"""SQL that only reads is told from SQL that does more, and neither parser nor transaction lets the latter through."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from coderag.ask.sql.read_only import limited, objection, read_only
from coderag.ask.sql.running import run_query
from coderag.catalog.introspect.errors import SlowDatabaseError
from coderag.catalog.introspect.session import open_session
from coderag.catalog.introspect.url import parse_url
from coderag.errors import DatabaseError, QueryError
from coderag.sql.statements.dialect import find_dialect
from tests.ask.sql.hostile import HOSTILE, READING, WRITING
from tests.catalog.introspect.servers import run_mariadb, run_postgres

SETUP = (
    "CREATE TABLE orders (id INTEGER PRIMARY KEY, status VARCHAR(20), total INTEGER)",
    "INSERT INTO orders VALUES (1, 'paid', 30), (2, 'open', 20), (3, 'paid', 10)",
)
ALL = "SELECT id, status, total FROM orders ORDER BY id"
ROWS = ((1, "paid", 30), (2, "open", 20), (3, "paid", 10))
DATABASES = ("sqlite", "duckdb", "postgres", "mysql")
ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i > 0) SELECT COUNT(*) FROM n"


@pytest.fixture(scope="module")
def sqlite_url(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("sqlite") / "shop.db"
    with closing(sqlite3.connect(path)) as connection, connection:
        for statement in SETUP:
            connection.execute(statement)
    return f"sqlite:///{path}"


@pytest.fixture(scope="module")
def duckdb_url(tmp_path_factory: pytest.TempPathFactory) -> str:
    duckdb = pytest.importorskip("duckdb")
    path = tmp_path_factory.mktemp("duckdb") / "shop.duckdb"
    with duckdb.connect(str(path)) as connection:
        for statement in SETUP:
            connection.execute(statement)
    return f"duckdb:///{path}"


@pytest.fixture(scope="module")
def postgres_url() -> Iterator[str]:
    with run_postgres() as server:
        yield server.database("shop", *SETUP, "CREATE SEQUENCE numbers")


@pytest.fixture(scope="module")
def mysql_url() -> Iterator[str]:
    with run_mariadb() as server:
        yield server.database("shop", *SETUP)


@pytest.fixture
def url(request: pytest.FixtureRequest) -> Any:
    return request.getfixturevalue(f"{request.param}_url")


@pytest.mark.parametrize(("name", "sql"), [(name, sql) for name, texts in HOSTILE.items() for sql in texts])
def test_what_does_more_than_read_is_refused(name: str, sql: str) -> None:
    assert objection(sql, find_dialect(name))
    with pytest.raises(QueryError, match="only a single SELECT is run: "):
        read_only(sql, find_dialect(name))


@pytest.mark.parametrize(("name", "sql"), [(name, sql) for name, texts in READING.items() for sql in texts])
def test_what_reads_is_not_refused(name: str, sql: str) -> None:
    assert objection(sql, find_dialect(name)) == ""


def test_what_a_server_takes_for_sql_in_a_comment_is_left_out() -> None:
    text = read_only("SELECT 1 /*! INTO OUTFILE '/tmp/x' */ -- one\n , '/* two */' # three", find_dialect("mysql"))
    assert text == "SELECT 1\n, '/* two */'"


@pytest.mark.parametrize(
    ("sql", "text"),
    [
        ("SELECT 1", "SELECT 1\nLIMIT 10"),
        ("SELECT 1 LIMIT 10", "SELECT 1 LIMIT 10"),
        ("SELECT 1 LIMIT 11", "SELECT 1 LIMIT 10"),
        ("SELECT 1 LIMIT 5 + 6", "SELECT 1 LIMIT 10"),
        ("SELECT 1 UNION SELECT 2", "SELECT 1 UNION SELECT 2\nLIMIT 10"),
        ("SELECT a FROM (SELECT 1 AS a LIMIT 99) AS t", "SELECT a FROM (SELECT 1 AS a LIMIT 99) AS t\nLIMIT 10"),
        ("SELECT 1 FETCH FIRST 3 ROWS ONLY", "SELECT 1 FETCH FIRST 3 ROWS ONLY"),
    ],
)
def test_rows_are_limited(sql: str, text: str) -> None:
    assert limited(sql, find_dialect("postgres"), rows=10) == text


@pytest.mark.slow
@pytest.mark.parametrize("url", DATABASES, indirect=True)
def test_a_query_runs_with_limits_of_rows_and_time(url: str) -> None:
    whole = run_query(url, f"{ALL}; -- of all")
    assert (whole.columns, whole.rows, whole.more) == (("id", "status", "total"), ROWS, False)
    first = run_query(url, ALL, rows=2)
    assert (first.rows, first.more) == (ROWS[:2], True)
    twice = run_query(url, "SELECT a.id, b.id FROM orders AS a JOIN orders AS b ON b.id = a.id + 1 ORDER BY a.id")
    assert twice.columns == ("id", "id")
    assert twice.rows == ((1, 2), (2, 3))


@pytest.mark.slow
@pytest.mark.parametrize("url", DATABASES, indirect=True)
def test_a_query_that_a_database_does_not_know_is_its_error(url: str) -> None:
    with pytest.raises(DatabaseError, match=r"(?i)nothing"):
        run_query(url, "SELECT nothing FROM orders")


@pytest.mark.slow
@pytest.mark.parametrize("url", ["sqlite", "postgres"], indirect=True)
def test_a_query_without_end_is_ended(url: str) -> None:
    with pytest.raises(SlowDatabaseError, match="took longer than 1 s"):
        run_query(url, ENDLESS, timeout=1)


@pytest.mark.slow
@pytest.mark.parametrize("url", DATABASES, indirect=True)
@pytest.mark.parametrize("sql", WRITING)
def test_the_parser_lets_nothing_through_to_a_database(url: str, sql: str) -> None:
    with pytest.raises(QueryError, match="only a single SELECT is run"):
        run_query(url, sql)
    assert run_query(url, ALL).rows == ROWS


@pytest.mark.slow
@pytest.mark.parametrize("url", DATABASES, indirect=True)
@pytest.mark.parametrize("sql", [sql for sql in WRITING if ";" not in sql])
def test_the_transaction_itself_refuses_to_write(url: str, sql: str) -> None:
    """Beneath the parser: the statement reaches the database, which does not do it."""
    with open_session(parse_url(url), timeout=10) as session, pytest.raises(DatabaseError):
        session.table(sql)
    assert run_query(url, ALL).rows == ROWS
    with pytest.raises(DatabaseError):
        run_query(url, "SELECT a FROM evil")


@pytest.mark.parametrize("url", ["sqlite", pytest.param("postgres", marks=pytest.mark.slow)], indirect=True)
def test_the_connection_takes_one_statement(url: str) -> None:
    with open_session(parse_url(url), timeout=10) as session, pytest.raises(DatabaseError):
        session.table("SELECT 1; DELETE FROM orders")
    assert run_query(url, ALL).rows == ROWS


@pytest.mark.slow
@pytest.mark.parametrize(
    "sql",
    [
        "SELECT nextval('numbers')",
        "SELECT setval('numbers', 7)",
        "WITH gone AS (DELETE FROM orders RETURNING id) SELECT id FROM gone",
        "SELECT * INTO evil FROM orders",
        "SELECT * FROM orders FOR UPDATE",
        "SELECT lo_creat(-1)",
        "DO $$ BEGIN DELETE FROM orders; END $$",
        "SET TRANSACTION READ WRITE",
        "SELECT set_config('transaction_read_only', 'off', true)",
    ],
)
def test_postgres_refuses_what_writes_in_a_query(postgres_url: str, sql: str) -> None:
    with open_session(parse_url(postgres_url), timeout=10) as session:
        session.table("SELECT 1")
        with pytest.raises(DatabaseError):
            session.table(sql)
    assert run_query(postgres_url, ALL).rows == ROWS


@pytest.mark.slow
@pytest.mark.parametrize("sql", ["ATTACH '{folder}/evil.db' AS evil", "VACUUM INTO '{folder}/evil.db'"])
def test_sqlite_writes_no_other_file(sqlite_url: str, tmp_path: Path, sql: str) -> None:
    with open_session(parse_url(sqlite_url), timeout=10) as session, pytest.raises(DatabaseError):
        session.table(sql.format(folder=tmp_path))
    assert list(tmp_path.iterdir()) == []
