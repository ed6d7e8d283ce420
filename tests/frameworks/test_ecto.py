"""Ecto: schemas, migrations in every form of their statements, and what is only known at run time."""

from __future__ import annotations

import pytest

from coderag.frameworks.registry import read_code
from coderag.sql.records import (
    AddColumn,
    AddConstraint,
    AlterColumn,
    Column,
    CreateTable,
    Describe,
    Drop,
    DropColumn,
    DropConstraint,
    Evidence,
    Facts,
    ForeignKey,
    Name,
    Origin,
    Rename,
    RenameColumn,
    SchemaOperation,
    Series,
    Source,
    Table,
)

ORDER = '''\
defmodule Shop.Sales.Order do
  @moduledoc """
  An order of a customer. It is never deleted.
  """
  use Ecto.Schema

  @primary_key {:id, :binary_id, autogenerate: true}
  @foreign_key_type :binary_id
  @schema_prefix "sales"

  schema "orders" do
    # shown to people
    field :number, :string, default: "x"
    field(:tags, {:array, :string})
    field :state, Ecto.Enum, values: [:open, :paid]
    field :level, Ecto.Enum, values: [low: 1, high: 2]
    field :shown, :string, virtual: true
    field :price, Money, source: :price_cents
    belongs_to :customer, Shop.Customer, foreign_key: :cust_id
    belongs_to :parent, __MODULE__
    has_many :lines, Shop.Line
    many_to_many :labels, Shop.Label, join_through: "orders_labels"
    embeds_one :meta, Meta
    timestamps(type: :utc_datetime, updated_at: false)
  end
end
'''


def facts(text: str, path: str = "lib/order.ex") -> Facts:
    """Return what an Elixir file tells."""
    found = read_code(text.encode(), language="elixir", path=path)
    assert found is not None
    return found


def schema(text: str) -> Table:
    """Return the table of the first schema of a file."""
    created = facts(text).operations[0]
    assert isinstance(created, CreateTable)
    return created.table


def migrated(statements: str) -> tuple[SchemaOperation, ...]:
    """Return what the statements of a migration do."""
    text = f"defmodule X do\n  use Ecto.Migration\n  def change do\n{statements}\n  end\nend\n"
    found = facts(text, "priv/repo/migrations/20240131120000_x.exs")
    assert not found.unparsed
    assert found.series == Series("ecto", version="20240131120000", name="20240131120000_x")
    return found.operations


def at(row: int) -> Source:
    """Return one line."""
    return Source("", row, row)


def test_a_schema_is_a_table() -> None:
    order = schema(ORDER)
    assert (order.name, order.alias, order.origins) == (Name("orders", schema="sales"), "Order", (Origin.ORM,))
    assert order.comment == "An order of a customer."
    assert order.sources == (Source("", 11, 25),)
    assert order.primary_key == ("id",)
    assert order.columns == (
        Column("id", "uuid", nullable=False, source=at(11)),
        Column("number", "varchar", comment="shown to people", source=at(13)),
        Column("tags", "varchar[]", source=at(14)),
        Column("state", "varchar", values=("open", "paid"), source=at(15)),
        Column("level", "integer", comment="1 = low, 2 = high", values=("1", "2"), source=at(16)),
        Column("price_cents", "Money", field="price", source=at(18)),
        Column("cust_id", "uuid", source=at(19)),
        Column("parent_id", "uuid", source=at(20)),
        Column("meta", "json", source=at(23)),
        Column("inserted_at", "timestamp", source=at(24)),
    )


def test_relations_are_keys() -> None:
    assert schema(ORDER).foreign_keys == (
        ForeignKey(("cust_id",), Name("customers"), evidence=Evidence.MODEL, source=at(19), model="Customer"),
        ForeignKey(
            ("parent_id",), Name("orders", schema="sales"), evidence=Evidence.MODEL, source=at(20), model="Order"
        ),
    )


def test_a_table_between_two_schemas() -> None:
    between = facts(ORDER).operations[1]
    assert isinstance(between, Describe)
    assert between.complete
    assert between.table.name == Name("orders_labels", schema="sales")
    assert [(key.columns, key.table.name) for key in between.table.foreign_keys] == [
        (("order_id",), "orders"),
        (("label_id",), "labels"),
    ]


def test_keys_by_default_and_without() -> None:
    usual = schema('defmodule A do\n  use Ecto.Schema\n  schema "a" do\n    field :b, :map\n  end\nend\n')
    assert [(column.name, column.type, column.identity) for column in usual.columns] == [
        ("id", "bigint", True),
        ("b", "json", False),
    ]
    text = 'use Ecto.Schema\n  @primary_key false\n  schema "a" do\n    field :b, :id, primary_key: true\n  end'
    assert schema(f"defmodule A do\n  {text}\nend\n").primary_key == ("b",)
    other = schema('defmodule A do\n  use Shop.Schema\n  schema "a" do\n    field :b, :map\n  end\nend\n')
    assert other.columns[0].type == ""  # what is used may set it


@pytest.mark.parametrize(
    "text",
    [
        "defmodule A do\n  use Ecto.Schema\n  embedded_schema do\n    field :a, :string\n  end\nend\n",
        "defmodule A do\n  def schema do\n    field(:a)\n  end\nend\n# schema field \n",
        "schema field ",
    ],
)
def test_other_files_are_nothing(text: str) -> None:
    assert read_code(text.encode(), language="elixir", path="lib/a.ex") is None


