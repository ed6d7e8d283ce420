"""TypeORM: entities by its naming strategy, relations, and migrations."""

from __future__ import annotations

import pytest

from coderag.frameworks.registry import read_code
from coderag.sql.records import (
    AddColumn,
    AddConstraint,
    AlterColumn,
    Column,
    CreateTable,
    Drop,
    DropColumn,
    DropConstraint,
    Evidence,
    Facts,
    ForeignKey,
    Name,
    ObjectKind,
    Origin,
    Rename,
    RenameColumn,
    SchemaOperation,
    Series,
    Source,
    Table,
)

ENTITIES = """\
import { Entity, Column } from "typeorm"

export enum Role { Admin = "admin", User = "user" }

abstract class Base {
  @PrimaryGeneratedColumn("uuid") id: string;

  @CreateDateColumn({ name: "created_at", type: "timestamptz" })
  createdAt: Date;
}

class Address {
  @Column() street: string;
  @Column("int", { nullable: true }) zip: number;
}

/** Somebody who signs in. More is in the manual. */
@Entity({ name: "users", schema: "auth" })
@Unique("one_per_team", ["email", "team"])
@Index(["name", "total"], { unique: true })
export class User extends Base {
  /** how we reach them */
  @Column({ type: "varchar", length: 50, nullable: true, unique: true, default: () => "now()" })
  email?: string | null;

  @Column() name: string; // full name
  @Column("decimal", { precision: 10, scale: 2, default: 0, comment: "in euro" }) total: number;
  @Column({ type: "enum", enum: Role, default: Role.User, array: true }) roles: Role[];
  @Column("simple-json") extra: object;
  @ManyToOne(() => Team, (team) => team.users, { nullable: false })
  @JoinColumn({ name: "team_id" })
  team: Promise<Team>;
  @ManyToOne((type) => Team) formerTeam: Team;
  @ManyToOne("Country") country: any;
  @OneToMany(() => Post, (post) => post.author) posts: Post[];
  @ManyToMany(() => Group) @JoinTable() groups: Group[];
  @Column(() => Address) home: Address;
  @OneToOne(() => Profile) @JoinColumn() profile: Relation<Profile>;
}

@Entity()
class Team { @PrimaryColumn("int") teamCode: number; }

@Entity("grp")
class Group extends Base {}
"""


def facts(text: str, path: str = "src/user.ts") -> Facts:
    """Return what a file of TypeScript tells."""
    found = read_code(text.encode(), language="typescript", path=path)
    assert found is not None
    return found


def tables(text: str) -> dict[str, Table]:
    """Return the tables of a file by name."""
    return {
        operation.table.name.name: operation.table
        for operation in facts(text).operations
        if isinstance(operation, CreateTable)
    }


def test_an_entity_is_a_table() -> None:
    found = tables(ENTITIES)
    assert list(found) == ["users", "users_groups_grp", "team", "grp"]
    users = found["users"]
    assert (users.name, users.alias) == (Name("users", schema="auth"), "User")
    assert users.comment == "Somebody who signs in."
    assert users.origins == (Origin.ORM,)
    assert users.sources == (Source("", 18, 39),)
    assert users.primary_key == ("id",)
    assert users.unique == (("email",), ("profileId",), ("email", "team_id"), ("name", "total"))


def test_its_columns() -> None:
    assert tables(ENTITIES)["users"].columns == (
        Column("id", "uuid", nullable=False, source=Source("", 6, 6)),
        Column(
            "created_at",
            "timestamptz",
            nullable=False,
            default="CURRENT_TIMESTAMP",
            field="createdAt",
            source=Source("", 8, 9),
        ),
        Column("email", "varchar(50)", default="now()", comment="how we reach them", source=Source("", 23, 24)),
        Column("name", "varchar", nullable=False, comment="full name", source=Source("", 26, 26)),
        Column("total", "decimal(10, 2)", nullable=False, default="0", comment="in euro", source=Source("", 27, 27)),
        Column(
            "roles", "enum[]", nullable=False, default="'user'", values=("admin", "user"), source=Source("", 28, 28)
        ),
        Column("extra", "text", nullable=False, source=Source("", 29, 29)),
        Column("team_id", "int", nullable=False, field="team", source=Source("", 30, 32)),
        Column("formerTeamTeamCode", "int", field="formerTeam", source=Source("", 33, 33)),
        Column("countryId", field="country", source=Source("", 34, 34)),
        Column("homeStreet", "varchar", nullable=False, field="home.street", source=Source("", 13, 13)),
        Column("homeZip", "int", field="home.zip", source=Source("", 14, 14)),
        Column("profileId", field="profile", source=Source("", 38, 38)),
    )


