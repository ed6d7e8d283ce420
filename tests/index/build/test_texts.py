"""Texts that no file holds to what an index would hold of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from coderag.index.build.job import BuildOptions
from coderag.index.build.texts import read_texts
from coderag.sql.settings import Settings
from tests.workspace import write

pytestmark = pytest.mark.slow


def test_both_sides_are_read_by_their_paths(tmp_path: Path) -> None:
    old, new = read_texts(
        tmp_path,
        [
            {"tests/test_a.py": b"def before():\n    pass\n", "s.sql": b"CREATE TABLE t (a INT);\n", "x.bin": b"\0\1"},
            {"tests/test_a.py": b"def after():\n    pass\n"},
        ],
        BuildOptions(),
        Settings("x"),
    )
    assert [definition.name for definition in old["tests/test_a.py"].links.definitions] == ["before"]
    assert [definition.name for definition in new["tests/test_a.py"].links.definitions] == ["after"]
    assert "test" in old["tests/test_a.py"].labels
    assert [type(operation).__name__ for operation in old["s.sql"].facts.operations] == ["CreateTable"]
    assert old.keys() == {"tests/test_a.py", "s.sql"}
    assert list(tmp_path.iterdir()) == []


def test_a_project_is_known_by_the_root_and_odd_names_do_no_harm(tmp_path: Path) -> None:
    write(tmp_path, {"dbt_project.yml": "name: shop\n"})
    texts = {
        "models/orders.sql": b"select 1 as id\n",
        "n" * 300 + ".py": b"def f():\n    pass\n",
        "a/b": b"x",
        "a": b"y",
    }
    (found,) = read_texts(tmp_path, [texts], BuildOptions(), Settings("x"))
    assert found["models/orders.sql"].language == "dbt"
    assert set(found) == {"models/orders.sql"}
