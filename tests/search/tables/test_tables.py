"""Rankings of tables: what each kind of evidence does to them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from coderag.encoders.encoder import EncoderIdentity, Passage, unit_rows
from coderag.index.catalog.catalog import Catalog, made_catalog, write_catalog
from coderag.index.catalog.vectors import schema_vectors
from coderag.index.storage.arrays.arrays import Array
from coderag.search.tables.phrase_expansion import phrase_expansions
from coderag.search.tables.query_expansion import expansions
from coderag.search.tables.signals import SIGNALS, Request, Signal
from coderag.search.tables.tables import TableRanking, rank_tables
from coderag.sql.records import Column, Definition, ExampleQuery, Name, Schema, Source, Table, Usage
from coderag.text.abbreviations import abbreviates
from coderag.text.asking import asked_words
from coderag.text.tokens import stem, term_hash
from tests.catalogs import catalog_of, names_of
from tests.workspace import index_file

SHOP = """
-- People who buy.
CREATE TABLE customers (id int PRIMARY KEY, full_name text, city text);
CREATE TABLE orders (
    id int PRIMARY KEY, customer_id int REFERENCES customers (id), placed_on date,
    state text CHECK (state IN ('open', 'shipped', 'cancelled'))
);
CREATE TABLE order_items (
    order_id int REFERENCES orders (id), product_id int REFERENCES products (id), quantity int, unit_price numeric
);
CREATE TABLE products (id int PRIMARY KEY, title text, weight_grams int);
CREATE TABLE warehouses (id int PRIMARY KEY, city text);
CREATE TABLE audit_log (id int PRIMARY KEY, happened_at timestamp, actor text);
"""
SCHOOL = """
CREATE TABLE students (id int PRIMARY KEY, full_name text, city text);
CREATE TABLE courses (id int PRIMARY KEY, title text);
CREATE TABLE enrolments (student_id int REFERENCES students (id), course_id int REFERENCES courses (id));
"""


def tables(catalog: Catalog, ranking: TableRanking) -> list[str]:
    """Return the names of the ranked tables."""
    return names_of(catalog, [table.table for table in ranking.tables])


def columns(catalog: Catalog, ranking: TableRanking) -> list[str]:
    """Return the ranked columns as table.column."""
    return [f"{catalog.names[column.table]}.{column.column}" for column in ranking.columns]


@pytest.mark.parametrize(
    ("question", "best"),
    [
        ("Which products weigh more than 500 grams?", ["products"]),
        ("How many orders were shipped last week?", ["orders"]),  # a value of a column
        ("people who buy", ["customers"]),  # a comment
        ("order items with a high unit price", ["order_items"]),
        ("Which student takes which course?", ["students", "courses", "enrolments"]),  # two keys lift the third
        ("unitPrice of OrderItems", ["order_items"]),
        ("customers with the most orders", ["customers", "orders"]),
    ],
)
def test_the_best_tables_come_first(tmp_path: Path, question: str, best: list[str]) -> None:
    catalog = catalog_of(tmp_path, {"shop.sql": SHOP, "school.sql": SCHOOL})
    assert sorted(tables(catalog, rank_tables(catalog, question))[: len(best)]) == sorted(best)


def test_tables_of_the_database_that_covers_the_question_come_first(tmp_path: Path) -> None:
    catalog = catalog_of(tmp_path, {"school.sql": SCHOOL, "shop.sql": SHOP})
    ranking = rank_tables(catalog, "full name and city of the customers who ordered products of a title")
    databases = [catalog.groups[catalog.group[table.table]] for table in ranking.tables]
    assert databases.index("school") > databases.index("shop")
    assert "students" not in tables(catalog, ranking)[:3]


def test_a_word_finds_a_table_with_another_ending(tmp_path: Path) -> None:
    ledger = "CREATE TABLE recurrences (id int, repeat_until date);\nCREATE TABLE transactions (id int, ends_at date);"
    catalog = catalog_of(tmp_path, {"ledger.sql": ledger, "shop.sql": SHOP})
    assert tables(catalog, rank_tables(catalog, "recurring payments of this year"))[:1] == ["recurrences"]


def test_only_allowed_tables_are_ranked(tmp_path: Path) -> None:
    catalog = catalog_of(tmp_path, {"shop.sql": SHOP, "school.sql": SCHOOL})
    allowed = catalog.group == catalog.groups.index("school")
    ranking = rank_tables(catalog, "full name of a customer", allowed=allowed)
    assert tables(catalog, ranking)[0] == "students"
    assert {catalog.groups[catalog.group[table.table]] for table in ranking.tables} == {"school"}
    nothing = rank_tables(catalog, "customers", allowed=np.zeros(len(catalog), dtype=bool))
    assert nothing == TableRanking((), (), (), ())


@pytest.mark.parametrize("question", ["", "?", "the of and", "zzyzx", "🦆", "x" * 10_000, "'; DROP TABLE orders; --"])
def test_odd_questions_are_answered(tmp_path: Path, question: str) -> None:
    catalog = catalog_of(tmp_path, {"shop.sql": SHOP})
    assert len(rank_tables(catalog, question, k=3).tables) <= 3


def test_nothing_is_found_in_an_empty_catalog(tmp_path: Path) -> None:
    write_catalog(index_file(tmp_path / "catalog.bin"), Schema())
    assert rank_tables(Catalog.open(index_file(tmp_path / "catalog.bin")), "orders") == TableRanking((), (), (), ())


def test_equal_tables_go_by_path_and_name(tmp_path: Path) -> None:
    places = [("b.sql", "t1"), ("a.sql", "t9"), ("a.sql", "t2")]
    made = tuple(Table(Name(name), columns=(Column("salary"),), sources=(Source(path, 1, 2),)) for path, name in places)
    write_catalog(index_file(tmp_path / "catalog.bin"), Schema(tables=made))
    catalog = Catalog.open(index_file(tmp_path / "catalog.bin"))
    assert tables(catalog, rank_tables(catalog, "salary")) == ["t2", "t9", "t1"]


def test_evidence_finds_what_the_question_does_not_name(tmp_path: Path) -> None:
    catalog = catalog_of(tmp_path, {"shop.sql": SHOP})
    question = "Who did it?"
    assert "audit_log" not in tables(catalog, rank_tables(catalog, question))
    assert tables(catalog, rank_tables(catalog, question, evidence="who did it refers to actor"))[0] == "audit_log"


def test_a_definition_brings_its_words_and_tables(tmp_path: Path) -> None:
    churned = Definition(
        "churned", "nothing placed for a year", synonyms=("lost buyer",), tables=(Name("customers", database="shop"),)
    )
    other = Definition("gross weight", "weight with packaging")
    catalog = catalog_of(tmp_path, {"shop.sql": SHOP}, definitions=[other, churned])
    for question in ("how many have churned", "list the lost buyers"):
        ranking = rank_tables(catalog, question)
        assert [definition.definition for definition in ranking.definitions] == [1]
        assert set(tables(catalog, ranking)[:2]) == {"customers", "orders"}
    assert rank_tables(catalog, "gross price").definitions == ()


EXAMPLES = """
-- Who are the top spenders this month?
SELECT c.full_name FROM customers c JOIN orders o ON o.customer_id = c.id JOIN order_items i ON i.order_id = o.id
GROUP BY 1 ORDER BY sum(i.quantity * i.unit_price) DESC;

