"""Operations of files to the schema as it is now."""

from __future__ import annotations

from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from coderag.frameworks.dbt import read_dbt
from coderag.frameworks.dbt.project import in_projects
from coderag.sql.ddl.parse_file import parse_file
from coderag.sql.records import (
    AddColumn,
    AddConstraint,
    AddDefinition,
    AddQuery,
    AlterColumn,
    Column,
    ColumnUse,
    CommentOn,
    CreateRoutine,
    CreateTable,
    CreateType,
    Definition,
    Describe,
    Drop,
    DropColumn,
    DropConstraint,
    Evidence,
    ExampleQuery,
    Facts,
    ForeignKey,
    Lineage,
    Name,
    ObjectKind,
    Origin,
    Relation,
    Rename,
    RenameColumn,
    Routine,
    Schema,
    SchemaFile,
    SchemaOperation,
    SchemaProblem,
    Series,
    Source,
    Table,
    TypeDefinition,
    Unparsed,
    Usage,
    UseDatabase,
)
from coderag.sql.settings import FileRule, FileSettings, Settings
from tests.growth import assert_linear
from tests.sql.facts import add, add_key, column, create, file, folded, key, name, shape, texts, view
from tests.workspace import REPOSITORY


def table(schema: Schema, wanted: str) -> Table:
    """Return the one table of a plain name."""
    (found,) = [one for one in schema.tables if one.name.name == wanted]
    return found


# Migrations


def test_migrations_give_the_tables_as_they_are_now() -> None:
    schema = folded(
        file(
            "migrations/0001_initial.sql",
            create("customers", "id int, mail text", primary="id"),
            create("orders", "id int, customer_id int, note text", primary="id", keys=["customer_id > customers"]),
            create("mail_queue"),
        ),
        file(
            "migrations/0002_more.sql",
            add("orders", "total_cents int", line=3),
            RenameColumn(name("customers"), "mail", "email", Source(start_line=4, end_line=4)),
            AlterColumn(name("customers"), "email", type="varchar(320)", nullable=False),
            DropColumn(name("orders"), "note"),
            Drop(name("mail_queue")),
            Rename(name("customers"), name("people"), source=Source(start_line=9, end_line=9)),
        ),
    )
    assert shape(schema) == {"root.orders": "id customer_id total_cents", "root.people": "id email"}
    assert not schema.problems
    people, orders = table(schema, "people"), table(schema, "orders")
    assert people.columns[1] == Column("email", "varchar(320)", nullable=False)
    assert orders.foreign_keys[0].table == Name("people", "", "root")
    assert orders.foreign_keys[0].referenced == ("id",)
    assert [(one.text, one.migration, one.source.path, one.source.start_line) for one in people.history] == [
        ("created", "0001_initial", "migrations/0001_initial.sql", 1),
        ("column mail renamed to email", "0002_more", "migrations/0002_more.sql", 4),
        ("column email: type varchar(320), not null", "0002_more", "migrations/0002_more.sql", 0),
        ("renamed from customers", "0002_more", "migrations/0002_more.sql", 9),
    ]
    assert orders.sources[:2] == (
        Source("migrations/0001_initial.sql", 1, 1),
        Source("migrations/0002_more.sql", 3, 3),
    )
    assert orders.columns[2].source == Source("migrations/0002_more.sql", 3, 3)
    assert orders.origins == (Origin.MIGRATION,)


def test_files_without_an_order_may_come_in_any() -> None:
    schema = folded(
        file("db/a_keys.sql", add_key("orders", "customer_id > customers (id)"), CommentOn(name("orders"), "Sold.")),
        file("db/tables.sql", create("orders", "id int, customer_id int"), create("customers", primary="id")),
    )
    assert table(schema, "orders").comment == "Sold."
    assert table(schema, "orders").foreign_keys[0].table == Name("customers", "", "root")
    assert not table(schema, "orders").history
    assert not schema.problems


def test_a_file_that_takes_down_what_another_builds_is_not_the_last_word() -> None:
    schema = folded(
        file("db/create.sql", Drop(name("users"), if_exists=True), create("users"), create("tmp"), Drop(name("tmp"))),
        file("db/drop.sql", Drop(name("users"))),
    )
    assert shape(schema) == {"root.users": "id"}


def test_migrations_that_lead_back_are_not_applied() -> None:
    schema = folded(
        file("m/001_users.up.sql", create("users")),
        file("m/001_users.down.sql", Drop(name("users"))),
    )
    assert shape(schema) == {"m.users": "id"}


def test_a_table_rebuilt_under_another_name_keeps_history_and_keys() -> None:
    schema = folded(
        file(
            "migrations/0001_a.sql",
            create("orders", "id int", primary="id", comment="What was sold."),
            create("items", "id int, order_id int", keys=["order_id > orders"]),
        ),
        file(
            "migrations/0002_b.sql",
            create("new_orders", "id int, total int", primary="id"),
            Drop(name("orders")),
            Rename(name("new_orders"), name("orders")),
        ),
    )
    orders = table(schema, "orders")
    assert [one.text for one in orders.history] == [
        "created",
        "dropped",
        "created",
        "renamed from new_orders",
    ]
    assert orders.comment == "What was sold."
    assert table(schema, "items").foreign_keys[0].table == orders.name
    assert not schema.problems


