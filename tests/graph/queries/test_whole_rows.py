"""What takes whole rows stands apart from what names a column, and what a nested function reads its outer one does."""

from __future__ import annotations

from pathlib import Path

import pytest

from coderag.graph.graph import Graph
from coderag.graph.queries.impact import impact_of
from coderag.graph.queries.refs import Reference, references_to
from coderag.graph.records import NodeKind
from tests.graph.whole import graph_of
from tests.workspace import write

FILES = {
    "schema.sql": "CREATE TABLE users (id INTEGER PRIMARY KEY, email TEXT);\n",
    "shop/users.py": """
def named(db):
    return db.execute("SELECT email FROM users")

def everybody(db):
    return db.execute("SELECT * FROM users")

def count(pool):
    def run(db):
        return db.execute("SELECT count(id) FROM users")
    return pool.run(run)

def bystander(pool):
    def run(db):
        return db.execute("SELECT id FROM users")
    return pool

def restore(db, row):
    db.execute("INSERT INTO users VALUES (?, ?)", row)

def page(db):
    return everybody(db)
""",
}


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    root: Path = tmp_path_factory.mktemp("rows")
    return graph_of(write(root, FILES))


def groups(graph: Graph, name: str, kind: NodeKind) -> dict[str, list[Reference]]:
    [number] = [one for one in graph.named(name) if graph.node(one).kind is kind]
    return {group.role: list(group.references) for group in references_to(graph, graph.node(number), shown=None).groups}


def names(references: list[Reference]) -> list[str]:
    return [reference.spot.name for reference in references]


def test_only_what_names_a_column_reads_it(graph: Graph) -> None:
    found = groups(graph, "email", NodeKind.COLUMN)
    assert names(found["read by"]) == ["named"]
    assert names(found["reads whole rows"]) == ["everybody"]
    assert names(found["writes whole rows"]) == ["restore"]


def test_a_table_is_read_by_both(graph: Graph) -> None:
    readers = groups(graph, "users", NodeKind.TABLE)["read by"]
    said = {reader.spot.name: (reader.members, reader.whole) for reader in readers}
    assert said["named"] == (("email",), False)
    assert said["everybody"] == ((), True)


def test_the_function_around_that_hands_a_nested_one_on_reads_too(graph: Graph) -> None:
    readers = {one.spot.name: one.inner for one in groups(graph, "users", NodeKind.TABLE)["read by"]}
    assert readers["count"] == "count.run"
    assert readers["count.run"] == ""
    assert "bystander" not in readers


def test_a_change_of_a_column_possibly_affects_what_takes_rows(graph: Graph) -> None:
    [number] = [one for one in graph.named("email") if graph.node(one).kind is NodeKind.COLUMN]
    found = impact_of(graph, [graph.node(number)])
    assert [one.spot.name for one in found.affected] == ["named"]
    assert [(one.spot.name, one.by_rows) for one in found.possibly] == [
        ("everybody", True),
        ("restore", True),
        ("page", True),
    ]
