"""What can be asked over HTTP: each endpoint, its parameters, and the answer, which the command line prints too."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from msgspec import Struct

from coderag.api.index import Index
from coderag.api.records import hit_record, plain, symbol_record
from coderag.api.schema_records import context_record, facts_record, table_record
from coderag.api.status_records import status_record
from coderag.ask.records import Step
from coderag.errors import QueryError
from coderag.search.context.named import tables_named
from coderag.search.query.language import read_query
from coderag.search.query.languages import language_names
from coderag.search.query.query import make_query, pattern_terms
from coderag.search.results.nesting import with_depth
from coderag.serve.conversing import answered_in
from coderag.serve.http.event_stream import Event, Tell
from coderag.serve.http.failures import NotIndexedError
from coderag.serve.http.file_lines import HasChunks, file_lines
from coderag.serve.http.parameters import (
    AskParameters,
    CheckSqlParameters,
    FileParameters,
    ImpactParameters,
    MapParameters,
    NoParameters,
    OutlineParameters,
    PathParameters,
    RefsParameters,
    SchemaParameters,
    SearchParameters,
    SymbolParameters,
    TableFilters,
    TableParameters,
    TablesParameters,
)
from coderag.serve.workspace import View, Workspace
from coderag.types import Query, Symbol, TableFilter, TestPolicy

__all__ = ["ENDPOINTS", "Asking", "Endpoint", "HasOutlines", "file_answer", "outline_answer", "read_search", "view_of"]


@dataclass(frozen=True, slots=True)
class Asking:
    """Who asks, and what is told them while the answer is made."""

    owner: str = ""  # of conversations
    tell: Tell = lambda _: None


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A question that a program may ask; its answer is plain data, the same as of a command with `--json`."""

    name: str  # of the path: /api/NAME
    summary: str
    parameters: type[Struct]
    answer: Callable[[Index, Any], Any] | None  # raises CoderagError; None: what the events end with
    needs_graph: bool = False
    is_kept: bool = True  # whether the same state of the index answers the same
    posts: bool = False  # whether the parameters may be a JSON body
    in_path: str = ""  # the parameter that is the rest of the path
    told: Callable[[Workspace, Any, Asking], Any] | None = None  # the answer, with what is told while it is made


class HasOutlines(Protocol):
    """What knows the definitions of files."""

    def outline(self, path: str, *, repository: str = "") -> list[Symbol]:
        """Return the definitions of a file in order; raises QueryError for one that is not indexed."""


def _search(index: Index, asked: SearchParameters) -> Any:
    query = read_search(asked)
    hits = index.find(query).hits if pattern_terms(query.clauses) else index.search(query)
    return [hit_record(hit, whole=asked.context == "whole") for hit in hits]


def read_search(asked: SearchParameters) -> Query:
    """Return the query that the parameters of `search` make; raises QueryError."""
    return read_query(
        asked.q,
        k=asked.k,
        kinds=_lower(asked.kind),
        languages=language_names(asked.language),
        paths=asked.path,
        repositories=asked.repository,
        databases=asked.database,
        tests=asked.tests,
    )


def _ask(workspace: Workspace, asked: AskParameters, asking: Asking) -> Any:
    tell = asking.tell

    def step(done: Step) -> None:
        tell(Event("step", plain(done)))

    def draft(piece: str) -> None:
        tell(Event("draft", {"text": piece}))

    index = workspace.with_graph(workspace.view()).index
    return answered_in(
        asked.session,
        index,
        asked.q,
        owner=asking.owner,
        k=asked.k,
        budget=asked.budget,
        paths=asked.path,
        databases=asked.database,
        languages=language_names(asked.language),
        kinds=_lower(asked.kind),
        tests=asked.tests,
        model=workspace.language_model,
        watch=draft,
        on_step=step,
    )


def _symbol(index: Index, asked: SymbolParameters) -> Any:
    symbols = index.symbols(asked.name, k=asked.k, alike=False)
    exact = bool(symbols)
    symbols = symbols or index.symbols(asked.name, k=asked.k, alike=True)
    return [symbol_record(symbol, exact=exact) for symbol in symbols]


def _refs(index: Index, asked: RefsParameters) -> Any:
    return index.refs(asked.target, kinds=_lower(asked.kind), paths=asked.path, shown=asked.k)


def _impact(index: Index, asked: ImpactParameters) -> Any:
    return index.impact(
        asked.target, change=asked.change, depth=asked.depth, kinds=_lower(asked.kind), paths=asked.path
    )


def _path(index: Index, asked: PathParameters) -> Any:
    return index.path_between(asked.source, asked.target, k=asked.k, kinds=_lower(asked.kind), paths=asked.path)