def test_what_does_not_fit_is_reported_once_for_a_table() -> None:
    schema = folded(
        file(
            "migrations/0001_a.sql",
            create("users"),
            add("ghosts", "a int", line=2),
            add("ghosts", "b int", line=3),
            add("users", "id int", line=4),
            DropColumn(name("users"), "gone", source=Source(start_line=5, end_line=5)),
            DropColumn(name("users"), "gone", if_exists=True),
            Drop(name("nobody"), source=Source(start_line=6, end_line=6)),
            Drop(name("nobody"), if_exists=True),
        )
    )
    at = "migrations/0001_a.sql"
    assert texts(schema) == [
        f"{at}:2: ghosts is altered and never created (and 1 other change of it)",
        f"{at}:4: column id is added to users, which has it already",
        f"{at}:5: column gone of users is dropped, which the table has not",
        f"{at}:6: nobody is dropped and never created",
    ]


def test_sequences_that_columns_bring_are_renamed_unseen() -> None:
    renamed = Rename(name("users_id_seq"), name("people_id_seq"), source=Source(start_line=3, end_line=3))
    assert texts(folded(file("migrations/0001_a.sql", create("users"), renamed))) == []


def test_a_missing_migration_is_reported_and_the_others_applied() -> None:
    known = Series("numbered")
    files = (
        file("migrations/0001_a.sql", create("users"), series=known),
        file("migrations/0002_b.sql", add("users", "a int"), series=known),
        file("migrations/0004_d.sql", add("users", "b int"), series=known),
    )
    schema = folded(*files)
    assert shape(schema) == {"root.users": "id a b"}
    assert texts(schema) == ["migrations/0004_d.sql:0: no migration 3 before 0004_d.sql"]
    assert not folded(*files, file("migrations/0003_data.sql", series=known)).problems


def test_a_migration_that_changes_no_table_is_not_missing() -> None:
    schema = folded(
        file("versions/a.py", create("users"), series=Series("alembic", name="a")),
        file("versions/b.py", series=Series("alembic", name="b", after=("a",))),
        file("versions/c.py", add("users", "x int"), series=Series("alembic", name="c", after=("b",))),
    )
    assert shape(schema) == {"root.users": "id x"}
    assert not schema.problems


def test_a_table_created_twice() -> None:
    schema = folded(
        file("migrations/0001_a.sql", create("a", "id int"), create("b", "id int"), create("c", "id int")),
        file(
            "migrations/0002_b.sql",
            create("a", "id int, x int", line=2),
            create("b", "id int, x int", if_missing=True, line=3),
            create("c", "id int", if_missing=True),
        ),
    )
    assert shape(schema) == {"root.a": "id x", "root.b": "id", "root.c": "id"}
    assert texts(schema) == [
        "migrations/0002_b.sql:2: a is created twice, here and in migrations/0001_a.sql:1: the later one counts",
        "migrations/0002_b.sql:3: b is created twice, here and in migrations/0001_a.sql:1, with other columns: the "
        "first counts, as this one says IF NOT EXISTS",
    ]


def test_dropping_a_column_drops_what_needs_it() -> None:
    made = create("t", "a int, b int, c int", primary="a, b", keys=["b > t (a)"]).table
    made = Table(
        made.name,
        columns=made.columns,
        primary_key=made.primary_key,
        unique=(("b", "c"), ("a",)),
        foreign_keys=made.foreign_keys,
        checks=("b > 0", "a > 0"),
    )
    schema = folded(file("migrations/1_x.sql", CreateTable(made), DropColumn(name("t"), "B")))
    found = table(schema, "t")
    assert (found.primary_key, found.unique, found.foreign_keys, found.checks) == (("a",), (("a",),), (), ("a > 0",))


def test_constraints_are_dropped_by_their_names() -> None:
    schema = folded(
        file(
            "migrations/0001_a.sql",
            create("t", "id int, a int, b int, c int, d int", primary="id"),
            create("u", primary="id"),
            AddConstraint(name("t"), name="one_a", unique=("a",)),
            AddConstraint(name("t"), unique=("b",)),
            AddConstraint(name("t"), name="to_u", foreign_key=key("c > u")),
            AddConstraint(name("t"), foreign_key=key("d > u")),
            AddConstraint(name("t"), name="positive", check="a > 0"),
        ),
        file(
            "migrations/0002_b.sql",
            DropConstraint(name("t"), "one_a"),
            DropConstraint(name("t"), "t_b_key"),
            DropConstraint(name("t"), "to_u"),
            DropConstraint(name("t"), "t_d_fkey"),
            DropConstraint(name("t"), "positive"),
            DropConstraint(name("t"), "t_pkey"),
            DropConstraint(name("t"), "nothing"),
        ),
    )
    found = table(schema, "t")
    assert (found.primary_key, found.unique, found.foreign_keys, found.checks) == ((), (), (), ())
    assert texts(schema) == ["migrations/0002_b.sql:0: constraint nothing of t is dropped, which is not known"]


def test_columns_come_where_they_are_put() -> None:
    schema = folded(
        file(
            "a.sql",
            create("t", "a int, b int"),
            AddColumn(name("t"), column("c int"), after="a"),
            AddColumn(name("t"), column("d int"), after=""),
            AddColumn(name("t"), column("e int"), after="gone"),
        )
    )
    assert shape(schema) == {"a.t": "d a c b e"}


def test_many_columns_are_no_trouble() -> None:
    columns = ", ".join(f"c{number} int" for number in range(5000))
    schema = folded(
        file("a.sql", create("t", columns), *(CommentOn(name("t"), "x", column=f"C{n}") for n in range(5000)))
    )
    assert {one.comment for one in table(schema, "t").columns} == {"x"}


