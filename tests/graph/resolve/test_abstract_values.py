"""A name that several things have: tables before members, production before tests, and the choice is said."""

from __future__ import annotations

from pathlib import Path

import pytest

from coderag import Index
from coderag.cli.main import run
from tests.workspace import write

FILES = {
    "db/schema.rb": """# This file is auto-generated from the current state of the database.
ActiveRecord::Schema[7.1].define(version: 2024_01_01_000000) do
  create_table "stories" do |t|
    t.string "title"
  end
  create_table "votes" do |t|
    t.bigint "story_id"
  end
end
""",
    "app/models/story.rb": """class Story < ApplicationRecord
  has_many :votes

  def self.tagged(tag)
    connection.execute("SELECT title FROM stories WHERE title = 'x'")
  end
end
""",
    "app/models/user.rb": "class User < ApplicationRecord\n  has_many :votes\n  has_many :stories\nend\n",
    "app/controllers/stories_controller.rb": """class StoriesController < ApplicationController
  def index
    Story.tagged("ruby")
  end
end
""",
    "spec/models/story_spec.rb": """describe "Story" do
  def stories
    Story.tagged("ruby")
  end

  it "finds" do
    expect(stories).to eq([])
  end
end
""",
}


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = write(tmp_path_factory.mktemp("meanings") / "forum", FILES)
    Index.build(made, workers=0, encoder="none")
    return made


def test_a_table_is_drawn_and_not_the_fields_of_its_name(root: Path) -> None:
    drawn = Index.open(root).graph("votes")
    assert drawn is not None
    assert [f"{spot.kind} {spot.name}" for spot in drawn.spots[: drawn.asked]] == ["table votes"]


def test_a_table_that_a_dump_declares_comes_first(root: Path) -> None:
    index = Index.open(root)
    assert index.refs("stories")[0].target.kind == "table"
    impact = index.impact("stories")
    assert impact is not None
    assert impact.target.kind == "table"


def test_a_way_ends_at_the_table_and_not_in_a_test(root: Path) -> None:
    (way,) = Index.open(root).path_between("StoriesController.index", "stories")
    assert [f"{step.how} {step.spot.kind} {step.spot.name}" for step in way.steps] == [
        "calls method Story::tagged",
        "reads table stories",
    ]


def test_what_is_meant_can_be_chosen(root: Path) -> None:
    found = Index.open(root).meanings("stories", kinds=("field",))
    assert [one.path for one in found.chosen] == ["app/models/user.rb"]
    assert found.others == ()


@pytest.mark.parametrize("command", [("graph", "votes"), ("path", "StoriesController.index", "stories")])
def test_the_choice_is_said(root: Path, capsys: pytest.CaptureFixture[str], command: tuple[str, ...]) -> None:
    assert run([*command, "--root", str(root), "--no-refresh"]) == 0
    said = capsys.readouterr().err
    assert f"{command[-1]!r} is taken for table {command[-1]} db/schema.rb:" in said
    assert "app/models/user.rb" in said
    assert said.rstrip().endswith("--kind and --path choose")
