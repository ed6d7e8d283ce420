"""SQLite files that are asked for their schema."""

from __future__ import annotations

import re
import sqlite3
import threading
from contextlib import closing
from pathlib import Path

import pytest

from coderag.catalog.introspect.explain import explain
from coderag.catalog.introspect.introspect import inspect_database
from coderag.catalog.introspect.session import open_session
from coderag.catalog.introspect.url import parse_url
from coderag.errors import DatabaseError
from coderag.sql.ddl.parse_file import parse_file
from coderag.sql.records import CreateTable
from tests.catalog.introspect.shown import columns_of, shown, table_of
from tests.growth import HANG_SECONDS, must_end
from tests.workspace import SHOP

SCHEMA = """
-- Everybody who ever bought something.
CREATE TABLE customers (
    id       INTEGER PRIMARY KEY,
    email    VARCHAR(80) NOT NULL UNIQUE, -- in lower case
    country  TEXT NOT NULL DEFAULT 'DE',
    parent   INTEGER REFERENCES customers,
    status   TEXT CHECK (status IN ('open', 'closed')),
    initial  TEXT GENERATED ALWAYS AS (substr(email, 1, 1)) VIRTUAL
);
CREATE TABLE "order lines" (
    "order no." INTEGER,
    line        INTEGER,
    customer    INTEGER NOT NULL REFERENCES customers (id),
    quantity    REAL CHECK (quantity > 0),
    PRIMARY KEY ("order no.", line)
) WITHOUT ROWID;
CREATE TABLE returns (a INT, b INT, FOREIGN KEY (a, b) REFERENCES "order lines" ("order no.", line));
CREATE UNIQUE INDEX one_country ON customers (country, status);
CREATE UNIQUE INDEX some ON customers (status) WHERE status = 'open';
CREATE UNIQUE INDEX lower_email ON customers (lower(email));
CREATE VIEW revenue AS
    SELECT c.country, sum(o.quantity) AS total FROM "order lines" AS o JOIN customers AS c ON c.id = o.customer
    GROUP BY c.country;
CREATE TRIGGER changed AFTER UPDATE ON customers BEGIN DELETE FROM returns; END;
CREATE VIRTUAL TABLE notes USING fts5(title, body);
INSERT INTO customers (email, country, status) VALUES
    ('anna@example.com', 'DE', 'open'), ('ben@example.com', 'FR', 'closed');
ANALYZE;
"""

SHOWN = """\
table customers
    id INTEGER not null
    email VARCHAR(80) not null  -- in lower case
    country TEXT not null default 'DE'
    parent INTEGER
    status TEXT values open, closed
    initial TEXT generated substr(email, 1, 1)
    primary key id
    unique email
    unique country, status
    parent -> customers()
    check status IN ('open', 'closed')
external table notes
    title
    body
table order lines
    order no. INTEGER not null
    line INTEGER not null
    customer INTEGER not null
    quantity REAL
    primary key order no., line
    customer -> customers(id)
    check quantity > 0
table returns
    a INT
    b INT
    a, b -> order lines(order no., line)
view revenue
    country TEXT
    total
    reads order lines, customers
trigger changed() on customers writes returns"""


def made(path: Path, script: str) -> Path:
    """Make a file with what a script says."""
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(script)
    return path


def test_everything_is_read(tmp_path: Path) -> None:
    facts = inspect_database(str(made(tmp_path / "shop.db", SCHEMA)))
    assert shown(facts) == SHOWN
    assert facts.unparsed == ()
    assert (facts.dialect, facts.database) == ("sqlite", "shop")
    assert table_of(facts, "customers").row_count == 2
    assert table_of(facts, "returns").row_count == -1


def test_the_shop_is_what_its_ddl_says(tmp_path: Path) -> None:
    text = (SHOP / "schema/schema.sql").read_text(encoding="utf-8")
    live = inspect_database(str(made(tmp_path / "shop.db", text)))
    declared = parse_file(text.encode(), path="schema.sql", dialect="sqlite")
    wanted = {
        operation.table.name.name: operation.table
        for operation in declared.operations
        if isinstance(operation, CreateTable)
    }
    assert set(columns_of(live)) == set(wanted)
    for name, table in wanted.items():
        found = table_of(live, name)
        assert found.primary_key == table.primary_key
        assert set(found.unique) == set(table.unique)
        assert found.usage == table.usage
        assert found.checks == table.checks
        assert {(key.columns, key.table.key) for key in found.foreign_keys} == {
            (key.columns, key.table.key) for key in table.foreign_keys
        }
        for column, other in zip(found.columns, table.columns, strict=True):
            assert (column.name, column.comment, column.values) == (other.name, other.comment, other.values)