def test_the_shop_is_one_database_as_its_migrations_leave_it() -> None:
    root = REPOSITORY / "fixtures/shop"
    paths = sorted(path.relative_to(root).as_posix() for path in root.rglob("*.sql"))
    files = [SchemaFile(path, parse_file((root / path).read_bytes(), path=path)) for path in paths]
    schema = folded(*files, settings=Settings("shop"))
    assert [(database.name, database.tables) for database in schema.databases] == [("shop", 18)]
    assert not schema.problems
    assert [one.text for one in table(schema, "payments").history][:2] == [
        "created",
        "column charge_id renamed to gateway_reference",
    ]
    assert {one.database for one in schema.queries} == {"shop"}


# Snapshots


def test_a_snapshot_says_what_is_there_and_migrations_what_happened() -> None:
    schema = folded(
        file("db/migrate/1_a.sql", create("users", "id int, mail text"), create("logs")),
        file("db/migrate/2_b.sql", add("users", "born date")),
        file(
            "db/schema.sql",
            create("users", "id int, mail text, name text", comment="People."),
            create("schema_migrations"),
        ),
    )
    users = table(schema, "users")
    assert [one.name for one in users.columns] == ["id", "mail", "name"]
    assert [one.text for one in users.history] == ["created", "column born added: date"]
    assert users.sources[0].path == "db/schema.sql"
    assert users.origins == (Origin.DDL, Origin.MIGRATION)
    assert [database.name for database in schema.databases] == ["root"]
    assert texts(schema) == [
        "db/migrate/1_a.sql:1: the migrations leave logs, which is not in db/schema.sql",
        "db/schema.sql:1: users is another table here than the migrations leave: only the migrations have born, no "
        "migration has name",
    ]


def test_a_schema_that_lacks_what_migrations_add_is_what_they_begin_with() -> None:
    schema = folded(
        file("db/schema.sql", create("users", "id int")),
        file("db/migrations/0001_a.sql", add("users", "name text")),
        file("db/migrations/0002_b.sql", add("users", "born date")),
    )
    assert shape(schema) == {"root.users": "id name born"}
    assert not schema.problems


def test_settings_that_name_all_of_it_change_nothing() -> None:
    files = (
        file("db/migrate/1_a.sql", create("users", "id int")),
        file("db/migrate/2_b.sql", add("users", "born date")),
        file("db/schema.sql", create("users", "id int, born date")),
        file("db/other.sql", create("things"), add_key("things", "id > users (id)")),
    )
    rule = FileRule(("/db/",), FileSettings(database="shop"))
    schema = folded(*files, settings=Settings("root", files=(rule,)))
    assert shape(schema) == {"shop.things": "id", "shop.users": "id born"}
    assert [one.text for one in table(schema, "users").history] == ["created", "column born added: date"]
    assert not schema.problems


def test_migrations_that_are_gone_are_no_problem_beside_a_snapshot() -> None:
    schema = folded(
        file("db/migrate/7_a.rb", add("users", "born date"), series=Series("rails", "7")),
        file("db/schema.rb", create("users", "id int, born date"), series=Series("rails", "7", snapshot=True)),
    )
    assert shape(schema) == {"root.users": "id born"}
    assert not schema.problems


def test_models_describe_the_tables_of_a_snapshot_beside_migrations() -> None:
    """Whether the migrations create the table, change it only, or know nothing of it."""
    models = [
        Describe(
            Table(
                Name(name),
                alias=name.title(),
                foreign_keys=(ForeignKey(("user_id",), Name("users"), evidence=Evidence.MODEL),),
                relations=(Relation("user", "User"),),
                origins=(Origin.ORM,),
            )
        )
        for name in ("posts", "votes", "hats")
    ]
    schema = folded(
        file("app/models/all.rb", *models),
        file("db/migrate/7_a.rb", create("posts", "id int, user_id int"), series=Series("rails", "7")),
        file("db/migrate/8_b.rb", add("votes", "born date"), series=Series("rails", "8")),
        file(
            "db/schema.rb",
            create("users", "id int", primary="id"),
            create("posts", "id int, user_id int"),
            create("votes", "id int, user_id int, born date"),
            create("hats", "id int, user_id int"),
            series=Series("rails", "8", snapshot=True),
        ),
    )
    described = [table(schema, name) for name in ("posts", "votes", "hats")]
    assert [one.alias for one in described] == ["Posts", "Votes", "Hats"]
    assert all(one.relations for one in described)
    assert [[str(key.table) for key in one.foreign_keys] for one in described] == [["root.users"]] * 3
    assert all(Origin.ORM in one.origins for one in described)


# Models


def test_models_join_the_tables_that_they_map() -> None:
    schema = folded(
        file(
            "db/schema.sql",
            create("orders", "id int, customer_id int, total int", primary="id"),
            create("customers", primary="id"),
        ),
        file(
            "shop/models.py",
            create(
                "orders",
                "id Integer, customer_id Integer, weight Integer",
                keys=["customer_id > Customer (id)"],
                origin=Origin.ORM,
                alias="Order",
                comment="What a customer bought.",
                line=7,
            ),
            create("customers", "id Integer", origin=Origin.ORM, alias="Customer"),
        ),
    )
    orders = table(schema, "orders")
    assert [database.name for database in schema.databases] == ["root"]
    assert (orders.alias, orders.comment) == ("Order", "What a customer bought.")
    assert orders.origins == (Origin.DDL, Origin.ORM)
    assert orders.sources == (Source("db/schema.sql", 1, 1), Source("shop/models.py", 7, 7))
    assert [(one.table.name, one.evidence) for one in orders.foreign_keys] == [("customers", Evidence.MODEL)]
    assert texts(schema) == [
        "shop/models.py:7: model Order has the column weight, which the table orders has not",
        "shop/models.py:7: model Order lacks total of the table orders",
    ]


