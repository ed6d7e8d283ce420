"""The tables of a schema, looked up as a statement names them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from rapidfuzz import fuzz, process

from coderag.sql.records import Column, Name, Table

__all__ = ["CONSTANTS", "KnownTables", "closest"]

MIN_ALIKE, MIN_RELATED = 60.0, 67.0  # of 100
SUGGESTED = 3
# What every database has besides its tables.
SYSTEM_SCHEMAS = frozenset({"information_schema", "pg_catalog", "sys", "mysql", "performance_schema", "account_usage"})
SYSTEM_TABLES = frozenset({"dual", "sqlite_master", "sqlite_schema", "sysobjects", "all_tables", "user_tables"})
SYSTEM_PREFIXES = ("pg_", "sqlite_", "v$", "all_", "dba_", "user_tab", "user_col", "duckdb_", "#", "@")
# What stands where a column does, in any database.
CONSTANTS = frozenset(
    """current_date current_time current_timestamp localtime localtimestamp
    user current_user session_user system_user excluded""".split()
)


def closest(word: str, known: Iterable[str], *, count: int = SUGGESTED) -> tuple[str, ...]:
    """Return the known names spelled most like a word, the likeliest first; none that is not much like it."""
    names = sorted(set(known))
    plain = [_plain(name) for name in names]
    wanted = _plain(word)
    found = process.extract(wanted, plain, scorer=fuzz.ratio, limit=count, score_cutoff=MIN_ALIKE)
    # A part of a longer name, or the same words in another order, where nothing is spelled alike.
    found = found or process.extract(wanted, plain, scorer=fuzz.WRatio, limit=count, score_cutoff=MIN_RELATED)
    return tuple(names[position] for _, _, position in found)


def _plain(name: str) -> str:
    return name.casefold().replace("_", " ").replace(".", " ")


class KnownTables:
    """Tables by name, in any case; those of the database that a text is about come first."""

    def __init__(self, tables: Sequence[Table]) -> None:
        self._by_name: dict[str, list[Table]] = {}
        for table in tables:
            for name in (table.name.name, *table.family):
                self._by_name.setdefault(name.casefold(), []).append(table)
        self._names = [str(Name(table.name.name, table.name.schema)) for table in tables]
        self._columns: dict[int, Mapping[str, Column]] = {}
        self.several = len({table.name.database for table in tables}) > 1
        self.database = ""  # that a text is about

    def table(self, name: Name) -> Table | None:
        """Return the table of a name, None if there is none."""
        tables = self.matching(name)
        here = [table for table in tables if table.name.database == self.database]
        return next(iter(here or tables), None)

    def matching(self, name: Name) -> list[Table]:
        """Return the tables of all databases that a name may mean."""
        tables = self._by_name.get(name.name.casefold(), [])
        schema, database = name.schema.casefold(), name.database.casefold()
        if schema:
            # MySQL writes a database where others write a schema; one whose schema nobody wrote may be in any.
            exact = [one for one in tables if schema in (one.name.schema.casefold(), one.name.database.casefold())]
            tables = exact or [one for one in tables if not one.name.schema]
        if database and any(table.name.database.casefold() == database for table in tables):
            tables = [table for table in tables if table.name.database.casefold() == database]
        return tables

    def is_system(self, name: Name) -> bool:
        """Tell whether a name is of a table that the database itself keeps, or a temporary one."""
        plain = name.name.casefold()
        return name.schema.casefold() in SYSTEM_SCHEMAS or plain in SYSTEM_TABLES or plain.startswith(SYSTEM_PREFIXES)

    def columns(self, table: Table) -> Mapping[str, Column]:
        """Return a table's columns by their names, casefolded."""
        found = self._columns.get(id(table))
        if found is None:
            found = self._columns[id(table)] = {column.name.casefold(): column for column in table.columns}
        return found

    def closest_tables(self, name: Name) -> tuple[str, ...]:
        """Return the names of the tables spelled most like one."""
        return closest(str(Name(name.name, name.schema)), self._names)
