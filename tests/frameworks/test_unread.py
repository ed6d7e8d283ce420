"""Frameworks that are recognised and not read."""

from __future__ import annotations

from pathlib import Path

import pytest

from coderag import Index
from coderag.frameworks.common.unread import UnreadFramework, unread_framework, unread_frameworks
from coderag.frameworks.registry import read_code
from coderag.syntax.language import languages

YII = """\
<?php
use yii\\db\\Migration;
class m240101_users extends Migration {
    public function safeUp() {
        $this->createTable('users', ['id' => $this->primaryKey()]);
    }
}
"""
ALTERED = """\
class X < ActiveRecord::Migration[7.1]
  def change
    create_table :votes do |t|
      t.references :story, foreign_key: true
    end
    add_column :users, :karma, :integer
  end
end
"""


def test_the_table_is_sound() -> None:
    frameworks = unread_frameworks()
    assert len({framework.name for framework in frameworks}) == len(frameworks)
    for framework in frameworks:
        assert set(framework.languages) <= languages().keys(), framework.name
        assert all(framework.holds), framework.name
        assert all(all(texts) for texts in framework.holds), framework.name


@pytest.mark.parametrize("framework", unread_frameworks(), ids=lambda one: one.name)
def test_a_file_that_holds_all_of_it_is_recognised(framework: UnreadFramework) -> None:
    data = b"\n".join(texts[0] for texts in framework.holds)
    path = f"app/{framework.paths[0].replace('*', 'x') if framework.paths else 'x'}"
    assert unread_framework(data, language=framework.languages[0], path=path)
    assert not unread_framework(data, language="text", path=path)


def test_what_is_read_is_not_said_to_be_unread() -> None:
    text = 'import Sequelize from "sequelize";\nexports.up = (knex) => knex.schema.dropTable("queryInterface");\n'
    found = read_code(text.encode(), language="javascript", path="migrations/20240101_x.js")
    assert found is not None
    assert not found.unread


@pytest.mark.slow
def test_an_index_says_what_it_does_not_know(tmp_path: Path) -> None:
    root = tmp_path / "app"
    for path, text in {
        "migrations/m240101_users.php": YII,
        "migrations/m240102_posts.php": YII,
        "tests/fixtures/m240102_posts.php": YII,
        "db/migrate/20240101000000_x.rb": ALTERED,
    }.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    with Index.build(root, encoder="none", workers=0, graph=False) as index:
        [status] = index.status(compare=False)
    assert status.schema is not None
    [unread] = status.schema.unread
    assert (unread.framework, unread.files) == ("Yii migrations", 2)
    assert [(one.table, one.line) for one in status.schema.uncreated] == [("stories", 4), ("users", 6)]
    assert all("db:schema:dump" in one.advice for one in status.schema.uncreated)


def test_an_index_of_nothing_else_says_it_too(tmp_path: Path) -> None:
    (tmp_path / "users.php").write_text(YII)
    with Index.build(tmp_path, encoder="none", workers=0, graph=False) as index:
        [status] = index.status(compare=False)
    assert status.schema is not None
    assert status.schema.tables == 0
    assert [one.files for one in status.schema.unread] == [1]