def test_models_of_tables_that_nothing_creates_are_tables() -> None:
    schema = folded(
        file("app/models/a.py", create("users", origin=Origin.ORM, alias="User")),
        file("app/models/b.py", create("posts", "id int, user_id int", keys=["user_id > User"], origin=Origin.ORM)),
    )
    assert shape(schema) == {"root.posts": "id user_id", "root.users": "id"}
    assert table(schema, "posts").foreign_keys[0].table == Name("users", "", "root")


# Names


def test_two_tables_of_one_name_in_two_schemas_stay_apart() -> None:
    schema = folded(
        file(
            "a.sql",
            create("sales.orders", "id int, customer int", keys=["customer > customers"]),
            create("archive.orders", "id int, old int"),
            create("sales.customers", primary="id"),
            create("archive.customers", primary="key"),
            add_key("archive.orders", "old > sales.orders (id)"),
            create("public.customers"),
            add("customers", "note text"),
        )
    )
    assert shape(schema)["a.sales.orders"] == "id customer"
    assert shape(schema)["a.archive.orders"] == "id old"
    assert shape(schema)["a.public.customers"] == "id note"
    targets = {str(one.name): [str(found.table) for found in one.foreign_keys] for one in schema.tables}
    assert targets["a.sales.orders"] == ["a.sales.customers"]
    assert targets["a.archive.orders"] == ["a.sales.orders"]


def test_use_switches_the_database_inside_a_file() -> None:
    schema = folded(
        file(
            "dumps/all.sql",
            UseDatabase("shop"),
            create("users", "id int, a int"),
            UseDatabase("blog"),
            create("users", "id int, b int"),
            create("posts", "id int, author int", keys=["author > users (id)"]),
        )
    )
    assert shape(schema) == {"blog.posts": "id author", "blog.users": "id b", "shop.users": "id a"}
    assert table(schema, "posts").foreign_keys[0].table == Name("users", "", "blog")
    assert [(database.name, database.tables) for database in schema.databases] == [("blog", 2), ("shop", 1)]


def test_odd_names_are_kept() -> None:
    odd = Name('a."b" c.d', "s. t", "")
    made = Table(odd, columns=(Column("Ünï cøde"),), sources=(Source(),))
    schema = folded(file("x.sql", CreateTable(made), CommentOn(odd, "odd", column="ÜNÏ CØDE")))
    assert schema.tables[0].name == Name('a."b" c.d', "s. t", "x")
    assert schema.tables[0].columns[0].comment == "odd"


# Keys, types, parts


def test_keys_to_nowhere_are_reported() -> None:
    schema = folded(
        file("a.sql", create("t", "a int, b int", keys=["a > nowhere (id)", "b > u (ID)", "b > u (x)"]), create("u"))
    )
    assert texts(schema) == [
        "a.sql:1: t has a foreign key to nowhere, which is never created",
        "a.sql:1: t has a foreign key to u (x), which has no such column",
    ]
    assert [str(one.table) for one in schema.tables[0].foreign_keys] == ["nowhere", "a.u", "a.u"]


def test_a_key_goes_with_the_table_that_it_refers_to() -> None:
    schema = folded(
        file("migrations/1_a.sql", create("a"), create("b", "id int, a int", keys=["a > a"])),
        file("migrations/2_b.sql", Drop(name("a"))),
    )
    assert table(schema, "b").foreign_keys == ()
    assert not schema.problems


def test_circles_of_keys_are_harmless() -> None:
    schema = folded(
        file(
            "a.sql",
            create("a", "id int, b int", primary="id", keys=["b > b"]),
            create("b", "id int, a int", primary="id", keys=["a > a"]),
            create("c", "id int, up int", primary="id", keys=["up > c"]),
        )
    )
    assert not schema.problems
    assert table(schema, "c").foreign_keys[0].referenced == ("id",)


def test_columns_have_the_values_of_their_enums_and_domains() -> None:
    types = [
        TypeDefinition(name("shop.status"), ObjectKind.ENUM, values=("new", "paid")),
        TypeDefinition(name("state"), ObjectKind.DOMAIN, base="shop.status"),
        TypeDefinition(name("size"), ObjectKind.DOMAIN, base="text", checks=("VALUE IN ('s', 'it''s')",)),
    ]
    schema = folded(
        file(
            "a.sql",
            *(CreateType(type_) for type_ in types),
            CreateType(TypeDefinition(name("shop.status"), values=("sent",)), extend=True),
            create("t", "a shop.status, b STATUS[], c state, d size, e text, f timestamp(3)"),
        )
    )
    found = {one.name: one.values for one in schema.tables[0].columns}
    assert found == {
        "a": ("new", "paid", "sent"),
        "b": ("new", "paid", "sent"),
        "c": ("new", "paid", "sent"),
        "d": ("s", "it''s"),
        "e": (),
        "f": (),
    }
    assert [str(type_.name) for type_ in schema.types] == ["a.size", "a.state", "a.shop.status"]


def part(text: str, parent: str, *, partition: bool = True, columns: str = "") -> CreateTable:
    made = create(text, columns).table
    return CreateTable(Table(made.name, columns=made.columns, parent=name(parent), partition=partition))


