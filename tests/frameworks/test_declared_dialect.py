"""Settings of applications: which dialect they say the database has, and for which files that holds."""

from __future__ import annotations

import pytest

from coderag.frameworks.common.declared_dialect import dialect_near, with_declared_dialects
from coderag.frameworks.registry import read_code
from coderag.sql.records import CreateTable, Facts, Name, SchemaFile, Series, Table
from coderag.syntax.language import detect


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
            ("postgres",),
        ),
        (
            "config/database.yml.example",
            "lite: &lite\n  adapter: sqlite3\nserver: &server\n  adapter: mysql2\n\n"
            "development:\n  <<: *lite\nproduction:\n  <<: *server\n  host: db\n",
            ("mysql",),
        ),
        (
            "knexfile.js",
            "module.exports = {\n  development: {\n    client: 'mysql',\n  },\n"
            "  production: {\n    client: 'pg',\n  },\n}",
            ("postgres",),
        ),
        ("Gemfile", 'gem "rails"\ngem "trilogy", "~> 2.9"\n', ("mysql",)),
        ("mix.exs", 'defp deps do\n  [{:ecto_sql, "~> 3.0"}, {:myxql, ">= 0.0.0"}]\nend', ("mysql",)),
        ("lib/shop/repo.ex", "use Ecto.Repo, otp_app: :shop, adapter: Ecto.Adapters.Postgres", ("postgres",)),
        ("package.json", '{"dependencies": {"knex": "^3.1.0", "better-sqlite3": "^11.0.0"}}', ("sqlite",)),
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
        ("app/Config/database.php", "<?php return ['default' => env('DB_CONNECTION', 'mysql')];", ("mysql",)),
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
    assert [dialect.facts.dialect for dialect in with_declared_dialects(files)] == ["", "mysql", "postgres"]


def test_what_is_of_production_wins_among_files() -> None:
    declared = [
        ("src/main/resources/application.yml", ("mysql",)),
        ("src/main/resources/application-prod.yml", ("postgres",)),
    ]
    assert dialect_near("src/main/resources/schema.sql", declared) == "postgres"


def test_sql_without_signs_has_the_dialect_declared_around_it() -> None:
    table = CreateTable(Table(Name("a")))
    files = [
        SchemaFile("app/docker-compose.yml", Facts(settings=("mysql",))),
        SchemaFile("app/db/a.sql", Facts(dialect="ansi", operations=(table,))),
        SchemaFile("other/b.sql", Facts(dialect="ansi", operations=(table,))),
    ]
    assert [dialect.facts.dialect for dialect in with_declared_dialects(files)] == ["", "mysql", "ansi"]


def test_migrations_of_a_tool_have_the_dialect_that_one_of_them_shows() -> None:
    table = CreateTable(Table(Name("a")))
    series = Series("rails", version="1")
    files = [
        SchemaFile("db/migrate/1_a.rb", Facts(series=series, operations=(table,))),
        SchemaFile("db/schema.rb", Facts(dialect="postgres", series=series, operations=(table,))),
    ]
    assert [dialect.facts.dialect for dialect in with_declared_dialects(files)] == ["postgres", "postgres"]
