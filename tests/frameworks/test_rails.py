"""Rails: schema.rb, migrations in every form of their statements, and what is only known at run time."""

from __future__ import annotations

import pytest

from coderag.frameworks.common.native_types import native_type, with_native_types
from coderag.frameworks.registry import read_code
from coderag.sql.records import (
    AddColumn,
    AddConstraint,
    AlterColumn,
    Column,
    CommentOn,
    CreateTable,
    CreateType,
    Drop,
    DropColumn,
    DropConstraint,
    Evidence,
    Facts,
    ForeignKey,
    Name,
    ObjectKind,
    Origin,
    Rename,
    RenameColumn,
    SchemaFile,
    SchemaOperation,
    Series,
    Source,
    Table,
    TypeDefinition,
)

SCHEMA = """\
# This file is auto-generated
ActiveRecord::Schema[7.1].define(version: 2024_01_31_120000) do
  enable_extension "plpgsql"

  create_enum "order_state", ["open", "paid"]

  create_table "orders", id: :uuid, default: -> { "gen_random_uuid()" }, comment: "What was bought" do |t|
    t.string "number", limit: 20, default: "", null: false, comment: "shown to people"
    t.decimal "total", precision: 10, scale: 2
    t.integer "views", limit: 8, default: 0
    t.string "labels", default: [], array: true
    t.jsonb "details", default: {}
    t.enum "state", default: "open", enum_type: "order_state"
    t.virtual "shown", type: :string, as: "upper(number)", stored: true
    t.datetime "created_at", precision: nil, null: false
    t.index ["number"], name: "index_orders_on_number", unique: true
    t.index ["total"], name: "paid_once", unique: true, where: "(state = 'paid')"
    t.index "lower((number)::text)", name: "lower_once", unique: true
    t.check_constraint "total >= 0", name: "not_negative"
  end

  create_table "sales.lines", primary_key: ["order_id", "position"], force: :cascade do |t|
    t.uuid "order_id", null: false
    t.integer "position", null: false
  end

  create_table "links", id: false, force: :cascade do |t|
    t.bigint "left_id"
  end

  create_table "codes", primary_key: "code", id: { type: :string, limit: 3 }, force: :cascade do |t|
  end

  add_foreign_key "sales.lines", "orders", on_delete: :cascade
  add_foreign_key "links", "codes", column: "left_id", primary_key: "code", name: "fk_left"
end
"""


def facts(text: str, path: str = "db/schema.rb") -> Facts:
    """Return what a Ruby file tells."""
    found = read_code(text.encode(), language="ruby", path=path)
    assert found is not None
    return found


def migrated(statements: str, version: str = "7.1") -> tuple[SchemaOperation, ...]:
    """Return what the statements of a migration do, without their places."""
    text = f"class X < ActiveRecord::Migration[{version}]\n  def change\n{statements}\n  end\nend\n"
    found = facts(text, "db/migrate/20240131120000_x.rb")
    assert not found.unparsed
    return found.operations


def tables(text: str) -> dict[str, Table]:
    """Return the tables of a schema.rb by name."""
    [file] = with_native_types([SchemaFile("db/schema.rb", facts(text))])
    return {
        str(operation.table.name): operation.table
        for operation in file.facts.operations
        if isinstance(operation, CreateTable)
    }


def brief(table: Table) -> list[tuple[str, str]]:
    """Return the names and types of a table's columns."""
    return [(column.name, column.type) for column in table.columns]


def at(row: int) -> Source:
    """Return one line."""
    return Source("", row, row)


def test_a_schema_is_a_snapshot_with_a_version() -> None:
    found = facts(SCHEMA)
    assert found.series == Series("rails", version="20240131120000", name="schema", snapshot=True)
    assert found.dialect == "postgres"
    assert not found.unparsed
    assert facts(SCHEMA, "db/animals_schema.rb").database == "animals"
    assert facts(SCHEMA).database == ""


def test_a_table_with_every_kind_of_column() -> None:
    orders = tables(SCHEMA)["orders"]
    assert orders.comment == "What was bought"
    assert orders.origins == (Origin.MIGRATION,)
    assert orders.sources == (Source("", 7, 20),)
    assert orders.primary_key == ("id",)
    assert orders.unique == (("number",),)
    assert orders.checks == ("total >= 0",)
    assert orders.columns == (
        Column("id", "uuid", nullable=False, default="gen_random_uuid()", source=at(7)),
        Column("number", "varchar(20)", nullable=False, default="''", comment="shown to people", source=at(8)),
        Column("total", "numeric(10, 2)", source=at(9)),
        Column("views", "bigint", default="0", source=at(10)),
        Column("labels", "varchar[]", default="'{}'", source=at(11)),
        Column("details", "jsonb", default="'{}'", source=at(12)),
        Column("state", "order_state", default="'open'", source=at(13)),
        Column("shown", "varchar", generated="upper(number)", source=at(14)),
        Column("created_at", "timestamp", nullable=False, source=at(15)),
    )


