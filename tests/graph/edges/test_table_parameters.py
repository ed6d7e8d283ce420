"""Parameters that name tables: what calls say of them is a use, through functions that hand them on, in any file."""

from __future__ import annotations

import pytest

from coderag.graph.graph import Graph
from coderag.graph.records import EdgeKind
from tests.graph.shown_edges import tables_used
from tests.graph.whole import graph_of
from tests.workspace import write

USES = (EdgeKind.READS, EdgeKind.WRITES, EdgeKind.DELETES, EdgeKind.DEFINES)
FILES = {
    "schema.sql": "CREATE TABLE users (id INT);\nCREATE TABLE orders (id INT);\nCREATE TABLE logs (id INT);\n",
    "pool.py": """
class Pool:
    async def insert(self, table, row, desc):
        await self.run(desc, self.insert_txn, table, row)

    @staticmethod
    def insert_txn(txn, table: str, row) -> None:
        sql = "INSERT INTO %s (%s) VALUES (%s)" % (table, ", ".join(row), ", ".join("?" for _ in row))
        txn.execute(sql, list(row.values()))

    def count(self, txn, table, where="1 = 1"):
        return txn.execute(f"SELECT count(*) FROM {table} WHERE {where}").fetchone()

    def clear(self, txn, table):
        txn.execute("DELETE FROM {}".format(table))

    def archive(self, txn, source, target):
        txn.execute(f"INSERT INTO {target} SELECT * FROM old_{source}")

    def search(self, txn, word):
        txn.execute("SELECT id FROM logs WHERE text = '" + word + "'")


def first(pool, txn, kind):
    return pool.last(txn, kind)
""",
    "store.py": """
from pool import Pool


class Store:
    def __init__(self, pool: Pool):
        self.pool = pool

    async def add_user(self, row):
        await self.pool.insert("users", row, "add_user")

    async def add_order(self, row):
        await self.pool.insert(desc="users", table="orders", row=row)

    def add_behind(self, row):
        self.pool.run("logs", self.pool.insert_txn, "users", row)

    def how_many(self, txn):
        return self.pool.count(txn, table="orders")

    def any_rows(self, txn, table):
        return bool(self.pool.count(txn, table))

    def has_logs(self, txn):
        return self.any_rows(txn, "logs")

    def forget(self, txn):
        self.pool.clear(txn, "users")

    def not_the_table(self, row):
        self.pool.insert("nothing_known", "users", "orders")

    def moved(self, txn):
        self.pool.archive(txn, "users", "orders")

    def searched(self, txn):
        return self.pool.search(txn, "users")

    def of_another(self, cache):
        return cache.insert("users")
""",
    "db.ts": """
export class Db {
  insert(table: string, row: object) { return this.pool.query(`INSERT INTO ${table} (a) VALUES (1)`); }
  all(table: string) { return this.pool.query("SELECT * FROM " + table); }
}
""",
    "repo.ts": """
import { Db } from "./db";
export class Repo {
  constructor(private db: Db) {}
  addTs(row: object) { return this.db.insert("users", row); }
  allTs() { return this.db.all('orders'); }
}
""",
    "Dao.php": """<?php
class Dao {
    protected function removeFrom(string $table, int $id): void {
        $this->pdo->prepare("DELETE FROM $table WHERE id = ?")->execute([$id]);
    }
}
""",
    "OrderDao.php": """<?php
class OrderDao extends Dao {
    public function all(): array { return $this->pdo->query('SELECT id FROM orders')->fetchAll(); }
    public function removePhp(int $id): void { $this->removeFrom('orders', $id); }
}
""",
    "db/db.go": """package db

import "database/sql"

type Store struct{ db *sql.DB }

func (s *Store) count(table string) (n int) {
	s.db.QueryRow("SELECT count(*) FROM " + table).Scan(&n)
	return n
}

func (s *Store) CountGo() int { return s.count("logs") }
""",
}


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    return graph_of(write(tmp_path_factory.mktemp("parameters"), FILES))


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("add_user", {"writes users"}),
        ("add_order", {"writes orders"}),
        ("add_behind", {"writes users"}),
        ("how_many", {"reads orders"}),
        ("has_logs", {"reads logs"}),
        ("forget", {"deletes users"}),
        ("moved", {"writes orders"}),
        ("addTs", {"writes users"}),
        ("allTs", {"reads orders"}),
        ("removePhp", {"deletes orders"}),
        ("CountGo", {"reads logs"}),
    ],
)
def test_a_call_that_names_a_table_uses_it(graph: Graph, name: str, expected: set[str]) -> None:
    assert tables_used(graph, name, USES) == expected


@pytest.mark.parametrize("name", ["not_the_table", "any_rows", "searched", "of_another", "insert", "insert_txn"])
def test_no_other_argument_and_no_other_function_counts(graph: Graph, name: str) -> None:
    assert {use for use in tables_used(graph, name, USES) if not use.startswith("reads logs")} == set()


def test_the_edge_is_at_the_call_and_sure(graph: Graph) -> None:
    [function] = graph.named("add_user")
    [edge] = graph.edges_from(function, USES)
    assert (edge.path, edge.line, str(edge.certainty)) == ("store.py", 10, "resolved")
