"""SQLAlchemy, Flask-SQLAlchemy and SQLModel: classes and calls to tables."""

from __future__ import annotations

import sys
from types import ModuleType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coderag.sql.records import CreateTable, Evidence, Origin, Source
from tests.frameworks.show import read, shown

DECLARATIVE = '''\
import datetime as dt
import enum
from decimal import Decimal
from typing import Annotated, Any, List, Optional

import sqlalchemy as sa
from sqlalchemy import CheckConstraint, Enum, ForeignKey, Index, MetaData, Numeric, String, UniqueConstraint, func, text
from sqlalchemy.orm import DeclarativeBase, Mapped, deferred, mapped_column, relationship


class Status(enum.Enum):
    NEW = "new"
    PAID = "paid"


intpk = Annotated[int, mapped_column(primary_key=True)]
str50 = Annotated[str, 50]


class Base(DeclarativeBase):
    type_annotation_map = {str50: String(50), dict[str, Any]: sa.JSON}


class Stamped:
    # when it was made
    created: Mapped[dt.datetime] = mapped_column(server_default=func.now())


class User(Stamped, Base):
    """People who buy. They have an account.

    It is never deleted.
    """

    __tablename__ = "users"
    __table_args__ = (
        UniqueConstraint("email", "kind"),
        Index("ix_kind", "kind", unique=True, postgresql_where=text("kind = 'a'")),
        CheckConstraint("user_age > 0"),
        {"schema": "shop"},
    )

    id: Mapped[intpk]
    email: Mapped[str50]  # how they are reached
    nick: Mapped[str | None] = mapped_column(String(30), unique=True, doc="what they are\\n called")
    status: Mapped[Status] = mapped_column(default=Status.NEW)
    kind: Mapped[str] = mapped_column(Enum("a", "b", name="kind"))
    age: Mapped[Optional[int]] = mapped_column("user_age", server_default=text("0"))
    settings: Mapped[dict[str, Any]]
    balance: Mapped[Decimal] = mapped_column(Numeric(10, 2), default=Decimal("0.00"))
    """What the shop owes them."""
    orders: Mapped[List["Order"]] = relationship(back_populates="user")


class Order(Base):
    __tablename__ = "orders"

    id = sa.Column(sa.BigInteger, sa.Identity(), primary_key=True)
    user_id: Mapped[int] = mapped_column(ForeignKey(User.id))
    total = sa.Column(sa.Numeric, sa.Computed("net + tax"))
    at = sa.Column(sa.DateTime(timezone=True), nullable=False)
    note = deferred(sa.Column(sa.Text))
    user: Mapped["User"] = relationship(back_populates="orders")
'''

EXPECTED = """\
table shop.users (User): People who buy.
  id INTEGER not null identity
  email VARCHAR(50) not null -- how they are reached
  nick VARCHAR(30) -- what they are called
  status ENUM not null default 'NEW' in (NEW, PAID)
  kind ENUM not null in (a, b)
  user_age INTEGER default 0
  settings JSON not null
  balance NUMERIC(10, 2) not null default 0.00 -- What the shop owes them.
  created DATETIME not null default now() -- when it was made
  primary key id
  unique nick
  unique email, kind
  check user_age > 0
table orders (Order)
  id BIGINT not null identity
  user_id INTEGER not null
  total NUMERIC as net + tax
  at DATETIME WITH TIME ZONE not null
  note TEXT
  primary key id
  key user_id to shop.users (id)
"""


def test_declarative_classes_are_tables() -> None:
    assert shown(DECLARATIVE) == EXPECTED.replace("DATETIME WITH", "TIMESTAMP WITH").splitlines()


def test_places_are_those_of_the_class_and_of_each_field() -> None:
    orders = [operation.table for operation in read(DECLARATIVE).operations if isinstance(operation, CreateTable)][1]
    lines = DECLARATIVE.splitlines()
    assert orders.sources == (Source("", lines.index("class Order(Base):") + 1, len(lines)),)
    assert lines[orders.columns[1].source.start_line - 1].startswith("    user_id: Mapped[int]")
    assert orders.foreign_keys[0].evidence is Evidence.MODEL
    assert orders.origins == (Origin.ORM,)