def test_keys_of_every_kind() -> None:
    found = tables(SCHEMA)
    assert found["sales.lines"].name == Name("lines", schema="sales")
    assert found["sales.lines"].primary_key == ("order_id", "position")
    assert brief(found["sales.lines"]) == [("order_id", "uuid"), ("position", "integer")]
    assert found["links"].primary_key == ()
    assert brief(found["links"]) == [("left_id", "bigint")]
    assert found["codes"].primary_key == ("code",)
    assert brief(found["codes"]) == [("code", "varchar(3)")]
    assert not found["codes"].columns[0].identity


def test_foreign_keys_and_enums_of_a_schema() -> None:
    operations = facts(SCHEMA).operations
    assert operations[0] == CreateType(
        TypeDefinition(Name("order_state"), kind=ObjectKind.ENUM, values=("open", "paid"), source=at(5))
    )
    assert operations[-2:] == (
        AddConstraint(
            Name("lines", schema="sales"),
            foreign_key=ForeignKey(("order_id",), Name("orders"), evidence=Evidence.DECLARED, source=at(34)),
            source=at(34),
        ),
        AddConstraint(
            Name("links"),
            name="fk_left",
            foreign_key=ForeignKey(("left_id",), Name("codes"), ("code",), name="fk_left", source=at(35)),
            source=at(35),
        ),
    )


def test_a_migration_creates_a_table() -> None:
    [created, unique] = migrated(
        """\
    create_table :people do |t|
      t.string :first, :last, null: false
      t.references :team, null: false, foreign_key: { to_table: :groups }
      t.belongs_to :owner, polymorphic: true, type: :uuid
      t.column :code, "char(3)"
      t.string :email, index: { unique: true }
      t.timestamps
    end"""
    )
    assert isinstance(created, CreateTable)
    assert brief(created.table) == [
        ("id", "bigint"),
        ("first", "string"),
        ("last", "string"),
        ("team_id", "bigint"),
        ("owner_type", "string"),
        ("owner_id", "uuid"),
        ("code", "char(3)"),
        ("email", "string"),
        ("created_at", "datetime"),
        ("updated_at", "datetime"),
    ]
    assert [column.name for column in created.table.columns if column.nullable] == [
        "owner_type",
        "owner_id",
        "code",
        "email",
    ]
    assert created.table.foreign_keys == (ForeignKey(("team_id",), Name("groups"), source=at(5)),)
    assert unique == AddConstraint(Name("people"), name="index_people_on_email", unique=("email",), source=at(8))


