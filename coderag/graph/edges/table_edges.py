"""What code does to tables, file by file, to edges: SQL in strings, query builders, query files, mapped classes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from msgspec.structs import replace

from coderag.graph.edges.constant_tables import ConstantTables
from coderag.graph.edges.model_edges import ModelUses
from coderag.graph.edges.schema_nodes import Data, accesses
from coderag.graph.edges.statement_parameters import Runners
from coderag.graph.edges.table_parameters import NamedTable, named_tables
from coderag.graph.files import LinkedFile, Places
from coderag.graph.graph import GraphDraft
from coderag.graph.queries.data_access import EDGE_OF, MAX_CANDIDATES, ROWS_OF, Found, Names, Touch
from coderag.graph.records import EdgeKind
from coderag.sql.in_code.records import Referred, Statement
from coderag.sql.records import ColumnUse, Name, Schema
from coderag.types import Kind

__all__ = ["add_uses"]

WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
TEST = "test"  # the label of files
HOLES = "the name of a table is put in at run time"


def add_uses(
    draft: GraphDraft,
    files: Sequence[LinkedFile],
    places: Places,
    *,
    names: Names,
    data: Data,
    schema: Schema,
) -> None:
    """Add an edge for every table and column that code reads, writes, deletes from or defines."""
    models = ModelUses(places, names, data, schema)
    statements = _Statements(files, names, data, schema)
    runners = Runners(files, names)
    for number, file in enumerate(files):
        uses = file.links.uses
        for written in uses.statements:
            statement = _settled(runners, number, statements.constants.named(number, written))
            if not statement.sure and (TEST in file.labels or _is_of_call(statement)):
                continue  # names, expectations and cases of tests are no queries, unless something runs them
            touch = Touch(draft, places.node(number, statement.owner), number, statement.row)
            statements.add(statement, touch)
            if statement.function:
                statements.add_function(statement, touch, places)
        for referred in uses.referred:
            statements.add_referred(referred, Touch(draft, places.node(number, referred.owner), number, referred.row))
        for use in uses.models:
            models.add(use, Touch(draft, places.node(number, use.owner), number, use.row))
    for named in named_tables(files, names):
        node = places.node(named.file, named.owner)
        statements.add_named(named, Touch(draft, node, named.file, named.row, named.candidates))


class _Statements:
    """The statements of all files, and the queries that stand in files of SQL."""

    def __init__(self, files: Sequence[LinkedFile], names: Names, data: Data, schema: Schema) -> None:
        self._files = files
        self._names = names
        self._data = data
        self._schema = schema
        # What constants hold, and functions that return SQL, by file and definition.
        self.constants = ConstantTables(files, names)
        self._held: dict[tuple[int, int], list[Statement]] = {}
        for number, file in enumerate(files):
            for statement in file.links.uses.statements:
                if statement.owner >= 0 and not statement.sure and not _is_of_call(statement):
                    held = self.constants.named(number, statement)
                    self._held.setdefault((number, statement.owner), []).append(held)
        self._tagged = {  # the queries that fields hold, which their tags name
            (number, referred.owner): referred
            for number, file in enumerate(files)
            for referred in file.links.uses.referred
            if referred.query and not referred.name and not referred.file and _is_field(file, referred.owner)
        }
        self._by_name: dict[str, list[int]] = {}  # queries in files, by the words of their names
        self._by_tail: dict[str, list[str]] = {}  # files with queries, by their own names
        for path, numbers in data.queries.items():
            self._by_tail.setdefault(path.rpartition("/")[2], []).append(path)
            for number in numbers:
                if name := self._query_name(number):
                    self._by_name.setdefault(name, []).append(number)

    def add(self, statement: Statement, touch: Touch) -> None:
        """Add the edges of a statement at its place."""
        found = {
            use.table.key: self._data.tables.possible(
                use.table, file=touch.file, columns=_columns_of(statement, use.table)
            )
            for use in statement.tables
        }
        if not statement.sure and not any(found.values()):
            return  # it may be prose
        if statement.holes:
            touch.note(HOLES)
        if statement.lost:
            touch.note(f"SQL that cannot be read: {statement.lost}")
            touch = Touch(touch.draft, touch.node, touch.file, touch.row, max(touch.candidates, 1))
        for use in statement.tables:
            tables = found[use.table.key]
            if tables or statement.sure:
                self._add_table(touch, use.table, tables, EDGE_OF[use.access])
                if use.whole:
                    self._add_whole(touch, tables, EDGE_OF[use.access])
        for column in statement.columns:
            self._add_column(touch, column, {name.key: (name, found.get(name.key)) for name in column.tables})
        for called in statement.calls:
            touch.edges(self._data.routines.get(called.rpartition(".")[2].casefold(), []), EdgeKind.CALLS)

    def add_function(self, statement: Statement, touch: Touch, places: Places) -> None:
        """Let the function that runs a statement of another file touch what it touches, and name it."""
        found = self._names.definitions_of(touch.file, -1, statement.function)
        for file, owner in found.definitions:
            function = Touch(touch.draft, places.node(file, owner), touch.file, touch.row, found.candidates)
            function.edge(touch.node, EdgeKind.REFERENCES)
            self.add(statement, function)

    def add_referred(self, referred: Referred, touch: Touch) -> None:
        """Add what a place runs that stands elsewhere: in a constant, in a table of constants, in a file of queries."""
        if self._tagged.get((touch.file, referred.owner)) == referred:
            for query, doubt in self._queries(referred, touch.file):
                touch.edge(self._data.query_nodes[query], EdgeKind.REFERENCES, doubt)
            return
        if referred.name:
            found = self._names.definitions_of(touch.file, referred.owner, referred.name)
            self._add_held(found, "", touch)
            for field in found.definitions:
                if field in self._tagged:
                    self._add_queries(self._tagged[field], touch)
            if found.definitions:
                return  # if it is a function that runs a query, it has that itself
            holder, _, key = referred.name.rpartition(".")
            if holder:
                self._add_held(self._names.definitions_of(touch.file, referred.owner, holder), key, touch)
        if referred.file or referred.query:
            self._add_queries(referred, touch)

    def add_named(self, named: NamedTable, touch: Touch) -> None:
        """Add the table that a call names as an argument, or those of the columns named that it has."""
        schema, _, name = named.table.rpartition(".")
        table, kind = Name(name, schema), EDGE_OF[named.access]
        tables = self._data.tables.possible(table, file=touch.file)
        if tables and not named.columns:
            self._add_table(touch, table, tables, kind)
        for column in named.columns:
            having = [one for one in tables if self._data.tables.has_column(one, column)]
            touch.edges([self._data.column_nodes[one][column.casefold()] for one in having], kind)

    def _add_held(self, found: Found, key: str, touch: Touch) -> None:
        """Add the statements that some definitions hold; with a key, those that they hold under it."""
        at = Touch(touch.draft, touch.node, touch.file, touch.row, found.candidates)
        for target in found.definitions:
            for statement in self._held.get(target, ()):
                if not key or statement.name == key:
                    self.add(statement, at)

    def _add_queries(self, referred: Referred, touch: Touch) -> None:
        for query, doubt in self._queries(referred, touch.file):
            self._add_query(query, Touch(touch.draft, touch.node, touch.file, touch.row, doubt))

    def _add_query(self, number: int, touch: Touch) -> None:
        """Let a place touch what a query in a file of SQL touches."""
        query = self._schema.queries[number]
        touch.edge(self._data.query_nodes[number], EdgeKind.REFERENCES)
        whole = {name.key for name in query.usage.whole}
        for name, kind in accesses(query.usage):
            tables = self._data.tables.possible(name, file=touch.file)
            self._add_table(touch, name, tables, kind)
            if name.key in whole:
                self._add_whole(touch, tables, kind)
        for column in query.usage.columns:
            self._add_column(touch, column, {name.key: (name, None) for name in column.tables})

    # Edges

    def _add_table(self, touch: Touch, name: Name, tables: Sequence[int], kind: EdgeKind) -> None:
        if tables:
            touch.edges([self._data.table_nodes[table] for table in tables], kind)
        elif (unknown := self._data.unknown_table(name)) >= 0:
            touch.edge(unknown, kind)

    def _add_whole(self, touch: Touch, tables: Sequence[int], kind: EdgeKind) -> None:
        if kind in ROWS_OF:
            touch.edges([self._data.table_nodes[table] for table in tables], ROWS_OF[kind])

    def _add_column(
        self, touch: Touch, use: ColumnUse, written: dict[tuple[str, str, str], tuple[Name, list[int] | None]]
    ) -> None:
        """Add the edge to a column of one of the tables in its scope: of those that have it, else of an unknown one."""
        kind = EdgeKind.WRITES if use.write else EdgeKind.READS
        having: list[int] = []
        unknown: list[Name] = []
        for name, tables in written.values():
            known = (
                self._data.tables.possible(name, file=touch.file, columns=[use.column]) if tables is None else tables
            )
            having += [one for one in known if self._data.tables.has_column(one, use.column)]
            if not known:
                unknown.append(name)
        if having:
            touch.edges([self._data.column_nodes[table][use.column.casefold()] for table in having], kind)
        elif len(unknown) == len(written) == 1 and (table := self._data.unknown_table(unknown[0])) >= 0:
            touch.edge(self._data.unknown_column(table, use.column), kind)

    # Files of queries

    def _queries(self, referred: Referred, file: int) -> Iterator[tuple[int, int]]:
        """Yield the queries of files that are meant, each with how many they may be."""
        numbers: Iterable[int]
        wanted = _words(referred.query)
        if referred.file:
            paths = self._files_called(referred.file, self._files[file].path)
            numbers = [number for path in paths for number in self._data.queries[path]]
            doubt = 0 if len(paths) == 1 else len(paths)
            if wanted:
                numbers = [number for number in numbers if self._query_name(number) == wanted]
        else:
            numbers = self._by_name.get(wanted, [])
            doubt = 0 if len(numbers) == 1 else len(numbers)
        if doubt <= MAX_CANDIDATES:
            for number in numbers:
                yield number, doubt

    def _query_name(self, number: int) -> str:
        """Return the words of a query's name; of one without a name, the question above it."""
        return _words(self._schema.queries[number].question.partition(":")[0])

    def _files_called(self, written: str, near: str) -> list[str]:
        """Return the files of queries whose path ends as written; of several those below the folder that names them."""
        wanted = written.lstrip("./")
        found = [
            path
            for path in self._by_tail.get(wanted.rpartition("/")[2], ())
            if path == wanted or path.endswith(f"/{wanted}")
        ]
        folder = near.rpartition("/")[0]
        return [path for path in found if path.startswith(f"{folder}/")] or found


def _settled(runners: Runners, file: int, statement: Statement) -> Statement:
    """Return a statement, sure where the call that it is given to runs it."""
    given = statement.given
    if given is None or not runners.runs(file, statement.owner, given):
        return statement
    return replace(statement, sure=True)


def _is_of_call(statement: Statement) -> bool:
    """Tell whether a text is SQL only if the call runs it that it is given to."""
    return statement.given is not None and statement.given.decides


def _columns_of(statement: Statement, table: Name) -> list[str]:
    """Return the columns that a statement says belong to a table."""
    return [
        column.column for column in statement.columns if len(column.tables) == 1 and column.tables[0].key == table.key
    ]


def _is_field(file: LinkedFile, owner: int) -> bool:
    return owner >= 0 and file.links.definitions[owner].kind is Kind.FIELD


def _words(name: str) -> str:
    return " ".join(WORDS.findall(name)).casefold()
