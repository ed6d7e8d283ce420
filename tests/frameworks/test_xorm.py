"""xorm's structs to tables."""

from __future__ import annotations

from coderag.frameworks.registry import read_code
from coderag.sql.records import Facts
from tests.frameworks.show import show

MODELS = """\
package models

import "time"

// User is somebody who signs in.
type User struct {
	ID        int64     `xorm:"pk autoincr 'id'"`
	Login     string    `xorm:"varchar(50) unique(login_org) not null"`
	OrgID     int64     `xorm:"unique(login_org) index"`
	Email     string    `xorm:"VARCHAR(255) UNIQUE 'user_email'" json:"email"` // where mail goes
	Size      float64   `xorm:"decimal(10,2) default 1.5"`
	State     string    `xorm:"NOT NULL DEFAULT 'open' comment('open or closed')"`
	Tags      []string  `xorm:"json"`
	Created   time.Time `xorm:"created"`
	Plain     bool
	Password  string `xorm:"-"`
	hidden    string
	Badges    []*Badge `xorm:"text"`
}

type Badge struct {
	Name string `xorm:"pk"`
}

type Stamps struct {
	Updated int64 `xorm:"updated"`
}

type Team struct {
	Stamps `xorm:"extends"`
	ID     int64 `xorm:"pk autoincr"`
	Other  `xorm:"extends"`
}

func (*Team) TableName() string { return "teams" }

// UserTeam is a row of a query.
type UserTeam struct {
	User `xorm:"extends"`
	TeamID int64
}

type Computed struct {
	ID int64 `xorm:"pk"`
}

func (c Computed) TableName() string { return prefix() + "computed" }
"""


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
        "lost 32: the columns of Other are in another file",
        "lost 43: its name is computed at run time",
    ]


def test_structs_of_migrations_and_tests_are_no_tables() -> None:
    assert read(MODELS, "pkg/migrations/20240101.go") is None
    assert read(MODELS, "models/user_test.go") is None


def test_hostile_tags_end() -> None:
    tag = "unique(" * 5_000 + "'" * 5_000
    circle = 'type A struct { B `xorm:"extends"` }\ntype B struct { A `xorm:"extends"` }\n'
    read('package x\ntype A struct { ID int64 `xorm:"pk ' + tag + '"` }')
    read("package x\n" + circle + 'func (A) TableName() string { return "a" }')