-- How heavy is our catalogue?
SELECT sum(weight_grams) FROM products;
"""


def test_similar_queries_vote(tmp_path: Path) -> None:
    catalog = catalog_of(tmp_path, {"shop.sql": SHOP + EXAMPLES})
    question = "top spenders of last month"
    ranking = rank_tables(catalog, question)
    assert catalog.queries[ranking.queries[0].query].question == "Who are the top spenders this month?"
    assert set(tables(catalog, ranking)[:3]) == {"customers", "orders", "order_items"}
    assert "used by 1 similar query" in ranking.tables[0].reasons
    assert "order_items.unit_price" in columns(catalog, ranking)
    without = rank_tables(catalog, question, use_examples=False)
    assert without.queries == ()
    assert set(tables(catalog, without)[:3]) != {"customers", "orders", "order_items"}


def test_queries_of_other_databases_do_not_vote(tmp_path: Path) -> None:
    catalog = catalog_of(tmp_path, {"shop.sql": SHOP + EXAMPLES, "school.sql": SCHOOL})
    allowed = catalog.group == catalog.groups.index("school")
    assert rank_tables(catalog, "top spenders of this month", allowed=allowed).queries == ()


def test_a_question_unlike_all_examples_is_not_swayed(tmp_path: Path) -> None:
    catalog = catalog_of(tmp_path, {"shop.sql": SHOP + EXAMPLES})
    ranking = rank_tables(catalog, "Which actor is in the audit log this month?")
    assert tables(catalog, ranking)[0] == "audit_log"
    assert "examples" not in ranking.tables[0].parts


def test_columns_are_those_that_match_and_keys(tmp_path: Path) -> None:
    catalog = catalog_of(tmp_path, {"shop.sql": SHOP})
    ranking = rank_tables(catalog, "unit price of the order items of each product title", columns=10)
    found = columns(catalog, ranking)
    assert {"order_items.unit_price", "products.title"} <= set(found)
    assert {"order_items.product_id", "products.id", "order_items.order_id", "orders.id"} <= set(found)
    keys = {f"{catalog.names[column.table]}.{column.column}" for column in ranking.columns if column.key}
    assert "products.id" in keys
    assert "products.title" not in keys


def test_a_date_is_looked_for_when_a_question_asks_when(tmp_path: Path) -> None:
    catalog = catalog_of(tmp_path, {"shop.sql": SHOP})
    found = columns(catalog, rank_tables(catalog, "when was the last order of a customer", columns=10))
    assert found.index("orders.placed_on") < found.index("orders.state")


def test_tests_come_last(tmp_path: Path) -> None:
    made = tuple(
        Table(Name(name), columns=(Column("salary"),), sources=(Source(path),), labels=labels)
        for name, path, labels in (("pay", "a_test.sql", ("test",)), ("wages", "b.sql", ()))
    )
    write_catalog(index_file(tmp_path / "catalog.bin"), Schema(tables=made))
    catalog = Catalog.open(index_file(tmp_path / "catalog.bin"))
    assert tables(catalog, rank_tables(catalog, "salary")) == ["wages", "pay"]


def test_a_ranking_explains_itself(tmp_path: Path) -> None:
    catalog = catalog_of(tmp_path, {"shop.sql": SHOP, "school.sql": SCHOOL})
    ranking = rank_tables(catalog, "customers with the most orders")
    first, second = ranking.tables[:2]
    assert set(first.parts) >= {"text", "name", "database"}
    assert "customers" in first.reasons[0]
    assert f"joins with {catalog.names[first.table]}" in second.reasons
    assert second.parts["joins"] > 0
    scores = [table.score for table in ranking.tables]
    assert scores == sorted(scores, reverse=True)


def test_another_leg_can_be_added(tmp_path: Path) -> None:
    catalog = catalog_of(tmp_path, {"shop.sql": SHOP})

    def likes_products(request: Request) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
        return np.array([name == "products" for name in request.catalog.names], dtype=np.float32)

    ranking = rank_tables(catalog, "customers", signals=(*SIGNALS, Signal("taste", 5.0, likes_products)))
    assert tables(catalog, ranking)[0] == "products"
    assert ranking.tables[0].parts["taste"] == 5.0


@pytest.mark.parametrize(
    ("piece", "word", "does"),
    [
        ("wght", "weight", True),
        ("cat", "category", True),
        ("cstmr", "customer", True),
        ("cmpgn", "campaign", True),
        ("adress", "address", True),
        ("nm", "name", True),
        ("c", "customer", False),
        ("ca", "category", False),
        ("tomer", "customer", False),
        ("customer", "customer", False),
        ("wrt", "warehouse", False),
        ("dg", "damage", False),
    ],
)
def test_abbreviations_begin_alike_and_keep_the_order(piece: str, word: str, does: bool) -> None:
    assert (abbreviates(piece, word) > 0) == does


@pytest.mark.parametrize(
    ("asked", "piece"),
    [
        ("weights", "wght"),  # an abbreviation, and the plural
        ("event", "eventid"),  # a name that is not split
        ("wildfires", "fires"),  # the end of a word
        ("clients", "customer"),  # a synonym
        ("recurring", "recurrences"),  # another ending doubles the last consonant
    ],
)
def test_a_word_finds_what_stands_for_it(tmp_path: Path, asked: str, piece: str) -> None:
    made = (
        Table(
            Name("t"),
            columns=(Column("wght"), Column("eventid"), Column("fires"), Column("customer"), Column("recurrences")),
        ),
    )
    write_catalog(index_file(tmp_path / "catalog.bin"), Schema(tables=made))
    found = expansions(Catalog.open(index_file(tmp_path / "catalog.bin")), asked)
    assert term_hash(stem(piece)) in found


def stored(path: Path, *made: Table) -> Catalog:
    """Return the catalog of some tables."""
    write_catalog(index_file(path / "catalog.bin"), Schema(tables=made))
    return Catalog.open(index_file(path / "catalog.bin"))


def test_a_word_comes_before_its_abbreviations_in_other_tables(tmp_path: Path) -> None:
    catalog = stored(
        tmp_path, Table(Name("parcels"), columns=(Column("wght"),)), Table(Name("items"), columns=(Column("weight"),))
    )
    ranking = rank_tables(catalog, "weight")
    assert tables(catalog, ranking) == ["items", "parcels"]
    assert [table.reasons for table in ranking.tables] == [("holds weight",)] * 2


def test_a_database_that_has_the_word_itself_is_not_searched_for_synonyms(tmp_path: Path) -> None:
    catalog = stored(
        tmp_path, Table(Name("a"), columns=(Column("client"),)), Table(Name("b"), columns=(Column("customer"),))
    )
    ranking = rank_tables(catalog, "client")
    assert tables(catalog, ranking) == ["a", "b"]
    assert ranking.tables[1].reasons == ()  # it is what is left over


@pytest.mark.parametrize(
    ("question", "best"),
    [
        ("species of the Oregon Caves", "tlu_species_orca"),
        ("species of the Lava Beds National Monument", "tlu_species_labe"),
        ("the value added tax of a sale", "vat_rows"),
        ("how is a unit of measure written", "uom_lines"),  # the initial of what says nothing counts
        ("the position dilution of precision", "pdop_log"),
    ],
)
def test_neighbouring_words_are_abbreviated_together(tmp_path: Path, question: str, best: str) -> None:
    names = ("tlu_species_orca", "tlu_species_labe", "tlu_species_redw", "vat_rows", "uom_lines", "pdop_log")
    catalog = stored(tmp_path, *(Table(Name(name), columns=(Column("id"),)) for name in names))
    assert tables(catalog, rank_tables(catalog, question))[0] == best


def test_initials_are_for_words_that_a_database_lacks(tmp_path: Path) -> None:
    made = (Table(Name("vat"), columns=(Column("id"),)), Table(Name("taxes"), columns=(Column("id"),)))
    catalog = stored(tmp_path, *made)
    ranking = rank_tables(catalog, "value added tax")
    assert [ranking.tables[0].reasons, tables(catalog, ranking)[0]] == [("holds tax",), "taxes"]


def test_four_initials_are_no_chance_and_stop_words_may_count(tmp_path: Path) -> None:
    made = (
        Table(Name("annual_nyseslat"), columns=(Column("count"),)),
        Table(Name("assessments"), columns=(Column("state"), Column("achievement"))),
    )
    question = "the new york state english as a second language achievement test"
    catalog = stored(tmp_path, *made)
    assert tables(catalog, rank_tables(catalog, question))[0] == "annual_nyseslat"


def test_a_word_finds_its_plural_without_vowels(tmp_path: Path) -> None:
    names = ("VRTBRTS", "INVTS", "vestibules")
    catalog = stored(tmp_path, *(Table(Name(name), columns=(Column("id"),)) for name in names))
    assert tables(catalog, rank_tables(catalog, "dates of each vertebrate record"))[0] == "VRTBRTS"


def test_what_bridges_two_picks_comes_before_what_joins_one_of_them(tmp_path: Path) -> None:
    schema = """
    CREATE TABLE author (aid int PRIMARY KEY, name text);
    CREATE TABLE publication (pid int PRIMARY KEY, title text);
    CREATE TABLE cite (citing int REFERENCES publication (pid), cited int REFERENCES publication (pid));
    CREATE TABLE writes (aid int REFERENCES author (aid), pid int REFERENCES publication (pid));
    """
    catalog = catalog_of(tmp_path, {"academic.sql": schema})
    found = tables(catalog, rank_tables(catalog, "the author of each publication"))
    assert found == ["author", "publication", "writes", "cite"]


def test_names_join_more_where_no_key_is_declared(tmp_path: Path) -> None:
    plain = """
    CREATE TABLE customer (customer_id int PRIMARY KEY, city text);
    CREATE TABLE invoice (invoice_id int PRIMARY KEY, customer_id int);
    """
    lifts = []
    for name, more in (("none", ""), ("one", "CREATE TABLE log (invoice_id int REFERENCES invoice (invoice_id));")):
        (tmp_path / name).mkdir()
        catalog = catalog_of(tmp_path / name, {"shop.sql": plain + more})
        ranking = rank_tables(catalog, "city of a customer with an invoice")
        lifts.append(max(table.parts.get("joins", 0.0) for table in ranking.tables[:2]))
    assert lifts[0] > lifts[1] > 0


@given(st.lists(st.sampled_from(["unit", "of", "measure", "Oregon", "Caves", "12", "the", "vat", "tax"]), max_size=8))
def test_a_phrase_stands_for_neighbours_that_say_something(asked: list[str]) -> None:
    catalog = made_catalog(Schema(tables=(Table(Name("orca_uom"), columns=(Column("vatax"), Column("meun"))),)))
    spoken = [word.lower() for word, weight in asked_words(" ".join(asked)) if weight]
    for phrase in phrase_expansions(catalog, asked_words(" ".join(asked))):
        runs = {tuple(spoken[at : at + len(phrase.words)]) for at in range(len(spoken))}
        assert phrase.words in runs
        assert 0 < phrase.trust < 1


TOPICS = (("singer", "artist", "vocalist", "concert"), ("parcel", "shipment", "delivery"), ("doctor", "patient"))


class Topics:
    """An encoder that knows which words are about the same: one dimension a topic."""

    identity = EncoderIdentity("topics", "topics", dimensions=len(TOPICS))

    def encode_passages(self, passages: Sequence[Passage]) -> Array:
        return np.stack([self.encode_query(f"{passage.name} {passage.text}") for passage in passages])

    def encode_query(self, text: str) -> Array:
        counts = np.array([[sum(text.lower().count(word) for word in topic) for topic in TOPICS]], dtype=np.float32)
        vector: Array = unit_rows(counts)[0]
        return vector


def with_vectors(folder: Path, schema: Schema) -> Catalog:
    """Return the catalog of a schema with the vectors of its topics."""
    write_catalog(index_file(folder / "vectors.bin"), schema, vectors=schema_vectors(schema, Topics()))
    return Catalog.open(index_file(folder / "vectors.bin"))


ARTS = Schema(
    tables=(
        Table(Name("artists"), columns=(Column("id"), Column("town"))),
        Table(Name("doctors"), columns=(Column("id"), Column("town"))),
    )
)


def test_vectors_decide_between_tables_that_hold_the_same_words(tmp_path: Path) -> None:
    catalog = with_vectors(tmp_path, ARTS)
    question = "vocalists by town"
    ranking = rank_tables(catalog, question, vector=Topics().encode_query(question))
    assert tables(catalog, ranking) == ["artists", "doctors"]
    assert ranking.tables[0].parts["dense"] == 0.3
    assert "dense" not in ranking.tables[1].parts
    question = "patients by town"
    assert tables(catalog, rank_tables(catalog, question, vector=Topics().encode_query(question)))[0] == "doctors"


def test_words_alone_answer_without_a_vector_or_without_those_of_tables(tmp_path: Path) -> None:
    catalog = with_vectors(tmp_path, ARTS)
    question = "patients by town"
    without = rank_tables(catalog, question)
    write_catalog(index_file(tmp_path / "words.bin"), ARTS)
    words = Catalog.open(index_file(tmp_path / "words.bin"))
    assert rank_tables(words, question, vector=Topics().encode_query(question)) == without
    assert "dense" not in without.tables[0].parts


def test_the_nearest_table_is_no_answer_where_no_word_is_known(tmp_path: Path) -> None:
    catalog = with_vectors(tmp_path, ARTS)
    assert rank_tables(catalog, "vocalist", vector=Topics().encode_query("vocalist")).tables == ()


def test_only_tables_allowed_are_near(tmp_path: Path) -> None:
    catalog = with_vectors(tmp_path, ARTS)
    allowed = np.array([name == "doctors" for name in catalog.names])
    ranking = rank_tables(catalog, "vocalists by town", allowed=allowed, vector=Topics().encode_query("vocalists"))
    assert tables(catalog, ranking) == ["doctors"]


def test_vectors_tell_that_questions_are_alike(tmp_path: Path) -> None:
    asked = ("Which singers are known in town?", "How many parcels are late?", "Which patients did the doctor see?")
    used = ("artists", "shipments", "doctors")
    queries = tuple(
        ExampleQuery(f"SELECT {at}", question, Usage(reads=(Name(table),)))
        for at, (question, table) in enumerate(zip(asked, used, strict=True))
    )
    catalog = with_vectors(tmp_path, replace(ARTS, queries=queries))
    question = "vocalists in town"
    vector = Topics().encode_query(question)
    (words,) = rank_tables(catalog, question).queries
    ranking = rank_tables(catalog, question, vector=vector)
    assert [catalog.queries[query.query].question for query in ranking.queries] == ["Which singers are known in town?"]
    assert words.score < ranking.queries[0].score <= 1.0
    # No word in common, but about the same.
    late = rank_tables(catalog, "deliveries of shipments", vector=Topics().encode_query("delivery of shipments"))
    assert [catalog.queries[query.query].question for query in late.queries] == ["How many parcels are late?"]
    assert rank_tables(catalog, "deliveries of shipments").queries == ()
