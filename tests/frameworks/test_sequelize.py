"""Sequelize's and db-migrate's migrations, and Sequelize's models."""

from __future__ import annotations

from coderag.frameworks.registry import read_code
from coderag.frameworks.sequelize.project import with_table_names
from coderag.sql.records import CreateTable, Facts, Relation, SchemaFile, Series
from tests.frameworks.show import show

MIGRATION = """\
const STATES = ['open', 'paid'];
module.exports = {
  up: async (queryInterface, Sequelize) => {
    await queryInterface.createTable('orders', {
      id: { type: Sequelize.INTEGER, primaryKey: true, autoIncrement: true, allowNull: false },
      userId: { type: Sequelize.UUID, allowNull: false, references: { model: 'users', key: 'id' } },
      number: { type: Sequelize.STRING(40), unique: true, comment: 'shown to the customer' },
      state: { type: Sequelize.ENUM(...STATES), defaultValue: 'open' },
      kind: { type: Sequelize.ENUM('a', 'b') },
      tags: Sequelize.ARRAY(Sequelize.TEXT),
      total: { type: Sequelize.DECIMAL(10, 2), defaultValue: 0, field: 'total_sum' },
      createdAt: { type: Sequelize.DATE, defaultValue: Sequelize.fn('now') },
    });
    await queryInterface.addColumn('users', 'theme', { type: Sequelize.STRING, allowNull: true });
    await queryInterface.changeColumn('users', 'name', { type: Sequelize.TEXT, allowNull: false });
    await queryInterface.renameColumn('users', 'mail', 'email');
    await queryInterface.removeColumn('users', 'old');
    await queryInterface.addIndex('users', ['email'], { unique: true });
    await queryInterface.addIndex('users', ['name']);
    await queryInterface.addConstraint('users', {
      fields: ['teamId'], type: 'foreign key', name: 'fk_team', references: { table: 'teams', field: 'id' },
    });
    let table = 'teams';
    await queryInterface.sequelize.query(`ALTER TABLE "${table}" ADD COLUMN size integer`);
    await queryInterface.renameTable('posts', 'articles').then(() => queryInterface.dropTable('drafts'));
    await queryInterface.createTable(process.env.TABLE, { id: Sequelize.INTEGER });
  },
  down: (queryInterface) => queryInterface.dropTable('orders'),
};
"""
DB_MIGRATE = """\
exports.up = function (db, cb) {
  db.createTable('users', {
    id: { type: 'int', primaryKey: true, autoIncrement: true, notNull: true },
    name: 'string',
    email: { type: 'string', length: 255, unique: true },
  }, () => db.addColumn('teams', 'size', { type: 'int', defaultValue: 1 },
    () => db.runSql('CREATE TABLE tags (id serial primary key)', cb)));
};
exports.down = (db, cb) => db.dropTable('users', cb);
"""
MODELS = """\
const { Sequelize, DataTypes, Model } = require('sequelize');
const Post = sequelize.define('Post', {
  title: { type: DataTypes.STRING, allowNull: false },
  authorId: { type: DataTypes.INTEGER, references: { model: Author, key: 'id' } },
  shown: DataTypes.VIRTUAL,
}, { underscored: true, timestamps: true, paranoid: true });
class Author extends Model {
  static associate(models) { this.hasMany(models.Post, { as: 'posts' }); }
}
Author.init({ uuid: { type: DataTypes.UUID, primaryKey: true } }, { sequelize, tableName: 'writers' });
Post.belongsTo(Author, { as: 'author', foreignKey: 'author_id' });
"""
CLASSES = """\
import { Table, Column, DataType, BelongsTo, Model, PrimaryKey } from "sequelize-typescript";
@Table({ tableName: "stars" })
export class Star extends Model {
  @PrimaryKey
  @Column(DataType.UUID)
  id: string;
  @Column({ type: DataType.STRING(9), field: "short_name", allowNull: false })
  name: string;
  @Column
  size: number;
  @BelongsTo(() => User, "userId")
  user: User;
  note: string;
}
@Table({ tableName: "moons" })
class Moon extends Base {
  @Column(DataType.TEXT)
  text: string;
}
"""