@pytest.mark.dev("sqlalchemy")
def test_sqlalchemy_itself_makes_the_same_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    import sqlalchemy

    module = ModuleType("shop_models")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    exec(compile(DECLARATIVE, "models.py", "exec"), module.__dict__)  # our own text, with SQLAlchemy as its judge
    made = module.__dict__["Base"].metadata
    assert isinstance(made, sqlalchemy.MetaData)
    found = {
        operation.table.name: operation.table
        for operation in read(DECLARATIVE).operations
        if isinstance(operation, CreateTable)
    }
    assert {str(name) for name in found} == set(made.tables)
    for name, table in found.items():
        judged = made.tables[str(name)]
        assert [(column.name, column.nullable) for column in table.columns] == [
            (column.name, column.nullable) for column in judged.columns
        ]
        assert list(table.primary_key) == [column.name for column in judged.primary_key.columns]
        keys = {(key.columns, f"{key.table}.{key.referenced[0]}") for key in table.foreign_keys}
        assert keys == {((key.parent.name,), key.target_fullname) for key in judged.foreign_keys}


CLASSIC = """\
from sqlalchemy import Column, ForeignKey, ForeignKeyConstraint, Integer, MetaData, PrimaryKeyConstraint, String, Table
from sqlalchemy.orm import registry

metadata = MetaData(schema="sales")

# Who buys.
customers = Table(
    "customers",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", String(80), nullable=False, comment="as on the invoice"),
)
orders = Table(
    "orders", metadata,
    Column("customer", Integer, ForeignKey("customers.id")),
    Column("number", Integer),  # counts per customer
    PrimaryKeyConstraint("customer", "number"),
)
lines = Table(
    "lines", metadata,
    Column("customer", Integer), Column("number", Integer), Column("sku", ForeignKey("stock.goods.sku")),
    ForeignKeyConstraint(["customer", "number"], ["orders.customer", "orders.number"], name="fk_order"),
    schema="audit",
)
seen = Table("seen", metadata, autoload_with=engine)

class Customer:
    "A customer."

registry().map_imperatively(Customer, customers)
"""


def test_calls_of_table_are_tables() -> None:
    assert (
        shown(CLASSIC)
        == """\
table sales.customers (Customer): Who buys.
  id INTEGER not null identity
  name VARCHAR(80) not null -- as on the invoice
  primary key id
table sales.orders
  customer INTEGER not null
  number INTEGER not null -- counts per customer
  primary key customer, number
  key customer to sales.customers (id)
table audit.lines
  customer INTEGER
  number INTEGER
  sku
  key sku to stock.goods (sku)
  key customer, number to sales.orders (customer, number)
describe sales.seen
""".splitlines()
    )


FLASK = """\
from app import db

tags = db.Table("tags", db.Column("tag", db.ForeignKey("tag.id")), db.Column("post", db.ForeignKey("blog_post.id")))

class Model(db.Model):
    __abstract__ = True
    id = db.Column(db.Integer, primary_key=True)

class Tag(Model):
    label = db.Column(db.String(20))

class BlogPost(Model):
    labels = db.relationship("Tag", secondary=tags)
    kind = db.Column(db.String(9))
    __mapper_args__ = {"polymorphic_on": kind}

class Essay(BlogPost):
    words = db.Column(db.Integer)

class HTTPLog2Entry(db.Model):
    id = db.Column(db.Integer, primary_key=True)
"""


def test_flask_names_tables_after_classes() -> None:
    assert (
        shown(FLASK)
        == """\
table tags
  tag INTEGER
  post INTEGER
  key tag to tag (id)
  key post to blog_post (id)
table tag (Tag)
  label VARCHAR(20)
  id INTEGER not null identity
  primary key id
table blog_post (BlogPost)
  kind VARCHAR(9)
  id INTEGER not null identity
  words INTEGER
  primary key id
table http_log2_entry (HTTPLog2Entry)
  id INTEGER not null identity
  primary key id
""".splitlines()
    )


SQLMODEL = """\
import uuid
from sqlmodel import Column, Field, JSON, Relationship, SQLModel, String

class TeamBase(SQLModel):
    name: str = Field(max_length=40, unique=True, description="how it is called")

class Team(TeamBase, table=True):
    id: int | None = Field(default=None, primary_key=True)
    heroes: list["Hero"] = Relationship(back_populates="team")

class Hero(SQLModel, table=True):
    __tablename__ = "heroes"
    id: uuid.UUID = Field(default_factory=uuid.uuid4, primary_key=True)
    secret: str = "none"
    mail: str | None = Field(sa_column=Column("e_mail", String(99)))
    extra: dict = Field(sa_type=JSON)
    team_id: int | None = Field(default=None, foreign_key="team.id")
    team: Team | None = Relationship(back_populates="heroes")

class HeroPublic(SQLModel):
    id: int
"""


