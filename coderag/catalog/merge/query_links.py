"""Example queries and business definitions to the tables and columns that they use or describe."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from msgspec.structs import replace

from coderag.catalog.databases.places import distance, stem_of
from coderag.catalog.replay.resolve import narrowed_usage, renamed_usage
from coderag.catalog.replay.system import is_of_framework, is_system
from coderag.sql.lineage.usage import usage_of_text
from coderag.sql.records import ColumnUse, Database, Definition, ExampleQuery, Name, SchemaProblem, Table, Usage
from coderag.sql.statements.names import plain_schema
from coderag.text.tokens import split_identifier, stem

__all__ = ["Catalogue", "tie_definitions", "tie_queries"]

MIN_SHARE = 0.5  # of a query's tables, for a database to be one that it may be meant for
MAX_NAMED = 5  # in the text of a problem
MAX_OWNERS = 3  # tables that may have a column of which only the name is mentioned
MIN_WORDS = 2  # of a name that counts where it is written as plain words
QUOTED = re.compile(r"`([^`\n]+)`|\"([\w.$ ]+)\"|\[([\w.$ ]+)\]")
IDENTIFIER = re.compile(r"[A-Za-z_][\w$]*(?:\.[A-Za-z_][\w$]*)*")
WORD = re.compile(r"[^\W_]+")

Owner = TypeVar("Owner")
NameKey = tuple[str, str, str]


@dataclass(slots=True)
class Catalogue:
    """The tables of all databases, found by name."""

    tables: Sequence[Table]
    databases: Sequence[Database]
    by_name: dict[str, list[Table]] = field(default_factory=dict)
    own: dict[NameKey, Table] = field(default_factory=dict)
    columns: dict[NameKey, frozenset[str]] = field(default_factory=dict)  # of those that were asked for
    folders: dict[str, list[str]] = field(default_factory=dict)  # of a database's files
    stems: dict[str, set[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for table in self.tables:
            for name in dict.fromkeys((table.name.name.casefold(), *map(str.casefold, table.family))):
                self.by_name.setdefault(name, []).append(table)
        self.own = {table.name.key: table for table in self.tables}
        for database in self.databases:
            self.folders[database.name] = sorted({path.rpartition("/")[0] for path in database.paths})
            self.stems[database.name] = {
                database.name.casefold(),
                *(stem_of(path).casefold() for path in database.paths),
            }

    def find(self, name: Name, database: str) -> Table | None:
        """Return the table of a database that a name means, None if there is none or more than one."""
        tables = [
            table
            for table in self.by_name.get(name.name.casefold(), ())
            if table.name.database == database and _may_mean(name, table.name)
        ]
        exact = [table for table in tables if plain_schema(table.name.schema) == plain_schema(name.schema)]
        return exact[0] if exact else tables[0] if len(tables) == 1 else None

    def having(self, name: Name) -> set[str]:
        """Return the databases in which a name may mean a table."""
        tables = self.by_name.get(name.name.casefold(), ())
        return {table.name.database for table in tables if _may_mean(name, table.name)}

    def columns_of(self, name: Name) -> frozenset[str] | None:
        """Return the columns of a table, casefolded; None if they are not known."""
        key = name.key
        if key not in self.columns:
            table = self.own.get(key)
            self.columns[key] = frozenset(column.name.casefold() for column in table.columns) if table else frozenset()
        return self.columns[key] or None

    def away(self, path: str, database: str) -> int:
        """Return how far a file lies from the nearest one of a database."""
        folder = path.rpartition("/")[0]
        return min((distance(folder, one) for one in self.folders[database]), default=0)


def _may_mean(name: Name, table: Name) -> bool:
    """Tell whether a name with perhaps a schema and a database in front fits a table of the same plain name."""
    if name.schema and plain_schema(name.schema) not in ("", plain_schema(table.schema), table.database.casefold()):
        return not table.schema  # created without one, it may be in any
    return not name.database or name.database.casefold() == table.database.casefold() or not table.schema


def tie_queries(
    queries: Sequence[ExampleQuery], catalogue: Catalogue, *, named: Mapping[str, str], past: Collection[str] = ()
) -> tuple[list[ExampleQuery], list[SchemaProblem]]:
    """Return queries with their databases and the full names of the tables they use, and which tables are missing.

    `named` gives the databases of files that say it, by path. Another query goes to the database that has most of its
    tables; of several, to the one of the same file name, then to that of most queries of its file, then to the nearest.
    One whose tables no database has goes where the others of its file go.
    `past` are files whose queries may use tables that are gone by now.
    """
    fits = [_fits(query, catalogue) for query in queries]
    of_file: defaultdict[str, Counter[str]] = defaultdict(Counter)  # the databases that have all tables of a query
    for query, fit in zip(queries, fits, strict=True):
        of_file[query.source.path].update({name: 1 for name, share in fit.items() if share == 1.0})
    tied: list[ExampleQuery] = []
    missing: dict[str, dict[str, None]] = {}
    for query, fit in zip(queries, fits, strict=True):
        path = query.source.path
        database = named.get(path) or _best(path, fit, of_file[path], catalogue)
        if not database:
            missing.setdefault(path, {}).update(
                {str(name): None for name in _tables(query.usage) if not is_of_framework(name)}
            )
            tied.append(
                replace(query, database=_best(path, dict.fromkeys(of_file[path], 0.0), of_file[path], catalogue))
            )
            continue
        usage = _placed_usage(query.usage, database, catalogue, missing=missing.setdefault(path, {}))
        tied.append(replace(query, database=database, usage=usage))
    return tied, [_missing_problem(path, list(names)) for path, names in missing.items() if names and path not in past]


def _missing_problem(path: str, names: Sequence[str]) -> SchemaProblem:
    rest = len(names) - MAX_NAMED
    more = f" and {rest} more" if rest > 0 else ""
    return SchemaProblem(path, 0, f"queries use tables that nothing creates: {', '.join(names[:MAX_NAMED])}{more}")


def _tables(usage: Usage) -> list[Name]:
    return [name for name in dict.fromkeys((*usage.reads, *usage.writes)) if not is_system(name)]


def _fits(query: ExampleQuery, catalogue: Catalogue) -> dict[str, float]:
    """Return the share of a query's tables that each database has."""
    names = _tables(query.usage)
    counts = Counter(database for name in names for database in catalogue.having(name))
    return {database: count / len(names) for database, count in counts.items()}