def test_a_migration_creates_a_table() -> None:
    created, unique = migrated(
        """\
    create table(:orders, prefix: "sales", comment: "What was bought") do
      add :number, :string, size: 20, null: false, default: "x"
      add :total, :decimal, precision: 10, scale: 2, comment: "in euro"
      add :customer_id, references(:customers, type: :uuid, on_delete: :nothing), null: false
      add :code, references("codes", column: :code, type: :string)
      add :at, :utc_datetime, default: fragment("now()")
      timestamps(inserted_at: :created_at)
    end

    create unique_index(:orders, [:number, :total])
    create index(:orders, [:total])
    create unique_index(:orders, [:total], where: "paid")"""
    )
    assert isinstance(created, CreateTable)
    table = created.table
    assert (table.name, table.comment) == (Name("orders", schema="sales"), "What was bought")
    assert table.origins == (Origin.MIGRATION,)
    assert table.primary_key == ("id",)
    assert table.columns == (
        Column("id", "bigint", nullable=False, identity=True, source=at(4)),
        Column("number", "varchar(20)", nullable=False, default="'x'", source=at(5)),
        Column("total", "numeric(10, 2)", comment="in euro", source=at(6)),
        Column("customer_id", "uuid", nullable=False, source=at(7)),
        Column("code", "varchar", source=at(8)),
        Column("at", "timestamp", default="now()", source=at(9)),
        Column("created_at", "timestamp", nullable=False, source=at(10)),
        Column("updated_at", "timestamp", nullable=False, source=at(10)),
    )
    assert [(key.columns, key.table.name, key.referenced, key.name, key.evidence) for key in table.foreign_keys] == [
        (("customer_id",), "customers", (), "orders_customer_id_fkey", Evidence.DECLARED),
        (("code",), "codes", ("code",), "orders_code_fkey", Evidence.DECLARED),
    ]
    assert unique == AddConstraint(
        Name("orders"), "orders_number_total_index", unique=("number", "total"), source=at(13)
    )


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("drop table(:a)", Drop(Name("a"), source=at(4))),
        ("drop_if_exists table(:a)", Drop(Name("a"), if_exists=True, source=at(4))),
        ("rename table(:a), to: table(:b)", Rename(Name("a"), Name("b"), source=at(4))),
        ("rename table(:a), :b, to: :c", RenameColumn(Name("a"), "b", "c", source=at(4))),
        (
            "drop unique_index(:a, [:b])",
            DropConstraint(Name("a"), "a_b_index", if_exists=True, source=at(4)),
        ),
        ('drop constraint(:a, "b")', DropConstraint(Name("a"), "b", source=at(4))),
        (
            'create constraint(:a, :b, check: "c > 0")',
            AddConstraint(Name("a"), "b", check="c > 0", source=at(4)),
        ),
        ("alter table(:a), do: remove(:b)", DropColumn(Name("a"), "b", source=at(4))),
        (
            "alter table(:a), do: modify(:b, :text, null: false, default: nil)",
            AlterColumn(Name("a"), "b", type="text", nullable=False, default="", source=at(4)),
        ),
        (
            "alter table(:a), do: add_if_not_exists(:b, :text)",
            AddColumn(Name("a"), Column("b", "text", source=at(4)), if_missing=True, source=at(4)),
        ),
    ],
)
def test_a_statement(statement: str, expected: SchemaOperation) -> None:
    assert migrated(statement) == (expected,)


def test_only_the_way_up_is_read() -> None:
    text = """\
defmodule X do
  use Ecto.Migration

  def up do
    make()
    execute("ALTER TABLE a ADD COLUMN b text", "ALTER TABLE a DROP COLUMN b")
  end

  def down, do: drop(table(:a))

  defp make do
    create table(:a, primary_key: false) do
      columns()
    end
  end

  defp columns do
    add :id, :uuid, primary_key: true
  end
end
"""
    created, added = facts(text, "migrations/1_x.exs").operations
    assert isinstance(created, CreateTable)
    assert (created.table.name, created.table.primary_key) == (Name("a"), ("id",))
    assert isinstance(added, AddColumn)
    assert (added.column.name, added.source) == ("b", at(6))


def test_loops_over_literals_are_unrolled() -> None:
    operations = migrated(
        'for t <- [:a, :b] do\n  drop table("#{t}_x")\nend\nEnum.each(~w(c d)a, fn t -> drop table(t) end)'
    )
    assert [operation.name.name for operation in operations if isinstance(operation, Drop)] == ["a_x", "b_x", "c", "d"]


def test_what_is_computed_is_reported() -> None:
    text = """\
defmodule X do
  use Ecto.Migration

  def change do
    create table(name()) do
      add :a, :text
    end

    alter table(:a) do
      add column, :text
    end

    execute("ALTER TABLE #{name()} ADD COLUMN b text")

    if mysql?() do
      drop table(:a)
    else
      drop table(:b)
    end
  end
end
"""
    found = facts(text, "migrations/1_x.exs")
    assert sorted((one.line, one.reason) for one in found.unparsed) == [
        (5, "computed at run time"),
        (10, "computed at run time"),
        (13, "computed at run time"),
        (17, "the other case of a condition that is decided at run time"),
    ]
    assert found.operations == (Drop(Name("a"), source=at(16)),)


@pytest.mark.parametrize(
    "text",
    [
        "use Ecto.Migration\n  def change do\n    create table(:a) do\n      add :b",
        "use Ecto.Migration\n  def change do\n    create\n    alter\n    drop x\n    rename\n  end\nend",
        "use Ecto.Migration\n  def change do\n    a()\n  end\n  def a do\n    a()\n    a()\n  end\nend",
        'use Ecto.Schema\n  schema "a" do\n    field\n    belongs_to :b\n    timestamps(1)\n  end\nend',
        "use Ecto.Schema\n  schema name do\n    field :a\n  end\nend",
    ],
)
def test_bad_text_breaks_nothing(text: str) -> None:
    read_code(f"defmodule X do\n  {text}".encode(), language="elixir", path="migrations/1_x.exs")
