"""The names that statements write to the tables that they mean."""

from __future__ import annotations

from collections.abc import Sequence

from coderag.sql.records import Name, Table

__all__ = ["TableNames"]

DEFAULT_SCHEMAS = ("", "dbo", "main", "public")  # what a name without a schema is looked for in first


class TableNames:
    """Tables by name."""

    def __init__(self, tables: Sequence[Table]) -> None:
        self._keys = [table.name.key for table in tables]
        self._by_name: dict[str, list[int]] = {}
        for number, (_, _, name) in enumerate(self._keys):
            self._by_name.setdefault(name, []).append(number)

    def find(self, name: Name, *, database: str = "", schema: str = "") -> int | None:
        """Return the number of the table that a name means where it is written: in a database and schema.

        None when there is none, or several and nothing tells which.
        """
        found = self.all_called(name, database=database, schema=schema)
        return found[0] if len(found) == 1 else None

    def all_called(self, name: Name, *, database: str = "", schema: str = "") -> list[int]:
        """Return the numbers of the tables that a name may mean where it is written."""
        wanted_database, wanted_schema, key = name.key
        found = self._by_name.get(key, [])
        home, near = database.casefold(), schema.casefold()
        if wanted_database:
            # A foreign catalog's name may be no database that is known here; then the name alone must do.
            found = self._those(found, 0, (wanted_database,)) or found
        elif home:
            found = self._those(found, 0, (home,))
        if wanted_schema:
            # MySQL and ClickHouse call a database what others call a schema.
            found = self._those(found, 1, (wanted_schema,)) or (
                self._those(found, 1, DEFAULT_SCHEMAS)
                if wanted_schema in DEFAULT_SCHEMAS
                else self._those(self._by_name.get(key, []), 0, (wanted_schema,))
            )
        elif len(found) > 1:
            found = self._those(found, 1, (near,)) or self._those(found, 1, DEFAULT_SCHEMAS) or found
        return found

    def _those(self, numbers: Sequence[int], part: int, values: tuple[str, ...]) -> list[int]:
        return [number for number in numbers if self._keys[number][part] in values]
