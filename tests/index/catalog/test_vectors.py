"""Vectors of schemas: what is embedded, and that each stays with its table and query."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from coderag import Index
from coderag.encoders.encoder import Array, EncoderIdentity, Passage, unit_rows
from coderag.encoders.static import shipped_encoder
from coderag.errors import RetrievalWarning
from coderag.index.catalog.catalog import Catalog, joined_catalog, write_catalog
from coderag.index.catalog.vectors import SchemaVectors, joined_vectors, query_passage, schema_vectors, table_passage
from coderag.index.storage.folder.index_path import IndexPath
from coderag.index.storage.manifest import read_manifest
from coderag.sql.records import Column, ExampleQuery, Name, Schema, Source, Table
from tests.workspace import index_file, write


class Letters:
    """An encoder of the letters that a text holds."""

    identity = EncoderIdentity("letters", "letters", dimensions=26)

    def encode_passages(self, passages: Sequence[Passage]) -> Array:
        return unit_rows(
            np.array([[passage.text.lower().count(chr(97 + at)) for at in range(26)] for passage in passages])
        )

    def encode_query(self, text: str) -> Array:
        vector: Array = self.encode_passages([Passage("", "", "", text)])[0]
        return vector


SCHEMA = Schema(
    tables=(
        Table(Name("zebras", "", "zoo"), columns=(Column("id"),), sources=(Source("z.sql", 1, 2),)),
        Table(Name("bees", "", "farm"), columns=(Column("id"),), sources=(Source("b.sql", 1, 2),)),
    ),
    queries=(ExampleQuery("SELECT 1", "how many zebras?"), ExampleQuery("SELECT 2"), ExampleQuery("SELECT 3", "bees?")),
)


def opened(path: Path, schema: Schema, vectors: SchemaVectors | None) -> Catalog:
    """Return a catalog that was written and read."""
    write_catalog(index_file(path), schema, vectors=vectors)
    return Catalog.open(index_file(path))


def test_a_table_is_embedded_with_its_names_before_what_they_hold() -> None:
    columns = (Column("state", comment="open or shipped", values=("open", "shipped")), Column("id"))
    table = Table(Name("orders", "sales", "shop"), columns=columns, comment="What was bought.", alias="Order")
    passage = table_passage(table)
    assert (passage.name, passage.scope, passage.path) == ("orders", "shop.sales", "")
    assert passage.text.split("\n") == [
        "orders Order",
        "What was bought.",
        "state, id",
        "open or shipped open shipped",
    ]
    assert query_passage(SCHEMA.queries[0]).text == "how many zebras?"


def test_each_vector_stays_with_its_table_and_query(tmp_path: Path) -> None:
    catalog = opened(tmp_path / "a.bin", SCHEMA, schema_vectors(SCHEMA, Letters()))
    assert catalog.names == ["bees", "zebras"]  # by database
    assert catalog.table_vectors is not None
    assert catalog.query_vectors is not None
    places = [chr(97 + at) for at in range(26)]
    assert [int(row[places.index("z")]) > 0 for row in catalog.table_vectors.rows] == [False, True]
    assert [int(row[places.index("z")]) > 0 for row in catalog.query_vectors.rows] == [True, False, False]
    assert catalog.query_vectors.lengths.tolist()[1] == 0  # it has no question


def test_catalogs_of_one_encoder_are_joined_with_their_vectors(tmp_path: Path) -> None:
    first, second = tmp_path / "a.bin", tmp_path / "b.bin"
    other = Schema(tables=(Table(Name("ants", "", "hill"), columns=(Column("id"),)),))
    vectors, others = schema_vectors(SCHEMA, Letters()), schema_vectors(other, Letters())
    write_catalog(index_file(first), SCHEMA, vectors=vectors)
    write_catalog(index_file(second), other, vectors=others)
    joined = joined_catalog({"one": Catalog.open(index_file(first)), "two": Catalog.open(index_file(second))})
    assert joined.table_vectors is not None
    assert joined.query_vectors is not None
    assert joined.names == ["bees", "ants", "zebras"]
    expected = np.stack([vectors.tables[1], others.tables[0], vectors.tables[0]])
    assert np.array_equal(joined.table_vectors.rows, expected)
    assert len(joined.query_vectors) == 3
    write_catalog(index_file(second), other)
    assert (
        joined_catalog({"one": Catalog.open(index_file(first)), "two": Catalog.open(index_file(second))}).table_vectors
        is None
    )


def test_vectors_of_different_encoders_are_not_joined() -> None:
    vectors = schema_vectors(SCHEMA, Letters())
    assert joined_vectors([vectors, SchemaVectors("another", vectors.tables, vectors.queries)]) is None
    assert joined_vectors([]) is None


def test_the_shipped_encoder_embeds_questions_and_no_tables(tmp_path: Path) -> None:
    catalog = opened(tmp_path / "a.bin", SCHEMA, schema_vectors(SCHEMA, shipped_encoder()))
    assert catalog.table_vectors is None
    assert catalog.query_vectors is not None
    assert len(catalog.query_vectors) == 3


ROOT = {
    "schema.sql": "CREATE TABLE orders (id int PRIMARY KEY, state text);\nCREATE TABLE parcels (id int);\n",
    "report.sql": "-- Which orders were shipped?\nSELECT id FROM orders WHERE state = 'shipped';\n",
}


def test_an_index_has_the_vectors_that_its_encoder_makes(tmp_path: Path) -> None:
    root = write(tmp_path / "root", ROOT)
    index = Index.build(root, workers=0)
    assert index.catalog.query_vectors is not None
    key = read_manifest(IndexPath(root / ".coderag")).vectors
    assert index.catalog.arrays["vectors_key"].tobytes().decode() == key
    ranking = index.table_ranking("which of the orders have been shipped", k=1)
    assert [index.catalog.names[table.table] for table in ranking.tables] == ["orders"]
    assert [index.catalog.queries[query.query].question for query in ranking.queries] == ["Which orders were shipped?"]
    index.update(encoder="none", workers=0)
    assert index.catalog.query_vectors is None
    words = index.table_ranking("which of the orders have been shipped", k=1)
    assert [table.table for table in words.tables] == [table.table for table in ranking.tables]


def test_roots_of_different_encoders_are_ranked_by_words(tmp_path: Path) -> None:
    roots = [write(tmp_path / name, ROOT) for name in ("one", "two")]
    Index.build(roots[0], workers=0)
    Index.build(roots[1], workers=0, encoder="none")
    index = Index.open(*roots)
    with pytest.warns(RetrievalWarning, match="different encoders"):
        ranking = index.table_ranking("orders", k=2)
    assert [index.catalog.names[table.table] for table in ranking.tables] == ["orders", "orders"]
