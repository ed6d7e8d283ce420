"""GORM models: names by its strategy, tags, relations, and structs that are no tables."""

from __future__ import annotations

from pathlib import Path

import pytest

from coderag import Index
from coderag.frameworks.common.go_names import go_snake
from coderag.frameworks.registry import read_code
from coderag.sql.records import Column, CreateTable, Evidence, Facts, Name, Origin, Source, Table
from tests.workspace import write

MODELS = """\
package shop

import "gorm.io/gorm"

// User is somebody who buys. They are never deleted.
type User struct {
	gorm.Model
	Name string `gorm:"column:full_name;size:50;not null;uniqueIndex:once,priority:1" json:"x"` // on the invoice
	// in years
	Age       *int `gorm:"default:18;check:age > 1"`
	CompanyID uint `gorm:"uniqueIndex:once;comment:pays"`
	Company   Company
	State     string `gorm:"type:enum('open','shut');default:open"`
	Kind      Kind
	Cards     []Card
	Languages []*Language `gorm:"many2many:user_languages;"`
	Friends   []*User     `gorm:"many2many:user_friends"`
	Home      Address     `gorm:"embedded;embeddedPrefix:home_"`
	Data      datatypes.JSON
	BossID    *uint
	Boss      *User `gorm:"foreignKey:BossID"`
	Shown     string `gorm:"-"`
	private   int
}

type Kind string

const (
	Person Kind = "person"
	Shop   Kind = "shop"
)

type Address struct {
	Street string
	Zip    string `gorm:"size:5"`
}

type Company struct {
	ID   uint
	Name string `gorm:"unique"`
}

const cards = "billing.people_cards"

type Card struct {
	Number string `gorm:"primaryKey"`
	UserID uint
}

func (Card) TableName() string { return cards }

type Total struct {
	Sum int `gorm:"column:total"`
}
"""


def facts(text: str) -> Facts:
    """Return what a Go file tells."""
    found = read_code(text.encode(), language="go", path="models.go")
    assert found is not None
    return found


def tables(text: str) -> dict[str, Table]:
    """Return the tables of a file by name."""
    return {
        str(operation.table.name): operation.table
        for operation in facts(text).operations
        if isinstance(operation, CreateTable)
    }


def test_models_are_tables_and_other_structs_are_not() -> None:
    assert list(tables(MODELS)) == ["users", "companies", "billing.people_cards", "user_languages", "user_friends"]


def test_a_model_with_its_columns() -> None:
    users = tables(MODELS)["users"]
    assert (users.name, users.alias, users.origins) == (Name("users"), "User", (Origin.ORM,))
    assert users.comment == "User is somebody who buys."
    assert users.sources == (Source("", 6, 24),)
    assert users.primary_key == ("id",)
    assert users.unique == (("full_name", "company_id"),)
    assert users.checks == ("age > 1",)
    assert users.columns == (
        Column("id", "bigint", nullable=False, identity=True, field="ID", source=Source("", 7, 7)),
        Column("created_at", "timestamp", field="CreatedAt", source=Source("", 7, 7)),
        Column("updated_at", "timestamp", field="UpdatedAt", source=Source("", 7, 7)),
        Column("deleted_at", "timestamp", field="DeletedAt", source=Source("", 7, 7)),
        Column(
            "full_name", "varchar(50)", nullable=False, comment="on the invoice", field="Name", source=Source("", 8, 8)
        ),
        Column("age", "bigint", default="18", comment="in years", field="Age", source=Source("", 10, 10)),
        Column("company_id", "bigint", comment="pays", field="CompanyID", source=Source("", 11, 11)),
        Column(
            "state",
            "enum('open','shut')",
            default="'open'",
            values=("open", "shut"),
            field="State",
            source=Source("", 13, 13),
        ),
        Column("kind", "text", values=("person", "shop"), field="Kind", source=Source("", 14, 14)),
        Column("home_street", "text", field="Home.Street", source=Source("", 34, 34)),
        Column("home_zip", "varchar(5)", field="Home.Zip", source=Source("", 35, 35)),
        Column("data", "json", field="Data", source=Source("", 19, 19)),
        Column("boss_id", "bigint", field="BossID", source=Source("", 20, 20)),
    )


def test_relations_are_keys_on_the_side_that_has_the_column() -> None:
    found = tables(MODELS)
    assert [
        (key.columns, str(key.table), key.referenced, key.model)
        for name in ("users", "billing.people_cards")
        for key in found[name].foreign_keys
    ] == [
        (("company_id",), "companies", ("id",), "Company"),
        (("boss_id",), "users", ("id",), "User"),
        (("user_id",), "users", ("id",), "User"),
    ]
    assert {key.evidence for key in found["users"].foreign_keys} == {Evidence.MODEL}