def test_sqlmodel() -> None:
    assert (
        shown(SQLMODEL)
        == """\
table team (Team)
  name VARCHAR(40) not null -- how it is called
  id INTEGER not null identity
  primary key id
  unique name
table heroes (Hero)
  id UUID not null
  secret VARCHAR not null default 'none'
  e_mail VARCHAR(99)
  extra JSON not null
  team_id INTEGER
  primary key id
  key team_id to team (id)
""".splitlines()
    )


HEAD = "from sqlalchemy import *\nfrom sqlalchemy.orm import *\nfrom app.db import Base\n"


@pytest.mark.parametrize(
    ("body", "name"),
    [
        ("class Item(Base):\n    __tablename__ = PREFIX + 'items'\n", "app_items"),
        ("class Item(Base):\n    __tablename__ = f'{PREFIX}items'\n", "app_items"),
        ("class Item(Named):\n    pass\n", "items"),
        ("class Item(Base):\n    __tablename__ = 'items'\n    __table_args__ = {'schema': 'x'}\n", "x.items"),
        ("class Item(Base):\n    __table_args__ = ARGUMENTS\n    __tablename__ = 'items'\n", "y.items"),
    ],
)
def test_names_are_followed_within_the_file(body: str, name: str) -> None:
    named = """\
PREFIX = 'app_'
ARGUMENTS = (UniqueConstraint('id'), {'schema': 'y'})
class Named(Base):
    __abstract__ = True
    @declared_attr.directive
    def __tablename__(cls) -> str:
        return cls.__name__.lower() + 's'
"""
    text = HEAD + named + body + "    id = Column(Integer, primary_key=True)\n"
    assert shown(text)[0] == f"table {name} (Item)"


def test_joined_inheritance_keeps_tables_apart() -> None:
    text = f"""{HEAD}
class Person(Base):
    __tablename__ = "people"
    id = Column(Integer, primary_key=True)
    name = Column(String)

class Worker(Person):
    __tablename__ = "workers"
    id = Column(ForeignKey("people.id"), primary_key=True)
    wage = Column(Float)
"""
    assert shown(text)[4:] == [
        "table workers (Worker)",
        "  id INTEGER not null",
        "  wage FLOAT",
        "  primary key id",
        "  key id to people (id)",
    ]


def test_what_another_file_has_is_named_and_not_guessed() -> None:
    text = f"""{HEAD}
from app.users import User, AuditMixin, users

class Note(AuditMixin, Base):
    __tablename__ = "notes"
    id = Column(Integer, primary_key=True)
    user_id = Column(ForeignKey(User.id))
    other_id = Column(ForeignKey(users.c.id))

class Draft(Base):
    id = Column(Integer, primary_key=True)

class Late(Base):
    __tablename__ = table_name("late")
    id = Column(Integer, primary_key=True)
"""
    assert shown(text) == [
        "table notes (Note)",
        "  id INTEGER not null identity",
        "  user_id",
        "  other_id",
        "  primary key id",
        "  key user_id to User (id) = User",
        "lost 7: the columns of AuditMixin are in another file",
        "lost 11: the table that it refers to is in another file",
        "lost 13: its table is named by Base, which is in another file",
        "lost 16: the table's name is computed",
    ]


