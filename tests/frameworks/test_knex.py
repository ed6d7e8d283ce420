"""Knex migrations: the schema builder's chains, SQL, and what is only known at run time."""

from __future__ import annotations

import pytest

from coderag.frameworks.registry import read_code
from coderag.sql.records import (
    AddColumn,
    AddConstraint,
    AlterColumn,
    Column,
    CreateTable,
    Drop,
    DropColumn,
    DropConstraint,
    Facts,
    Name,
    Rename,
    RenameColumn,
    SchemaOperation,
    Series,
    Source,
)

USERS = """\
exports.up = async function (knex) {
  const there = await knex.schema.hasTable("users");
  if (!there) {
    await knex.schema
      .createTable("users", (t) => {
        t.increments("id");
        t.string("email", 99).notNullable().unique();
        t.integer("team_id").unsigned().references("id").inTable("teams").onDelete("CASCADE");
        t.enum("state", ["open", "shut"]).defaultTo("open").comment("of the account");
        t.timestamp("at").defaultTo(knex.fn.now());
        t.timestamps(true, true);
        t.foreign("email").references("mails.address");
        t.unique(["email", "team_id"], { indexName: "once" });
      })
      .dropTableIfExists("old_users");
  }
};

exports.down = (knex) => knex.schema.dropTable("users");
"""


def facts(text: str, path: str = "migrations/20240131120000_users.js") -> Facts:
    """Return what a file of JavaScript tells."""
    found = read_code(text.encode(), language="javascript", path=path)
    assert found is not None
    return found


def altered(statement: str) -> tuple[SchemaOperation, ...]:
    """Return what a statement does in the function of an alterTable."""
    text = (
        f'export async function up(knex) {{\n  await knex.schema.alterTable("a", (t) => {{\n{statement}\n  }});\n}}\n'
    )
    found = facts(text)
    assert not found.unparsed
    return found.operations


def at(row: int) -> Source:
    """Return one line."""
    return Source("", row, row)


def test_a_migration_creates_a_table() -> None:
    found = facts(USERS)
    assert found.series == Series("knex", version="20240131120000", name="20240131120000_users")
    created, named, dropped = found.operations
    assert named == AddConstraint(Name("users"), "once", unique=("email", "team_id"), source=at(13))
    assert dropped == Drop(Name("old_users"), if_exists=True, source=at(15))
    assert isinstance(created, CreateTable)
    users = created.table
    assert (users.name, users.sources) == (Name("users"), (Source("", 5, 14),))
    assert users.columns == (
        Column("id", "integer", nullable=False, identity=True, source=at(6)),
        Column("email", "varchar(99)", nullable=False, source=at(7)),
        Column("team_id", "integer unsigned", source=at(8)),
        Column("state", "text", default="'open'", comment="of the account", values=("open", "shut"), source=at(9)),
        Column("at", "timestamptz", default="CURRENT_TIMESTAMP", source=at(10)),
        Column("created_at", "timestamptz", nullable=False, default="CURRENT_TIMESTAMP", source=at(11)),
        Column("updated_at", "timestamptz", nullable=False, default="CURRENT_TIMESTAMP", source=at(11)),
    )
    assert users.primary_key == ("id",)
    assert users.unique == (("email",),)
    assert [(key.columns, key.table.name, key.referenced) for key in users.foreign_keys] == [
        (("team_id",), "teams", ("id",)),
        (("email",), "mails", ("address",)),
    ]


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ('t.text("b")', AddColumn(Name("a"), Column("b", "text", source=at(3)), source=at(3))),
        ('t.dropColumn("b")', DropColumn(Name("a"), "b", source=at(3))),
        ('t.renameColumn("b", "c")', RenameColumn(Name("a"), "b", "c", source=at(3))),
        (
            't.string("b").notNullable().alter()',
            AlterColumn(Name("a"), "b", type="varchar(255)", nullable=False, source=at(3)),
        ),
        ('t.unique(["b", "c"])', AddConstraint(Name("a"), unique=("b", "c"), source=at(3))),
        ('t.dropForeign("b")', DropConstraint(Name("a"), columns=("b",), source=at(3))),
        ('t.dropUnique(["b"], "once")', DropConstraint(Name("a"), "once", source=at(3))),
        ('t.dropNullable("b")', AlterColumn(Name("a"), "b", nullable=False, source=at(3))),
    ],
)
def test_a_statement(statement: str, expected: SchemaOperation) -> None:
    assert altered(statement) == (expected,)


def test_schemas_and_sql() -> None:
    renamed, added = facts(
        "exports.up = (knex) => {\n"
        '  knex.schema.withSchema("s").renameTable("a", "b");\n'
        "  return knex.raw(`ALTER TABLE a ADD COLUMN z int`);\n};\n"
    ).operations
    assert renamed == Rename(Name("a", schema="s"), Name("b", schema="s"), source=at(2))
    assert isinstance(added, AddColumn)
    assert (added.column.name, added.source) == ("z", at(3))


def test_what_is_computed_is_reported() -> None:
    found = facts("exports.up = (knex) => knex.schema.createTable(NAME, (t) => t.text('a')).dropTable('b');\n")
    assert [(one.line, one.reason) for one in found.unparsed] == [(1, "computed at run time")]
    assert found.operations == (Drop(Name("b"), source=at(1)),)


@pytest.mark.parametrize(
    ("text", "path"),
    [
        (USERS, "src/users.js"),
        ("exports.up = (db) => other.schema.dropTable('a');", "migrations/20240131120000_x.js"),
        ("// schema.dropTable(", "migrations/20240131120000_x.js"),
    ],
)
def test_other_files_are_nothing(text: str, path: str) -> None:
    assert read_code(text.encode(), language="javascript", path=path) is None


@pytest.mark.parametrize(
    "text",
    [
        "exports.up = (knex) => knex.schema.createTable('a', (t) => { t.string('b'",
        "exports.up = (knex) => { knex.schema.createTable(); knex.schema.alterTable('a', 1); knex.schema.dropTable() }",
        "exports.up = (knex) => knex.schema.createTable('a', (t) => { t.string(); t.foreign(); t.unique(); t.x.y() })",
        "exports.up = () => knex.schema.createTable('a')",
    ],
)
def test_bad_text_breaks_nothing(text: str) -> None:
    read_code(text.encode(), language="javascript", path="migrations/20240131120000_x.js")
