"""A question to its schema context: all of a small schema, the best of a large one, with joins, examples and places."""

from __future__ import annotations

from pathlib import Path

import pytest

from coderag import Index, TableFilter
from coderag.errors import QueryError, SettingsError
from coderag.text.budget import tokens_of
from tests.workspace import write


@pytest.fixture(scope="module")
def shop(indexed_shop: Path) -> Index:
    return Index.open(indexed_shop)


def names(context: object) -> list[str]:
    return [table.table.name.name for table in context.tables]  # type: ignore[attr-defined]


def test_the_whole_schema_is_given_where_it_fits(shop: Index) -> None:
    context = shop.schema_context("which payments failed?", budget=20_000)
    assert context.complete
    assert len(context.tables) == len(shop.tables())
    assert names(context)[0] == "payments"
    assert (context.named, context.left_out) == ((), 0)


def test_above_the_budget_the_best_tables_come_with_their_keys(shop: Index) -> None:
    context = shop.schema_context("which payments failed, by country", budget=900)
    assert not context.complete
    assert tokens_of(context.as_ddl()) < 1_200  # the names of the other tables come on top
    assert {"payments", "orders"} <= set(names(context))
    orders = next(table for table in context.tables if table.table.name.name == "orders")
    assert {"id", "customer_id"} <= {column.name for column in orders.columns}
    assert context.named


def test_joins_are_written_with_their_places(shop: Index) -> None:
    text = shop.schema_context("payment attempts by customer", budget=20_000).as_ddl()
    assert "payment_attempts.payment_id = payments.id  (declared, schema/schema.sql:" in text
    assert "payments.order_id = orders.id  (declared, schema/schema.sql:" in text
    assert "orders.customer_id = customers.id  (declared, schema/schema.sql:" in text


def test_example_queries_and_pitfalls_are_there(shop: Index) -> None:
    context = shop.schema_context("which payments are stuck and when will they be tried again", budget=20_000)
    assert "p.next_attempt_at" in context.queries[0].text
    assert context.queries[0].source.path == "schema/queries/money.sql"
    assert context.dialect == "sqlite"
    assert any("LIMIT" in pitfall for pitfall in context.pitfalls)


def test_samples_can_be_left_out(shop: Index) -> None:
    context = shop.schema_context("outcome of payment attempts", budget=20_000)
    assert "values: 'authorized', 'declined', 'unreachable'" in context.as_ddl()
    assert "'unreachable'" not in context.as_ddl(samples=False)


def test_markdown_has_the_same(shop: Index) -> None:
    text = shop.schema_context("payment attempts", budget=20_000).as_markdown(explain=True)
    assert "### payment_attempts" in text
    assert "| payment_id | INTEGER | → payments |" in text
    assert "`schema/schema.sql:125`" in text


def test_conditions_choose_tables(shop: Index) -> None:
    assert names(shop.schema_context("anything", conditions=TableFilter(paths=("*.py",)))) == []
    everything = shop.tables(TableFilter(dialects=frozenset({"sqlite3"}), databases=frozenset({"SHOP"})))
    assert len(everything) == len(shop.tables())
    assert shop.tables(TableFilter(since="2999-01-01")) == []
    with pytest.raises(QueryError, match="no table is of the database 'shpo'; known are shop"):
        shop.tables(TableFilter(databases=frozenset({"shpo"})))


def test_all_that_is_known_of_a_table(shop: Index) -> None:
    (facts,) = shop.table("Payments")
    assert [view.name.name for view in facts.views] == ["monthly_revenue"]
    outward = [(reference.columns, reference.table.name) for reference in facts.references if reference.outward]
    assert outward == [(("order_id",), "orders")]
    assert [one.text.split(":")[0] for one in facts.table.history][:2] == [
        "created",
        "column charge_id renamed to gateway_reference",
    ]
    assert any("stuck" in query.question for query in facts.queries)


def test_what_changed_is_folded_again(tmp_path: Path) -> None:
    root = write(tmp_path / "app", {"a.sql": "CREATE TABLE a (id int PRIMARY KEY);", "b.py": "x = 1\n"})
    index = Index.build(root, workers=0)
    assert [table.name.name for table in index.tables()] == ["a"]
    write(root, {"c.sql": "CREATE TABLE c (id int, a_id int REFERENCES a (id));"})
    index.update(workers=0)
    assert sorted(table.name.name for table in index.tables()) == ["a", "c"]
    (root / "a.sql").unlink()
    index.update(workers=0)
    assert [table.name.name for table in index.tables()] == ["c"]
    catalogs = list((root / ".coderag").glob("catalog-*"))
    assert len(catalogs) == 1
    (root / "c.sql").unlink()
    index.update(workers=0)
    assert index.tables() == []
    assert not len(index.schema_context("a").tables)


def test_settings_name_dialect_database_and_environment(tmp_path: Path) -> None:
    settings = '[[schema.files]]\npath = "old/"\ndialect = "oracle"\ndatabase = "erp"\nenvironment = "prod"\n'
    files = {"old/t.sql": "CREATE TABLE t (id NUMBER(10));", "new/u.sql": "CREATE TABLE u (id int);"}
    root = write(tmp_path / "app", {**files, "coderag.toml": settings})
    index = Index.build(root, workers=0)
    table = next(one for one in index.tables() if one.name.name == "t")
    assert (table.name.database, table.dialect, table.environment) == ("erp", "oracle", "prod")
    write(root, {"coderag.toml": settings.replace("oracle", "klingon")})
    with pytest.raises(SettingsError, match="klingon"):
        index.update(workers=0)
    assert len(index.tables()) == 2  # the old index answers


