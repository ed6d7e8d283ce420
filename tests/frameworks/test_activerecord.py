"""ActiveRecord models: names of tables, associations, values, and plurals as Rails makes them."""

from __future__ import annotations

import pytest

from coderag.frameworks.registry import read_code
from coderag.sql.records import Column, Describe, Evidence, ForeignKey, Name, Origin, Relation, Source, Table
from coderag.text.inflection import plural, singular, snake_case, table_of_class

ORDER = """\
# frozen_string_literal: true

# An order of a customer. It is paid once.
class Order < ApplicationRecord
  STATES = %w[open paid].freeze
  self.table_name = "shop_orders"

  belongs_to :customer
  belongs_to :seller, class_name: "Admin::User", foreign_key: :sold_by, optional: true
  belongs_to :subject, polymorphic: true
  has_many :lines, dependent: :destroy
  enum :state, { open: 0, paid: 1 }, prefix: true
  enum size: { small: "S", large: "large" }
  validates :currency, presence: true, inclusion: { in: STATES }
end
"""


def described(text: str) -> list[Table]:
    """Return the tables that the models of a file describe."""
    found = read_code(text.encode(), language="ruby", path="app/models/x.rb")
    operations = found.operations if found else ()
    assert all(isinstance(operation, Describe) and not operation.complete for operation in operations)
    return [operation.table for operation in operations if isinstance(operation, Describe)]


def names(text: str) -> list[str]:
    """Return the names of the tables that the models of a file describe."""
    return [str(table.name) for table in described(text)]


def test_a_model_describes_its_table() -> None:
    assert described(ORDER) == [
        Table(
            Name("shop_orders"),
            columns=(
                Column("state", comment="0 = open, 1 = paid", values=("0", "1"), source=Source("", 12, 12)),
                Column("size", comment="S = small", values=("S", "large"), source=Source("", 13, 13)),
                Column("currency", values=("open", "paid"), source=Source("", 14, 14)),
            ),
            foreign_keys=(
                ForeignKey(
                    ("customer_id",),
                    Name("customers"),
                    evidence=Evidence.MODEL,
                    source=Source("", 8, 8),
                    model="Customer",
                ),
                ForeignKey(
                    ("sold_by",),
                    Name("users"),
                    evidence=Evidence.MODEL,
                    source=Source("", 9, 9),
                    model="Admin::User",
                ),
            ),
            comment="An order of a customer.",
            alias="Order",
            relations=(
                Relation("customer", "Customer", columns=("customer_id",)),
                Relation("seller", "Admin::User", columns=("sold_by",)),
                Relation("lines", "Line"),
            ),
            origins=(Origin.ORM,),
            sources=(Source("", 4, 15),),
        )
    ]


def test_a_table_between_two_models() -> None:
    [_, between] = described("class User < ActiveRecord::Base\n  has_and_belongs_to_many :groups\nend\n")
    assert between.name == Name("groups_users")
    assert [(key.columns, key.table.name) for key in between.foreign_keys] == [
        (("user_id",), "users"),
        (("group_id",), "groups"),
    ]


def test_a_module_gives_the_prefix_where_it_states_one() -> None:
    text = 'module Sales\n  def self.table_name_prefix = "sales_"\n  class Person < ApplicationRecord\n  end\nend\n'
    assert names(text) == ["sales_people"]
    assert names(text.replace("def self.table_name_prefix", "x")) == []  # it may be stated in another file
    assert names("class Sales::Person < ApplicationRecord\n  self.table_name = 'staff'\nend\n") == ["staff"]


@pytest.mark.parametrize(
    "text",
    [
        "class ApplicationRecord < ActiveRecord::Base\n  primary_abstract_class\nend\n",
        "class Base < ApplicationRecord\n  self.abstract_class = true\nend\n",
        "class Admin < User\n  belongs_to :a\nend\n# ApplicationRecord\n",
        "class A < ApplicationRecord\n  self.table_name = name.upcase\nend\n",
        "class A < ApplicationRecord",
    ],
)
def test_what_maps_no_known_table_is_nothing(text: str) -> None:
    assert described(text) == []


def test_bad_statements_say_nothing() -> None:
    statements = (
        "belongs_to; enum; enum 1, 2; validates x, inclusion: { in: y }; enum :a, B; validates :c, inclusion: {}"
    )
    [table] = described(f"class A < ApplicationRecord\n  {statements}\nend\n")
    assert (table.name, table.columns, table.foreign_keys) == (Name("as"), (), ())


@pytest.mark.parametrize(
    ("one", "many"),
    [
        *(("order", "orders"), ("box", "boxes"), ("category", "categories"), ("day", "days"), ("status", "statuses")),
        *(("address", "addresses"), ("person", "people"), ("salesperson", "salespeople"), ("child", "children")),
        *(("news", "news"), ("series", "series"), ("equipment", "equipment"), ("datum", "data"), ("quiz", "quizzes")),
        *(("wife", "wives"), ("half", "halves"), ("index", "indices"), ("analysis", "analyses"), ("bus", "buses")),
        *(("tax_rate", "tax_rates"), ("node_child", "node_children"), ("move", "moves"), ("police", "police")),
    ],
)
def test_plurals(one: str, many: str) -> None:
    assert plural(one) == many
    assert singular(many) == one
    assert plural(many) == many


def test_names_of_classes() -> None:
    assert snake_case("AdminHTTPUser") == "admin_http_user"
    assert table_of_class("Admin::OrderStatus") == "order_statuses"
    assert plural("") == ""