def test_partitions_go_into_their_table() -> None:
    schema = folded(
        file(
            "a.sql",
            part("events_2024", "events"),
            create("events", "id int, at date"),
            part("events_2024_01", "events_2024"),
            create("hits", "event int", keys=["event > events_2024 (id)"]),
        )
    )
    assert shape(schema) == {"a.events": "id at", "a.hits": "event"}
    assert table(schema, "events").family == ("events_2024", "events_2024_01")
    assert table(schema, "hits").foreign_keys[0].table == Name("events", "", "a")


def test_children_have_the_columns_of_their_parents() -> None:
    schema = folded(
        file(
            "a.sql",
            create("base", "id int, made date"),
            part("cars", "base", partition=False, columns="wheels int, id bigint"),
            part("lost", "nobody", partition=False, columns="x int"),
        )
    )
    assert shape(schema) == {"a.base": "id made", "a.cars": "id made wheels", "a.lost": "x"}
    assert table(schema, "cars").columns[0].type == "bigint"
    assert texts(schema) == ["a.sql:0: lost has the columns of nobody, which is never created"]


def test_alike_tables_are_one() -> None:
    days = [create(f"events_{day}", "id int, at date") for day in (20240103, 20240101, 20240102)]
    schema = folded(
        file(
            "a.sql",
            *days,
            create("events_20240104", "id int"),
            *(create(f"iso_3166_{number}") for number in (1, 2, 3)),
            *(create(f"part{number}", "x int") for number in range(12)),
            create("x", "e int", keys=["e > events_20240101 (id)"]),
        )
    )
    assert shape(schema) == {
        "a.events_20240103": "id at",
        "a.events_20240104": "id",
        "a.iso_3166_1": "id",
        "a.iso_3166_2": "id",
        "a.iso_3166_3": "id",
        "a.part11": "x",
        "a.x": "e",
    }
    assert table(schema, "events_20240103").family == ("events_20240101", "events_20240102", "events_20240103")
    assert table(schema, "x").foreign_keys[0].table.name == "events_20240103"


# Views and routines


def test_views_know_the_columns_that_they_use() -> None:
    users = Name("users")
    usage = Usage(reads=(users, Name("posts")), columns=(ColumnUse("title", (users, Name("posts"))),))
    made = Table(Name("v"), ObjectKind.VIEW, usage=usage, lineage=(Lineage("*", (ColumnUse("*", (users,)),)),))
    over = Table(
        Name("w"),
        ObjectKind.VIEW,
        usage=Usage(reads=(Name("v"),)),
        lineage=(Lineage("*", (ColumnUse("*", (Name("v"),)),)),),
    )
    schema = folded(
        file(
            "a.sql",
            CreateTable(over),
            CreateTable(made),
            create("users", "id int, mail text"),
            create("posts", "title text"),
        )
    )
    assert shape(schema) == {"a.posts": "title", "a.users": "id mail", "a.v": "id mail", "a.w": "id mail"}
    found = table(schema, "v")
    assert found.usage.columns == (ColumnUse("title", (Name("posts", "", "a"),)),)
    assert found.lineage[1] == Lineage("mail", (ColumnUse("mail", (Name("users", "", "a"),)),))


def test_views_on_missing_tables_and_on_each_other() -> None:
    schema = folded(
        file("a.sql", view("v", "gone", "pg_class"), view("a", "b"), view("b", "a"), view("r", "r"), create("t"))
    )
    assert texts(schema) == ["a.sql:1: v reads gone, which is never created"]
    assert len(schema.tables) == 5


@pytest.mark.slow
def test_a_long_chain_of_views_is_harmless() -> None:
    schema = folded(
        file("a.sql", create("v0"), *(view(f"v{n}x", f"v{n - 1}x" if n > 1 else "v0") for n in range(1, 3000)))
    )
    assert not schema.problems


def test_renaming_reaches_views_and_triggers() -> None:
    used = Usage(reads=(Name("users"),), columns=(ColumnUse("mail", (Name("users"),)),))
    made = Table(
        Name("v"), ObjectKind.VIEW, usage=used, lineage=(Lineage("m", (ColumnUse("mail", (Name("users"),)),)),)
    )
    schema = folded(
        file(
            "migrations/1_a.sql",
            create("users", "id int, mail text"),
            CreateTable(made),
            CreateRoutine(Routine(Name("watch"), ObjectKind.TRIGGER, table=Name("users"))),
        ),
        file(
            "migrations/2_b.sql",
            RenameColumn(name("users"), "mail", "email"),
            Rename(name("users"), name("people")),
        ),
    )
    people = Name("people", "", "root")
    found = table(schema, "v")
    assert found.usage == Usage(reads=(people,), columns=(ColumnUse("email", (people,)),))
    assert found.lineage == (Lineage("m", (ColumnUse("email", (people,)),)),)
    assert schema.routines[0].table == people
    assert schema.routines[0].source.path == "migrations/1_a.sql"


def test_functions_may_share_a_name() -> None:
    one = Routine(Name("f"), parameters=(column("a int"),), source=Source(start_line=1, end_line=2))
    two = Routine(Name("f"), parameters=(column("a text"),), source=Source(start_line=3, end_line=4))
    schema = folded(file("a.sql", CreateRoutine(one), CreateRoutine(two), CreateRoutine(two), create("t")))
    assert [found.parameters[0].type for found in schema.routines] == ["int", "text"]
    assert texts(schema) == ["a.sql:3: function f is created twice, here and in a.sql:3: the later one counts"]


# What documents say