@pytest.mark.parametrize(
    ("written", "column"),
    [
        ("Column(String)", "VARCHAR"),
        ("Column(String(length=9))", "VARCHAR(9)"),
        ("Column(Numeric(precision=8, scale=3))", "NUMERIC(8, 3)"),
        ("Column(postgresql.ARRAY(postgresql.UUID(as_uuid=True)))", "UUID[]"),
        ("Column(mysql.BIGINT(unsigned=True))", "BIGINT UNSIGNED"),
        ("Column(String(9).with_variant(Text, 'mysql'))", "VARCHAR(9)"),
        ("Column(MutableDict.as_mutable(postgresql.JSONB))", "JSONB"),
        ("Column(Guid)", "CHAR(32)"),
        ("Column(geo.Geometry('POINT', srid=4326))", "Geometry('POINT', srid=4326)"),
        ("Column(Enum(*STATES))", "ENUM in (on, off)"),
        ("Column(Enum(Level, values_callable=lambda all: [one.value for one in all]))", "ENUM in (1, 2)"),
        ("Column(Boolean, server_default=false())", "BOOLEAN default false"),
        ("Column(String, server_default='it''s')", "VARCHAR default 'its'"),
        ("Column(DateTime, server_default=func.now())", "DATETIME default now()"),
        ("Column(Integer, default=-1)", "INTEGER default -1"),
        ("Column(Integer, default=count)", "INTEGER"),
        ("Column(Integer, autoincrement=True, nullable=False)", "INTEGER not null"),
    ],
)
def test_types_and_defaults(written: str, column: str) -> None:
    text = f"""{HEAD}
STATES = ["on", "off"]
class Level(Enum):
    LOW = "1"
    HIGH = "2"
class Guid(TypeDecorator):
    impl = CHAR(32)
class Item(Base):
    __tablename__ = "items"
    x = {written}
"""
    assert shown(text)[1] == f"  x {column}"


@pytest.mark.parametrize(
    "text",
    [
        "from rich.table import Table, Column\ntable = Table('Title', Column('a'))\n",
        "from prettytable import Table\nt = Table('x', y)\nclass A:\n    b = Column('c')\n",
        f"{HEAD}def make():\n    class Item(Base):\n        __tablename__ = 'x'\n        id = Column(Integer)\n",
        f"{HEAD}class Mixin:\n    id = Column(Integer, primary_key=True)\n",
        f"{HEAD}if __name__ == '__main__':\n    t = Table('t', m, Column('a', Integer))\n",
        "",
        "class A(Base):\n    __tablename__ = \n",
    ],
)
def test_what_declares_no_table(text: str) -> None:
    assert shown(text) == []


def test_a_syntax_error_costs_what_it_touches() -> None:
    text = f"""{HEAD}
class A(Base):
    __tablename__ = "a"
    id = Column(Integer primary_key=True)
class B(Base):
    __tablename__ = "b"
    id = Column(Integer, primary_key=True)
"""
    assert "table b (B)" in shown(text)


@pytest.mark.parametrize(
    "text",
    [
        f"{HEAD}class A(B):\n    __tablename__ = 'a'\nclass B(A):\n    __tablename__ = 'b'\n    id = Column(A)\n",
        f"{HEAD}x = y\ny = x\nclass A(A):\n    __tablename__ = x\n    id = Column(x, default=y)\n",
        f"{HEAD}d = {{**d}}\nclass A(Base):\n    __tablename__ = 'a'\n    __table_args__ = d\n    id = Column(A)\n",
        f"{HEAD}a0 = ''\n"
        + "".join(f"a{i} = f'{f'{{a{i - 1}}}' * 300}'\n" for i in range(1, 12))
        + "t = Table(a11, m, Column('a', Integer))\n",
        f"{HEAD}a0 = []\n"
        + "".join(f"a{i} = [{f'*a{i - 1}, ' * 300}]\n" for i in range(1, 12))
        + "t = Table('t', m, Column('a', Enum(*a11)), *a11)\n",
        f"{HEAD}class A(Base):\n    __tablename__ = 'a'\n    id = Column({'(' * 2000}1{')' * 2000})\n",
        f"{HEAD}class A(Base):\n    __tablename__ = 'a'{' + chr(1)' * 2000}\n    id = Column(Integer)\n",
    ],
)
def test_circles_and_depth_come_to_an_end(text: str) -> None:
    read(text)


def test_a_large_file() -> None:
    classes = "".join(
        f"class C{i}(Base):\n    __tablename__ = 't{i}'\n    id = Column(ForeignKey('t0.id'), primary_key=True)\n"
        for i in range(500)
    )
    assert len(read(HEAD + classes).operations) == 500


@settings(max_examples=60, deadline=None)
@given(st.integers(0, len(DECLARATIVE)), st.integers(0, 60))
def test_any_part_of_a_file_is_read_without_an_error(start: int, length: int) -> None:
    read(DECLARATIVE[:start] + DECLARATIVE[start + length :])
