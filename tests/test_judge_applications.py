"""scripts/judge_applications.py counts what is right, lost and invented, and says where."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from scripts.applications.asking import Entry
from scripts.applications.command import run
from scripts.applications.records import Counts, Reference, Table
from scripts.applications.scores import compare

SCHEMA_RB = """ActiveRecord::Schema[7.1].define(version: 2024_01_01_000000) do
  create_table "companies", force: :cascade do |t|
    t.string "name", null: false
    t.index ["name"], name: "index_companies_on_name"
  end

  create_table "people", force: :cascade do |t|
    t.bigint "company_id"
  end

  create_table "tags", id: false, force: :cascade do |t|
    t.string "word"
  end

  add_foreign_key "people", "companies"
end
"""
MIGRATION = """class Begin < ActiveRecord::Migration[7.1]
  def change
    create_table :companies do |t|
      t.string :title
    end
  end
end
"""


def table(*columns: str, key: str = "id", to: str = "") -> Table:
    return Table(frozenset(columns), (key,), frozenset({Reference(("company_id",), to)} if to else ()))


def entry(name: str, said: Table, *, database: str = "main", inferred: str = "") -> Entry:
    models = frozenset({Reference(("company_id",), inferred)} if inferred else ())
    return Entry(name, database, f"{name}.sql", said, models)


def test_what_is_right_lost_and_invented_is_counted() -> None:
    true = {"people": table("id", "name", to="companies"), "companies": table("id")}
    said = [
        entry("people", table("id", "nick", key="nick")),
        entry("rooms", table("id")),
        entry("people", table("id"), database="old"),
        entry("schema_migrations", table("version")),
        entry("queue", table("id")),
    ]
    score = compare(true, said, elsewhere={"queue"})
    assert (score.tables, score.columns) == (Counts(1, 2, 2), Counts(1, 3, 3))
    assert (score.references, score.keys) == (Counts(0, 1, 0), Counts(0, 2, 1))
    assert (score.databases, score.copies) == (2, 1)
    assert score.wrong == {
        "tables lost": ("companies",),
        "tables invented": ("rooms (rooms.sql)",),
        "columns lost": ("people.name",),
        "columns invented": ("people.nick",),
        "references lost": ("people (company_id) -> companies",),
        "primary keys": ("people: (id), not (nick)",),
    }


@pytest.mark.parametrize(("inferred", "counts"), [("companies", Counts(1, 1, 1)), ("rooms", Counts(0, 1, 0))])
def test_an_association_of_a_model_counts_only_where_it_is_right(inferred: str, counts: Counts) -> None:
    true = {"people": table("id", to="companies")}
    assert compare(true, [entry("people", table("id"), inferred=inferred)]).references == counts


def application(folder: Path) -> Path:
    (folder / "tree/db/migrate").mkdir(parents=True)
    (folder / "tree/db/schema.rb").write_text(SCHEMA_RB)
    (folder / "tree/db/migrate/20230101000000_begin.rb").write_text(MIGRATION)
    listed = folder / "list.toml"
    listed.write_text(
        '[rails]\ntree = "tree"\ntruth = "schema.rb"\nfiles = ["db/schema.rb"]\nsnapshot = ["db/schema.rb"]\n'
    )
    return listed


@pytest.mark.slow
def test_an_application_is_judged_with_and_without_its_snapshot(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run([str(application(tmp_path)), "--json"]) == 0
    with_snapshot, without = json.loads(capsys.readouterr().out)
    assert with_snapshot["variant"] == "plain"
    assert with_snapshot["tables"]["right"] == with_snapshot["tables"]["true"] == 3
    assert with_snapshot["columns"] == {"right": 5, "true": 5, "said": 5}
    assert with_snapshot["references"] == {"right": 1, "true": 1, "said": 1}
    assert without["wrong"] == {
        "tables lost": ["people", "tags"],
        "columns lost": ["companies.name"],
        "columns invented": ["companies.title"],
    }


@pytest.mark.slow
@pytest.mark.dev("sqlalchemy")
def test_sqlite_says_what_sql_makes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree/schema.sql").write_text(
        "CREATE TABLE a (id INTEGER PRIMARY KEY);\nCREATE TABLE b (a INTEGER REFERENCES a (id));\n"
    )
    listed = tmp_path / "list.toml"
    listed.write_text('[one]\ntree = "tree"\ntruth = "sqlite"\nfiles = ["*.sql"]\nframework = "SQL"\n')
    assert run([str(listed), "--wrong"]) == 0
    said = capsys.readouterr().out.splitlines()
    assert said[1].split()[:-1] == "one SQL plain 100.0/100.0 100.0/100.0 100.0/100.0 100.0 1 (1) 0".split()
    assert "number of databases right in 1, 0 copies" in said[2]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[a]\ntruth = 'sqlite'\nfiles = []\n", "needs tree, truth and files"),
        ("[a]\ntree = '.'\ntruth = 'oracle'\nfiles = []\n", "has the truth 'oracle'"),
        ("[a]\ntree = 'none'\ntruth = 'sqlite'\nfiles = []\n", "is no folder"),
        ("[a]\ntree = '.'\ntruth = 'sqlite'\nfiles = ['*.none']\n", "none of *.none is in"),
        ("[a]\ntree = '.'\ntruth = 'postgres'\nfiles = ['list.toml']\n", "--postgres URL"),
        ("a = ", "list.toml"),
    ],
)
def test_a_list_that_cannot_be_used_is_an_error(
    text: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "list.toml").write_text(text)
    assert run([str(tmp_path / "list.toml")]) == 2
    assert message in capsys.readouterr().err
