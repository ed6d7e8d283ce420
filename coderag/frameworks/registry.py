"""Code to the tables that it declares: ORM models and migrations, read from the syntax tree and never run."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import NamedTuple, cast

from coderag.frameworks.common.held_texts import holds
from coderag.frameworks.common.unread import unread_framework
from coderag.frameworks.engine.recognition import declaring
from coderag.sql.records import Facts

__all__ = ["FRAMEWORKS", "Framework", "load_frameworks", "read_code"]

SHARED = ("common.ddl_strings", "engine.models", "engine.verbs", "usage.source_file")  # modules of many frameworks


class Framework(NamedTuple):
    """A framework that declares tables in a language.

    `module` of this package has `read(data: bytes, *, language: str, path: str) -> Facts | None`. It is asked only for
    a text that holds, of each tuple in `words`, at least one: the test that every file of the language has to stand,
    so a few searches for plain bytes.
    """

    module: str
    words: tuple[tuple[bytes, ...], ...]


# What may say which database an application has; the path tells whether a file is asked.
SETTINGS = Framework(
    "common.declared_dialect", ((b"adapter", b"image:", b"://", b"DATABASE", b"DB_", b"dialect", b"jdbc:"),)
)
CODE_SETTINGS = Framework(
    "common.declared_dialect",
    (
        (b"client", b"dialect", b"type", b"://", b"ENGINE"),
        (b"postgres", b"mysql", b"sqlite", b"maria", b"pg", b"mssql"),
    ),
)

DRIVERS = (
    b"postgr",
    b"mysql",
    b"sqlite",
    b"maria",
    b"pg",
    b"mssql",
    b"trilogy",
    b"MyXQL",
    b"Postgres",
    b"myxql",
    b"tds",
)

DDL_STRINGS = Framework(
    "common.ddl_strings",
    (
        (
            b"CREATE TABLE",
            b"create table",
            b"Create Table",
            b"ALTER TABLE",
            b"alter table",
            b"DROP TABLE",
            b"drop table",
        ),
    ),
)

LIQUIBASE = Framework("liquibase.migrations", ((b"databaseChangeLog",), (b"changeSet",)))

JAVASCRIPT = (
    Framework(
        "drizzle.models", ((b"drizzle-orm", b"pgTable", b"mysqlTable", b"sqliteTable", b"pgView", b"pgEnum"), (b"(",))
    ),
    Framework(
        "kysely.migrations",
        (
            (b"ysely",),
            (b".schema",),
            (b"createTable", b"alterTable", b"dropTable", b"createType", b"createIndex"),
        ),
    ),
    Framework(
        "knex.migrations", ((b"schema",), (b"createTable", b"alterTable", b".table(", b"dropTable", b"renameTable"))
    ),
    Framework(
        "sequelize.migrations",
        (
            (
                b"ueryInterface",
                b"pgm.",
                b"runSql",
                b"db.createTable",
                b"db.addColumn",
                b"db.removeColumn",
                b"db.dropTable",
            ),
            (b"up",),
            (b"able", b"olumn", b"ql(", b"onstraint", b"ndex", b"query"),
        ),
    ),
    Framework(
        "sequelize.models",
        (
            (b"equelize",),
            (b".define(", b".init(", b"@Table"),
            (b"DataType", b"Sequelize.", b"@Column"),
        ),
    ),
    DDL_STRINGS,
    CODE_SETTINGS,
)
TYPESCRIPT = (
    Framework("typeorm.migrations", ((b"MigrationInterface",), (b" up(",))),
    Framework("mikroorm.models", ((b"@mikro-orm/",), (b"@Entity(", b"@Property("))),
    Framework("typeorm.models", ((b"Entity(",), (b"@Entity(", b"@ViewEntity(", b".Entity("))),
    *JAVASCRIPT,
)

# In this order: the first one that finds something has read the file.
FRAMEWORKS: Mapping[str, tuple[Framework, ...]] = {
    "python": (
        Framework("sqlalchemy.alembic.migrations", ((b"down_revision",), (b"upgrade",))),
        Framework("django.migrations.migrations", ((b"Migration)",), (b"operations", b"dependencies"))),
        Framework(
            "django.models",
            ((b"from django",), (b"models", b"Field)"), (b"Field(", b"Field)", b"ForeignKey(", b"Model)")),
        ),
        Framework(
            "sqlalchemy.models",
            (
                (b"olumn(", b"Mapped[", b"table=True"),
                (b"__tablename__", b"Table(", b".Model", b"table=True", b"sqlalchemy"),
            ),
        ),
        Framework("django.settings", ((b"AUTH_USER_MODEL =",),)),
        DDL_STRINGS,
        CODE_SETTINGS,
    ),
    "ruby": (
        Framework("rails.migrations", ((b"Schema.define", b"Schema[", b"Migration"), (b"define", b"def "))),
        Framework("rails.activerecord", ((b"ApplicationRecord", b"ActiveRecord::Base"), (b"class ",))),
        DDL_STRINGS,
        Framework("common.declared_dialect", ((b"gem ", b"gem("), DRIVERS)),
    ),
    "typescript": TYPESCRIPT,
    "tsx": TYPESCRIPT,
    "javascript": JAVASCRIPT,
    "java": (
        Framework("jpa.models", ((b"persistence.",), (b"@Entity", b".Entity", b"@MappedSuperclass", b"@Embeddable"))),
        DDL_STRINGS,
    ),
    "kotlin": (
        Framework("jpa.models", ((b"persistence.",), (b"@Entity", b".Entity", b"@MappedSuperclass", b"@Embeddable"))),
        DDL_STRINGS,
    ),
    "csharp": (
        Framework("efcore.snapshot", ((b"ModelSnapshot",), (b".Entity(",))),
        Framework("efcore.migrations", ((b"MigrationBuilder ",), (b" Up(",))),
        Framework(
            "efcore.models",
            (
                (b"DataAnnotations", b"DbSet<", b"IEntityTypeConfiguration<", b"uilder.Entity<"),
                (b"{ get;", b"DbSet<", b"IEntityTypeConfiguration<", b"uilder.Entity<"),
            ),
        ),
        DDL_STRINGS,
        Framework("efcore.classes", ((b"{ get; set; }", b"{ get; init; }", b"{ get; private set; }"),)),
    ),
    "php": (
        Framework(
            "laravel.migrations",
            ((b"Migration",), (b"Schema::", b"schema->", b"DB::"), (b"function up(", b"function up (")),
        ),
        Framework(
            "doctrine.migrations",
            (
                (b"Doctrine\\DBAL\\Schema",),
                (b"->createTable(", b"->getTable(", b"->dropTable(", b"->renameTable(", b"->addSql("),
                (b"function up(",),
            ),
        ),
        Framework(
            "doctrine.models",
            (
                (b"Doctrine\\ORM\\Mapping",),
                (b"Column", b"ToOne", b"ToMany", b"Entity"),
            ),
        ),
        Framework("eloquent.models", ((b"extends",), (b"Eloquent", b"Model", b"Authenticatable"))),
        DDL_STRINGS,
        Framework("common.declared_dialect", ((b"DB_CONNECTION",), (b"'default'", b'"default"'))),
    ),
    "go": (DDL_STRINGS, Framework("gorm.naming", ((b"NamingStrategy", b"SingularTable("),))),
    "rust": (
        Framework(
            "seaorm.migrations",
            (
                (b"sea_orm_migration", b"sea_query", b"sea_orm", b"MigrationTrait"),
                (b"Table::create", b"Table::alter", b"Table::drop", b"Table::rename", b"MigrationTrait"),
            ),
        ),
        DDL_STRINGS,
    ),
    "swift": (DDL_STRINGS,),
    "dart": (DDL_STRINGS,),
    "elixir": (
        Framework("ecto.migrations", ((b"Ecto.Migration",),)),
        Framework("ecto.models", ((b"schema ",), (b"Ecto.Schema", b"field ", b"field(", b"belongs_to"))),
        Framework("common.declared_dialect", ((b"Adapters", b"deps", b"://"), DRIVERS)),
    ),
    "json": (
        LIQUIBASE,
        Framework("common.declared_dialect", ((b'"dependencies"', b"DATABASE"), DRIVERS)),
    ),
    "prisma": (Framework("prisma.models", ()),),
    "ini": (SETTINGS,),
    "yaml": (LIQUIBASE, SETTINGS),
    "xml": (LIQUIBASE,),
}


def load_frameworks() -> None:
    """Load what the first files that declare or use tables, or have statements in their strings, would load."""
    from coderag.sql.ddl.parse_file import parse_file

    for module in SHARED:
        import_module(f"coderag.frameworks.{module}")
    declaring("")  # reads the data of all frameworks
    parse_file(b"CREATE TABLE t (c int);", path="")


def read_code(data: bytes, *, language: str, path: str) -> Facts | None:
    """Return the facts of a file of code, or the framework in it that is not read; None for neither.

    Raises grammar.GrammarMissing.
    """
    for recognised in declaring(language):
        if recognised.is_in(data):
            from coderag.frameworks.engine import models

            facts = models.read(data, framework=recognised.framework, language=language, path=path)
            if facts is not None:
                return facts
    for framework in FRAMEWORKS.get(language, ()):
        if holds(data, framework.words):
            read = import_module(f"coderag.frameworks.{framework.module}").read
            facts = cast("Facts | None", read(data, language=language, path=path))
            if facts is not None:
                return facts
    unread = unread_framework(data, language=language, path=path)
    return Facts(unread=unread) if unread else None
