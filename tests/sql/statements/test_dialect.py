"""The folders in schemas/dialects/: their fields, their names, and which dialect a file seems to be written in."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from coderag import resources
from coderag.errors import LanguageDataError, QueryError
from coderag.sql.statements import dialect as module
from coderag.sql.statements.dialect import GENERIC, Dialect, dialects, find_dialect, guess_dialect

PROMISED = {
    *("ansi", "bigquery", "clickhouse", "databricks", "db2", "duckdb", "hive", "mariadb", "mysql", "oracle"),
    *("postgres", "redshift", "snowflake", "spark", "sqlite", "trino", "tsql"),
}


def test_every_promised_dialect_is_there() -> None:
    assert set(dialects()) == PROMISED
    assert list(dialects()) == sorted(dialects())


@pytest.mark.parametrize("dialect", dialects().values(), ids=lambda dialect: dialect.name)
def test_fields_make_sense(dialect: Dialect) -> None:
    assert dialect.title
    assert 3 <= len(dialect.pitfalls) <= 8
    assert all(pitfall.endswith(".") for pitfall in dialect.pitfalls)
    assert not set(dialect.identifiers) & set(dialect.strings)
    for name in (dialect.name, dialect.title, *dialect.aliases):
        assert name == name.strip()
    for alias in dialect.aliases:
        assert alias == re.sub(r"[^a-z0-9]", "", alias)
        assert find_dialect(alias) is dialect
    for sign in dialect.signs:
        assert sign.weight > 0
        assert all(word == word.upper() for word in (*sign.words, *sign.any))


@pytest.mark.parametrize("dialect", dialects().values(), ids=lambda dialect: dialect.name)
def test_sqlglot_knows_it(dialect: Dialect) -> None:
    from sqlglot.dialects.dialect import Dialect as Known

    assert Known.get_or_raise(dialect.sqlglot)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("postgres", "postgres"),
        ("PostgreSQL", "postgres"),
        (" pg ", "postgres"),
        ("SQL Server", "tsql"),
        ("mssql", "tsql"),
        ("PL/SQL".replace("/", ""), "oracle"),
        ("google-bigquery", "bigquery"),
        ("spark_sql", "spark"),
        ("sqlite3", "sqlite"),
    ],
)
def test_names_and_aliases(name: str, expected: str) -> None:
    assert find_dialect(name).name == expected


def test_an_unknown_name_is_answered_with_the_known_ones() -> None:
    with pytest.raises(QueryError, match=r"unknown SQL dialect 'nosql'; known are ansi, bigquery, .*, tsql"):
        find_dialect("nosql")
    with pytest.raises(QueryError, match="unknown SQL dialect"):
        find_dialect("x" * 5_000)


@pytest.mark.parametrize("dialect", dialects().values(), ids=lambda dialect: dialect.name)
def test_examples_tell_their_dialect(dialect: Dialect) -> None:
    guess = guess_dialect((dialect.folder / "example.sql").read_text(encoding="utf-8"), "example.sql")
    if dialect.name == GENERIC:
        assert not guess.certain
    else:
        assert (guess.dialect.name, guess.certain) == (dialect.name, True)


@pytest.mark.parametrize(
    ("text", "path", "expected", "certain", "reason"),
    [
        ("SELECT 1", "a.sql", "ansi", False, "nothing tells the dialect"),
        ("SELECT 1", "db/mysql/a.sql", "mysql", True, "folder says mysql"),
        ("SELECT 1", "oracle/chinook_SqlServer.sql", "tsql", True, "file name says sqlserver"),
        ("SELECT 1", "db/create.postgres.sql", "postgres", True, "file name says postgres"),
        ("SELECT 1", "impala_herd/a.sql", "hive", True, "folder says impala"),
        ("SELECT 1", "pages/oracles.sql", "ansi", False, "nothing tells the dialect"),
        ("SELECT [dbo].[x]\nGO\n", "a.sql", "tsql", True, "GO lines, names in [brackets], dbo."),
        ("SELECT [dbo].[x]\nGO\nSET NOCOUNT ON\n", "mysql/a.sql", "tsql", True, "GO lines"),
        ("CREATE TABLE a (id int) ENGINE=InnoDB;", "a.sql", "mysql", True, "ENGINE="),
        ("CREATE TABLE a (id INTEGER PRIMARY KEY AUTOINCREMENT);", "a.sql", "sqlite", True, "AUTOINCREMENT"),
        ("CREATE TABLE a (b VARCHAR2(3));\n/\n", "a.sql", "oracle", True, "VARCHAR2, lone / lines"),
        ("SELECT a::text FROM b", "a.sql", "postgres", False, "casts with ::"),
        ("SELECT * FROM `a-b.c.d`", "a.sql", "bigquery", True, "`project.dataset.table` in backticks"),
        ("SELECT * FROM read_parquet('x')", "a.sql", "duckdb", True, "read_csv or read_parquet"),
        ("", "", "ansi", False, "nothing tells the dialect"),
    ],
)
def test_guesses(text: str, path: str, expected: str, certain: bool, reason: str) -> None:
    guess = guess_dialect(text, path)
    assert (guess.dialect.name, guess.certain) == (expected, certain)
    assert guess.reason.startswith(reason)


def test_a_dialect_has_what_its_parent_has() -> None:
    mysql, mariadb = dialects()["mysql"], dialects()["mariadb"]
    assert mariadb.escapes == mysql.escapes
    assert mariadb.pitfalls == mysql.pitfalls
    assert set(mariadb.signs) > set(mysql.signs)
    assert not set(mariadb.aliases) & set(mysql.aliases)
    assert mariadb.folder.name == "mariadb"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("title = ", "not TOML"),
        ("sqlglot = 'x'", "'title' is missing"),
        ("title = 'x'\ncolour = 'red'", "unknown field 'colour'; known are "),
        ("title = 'x'\nescapes = ['caret']", "escapes has 'caret'; known are backslash, dollar"),
        ("title = 'x'\nstrings = ['|']", "strings has '|'"),
        ("title = 'x'\nroutines = 'luck'", "routines is none of batch, nesting, quoted, slash"),
        ("title = 'x'\ninherits = 'nowhere'", "'nowhere' is no dialect to inherit from"),
        ("title = 'x'\n[[signs]]\ntells = 'y'", "a sign needs 'tells', and 'words', 'any' or 'holds'"),
        ("title = 'x'\n[[signs]]\ntells = 'y'\nwords = ['Z']\nsize = 1", "unknown field 'size' of a sign"),
        ("title = 'x'\n[[signs]]\ntells = 'y'\nwords = ['Z']\npattern = '('", "the pattern of 'y' is wrong"),
    ],
)
def test_a_wrong_folder_is_refused(text: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "strange").mkdir()
    (tmp_path / "strange" / "dialect.toml").write_text(text, encoding="utf-8")
    monkeypatch.setattr(module, "data_folder", {"schemas/dialects": tmp_path}.__getitem__)
    with pytest.raises(LanguageDataError, match=re.escape(message)):
        dialects.__wrapped__()


def test_data_folder_is_the_one_in_use() -> None:
    assert resources.data_folder("schemas/dialects") == dialects()["ansi"].folder.parent


def test_remarks_behind_sql_do_not_tell_the_dialect() -> None:
    text = (
        "CREATE TABLE samples (\n  id int,  -- serial, clustered by [site], see GETDATE()\n  site int -- PRAGMA\n);\n"
    )
    assert guess_dialect(text, "samples.sql").dialect.name == "ansi"
    assert guess_dialect("-- PostgreSQL database dump\n" + text, "samples.sql").dialect.name == "postgres"
