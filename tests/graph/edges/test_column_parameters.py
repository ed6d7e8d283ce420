"""Parameters that become columns: lists, keys of rows and names that calls give, in any file."""

from __future__ import annotations

import pytest

from coderag.graph.graph import Graph
from coderag.graph.records import EdgeKind
from tests.graph.shown_edges import tables_used
from tests.graph.whole import graph_of
from tests.workspace import write

USES = (EdgeKind.READS, EdgeKind.WRITES, EdgeKind.DELETES)
FILES = {
    "schema.sql": """
CREATE TABLE users (id INT, email TEXT, name TEXT, age INT);
CREATE TABLE logs (id INT, text TEXT);
""",
    "pool.py": """
class Pool:
    async def insert(self, table, values, desc="name"):
        await self.run(desc, self.insert_txn, table, values)

    @staticmethod
    def insert_txn(txn, table: str, values) -> None:
        keys, vals = zip(*values.items())
        sql = "INSERT INTO %s (%s) VALUES(%s)" % (table, ", ".join(k for k in keys), ", ".join("?" for _ in keys))
        txn.execute(sql, vals)

    def select(self, txn, table, keyvalues, retcols):
        sql = "SELECT %s FROM %s" % (", ".join(retcols), table)
        if keyvalues:
            sql += " WHERE %s" % (" AND ".join("%s = ?" % (k,) for k in keyvalues),)
        txn.execute(sql, list(keyvalues.values()))

    def update(self, txn, table, keyvalues, updatevalues):
        where = " AND ".join("%s = ?" % k for k in keyvalues.keys()) if keyvalues else "1 = 1"
        changed = ", ".join("%s = ?" % (k,) for k in updatevalues)
        txn.execute("UPDATE %s SET %s WHERE %s" % (table, changed, where))

    def user_by(self, txn, column, value):
        txn.execute(f"SELECT id FROM users WHERE {column} = ?", [value])

    def both(self, txn, column):
        txn.execute(f"SELECT {column} FROM users, logs")

    def limited(self, txn, table, age):
        txn.execute(f"SELECT id FROM {table} WHERE id = {age} LIMIT {age}")
""",
    "store.py": """
from pool import Pool


class Store:
    def __init__(self, pool: Pool):
        self.pool = pool

    async def add(self, email):
        await self.pool.insert("users", {"email": email, "nothing": 1})

    async def add_by_name(self, row):
        await self.pool.insert(values={"email": 1, "name": row}, table="users")

    def add_behind(self, email):
        self.pool.run("logs", self.pool.insert_txn, "users", {"email": email})

    def add_local(self, email):
        row = {"email": email}
        self.pool.insert("users", row)

    def named(self, txn):
        return self.pool.select(txn, "users", {"email": "x"}, ["id", "name"])

    def renamed(self, txn):
        self.pool.update(txn, table="users", keyvalues={"id": 1}, updatevalues={"name": "x"})

    def add_user(self, values):
        self.pool.insert("users", values)

    def add_through(self):
        self.add_user({"age": 3})

    def by_email(self, txn):
        return self.pool.user_by(txn, "email", "name")

    def of_both(self, txn):
        return self.pool.both(txn, "email")

    def a_value(self, txn):
        return self.pool.limited(txn, "users", "age")

    def of_another(self, cache):
        return cache.insert("users", {"email": 1})
""",
    "Dao.php": """<?php
class Dao {
    protected function updateIn(string $table, array $values, int $id): void {
        $set = implode(', ', array_map(fn ($name) => "$name = ?", array_keys($values)));
        $this->pdo->prepare("UPDATE $table SET $set WHERE id = ?")->execute([$id]);
    }
}
""",
    "UserDao.php": """<?php
class UserDao extends Dao {
    public function all(): array { return $this->pdo->query('SELECT id FROM users')->fetchAll(); }
    public function renamePhp(int $id): void { $this->updateIn('users', ['name' => 'x'], $id); }
}
""",
    "db.ts": """
export class Db {
  find(table: string, columns: string[]) {
    return this.pool.query(`SELECT ${columns.join(", ")} FROM ${table}`);
  }
}
""",
    "repo.ts": """
import { Db } from "./db";
export class Repo {
  constructor(private db: Db) {}
  namesTs() { return this.db.find("users", ["name", "age"]); }
}
""",
}


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    return graph_of(write(tmp_path_factory.mktemp("columns"), FILES))


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("add", {"writes users", "writes users.email"}),
        ("add_by_name", {"writes users", "writes users.email", "writes users.name"}),
        ("add_behind", {"writes users", "writes users.email"}),
        ("add_local", {"writes users", "writes users.email"}),
        ("named", {"reads users", "reads users.email", "reads users.id", "reads users.name"}),
        ("renamed", {"writes users", "reads users.id", "writes users.name"}),
        ("add_user", {"writes users"}),
        ("add_through", {"writes users.age"}),
        ("by_email", {"reads users.email"}),
        ("renamePhp", {"writes users", "writes users.name"}),
        ("namesTs", {"reads users", "reads users.age", "reads users.name"}),
    ],
)
def test_a_call_that_names_columns_uses_them(graph: Graph, name: str, expected: set[str]) -> None:
    assert tables_used(graph, name, USES) == expected


@pytest.mark.parametrize("name", ["of_both", "of_another"])
def test_columns_of_an_unknown_table_are_not_guessed(graph: Graph, name: str) -> None:
    assert tables_used(graph, name, USES) == set()


def test_a_value_is_no_column(graph: Graph) -> None:
    assert tables_used(graph, "a_value", USES) == {"reads users"}
