"""An opened index to the columns of each of its tables, read when they are asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property

from coderag.graph.graph import Graph
from coderag.index.catalog.catalog import Catalog
from coderag.index.history.history import History
from coderag.index.reader.corpus import Corpus
from coderag.record import record
from coderag.relational.rows.arrays import Columns
from coderag.relational.rows.chunks import ChunkNumbers, chunk_columns, documentation_columns
from coderag.relational.rows.files import FileNumbers, file_columns
from coderag.relational.rows.graph import SymbolNumbers, edge_columns, symbol_columns
from coderag.relational.rows.history import change_columns, commit_columns
from coderag.relational.rows.schema import (
    SchemaRows,
    column_columns,
    foreign_key_columns,
    query_columns,
    table_columns,
)

__all__ = ["Contents", "IndexSources"]


@record
class IndexSources:
    """One version of an index, as much of it as the caller may see."""

    corpus: Corpus
    graphs: Callable[[], Mapping[str, Graph]]  # by repository
    catalogs: Callable[[], Mapping[str, Catalog]]  # by repository; of those that have one
    histories: Callable[[], Mapping[str, History]]  # by repository; of those that have one


class Contents:
    """The columns of the tables of an index."""

    def __init__(self, sources: IndexSources) -> None:
        self._sources = sources
        self._files = FileNumbers(sources.corpus)
        self._chunks = ChunkNumbers(self._files)

    @cached_property
    def _symbols(self) -> SymbolNumbers:
        return SymbolNumbers(self._sources.graphs())

    @cached_property
    def _schema(self) -> SchemaRows:
        return SchemaRows(self._sources.catalogs(), self._symbols)

    @cached_property
    def _histories(self) -> Mapping[str, History]:
        return self._sources.histories()

    def columns(self, table: str) -> Columns:
        """Return the columns of a table; raises IndexDamagedError."""
        readers: Mapping[str, Callable[[], Columns]] = {
            "files": lambda: file_columns(self._files),
            "chunks": lambda: chunk_columns(self._chunks),
            "documentation": lambda: documentation_columns(self._chunks),
            "symbols": lambda: symbol_columns(self._symbols, self._chunks),
            "edges": lambda: edge_columns(self._symbols),
            "tables": lambda: table_columns(self._schema),
            "columns": lambda: column_columns(self._schema),
            "foreign_keys": lambda: foreign_key_columns(self._schema),
            "queries": lambda: query_columns(self._schema),
            "commits": lambda: commit_columns(self._histories),
            "changes": lambda: change_columns(self._histories, self._files),
        }
        return readers[table]()