def test_its_keys_name_the_class_that_they_lead_to() -> None:
    keys = tables(ENTITIES)["users"].foreign_keys
    assert [(key.columns, str(key.table), key.referenced, key.model) for key in keys] == [
        (("team_id",), "team", ("teamCode",), "Team"),
        (("formerTeamTeamCode",), "team", ("teamCode",), "Team"),
        (("countryId",), "country", (), "Country"),
        (("profileId",), "profile", (), "Profile"),
    ]
    assert {key.evidence for key in keys} == {Evidence.MODEL}


def test_many_to_many_is_a_table_between() -> None:
    between = tables(ENTITIES)["users_groups_grp"]
    assert [(column.name, column.type) for column in between.columns] == [("usersId", "uuid"), ("grpId", "uuid")]
    assert between.primary_key == ("usersId", "grpId")
    assert [str(key.table) for key in between.foreign_keys] == ["auth.users", "grp"]


def test_a_stated_table_between() -> None:
    text = """\
@Entity()
class A {
  @PrimaryGeneratedColumn() id: number;
  @ManyToMany(() => B)
  @JoinTable({ name: "a_b", joinColumn: { name: "a_id" }, inverseJoinColumn: { name: "b_id" } })
  bs: B[];
}
"""
    between = tables(text)["a_b"]
    assert [column.name for column in between.columns] == ["a_id", "b_id"]


def test_a_view() -> None:
    decorator = '@ViewEntity({ materialized: true, expression: `SELECT 1 AS "a"` })'
    text = f"{decorator}\nclass BigView {{\n  @ViewColumn() a: number\n}}\n"
    view = tables(text)["big_view"]
    assert (view.kind, view.query) == (ObjectKind.MATERIALIZED_VIEW, 'SELECT 1 AS "a"')


def test_what_is_computed_or_elsewhere_is_reported() -> None:
    found = facts("@Entity(NAME)\nclass A {}\n@Entity()\nclass B {\n  @Column(() => Elsewhere) a: Elsewhere\n}\n")
    assert [(one.line, one.reason) for one in found.unparsed] == [
        (1, "its name is computed at run time"),
        (5, "the columns of Elsewhere are in another file"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "// @Entity()\nclass A {}\n",
        "const x = '@Entity(';\n",
        "@Entity()\nclass A { @ObjectIdColumn() id: ObjectId }\n",
        "import {Entity} from './game'; new Entity(1); @Injectable() class Entity {}",
    ],
)
def test_other_files_are_nothing(text: str) -> None:
    assert read_code(text.encode(), language="typescript", path="a.ts") is None


@pytest.mark.parametrize(
    "text",
    [
        "@Entity()\nclass A { @Column(",
        "@Entity({)\nclass A extends A { @Column() @ManyToOne() a: b; @JoinTable() @ManyToMany() c }",
        "@Entity()\nclass A extends B {}\nclass B extends A { @Column(() => A) a: A }",
        "@Entity() @Unique() @Unique(x) @Index([1]) class A { @Unique([]) @Column(...x) a }",
    ],
)
def test_bad_text_breaks_nothing(text: str) -> None:
    read_code(text.encode(), language="typescript", path="a.ts")