def test_keys_and_timestamps_of_old_versions() -> None:
    [created] = migrated("create_table(:a) { |t| t.references :b\n t.timestamps }", version="4.2")
    assert isinstance(created, CreateTable)
    assert brief(created.table)[:2] == [("id", "integer"), ("b_id", "integer")]
    assert all(column.nullable for column in created.table.columns[1:])


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("drop_table :a, if_exists: true", Drop(Name("a"), if_exists=True, source=at(3))),
        ("rename_table :a, :b", Rename(Name("a"), Name("b"), source=at(3))),
        (
            'add_column "a", :b, :string, null: false, after: :c',
            AddColumn(Name("a"), Column("b", "string", nullable=False, source=at(3)), after="c", source=at(3)),
        ),
        ("remove_column :a, :b, :string", DropColumn(Name("a"), "b", source=at(3))),
        ("remove_column(:a, :b, if_exists: true)", DropColumn(Name("a"), "b", if_exists=True, source=at(3))),
        ("rename_column :a, :b, :c", RenameColumn(Name("a"), "b", "c", source=at(3))),
        ("change_column :a, :b, :text, limit: 9", AlterColumn(Name("a"), "b", type="text(9)", source=at(3))),
        (
            "change_column :a, :b, :text, null: true, default: nil",
            AlterColumn(Name("a"), "b", type="text", nullable=True, default="", source=at(3)),
        ),
        ("change_column_null :a, :b, false, 0", AlterColumn(Name("a"), "b", nullable=False, source=at(3))),
        ("change_column_default :a, :b, from: 1, to: 2", AlterColumn(Name("a"), "b", default="2", source=at(3))),
        ("change_column_default :a, :b, nil", AlterColumn(Name("a"), "b", default="", source=at(3))),
        ('change_column_comment :a, :b, "c"', AlterColumn(Name("a"), "b", comment="c", source=at(3))),
        ('change_table_comment :a, from: "b", to: "c"', CommentOn(Name("a"), "c", source=at(3))),
        ("remove_reference :a, :b", DropColumn(Name("a"), "b_id", source=at(3))),
        (
            "add_index :a, [:b, :c], unique: true",
            AddConstraint(Name("a"), name="index_a_on_b_and_c", unique=("b", "c"), source=at(3)),
        ),
        ("remove_index :a, :b", DropConstraint(Name("a"), name="index_a_on_b", if_exists=True, source=at(3))),
        ("remove_index :a, name: :b", DropConstraint(Name("a"), name="b", if_exists=True, source=at(3))),
        ("remove_foreign_key :a, :people", DropConstraint(Name("a"), columns=("person_id",), source=at(3))),
        ("remove_foreign_key :a, column: :b", DropConstraint(Name("a"), columns=("b",), source=at(3))),
        (
            'add_check_constraint :a, "b > 0", name: "c"',
            AddConstraint(Name("a"), name="c", check="b > 0", source=at(3)),
        ),
        ("remove_check_constraint :a, name: :c", DropConstraint(Name("a"), name="c", source=at(3))),
        (
            'add_enum_value :mood, "glad"',
            CreateType(TypeDefinition(Name("mood"), kind=ObjectKind.ENUM, values=("glad",), source=at(3)), extend=True),
        ),
        ("connection.drop_table :a", Drop(Name("a"), source=at(3))),
        ("safety_assured { drop_table :a }", Drop(Name("a"), source=at(3))),
        ("drop_table :a if table_exists?(:a)", Drop(Name("a"), if_exists=True, source=at(3))),
    ],
)
def test_a_statement(statement: str, expected: SchemaOperation) -> None:
    assert migrated(statement) == (expected,)


def test_a_block_changes_a_table() -> None:
    operations = migrated(
        """\
    change_table :a, bulk: true do |t|
      t.string :b
      t.rename :c, :d
      t.remove :e, :f
      t.change :g, :text
      t.change_default :h, 1
      t.remove_timestamps
    end"""
    )
    assert [type(operation).__name__ for operation in operations] == [
        *("AddColumn", "RenameColumn", "DropColumn", "DropColumn", "AlterColumn", "AlterColumn"),
        *("DropColumn", "DropColumn"),
    ]


def test_a_join_table_is_called_after_both() -> None:
    [first, second] = migrated("create_join_table :users, :groups\ncreate_join_table :music_artists, :music_records")
    assert isinstance(first, CreateTable)
    assert isinstance(second, CreateTable)
    assert first.table.name == Name("groups_users")
    assert brief(first.table) == [("user_id", "bigint"), ("group_id", "bigint")]
    assert second.table.name == Name("music_artists_records")


def test_only_the_way_up_is_read() -> None:
    text = """\
class X < ActiveRecord::Migration[6.0]
  def up
    make
    reversible do |dir|
      dir.up { add_column :a, :b, :string }
      dir.down { drop_table :never }
    end
  end

  def down
    drop_table :a
  end

  def make
    create_table :a
  end
end
"""
    [created, added] = facts(text, "db/migrate/1_x.rb").operations
    assert isinstance(created, CreateTable)
    assert isinstance(added, AddColumn)
    assert (created.table.name, added.column.name) == (Name("a"), "b")


def test_loops_over_literals_are_unrolled() -> None:
    operations = migrated('%i[a b].each { |name| add_column name, "#{name}_at", :datetime }')
    assert [
        (str(operation.table), operation.column.name) for operation in operations if isinstance(operation, AddColumn)
    ] == [
        ("a", "a_at"),
        ("b", "b_at"),
    ]


def test_what_is_computed_is_reported() -> None:
    text = """\
class X < ActiveRecord::Migration[6.0]
  def up
    create_table table_name do |t|
      t.string :a
    end
    User.tables.each { |t| drop_table t }
    add_column :a, column, :string
    add_column :a, :b, :string
    if mysql?
      add_column :a, :c, :string
    else
      add_column :a, :d, :string
    end
  end
end
"""
    found = facts(text, "db/migrate/1_x.rb")
    assert [(one.line, one.reason, one.table) for one in found.unparsed] == [
        (3, "computed at run time", True),
        (6, "computed at run time", True),
        (7, "computed at run time", True),
        (11, "the other case of a condition that is decided at run time", True),
    ]
    assert [operation.column.name for operation in found.operations if isinstance(operation, AddColumn)] == ["b", "c"]


