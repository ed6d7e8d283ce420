"""Drizzle: tables, enums, schemas, keys in all their places, and what another file has."""

from __future__ import annotations

import pytest

from coderag.frameworks.registry import read_code
from coderag.sql.records import (
    Column,
    CreateTable,
    CreateType,
    Evidence,
    Facts,
    ForeignKey,
    Name,
    ObjectKind,
    Source,
    Table,
    TypeDefinition,
)

TABLES = """\
import { pgTable } from "drizzle-orm/pg-core"
const roleEnum = pgEnum("role", ["admin", "user"]);
export const auth = pgSchema("auth");
const times = { createdAt: timestamp("created_at", { withTimezone: true }).defaultNow().notNull() };

/** People who sign in. */
export const users = auth.table('users', {
  id: serial('id').primaryKey(),
  role: roleEnum().default("user").notNull(), // what they may do
  // where they work
  orgId: integer("org_id").notNull().references(() => orgs.id, { onDelete: "cascade" }),
  farId: uuid("far_id").references((): AnyPgColumn => far.id),
  tags: text().array().default(sql`'{}'::text[]`),
  sum: numeric({ precision: 10, scale: 2 }).default("0"),
  kind: text({ enum: ["a", "b"] }),
  full: text().generatedAlwaysAs(sql`a || b`),
  ...times,
}, (t) => [
  uniqueIndex("x").on(t.orgId, t.kind),
  uniqueIndex("y").on(t.kind).where(sql`kind > 1`),
  check("c", sql`sum > 0`),
]);

export const orgs = pgTable("organisations", (t) => ({
  id: t.integer("org").primaryKey().generatedAlwaysAsIdentity(),
  name: t.varchar({ length: 256 }).unique(),
  parent: t.integer(),
}));
export const orgsRelations = relations(orgs, ({ one, many }) => ({
  users: many(users),
  up: one(orgs, { fields: [orgs.parent], references: [orgs.id] }),
}));
"""


def facts(text: str) -> Facts:
    """Return what a file of TypeScript tells."""
    found = read_code(text.encode(), language="typescript", path="schema.ts")
    assert found is not None
    return found


def tables(text: str) -> dict[str, Table]:
    """Return the tables of a file by the name of their constant."""
    return {
        operation.table.alias: operation.table
        for operation in facts(text).operations
        if isinstance(operation, CreateTable)
    }


def test_the_function_is_the_dialect() -> None:
    assert facts(TABLES).dialect == "postgres"
    assert facts('const a = mysqlTable("a", { id: int() })').dialect == "mysql"
    assert facts('const a = sqliteTable("a", { id: integer() })').dialect == "sqlite"


def test_an_enum_is_a_type() -> None:
    assert facts(TABLES).operations[0] == CreateType(
        TypeDefinition(Name("role"), kind=ObjectKind.ENUM, values=("admin", "user"), source=Source("", 2, 2))
    )


def test_a_table_with_its_columns() -> None:
    users = tables(TABLES)["users"]
    assert users.name == Name("users", schema="auth")
    assert users.comment == "People who sign in."
    assert users.sources == (Source("", 7, 22),)
    assert users.columns == (
        Column("id", "serial", nullable=False, identity=True, source=Source("", 8, 8)),
        Column(
            "role",
            "role",
            nullable=False,
            default="'user'",
            comment="what they may do",
            values=("admin", "user"),
            source=Source("", 9, 9),
        ),
        Column(
            "org_id", "integer", nullable=False, comment="where they work", field="orgId", source=Source("", 11, 11)
        ),
        Column("far_id", "uuid", field="farId", source=Source("", 12, 12)),
        Column("tags", "text[]", default="'{}'::text[]", source=Source("", 13, 13)),
        Column("sum", "numeric(10, 2)", default="'0'", source=Source("", 14, 14)),
        Column("kind", "text", values=("a", "b"), source=Source("", 15, 15)),
        Column("full", "text", generated="a || b", source=Source("", 16, 16)),
        Column(
            "created_at",
            "timestamp with time zone",
            nullable=False,
            default="now()",
            field="createdAt",
            source=Source("", 4, 4),
        ),
    )