def migrated(body: str) -> tuple[SchemaOperation, ...]:
    """Return what the body of `up` does."""
    text = (
        f"export class X1700000000000 implements MigrationInterface {{\n  async up(q: QueryRunner) {{\n{body}\n  }}\n}}"
    )
    found = facts(text, "src/migrations/1700000000000-X.ts")
    assert not found.unparsed
    assert found.series == Series("typeorm", version="1700000000000", name="X1700000000000")
    return found.operations


def test_sql_of_a_migration() -> None:
    created, added = migrated(
        'await q.query(`CREATE TABLE "a" ("id" uuid NOT NULL, CONSTRAINT "PK_a" PRIMARY KEY ("id"))`);\n'
        'await q.query(`UPDATE "a" SET "id" = 1`);\n'
        'await q.query("ALTER TABLE \\"a\\" ADD \\"b\\" text");'
    )
    assert isinstance(created, CreateTable)
    assert (created.table.name, created.table.primary_key) == (Name("a"), ("id",))
    assert isinstance(added, AddColumn)
    assert (added.column.name, added.source) == ("b", Source("", 5, 5))


def test_a_table_of_a_migration() -> None:
    [created] = migrated(
        """\
    await q.createTable(new Table({
      name: "auth.users",
      columns: [
        { name: "id", type: "int", isPrimary: true, isGenerated: true, generationStrategy: "increment" },
        { name: "mail", type: "varchar", length: "99", isNullable: true, isUnique: true, default: "'x'" },
      ],
      foreignKeys: [{ columnNames: ["id"], referencedTableName: "people", referencedColumnNames: ["id"] }],
      indices: [{ columnNames: ["id", "mail"], isUnique: true }, { columnNames: ["mail"] }],
    }), true);"""
    )
    assert isinstance(created, CreateTable)
    table = created.table
    assert created.if_missing
    assert table.name == Name("users", schema="auth")
    assert [
        (column.name, column.type, column.nullable, column.default, column.identity) for column in table.columns
    ] == [
        ("id", "int", False, "", True),
        ("mail", "varchar(99)", True, "'x'", False),
    ]
    assert (table.primary_key, table.unique) == (("id",), (("mail",), ("id", "mail")))
    assert table.foreign_keys == (ForeignKey(("id",), Name("people"), ("id",), source=Source("", 3, 11)),)


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ('q.dropTable("a", true)', Drop(Name("a"), if_exists=True, source=Source("", 3, 3))),
        ('q.renameTable("a", "b")', Rename(Name("a"), Name("b"), source=Source("", 3, 3))),
        (
            'q.addColumn("a", new TableColumn({ name: "b", type: "int" }))',
            AddColumn(Name("a"), Column("b", "int", nullable=False, source=Source("", 3, 3)), source=Source("", 3, 3)),
        ),
        ('q.dropColumn("a", "b")', DropColumn(Name("a"), "b", source=Source("", 3, 3))),
        ('q.renameColumn("a", "b", "c")', RenameColumn(Name("a"), "b", "c", source=Source("", 3, 3))),
        (
            'q.changeColumn("a", "b", new TableColumn({ name: "b", type: "text", isNullable: true }))',
            AlterColumn(Name("a"), "b", type="text", nullable=True, default="", source=Source("", 3, 3)),
        ),
        (
            'q.createIndex("a", new TableIndex({ name: "i", columnNames: ["b"], isUnique: true }))',
            AddConstraint(Name("a"), name="i", unique=("b",), source=Source("", 3, 3)),
        ),
        ('q.dropForeignKey("a", "fk")', DropConstraint(Name("a"), name="fk", source=Source("", 3, 3))),
    ],
)
def test_a_statement_of_a_migration(statement: str, expected: SchemaOperation) -> None:
    assert migrated(f"await {statement};") == (expected,)


def test_what_a_migration_computes_is_reported() -> None:
    text = """\
class X1700000000000 implements MigrationInterface {
  async up(q) {
    await q.query(`CREATE TABLE ${name} (a int)`);
    await q.dropTable(name);
    await q.query(`DELETE FROM ${name}`);
  }
  async down(q) { await q.dropTable("b"); }
}
"""
    found = facts(text)
    assert [one.line for one in found.unparsed] == [3, 4]
    assert found.operations == ()