def _best(path: str, fit: Mapping[str, float], of_file: Mapping[str, int], catalogue: Catalogue) -> str:
    stem = stem_of(path).casefold()
    return min(
        fit,
        key=lambda name: (
            not (stem in catalogue.stems[name] and fit[name] >= MIN_SHARE),
            -fit[name],
            -of_file.get(name, 0),
            catalogue.away(path, name),
            name,
        ),
        default="",
    )


def _placed_usage(usage: Usage, database: str, catalogue: Catalogue, *, missing: dict[str, None]) -> Usage:
    """Return a usage with full names; tables that are not there are noted."""

    def placed(name: Name) -> Name:
        table = catalogue.find(name, database)
        return name if table is None else table.name

    for name in _tables(usage):
        if catalogue.find(name, database) is None and not is_of_framework(name):
            missing[str(name)] = None
    return narrowed_usage(renamed_usage(usage, placed), catalogue.columns_of)


# Definitions


def tie_definitions(
    definitions: Sequence[Definition], catalogue: Catalogue, *, named: Mapping[str, str]
) -> list[Definition]:
    """Return definitions with the tables and columns that their texts and expressions mention clearly.

    Clear is a name written as code, in quotes or with underscores, or all words of a name that has several. Those of a
    file belong to the database that they mention most, where they leave a choice.
    """
    if not definitions:
        return []
    phrases = _Phrases(catalogue)
    mentions = [_mentions(definition, catalogue, phrases) for definition in definitions]
    of_file: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for definition, found in zip(definitions, mentions, strict=True):
        of_file[definition.source.path].update({table.name.database for table in found.all_tables()})
    tied: list[Definition] = []
    for definition, found in zip(definitions, mentions, strict=True):
        path = definition.source.path
        databases = {table.name.database for table in found.all_tables()}
        counts = of_file[path]
        database = named.get(path) or min(
            databases, key=lambda name: (-counts[name], catalogue.away(path, name), name), default=""
        )
        tied.append(_tied(definition, found, database))
    return tied


@dataclass(slots=True)
class _Mentions:
    """What a definition mentions, in all databases."""

    tables: dict[NameKey, Table] = field(default_factory=dict)
    columns: dict[str, list[tuple[Table, str]]] = field(default_factory=dict)  # by folded name

    def all_tables(self) -> Iterable[Table]:
        """Yield the tables that are mentioned or have a column that is."""
        yield from self.tables.values()
        for owners in self.columns.values():
            for table, _ in owners:
                yield table


