"""DuckDB files that are asked for their schema."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from coderag.catalog.introspect.explain import explain
from coderag.catalog.introspect.introspect import inspect_database
from coderag.catalog.introspect.session import open_session
from coderag.catalog.introspect.url import parse_url
from coderag.errors import DatabaseError
from tests.catalog.introspect.shown import columns_of, shown, table_of
from tests.growth import HANG_SECONDS

duckdb: Any = pytest.importorskip("duckdb")

SCHEMA = """
CREATE SCHEMA crm;
CREATE TYPE mood AS ENUM ('sad', 'it''s fine');
CREATE SEQUENCE numbers;
CREATE TABLE crm.customers (
    id      INTEGER PRIMARY KEY DEFAULT nextval('numbers'),
    email   VARCHAR NOT NULL UNIQUE,
    mood    mood DEFAULT 'sad',
    status  VARCHAR CHECK (status IN ('open', 'closed')),
    a       INTEGER,
    b       INTEGER,
    twice   INTEGER GENERATED ALWAYS AS (a * 2),
    lives   STRUCT(street VARCHAR, city VARCHAR),
    UNIQUE (a, b)
);
COMMENT ON TABLE crm.customers IS 'Everybody who ever bought something';
COMMENT ON COLUMN crm.customers.status IS 'Whether they may buy';
CREATE TABLE crm.visits (a INTEGER, b INTEGER, customer INTEGER REFERENCES crm.customers (id),
    FOREIGN KEY (a, b) REFERENCES crm.customers (a, b));
CREATE TABLE events (happened TIMESTAMPTZ, "what else" VARCHAR);
CREATE UNIQUE INDEX one_event ON events ("what else", happened);
CREATE UNIQUE INDEX lower_event ON events (lower("what else"));
CREATE VIEW open_customers AS SELECT id, c.email AS address FROM crm.customers AS c WHERE status = 'open';
COMMENT ON VIEW open_customers IS 'Those who may buy';
CREATE MACRO add(a, b) AS a + b;
CREATE MACRO customers_in(wanted) AS TABLE SELECT * FROM crm.customers WHERE status = wanted;
INSERT INTO crm.customers (id, email, status, a, b) VALUES
    (1, 'anna@example.com', 'open', 1, 1), (2, 'ben@example.com', 'open', 1, 2);
"""

SHOWN = """\
enum mood sad, it's fine
table crm.customers  -- Everybody who ever bought something
    id INTEGER not null identity
    email VARCHAR not null
    mood ENUM('sad', 'it''s fine') default 'sad' values sad, it's fine
    status VARCHAR values open, closed  -- Whether they may buy
    a INTEGER
    b INTEGER
    twice INTEGER generated (a * 2)
    lives STRUCT(street VARCHAR, city VARCHAR)
    primary key id
    unique email
    unique a, b
    check status IN ('open', 'closed')
table crm.visits
    a INTEGER
    b INTEGER
    customer INTEGER
    customer -> crm.customers(id)
    a, b -> crm.customers(a, b)
table events
    happened TIMESTAMP WITH TIME ZONE
    what else VARCHAR
    unique what else, happened
view open_customers  -- Those who may buy
    id INTEGER
    address VARCHAR
    reads crm.customers
