"""What code does to tables: SQL in strings, constants and files of queries, classes that are mapped."""

from __future__ import annotations

from pathlib import Path

import pytest

from coderag.graph.graph import Graph
from coderag.graph.records import EdgeKind
from tests.graph.shown_edges import edges_of, tables_used
from tests.graph.whole import graph_of
from tests.workspace import write

SCHEMA = """
CREATE TABLE users (id INTEGER PRIMARY KEY, email TEXT, name TEXT);
CREATE TABLE orders (id INTEGER PRIMARY KEY, user_id INTEGER REFERENCES users (id), status TEXT);
"""
FILES = {
    "shop/schema.sql": SCHEMA,
    "shop/sql/late.sql": "-- name: late_orders\nSELECT id FROM orders WHERE status = :status;\n",
    "shop/texts.py": 'BY_MAIL = "SELECT id, name FROM users WHERE email = ?"\nWORDS = "select a user from the list"\n',
    "shop/store.py": '''
from pathlib import Path

from shop.texts import BY_MAIL

CLOSE = "UPDATE orders SET status = 'closed' WHERE id = ?"


def by_mail(db, email):
    """Select a user from users."""
    return db.execute(BY_MAIL, (email,)).fetchone()


def close(db, number):
    # DELETE FROM users
    db.execute(CLOSE, (number,))


def everybody(db):
    return db.execute("SELECT * FROM public.users")


def forget(db, number):
    db.execute("DELETE FROM orders WHERE user_id = ?", (number,))


def late(db):
    return db.execute(Path("sql/late.sql").read_text(), {"status": "late"})


def archive(db):
    db.execute("INSERT INTO archived_orders (id) SELECT id FROM orders")


def count(db, table):
    return db.execute(f"SELECT count(*) FROM {table}")


def broken(db):
    return db.execute("SELECT id FROM orders WHERE WHERE GROUP ((")
''',
    "stock/schema.sql": "CREATE TABLE orders (id INTEGER, supplier TEXT);\n",
    "stock/store.py": 'def suppliers(db):\n    return db.execute("SELECT id FROM orders")\n',
}
USES = (EdgeKind.READS, EdgeKind.WRITES, EdgeKind.DELETES, EdgeKind.DEFINES, EdgeKind.READS_ROWS)


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    return graph_of(write(tmp_path_factory.mktemp("uses"), FILES))


def used(graph: Graph, name: str) -> set[str]:
    return tables_used(graph, name, USES)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("by_mail", {"reads users", "reads users.id", "reads users.name", "reads users.email"}),
        ("close", {"writes orders", "writes orders.status", "reads orders.id"}),
        ("everybody", {"reads users", "reads whole rows users"}),
        ("forget", {"deletes orders", "reads orders.user_id"}),
        ("late", {"reads orders", "reads orders.id", "reads orders.status"}),
        (
            "archive",
            {"writes archived_orders", "writes archived_orders.id", "reads orders", "reads orders.id"},
        ),
        ("WORDS", set()),
    ],
)
def test_functions(graph: Graph, name: str, expected: set[str]) -> None:
    assert used(graph, name) == expected


def test_the_table_of_the_own_database_is_meant(graph: Graph) -> None:
    for name, path in (("suppliers", "stock/schema.sql"), ("forget", "shop/schema.sql")):
        [function] = graph.named(name)
        tables = {graph.node(edge.target).path for edge in graph.edges_from(function, USES)}
        assert tables == {path}


def test_a_table_that_nothing_defines_is_said_to_be_unknown(graph: Graph) -> None:
    [table] = graph.named("archived_orders")
    assert graph.node(table).unknown
    assert graph.node(table).path == ""


def test_what_cannot_be_known_is_said(graph: Graph) -> None:
    texts = {graph.node(note.node).name: note.text for note in graph.notes()}
    assert texts["count"] == "the name of a table is put in at run time"
    assert texts["broken"].startswith("SQL that cannot be read: ")
    assert used(graph, "count") == set()
    [broken] = graph.named("broken")
    assert {edge.certainty for edge in graph.edges_from(broken, USES)} == {"unique name"}