class _Phrases:
    """Names of several words, by the stems of these, and all columns by name."""

    def __init__(self, catalogue: Catalogue) -> None:
        self.tables: dict[tuple[str, ...], list[Table]] = {}
        self.columns: dict[tuple[str, ...], list[tuple[Table, str]]] = {}
        self.lengths: set[int] = set()
        self.by_column: dict[str, list[tuple[Table, str]]] = {}
        for table in catalogue.tables:
            self._add(self.tables, table.name.name, table)
            for column in table.columns:
                self._add(self.columns, column.name, (table, column.name))
                self.by_column.setdefault(column.name.casefold(), []).append((table, column.name))

    def _add(self, phrases: dict[tuple[str, ...], list[Owner]], name: str, owner: Owner) -> None:
        words = tuple(map(stem, split_identifier(name)))
        if len(words) >= MIN_WORDS:
            phrases.setdefault(words, []).append(owner)
            self.lengths.add(len(words))


def _mentions(definition: Definition, catalogue: Catalogue, phrases: _Phrases) -> _Mentions:
    mentions = _Mentions()
    text = "\n".join((definition.term, *definition.synonyms, definition.text))
    names = [next(filter(None, one)) for one in QUOTED.findall(text)]
    names += [name for name in IDENTIFIER.findall(text) if _is_code(name)]
    names += IDENTIFIER.findall(definition.expression)
    for name in names:
        _mention(mentions, name.split("."), catalogue=catalogue, phrases=phrases)
    for name in usage_of_text(definition.expression).reads if definition.expression else ():
        _mention(mentions, [name.name], catalogue=catalogue, phrases=phrases)
    words = [stem(word.casefold()) for word in WORD.findall(text)]
    for size in sorted(phrases.lengths):
        for start in range(len(words) - size + 1):
            run = tuple(words[start : start + size])
            for table in phrases.tables.get(run, ()):
                mentions.tables[table.name.key] = table
            for table, column in phrases.columns.get(run, ()):
                mentions.columns.setdefault(column.casefold(), []).append((table, column))
    return mentions


def _is_code(name: str) -> bool:
    return "_" in name or "." in name or (any(one.isupper() for one in name[1:]) and any(map(str.islower, name)))


def _mention(found: _Mentions, parts: Sequence[str], *, catalogue: Catalogue, phrases: _Phrases) -> None:
    """Note the tables and columns that a name with dots may mean: t, s.t, c, t.c, s.t.c."""
    last = parts[-1].casefold()
    before = parts[-2].casefold() if len(parts) > 1 else ""
    owners = catalogue.by_name.get(before, ()) if before else ()
    for table in owners:
        for column in table.columns:
            if column.name.casefold() == last:
                found.columns.setdefault(last, []).append((table, column.name))
                found.tables[table.name.key] = table
    if owners and last in found.columns:
        return
    for table in catalogue.by_name.get(last, ()):
        if not before or before in (table.name.schema.casefold(), table.name.database.casefold()):
            found.tables[table.name.key] = table
    if not before:
        for owner in phrases.by_column.get(last, ()):
            found.columns.setdefault(last, []).append(owner)


def _tied(definition: Definition, found: _Mentions, database: str) -> Definition:
    tables = {key: table for key, table in found.tables.items() if table.name.database == database}
    columns: list[ColumnUse] = []
    owned: dict[NameKey, Table] = {}
    for _, owners in sorted(found.columns.items()):
        here = {table.name.key: (table, column) for table, column in owners if table.name.database == database}
        # A column that many tables have means those that are mentioned with it.
        chosen = {key: owner for key, owner in here.items() if key in tables} or here
        if not chosen or len(chosen) > MAX_OWNERS:
            continue
        written = next(iter(chosen.values()))[1]
        columns.append(
            ColumnUse(written, tuple(sorted((table.name for table, _ in chosen.values()), key=lambda n: n.key)))
        )
        if len(chosen) == 1:
            owned.update({key: table for key, (table, _) in chosen.items()})
    names = sorted((table.name for table in (tables | owned).values()), key=lambda name: name.key)
    return replace(definition, tables=tuple(names), columns=tuple(columns))
