"""What schemas hold as nodes and edges: keys, views and their columns, routines, migrations, queries and terms."""

from __future__ import annotations

import pytest

from coderag.graph.graph import Graph
from coderag.graph.records import EdgeKind, NodeKind
from tests.graph.shown_edges import edges_of
from tests.graph.whole import graph_of
from tests.workspace import write

FILES = {
    "db/migrations/0001_start.sql": """
CREATE TABLE customers (id INTEGER PRIMARY KEY, email TEXT NOT NULL);
CREATE TABLE orders (
    id INTEGER PRIMARY KEY,
    customer_id INTEGER REFERENCES customers (id),
    total_cents INTEGER,
    placed_at TEXT
);
""",
    "db/migrations/0002_names.sql": "ALTER TABLE customers ADD COLUMN name TEXT;\n",
    "db/migrations/0003_views.sql": """
CREATE VIEW revenue AS
SELECT c.name AS customer, sum(o.total_cents) AS cents FROM orders o JOIN customers c ON c.id = o.customer_id
WHERE o.placed_at IS NOT NULL GROUP BY c.name;

CREATE TRIGGER touch AFTER INSERT ON orders BEGIN UPDATE customers SET name = name WHERE id = NEW.customer_id; END;
""",
    "db/queries/top.sql": "-- Who spent most?\nSELECT customer FROM revenue ORDER BY cents DESC LIMIT 3;\n",
    "docs/glossary.md": "# Glossary\n\n## Revenue\n\nThe sum of `orders.total_cents` of all orders.\n",
}


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    return graph_of(write(tmp_path_factory.mktemp("data"), FILES))


def test_foreign_keys(graph: Graph) -> None:
    assert edges_of(graph, EdgeKind.FOREIGN_KEY) == {
        "orders -foreign key> customers",
        "orders.customer_id -foreign key> customers.id",
    }


def test_views_derive_from_tables_and_columns(graph: Graph) -> None:
    assert edges_of(graph, EdgeKind.DERIVES) == {
        "revenue -derives> orders",
        "revenue -derives> customers",
        "revenue.customer -derives> customers.name",
        "revenue.cents -derives> orders.total_cents",
    }
    assert "revenue -reads> orders.placed_at" in edges_of(graph, EdgeKind.READS)


def test_queries_read(graph: Graph) -> None:
    found = {edge for edge in edges_of(graph, EdgeKind.READS) if edge.startswith("Who")}
    assert found == {
        "Who spent most? -reads> revenue",
        "Who spent most? -reads> revenue.customer",
        "Who spent most? -reads> revenue.cents",
    }


def test_triggers_write(graph: Graph) -> None:
    assert "touch -writes> customers" in edges_of(graph, EdgeKind.WRITES)
    assert "touch -references> orders" in edges_of(graph, EdgeKind.REFERENCES)


def test_migrations_declare_and_alter(graph: Graph) -> None:
    assert "db/migrations/0001_start.sql -defines> customers" in edges_of(graph, EdgeKind.DEFINES)
    assert edges_of(graph, EdgeKind.ALTERS) == {
        "db/migrations/0002_names.sql -alters> customers",
        "db/migrations/0002_names.sql -alters> customers.name",
    }


def test_columns_belong_to_tables(graph: Graph) -> None:
    [orders] = [one for one in graph.named("orders") if graph.node(one).kind is NodeKind.TABLE]
    columns = [graph.node(edge.target) for edge in graph.edges_from(orders, (EdgeKind.CONTAINS,))]
    assert [column.name for column in columns] == ["id", "customer_id", "total_cents", "placed_at"]
    assert (columns[2].path, columns[2].span.start_line) == ("db/migrations/0001_start.sql", 6)
    assert not any(column.unknown for column in columns)
