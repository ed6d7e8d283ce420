"""Addresses of databases, and that nothing of theirs is shown that should not be."""

from __future__ import annotations

import socket
import sqlite3
import sys
from contextlib import closing
from pathlib import Path

import pytest

from coderag.catalog.introspect.introspect import inspect_database
from coderag.catalog.introspect.url import is_database_url, parse_url, slug_of
from coderag.errors import DatabaseError
from tests.growth import must_end

NAMES = {
    "postgresql://user:secret@host/shop": "postgresql://host:5432/shop",
    "postgres://user:secret@host:6543/shop?sslmode=require": "postgresql://host:6543/shop",
    "postgresql+psycopg2://user@host/shop": "postgresql://host:5432/shop",
    "postgresql:///shop?host=/run/postgresql&password=secret": "postgresql:///shop?host=/run/postgresql",
    "postgresql://user:se?cr#et@[2001:db8::1]/shop": "postgresql://[2001:db8::1]:5432/shop",
    "postgresql://host": "postgresql://host:5432/",
    "mysql://user:p%40ss%2Fsecret@host/shop": "mysql://host:3306/shop",
    "mysql+pymysql://root:secret@/shop?unix_socket=/run/mysqld.sock": "mysql:///shop?unix_socket=/run/mysqld.sock",
    "mariadb://user:a@b:secret@host/my%20shop": "mariadb://host:3306/my%20shop",
    "sqlite:////srv/shop.db": "sqlite:////srv/shop.db",
    "duckdb:////srv/shop.duckdb": "duckdb:////srv/shop.duckdb",
}


@pytest.mark.parametrize("text", NAMES)
def test_an_address_is_named_without_credentials(text: str) -> None:
    url = parse_url(text)
    assert url.name == NAMES[text]
    assert is_database_url(text)
    for shown in (url.name, url.slug, repr(url), str(url)):
        assert "secret" not in shown
        assert "user" not in shown.removeprefix("DatabaseUrl")


def test_user_and_password_are_unquoted() -> None:
    url = parse_url("mysql://us%3Aer:p%40ss%2Fword@host:3307/shop?charset=latin1")
    assert (url.user, url.password, url.port) == ("us:er", "p@ss/word", 3307)
    assert url.parameters == (("charset", "latin1"),)


def test_variables_come_from_the_environment() -> None:
    environment = {"PASSWORD": "p@ss/word", "HOST": "db.example.com", "DATABASE_URL": "mysql://a:b@c/d"}
    url = parse_url("postgresql://app:${PASSWORD}@${HOST}/shop", environment)
    assert (url.host, url.password) == ("db.example.com", "p@ss/word")
    assert parse_url("${DATABASE_URL}", environment).name == "mysql://c:3306/d"
    assert is_database_url("${DATABASE_URL}", environment)
    assert not is_database_url("${HOST}", environment)
    assert not is_database_url("${MISSING}", environment)
    with pytest.raises(DatabaseError, match="the variable MISSING of the database's address is not set"):
        parse_url("postgresql://app:${MISSING}@host/shop", environment)


def test_a_path_is_an_address_where_a_database_lies(tmp_path: Path) -> None:
    file = tmp_path / "shop.db"
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("CREATE TABLE t (a)")
        connection.commit()
    berkeley = tmp_path / "other.db"
    berkeley.write_bytes(b"\0" * 64)
    (tmp_path / "folder.db").mkdir()
    assert is_database_url(str(file))
    assert parse_url(str(file)).name == f"sqlite:///{file}"
    assert not is_database_url(str(berkeley))
    assert not is_database_url(str(tmp_path / "folder.db"))
    assert not is_database_url(str(tmp_path))
    assert is_database_url(str(tmp_path / "missing.sqlite"))
    for text in ("src/app.py", "https://host/shop", "git+ssh://host/shop", "C:/code", "."):
        assert not is_database_url(text)


def test_a_slug_is_a_file_name_of_its_own() -> None:
    names = ["sqlite:///a/b.db", "sqlite:///a-b.db", "sqlite:///A/b.db", "postgresql://host:5432/" + "x" * 300]
    slugs = [slug_of(name) for name in names]
    assert [slug.rpartition("-")[0] for slug in slugs[:3]] == ["sqlite-a-b-db"] * 3
    assert len(set(slugs)) == len(names)
    assert all(len(slug) < 80 and slug.replace("-", "").isalnum() for slug in slugs)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("oracle://user:secret@host/shop", "oracle:// is no database that coderag asks"),
        ("postgresql://user:sec/ret@host/shop", "its host or port is wrong"),
        ("postgresql://user:secret@host/shop#x", "%40 %2F %3F %23"),
        ("sqlite://", "give the path of a file"),
        ("sqlite:///:memory:", "give the path of a file"),
        ("notes.txt", "neither the address of a database nor a SQLite or DuckDB file"),
    ],
)
def test_a_wrong_address_says_what_is_wrong(text: str, said: str) -> None:
    with pytest.raises(DatabaseError) as caught:
        parse_url(text)
    assert said in str(caught.value)
    assert "secret" not in str(caught.value)
    assert "sec/ret" not in str(caught.value)


@pytest.mark.parametrize(
    ("module", "url", "extra"),
    [
        ("psycopg", "postgresql://host/shop", "postgres"),
        ("pymysql", "mysql://host/shop", "mysql"),
        ("duckdb", "duckdb:///{file}", "duckdb"),
    ],
)
def test_a_missing_driver_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, module: str, url: str, extra: str
) -> None:
    file = tmp_path / "shop.duckdb"
    file.write_bytes(b"\0" * 8 + b"DUCK")
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(DatabaseError, match=rf"pip install '\.\[{extra}\]'"):
        inspect_database(url.format(file=file))


@pytest.mark.parametrize(("scheme", "module"), [("postgresql", "psycopg"), ("mysql", "pymysql")])
def test_a_server_that_is_not_there_is_an_error_without_the_password(scheme: str, module: str) -> None:
    pytest.importorskip(module)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with pytest.raises(DatabaseError) as caught:
        inspect_database(f"{scheme}://user:hush-hush@127.0.0.1:{port}/shop", timeout=60)
    assert f"{scheme}://127.0.0.1:{port}/shop cannot be opened: " in str(caught.value)
    assert "hush" not in f"{caught.value!r} {caught.value.__cause__!r} {caught.value.__context__!r}"


@pytest.mark.slow
@pytest.mark.parametrize(("scheme", "module"), [("postgresql", "psycopg"), ("mysql", "pymysql")])
def test_a_server_that_says_nothing_is_given_up_in_time(scheme: str, module: str) -> None:
    pytest.importorskip(module)
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        with must_end(), pytest.raises(DatabaseError, match=r"did not answer within 1 s$"):
            inspect_database(f"{scheme}://user:hush@127.0.0.1:{silent.getsockname()[1]}/shop", timeout=1)