def read(text: str, *, path: str, language: str = "javascript") -> Facts:
    return read_code(text.encode(), language=language, path=path) or Facts()


def test_a_migration_of_sequelize() -> None:
    found = read(MIGRATION, path="migrations/20240102030405-orders.js")
    assert show(found) == [
        "table orders",
        "  id integer not null identity",
        "  userId uuid not null",
        "  number varchar(40) -- shown to the customer",
        "  state enum default 'open'",
        "  kind enum in (a, b)",
        "  tags text[]",
        "  total_sum decimal(10, 2) default 0",
        "  createdAt timestamptz default CURRENT_TIMESTAMP",
        "  primary key id",
        "  unique number",
        "  key userId to users (id)",
        "add users: theme varchar(255)",
        "alter users.name type='text' nullable=False",
        "rename users.mail to email",
        "drop users.old",
        "constrain users unique email",
        "constrain users fk_team key teamId to teams (id)",
        "add teams: size integer",
        "rename posts to articles",
        "drop table drafts",
        "lost 26: computed at run time",
    ]
    assert found.series == Series("sequelize", version="20240102030405", name="20240102030405-orders")


def test_a_migration_of_db_migrate() -> None:
    assert show(read(DB_MIGRATE, path="src/migrations/20200102030405-users.js")) == [
        "table users",
        "  id integer not null identity",
        "  name varchar",
        "  email varchar(255)",
        "  primary key id",
        "  unique email",
        "add teams: size integer default 1",
        "table tags",
        "  id serial not null identity",
        "  primary key id",
    ]


def test_models_say_what_their_file_says_and_no_more() -> None:
    found = read(MODELS, path="models/index.js")
    assert show(found) == [
        "table posts (Post)",
        "  id integer not null identity",
        "  title varchar(255) not null",
        "  author_id integer",
        "  created_at timestamptz not null",
        "  updated_at timestamptz not null",
        "  deleted_at timestamptz",
        "  primary key id",
        "  key author_id to Author (id) = Author",
        "table writers (Author)",
        "  uuid uuid not null",
        "  primary key uuid",
    ]
    post, author = (operation.table for operation in found.operations if isinstance(operation, CreateTable))
    assert post.relations == (Relation("author", "Author", columns=("author_id",)),)
    assert author.relations == ()  # its file says it before the model has its attributes


def test_classes_with_decorators_describe_and_those_of_model_itself_are_whole() -> None:
    assert show(read(CLASSES, path="models/star.ts", language="typescript")) == [
        "table stars (Star)",
        "  id uuid not null",
        "  short_name varchar(9) not null",
        "  size integer",
        "  primary key id",
        "describe moons (Moon)",
        "  text text",
    ]


def test_migrations_tell_what_the_table_of_a_model_is_called() -> None:
    migration = "exports.up = (queryInterface, S) => queryInterface.createTable('device', { id: S.INTEGER });"
    model = "module.exports = (sequelize, DataTypes) => sequelize.define('device', { id: DataTypes.INTEGER }, {});"
    files = [
        SchemaFile("migrations/1-x.js", read(migration, path="migrations/1-x.js")),
        SchemaFile("models/device.js", read(model, path="models/device.js")),
    ]
    assert show(files[1].facts)[0] == "table devices (device)"
    assert show(with_table_names(files)[1].facts)[0] == "describe device (device)"


def test_hostile_objects_end() -> None:
    deep = "{ a: " * 3_000 + "1" + " }" * 3_000
    spread = "const a = { ...b }; const b = { ...a };"
    for text in (
        f"exports.up = (queryInterface) => queryInterface.createTable('x', {deep});",
        f"{spread} exports.up = (queryInterface) => queryInterface.createTable('x', a);",
    ):
        read(text, path="migrations/1-x.js")
