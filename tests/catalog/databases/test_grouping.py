"""Which files tell of one database, and what it is called."""

from __future__ import annotations

import pytest

from coderag.catalog.databases.places import environment_of, stem_name
from coderag.sql.records import (
    CommentOn,
    CreateRoutine,
    CreateTable,
    Describe,
    Drop,
    Facts,
    Name,
    ObjectKind,
    Origin,
    Routine,
    Schema,
    SchemaFile,
    SchemaOperation,
    Series,
    Table,
    Usage,
    UseDatabase,
)
from coderag.sql.settings import FileRule, FileSettings, Settings
from tests.sql.facts import add, add_key, create, file, folded, name, shape, texts, view


def databases(schema: Schema) -> dict[str, list[str]]:
    """Return the files of each database."""
    return {database.name: list(database.paths) for database in schema.databases}


def test_files_that_refer_to_each_other_are_one_database() -> None:
    schema = folded(
        file("shop/sql/customers.sql", create("customers")),
        file("shop/sql/orders.sql", create("orders", "id int, customer int", keys=["customer > customers (id)"])),
        file("shop/sql/views.sql", view("v", "orders")),
    )
    assert databases(schema) == {
        "shop": ["shop/sql/customers.sql", "shop/sql/orders.sql", "shop/sql/views.sql"],
    }


def test_files_with_a_table_each_are_one_database() -> None:
    schema = folded(*(file(f"warehouse/{one}.sql", create(one)) for one in ("parts", "shelves", "trucks")))
    assert list(databases(schema)) == ["warehouse"]


def test_files_that_stand_alone_are_databases() -> None:
    schema = folded(
        file("ddl/school.sql", create("pupils"), create("teachers")),
        file("ddl/zoo.sql", create("animals"), create("cages")),
        file("ddl/one.sql", create("lonely")),
    )
    assert databases(schema) == {
        "one": ["ddl/one.sql"],
        "school": ["ddl/school.sql"],
        "zoo": ["ddl/zoo.sql"],
    }


def test_migrations_of_one_tool_mean_each_others_tables_whatever_dumps_hold() -> None:
    """Modules with changelogs of their own refer to the tables of the main one, which old dumps have too."""
    main = file("core/db/parts/1.xml", create("loans"), create("clients"), series=Series("liquibase", version="1"))
    own = create("charges", "id int, loan int", keys=["loan > loans (id)"])
    module = file("loan/db/module/parts/7.xml", own, series=Series("liquibase", version="7"))
    dump = file("demo/backup.sql", create("loans"), create("clients"))
    assert databases(folded(main, module, dump)) == {
        "root": ["core/db/parts/1.xml", "loan/db/module/parts/7.xml"],
        "demo/root": ["demo/backup.sql"],
    }


def test_files_that_create_the_same_table_are_different_databases() -> None:
    """A reference that only another such file could serve does not make them one."""
    schema = folded(
        file("ddl/school.sql", create("people"), create("courses", "id int, room int", keys=["room > cages (id)"])),
        file("ddl/zoo.sql", create("people"), create("cages")),
    )
    assert list(databases(schema)) == ["school", "zoo"]
    assert texts(schema) == ["ddl/school.sql:1: courses has a foreign key to cages, which is never created"]


def test_dialects_side_by_side_are_editions_of_one_database() -> None:
    schema = folded(
        file("shop_mysql.sql", create("users"), create("orders", keys=["id > users"])),
        file("shop_postgres.sql", create("users"), create("orders", keys=["id > users"])),
        file("shop_postgres_triggers.sql", CommentOn(name("users"), "x")),
    )
    assert databases(schema) == {"shop": ["shop_mysql.sql", "shop_postgres.sql", "shop_postgres_triggers.sql"]}


def test_tables_of_other_dialects_alone_are_reported() -> None:
    schema = folded(
        file("shop_mysql.sql", create("users"), create("orders"), create("outbox"), create("old"), drop("old")),
        file("shop_postgres.sql", create("users"), create("orders"), create("items"), create("bills")),
    )
    assert sorted(shape(schema)) == ["shop.bills", "shop.items", "shop.orders", "shop.users"]
    assert texts(schema) == [
        "shop_mysql.sql:0: only files that are not applied, for another dialect or of an older state, create outbox",
    ]


def test_same_names_get_their_folders_in_front() -> None:
    schema = folded(
        file("a/shop.sql", create("users"), create("orders")),
        file("b/shop.sql", create("users"), create("orders")),
        file("c/flow.mysql.create.sql", create("users"), create("jobs")),
        file("c/flow.oracle.create.sql", create("users"), create("jobs")),
    )
    assert list(databases(schema)) == ["a/shop", "b/shop", "flow"]


