"""A schema to one file that is opened in milliseconds: its units, and what ranking needs to know of them.

Units (tables, relations, queries, definitions, routines, types, databases, problems) are JSON records with their
offsets, decoded when they are asked for. Everything else is arrays: names, paths and properties of tables, columns,
the graph of joins, postings (coderag.index.catalog.schema_postings) and vectors (coderag.index.catalog.vectors).

Tables are numbered by database, then path, line and name; columns are numbered over all tables, in order.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Generic, TypeVar, overload

import msgspec
import numpy as np

from coderag.catalog.merged import merged
from coderag.decoding import json_decoder
from coderag.errors import IndexDamagedError, IndexFormatError
from coderag.index.catalog.arrays import CATALOG_FORMAT, catalog_arrays
from coderag.index.catalog.files import FileDatabases
from coderag.index.catalog.join_graph import EVIDENCE, Relation
from coderag.index.catalog.near_copies import CopyFamily, copy_families
from coderag.index.catalog.vectors import SchemaVectors, joined_vectors, vectors_in
from coderag.index.storage.arrays.arrays import Array, open_arrays, write_arrays
from coderag.index.storage.arrays.specs import check_arrays, in_order
from coderag.index.storage.arrays.stored import CATALOG, WITH_VECTORS
from coderag.index.storage.arrays.strings import Strings
from coderag.index.storage.folder.index_path import IndexPath
from coderag.index.storage.postings import Postings
from coderag.index.storage.record_json import decode_record
from coderag.index.storage.vectors import Vectors
from coderag.sql.records import (
    Database,
    Definition,
    Evidence,
    ExampleQuery,
    Name,
    Routine,
    Schema,
    SchemaProblem,
    Table,
    TypeDefinition,
)

__all__ = ["Catalog", "Units", "joined_catalog", "made_catalog", "write_catalog"]

DECLARED = [EVIDENCE.index(evidence) for evidence in (Evidence.DECLARED, Evidence.MODEL)]
MULTIPLE = ("path", "label")  # the properties of which a table may have several

Unit = TypeVar("Unit", bound=msgspec.Struct)


def write_catalog(path: IndexPath, schema: Schema, *, vectors: SchemaVectors | None = None) -> None:
    """Write a schema, with vectors of it, to a new file; the caller syncs and renames what it belongs to."""
    write_arrays(path, catalog_arrays(schema, vectors))


def made_catalog(schema: Schema, *, vectors: SchemaVectors | None = None) -> Catalog:
    """Return the catalog of a schema, with vectors of it, without a file."""
    return Catalog(catalog_arrays(schema, vectors))


def joined_catalog(catalogs: Mapping[str, Catalog]) -> Catalog:
    """Return a catalog as it is, or several as one: then databases and files carry the names given with them.

    Several have vectors where the same encoder made those of each.
    """
    if len(catalogs) == 1:
        return next(iter(catalogs.values()))
    schema = merged({name: one.schema() for name, one in catalogs.items()})
    vectors = joined_vectors([SchemaVectors.from_arrays(catalog.arrays) for catalog in catalogs.values()])
    return made_catalog(schema, vectors=vectors)


class Units(Sequence[Unit], Generic[Unit]):
    """Records that are decoded when they are asked for, and kept then."""

    def __init__(self, arrays: Mapping[str, Array], prefix: str, kind: type[Unit]) -> None:
        self._blob = arrays[f"{prefix}_json"]
        self._offsets = arrays[f"{prefix}_json_offsets"]
        self._decoder = json_decoder(kind)
        self._known: dict[int, Unit] = {}

    def __len__(self) -> int:
        return len(self._offsets) - 1

    @overload
    def __getitem__(self, index: int) -> Unit: ...
    @overload
    def __getitem__(self, index: slice) -> list[Unit]: ...
    def __getitem__(self, index: int | slice) -> Unit | list[Unit]:
        """Return a record, or several; raises IndexDamagedError when one is not what was written."""
        if isinstance(index, slice):
            return [self[number] for number in range(*index.indices(len(self)))]
        number = index + len(self) if index < 0 else index
        if not 0 <= number < len(self):
            raise IndexError(index)
        if (known := self._known.get(number)) is not None:
            return known
        begin, end = int(self._offsets[number]), int(self._offsets[number + 1])
        try:
            unit = decode_record(self._blob[begin:end].tobytes(), self._decoder)
        except msgspec.MsgspecError as error:
            raise IndexDamagedError(f'the schema catalog is damaged: {error}; run "coderag index"') from error
        self._known[number] = unit
        return unit

    def __iter__(self) -> Iterator[Unit]:
        return (self[number] for number in range(len(self)))


class Catalog:
    """An opened catalog; numbers of tables, columns, queries and definitions are positions in it."""

    def __init__(self, arrays: Mapping[str, Array]) -> None:
        self.arrays = arrays
        self.tables = Units(arrays, "table", Table)
        self.relations = Units(arrays, "relation", Relation)
        self.databases = Units(arrays, "database", Database)
        self.queries = Units(arrays, "query", ExampleQuery)
        self.definitions = Units(arrays, "definition", Definition)
        self.routines = Units(arrays, "routine", Routine)
        self.types = Units(arrays, "type", TypeDefinition)
        self.problems = Units(arrays, "problem", SchemaProblem)
        self.group: Array = arrays["table_group"]  # u32[tables]: the database of each, ascending
        self.tie: Array = arrays["table_tie"]  # u32[tables]: the place of each by path and name
        self.column_flags: Array = arrays["column_flags"]  # u8[columns]: PRIMARY, FOREIGN, REFERRED

    @classmethod
    def open(cls, path: IndexPath, held: Array | None = None) -> Catalog:
        """Open a file without reading it (of `held_file`, where it was called before).

        Raises IndexDamagedError, and IndexFormatError for another format.
        """
        arrays = open_arrays(path, held)
        vectors = arrays["format"].tolist()[:1] if "format" in arrays else []
        if vectors != [CATALOG_FORMAT]:
            raise IndexFormatError(
                f"{path} has format {vectors[0] if vectors else 'none'}, this version reads {CATALOG_FORMAT}; "
                'run "coderag index"'
            )
        check_arrays(path, arrays, WITH_VECTORS if "vectors_key" in arrays else CATALOG)
        catalog = cls(arrays)
        if (vectors := catalog.table_vectors) is not None and len(vectors) != len(catalog):
            raise IndexDamagedError(f'{path} is damaged: some tables have no vector; run "coderag index"')
        return catalog

    def __len__(self) -> int:
        """Return how many tables there are."""
        return len(self.tables)

    def schema(self) -> Schema:
        """Return everything as one record, tables in order of their numbers."""
        return Schema(
            tuple(self.databases),
            tuple(self.tables),
            tuple(self.routines),
            tuple(self.types),
            tuple(self.queries),
            tuple(self.definitions),
            tuple(self.problems),
        )

    def find(self, name: str, *, database: str = "") -> list[int]:
        """Return the tables called so, in any case: by their name alone, or with schema and database before it."""
        wanted = name.casefold()
        found = []
        for number, own in enumerate(self.names):
            if not wanted.endswith(own.casefold()):
                continue
            table_name = self.tables[number].name
            spoken = {str(table_name), str(Name(table_name.name, table_name.schema)), table_name.name}
            spoken.add(str(Name(table_name.name, "", table_name.database)))
            at_home = not database or table_name.database.casefold() == database.casefold()
            if at_home and wanted in {one.casefold() for one in spoken}:
                found.append(number)
        return found

    @cached_property
    def names(self) -> list[str]:
        """The name of each table without schema and database."""
        return Strings(self.arrays["table_name_blob"], self.arrays["table_name_offsets"]).all()

    @cached_property
    def groups(self) -> list[str]:
        """The names of the databases that have tables, by the numbers in `group`."""
        return Strings(self.arrays["group_blob"], self.arrays["group_offsets"]).all()

    @cached_property
    def group_starts(self) -> Array:
        """The first table of each database that has any."""
        return np.searchsorted(self.group, np.arange(len(self.arrays["group_offsets"]) - 1))

    @cached_property
    def declares_keys(self) -> Array:
        """Which databases declare how tables join, in their schema or in models, bool[databases]."""
        starts, evidence = self.arrays["link_starts"].astype(np.int64), self.arrays["link_evidence"]
        owners = np.repeat(self.group, starts[1:] - starts[:-1])
        declared = np.zeros(len(self.arrays["group_offsets"]) - 1, dtype=bool)
        declared[owners[np.isin(evidence, DECLARED)]] = True
        return declared

    @cached_property
    def column_names(self) -> list[str]:
        """The name of each column."""
        return Strings(self.arrays["column_name_blob"], self.arrays["column_name_offsets"]).all()

    @cached_property
    def column_starts(self) -> Array:
        """The first column of each table, and behind the last, u32[tables + 1]."""
        return in_order(self.arrays["column_starts"], len(self.column_flags), what="the columns of a table")

    @cached_property
    def column_table(self) -> Array:
        """The table of each column, i64[columns]."""
        return np.repeat(np.arange(len(self)), self.column_starts[1:] - self.column_starts[:-1])

    @cached_property
    def pieces(self) -> list[str]:
        """The words that names are made of, sorted."""
        return Strings(self.arrays["piece_blob"], self.arrays["piece_offsets"]).all()

    @cached_property
    def copy_families(self) -> list[CopyFamily]:
        """The near copies among the tables."""
        folded = [name.casefold() for name in self.column_names]
        return copy_families(
            self.names,
            zip(self.group.tolist(), self.arrays["table_schema"].tolist(), strict=True),
            lambda table: frozenset(folded[column] for column in self.columns_of(table)),
        )

    def values(self, name: str) -> list[str]:
        """Return the values of a property: path, label, schema, kind, dialect, environment, domain or modified."""
        return Strings(self.arrays[f"{name}_value_blob"], self.arrays[f"{name}_value_offsets"]).all()

    def having(self, name: str, wanted: Sequence[bool]) -> Array:
        """Return which tables have a property among those wanted (a truth for each of `values`), bool[tables]."""
        want = np.array([*wanted, False], dtype=bool)
        if name not in MULTIPLE:
            chosen: Array = want[self.arrays[f"table_{name}"]]
            return chosen
        starts = self.arrays[f"table_{name}_starts"].astype(np.int64)
        hits = np.concatenate([[0], np.cumsum(want[self.arrays[f"table_{name}_items"]])])
        some: Array = hits[starts[1:]] > hits[starts[:-1]]
        return some

    def paths(self, table: int) -> list[str]:
        """Return the files that declare a table, the one where it is created first."""
        found = self.listed("table_path", table).tolist()
        known = Strings(self.arrays["path_value_blob"], self.arrays["path_value_offsets"])
        return known.some(found)

    def columns_of(self, table: int) -> range:
        """Return the numbers of a table's columns."""
        return range(int(self.column_starts[table]), int(self.column_starts[table + 1]))

    def neighbours(self, table: int) -> list[tuple[int, int]]:
        """Return the tables that one can be joined with, and the place of the surest evidence in EVIDENCE."""
        begin, end = int(self.arrays["link_starts"][table]), int(self.arrays["link_starts"][table + 1])
        links = self.arrays["link_tables"][begin:end].tolist(), self.arrays["link_evidence"][begin:end].tolist()
        return list(zip(*links, strict=True))

    def listed(self, name: str, number: int) -> Array:
        """Return one of the lists of numbers: query_table, query_column, relation_left, relation_right, ..."""
        starts = self.arrays[f"{name}_starts"]
        found: Array = self.arrays[f"{name}_items"][int(starts[number]) : int(starts[number + 1])]
        return found

    @cached_property
    def files(self) -> FileDatabases:
        """The files that declare or use each database."""
        return FileDatabases(self.arrays)

    @cached_property
    def table_vectors(self) -> Vectors | None:
        """The vectors of the tables, None where words alone find them."""
        return vectors_in(self.arrays, "table")

    @cached_property
    def query_vectors(self) -> Vectors | None:
        """The vectors of the example queries' questions, None where words alone find them."""
        return vectors_in(self.arrays, "query")

    def postings(self, name: str) -> Postings:
        """Return postings: word, called and asked of tables, column, query, label."""
        if name not in self._postings:
            self._postings[name] = Postings.from_arrays(self.arrays, name)
        return self._postings[name]

    @cached_property
    def _postings(self) -> dict[str, Postings]:
        return {}