def test_two_databases_with_a_table_of_one_name(tmp_path: Path) -> None:
    files = {
        "a/schema.sql": "CREATE TABLE events (id INTEGER, at TEXT);\n",
        "b/schema.sql": "CREATE TABLE events (id INTEGER, kind TEXT);\n",
        "app.py": 'def load(db):\n    return db.execute("SELECT id FROM events")\n\n\n'
        'def kinds(db):\n    return db.execute("SELECT kind FROM events")\n',
    }
    graph = graph_of(write(tmp_path / "root", files))
    [load] = graph.named("load")
    assert {edge.candidates for edge in graph.edges_from(load, USES)} == {2}
    [kinds] = graph.named("kinds")
    found = {(graph.node(edge.target).path, edge.candidates) for edge in graph.edges_from(kinds, USES)}
    assert found == {("b/schema.sql", 0)}


NAMED = {
    "schema.sql": "CREATE TABLE users (id INTEGER, email TEXT);\nCREATE TABLE lists (id INTEGER, user_id INTEGER);\n",
    "queries.sql": (
        "-- name: get-user\nSELECT id, email FROM users WHERE id = $1\n\n"
        "-- name: add-list\n-- Adds a list.\nINSERT INTO lists (user_id) VALUES ($1)\n\n"
        "-- name: has-subscriber\nSELECT user_id FROM lists;\n"
    ),
    "models/queries.go": (
        "package models\n\ntype Queries struct {\n"
        '\tGetUser *sqlx.Stmt `query:"get-user"`\n'
        '\tAddList string `query:"add-list"`\n'
        '\tIsSubscribed *sqlx.Stmt `query:"has-subscriber"`\n}\n\n'
        'type Page struct {\n\tNumber int `query:"get-user"`\n}\n'
    ),
    "core/core.go": (
        'package core\n\nimport "example.org/app/models"\n\ntype Core struct {\n\tq *models.Queries\n}\n\n'
        "func (c *Core) Show(id int) {\n\tc.q.GetUser.Get(&out, id)\n}\n\n"
        "func (c *Core) Add(id int) {\n\tstmt := c.q.AddList\n\tc.db.Exec(stmt, id)\n}\n\n"
        "func (c *Core) Check() {\n\tc.tx.Stmtx(c.q.IsSubscribed).Exec()\n}\n"
    ),
    "go.mod": "module example.org/app\n",
}


def test_queries_that_tags_of_fields_name(tmp_path: Path) -> None:
    graph = graph_of(write(tmp_path, NAMED))
    assert used(graph, "Show") == {"reads users", "reads users.id", "reads users.email"}
    assert used(graph, "Add") == {"writes lists", "writes lists.user_id"}
    assert used(graph, "Check") == {"reads lists", "reads lists.user_id"}
    for field in ("GetUser", "Number"):
        assert used(graph, field) == set()  # who runs a query uses its tables


def test_files_of_queries_that_macros_of_rust_name(tmp_path: Path) -> None:
    files = {
        "migrations/1.sql": "CREATE TABLE users (id INTEGER, email TEXT);\n",
        "queries/find.sql": "SELECT email FROM users WHERE id = $1;\n",
        "queries/drop.sql": "DELETE FROM users WHERE id = $1;\n",
        "src/users.rs": (
            "use sqlx::PgPool;\n\npub async fn find(pool: &PgPool) -> User {\n"
            '    sqlx::query_file_as!(User, "queries/find.sql", 1).fetch_one(pool).await\n}\n\n'
            "pub async fn drop(pool: &PgPool) {\n"
            '    query_file!("queries/drop.sql", 1).execute(pool).await.unwrap();\n}\n'
        ),
    }
    graph = graph_of(write(tmp_path, files))
    assert used(graph, "find") == {"reads users", "reads users.email", "reads users.id"}
    assert used(graph, "drop") == {"deletes users", "reads users.id"}


def test_a_model_that_shares_the_table_of_its_base(tmp_path: Path) -> None:
    files = {
        "db/schema.rb": 'ActiveRecord::Schema.define(version: 1) do\n  create_table "users" do |t|\n'
        '    t.boolean "active"\n    t.string "type"\n  end\nend\n',
        "app/models/user.rb": "class User < ApplicationRecord\nend\n",
        "app/models/volunteer.rb": "class Volunteer < User\n  def activate\n    update(active: true)\n  end\nend\n",
        "app/models/plain.rb": "class Plain < SimpleDelegator\n  def change\n    update(active: true)\n  end\nend\n",
        "app/run.rb": "def run\n  Volunteer.where(active: true).first\nend\n",
    }
    graph = graph_of(write(tmp_path, files))
    assert edges_of(graph, EdgeKind.READS, EdgeKind.WRITES) >= {
        "Volunteer::activate -writes> users.active",
        "run -reads> users.active",
    }
    assert not any("change" in edge for edge in edges_of(graph, EdgeKind.READS, EdgeKind.WRITES))