function add(a, b)
function customers_in(wanted) returns TABLE reads crm.customers"""


def made(path: Path, script: str) -> Path:
    """Make a file with what a script says."""
    with duckdb.connect(str(path)) as connection:
        connection.execute(script)
    return path


@pytest.mark.slow
def test_everything_is_read(tmp_path: Path) -> None:
    facts = inspect_database(str(made(tmp_path / "shop.duckdb", SCHEMA)))
    assert shown(facts) == SHOWN
    assert facts.unparsed == ()
    assert (facts.dialect, facts.database) == ("duckdb", "shop")
    assert table_of(facts, "customers").row_count == 2


def test_a_file_of_any_ending_is_known_by_its_content(tmp_path: Path) -> None:
    path = made(tmp_path / "shop.db", "CREATE TABLE t (a INTEGER)")
    assert parse_url(str(path)).dialect == "duckdb"
    assert columns_of(inspect_database(str(path))) == {"t": ["a"]}


def test_names_of_any_characters(tmp_path: Path) -> None:
    names = ["a.b", 'say "hi"', "it's", "größe", "semi;colon", "new\nline", "$schemas", ":schemas", "SELECT"]
    quoted = [name.replace('"', '""') for name in names]
    script = ";".join(f'CREATE TABLE "{name}" ("{name}" VARCHAR UNIQUE)' for name in quoted)
    facts = inspect_database(str(made(tmp_path / "odd.duckdb", script)), samples=1)
    assert columns_of(facts) == {name: [name] for name in sorted(names)}
    assert facts.unparsed == ()


def test_a_view_on_a_missing_table_is_read(tmp_path: Path) -> None:
    script = "CREATE TABLE t (a INTEGER); CREATE VIEW v AS SELECT a FROM t; DROP TABLE t; CREATE TABLE u (a INTEGER)"
    facts = inspect_database(str(made(tmp_path / "broken.duckdb", script)))
    assert columns_of(facts) == {"u": ["a"], "v": ["a"]}
    assert [str(name) for name in table_of(facts, "v").usage.reads] == ["t"]


def test_a_view_reaches_no_other_file(tmp_path: Path) -> None:
    other = tmp_path / "other.csv"
    other.write_text("a\n1\n")
    path = made(tmp_path / "shop.duckdb", f"CREATE VIEW v AS SELECT * FROM read_csv('{other}')")
    assert table_of(inspect_database(str(path), samples=3), "v").query
    assert "disabled" in explain(str(path), f"SELECT * FROM read_csv('{other}')").error


def test_what_is_no_database_is_an_error(tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.duckdb"
    wrong.write_bytes(b"\0" * 8 + b"DUCK" + b"x" * 5000)
    with pytest.raises(DatabaseError, match="cannot be opened: "):
        inspect_database(str(wrong))
    with pytest.raises(DatabaseError, match="there is no such file"):
        inspect_database(str(tmp_path / "missing.duckdb"))


@pytest.mark.slow
def test_a_file_that_another_process_writes_is_an_error(tmp_path: Path) -> None:
    path = made(tmp_path / "shop.duckdb", "CREATE TABLE t (a INTEGER)")
    script = f"import duckdb; c = duckdb.connect({str(path)!r}); print('open', flush=True); input()"
    with subprocess.Popen(
        [sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "open\n"
        with pytest.raises(DatabaseError, match=r"cannot be opened: .*lock"):
            inspect_database(str(path))
        other.communicate("\n")


@pytest.mark.slow
def test_nothing_can_be_written(tmp_path: Path) -> None:
    path = made(tmp_path / "shop.duckdb", "CREATE TABLE t (a INTEGER)")
    with open_session(parse_url(str(path)), timeout=HANG_SECONDS) as session:
        for statement in ("CREATE TABLE x (a INTEGER)", "DELETE FROM t"):
            with pytest.raises(DatabaseError, match="read-only"):
                session.rows(statement)
    with (
        open_session(parse_url(str(path)), timeout=1) as session,
        pytest.raises(DatabaseError, match="took longer than 1 s"),
    ):
        session.rows("SELECT count(*) FROM range(1000000) AS a, range(1000000) AS b WHERE a.range * b.range = 7")


@pytest.mark.slow
def test_samples_show_values_and_no_people(tmp_path: Path) -> None:
    script = """
        CREATE TABLE users (id INTEGER PRIMARY KEY, name VARCHAR, email VARCHAR, plan VARCHAR, price DECIMAL(8, 2));
        INSERT INTO users VALUES (1, 'Anna', 'a@example.com', 'free', 0), (2, 'Ben', 'b@example.com', 'free', 0);
        CREATE TABLE numbers AS SELECT range AS n, range % 7 AS day FROM range(300000);
    """
    facts = inspect_database(str(made(tmp_path / "shop.duckdb", script)), samples=2)
    values = {column.name: column.values for column in table_of(facts, "users").columns}
    assert {name: found for name, found in values.items() if found} == {"plan": ("free",), "price": ("0.00",)}
    assert {len(column.values) for column in table_of(facts, "numbers").columns} == {2}


def test_a_query_is_explained_and_not_run(tmp_path: Path) -> None:
    path = str(made(tmp_path / "shop.duckdb", "CREATE TABLE t (a INTEGER)"))
    assert "t" in explain(path, "SELECT a FROM t").plan
    assert 'column "b" not found' in explain(path, "SELECT b FROM t").error
    with pytest.raises(DatabaseError, match="only a single SELECT is explained"):
        explain(path, "SELECT 1; DELETE FROM t")
