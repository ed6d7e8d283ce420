"""Prisma schemas: models, enums, keys, the database's names and types, and text that is broken."""

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
)

SHOP = """\
datasource db {
  provider = "postgresql"
  url      = env("DATABASE_URL")
}

generator client {
  provider = "prisma-client-js"
}

/// Somebody who buys.
/// Kept for ten years.
model Customer {
  id      Int     @id @default(autoincrement())
  /// How we reach them
  email   String  @unique @db.VarChar(320) // not shown
  name    String? @map("full_name") /// as on the invoice
  level   Level   @default(GOLD)
  tags    String[]
  area    Unsupported("polygon")?
  orders  Order[]
  madeAt  DateTime @default(now()) @map("made_at") @db.Timestamptz(6)

  @@map("customers")
  @@schema("sales")
}

enum Level {
  BASIC
  GOLD @map("gold")
  @@map("level")
}

model Order {
  customerId Int @map("customer_id")
  number     Int
  total      Decimal @db.Decimal(10, 2)
  key        String  @default(dbgenerated("gen_random_uuid()")) @db.Uuid
  customer   Customer @relation("placed", fields: [customerId], references: [id],
                                onDelete: Cascade, map: "order_customer")

  @@id([customerId, number])
  @@unique([number, total(sort: Desc)], map: "once")
  @@index([total])
}
"""


def facts(text: str) -> Facts:
    """Return what a schema tells."""
    found = read_code(text.encode(), language="prisma", path="schema.prisma")
    assert found is not None
    return found


def tables(text: str) -> dict[str, Table]:
    """Return the tables of a schema by name."""
    return {
        operation.table.name.name: operation.table
        for operation in facts(text).operations
        if isinstance(operation, CreateTable)
    }


def test_the_provider_is_the_dialect() -> None:
    assert facts(SHOP).dialect == "postgres"
    assert facts(SHOP.replace("postgresql", "sqlserver")).dialect == "tsql"
    assert facts("model A {\n  id Int @id\n}\n").dialect == ""


def test_a_model_is_a_table() -> None:
    customer = tables(SHOP)["customers"]
    assert customer.name == Name("customers", schema="sales")
    assert customer.alias == "Customer"
    assert customer.comment == "Somebody who buys. Kept for ten years."
    assert customer.sources == (Source("", 12, 25),)
    assert customer.primary_key == ("id",)
    assert customer.unique == (("email",),)
    assert customer.columns == (
        Column("id", "integer", nullable=False, identity=True, source=Source("", 13, 13)),
        Column("email", "varchar(320)", nullable=False, comment="How we reach them", source=Source("", 15, 15)),
        Column("full_name", "text", comment="as on the invoice", field="name", source=Source("", 16, 16)),
        Column(
            "level",
            "level",
            nullable=False,
            default="'gold'",
            values=("BASIC", "gold"),
            source=Source("", 17, 17),
        ),
        Column("tags", "text[]", nullable=False, source=Source("", 18, 18)),
        Column("area", "polygon", source=Source("", 19, 19)),
        Column(
            "made_at",
            "timestamptz(6)",
            nullable=False,
            default="CURRENT_TIMESTAMP",
            field="madeAt",
            source=Source("", 21, 21),
        ),
    )


def test_keys_use_the_names_of_the_database() -> None:
    order = tables(SHOP)["Order"]
    assert [column.name for column in order.columns] == ["customer_id", "number", "total", "key"]
    assert order.primary_key == ("customer_id", "number")
    assert order.unique == (("number", "total"),)
    assert order.columns[3].default == "gen_random_uuid()"
    assert order.foreign_keys == (
        ForeignKey(
            ("customer_id",),
            Name("customers", schema="sales"),
            referenced=("id",),
            name="order_customer",
            evidence=Evidence.MODEL,
            source=Source("", 38, 39),
            model="Customer",
        ),
    )


def test_an_enum_is_a_type_where_the_database_has_types() -> None:
    created = [operation.type for operation in facts(SHOP).operations if isinstance(operation, CreateType)]
    assert [(one.name.name, one.kind, one.values) for one in created] == [("level", ObjectKind.ENUM, ("BASIC", "gold"))]
    mysql = SHOP.replace("postgresql", "mysql")
    assert not [operation for operation in facts(mysql).operations if isinstance(operation, CreateType)]
    assert tables(mysql)["customers"].columns[3].type == "enum('BASIC', 'gold')"


def test_lists_on_both_sides_are_a_table_of_their_own() -> None:
    found = tables(
        "model Post {\n  id Int @id\n  tags Tag[]\n}\n"
        "model Tag {\n  code String @id @db.Char(8)\n  posts Post[]\n}\n"
        'model User {\n  id Int @id\n  follows User[] @relation("Follows")\n'
        '  followers User[] @relation("Follows")\n}\n'
    )
    assert list(found) == ["Post", "Tag", "User", "_PostToTag", "_Follows"]
    link = found["_PostToTag"]
    assert [(column.name, column.type) for column in link.columns] == [("A", "integer"), ("B", "char(8)")]
    assert [(key.columns, key.table.name, key.referenced) for key in link.foreign_keys] == [
        (("A",), "Post", ("id",)),
        (("B",), "Tag", ("code",)),
    ]


def test_a_view_is_a_view() -> None:
    view = tables("view Totals {\n  id Int @unique\n  sum Float\n}\n")["Totals"]
    assert view.kind == ObjectKind.VIEW
    assert [column.type for column in view.columns] == ["integer", "double precision"]


def test_a_type_of_another_file_is_an_enum_unless_it_looks_like_a_relation() -> None:
    fields = "id Int @id\n state State\n mood Mood? @default(GLAD)\n items Item[]\n profile Profile?"
    [table] = tables(f"model A {{\n {fields}\n}}\n").values()
    assert [(column.name, column.type) for column in table.columns] == [
        ("id", "integer"),
        ("state", "State"),
        ("mood", "Mood"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "model A { id Int @id name String }",
        "model A {\n  id Int @id @default(\n",
        "model A {\n  id Int @@ @ ( ] }\n  b String\n}\n",
        'model A {\n  id Int @default("\n}\n',
        "model A {\n" + "  id Int @x(" + "[" * 5000 + "\n}\n",
        "model model {\n  model model\n}\n",
        "\ufeffmodel A {\r\n id Int\r\n}",
    ],
)
def test_broken_text_gives_what_is_there(text: str) -> None:
    found = read_code(text.encode(), language="prisma", path="x.prisma")
    assert found is not None
    assert found.operations or found.unparsed


def test_a_block_without_end_is_reported_and_the_next_one_read() -> None:
    found = facts("model A {\n  id Int @id\n\nmodel B {\n  id Int @id\n}\n")
    assert [(one.line, one.head, one.table) for one in found.unparsed] == [(1, "model A", True)]
    assert [operation.table.name.name for operation in found.operations if isinstance(operation, CreateTable)] == [
        "A",
        "B",
    ]


def test_what_declares_no_table_is_nothing() -> None:
    for text in ("", "// model A {\n", 'generator x {\n  provider = "y"\n}\n'):
        assert read_code(text.encode(), language="prisma", path="x.prisma") is None
    mongo = SHOP.replace("postgresql", "mongodb")
    assert read_code(mongo.encode(), language="prisma", path="x.prisma") is None