def _map(index: Index, asked: MapParameters) -> Any:
    return index.map(
        asked.q,
        budget=asked.budget,
        paths=asked.path,
        kinds=_lower(asked.kind),
        languages=language_names(asked.language),
        databases=asked.database,
        tests=asked.tests,
        k=asked.k,
    )


def _schema(index: Index, asked: SchemaParameters) -> Any:
    context = index.schema_context(
        asked.q, budget=asked.budget, k=asked.k, evidence=asked.evidence, conditions=_conditions(asked)
    )
    return context_record(context, samples=True)


def _tables(index: Index, asked: TablesParameters) -> Any:
    tables = index.tables(_conditions(asked))
    if asked.q:
        tables = tables_named(tables, asked.q)
    return [table_record(table) for table in tables[: asked.k]]


def _table(index: Index, asked: TableParameters) -> Any:
    return [facts_record(facts) for facts in index.table(asked.name, _conditions(asked))]


def _check_sql(index: Index, asked: CheckSqlParameters) -> Any:
    dialect = asked.dialect[0] if len(asked.dialect) == 1 else ""
    conditions = _conditions(asked)
    return index.check_sql(asked.sql, dialect=dialect, conditions=conditions, writes=asked.writes)


def file_answer(index: HasChunks, asked: FileParameters) -> Any:
    """Return the lines of a file; raises NotIndexedError."""
    try:
        return file_lines(index, asked.path, repository=asked.repository, start=asked.start, end=asked.end)
    except QueryError as error:
        raise NotIndexedError(str(error)) from None


def outline_answer(index: HasOutlines, asked: OutlineParameters) -> Any:
    """Return the definitions of a file with their depth; raises NotIndexedError, and QueryError for a kind."""
    kinds = make_query("-", kinds=_lower(asked.kind)).kinds
    try:
        symbols = index.outline(asked.path, repository=asked.repository)
    except QueryError as error:
        raise NotIndexedError(str(error)) from None
    chosen = [symbol for symbol in symbols if not kinds or symbol.kind in kinds]
    return [symbol_record(symbol, depth=depth) for symbol, depth in with_depth(chosen)]


def _status(index: Index, _: NoParameters) -> Any:
    return [status_record(status) for status in index.status()]


def _lower(words: Sequence[str]) -> list[str]:
    return [word.lower() for word in words]


def _conditions(asked: TableFilters) -> TableFilter:
    return TableFilter(
        databases=frozenset(asked.database),
        schemas=frozenset(asked.schema),
        dialects=frozenset(asked.dialect),
        environments=frozenset(asked.environment),
        domains=frozenset(asked.domain),
        paths=tuple(asked.path),
        tests=TestPolicy(asked.tests),
        languages=frozenset(language_names(asked.language)),
        kinds=frozenset(_lower(asked.kind)),
    )


def view_of(endpoint: Endpoint, workspace: Workspace) -> View:
    """Return what an endpoint answers from; raises CoderagError."""
    view = workspace.view()
    return workspace.with_graph(view) if endpoint.needs_graph else view


ENDPOINTS: Mapping[str, Endpoint] = {
    endpoint.name: endpoint
    for endpoint in (
        Endpoint("search", "The code, tables and documents that answer a question", SearchParameters, _search),
        Endpoint(
            "ask",
            "What the indexed files say about a question, each statement cited",
            AskParameters,
            None,
            told=_ask,
        ),
        Endpoint("symbol", "Where a name is defined, or the names spelled most like it", SymbolParameters, _symbol),
        Endpoint("refs", "What calls, reads, writes, maps or tests a target", RefsParameters, _refs, needs_graph=True),
        Endpoint("impact", "What a change of a target affects", ImpactParameters, _impact, needs_graph=True),
        Endpoint("path", "How one target leads to another", PathParameters, _path, needs_graph=True),
        Endpoint("map", "The parts of each repository", MapParameters, _map, needs_graph=True),
        Endpoint("schema", "The tables, joins and examples that SQL needs", SchemaParameters, _schema),
        Endpoint("tables", "The tables and views", TablesParameters, _tables),
        Endpoint("table", "All that is known of a table", TableParameters, _table, in_path="name"),
        Endpoint("check-sql", "What is wrong with SQL", CheckSqlParameters, _check_sql, posts=True),
        Endpoint("file", "The lines of an indexed file", FileParameters, file_answer),
        Endpoint("outline", "What a file defines", OutlineParameters, outline_answer),
        Endpoint("status", "What is indexed, and whether it is still true", NoParameters, _status, is_kept=False),
    )
}