def test_folders_by_kind_of_object_are_one_database() -> None:
    schema = folded(
        file("Sales/Tables/orders.sql", create("Sales.orders", "id int, person int", keys=["person > Person.people"])),
        file("Sales/Views/v.sql", view("Sales.v", "Sales.orders")),
        file("Sales/Stored Procedures/p.sql", CreateRoutine(routine("p", "Sales.orders"))),
        file("Person/Tables/people.sql", create("Person.people")),
    )
    assert [len(database.paths) for database in schema.databases] == [4]
    assert not schema.problems


def drop(table: str) -> Drop:
    return Drop(name(table))


def routine(text: str, *reads: str) -> Routine:
    return Routine(Name(text), usage=Usage(reads=tuple(map(name, reads))))


def test_folders_above_and_below_may_serve_references() -> None:
    schema = folded(
        file("core/schema.sql", create("users"), create("groups")),
        file("core/billing/tables.sql", create("bills", "id int, user int", keys=["user > users"]), create("items")),
        file("other/x.sql", create("notes", "id int, user int", keys=["user > users"]), create("things")),
    )
    assert databases(schema) == {"root": ["core/billing/tables.sql", "core/schema.sql"], "x": ["other/x.sql"]}


def test_migration_folders_are_databases() -> None:
    schema = folded(
        file("billing/migrations/0001_a.sql", create("users")),
        file("billing/migrations/0002_b.sql", add("users", "x int")),
        file("shop/migrations/0001_a.sql", create("users", "id int, y int")),
    )
    assert shape(schema) == {"billing.users": "id x", "shop.users": "id y"}


def test_settings_may_make_one_database_of_several_folders() -> None:
    rule = FileRule(("/a/", "/b/"), FileSettings(database="shop", environment="prod", domain="sales"))
    schema = folded(
        file("a/migrations/0001_a.sql", create("users")),
        file("b/migrations/0001_a.sql", create("orders", "id int, user int", keys=["user > users (id)"])),
        settings=Settings("root", files=(rule,)),
    )
    assert shape(schema) == {"shop.orders": "id user", "shop.users": "id"}
    assert {(table.environment, table.domain) for table in schema.tables} == {("prod", "sales")}
    assert not schema.problems


def test_settings_say_what_counts_of_a_file() -> None:
    files = [file("a.sql", create("t")), file("b.sql", create("u"))]
    rule = FileRule(("b.sql",), FileSettings(read="queries"))
    assert shape(folded(*files, settings=Settings("root", files=(rule,)))) == {"a.t": "id"}


def test_environments_come_from_folders() -> None:
    schema = folded(
        file("db/prod/schema.sql", create("users"), create("orders")),
        file("db/dev/schema.sql", create("users"), create("orders")),
    )
    assert [(database.name, database.environment) for database in schema.databases] == [
        ("dev/root", "dev"),
        ("prod/root", "prod"),
    ]


@pytest.mark.parametrize(
    ("path", "environment"),
    [
        ("db/production/a.sql", "prod"),
        ("tests/sql/a.sql", "test"),
        ("shop-prod.sql", "prod"),
        ("shop_dev.sql", "dev"),
        ("inventory_and_production.sql", ""),
        ("latest/product.sql", ""),
        ("test_results.sql", ""),
    ],
)
def test_names_of_environments(path: str, environment: str) -> None:
    assert environment_of(path) == environment


@pytest.mark.parametrize(
    ("path", "database"),
    [
        ("northwind.sql", "northwind"),
        ("pagila-schema.sql", "pagila"),
        ("hr_create.sql", "hr"),
        ("create_tables.sql", ""),
        ("CreateTables.sql", ""),
        ("schema.sql", ""),
        ("01_init.sql", ""),
        ("SBODemoUS-Reports.sql", "SBODemoUS-Reports"),
        ("shop.queries.sql", "shop"),
    ],
)
def test_names_of_files(path: str, database: str) -> None:
    assert stem_name(path) == database


def test_use_of_one_database_joins_folders() -> None:
    schema = folded(
        file("hr/people.sql", UseDatabase("Shop"), create("people"), create("roles")),
        file("sales/orders.sql", UseDatabase("shop"), create("orders"), create("items")),
        file("master.sql", UseDatabase("master"), UseDatabase("$(Name)"), create("a"), create("b")),
    )
    assert shape(schema) == {
        "Shop.orders": "id",
        "Shop.people": "id",
        "Shop.items": "id",
        "Shop.roles": "id",
        "master.a": "id",
        "master.b": "id",
    }