def test_keys_wherever_they_stand() -> None:
    found = tables(TABLES)
    users, orgs = found["users"], found["orgs"]
    assert (users.primary_key, users.unique, users.checks) == (("id",), (("org_id", "kind"),), ("sum > 0",))
    assert [(key.columns, str(key.table), key.referenced, key.model) for key in users.foreign_keys] == [
        (("org_id",), "organisations", ("org",), "orgs"),
        (("far_id",), "far", ("id",), "far"),
    ]
    assert (orgs.primary_key, orgs.unique) == (("org",), (("name",),))
    assert orgs.columns[0].identity
    assert orgs.foreign_keys == (
        ForeignKey(
            ("parent",),
            Name("organisations"),
            ("org",),
            evidence=Evidence.MODEL,
            source=Source("", 31, 31),
            model="orgs",
        ),
    )


def test_keys_of_several_columns_and_names_with_a_prefix() -> None:
    text = """\
export const createTable = pgTableCreator((name) => `app_${name}`);
export const posts = createTable("post", { a: integer(), b: integer() }, (t) => ({
  pk: primaryKey({ columns: [t.a, t.b] }),
  fk: foreignKey({ columns: [t.a, t.b], foreignColumns: [far.x, far.y], name: "fk" }).onDelete("cascade"),
}));
"""
    posts = tables(text)["posts"]
    assert (posts.name.name, posts.primary_key) == ("app_post", ("a", "b"))
    assert [(key.columns, key.referenced, key.name) for key in posts.foreign_keys] == [(("a", "b"), ("x", "y"), "fk")]


def test_columns_that_constants_and_functions_build() -> None:
    text = """\
const id = () => integer("id").primaryKey();
const name = text("name").notNull();
const a = sqliteTable("a", { id: id(), name, other: name, size: mysqlEnum(["s", "l"]) });
"""
    a = tables(text)["a"]
    assert a.primary_key == ("id",)
    assert [(column.name, column.type) for column in a.columns] == [
        ("id", "integer"),
        ("name", "text"),
        ("name", "text"),
        ("size", "enum"),
    ]
    assert a.columns[-1].values == ("s", "l")


def test_a_view() -> None:
    view = tables('const v = pgView("v", { a: integer() }).as(sql`select 1 as a`)')["v"]
    assert (view.kind, view.query) == (ObjectKind.VIEW, "select 1 as a")


def test_what_is_elsewhere_or_computed_is_reported() -> None:
    found = facts('const a = pgTable("a", { id: integer(), ...times });\nconst b = pgTable(name(), {});\n')
    assert [(one.line, one.reason) for one in found.unparsed] == [
        (1, "its columns are in another file"),
        (2, "computed at run time"),
    ]


@pytest.mark.parametrize(
    "text", ["import { pgTable } from 'x'", "pgTable('a', {})", "const a = pgTableName(1)", "// pgTable\nconst a = b()"]
)
def test_other_files_are_nothing(text: str) -> None:
    assert read_code(text.encode(), language="typescript", path="a.ts") is None


@pytest.mark.parametrize(
    "text",
    [
        'const a = pgTable("a", {',
        'const a = pgTable("a", { ...a, b, c: d(), e: f.g, [h]: 1, i() {} })',
        'const a = pgTable("a", { a: a }, (t) => [primaryKey(), foreignKey(), unique(), check(), t, 1])',
        "const a = pgTable(); const b = pgEnum(); const c = pgSchema(); const d = pgTableCreator();",
        "const a = pgTable('a', { x: a() }); const b = () => b(); const c = pgTable('c', { x: b() });",
    ],
)
def test_bad_text_breaks_nothing(text: str) -> None:
    read_code(text.encode(), language="typescript", path="a.ts")
