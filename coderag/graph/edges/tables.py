"""Names of tables as statements write them, to the tables of a schema that they may mean."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

from coderag.graph.files import LinkedFile
from coderag.index.catalog.table_names import TableNames
from coderag.sql.records import Name, Schema

__all__ = ["Tables"]

NOWHERE = Name("")
REMEMBERED = 50_000  # files whose home is known


class Tables:
    """The tables of a schema by name, and which databases a file is near to."""

    def __init__(self, schema: Schema, files: Sequence[LinkedFile]) -> None:
        """Take a schema and the files that declare and use it."""
        self._schema = schema
        self._names = TableNames(schema.tables)
        self._columns = [frozenset(column.name.casefold() for column in table.columns) for table in schema.tables]
        self._folders: dict[str, set[str]] = {}  # a folder -> the databases that files in it or below declare or use
        for database in schema.databases:
            for path in database.paths:
                for folder in _folders(path):
                    self._folders.setdefault(folder, set()).add(database.name)
        self._paths = [file.path for file in files]
        self.by_class: dict[str, list[int]] = {}  # what an ORM calls tables, in any case
        for number, table in enumerate(schema.tables):
            if table.alias:
                called = table.alias.replace("::", ".").rpartition(".")[2].casefold()
                self.by_class.setdefault(called, []).append(number)
        self._home = lru_cache(REMEMBERED)(self._find_home)

    def only(self, name: Name, *, home: Name = NOWHERE) -> int | None:
        """Return the table that a name means beside another one; None where none or several do."""
        return self._names.find(name, database=home.database, schema=home.schema)

    def possible(self, name: Name, *, file: int, columns: Iterable[str] = ()) -> list[int]:
        """Return the tables that a name in a file of code may mean; several where nothing tells which.

        Among tables of one name in several databases those count that have the columns, and of these those whose
        database is declared nearest to the file.
        """
        found = self._names.all_called(name)
        if len(found) < 2:
            return found
        wanted = [column.casefold() for column in columns]
        fitting = [one for one in found if all(column in self._columns[one] for column in wanted)]
        found = fitting or found
        databases = self._home(file)
        near = [one for one in found if self._schema.tables[one].name.database in databases]
        return near or found

    def has_column(self, table: int, column: str) -> bool:
        """Tell whether a table has a column of a name, in any case."""
        return column.casefold() in self._columns[table]

    def _find_home(self, file: int) -> frozenset[str]:
        """Return the databases of the innermost folder around a file."""
        for folder in _folders(self._paths[file]):
            if databases := self._folders.get(folder):
                return frozenset(databases)
        return frozenset()


def _folders(path: str) -> Iterable[str]:
    """Yield the folders around a path, the innermost first; "" is the root."""
    while path:
        path = path.rpartition("/")[0]
        yield path