def test_files_without_tables_go_where_theirs_are() -> None:
    schema = folded(
        file("a/shop.sql", create("users"), create("orders")),
        file("b/bank.sql", create("users"), create("accounts")),
        file("b/extra/comments.sql", CommentOn(name("users"), "near")),
        file("c/keys.sql", add_key("orders", "id > users (id)")),
        file("d/stats.json", Describe(Table(Name("accounts"), row_count=3))),
        file("e/nothing.sql", view("v", "gone")),
    )
    assert databases(schema) == {
        "bank": ["b/bank.sql", "b/extra/comments.sql", "d/stats.json"],
        "e": ["e/nothing.sql"],
        "shop": ["a/shop.sql", "c/keys.sql"],
    }
    assert [str(table.name) for table in schema.tables if table.comment] == ["bank.users"]


def test_models_of_tests_do_not_join_the_product() -> None:
    schema = folded(
        file("db/schema.sql", create("users", "id int, mail text")),
        file("tests/models.py", create("users", "id int", origin=Origin.ORM), labels=["test"]),
    )
    assert sorted(len(table.columns) for table in schema.tables) == [1, 2]
    assert len(schema.databases) == 2


def test_rows_of_tests_keep_models_and_migrations_together() -> None:
    schema = folded(
        file("app/models.py", create("users", origin=Origin.ORM, alias="User")),
        file("migrations/versions/a.py", create("users"), series=Series("alembic", name="a")),
        file("tests/sample.sql", Describe(Table(Name("users"))), labels=["test"]),
    )
    assert [(table.alias, table.environment) for table in schema.tables] == [("User", "")]


def test_apps_of_django_are_one_database() -> None:
    def migration(app: str, number: str, *after: str) -> Series:
        return Series("django", number[:4], f"{app}.{number}", after)

    schema = folded(
        file("shop/migrations/0001_initial.py", create("shop_order"), series=migration("shop", "0001_initial")),
        file("blog/migrations/0001_initial.py", create("blog_post"), series=migration("blog", "0001_initial")),
        file("shop/models.py", create("shop_order", origin=Origin.ORM, alias="Order")),
        file("blog/models.py", create("blog_post", origin=Origin.ORM, alias="Post")),
    )
    assert {str(table.name): table.alias for table in schema.tables} == {
        "root.blog_post": "Post",
        "root.shop_order": "Order",
    }
    assert not schema.problems


def test_folders_of_flyway_are_one_series() -> None:
    schema = folded(
        file("db/migration/V1__a.sql", create("a")),
        file("db/migration/2024/V2__b.sql", add("a", "x int")),
        file("db/migration/R__v.sql", view("v", "a")),
        file("db/mysql/V1__a.sql", create("a", "id int, y int")),
    )
    assert sorted(shape(schema).values()) == ["", "id x", "id y"]


def test_projects_in_one_root_stay_apart() -> None:
    schema = folded(
        file("services/a/models.py", create("users", "id int, a int", origin=Origin.ORM)),
        file("services/b/models.py", create("users", "id int, b int", origin=Origin.ORM)),
    )
    assert shape(schema) == {"a.users": "id a", "b.users": "id b"}


def test_a_kind_of_object_is_looked_up_as_a_table() -> None:
    external = create("hits", kind=ObjectKind.EXTERNAL_TABLE)
    schema = folded(file("x.sql", external, CommentOn(name("hits"), "Kept elsewhere.")))
    assert schema.tables[0].comment == "Kept elsewhere."


# Databases that were asked


def asked(url: str, *operations: SchemaOperation, dialect: str = "postgres") -> SchemaFile:
    """Return what a database says of itself."""
    return SchemaFile(url, Facts(dialect=dialect, database=url.rpartition("/")[2], operations=operations))


def live(table: str, columns: str = "id int") -> CreateTable:
    return create(table, columns, origin=Origin.LIVE)


SHOP = "postgresql://host:5432/shop"


def test_files_and_the_database_that_they_declare_are_one() -> None:
    schema = folded(
        asked(SHOP, live("users"), live("orders"), live("logs")),
        file("db/shop.sql", create("users"), create("orders")),
        file("db/comments.sql", CommentOn(name("users"), "Who buys.")),
    )
    assert databases(schema) == {"shop": ["db/comments.sql", "db/shop.sql", SHOP]}
    assert list(shape(schema)) == ["shop.logs", "shop.orders", "shop.users"]
    assert not schema.problems


@pytest.mark.parametrize(
    ("declared", "had", "apart"),
    [
        ("a b c d e", "a b c x y", False),  # 60 %
        ("a b c d e", "a b x y z", True),
        ("a", "a x y z", False),  # all of it
        ("a b", "a x y z", True),
        ("x y", "a b c", True),
    ],
)
def test_how_many_tables_make_one_database(declared: str, had: str, apart: bool) -> None:
    schema = folded(
        asked(SHOP, *map(live, had.split())),
        file("db/tables.sql", *map(create, declared.split())),
    )
    assert len(schema.databases) == 1 + apart


