"""`coderag sql` prints rows, and says what is wrong in one line."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import ENVIRONMENT, Run
from tests.commands import run_here

SQL = "SELECT name, columns_of.n FROM tables JOIN (SELECT table_id, count(*) AS n FROM columns GROUP BY 1) columns_of "
SQL += "USING (table_id) WHERE name IN ('jobs', 'orders') ORDER BY name"
MANY = "SELECT path, NULL AS nothing, 1.5 AS half, TIMESTAMP '2026-01-02' AS day, ['a', 'b|'] AS names FROM files "
MANY += "WHERE path = 'README.md'"


@pytest.fixture(scope="module")
def coderag() -> Run:
    """Run commands in this process."""
    return run_here


def test_text(shop: Path, coderag: Run) -> None:
    done = coderag("sql", SQL, cwd=shop)
    assert (done.returncode, done.stdout.split()) == (0, ["name", "n", "jobs", "8", "orders", "11"])


@pytest.mark.parametrize(
    ("form", "printed"),
    [
        (
            "text",
            "path       nothing  half  day                  names\n"
            "README.md            1.5  2026-01-02T00:00:00  a, b|\n",
        ),
        (
            "markdown",
            "| path | nothing | half | day | names |\n| --- | --- | ---: | --- | --- |\n"
            "| README.md |  | 1.5 | 2026-01-02T00:00:00 | a, b&#124; |\n",
        ),
        ("csv", 'path,nothing,half,day,names\nREADME.md,,1.5,2026-01-02T00:00:00,"a, b|"\n'),
    ],
)
def test_formats(form: str, printed: str, shop: Path, coderag: Run) -> None:
    assert coderag("sql", MANY, "--format", form, cwd=shop).stdout == printed


def test_json_and_lines(shop: Path, coderag: Run) -> None:
    row = {"path": "README.md", "nothing": None, "half": 1.5, "day": "2026-01-02T00:00:00", "names": ["a", "b|"]}
    assert json.loads(coderag("sql", MANY, "--json", cwd=shop).stdout) == [row]
    assert json.loads(coderag("sql", MANY, "--format", "jsonl", cwd=shop).stdout) == row


def test_from_stdin_and_from_a_file(shop: Path, coderag: Run, tmp_path: Path) -> None:
    query = tmp_path / "query.sql"
    query.write_text(f"{SQL};\n")
    shown = coderag("sql", SQL, cwd=shop).stdout
    assert coderag("sql", "-", cwd=shop, stdin=SQL).stdout == shown
    assert coderag("sql", "--file", query, cwd=shop).stdout == shown


def test_files_are_written_whole(shop: Path, coderag: Run, tmp_path: Path) -> None:
    done = coderag("sql", "SELECT path FROM files", "-o", tmp_path / "files.csv", cwd=shop)
    assert (done.returncode, done.stdout) == (0, "")
    assert len(list(csv.reader((tmp_path / "files.csv").read_text().splitlines()))) == 86
    done = coderag("sql", "SELECT path FROM files", "-o", tmp_path / "files.parquet", cwd=shop)
    assert "85 rows" in done.stderr
    assert (tmp_path / "files.parquet").read_bytes()[:4] == b"PAR1"


def test_exit_codes_and_errors(shop: Path, coderag: Run) -> None:
    nothing = coderag("sql", "FROM files WHERE false", cwd=shop)
    assert (nothing.returncode, nothing.stdout, nothing.stderr) == (1, "", "coderag: no row\n")
    wrong = coderag("sql", "FROM fils", cwd=shop)
    assert (wrong.returncode, wrong.stderr) == (2, "coderag: there is no table fils; did you mean files?\n")
    assert coderag("sql", cwd=shop).returncode == 2
    assert coderag("sql", "FROM files", "--format", "parquet", cwd=shop).returncode == 2
    cut = coderag("sql", "FROM files", "-k", "1", cwd=shop)
    assert (cut.returncode, "more than 1 rows" in cut.stderr) == (0, True)
    assert coderag("sql", "FROM files", "--limit", "1", cwd=shop).stdout == cut.stdout
    assert "--limit" not in coderag("sql", "--help", cwd=shop).stdout


def test_tables_are_listed(shop: Path, coderag: Run) -> None:
    assert "untested_functions" in coderag("sql", "--tables", cwd=shop).stdout
    assert "whether its file holds tests" in coderag("sql", "--tables", "functions", cwd=shop).stdout
    assert json.loads(coderag("sql", "--tables", "--json", cwd=shop).stdout)[0]["name"] == "files"
    assert "did you mean functions?" in coderag("sql", "--tables", "function", cwd=shop).stderr


@pytest.mark.slow
def test_without_the_extra_it_says_how_to_install_it(shop: Path, coderag: Run, tmp_path: Path) -> None:
    (tmp_path / "duckdb.py").write_text("raise ImportError(name='duckdb')\n")
    done = coderag("sql", "FROM files", cwd=shop, PYTHONPATH=f"{tmp_path}:{ENVIRONMENT['PYTHONPATH']}")
    assert done.returncode == 2
    assert (
        "needs duckdb, which is not installed; run in the source tree of coderag: pip install '.[duckdb]'"
        in done.stderr
    )


@pytest.mark.slow
def test_interrupt_ends_a_query(shop: Path) -> None:
    endless = "SELECT count(*) FROM range(100000000) a, range(1000000) b WHERE a.range % 7 = b.range % 5"
    program = f"""
import os, signal, threading, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
from coderag.relational import database
started = database._Task.__call__
def call(task):
    threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
    started(task)
database._Task.__call__ = call
from coderag.cli.main import run
sys.exit(run(["sql", {endless!r}]))
"""
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=shop, env=ENVIRONMENT, capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, done.stderr) == (130, "coderag: interrupted\n")


def test_schema_of_the_index(shop: Path, coderag: Run) -> None:
    done = coderag("schema", "--of-index", "functions without a test", cwd=shop)
    assert "CREATE VIEW untested_functions" in done.stdout
