"""MikroORM: entities by its default naming strategy, and relations."""

from __future__ import annotations

from coderag.frameworks.registry import read_code
from coderag.sql.records import Facts
from tests.frameworks.show import show

ENTITIES = """\
import { Entity, Enum, ManyToMany, ManyToOne, OneToMany, OneToOne, PrimaryKey, Property } from "@mikro-orm/core"
import { BaseEntity } from "./base"

export enum Status { DRAFT = "draft", DONE = "done" }
const tableName = "authors"

/** Who writes. */
@Entity({ tableName })
@Unique({ properties: ["firstName", "email"] })
export class Author extends BaseEntity {
  @PrimaryKey({ columnType: "text" })
  id!: string

  @Property()
  firstName: string

  @Property({ unique: true, nullable: true })
  email?: string

  @Property({ columnType: "timestamptz", defaultRaw: "now()" })
  createdAt: Date

  @Property({ persist: false })
  fullName: string

  @Enum({ items: () => Status, default: Status.DRAFT })
  status: Status

  @ManyToOne(() => Author, { nullable: true })
  teacher?: Author

  @OneToMany(() => Shelf, (shelf) => shelf.author)
  shelves = new Collection<Shelf>(this)
}

@Entity()
export default class BookShelf {
  @PrimaryKey({ autoincrement: true })
  id: number

  @ManyToOne(() => Author, { fieldName: "author_id", mapToPk: true, columnType: "text", nullable: true })
  author_id: string | null

  @ManyToOne(() => Author, { persist: false })
  author: Rel<Author>

  @ManyToOne({ entity: () => Publisher })
  mainPublisher: Publisher

  @OneToOne(() => Cover, { owner: true })
  cover: Cover

  @OneToOne(() => Note, (note) => note.shelf)
  note: Note

  @ManyToMany(() => Tag, "shelves", { owner: true, pivotTable: "shelf_tags", joinColumn: "shelf_id" })
  tags = new Collection<Tag>(this)
}

@Entity({ abstract: true })
export abstract class Dated {
  @Property({ nullable: true })
  updatedAt: Date
}

@Entity({ tableName: TABLE })
export class Computed {
  @PrimaryKey()
  id: number
}
"""


def facts(text: str) -> Facts:
    """Return what a file of TypeScript tells."""
    return read_code(text.encode(), language="typescript", path="src/entities.ts") or Facts()


def test_entities_are_tables() -> None:
    found = facts(ENTITIES)
    assert show(found) == [
        "table authors (Author): Who writes.",
        "  id text not null",
        "  first_name varchar(255) not null",
        "  email varchar(255)",
        "  created_at timestamptz not null default now()",
        "  status text not null default 'draft' in (draft, done)",
        "  teacher_id text",
        "  primary key id",
        "  unique email",
        "  unique first_name, email",
        "  key teacher_id to authors = Author",
        "table book_shelf (BookShelf)",
        "  id integer not null identity",
        "  author_id text",
        "  main_publisher_id not null",
        "  cover_id not null",
        "  primary key id",
        "  unique cover_id",
        "  key author_id to authors = Author",
        "  key main_publisher_id to publisher = Publisher",
        "  key cover_id to cover = Cover",
        "table shelf_tags",
        "  shelf_id integer not null",
        "  tag_id not null",
        "  primary key shelf_id, tag_id",
        "  key shelf_id to book_shelf = BookShelf",
        "  key tag_id to tag = Tag",
        "lost 66: its name is computed at run time",
    ]
    shared = found.shared
    assert shared is not None
    assert [(str(table), heir.base) for table, heir in shared.heirs] == [("authors", "BaseEntity")]
    assert [str(mixin.table.name) for mixin in shared.mixins] == ["Dated"]


def test_entities_of_typeorm_are_not_read_so() -> None:
    text = 'import { Entity } from "typeorm"\n@Entity()\nclass BookShelf { @PrimaryColumn() theId: number }\n'
    assert show(facts(text))[1].split()[0] == "theId"