@pytest.mark.parametrize(
    ("files", "server", "count"),
    [
        ("oracle", "postgres", 2),
        ("sqlite", "postgres", 2),
        ("", "postgres", 1),
        ("ansi", "mysql", 1),
        ("mysql", "mariadb", 1),
        ("redshift", "postgres", 1),
    ],
)
def test_dialects_of_files_and_their_database(files: str, server: str, count: int) -> None:
    declared = Facts(dialect=files, operations=(create("users"), create("orders")))
    schema = folded(
        asked("x://host/shop", live("users"), live("orders"), dialect=server),
        SchemaFile("db/tables.sql", declared),
    )
    assert len(schema.databases) == count


def test_of_two_databases_that_were_asked_the_best_takes_the_files() -> None:
    schema = folded(
        asked("postgresql://dev/shop", live("users"), live("orders"), live("trash")),
        asked("postgresql://prod/shop", live("users"), live("orders")),
        file("db/tables.sql", create("users"), create("orders")),
    )
    assert databases(schema) == {
        "dev/shop": ["postgresql://dev/shop"],
        "prod/shop": ["db/tables.sql", "postgresql://prod/shop"],
    }


def test_of_two_that_fit_alike_the_first_by_name_takes_the_files() -> None:
    schema = folded(
        asked("postgresql://b/two", live("users"), live("orders")),
        asked("postgresql://a/one", live("users"), live("orders")),
        file("db/tables.sql", create("users"), create("orders")),
    )
    assert databases(schema) == {
        "one": ["db/tables.sql", "postgresql://a/one"],
        "two": ["postgresql://b/two"],
    }


def test_of_files_that_fit_alike_none_is_the_database() -> None:
    schema = folded(
        asked(SHOP, live("users"), live("orders")),
        file("a/x.sql", create("users"), create("orders")),
        file("b/y.sql", create("users"), create("orders")),
    )
    assert list(databases(schema)) == ["x", "y", "shop"]


def test_of_files_that_fit_alike_those_of_its_name_are_the_database() -> None:
    schema = folded(
        asked(SHOP, live("users"), live("orders")),
        file("a/shop.sql", create("users"), create("orders")),
        file("b/y.sql", create("users"), create("orders")),
        file("tests/shop.sql", create("users"), create("orders"), labels=["test"]),
    )
    assert databases(schema)["shop"] == ["a/shop.sql", SHOP]
    assert len(schema.databases) == 3


def test_a_file_of_several_databases_goes_with_each() -> None:
    schema = folded(
        asked("mysql://host/crm", live("leads"), live("calls", "id int, at date"), dialect="mysql"),
        asked("mysql://host/shop", live("users"), live("orders"), dialect="mysql"),
        file(
            "dump.sql",
            UseDatabase("crm"),
            create("leads"),
            create("calls"),
            UseDatabase("shop"),
            create("users"),
            create("orders", keys=["id > users"]),
            UseDatabase("old"),
            create("dust"),
        ),
    )
    assert shape(schema) == {
        "crm.calls": "id at",
        "crm.leads": "id",
        "old.dust": "id",
        "shop.orders": "id",
        "shop.users": "id",
    }
    assert texts(schema) == ["dump.sql:1: crm.calls is another table in the database: only the database has at"]


def test_views_and_models_join_a_database_without_other_files() -> None:
    schema = folded(
        asked(SHOP, live("users", "id int, mail text"), live("orders")),
        file("app/models.py", create("users", "id int, mail text", origin=Origin.ORM, alias="User")),
        file("reports/views.sql", view("buyers", "users", "orders")),
    )
    assert list(databases(schema)) == ["shop"]
    assert [(table.name.name, table.alias, table.sources[0].path) for table in schema.tables] == [
        ("buyers", "", "reports/views.sql"),
        ("orders", "", SHOP),
        ("users", "User", "app/models.py"),
    ]
    assert texts(schema) == ["reports/views.sql:1: view buyers is declared here, the database has none"]


def test_modules_of_a_project_with_databases_of_their_own_have_the_models_that_map_them() -> None:
    def mapped(path: str, *names: str) -> SchemaFile:
        tables = [CreateTable(Table(name(each), alias=each.title(), origins=(Origin.ORM,))) for each in names]
        return SchemaFile(path, Facts(operations=tuple(tables)))

    schema = folded(
        file("packages/modules/cart/migrations/1.ts", create("carts"), series=Series("code", version="1")),
        file("packages/modules/order/migrations/1.ts", create("orders"), series=Series("code", version="1")),
        mapped("packages/modules/cart/models/cart.ts", "carts"),
        mapped("packages/modules/order/models/order.ts", "orders"),
    )
    assert sorted(map(sorted, databases(schema).values())) == [
        ["packages/modules/cart/migrations/1.ts", "packages/modules/cart/models/cart.ts"],
        ["packages/modules/order/migrations/1.ts", "packages/modules/order/models/order.ts"],
    ]