def test_descriptions_add_and_do_not_replace() -> None:
    described = Table(
        Name("users"),
        columns=(Column("ID", comment="Number.", nullable=False), Column("extra", comment="Not there.")),
        comment="Everybody.",
        row_count=7,
    )
    schema = folded(
        file("a.yml", Describe(described)),
        file("a.sql", create("users", "id int, mail text", comment="People.")),
    )
    users = table(schema, "users")
    assert users.comment == "People.\nEverybody."
    assert users.row_count == 7
    assert [(one.name, one.comment, one.nullable) for one in users.columns] == [
        ("id", "Number.", False),
        ("mail", "", True),
    ]


def test_a_complete_description_may_be_all_there_is() -> None:
    schema = folded(
        file(
            "models/a.yml", Describe(Table(Name("seed"), columns=(Column("x"),), origins=(Origin.DBT,)), complete=True)
        ),
        file("models/b.yml", Describe(Table(Name("gone"), columns=(Column("x"),)))),
    )
    assert shape(schema) == {"root.seed": "x"}
    assert texts(schema) == ["models/b.yml:0: gone is described and never created"]


def query(text: str, *reads: str, columns: tuple[ColumnUse, ...] = ()) -> AddQuery:
    return AddQuery(ExampleQuery(text, usage=Usage(reads=tuple(map(name, reads)), columns=columns)))


def test_queries_belong_to_the_database_whose_tables_they_use() -> None:
    use = ColumnUse("total", (Name("orders"), Name("users")))
    schema = folded(
        file("ddl/shop.sql", create("orders", "id int, total int"), create("users")),
        file("ddl/bank.sql", create("orders", "id int, iban text"), create("accounts")),
        file("ddl/shop.queries.sql", query("1", "orders")),
        file("ddl/bank.queries.sql", query("2", "orders")),
        file("docs/a.md", query("3", "orders", "accounts"), query("4", "orders", "users", columns=(use,))),
        file("docs/b.md", query("5", "nowhere", "sqlite_master")),
    )
    assert [(one.text, one.database) for one in schema.queries] == [
        ("2", "bank"),
        ("1", "shop"),
        ("3", "bank"),
        ("4", "shop"),
        ("5", ""),
    ]
    assert schema.queries[3].usage.columns == (ColumnUse("total", (Name("orders", "", "shop"),)),)
    assert schema.queries[3].source.path == "docs/a.md"
    assert schema.problems == (SchemaProblem("docs/b.md", 0, "queries use tables that nothing creates: nowhere"),)


def test_definitions_speak_of_what_they_mention() -> None:
    def define(term: str, text: str, expression: str = "") -> AddDefinition:
        return AddDefinition(Definition(term, text, expression=expression))

    schema = folded(
        file(
            "shop.sql",
            create("orders", "id int, total_cents int, status text, created_at date"),
            create("users", "id int, lifetime_value int, created_at date"),
        ),
        file(
            "glossary.yml",
            define("revenue", "Sum of `orders.total_cents`."),
            define("Lifetime value", "What somebody spent."),
            define("net", "After tax.", "SUM(total_cents) / 100"),
            define("status", "What is the case."),
            define("new", "Since created_at."),
        ),
    )
    orders, users = Name("orders", "", "shop"), Name("users", "", "shop")
    assert [(definition.term, definition.tables, definition.columns) for definition in schema.definitions] == [
        ("revenue", (orders,), (ColumnUse("total_cents", (orders,)),)),
        ("Lifetime value", (users,), (ColumnUse("lifetime_value", (users,)),)),
        ("net", (orders,), (ColumnUse("total_cents", (orders,)),)),
        ("status", (), ()),
        ("new", (), (ColumnUse("created_at", (orders, users)),)),
    ]


# Databases that were asked


SHOP = "postgresql://host:5432/shop"


def asked(*operations: SchemaOperation) -> SchemaFile:
    """Return what a database called shop says of itself."""
    return SchemaFile(SHOP, Facts(dialect="postgres", database="shop", operations=operations))


def live(made: CreateTable) -> CreateTable:
    """Return a table as a database says it: without lines."""
    return CreateTable(replace(made.table, origins=(Origin.LIVE,), sources=()))


def test_the_database_says_what_there_is_and_files_say_why() -> None:
    schema = folded(
        asked(
            live(create("customers", "id bigint, email varchar(320), state text, seen date", primary="id")),
            live(create("orders", "id bigint, customer_id bigint", keys=["customer_id > customers (id)"])),
            live(create("audit")),
        ),
        file(
            "migrations/0001_initial.sql",
            create("customers", "id int, mail text, state text, fax text", comment="Who buys."),
            create("orders", "id int, customer_id int", keys=["customer_id > customers (id)"], line=9),
            create("carts", line=14),
        ),
        file(
            "migrations/0002_more.sql",
            RenameColumn(name("customers"), "mail", "email", Source(start_line=2, end_line=2)),
            AlterColumn(name("customers"), "state", values=("new", "old"), comment="How it goes."),
        ),
        file("docs/notes.sql", CommentOn(name("audit"), "Who did what.")),
    )
    assert shape(schema) == {
        "shop.audit": "id",
        "shop.carts": "id",
        "shop.customers": "id email state seen",
        "shop.orders": "id customer_id",
    }
    customers = table(schema, "customers")
    assert customers.columns[:3] == (
        Column("id", "bigint"),
        Column("email", "varchar(320)"),
        Column("state", "text", comment="How it goes.", values=("new", "old")),
    )
    assert (customers.comment, customers.primary_key, customers.dialect) == ("Who buys.", ("id",), "postgres")
    assert customers.sources == (
        Source("migrations/0001_initial.sql", 1, 1),
        Source("migrations/0002_more.sql", 2, 2),
        Source("migrations/0002_more.sql"),
        Source(SHOP),
    )
    assert customers.origins == (Origin.MIGRATION, Origin.LIVE)
    assert [one.text for one in customers.history][:2] == ["created", "column mail renamed to email"]
    assert table(schema, "orders").foreign_keys[0].table == Name("customers", "", "shop")
    assert table(schema, "audit").comment == "Who did what."
    assert table(schema, "audit").sources[0] == Source(SHOP)
    assert table(schema, "audit").origins == (Origin.LIVE,)
    assert texts(schema) == [
        "migrations/0001_initial.sql:1: customers is another table in the database: the database lacks fax, "
        "only the database has seen",
        "migrations/0001_initial.sql:14: table carts is declared here, the database has none",
    ]


