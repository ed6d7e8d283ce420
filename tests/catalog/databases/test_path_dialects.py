"""Dialects in paths, and what is left of a path without them."""

from __future__ import annotations

import pytest

from coderag.catalog.databases.path_dialects import edition_key, path_dialect, without_dialect


@pytest.mark.parametrize(
    ("path", "dialect"),
    [
        ("store/migration/sqlite/0.2/00__user.sql", "sqlite"),
        ("delta/73/02rooms.sql.postgres", "postgres"),
        ("database/openfire_mariadb.sql", "mariadb"),
        ("database/openfire_cockroachdb.sql", "cockroachdb"),
        ("util/MySqlMigrations/Scripts/a.sql", "mysql"),
        ("mysql/dumps/for_pg.sql", "postgres"),
        ("sql/pages.sql", ""),
        ("oranges/a.sql", ""),
    ],
)
def test_a_path_names_a_dialect(path: str, dialect: str) -> None:
    assert path_dialect(path) == dialect


@pytest.mark.parametrize(
    "paths",
    [
        ("store/mysql/0.2/a.sql", "store/postgres/0.2/a.sql"),
        ("full.sql.sqlite", "full.sql.postgres"),
        ("mysql-persistence/db/migration/V1__a.sql", "postgres-persistence/db/migration_postgres/V1__a.sql"),
        ("SQL/mysql.initial.sql", "SQL/sqlite.initial.sql"),
    ],
)
def test_editions_of_a_file_have_one_key(paths: tuple[str, str]) -> None:
    first, second = map(edition_key, paths)
    assert first == second != ""


def test_a_path_without_a_dialect_has_no_key() -> None:
    assert edition_key("store/0.2/a.sql") == ""


@pytest.mark.parametrize(
    ("name", "without"), [("shop_mysql", "shop"), ("shop", "shop"), ("pg-crm-v2", "crm-v2"), ("a_sqlite_b", "a_b")]
)
def test_names_without_dialects(name: str, without: str) -> None:
    assert without_dialect(name) == without
