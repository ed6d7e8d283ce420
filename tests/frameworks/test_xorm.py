"""xorm's structs to tables."""

from __future__ import annotations

from pathlib import Path

from coderag.frameworks.registry import read_code
from coderag.sql.records import Facts
from tests.frameworks.show import show

EXAMPLE = Path(__file__).parents[2] / "schemas" / "frameworks" / "xorm" / "example.go"
MODELS = EXAMPLE.read_text(encoding="utf-8")


def read(text: str, path: str = "models/user.go") -> Facts | None:
    return read_code(text.encode(), language="go", path=path)


def test_structs_with_keys_are_tables_and_parts_of_others_are_none() -> None:
    assert show(read(MODELS) or Facts()) == [
        "table user (User): User is somebody who signs in.",
        "  id bigint not null identity",
        "  login varchar(50) not null",
        "  org_id bigint",
        "  user_email VARCHAR(255) -- where mail goes",
        "  size decimal(10,2) default 1.5",
        "  state varchar(255) not null default 'open' -- open or closed",
        "  tags json",
        "  created datetime",
        "  plain boolean",
        "  badges text",
        "  primary key id",
        "  unique user_email",
        "  unique login, org_id",
        "table teams (Team)",
        "  updated bigint",
        "  id bigint not null identity",
        "  primary key id",
        "table star (Star)",
        "  id bigint not null identity",
        "  uid bigint",
        "  primary key id",
        "lost 32: the columns of Other are in another file",
        "lost 43: its name is computed at run time",
    ]


def test_structs_of_migrations_and_tests_are_no_tables() -> None:
    assert read(MODELS, "pkg/migrations/20240101.go") is None
    assert read(MODELS, "models/user_test.go") is None


def test_structs_with_tags_of_gorm_are_those_of_gorm() -> None:
    text = 'package x\ntype User struct {\n\tID int64 `xorm:"pk"`\n\tName string `gorm:"-" xorm:"-"`\n}\n'
    assert show(read(text) or Facts())[0] == "table users (User)"
    assert show(read(text.replace("gorm", "json")) or Facts())[0] == "table user (User)"


def test_hostile_tags_end() -> None:
    tag = "unique(" * 5_000 + "'" * 5_000
    circle = 'type A struct { B `xorm:"extends"` }\ntype B struct { A `xorm:"extends"` }\n'
    read('package x\ntype A struct { ID int64 `xorm:"pk ' + tag + '"` }')
    read("package x\n" + circle + 'func (A) TableName() string { return "a" }')