def test_models_add_relationships_that_the_database_does_not_check() -> None:
    schema = folded(
        asked(live(create("users", "id int, mail text", primary="id")), live(create("posts", "id int, user_id int"))),
        file(
            "app/models.py",
            create("users", "id int", origin=Origin.ORM, alias="User", comment="A member."),
            create("posts", "id int, user_id int", keys=["user_id > users"], origin=Origin.ORM, alias="Post"),
        ),
    )
    posts, users = table(schema, "posts"), table(schema, "users")
    assert posts.foreign_keys == (
        ForeignKey(("user_id",), Name("users", "", "shop"), ("id",), evidence=Evidence.MODEL),
    )
    assert posts.origins == (Origin.ORM, Origin.LIVE)
    assert (users.alias, users.comment) == ("User", "A member.")
    assert texts(schema) == ["app/models.py:1: users is another table in the database: only the database has mail"]


def test_schemas_and_letter_case_do_not_hide_that_tables_are_the_same() -> None:
    schema = folded(
        asked(live(create("sales.orders")), live(create("users")), live(create("hr.staff"))),
        file("db/tables.sql", create("Sales.Orders"), create("public.Users"), create("staff")),
    )
    assert list(shape(schema)) == ["shop.users", "shop.hr.staff", "shop.sales.orders"]
    assert not schema.problems


def test_tables_that_the_user_may_not_read_are_not_missing() -> None:
    facts = Facts(
        database="shop",
        unparsed=(Unparsed(0, "TABLE public.wages", "the user has no right to read it", table=True),),
        operations=(live(create("users")), live(create("staff", ""))),
    )
    schema = folded(
        SchemaFile(SHOP, facts),
        file("db/tables.sql", create("users"), create("staff", "id int, name text"), create("wages")),
    )
    assert shape(schema) == {"shop.staff": "id name", "shop.users": "id", "shop.wages": "id"}
    assert not schema.problems


def test_routines_and_types_of_a_database_keep_their_places() -> None:
    def total(type_: str, line: int) -> CreateRoutine:
        source = Source(start_line=line, end_line=line)
        return CreateRoutine(Routine(Name("total"), parameters=(Column("x", type_),), source=source))

    mood = TypeDefinition(Name("mood"), ObjectKind.ENUM, values=("sad", "ok"))
    schema = folded(
        asked(
            CreateType(mood),
            live(create("users", "id int, now mood")),
            total("integer", 0),
            total("bigint", 0),
        ),
        file(
            "db/tables.sql",
            CreateType(replace(mood, values=("sad",), source=Source(start_line=2, end_line=2))),
            create("users", "id int, now mood"),
            total("int", 5),
            total("int8", 7),
        ),
    )
    assert [(routine.parameters[0].type, routine.source) for routine in schema.routines] == [
        ("integer", Source("db/tables.sql", 5, 5)),
        ("bigint", Source("db/tables.sql", 7, 7)),
    ]
    assert [(str(one.name), one.values, one.source.start_line) for one in schema.types] == [
        ("shop.mood", ("sad", "ok"), 2)
    ]
    assert table(schema, "users").columns[1].values == ("sad", "ok")


def test_queries_find_the_tables_of_files_and_database() -> None:
    query = ExampleQuery("SELECT ...", usage=Usage(reads=(Name("users"), Name("audit"), Name("carts"))))
    schema = folded(
        asked(live(create("users")), live(create("orders")), live(create("audit"))),
        file("db/tables.sql", create("users"), create("orders"), create("carts")),
        file("queries.sql", AddQuery(query)),
    )
    assert schema.queries[0].database == "shop"
    assert {read.database for read in schema.queries[0].usage.reads} == {"shop"}


def beside_their_database(count: int) -> list[SchemaFile]:
    """Return tables of files, and the database that has them all."""
    columns = ", ".join(f"c{number} int" for number in range(10))
    names = [f"t_{chr(97 + number % 26)}{'x' * (number // 26)}" for number in range(count)]
    files = [file(f"db/{one}.sql", create(one, columns)) for one in names]
    return [*files, asked(*(live(create(one, columns)) for one in names))]


@pytest.mark.slow
def test_two_thousand_tables_beside_their_database_take_linear_time() -> None:
    schema = folded(*beside_their_database(2_000))
    assert len(schema.tables) == 2_000
    assert not schema.problems
    assert_linear(lambda count: partial(folded, *beside_their_database(count)), 500)


# Django