def test_several_roots_are_one_catalog(tmp_path: Path) -> None:
    one = write(tmp_path / "one", {"db.sql": "CREATE TABLE orders (id int, total int);"})
    two = write(tmp_path / "two", {"db.sql": "CREATE TABLE orders (id int, weight int);"})
    Index.build(one, workers=0)
    Index.build(two, workers=0)
    index = Index.open(one, two)
    assert sorted(str(table.name) for table in index.tables()) == ["one/one.orders", "two/two.orders"]
    context = index.schema_context("weight of orders")
    assert context.tables[0].table.sources[0].path == "two/db.sql"


@pytest.mark.parametrize(
    ("sql", "said"),
    [
        ('CREATE TABLE "select" ("from" int, "a.b" text, "with ""quote" int)', '"with ""quote"'),
        ("CREATE TABLE [my table] ([größe] int)", "größe"),
    ],
)
def test_names_that_need_quotes_have_them(sql: str, said: str, tmp_path: Path) -> None:
    root = write(tmp_path / "app", {"a.sql": f"{sql};"})
    text = Index.build(root, workers=0).schema_context("table").as_ddl()
    assert said in text


def test_comments_cannot_end_the_comment(tmp_path: Path) -> None:
    sql = "CREATE TABLE t (id int COMMENT 'one\nDROP TABLE t; --', x int);"
    root = write(tmp_path / "app", {"mysql.sql": sql})
    text = Index.build(root, workers=0).schema_context("t").as_ddl()
    assert not any(line.lstrip().startswith("DROP") for line in text.splitlines())


def test_columns_that_only_case_tells_apart_are_quoted(tmp_path: Path) -> None:
    root = write(tmp_path / "shop", {"s.sql": 'CREATE TABLE t ("Name" text, name text, other int);'})
    text = Index.build(root, workers=0).schema_context("names of t").as_ddl()
    assert '  "Name" text,\n  "name" text,\n  other int' in text


def test_names_whose_case_counts_are_quoted(tmp_path: Path) -> None:
    sql = """CREATE TABLE "User" ("createdAt" timestamptz, id serial PRIMARY KEY);
    CREATE TABLE Posts (Id serial NOT NULL, "userId" int REFERENCES "User" (id));"""
    root = write(tmp_path / "app", {"postgres.sql": sql})
    text = Index.build(root, workers=0).schema_context("posts of a user").as_ddl()
    assert 'CREATE TABLE "User" (\n  "createdAt" timestamptz,\n  id serial PRIMARY KEY\n' in text
    assert 'CREATE TABLE Posts (\n  Id serial NOT NULL,\n  "userId" int REFERENCES "User" (id)\n' in text
    assert 'Posts."userId" = "User".id' in text


def test_tables_of_other_databases_are_counted_and_not_named(tmp_path: Path) -> None:
    shop = "".join(f"CREATE TABLE order_part{letter} (id int, weight int);\n" for letter in "abcdefgh")
    zoo = "CREATE TABLE animals (id int);\nCREATE TABLE cages (id int);\n"
    root = write(tmp_path / "app", {"shop.sql": shop, "zoo.sql": zoo + shop.replace("order", "cage")})
    context = Index.build(root, workers=0).schema_context("weight of order part a", budget=80)
    assert {one.table.name.database for one in context.tables} == {"shop"}
    assert {table.name.database for table in context.named} == {"shop"}
    assert len(context.tables) + len(context.named) + context.left_out == 18


def test_what_a_migration_takes_back_is_not_applied(tmp_path: Path) -> None:
    first = "-- +goose Up\nCREATE TABLE a (id int);\n-- +goose Down\nDROP TABLE a;\n"
    second = "-- +goose Up\nALTER TABLE a ADD COLUMN b int;\n-- +goose Down\nALTER TABLE a DROP COLUMN b;\n"
    root = write(tmp_path / "app", {"migrations/0001_a.sql": first, "migrations/0002_b.sql": second})
    (table,) = Index.build(root, workers=0).tables()
    assert [column.name for column in table.columns] == ["id", "b"]
    assert [change.migration for change in table.history] == ["0001_a", "0002_b"]


@pytest.mark.parametrize("between", [",\n", ", "])
def test_rows_of_data_are_no_text_to_find(between: str, tmp_path: Path) -> None:
    rows = between.join(f"({number}, 'name{number}x')" for number in range(20_000))
    sql = f"CREATE TABLE t (id int, n text);\nINSERT INTO t VALUES\n{rows};\nCREATE TABLE u (id int);\n"
    root = write(tmp_path / "app", {"dump.sql": sql})
    index = Index.build(root, workers=0)
    assert [table.name.name for table in index.tables()] == ["t", "u"]
    assert index.tables()[1].sources[0].start_line == sql[: sql.index("CREATE TABLE u")].count("\n") + 1
    assert all("name19999x" not in chunk.text for chunk in index.chunks("dump.sql"))


def test_values_of_queries_are_masked_where_the_settings_say_so(tmp_path: Path) -> None:
    settings = '[[schema.files]]\npath = "logs/*.csv"\nread = "querylog"\nmask_literals = true\n'
    log = "query,calls\n\"SELECT id FROM t WHERE name = 'Ann Smith'\",7\n"
    files = {"coderag.toml": settings, "logs/slow.csv": log, "t.sql": "CREATE TABLE t (id int, name text);"}
    root = write(tmp_path / "app", files)
    (facts,) = Index.build(root, workers=0).table("t")
    assert facts.queries[0].calls == 7
    assert "Ann" not in facts.queries[0].text
    index = Index.open(root)
    assert all("Ann" not in hit.chunk.text for hit in index.search("Ann Smith"))
