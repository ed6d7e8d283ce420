"""The files of a dbt project to operations, and the project as a whole to tables."""

from __future__ import annotations

import json

import pytest

from coderag.catalog.fold import fold
from coderag.frameworks.dbt import read_dbt
from coderag.frameworks.dbt.docs import read_docs
from coderag.frameworks.dbt.jinja import fill_holes, render
from coderag.frameworks.dbt.project import in_projects
from coderag.sql.records import AddDefinition, CreateRoutine, CreateTable, Describe, Facts, SchemaFile, Table
from coderag.sql.settings import Settings

ORDERS_SQL = """\
-- One row per order.
{{ config(materialized='table', alias='fct_orders') }}

with orders as (
    select * from {{ ref('stg_orders') }}
),
payments as (
    select order_id, sum(amount) as paid
    from {{ source('stripe', 'payment') }}
    {% if is_incremental() %} where loaded_at > (select max(loaded_at) from {{ this }}) {% endif %}
    group by 1
)
select orders.order_id, orders.customer_id, payments.paid, {{ cents('paid') }} as paid_cents
from orders left join payments on payments.order_id = orders.order_id
"""
ORDERS_YML = """\
version: 2
models:
  - name: fct_orders
    description: Orders as finance sees them. {{ doc("orders_note") }}
    config: {group: finance}
    columns:
      - name: order_id
        data_tests: [unique, not_null]
      - name: customer_id
        description: who ordered
        tests:
          - relationships: {to: ref('customers'), field: id}
      - name: status
        data_type: text
        tests:
          - accepted_values:
              arguments: {values: [placed, shipped]}
sources:
  - name: stripe
    tables:
      - name: payment
        description: Payments as Stripe tells them.
        columns: [{name: order_id}, {name: amount}]
semantic_models:
  - name: orders
    model: ref('fct_orders')
    measures:
      - {name: revenue, agg: sum, expr: paid, description: What was paid.}
metrics:
  - name: total_revenue
    label: Total revenue
    description: All that was paid.
    type: simple
    type_params: {measure: revenue}
"""


def table_of(facts: Facts) -> Table:
    (operation,) = [one for one in facts.operations if isinstance(one, CreateTable | Describe)]
    return operation.table


def test_a_model_is_a_table_with_columns_lineage_and_what_it_reads() -> None:
    facts = read_dbt(ORDERS_SQL.encode(), path="models/orders.sql")
    table = table_of(facts)
    assert (str(table.name), table.kind, table.comment) == ("fct_orders", "table", "One row per order.")
    assert [column.name for column in table.columns] == ["order_id", "customer_id", "paid", "paid_cents"]
    assert [str(name) for name in table.usage.reads] == ["stg_orders", "stripe.payment"]
    assert {one.column: [f"{use.tables[0]}.{use.column}" for use in one.sources] for one in table.lineage}["paid"] == [
        "stripe.payment.amount"
    ]


def test_properties_describe_test_and_define() -> None:
    facts = read_dbt(ORDERS_YML.encode(), path="models/orders.yml")
    described, source, *rest = facts.operations
    assert isinstance(described, Describe)
    table = described.table
    assert (table.primary_key, table.domain, table.sources[0].start_line) == (("order_id",), "finance", 3)
    assert [(key.columns, str(key.table), key.referenced, str(key.evidence)) for key in table.foreign_keys] == [
        (("customer_id",), "customers", ("id",), "model")
    ]
    assert [(column.name, column.nullable, column.values) for column in table.columns] == [
        ("order_id", False, ()),
        ("customer_id", True, ()),
        ("status", True, ("placed", "shipped")),
    ]
    assert isinstance(source, CreateTable)
    assert str(source.table.name) == "stripe.payment"
    terms = {one.definition.term: one.definition for one in rest if isinstance(one, AddDefinition)}
    assert (terms["total_revenue"].expression, terms["total_revenue"].synonyms) == ("SUM(paid)", ("Total revenue",))
    assert terms["revenue"].text == "What was paid."


def test_macros_seeds_snapshots_and_tests() -> None:
    macro = read_dbt(b"{% macro cents(column, digits=2) %} {{ column }} * 100 {% endmacro %}", path="macros/cents.sql")
    (operation,) = macro.operations
    assert isinstance(operation, CreateRoutine)
    parameters = [(parameter.name, parameter.default) for parameter in operation.routine.parameters]
    assert (str(operation.routine.name), parameters) == ("cents", [("column", ""), ("digits", "2")])
    seed = table_of(read_dbt(b"code,name,email\nDE,Germany,a@b.de\nFR,France,c@d.fr\n", path="seeds/countries.csv"))
    assert [(column.name, column.values) for column in seed.columns][:2] == [
        ("code", ("DE", "FR")),
        ("name", ("Germany", "France")),
    ]
    assert "a@b.de" not in str(seed)
    snapshot = table_of(
        read_dbt(b"{% snapshot orders_then %} select id from {{ ref('o') }} {% endsnapshot %}", path="s.sql")
    )
    assert (str(snapshot.name), [column.name for column in snapshot.columns]) == ("orders_then", ["id"])


