"""Settings of applications: which dialect they say the database has, and for which files that holds."""

from __future__ import annotations

import pytest

from coderag.reading.language import detect
from coderag.sql.model import CreateTable, Facts, Name, SchemaFile, Table
from coderag.sql.models import read_code
from coderag.sql.models.declared_dialect import dialect_near, with_declared_dialects


@pytest.mark.parametrize(
    ("path", "text", "dialects"),
    [
        ("shop/settings.py", "DATABASES = {'default': {'ENGINE': 'django.db.backends.postgresql'}}", ("postgres",)),
        ("shop/settings/base.py", "DB = dj_database_url.config(default='mysql://u@h/shop')", ("mysql",)),
        ("shop/settings.py", "E = {'ENGINE': 'django.db.backends.sqlite3'}\nAUTH_USER_MODEL = 'a.User'", ("sqlite",)),
        ("config/database.yml", "default: &default\n  adapter: trilogy\n", ("mysql",)),
        (
            "config/database.yml",
            "production:\n  adapter: 'postgis'\ntest:\n  adapter: sqlite3\n",
            ("postgres", "sqlite"),
        ),
        (".env.example", "# DATABASE_URL=postgresql+psycopg2://u:p@localhost/shop\n", ("postgres",)),
        (".env.sample", "DB_CONNECTION=mysql\nCACHE_URL=redis://x\n", ("mysql",)),
        ("docker-compose.yml", "services:\n  db:\n    image: docker.io/library/postgres:16-alpine\n", ("postgres",)),
        ("compose.dev.yaml", "db:\n  image: mariadb\ncache:\n  image: redis:7\n", ("mariadb",)),
        ("alembic.ini", "sqlalchemy.url = sqlite:///./app.db\n", ("sqlite",)),
        ("alembic.ini", "sqlalchemy.url = driver://user:pass@localhost/dbname\n", ()),
        ("knexfile.ts", "export default { client: 'better-sqlite3' }", ("sqlite",)),
        ("knexfile.js", "module.exports = { client: 'pg', connection: process.env.X }", ("postgres",)),
        ("drizzle.config.ts", "export default { dialect: 'postgresql', schema: './schema.ts' }", ("postgres",)),
        ("src/main/resources/application.properties", "spring.datasource.url=jdbc:mysql://h/x", ("mysql",)),
        ("docs/other.yml", "image: postgres\nadapter: mysql2\n", ()),
        ("shop/views.py", "ENGINE = 'django.db.backends.postgresql'", ()),
    ],
)
def test_what_files_say(path: str, text: str, dialects: tuple[str, ...]) -> None:
    language = detect(path)
    assert language is not None
    facts = read_code(text.encode(), language=language.name, path=path) or Facts()
    assert facts.settings == dialects


def test_for_which_files_it_holds() -> None:
    declared = [
        ("shop/settings.py", ("sqlite", "postgres")),
        (".env.example", ("mysql",)),
        ("other/config/database.yml", ("mysql", "postgres")),
        ("other/docker-compose.yml", ("mariadb",)),
    ]
    assert dialect_near("shop/models.py", declared) == "postgres"
    assert dialect_near("sales/models.py", declared) == "postgres"
    assert dialect_near("other/db/migrate/1.rb", declared) == "mariadb"
    assert dialect_near("x/a.py", declared[:1]) == "postgres"
    assert dialect_near("x/a.py", [("y/.env.example", ("sqlite",))]) == "sqlite"
    assert not dialect_near("a.py", [("x.env.example", ("mysql",)), ("y.env.example", ("postgres",))])


def test_files_without_a_dialect_have_the_declared_one() -> None:
    table = CreateTable(Table(Name("a")))
    files = [
        SchemaFile(".env.example", Facts(settings=("mysql",))),
        SchemaFile("models.py", Facts(operations=(table,))),
        SchemaFile("schema.sql", Facts(dialect="postgres", operations=(table,))),
    ]
    assert [one.facts.dialect for one in with_declared_dialects(files)] == ["", "mysql", "postgres"]
