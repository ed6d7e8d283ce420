"""A schema to the files of each of its databases: those that declare, change, query or describe it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np

from coderag.index.catalog.table_names import TableNames
from coderag.index.storage.arrays.arrays import Array
from coderag.index.storage.arrays.strings import Strings, pack_strings
from coderag.sql.records import Name, Schema, Table

__all__ = ["FileDatabases", "Place", "file_arrays"]

Place = tuple[str, str]  # the name of a database, and an environment of it ("" if none is known)


def file_arrays(
    schema: Schema,
    tables: Sequence[Table],
    names: TableNames,
    *,
    read: Sequence[Sequence[int]],
    told: Sequence[list[int]],
) -> dict[str, Array]:
    """Return the arrays that FileDatabases reads.

    `read` are the numbers in `tables` of those that each query uses, `told` of those that each definition is about.
    """
    environments = {one.name: one.environment for one in schema.databases}
    of_table = [(one.name.database, one.environment) for one in tables]
    found: dict[str, dict[Place, None]] = {}

    def add(paths: Iterable[str], places: Iterable[Place]) -> None:
        for path in filter(None, paths):
            found.setdefault(path, {}).update(dict.fromkeys(place for place in places if place[0]))

    for number, table in enumerate(tables):
        paths = [source.path for source in table.sources]
        add([*paths, *(change.source.path for change in table.history)], [of_table[number]])
        touched = _touched((*table.usage.reads, *table.usage.writes), table.name, names)
        add(paths, [of_table[one] for one in touched])
    for routine in schema.routines:
        own = (routine.name.database, environments.get(routine.name.database, ""))
        watched = [routine.table] if routine.table else []
        touched = _touched((*routine.usage.reads, *routine.usage.writes, *watched), routine.name, names)
        add([routine.source.path], [own, *(of_table[one] for one in touched)])
    for type_definition in schema.types:
        add(
            [type_definition.source.path],
            [(type_definition.name.database, environments.get(type_definition.name.database, ""))],
        )
    for query, numbers in zip(schema.queries, read, strict=True):
        own = (query.database, environments.get(query.database, ""))
        add([query.source.path], [of_table[number] for number in numbers] or [own])
    for definition, numbers in zip(schema.definitions, told, strict=True):
        add([definition.source.path], [of_table[number] for number in numbers])
    for database in schema.databases:
        known = (path for path in database.paths if not _is_of(database.name, found.get(path, {})))
        add([*known], [(database.name, database.environment)])
    return _packed(found)


def _touched(written: Iterable[Name], where: Name, names: TableNames) -> Iterator[int]:
    for name in written:
        number = names.find(name, database=where.database, schema=where.schema)
        if number is not None:
            yield number


def _is_of(database: str, places: Iterable[Place]) -> bool:
    return any(name == database for name, _ in places)


def _packed(found: Mapping[str, Iterable[Place]]) -> dict[str, Array]:
    places = sorted({place for own in found.values() for place in own})
    number = {place: at for at, place in enumerate(places)}
    paths = sorted(found)
    lists = [sorted(number[place] for place in found[path]) for path in paths]
    starts = np.zeros(len(paths) + 1, dtype=np.uint32)
    np.cumsum(np.array([len(values) for values in lists], dtype=np.uint32), out=starts[1:])
    arrays: dict[str, Array] = {
        "file_place_items": np.array([one for own in lists for one in own], dtype=np.uint32),
        "file_place_starts": starts,
    }
    for name, texts in (
        ("file_path", paths),
        ("place_database", [database for database, _ in places]),
        ("place_environment", [environment for _, environment in places]),
    ):
        arrays[f"{name}_blob"], arrays[f"{name}_offsets"] = pack_strings(texts)
    return arrays


class FileDatabases:
    """The files of each database of a catalog."""

    def __init__(self, arrays: Mapping[str, Array]) -> None:
        def strings(name: str) -> list[str]:
            return Strings(arrays[f"{name}_blob"], arrays[f"{name}_offsets"]).all()

        self.paths = strings("file_path")  # of files, and the names of databases that were asked
        self.places: list[Place] = list(zip(strings("place_database"), strings("place_environment"), strict=True))
        self._items = arrays["file_place_items"]
        self._starts = arrays["file_place_starts"].astype(np.int64)

    def at(self, wanted: Sequence[bool]) -> frozenset[str]:
        """Return the paths of the files of one of the databases wanted: a truth value for each of `places`."""
        want = np.array([*wanted, False], dtype=bool)
        hits = np.concatenate([[0], np.cumsum(want[self._items])])
        some = np.flatnonzero(hits[self._starts[1:]] > hits[self._starts[:-1]]).tolist()
        return frozenset(self.paths[number] for number in some)