def test_tables_between_models() -> None:
    found = tables(MODELS)
    assert [(column.name, column.type) for column in found["user_languages"].columns] == [
        ("user_id", "bigint"),
        ("language_id", ""),
    ]
    assert [column.name for column in found["user_friends"].columns] == ["user_id", "friend_id"]
    assert [str(key.table) for key in found["user_friends"].foreign_keys] == ["users", "users"]


def test_keys_of_several_fields() -> None:
    text = 'type A struct {\n\tX int `gorm:"primaryKey;autoIncrement:false"`\n\tY int `gorm:"primaryKey"`\n}\n'
    [table] = tables("package a\n" + text).values()
    assert table.primary_key == ("x", "y")
    assert not any(column.nullable or column.identity for column in table.columns)


def test_what_is_elsewhere_or_computed_is_reported() -> None:
    found = facts(
        "package a\n"
        'type Odd struct {\n\tShared\n\tX int `gorm:"index"`\n}\n'
        'type B struct {\n\tID int `gorm:"x"`\n}\n'
        "func (B) TableName() string {\n\treturn prefix() + name\n}\n"
    )
    assert [(one.line, one.reason) for one in found.unparsed] == [
        (3, "the columns of Shared are in another file"),
        (6, "its name is computed at run time"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "package a\n// gorm\ntype A struct { ID int }\n",
        'package a\ntype Base struct {\n\tID int `gorm:"primaryKey"`\n}\n',
        'package a\ntype Row struct {\n\tSum int `gorm:"column:s"`\n}\n',
        "package a\ntype A struct {\n\tID int\n}\nfunc (A) TableName() string { return gorm }\n",
    ],
)
def test_other_structs_are_nothing(text: str) -> None:
    assert read_code(text.encode(), language="go", path="a.go") is None


@pytest.mark.parametrize(
    "text",
    [
        'package a\ntype A struct {\n\tID int `gorm:"primaryKey',
        'package a\ntype A struct {\n\tA `gorm:"embedded"`\n\tID int `gorm:";;:;,:"`\n\t*A\n}\n',
        'package a\ntype A struct {\n\tgorm.Model\n\tB []B `gorm:"foreignKey:"`\n\tC []C `gorm:"many2many:"`\n}\n',
        "package a\ntype A A\ntype B struct {\n\tgorm.Model\n\tX A\n}\n",
    ],
)
def test_bad_text_breaks_nothing(text: str) -> None:
    read_code(text.encode(), language="go", path="a.go")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("X", "x"),
        ("ThisIsATest", "this_is_a_test"),
        ("PFAndESI", "pf_and_esi"),
        ("EmployeeID", "employee_id"),
        ("SKU_ID", "sku_id"),
        ("HTTPServerHandlerForURLID", "http_server_handler_for_url_id"),
        ("SHA256Hash", "sha256_hash"),
        ("UUID", "uuid"),
        ("", ""),
    ],
)
def test_names_of_columns(name: str, expected: str) -> None:
    assert go_snake(name) == expected


NAMED = """\
package shop

import "gorm.io/gorm"

type User struct {
	gorm.Model
	Languages []*Language `gorm:"many2many:user_languages"`
}

type Language struct {
	gorm.Model
	OwnerID uint
	Owner   User
	User    `gorm:"-"`
}

type Order struct {
	gorm.Model
}

func (Order) TableName() string { return "orders" }
"""


@pytest.mark.parametrize(
    ("stated", "names"),
    [
        ("schema.NamingStrategy{\n\tSingularTable: true,\n}", ["language", "orders", "user", "user_languages"]),
        (
            'schema.NamingStrategy{TablePrefix: "t_", SingularTable: true}',
            ["orders", "t_language", "t_user", "t_user_languages"],
        ),
        ('schema.NamingStrategy{TablePrefix: "t_"}', ["orders", "t_languages", "t_user_languages", "t_users"]),
        ("schema.NamingStrategy{}", ["languages", "orders", "user_languages", "users"]),
    ],
)
def test_a_naming_strategy_names_the_tables_of_the_whole_program(tmp_path: Path, stated: str, names: list[str]) -> None:
    opened = f"package db\nvar config = gorm.Config{{NamingStrategy: {stated}}}\n"
    write(tmp_path, {"models/models.go": NAMED, "db/open.go": opened, "db/open_test.go": "package db\n// gorm\n"})
    index = Index.build(tmp_path, workers=0)
    assert sorted(table.name.name for table in index.tables()) == names
    (key,) = next(
        table for table in index.tables() if "language" in table.name.name and len(table.columns) > 2
    ).foreign_keys
    assert key.table.name == next(name for name in names if name.endswith(("user", "users")))


def test_the_naming_strategy_of_a_test_counts_for_nothing(tmp_path: Path) -> None:
    opened = "package db\nvar config = gorm.Config{NamingStrategy: schema.NamingStrategy{SingularTable: true}}\n"
    write(tmp_path, {"models/models.go": NAMED, "db/open_test.go": opened})
    assert {"users", "languages"} < {table.name.name for table in Index.build(tmp_path, workers=0).tables()}
