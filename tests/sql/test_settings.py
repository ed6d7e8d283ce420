"""What coderag.toml says of schemas."""

from __future__ import annotations

from pathlib import Path

import pytest

from coderag.errors import SettingsError
from coderag.sql.settings import FileSettings, read_settings

SETTINGS = """
[schema]
dialect = "postgres"

[[schema.files]]
path = "sql/"
environment = "prod"
database = "shop"

[[schema.files]]
path = ["*.dump", "sql/old/**", "!sql/old/keep.sql"]
read = "off"

[[schema.files]]
path = "/logs/*.txt"
read = "querylog"
mask_literals = true
dialect = "mysql"
"""


def test_later_tables_override_key_by_key(tmp_path: Path) -> None:
    (tmp_path / "coderag.toml").write_text(SETTINGS)
    settings = read_settings(tmp_path)
    assert settings.name == tmp_path.name
    assert settings.for_path("a/b.sql") == FileSettings(dialect="postgres")
    shop = FileSettings(dialect="postgres", environment="prod", database="shop")
    assert settings.for_path("sql/tables/a.sql") == shop
    assert settings.for_path("db/sql/a.sql") == shop
    assert settings.for_path("sql/old/keep.sql") == shop
    assert settings.for_path("sql/old/a.sql").read == "off"
    assert settings.for_path("x/y.dump").read == "off"
    assert settings.for_path("logs/a.txt") == FileSettings(dialect="mysql", read="querylog", mask_literals=True)
    assert settings.for_path("db/logs/a.txt").read == ""


def test_what_is_read_as_what(tmp_path: Path) -> None:
    (tmp_path / "coderag.toml").write_text(SETTINGS)
    assert read_settings(tmp_path).assigned == (("*.dump", ""), ("sql/old/**", ""), ("/logs/*.txt", "querylog"))


def test_a_project_file_may_hold_them(tmp_path: Path) -> None:
    assert read_settings(tmp_path).for_path("a.sql") == FileSettings()
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "x"\n[tool.coderag.schema]\ndomain = "sales"\n')
    assert read_settings(tmp_path).for_path("a.sql").domain == "sales"
    (tmp_path / "coderag.toml").write_text('[schema]\ndomain = "money"\n')
    assert read_settings(tmp_path).for_path("a.sql").domain == "money"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[schema", "coderag.toml is no valid TOML"),
        ("[shema]\n", "coderag.toml: unknown key 'shema'; known are access, ask, encoder, schema"),
        ("schema = 1\n", "coderag.toml: 'schema' must be a table"),
        ("[schema]\ndialekt = 'x'\n", r"coderag.toml: \[schema\] unknown key 'dialekt'; known are database, dialect"),
        ("[schema]\ndialect = 1\n", r"coderag.toml: \[schema\]: 'dialect' must be a text"),
        ("[schema]\ndialect = 'klingon'\n", r"coderag.toml: \[schema\]: 'dialect': unknown SQL dialect 'klingon'"),
        ("[schema]\nmask_literals = 'yes'\n", r"coderag.toml: \[schema\]: 'mask_literals' must be true or false"),
        ("[schema]\nfiles = 1\n", r"coderag.toml: \[schema\]: 'files' must be tables, written \[\[schema.files\]\]"),
        (
            "[[schema.files]]\nread = 'ddl'\n",
            r"\[\[schema.files\]\] number 1: 'path' must be a glob or a list of globs",
        ),
        (
            "[[schema.files]]\npath = 'a'\nread = 'all'\n",
            "'read' is 'all'; it must be one of ddl, glossary, off, queries, querylog",
        ),
    ],
)
def test_errors_name_file_and_key(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "coderag.toml").write_text(text)
    with pytest.raises(SettingsError, match=message):
        read_settings(tmp_path)
