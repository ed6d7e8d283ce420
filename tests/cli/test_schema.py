"""`coderag schema`, `tables`, `table`, `erd`, `check-sql`, and databases given to `coderag index`."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from tests.cli.conftest import ENVIRONMENT, REPOSITORY, Run
from tests.commands import run_here
from tests.growth import HANG_SECONDS

pytestmark = pytest.mark.slow

WRONG = "SELECT c.nmae\nFROM customers c JOIN orders o ON o.customer_id = c.id\n"


@pytest.fixture(scope="module")
def coderag() -> Run:
    """Run commands in this process."""
    return run_here


def test_schema_is_ddl_with_joins_and_places(coderag: Run, shop: Path) -> None:
    done = coderag("schema", "payment", "attempts", "by", "customer", cwd=shop)
    assert done.returncode == 0
    assert done.stdout.startswith("-- SQLite (the whole schema)\n")
    assert "CREATE TABLE payment_attempts (\n  id INTEGER PRIMARY KEY,\n" in done.stdout
    assert "payment_attempts.payment_id = payments.id  (declared, schema/schema.sql:127)" in done.stdout


def test_schema_as_json_markdown_and_explained(coderag: Run, shop: Path) -> None:
    found = json.loads(coderag("schema", "payments", "--json", "--budget", "600", cwd=shop).stdout)
    assert not found["complete"]
    first = found["tables"][0]
    assert (first["name"], first["path"], first["line"]) == ("payments", "schema/schema.sql", 109)
    assert {"table": "payments", "column": "id"} in found["columns"]
    markdown = coderag("schema", "payments", "--format", "markdown", cwd=shop).stdout
    assert "### payments" in markdown
    assert "-- why: " in coderag("schema", "payments", "--explain", cwd=shop).stdout
    assert "values: " not in coderag("schema", "payments", "--no-samples", cwd=shop).stdout


def test_schema_answers_a_stream_of_questions(coderag: Run, shop: Path) -> None:
    lines = [
        '{"question": "failed payments", "k": 2}',
        '{"question": "failed payments", "paths": ["nowhere.sql"]}',
        '{"question": "stock", "budget": 300}',
        '{"question": 3}',
        "no json",
        '{"question": "x", "depth": 2}',
    ]
    done = coderag("schema", "--batch", cwd=shop, stdin="\n".join(lines) + "\n\n")
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert answers[0]["tables"][0]["name"] == "payments"
    assert len(answers[0]["tables"]) == 2
    assert answers[1]["tables"] == []
    assert answers[2]["text"].startswith("-- SQLite")
    assert [next(iter(answer)) for answer in answers[3:]] == ["error", "error", "error"]


def test_tables_are_listed_and_chosen(coderag: Run, shop: Path) -> None:
    assert len(coderag("tables", cwd=shop).stdout.splitlines()) == 19
    names = [line.split()[0] for line in coderag("tables", "order*", cwd=shop).stdout.splitlines()[1:]]
    assert names == ["orders", "order_items", "order_events"]
    records = json.loads(coderag("tables", "--json", "--path", "schema/schema.sql", cwd=shop).stdout)
    assert {record["kind"] for record in records} == {"table", "view"}
    none = coderag("tables", "zzz*", cwd=shop)
    assert (none.returncode, none.stderr) == (1, "coderag: no table is like this\n")
    wrong = coderag("tables", "--database", "zzz", cwd=shop)
    assert (wrong.returncode, wrong.stderr) == (2, "coderag: no table is of the database 'zzz'; known are shop\n")


def test_table_shows_all_that_is_known(coderag: Run, shop: Path) -> None:
    text = coderag("table", "payments", cwd=shop).stdout
    for part in ("order_id → shop.orders (id)", "shop.monthly_revenue", "renamed to gateway_reference", "stuck"):
        assert part in text
    (record,) = json.loads(coderag("table", "shop.payments", "--json", cwd=shop).stdout)
    assert record["primary_key"] == ["id"]
    assert record["history"][0]["text"] == "created"
    missing = coderag("table", "paymnts", cwd=shop)
    assert missing.returncode == 1
    assert missing.stderr.startswith("coderag: no table is named 'paymnts'; did you mean payments")


def test_erd_draws_named_tables_with_what_connects_them(coderag: Run, shop: Path, tmp_path: Path) -> None:
    drawn = coderag("erd", "payments", "customers", cwd=shop).stdout
    assert [line.split()[0] for line in drawn.splitlines() if line.endswith("{")] == ["payments", "customers", "orders"]
    picture = tmp_path / "schema.svg"
    done = coderag("erd", "--output", picture, cwd=shop)
    assert done.stderr == f"coderag: 18 tables drawn in {picture}, as svg\n"
    assert picture.read_text().startswith("<svg ")
    asked = json.loads(coderag("erd", "failed", "payments", "of", "customers", "--json", "-k", "3", cwd=shop).stdout)
    assert "shop.payments" in asked["tables"]


def test_check_sql_underlines_what_is_wrong(coderag: Run, shop: Path, tmp_path: Path) -> None:
    done = coderag("check-sql", "-", cwd=shop, stdin=WRONG)
    assert (done.returncode, done.stderr) == (1, "coderag: 1 error, 0 warnings\n")
    assert done.stdout == (
        "<stdin>:1:10: error[unknown-column] c has no column nmae\n"
        "  SELECT c.nmae\n"
        "           ^^^^\n"
        "  did you mean c.full_name?\n"
    )
    file = tmp_path / "good.sql"
    file.write_text("SELECT full_name FROM customers;\n")
    good = coderag("check-sql", file, cwd=shop)
    assert (good.returncode, good.stdout, good.stderr) == (0, "", "coderag: nothing is wrong\n")
    (record,) = json.loads(coderag("check-sql", "-", "--json", cwd=shop, stdin=WRONG).stdout)
    assert (record["code"], record["suggestions"]) == ("unknown-column", ["c.full_name"])
    file.write_text("DELETE FROM customers WHERE id = 3")
    assert coderag("check-sql", file, cwd=shop).returncode == 1
    assert coderag("check-sql", file, "--allow-writes", cwd=shop).returncode == 0


def test_check_sql_takes_a_statement(coderag: Run, shop: Path) -> None:
    done = coderag("check-sql", "SELECT nmae FROM customers", cwd=shop)
    assert done.returncode == 1
    assert done.stdout.startswith("<sql>:1:8: error[unknown-column]")
    assert coderag("check-sql", "no such file.sql", cwd=shop).returncode == 2


@pytest.mark.parametrize("arguments", [("schema", "x"), ("tables",), ("erd",), ("check-sql", "-")])
def test_a_folder_without_a_schema_says_so(arguments: tuple[str, ...], coderag: Run, project: Path) -> None:
    done = coderag(*arguments, cwd=project, stdin="SELECT 1 FROM t")
    assert done.returncode in (1, 2)
    assert done.stderr.splitlines()[-1].startswith(("coderag: no table", "coderag: there is no"))


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = tmp_path / "data/orders.db"
    path.parent.mkdir()
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(
            "CREATE TABLE customers (id INTEGER PRIMARY KEY, email TEXT, country TEXT);"
            "CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customers (id));"
            "INSERT INTO customers VALUES (1, 'ann@example.org', 'Norway'), (2, 'bob@example.org', 'Chile');"
        )
    return path


def test_a_database_joins_the_index_of_a_folder(coderag: Run, project: Path, database: Path) -> None:
    done = coderag("index", ".", f"sqlite:///{database}", cwd=project)
    assert done.returncode == 0, done.stderr
    assert "orders: sqlite, 2 tables, asked 20" in done.stdout
    assert coderag("search", "cart total", cwd=project).returncode == 0
    assert "orders.customer_id = customers.id" in coderag("schema", "orders by customer", cwd=project).stdout
    stored = b"".join(path.read_bytes() for path in (project / ".coderag").rglob("*") if path.is_file())
    assert b"Norway" not in stored
    assert coderag("index", str(database), "--samples", "2", cwd=project).returncode == 0
    text = coderag("table", "customers", cwd=project).stdout
    assert "Norway" in text
    assert "ann@" not in text
    explained = coderag(
        *("check-sql", "-", "--url", f"sqlite:///{database}"), cwd=project, stdin="SELECT no_such() FROM orders"
    )
    assert explained.returncode == 1
    assert "no such function" in explained.stdout
    known = coderag("check-sql", "-", cwd=project, stdin="SELECT no_such() FROM orders")
    assert "no such function" in known.stdout  # asked without an address, as the file is known
    assert coderag("index", str(database), "--forget", cwd=project).stderr.endswith("is forgotten\n")
    assert coderag("tables", cwd=project).returncode == 1


def test_a_database_that_does_not_answer_changes_nothing(coderag: Run, project: Path, database: Path) -> None:
    assert coderag("index", ".", str(database), cwd=project).returncode == 0
    failed = coderag("index", "postgresql://me:hunter2@127.0.0.1:9/shop", "--timeout", "3", cwd=project)
    assert failed.returncode == 2
    assert len(failed.stderr.splitlines()) == 1
    assert "hunter2" not in failed.stderr
    assert len(coderag("tables", cwd=project).stdout.splitlines()) == 3


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("oracle://x/y", "oracle:// is no database that coderag asks; known are postgresql://"),
        ("broken.db", "file is not a database"),
        ("missing.sqlite", "there is no such file"),
        ("sqlite:///", "give the path of a file"),
    ],
)
def test_what_is_no_database_is_said_in_one_line(given: str, said: str, coderag: Run, project: Path) -> None:
    (project / "broken.db").write_text("no database\n" * 10)
    done = coderag("index", given, cwd=project)
    assert done.returncode == 2
    assert said in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_status_names_dialects_databases_and_what_was_lost(coderag: Run, tmp_path: Path) -> None:
    sql = "CREATE TABLE t (id SERIAL, x jsonb);\nCREATE TABLE (((;\nALTER TABLE gone ADD y int;\n"
    (tmp_path / "dump.sql").write_text(sql)
    done = coderag("index", cwd=tmp_path)
    assert "schema     1 table" in done.stdout
    assert "dialects   postgres 1 (1 file)" in done.stdout
    verbose = coderag("status", "--verbose", cwd=tmp_path).stdout
    assert "dump.sql:2: CREATE TABLE" in verbose
    assert "dump.sql:3: " in verbose
    record = json.loads(coderag("status", "--json", cwd=tmp_path).stdout)[0]["schema"]
    assert (record["tables"], record["files"][0]["dialect"], len(record["unparsed"])) == (1, "postgres", 1)


def test_schema_prints_a_prompt_and_check_sql_reads_the_answer(coderag: Run, shop: Path) -> None:
    prompt = coderag("schema", "revenue by country", "--prompt", "--evidence", "net", "--budget", "900", cwd=shop)
    assert prompt.returncode == 0, prompt.stderr
    assert prompt.stdout.startswith("Write one SQLite query that answers the question.")
    assert prompt.stdout.endswith("```\n\nKnown: net\n\nQuestion: revenue by country\n")
    parts = json.loads(coderag("schema", "revenue by country", "--prompt", "--json", cwd=shop).stdout)
    assert list(parts) == ["instructions", "schema", "evidence", "question"]
    answer = "Here it is:\n```sql\nSELECT contry FROM orders\n```\nDone.\n"
    checked = coderag("check-sql", "-", cwd=shop, stdin=answer)
    assert checked.returncode == 1
    assert checked.stdout.startswith("<stdin>:3:8: error[unknown-column] no table of this query has a column contry\n")


def test_the_script_prints_the_same_prompt(coderag: Run, shop: Path) -> None:
    script = [sys.executable, str(REPOSITORY / "scripts/sql_context.py"), "revenue by country", "--root", str(shop)]
    done = subprocess.run(script, env=ENVIRONMENT, capture_output=True, text=True, timeout=HANG_SECONDS, check=False)
    assert done.stdout == coderag("schema", "revenue by country", "--prompt", cwd=shop).stdout
