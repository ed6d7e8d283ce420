"""Tables that code names by a constant of another file, in builders and in SQL."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.graph.edges.test_table_edges import used
from tests.graph.whole import graph_of
from tests.workspace import write

SCHEMA = "CREATE TABLE tasks (id INTEGER, state TEXT, owner_id INTEGER);\nCREATE TABLE users (id INTEGER, name TEXT);\n"
PHP = {
    "schema.sql": SCHEMA,
    "app/TaskModel.php": "<?php\nnamespace App;\n"
    "class TaskModel {\n    const TABLE = 'tasks';\n    const OPEN = 1;\n}\n",
    "app/UserModel.php": "<?php\nnamespace App;\nclass UserModel {\n    const TABLE = 'users';\n"
    "    public function all() {\n        return $this->db->table(self::TABLE)->asc('name')->findAll();\n    }\n}\n",
    "app/Board.php": "<?php\nnamespace App;\nclass Board {\n"
    "    public function open() {\n        return $this->db->table(TaskModel::TABLE)->eq('state', TaskModel::OPEN)\n"
    "            ->join(UserModel::TABLE, 'id', 'owner_id')->columns(UserModel::TABLE.'.name')->findAll();\n    }\n"
    "    public function close($id) {\n"
    "        $query = $this->db->table(TaskModel::TABLE)->eq('id', $id);\n"
    "        return $query->update(array('state' => 'closed'));\n    }\n"
    "    public function count() {\n"
    '        return $this->db->execute("SELECT state FROM ".TaskModel::TABLE." WHERE owner_id = 3");\n    }\n'
    "    public function other() {\n        return $this->db->table(Unknown::TABLE)->eq('state', 1);\n    }\n}\n",
}


def test_constants_of_classes_in_php(tmp_path: Path) -> None:
    graph = graph_of(write(tmp_path, PHP))
    assert used(graph, "all") == {"reads users", "reads users.name", "reads whole rows users"}
    assert used(graph, "open") == {
        *("reads tasks", "reads tasks.state", "reads tasks.id", "reads tasks.owner_id"),
        *("reads users", "reads users.name", "reads users.id"),
    }
    assert used(graph, "close") == {"reads tasks", "reads tasks.id", "writes tasks", "writes tasks.state"}
    assert used(graph, "count") == {"reads tasks", "reads tasks.state", "reads tasks.owner_id"}
    assert used(graph, "other") == set()


@pytest.mark.parametrize(
    ("files", "name", "expected"),
    [
        (
            {
                "app/names.py": 'TASKS_TABLE = "tasks"\n',
                "app/load.py": "from app.names import TASKS_TABLE\n\n\ndef load(db):\n"
                '    return db.execute(f"SELECT state FROM {TASKS_TABLE} WHERE id = 1")\n',
            },
            "load",
            {"reads tasks", "reads tasks.state", "reads tasks.id"},
        ),
        (
            {
                "a/Names.java": 'package a;\nclass Names {\n  static final String TABLE_TASKS = "tasks";\n}\n',
                "a/Load.java": "package a;\nclass Load {\n  void load(Db db) {\n"
                '    db.rawQuery("SELECT state FROM " + Names.TABLE_TASKS\n'
                '      + " WHERE 1 = " + Names.TABLE_TASKS + ".id");\n'
                "  }\n}\n",
            },
            "load",
            {"reads tasks", "reads tasks.state", "reads tasks.id"},
        ),
        (
            {
                "load.ts": "export function load(db) {\n"
                "  return db.selectFrom('tasks').select(['state']).where('id', '=', 1);\n}\n"
            },
            "load",
            {"reads tasks", "reads tasks.state", "reads tasks.id"},
        ),
        (
            {
                "load.go": 'package a\n\nfunc load() {\n\tsq.Update("tasks").Set("state", 1).Where("id = ?", 3)\n}\n',
            },
            "load",
            {"reads tasks.id", "writes tasks", "writes tasks.state"},
        ),
    ],
)
def test_tables_of_other_builders_and_in_sql(
    tmp_path: Path, files: dict[str, str], name: str, expected: set[str]
) -> None:
    graph = graph_of(write(tmp_path, {"schema.sql": SCHEMA, **files}))
    assert used(graph, name) == expected
