"""A schema to the vectors by which questions find its tables and example queries.

Tables have vectors only of models that read words in their context. What a static model adds to words that are
weighed, abbreviated and looked up among synonyms is within the noise on all public sets that were tried.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from coderag.encoders.encoder import Encoder, Passage, quantised
from coderag.index.storage.arrays.arrays import Array
from coderag.index.storage.vectors import Vectors, lengths_of
from coderag.record import record
from coderag.sql.records import ExampleQuery, Schema, Table

__all__ = ["SchemaVectors", "joined_vectors", "query_passage", "schema_vectors", "table_passage", "vectors_in"]

WITHOUT_CONTEXT = frozenset({"static"})  # kinds of encoders for which a text is the sum of its words
BATCH = 512  # passages handed to an encoder at a time
MAX_COLUMNS = 200  # of a table; encoders read a few hundred words
MAX_COMMENT, MAX_VALUES = 200, 5  # characters of a column's comment, values of a column


@record
class SchemaVectors:
    """The vectors of a schema, in the order of its tables and queries."""

    key: str  # of the encoder that made them
    tables: Array  # i8[tables, dimensions], or no row at all
    queries: Array  # i8[queries, dimensions]; zeros for those without a question

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array]) -> SchemaVectors | None:
        """Return what `arrays` gave, None if there are none."""
        if "vectors_key" not in arrays:
            return None
        return cls(arrays["vectors_key"].tobytes().decode(), arrays["table_vectors"], arrays["query_vectors"])

    def arrays(self) -> dict[str, Array]:
        """Return the arrays under their names in a catalog."""
        return {
            "vectors_key": np.frombuffer(self.key.encode(), dtype=np.uint8),
            "table_vectors": self.tables,
            "table_lengths": lengths_of(self.tables),
            "query_vectors": self.queries,
            "query_lengths": lengths_of(self.queries),
        }

    def ordered(self, tables: Sequence[int]) -> SchemaVectors:
        """Return them with the tables in another order, given by their places in this one."""
        if not len(self.tables):
            return self
        return replace(self, tables=self.tables[np.array(tables, dtype=np.int64)])


def schema_vectors(schema: Schema, encoder: Encoder) -> SchemaVectors:
    """Return the vectors of a schema; raises EncoderError when the encoder cannot answer."""
    tables = () if encoder.identity.kind in WITHOUT_CONTEXT else schema.tables
    return SchemaVectors(
        encoder.identity.key,
        _rows([table_passage(table) for table in tables], encoder),
        _rows([query_passage(query) for query in schema.queries], encoder),
    )


def joined_vectors(parts: Sequence[SchemaVectors | None]) -> SchemaVectors | None:
    """Return the vectors of several schemas in a row, None unless one encoder made all of them."""
    present = [part for part in parts if part is not None]
    if not present or len(present) < len(parts) or len({part.key for part in present}) > 1:
        return None
    tables, queries = (np.concatenate([getattr(part, name) for part in present]) for name in ("tables", "queries"))
    return SchemaVectors(present[0].key, tables, queries)


def vectors_in(arrays: Mapping[str, Array], unit: str) -> Vectors | None:
    """Return the vectors of the tables or queries of a catalog ("table", "query"), None if it has none."""
    if f"{unit}_vectors" not in arrays or not len(arrays[f"{unit}_vectors"]):
        return None
    return Vectors(arrays[f"{unit}_vectors"], arrays[f"{unit}_lengths"])


def table_passage(table: Table) -> Passage:
    """Return what is embedded of a table: its names and comment, its columns, and what they hold."""
    name = table.name
    scope = ".".join(part for part in (name.database, name.schema) if part)
    return Passage(name.name, scope, "", "\n".join(_told(table)))


def _told(table: Table) -> Iterator[str]:
    columns = table.columns[:MAX_COLUMNS]
    yield f"{table.name.name} {table.alias}".strip()
    yield table.comment
    # All names first: what an encoder cuts off should be the least.
    yield ", ".join(column.name for column in columns)
    for column in columns:
        if column.comment or column.values:
            yield f"{column.comment[:MAX_COMMENT]} {' '.join(column.values[:MAX_VALUES])}".strip()


def query_passage(query: ExampleQuery) -> Passage:
    """Return what is embedded of an example query: its question alone, as it is compared with others."""
    return Passage("", "", "", query.question)


def _rows(passages: Sequence[Passage], encoder: Encoder) -> Array:
    batches = [passages[begin : begin + BATCH] for begin in range(0, len(passages), BATCH)]
    rows = [quantised(encoder.encode_passages(batch)) for batch in batches]
    return np.concatenate(rows) if rows else np.zeros((0, encoder.identity.dimensions), dtype=np.int8)
