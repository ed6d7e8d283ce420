"""Joins: which tables connect others, and by which columns."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coderag.index.catalog.catalog import Catalog, write_catalog
from coderag.search.tables.joins import JoinPath, join_paths
from coderag.sql.records import Column, ForeignKey, Name, Schema, Table
from tests.catalogs import catalog_of
from tests.workspace import index_file

SHOP = """
CREATE TABLE country (code text PRIMARY KEY, name text);
CREATE TABLE address (id int PRIMARY KEY, country text REFERENCES country (code));
CREATE TABLE customer (
    id int PRIMARY KEY,
    billing_address_id int REFERENCES address (id),
    shipping_address_id int REFERENCES address (id),
    invited_by int REFERENCES customer (id)
);
CREATE TABLE orders (region int, number int, customer_id int REFERENCES customer (id), PRIMARY KEY (region, number));
CREATE TABLE item (
    region int, number int, product_id int REFERENCES product (id),
    FOREIGN KEY (region, number) REFERENCES orders (region, number)
);
CREATE TABLE product (id int PRIMARY KEY, title text);
CREATE TABLE weather (day date, degrees int);
"""


def shown(catalog: Catalog, paths: list[JoinPath]) -> list[str]:
    """Return paths as text: the tables, then the joins."""
    lines = []
    for path in paths:
        connecting = {catalog.names[table] for table in path.connecting}
        names = [catalog.names[table] for table in path.tables]
        lines.append(" ".join(f"({name})" if name in connecting else name for name in names))
        for step in path.steps:
            pairs = zip(step.left_columns, step.right_columns, strict=True)
            left, right = catalog.names[step.left], catalog.names[step.right]
            lines.append("  " + " AND ".join(f"{left}.{one} = {right}.{other}" for one, other in pairs))
    return lines


@pytest.mark.parametrize(
    ("tables", "paths"),
    [
        ("product", ["product"]),
        (
            "customer orders",
            [
                "customer orders",
                "  customer.invited_by = customer.id",
                "  orders.customer_id = customer.id",
            ],
        ),
        (
            "address customer",
            [
                "address customer",
                "  customer.invited_by = customer.id",
                "  customer.billing_address_id = address.id",
                "  customer.shipping_address_id = address.id",
            ],
        ),
        (
            "product orders",
            [
                "product orders (item)",
                "  item.region = orders.region AND item.number = orders.number",
                "  item.product_id = product.id",
            ],
        ),
        (
            "weather country orders",
            [
                "weather",
                "country orders (address) (customer)",
                "  customer.invited_by = customer.id",
                "  address.country = country.code",
                "  customer.billing_address_id = address.id",
                "  customer.shipping_address_id = address.id",
                "  orders.customer_id = customer.id",
            ],
        ),
    ],
)
def test_tables_are_connected(tmp_path: Path, tables: str, paths: list[str]) -> None:
    catalog = catalog_of(tmp_path, {"shop.sql": SHOP})
    assert shown(catalog, join_paths(catalog, [catalog.find(name)[0] for name in tables.split()])) == paths


def test_a_sure_way_is_taken_before_a_short_guess(tmp_path: Path) -> None:
    text = """
    CREATE TABLE a (id int PRIMARY KEY, b_id int);
    CREATE TABLE b (id int PRIMARY KEY);
    CREATE TABLE middle (a int REFERENCES a (id), b int REFERENCES b (id));
    """
    catalog = catalog_of(tmp_path, {"x.sql": text})
    assert shown(catalog, join_paths(catalog, [0, 1])) == [
        "a b (middle)",
        "  middle.a = a.id",
        "  middle.b = b.id",
    ]


def test_what_nothing_connects_is_joined_by_keys_of_the_same_name(tmp_path: Path) -> None:
    text = """
    CREATE TABLE crash (remark text, case_id int, vehicle_no int);
    CREATE TABLE fire (remark text, vehicle_no int, case_id int);
    CREATE TABLE moon (remark text);
    """
    catalog = catalog_of(tmp_path, {"x.sql": text})
    assert shown(catalog, join_paths(catalog, [0, 1, 2])) == [
        "crash fire",
        "  crash.vehicle_no = fire.vehicle_no AND crash.case_id = fire.case_id",
        "moon",
    ]


def test_databases_are_not_joined(tmp_path: Path) -> None:
    files = {f"{name}.sql": "CREATE TABLE t (id int PRIMARY KEY, user_id int);" for name in "ab"}
    catalog = catalog_of(tmp_path, files)
    assert [path.tables for path in join_paths(catalog, [0, 1])] == [(0,), (1,)]


def test_a_circle_of_keys_is_cut(tmp_path: Path) -> None:
    text = """
    CREATE TABLE a (id int PRIMARY KEY, b int REFERENCES b (id));
    CREATE TABLE b (id int PRIMARY KEY, c int REFERENCES c (id));
    CREATE TABLE c (id int PRIMARY KEY, a int REFERENCES a (id));
    """
    catalog = catalog_of(tmp_path, {"x.sql": text})
    assert shown(catalog, join_paths(catalog, [2, 1, 0])) == ["c b a", "  a.b = b.id", "  c.a = a.id"]


@settings(max_examples=40, deadline=None)
@given(st.sets(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=16), st.permutations(range(10)), st.data())
def test_a_path_is_a_tree_that_holds_what_was_asked_for(
    tmp_path_factory: pytest.TempPathFactory,
    edges: set[tuple[int, int]],
    order: list[int],
    data: st.DataObject,
) -> None:
    wanted = order[: data.draw(st.integers(1, 5))]
    tables = tuple(
        Table(
            Name(f"t{number}"),
            columns=(Column("x"), *(Column(f"to{other}") for one, other in sorted(edges) if one == number)),
            foreign_keys=tuple(
                ForeignKey((f"to{other}",), Name(f"t{other}"), ("x",)) for one, other in sorted(edges) if one == number
            ),
        )
        for number in range(10)
    )
    path = tmp_path_factory.mktemp("catalog") / "catalog.bin"
    write_catalog(index_file(path), Schema(tables=tables))
    paths = join_paths(Catalog.open(index_file(path)), wanted)
    assert sorted(table for one in paths for table in one.tables if table not in one.connecting) == sorted(wanted)
    for one in paths:
        pairs = {tuple(sorted((step.left, step.right))) for step in one.steps if step.left != step.right}
        assert {table for pair in pairs for table in pair} == (set(one.tables) if pairs else set())
        assert len(pairs) == len(one.tables) - 1
        ends = [table for pair in pairs for table in pair]
        assert not [table for table in one.connecting if ends.count(table) < 2]