@pytest.mark.parametrize("name", ["größe #1?.db", "100%.db", "a b.sqlite"])
def test_a_file_may_be_called_anything(tmp_path: Path, name: str) -> None:
    path = made(tmp_path / name, "CREATE TABLE t (a)")
    assert columns_of(inspect_database(str(path))) == {"t": ["a"]}


def test_names_of_any_characters(tmp_path: Path) -> None:
    names = ["a.b", 'say "hi"', "it's", "größe", "semi;colon", "new\nline", ":objects", "SELECT", "--", "]"]
    quoted = [name.replace('"', '""') for name in names]
    script = ";".join(f'CREATE TABLE "{name}" ("{name}" TEXT UNIQUE)' for name in quoted)
    facts = inspect_database(str(made(tmp_path / "odd.db", script)), samples=1)
    assert columns_of(facts) == {name: [name] for name in sorted(names)}
    assert facts.unparsed == ()


def test_a_view_on_a_missing_table_is_named(tmp_path: Path) -> None:
    script = "CREATE TABLE t (a); CREATE TABLE u (a); CREATE VIEW v AS SELECT a FROM t; PRAGMA legacy_alter_table = 1;"
    facts = inspect_database(str(made(tmp_path / "broken.db", script + "DROP TABLE t")))
    assert columns_of(facts) == {"u": ["a"], "v": ["a"]}
    assert [str(name) for name in table_of(facts, "v").usage.reads] == ["t"]
    (lost,) = facts.unparsed
    assert (lost.head, lost.table) == ("VIEW main.v", True)
    assert "no such table: main.t" in lost.reason


def test_circles_of_keys_and_recursive_views(tmp_path: Path) -> None:
    script = """
        CREATE TABLE a (id INTEGER PRIMARY KEY, b INTEGER REFERENCES b);
        CREATE TABLE b (id INTEGER PRIMARY KEY, a INTEGER REFERENCES a, up INTEGER REFERENCES b);
        CREATE VIEW tree AS WITH RECURSIVE t(id, depth) AS
            (SELECT id, 0 FROM b WHERE up IS NULL UNION ALL SELECT b.id, depth + 1 FROM b JOIN t ON b.up = t.id)
            SELECT id, depth FROM t;
    """
    facts = inspect_database(str(made(tmp_path / "circle.db", script)))
    assert [str(key.table) for key in table_of(facts, "b").foreign_keys] == ["a", "b"]
    assert columns_of(facts)["tree"] == ["id", "depth"]
    assert [str(name) for name in table_of(facts, "tree").usage.reads] == ["b"]
    assert facts.unparsed == ()


def test_very_many_columns(tmp_path: Path) -> None:
    names = [f"c{number}" for number in range(2000)]
    facts = inspect_database(str(made(tmp_path / "wide.db", f"CREATE TABLE t ({', '.join(names)})")), samples=1)
    assert columns_of(facts) == {"t": names}


def test_a_missing_module_costs_its_table_alone(tmp_path: Path) -> None:
    path = made(tmp_path / "odd.db", "CREATE TABLE t (a); CREATE VIRTUAL TABLE v USING fts5(a)")
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(
            "PRAGMA writable_schema = 1; UPDATE sqlite_schema SET sql = replace(sql, 'fts5', 'gone') WHERE name = 'v'"
        )
    facts = inspect_database(str(path))
    assert columns_of(facts)["t"] == ["a"]
    assert ("TABLE main.v", "its columns cannot be read: no such module: gone") in [
        (lost.head, lost.reason) for lost in facts.unparsed
    ]