def test_sql_is_read_as_sql() -> None:
    text = """\
class X < ActiveRecord::Migration[6.0]
  def up
    execute <<~SQL
      CREATE TABLE a (
        b integer NOT NULL
      );
    SQL
    execute "UPDATE a SET b = 1"
    execute("ALTER TABLE a ADD COLUMN c text")
  end
end
"""
    [created, added] = facts(text, "db/migrate/1_x.rb").operations
    assert isinstance(created, CreateTable)
    assert (created.table.name, created.table.sources[0].start_line) == (Name("a"), 4)
    assert created.table.columns[0].source.start_line == 5
    assert isinstance(added, AddColumn)
    assert (added.column.name, added.source.start_line) == ("c", 9)


def test_a_view_of_a_schema() -> None:
    text = """\
ActiveRecord::Schema.define(version: 1) do
  create_view "v", sql_definition: <<-SQL
      SELECT a FROM b
  SQL
end
"""
    [view] = facts(text).operations
    assert isinstance(view, CreateTable)
    assert (view.table.name, view.table.kind) == (Name("v"), ObjectKind.VIEW)


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("class X < ActiveRecord::Migration[6.0]\n  def change\n    create_table :a\n  end\nend\n", "lib/x.rb"),
        ("class Migration < Base\n  def define\n  end\nend\n", "db/1_x.rb.txt"),
        ("Schema.define { |t| create_table :a }\n", "db/schema.rb"),
    ],
)
def test_other_files_are_nothing(text: str, path: str) -> None:
    assert read_code(text.encode(), language="ruby", path=path) is None


@pytest.mark.parametrize(
    "text",
    [
        'ActiveRecord::Schema.define(version: 1) do\n  create_table "a" do |t|\n    t.string "b"\n',
        "ActiveRecord::Schema.define(version: 1) do\n  create_table do |t|\n    t.string\n  end\n  add_index\nend\n",
        "ActiveRecord::Schema.define(version: 1) do\n  add_foreign_key\n  remove_index\n  execute\nend\n",
        "ActiveRecord::Schema.define(version: 1) do\n  t.string 1, [], {}\n  create_table [1], {} => 2, **a\nend\n",
        "ActiveRecord::Schema.define(version: 1) do\n" + "  if x\n" * 300 + "end\n" * 301,
        "class X < ActiveRecord::Migration[]\n  def change\n    a\n  end\n  def a\n    a\n    a\n  end\nend\n",
    ],
)
def test_bad_text_breaks_nothing(text: str) -> None:
    assert read_code(text.encode(), language="ruby", path="db/migrate/1_x.rb") is not None


def test_half_a_schema_gives_its_whole_tables() -> None:
    found = tables(SCHEMA[: SCHEMA.index("  add_foreign_key")] + '  create_table "cut", force: :casc')
    assert {"orders", "sales.lines", "links"} <= found.keys()


def test_several_names_of_rails_3_are_removed_and_a_type_behind_them_is_none() -> None:
    found = migrated("remove_column :a, :b, :c") + migrated("remove_column :a, :b, :string")
    assert [one.column for one in found if isinstance(one, DropColumn)] == ["b", "c", "b"]


def test_what_is_reverted_is_taken_back_in_the_other_order() -> None:
    found = migrated("revert do\n create_table :a\n add_column :b, :c, :string\n rename_column :b, :d, :e\n end")
    assert found == (
        RenameColumn(Name("b"), "e", "d", source=at(6)),
        DropColumn(Name("b"), "c", source=at(5)),
        Drop(Name("a"), source=at(4)),
    )
    text = "class X < ActiveRecord::Migration[7.0]\n  def change\n    revert OtherMigration\n  end\nend\n"
    assert [one.line for one in facts(text, "db/migrate/1_x.rb").unparsed] == [3]


@pytest.mark.parametrize(
    ("kind", "dialect", "native"),
    [
        ("string", "postgres", "varchar"),
        ("string(20)[]", "postgres", "varchar(20)[]"),
        ("datetime(6)", "postgres", "timestamp(6)"),
        ("string", "mysql", "varchar(255)"),
        ("string(50)", "mysql", "varchar(50)"),
        ("text(4294967295)", "mysql", "longtext"),
        ("binary(16)", "mysql", "varbinary(16)"),
        ("integer unsigned", "mysql", "int unsigned"),
        ("string", "", "varchar"),
        ("order_state", "postgres", "order_state"),
    ],
)
def test_a_type_is_that_of_the_database(kind: str, dialect: str, native: str) -> None:
    assert native_type(kind, "rails", dialect) == native