def test_a_renamed_model_is_known_by_its_new_name() -> None:
    schema = folded(
        file(
            "shop/migrations/0001_initial.py",
            create("shop_order", alias="shop.Order"),
            series=Series("django", "0001", "shop.0001_initial"),
        ),
        file(
            "shop/migrations/0002_rename.py",
            Rename(name("shop_order"), name("shop_purchase")),
            Describe(Table(Name("shop_purchase"), alias="shop.Purchase")),
            series=Series("django", "0002", "shop.0002_rename", ("shop.0001_initial",)),
        ),
    )
    assert table(schema, "shop_purchase").alias == "shop.Purchase"


def test_tables_that_django_brings_along_are_not_missing() -> None:
    keys = ["a > auth_user (id)", "b > django_content_type (id)", "c > shop_gone (id)"]
    schema = folded(
        file("shop/migrations/0001_initial.py", create("shop_order", "id int, a int, b int, c int", keys=keys)),
        file("shop/migrations/0002_more.py", add("auth_user", "phone text"), view("v", "auth_group")),
        file("q.sql", AddQuery(ExampleQuery("", usage=Usage(reads=(Name("shop_order"), Name("auth_user")))))),
    )
    assert texts(schema) == [
        "shop/migrations/0001_initial.py:1: shop_order has a foreign key to shop_gone, which is never created"
    ]
    assert len(table(schema, "shop_order").foreign_keys) == 3


# Views that take all columns


def sql(path: str, text: str) -> SchemaFile:
    return SchemaFile(path, parse_file(text.encode(), path=path))


def test_views_of_all_columns_have_those_of_their_tables() -> None:
    schema = folded(
        sql(
            "db/shop.sql",
            "CREATE VIEW last AS SELECT *, 1 AS one FROM middle;\n"
            "CREATE VIEW middle AS SELECT f.* FROM first f;\n"
            "CREATE VIEW first AS SELECT * FROM t;\n"
            "CREATE VIEW both AS SELECT * FROM t JOIN u ON t.id = u.t_id;\n"
            "CREATE VIEW named (a, b, c) AS SELECT *, 1 FROM first;\n"
            "CREATE VIEW nowhere AS SELECT * FROM gone;\n"
            "CREATE TABLE t (id int, name text);\n"
            "CREATE TABLE u (id int, t_id int);\n",
        )
    )
    assert shape(schema) == {
        "shop.both": "id name t_id",
        "shop.first": "id name",
        "shop.last": "id name one",
        "shop.middle": "id name",
        "shop.named": "a b c",
        "shop.nowhere": "",
        "shop.t": "id name",
        "shop.u": "id t_id",
    }
    assert [(line.column, *(use.column for use in line.sources)) for line in table(schema, "named").lineage] == [
        ("a", "id"),
        ("b", "name"),
        ("c",),
    ]
    assert table(schema, "last").lineage[1] == Lineage("name", (ColumnUse("name", (Name("middle", "", "shop"),)),))


def test_models_of_dbt_have_the_columns_of_what_they_select() -> None:
    schema = folded(
        *in_projects(
            [
                SchemaFile(path, facts)
                for path, text in {
                    "dbt_project.yml": "name: shop\n",
                    "models/staging/stg_users.sql": "select id, mail as email from {{ source('raw', 'users') }}\n",
                    "models/marts/users.sql": (
                        "with final as (select * from {{ ref('stg_users') }})\nselect * from final\n"
                    ),
                    "models/marts/last.sql": "select * from {{ ref('users') }}\n",
                }.items()
                if (facts := read_dbt(text.encode(), path=path)) is not None
            ]
        )
    )
    assert {one.name.name: " ".join(column.name for column in one.columns) for one in schema.tables} == {
        "last": "id email",
        "stg_users": "id email",
        "users": "id email",
    }


# Properties

NAMES = st.sampled_from(["a", "b", "c", "A"])
OPERATIONS = st.one_of(
    st.builds(lambda one: create(one, "id int, x int", primary="id"), NAMES),
    st.builds(lambda one: create(one, "id int", replace=True), NAMES),
    st.builds(lambda one, other: create(one, "id int, up int", keys=[f"up > {other}"]), NAMES, NAMES),
    st.builds(lambda one, text: add(one, f"{text} int"), NAMES, NAMES),
    st.builds(lambda one, text: DropColumn(name(one), text), NAMES, NAMES),
    st.builds(lambda one, old, new: RenameColumn(name(one), old, new), NAMES, NAMES, NAMES),
    st.builds(lambda one, other: Rename(name(one), name(other)), NAMES, NAMES),
    st.builds(lambda one: Drop(name(one)), NAMES),
    st.builds(lambda one, other: view(one, other), NAMES, NAMES),
    st.builds(lambda one, other: part(one, other), NAMES, NAMES),
    st.builds(lambda one, other: part(one, other, partition=False), NAMES, NAMES),
    st.builds(lambda one: UseDatabase(one), NAMES),
)


@settings(deadline=None)
@given(st.lists(OPERATIONS, max_size=25), st.booleans())
def test_any_operations_give_a_schema_that_holds_together(operations: list[CreateTable], in_order: bool) -> None:
    half = len(operations) // 2
    paths = ("migrations/1_a.sql", "migrations/2_b.sql") if in_order else ("x.sql", "y.sql")
    files = [file(paths[0], *operations[:half]), file(paths[1], *operations[half:])]
    schema = folded(*files)
    assert folded(*reversed(files)) == schema
    databases = {database.name for database in schema.databases}
    names = {one.name for one in schema.tables}
    assert len(names) == len(schema.tables)
    for one in schema.tables:
        assert one.name.database in databases
        assert one.sources[0].path in paths
        assert all(found.table in names for found in one.foreign_keys if found.table.database)
        columns = [found.name for found in one.columns]
        assert len(columns) == len(set(columns))