@pytest.mark.parametrize(
    ("template", "sql"),
    [
        ("select * from {{ ref('a') }}", "select * from a"),
        ("select * from {{ ref('pkg', 'a') }}", "select * from a"),
        ("select * from {{ source('raw', 'a') }}", "select * from raw.a"),
        ("{% set days = [1, 2] %}select {% for d in days %}d{{ d }}, {% endfor %}x", "select d1, d2, x"),
        ("select {{ dbt_utils.star(ref('a')) }} from t", "select * from t"),
        ("select {{ unknown.macro(1)['x'] }} from t", "select jinja_value from t"),
        ("{% if var('x', false) %}a{% else %}b{% endif %}", "b"),
    ],
)
def test_templates_are_filled_in(template: str, sql: str) -> None:
    assert render(template).sql == sql


@pytest.mark.parametrize(
    "template",
    [
        "{% for i in range(1000000000) %}x{% endfor %}",
        "{{ 'x' * 1000000000 }}",
        "{{ ''.__class__.__mro__[1].__subclasses__() }}",
        "{{ config.__init__.__globals__ }}",
        "{% include '/etc/passwd' %}",
        "{% macro a() %}{{ a() }}{% endmacro %}{{ a() }}",
        "{{ 1 / 0 }}",
        "{% if %}",
    ],
)
def test_hostile_templates_end_and_reach_nothing(template: str) -> None:
    sql = render(f"select 1 from {{{{ ref('a') }}}} {template}").sql
    assert len(sql) < 10_000
    assert "root:" not in sql
    assert "class" not in sql


def test_holes_are_filled_by_pattern_where_rendering_fails() -> None:
    template = "select {{ broken( }} from {{ ref('a') }} {% if x %} where b {% else %} where c {% endif %} {# note #}"
    assert fill_holes(template).split() == ["select", "jinja_value", "from", "a", "where", "b"]


def test_a_manifest_comes_before_what_is_read_from_the_files() -> None:
    manifest = {
        "metadata": {"adapter_type": "snowflake", "project_name": "shop"},
        "macros": {},
        "nodes": {
            "model.shop.orders": {
                "unique_id": "model.shop.orders",
                "resource_type": "model",
                "name": "orders",
                "alias": "fct_orders",
                "original_file_path": "models/orders.sql",
                "description": "From the manifest.",
                "config": {"materialized": "incremental"},
                "columns": {"order_id": {"name": "order_id", "data_type": "number"}},
                "depends_on": {"nodes": ["source.shop.raw.o"]},
            },
            "test.shop.unique": {
                "resource_type": "test",
                "attached_node": "model.shop.orders",
                "column_name": "order_id",
                "test_metadata": {"name": "unique", "kwargs": {}},
            },
        },
        "sources": {
            "source.shop.raw.o": {
                "unique_id": "source.shop.raw.o",
                "resource_type": "source",
                "source_name": "raw",
                "name": "o",
                "original_file_path": "models/src.yml",
            }
        },
    }
    texts = {
        "dbt/dbt_project.yml": "name: shop\n",
        "dbt/models/orders.sql": ORDERS_SQL,
        "dbt/target/manifest.json": json.dumps(manifest),
    }
    files = [SchemaFile(path, read_dbt(text.encode(), path=path)) for path, text in texts.items()]
    schema = fold(in_projects(files), Settings())
    table = next(one for one in schema.tables if one.name.name == "fct_orders")
    assert (table.name.database, table.dialect) == ("shop", "snowflake")
    assert table.comment.startswith("From the manifest.")
    assert (table.primary_key, table.columns[0].type) == (("order_id",), "number")
    assert {column.name for column in table.columns} == {"order_id", "customer_id", "paid", "paid_cents"}


def test_doc_blocks_stand_in_descriptions() -> None:
    docs = read_docs(b"# Notes\n\n{% docs orders_note %}\nRefunds are rows too.\n{% enddocs %}\n")
    files = [
        SchemaFile("dbt_project.yml", read_dbt(b"name: shop\n", path="dbt_project.yml")),
        SchemaFile("models/orders.yml", read_dbt(ORDERS_YML.encode(), path="models/orders.yml")),
        SchemaFile("models/notes.md", Facts(guess="dbt docs", operations=docs)),
    ]
    schema = fold(in_projects(files), Settings())
    (table,) = [one for one in schema.tables if one.name.name == "fct_orders"]
    assert table.comment == "Orders as finance sees them. Refunds are rows too."


@pytest.mark.parametrize("data", [b"models: [", b"- a\n- b", b"\xff\xfe", b"models: {name: 3}", b"a: &a [*a]", b""])
def test_strange_yaml_is_lost_or_says_nothing(data: bytes) -> None:
    facts = read_dbt(data, path="models/x.yml")
    assert not facts.operations


@pytest.mark.slow
def test_an_alias_bomb_does_not_explode() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 10)]
    facts = read_dbt("\n".join(lines).encode(), path="models/x.yml")
    assert "too much" in facts.unparsed[0].reason