def test_what_is_no_database_is_an_error(tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.db"
    wrong.write_bytes(b"SQLite format 3\0" + b"x" * 2000)
    with pytest.raises(
        DatabaseError, match=r"cannot be read: (file is not a database|database disk image is malformed)"
    ):
        inspect_database(f"sqlite:///{wrong}")
    with pytest.raises(DatabaseError, match="there is no such file"):
        inspect_database(str(tmp_path / "missing.db"))
    assert not (tmp_path / "missing.db").exists()


def test_an_empty_file_is_an_empty_database(tmp_path: Path) -> None:
    (tmp_path / "empty.db").touch()
    assert inspect_database(str(tmp_path / "empty.db")).operations == ()


@pytest.mark.slow
def test_a_locked_file_is_given_up_in_time(tmp_path: Path) -> None:
    path = made(tmp_path / "busy.db", "CREATE TABLE t (a)")
    with closing(sqlite3.connect(path, isolation_level=None)) as writer:
        writer.execute("BEGIN EXCLUSIVE")
        with must_end(), pytest.raises(DatabaseError, match="database is locked"):
            inspect_database(str(path), timeout=1)
    with open_session(parse_url(str(path)), timeout=7) as session:
        assert session.rows("PRAGMA busy_timeout") == [{"timeout": 7000}]


def test_writers_beside_do_not_matter(tmp_path: Path) -> None:
    path = made(tmp_path / "busy.db", "PRAGMA journal_mode = WAL; CREATE TABLE stays (a)")
    done = threading.Event()

    def work() -> None:
        with closing(sqlite3.connect(path, isolation_level=None)) as writer:
            while not done.is_set():
                writer.executescript("CREATE TABLE goes (a); INSERT INTO goes VALUES (1); DROP TABLE goes")

    thread = threading.Thread(target=work)
    thread.start()
    try:
        read = [inspect_database(str(path), samples=1) for _ in range(20)]
    finally:
        done.set()
        thread.join()
    assert all(columns_of(facts)["stays"] == ["a"] and facts.unparsed == () for facts in read)


@pytest.mark.slow
def test_nothing_can_be_written(tmp_path: Path) -> None:
    path = made(tmp_path / "shop.db", "CREATE TABLE t (a)")
    with open_session(parse_url(str(path)), timeout=HANG_SECONDS) as session:
        for statement in ("CREATE TABLE x (a)", "DELETE FROM t"):
            with pytest.raises(DatabaseError, match="attempt to write a readonly database"):
                session.rows(statement)
    with open_session(parse_url(str(path)), timeout=1) as session:
        endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
        with pytest.raises(DatabaseError, match="took longer than 1 s"):
            session.rows(endless)


def test_samples_show_values_and_no_people(tmp_path: Path) -> None:
    script = """
        CREATE TABLE users (id INTEGER PRIMARY KEY, name, email, plan, note, created_at INTEGER, picture BLOB, iban);
        INSERT INTO users VALUES (1, 'Anna', 'a@example.com', 'free', 'calls from +49 30 1234567', 1700000000, x'00', 'DE89370400440532013000');
        INSERT INTO users VALUES (2, 'Ben', 'b@example.com', 'free', 'calls', 1700000000, x'00', NULL);
        INSERT INTO users VALUES (3, 'Cleo', 'c@example.com', 'paid', NULL, 1700000001, x'00', '');
        CREATE VIEW v AS SELECT * FROM users;
    """  # noqa: E501
    facts = inspect_database(str(made(tmp_path / "shop.db", script)), samples=2)
    values = {column.name: column.values for column in table_of(facts, "users").columns}
    assert {name: found for name, found in values.items() if found} == {
        "plan": ("free", "paid"),
        "note": ("calls", "calls from <phone>"),
        "created_at": ("1700000000", "1700000001"),
    }
    assert all(column.values == () for column in table_of(facts, "v").columns)


def test_text_that_is_no_utf8_is_read(tmp_path: Path) -> None:
    path = made(tmp_path / "old.db", "CREATE TABLE t (a TEXT); INSERT INTO t VALUES (CAST(x'4dfc' AS TEXT))")
    assert table_of(inspect_database(str(path), samples=1), "t").columns[0].values == ("M\ufffd",)


def test_a_query_is_explained_and_not_run(tmp_path: Path) -> None:
    path = str(made(tmp_path / "shop.db", "CREATE TABLE t (a)"))
    assert re.search(r"SCAN t", explain(path, "SELECT a FROM t").plan)
    assert explain(path, "SELECT b FROM t").error == "no such column: b"
    with pytest.raises(DatabaseError, match="only a single SELECT is explained"):
        explain(path, "SELECT 1; DELETE FROM t")
