"""Parameters that functions run: what calls give them is SQL, though it could be prose by itself."""

from __future__ import annotations

import pytest

from coderag.graph.graph import Graph
from coderag.graph.records import EdgeKind
from tests.graph.shown_edges import tables_used
from tests.graph.whole import graph_of
from tests.workspace import write

USES = (EdgeKind.READS, EdgeKind.WRITES, EdgeKind.DELETES)
FILES = {
    "schema.sql": "CREATE TABLE users (id INT, email TEXT);\n",
    "db.py": """
class Db:
    def rows(self, sql, *args):
        return self.cursor.execute(sql, args).fetchall()

    def one(self, sql, *args):
        return self.rows(sql, *args)[0]

    def say(self, text):
        print(text)
""",
    "repo.py": """
from db import Db


class Repo:
    def __init__(self, db: Db):
        self.db = db

    def deleted(self):
        self.db.rows("delete from users")

    def handed_on(self):
        self.db.one(sql="delete from users")

    def in_a_variable(self):
        text = "delete from users"
        self.db.one(text)

    def unknown(self):
        return self.db.rows("select id from strangers")

    def said(self):
        self.db.say("delete from users")

    def of_another(self, cache):
        cache.rows("delete from users")

    def not_the_statement(self):
        self.db.rows("SELECT id FROM users WHERE email = ?", "delete from users")
""",
}


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    return graph_of(write(tmp_path_factory.mktemp("statements"), FILES))


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("deleted", {"deletes users"}),
        ("handed_on", {"deletes users"}),
        ("in_a_variable", {"deletes users"}),
        ("unknown", {"reads strangers", "reads strangers.id"}),
        ("not_the_statement", {"reads users", "reads users.id", "reads users.email"}),
    ],
)
def test_what_is_run_elsewhere_is_sql(graph: Graph, name: str, expected: set[str]) -> None:
    assert tables_used(graph, name, USES) == expected


@pytest.mark.parametrize("name", ["said", "of_another"])
def test_what_nothing_runs_is_none(graph: Graph, name: str) -> None:
    assert tables_used(graph, name, USES) == set()
