"""Catalogs: what is written is what is read, and which joins are known or guessed."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from coderag import Index
from coderag.errors import IndexDamagedError, IndexFormatError
from coderag.index.catalog.catalog import Catalog, write_catalog
from coderag.index.storage.arrays.arrays import open_arrays, write_arrays
from coderag.sql.records import (
    Column,
    Database,
    Definition,
    Evidence,
    ExampleQuery,
    ForeignKey,
    Join,
    Name,
    ObjectKind,
    Routine,
    Schema,
    Source,
    Table,
    Usage,
)
from tests.catalogs import catalog_of
from tests.workspace import index_file, write

SHOP = """
CREATE TABLE customers (id int PRIMARY KEY, full_name text);
CREATE TABLE orders (id int PRIMARY KEY, customer_id int REFERENCES customers (id), placed_on date);
CREATE TABLE order_items (
    order_id int REFERENCES orders,
    line int,
    product_id int,
    PRIMARY KEY (order_id, line)
);
CREATE TABLE products (product_id int PRIMARY KEY, title text);
CREATE TABLE returns (order_id int, line int, FOREIGN KEY (order_id, line) REFERENCES order_items (order_id, line));
"""


def joins(catalog: Catalog) -> list[str]:
    """Return every join that a catalog knows, as text."""
    return [
        f"{catalog.names[relation.left]}.{'+'.join(relation.left_columns)}"
        f" = {catalog.names[relation.right]}.{'+'.join(relation.right_columns)} ({relation.evidence})"
        for relation in catalog.relations
    ]


def test_what_is_written_is_read(tmp_path: Path) -> None:
    schema = Schema(
        databases=(Database("a", paths=("a.sql",), tables=1), Database("b", paths=("b.sql", "c.sql"), tables=2)),
        tables=(
            Table(
                Name("orders", "sales", "a"),
                columns=(Column("id", "int"), Column("größe", "text", values=("S", "M"))),
                primary_key=("id",),
                sources=(Source("a.sql", 1, 4),),
                environment="prod",
            ),
            Table(
                Name("Orders", "", "b"), kind=ObjectKind.VIEW, sources=(Source("b.sql", 1, 2), Source("c.sql", 5, 6))
            ),
            Table(Name('a "quoted". name', "", "b"), labels=("test",), sources=(Source("c.sql", 1, 2),)),
        ),
        routines=(Routine(Name("total", "", "a")),),
        queries=(ExampleQuery("SELECT 1", "one?", database="a"),),
        definitions=(Definition("active", "seen this month"),),
    )
    write_catalog(index_file(tmp_path / "catalog.bin"), schema)
    catalog = Catalog.open(index_file(tmp_path / "catalog.bin"))
    assert catalog.schema() == schema
    assert len(catalog) == 3
    assert catalog.names == ["orders", "Orders", 'a "quoted". name']
    assert catalog.groups == ["a", "b"]
    assert [catalog.paths(number) for number in range(3)] == [["a.sql"], ["b.sql", "c.sql"], ["c.sql"]]
    assert [catalog.column_names[number] for number in catalog.columns_of(0)] == ["id", "größe"]
    assert catalog.tables[-1] is catalog.tables[2]
    assert [table.name.name for table in catalog.tables[:2]] == ["orders", "Orders"]
    with pytest.raises(IndexError):
        catalog.tables[3]


def test_nothing_is_a_catalog_too(tmp_path: Path) -> None:
    write_catalog(index_file(tmp_path / "catalog.bin"), Schema())
    catalog = Catalog.open(index_file(tmp_path / "catalog.bin"))
    assert (len(catalog), catalog.schema(), catalog.find("orders")) == (0, Schema(), [])


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("orders", ["a.sales.orders", "b.Orders"]),
        ("SALES.ORDERS", ["a.sales.orders"]),
        ("a.orders", ["a.sales.orders"]),
        ("a.sales.orders", ["a.sales.orders"]),
        ("x.y", ["b.x.y"]),
        ("b.x.y", ["b.x.y"]),
        ("y", []),
        ("ders", []),
        ("", []),
    ],
)
def test_a_table_is_found_by_what_people_call_it(tmp_path: Path, name: str, found: list[str]) -> None:
    tables = (Table(Name("orders", "sales", "a")), Table(Name("Orders", "", "b")), Table(Name("x.y", "", "b")))
    write_catalog(index_file(tmp_path / "catalog.bin"), Schema(tables=tables))
    catalog = Catalog.open(index_file(tmp_path / "catalog.bin"))
    assert [str(catalog.tables[number].name) for number in catalog.find(name)] == found


def test_tables_are_chosen_by_their_properties(tmp_path: Path) -> None:
    tables = (
        Table(Name("a"), environment="prod", labels=("test", "legacy"), sources=(Source("x.sql"), Source("y.sql"))),
        Table(Name("b"), environment="dev", sources=(Source("y.sql"),)),
        Table(Name("c")),
    )
    write_catalog(index_file(tmp_path / "catalog.bin"), Schema(tables=tables))
    catalog = Catalog.open(index_file(tmp_path / "catalog.bin"))

    def chosen(name: str, value: str) -> str:
        wanted = [one == value for one in catalog.values(name)]
        return "".join(catalog.names[number] for number in np.flatnonzero(catalog.having(name, wanted)))

    assert chosen("environment", "prod") == "a"
    assert chosen("environment", "") == "c"
    assert chosen("path", "y.sql") == "ab"
    assert chosen("path", "x.sql") == "a"
    assert chosen("label", "legacy") == "a"
    assert chosen("label", "example") == ""


def test_keys_are_joins_and_so_is_what_names_suggest(tmp_path: Path) -> None:
    assert joins(catalog_of(tmp_path, {"shop.sql": SHOP})) == [
        "orders.customer_id = customers.id (declared)",
        "order_items.order_id = orders.id (declared)",
        "order_items.product_id = products.product_id (inferred)",
        "returns.order_id+line = order_items.order_id+line (declared)",
    ]


def test_queries_and_views_tell_of_joins(tmp_path: Path) -> None:
    text = """
    CREATE TABLE visits (who text, at date);
    CREATE TABLE people (login text, city text);
    CREATE TABLE cities (label text, country text);
    CREATE VIEW places AS SELECT p.login, c.country FROM people p JOIN cities c ON p.city = c.label;

    -- Who came last?
    SELECT p.login FROM visits v JOIN people p ON v.who = p.login ORDER BY v.at DESC LIMIT 1;
    """
    assert joins(catalog_of(tmp_path, {"log.sql": text})) == [
        "visits.who = people.login (query)",
        "people.city = cities.label (query)",
    ]


@pytest.mark.parametrize(
    ("tables", "guessed"),
    [
        ("users(id,name) posts(id,user_id)", ["posts.user_id = users.id"]),
        ("users(id) posts(id,created_by_user_id)", ["posts.created_by_user_id = users.id"]),
        (
            "institution_grouping(instn_id,label) absences(instn_id,rate) grades(instn_id,score) exams(instn_id,score)",
            [f"{one}.instn_id = institution_grouping.instn_id" for one in ("absences", "grades", "exams")],
        ),
        ("groupings(instn_id,label) absences(instn_id,rate) grades(instn_id,score) exams(instn_id,score)", []),
        ("Category(CategoryID,Title) Product(ProductID,CategoryID)", ["Product.CategoryID = Category.CategoryID"]),
        ("author(aid,name) writes(aid,pid) paper(pid)", ["writes.aid = author.aid", "writes.pid = paper.pid"]),
        ("tblStaff(id) tblShift(id,staff_id) tblRoom(id)", ["tblShift.staff_id = tblStaff.id"]),
        ("sbCust(sbCustId) sbTx(sbTxId,sbTxCustId) sbDay(sbDayId)", ["sbTx.sbTxCustId = sbCust.sbCustId"]),
        ("city(city_name,state_name) state(state_name)", ["city.state_name = state.state_name"]),
        ("airports(code) flights(id,origin_airport_code)", ["flights.origin_airport_code = airports.code"]),
        ("a(id,name,value) b(id,name,value)", []),
        ("logs(id,type_code) items(id,type_code) notes(id,type_code)", []),
    ],
)
def test_a_name_suggests_a_key(tmp_path: Path, tables: str, guessed: list[str]) -> None:
    ddl = "\n".join(
        f"CREATE TABLE {name} ({', '.join(f'{column} text' for column in columns.rstrip(')').split(','))});"
        for name, _, columns in (one.partition("(") for one in tables.split(" "))
    )
    assert joins(catalog_of(tmp_path, {"a.sql": ddl})) == [f"{one} (inferred)" for one in guessed]


def test_a_key_points_into_its_own_schema_first(tmp_path: Path) -> None:
    key = ForeignKey(("user_id",), Name("users"), ("id",))
    tables = (
        Table(Name("users", "crm", "d"), columns=(Column("id"),)),
        Table(Name("users", "web", "d"), columns=(Column("id"),)),
        Table(Name("posts", "web", "d"), columns=(Column("user_id"),), foreign_keys=(key,)),
        Table(Name("calls", "tel", "d"), columns=(Column("user_id"),), foreign_keys=(key,)),
        Table(Name("users", "", "other"), columns=(Column("id"),)),
    )
    write_catalog(index_file(tmp_path / "catalog.bin"), Schema(tables=tables))
    catalog = Catalog.open(index_file(tmp_path / "catalog.bin"))
    declared = [relation for relation in catalog.relations if relation.evidence is Evidence.DECLARED]
    assert [(str(catalog.tables[one.left].name), str(catalog.tables[one.right].name)) for one in declared] == [
        ("d.web.posts", "d.web.users")  # which users the calls mean cannot be told
    ]


def test_a_join_on_columns_that_do_not_exist_is_none(tmp_path: Path) -> None:
    tables = (Table(Name("a"), columns=(Column("x"),)), Table(Name("b"), columns=(Column("Y"),)))
    usage = Usage(
        joins=(
            Join(Name("a"), ("x",), Name("b"), ("y",)),
            Join(Name("a"), ("gone",), Name("b"), ("y",)),
            Join(Name("a"), ("x",), Name("a"), ("x",)),
            Join(Name("a"), ("x",), Name("nowhere"), ("x",)),
        )
    )
    path = index_file(tmp_path / "catalog.bin")
    write_catalog(path, Schema(tables=tables, queries=(ExampleQuery("...", usage=usage),)))
    assert joins(Catalog.open(index_file(tmp_path / "catalog.bin"))) == ["a.x = b.Y (query)"]


def test_neighbours_know_their_surest_evidence(tmp_path: Path) -> None:
    catalog = catalog_of(tmp_path, {"shop.sql": SHOP})
    (items,) = catalog.find("order_items")
    assert [(catalog.names[other], evidence) for other, evidence in catalog.neighbours(items)] == [
        ("orders", 0),
        ("products", 3),
        ("returns", 0),
    ]


def test_another_format_says_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "catalog.bin"
    write_catalog(index_file(path), Schema())
    arrays = open_arrays(index_file(path))
    write_arrays(index_file(tmp_path / "new.bin"), {**arrays, "format": np.array([99], dtype=np.uint32)})
    with pytest.raises(IndexFormatError, match="has format 99"):
        Catalog.open(index_file(tmp_path / "new.bin"))


def test_a_damaged_catalog_says_so(tmp_path: Path) -> None:
    path = tmp_path / "catalog.bin"
    write_catalog(index_file(path), Schema(tables=(Table(Name("orders")),)))
    data = bytearray(path.read_bytes())
    place = data.index(b'"orders"')
    data[place : place + 8] = b"!!!!!!!!"
    path.write_bytes(bytes(data))
    with pytest.raises(IndexDamagedError):
        Catalog.open(index_file(path))


def test_of_two_descriptions_the_same_counts_whenever_they_were_read(tmp_path: Path) -> None:
    files = {
        "dbt_project.yml": "name: shop\nmodel-paths: [models]\n",
        "models/orders.sql": "select 1 as id\n",
        "models/schema.yml": "models:\n  - name: orders\n    description: \"{{ doc('orders') }}\"\n",
        "models/a.md": "{% docs orders %}\nFirst.\n{% enddocs %}\n",
        "models/z.md": "{% docs orders %}\nLast.\n{% enddocs %}\n",
    }
    root = write(tmp_path / "root", files)
    index = Index.build(root, workers=0)
    before = [table.comment for table in index.tables()]
    assert before == ["Last."]
    write(root, {"models/a.md": files["models/a.md"] + "Changed.\n"})
    index.update(workers=0)
    assert [table.comment for table in index.tables()] == before


def test_a_table_is_as_new_as_the_file_that_declares_it(tmp_path: Path) -> None:
    root = write(tmp_path / "root", {"schema.sql": "CREATE TABLE orders (id int);\n"})
    os.utime(root / "schema.sql", (1_600_000_000, 1_600_000_000))
    index = Index.build(root, workers=0)
    os.utime(root / "schema.sql", (1_700_000_000, 1_700_000_000))
    index.update(workers=0)
    assert [table.modified for table in index.tables()] == ["2023-11-14T22:13:20+00:00"]
