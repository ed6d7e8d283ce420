"""Our own tools over an index, for a plan and for a model: a call to what it found.

They only read, see what the caller may see, and take no path outside the index. A call that finds nothing, or is
refused by a limit, says so in its lines.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct

from coderag.ask.agentic.records import Call, Observation
from coderag.ask.findings.data import data_answer
from coderag.ask.findings.passages import findings_of_hits
from coderag.ask.findings.relations import relation_findings
from coderag.ask.models.model import ToolSpec
from coderag.ask.records import Finding, Route
from coderag.ask.searching import searched
from coderag.ask.turn import Turn
from coderag.decoding import converted
from coderag.errors import CoderagError, QueryError
from coderag.record import record
from coderag.search.query.relation_question import RelationQuestion, Sought
from coderag.types import Symbol

__all__ = ["SPECS", "TOOLS", "checked_call", "observed"]

HITS = 5  # of a search
SYMBOLS = 3
OUTLINED = 40  # definitions of a file
FAULTS = 10  # of a query
LINE_CHARACTERS = 300
NAMED_CONFIDENCE = 0.6  # of a definition that is found by its name

Words = Annotated[str, Meta(min_length=1, max_length=1_000)]
Name = Annotated[str, Meta(min_length=1, max_length=200)]


class Search(Struct, frozen=True, forbid_unknown_fields=True):
    """The arguments of `search`."""

    query: Annotated[Words, Meta(description="question, identifier or exact text")]


class SymbolOf(Struct, frozen=True, forbid_unknown_fields=True):
    """The arguments of `symbol`."""

    name: Annotated[Name, Meta(description="name of a function, class or method, qualified or not")]


class Outline(Struct, frozen=True, forbid_unknown_fields=True):
    """The arguments of `outline`."""

    path: Annotated[Name, Meta(description="path of a file, as in the places of sources")]


class Schema(Struct, frozen=True, forbid_unknown_fields=True):
    """The arguments of `schema`."""

    question: Annotated[Words, Meta(description="what is asked of the data, or the name of a table")]


class Refs(Struct, frozen=True, forbid_unknown_fields=True):
    """The arguments of `refs`."""

    name: Annotated[Name, Meta(description="function, class, table, table.column or route")]
    relation: Literal["callers", "readers", "writers", "tests", "heirs", "uses", "impact"] = "uses"


class PathOf(Struct, frozen=True, forbid_unknown_fields=True):
    """The arguments of `path`."""

    start: Name
    to: Name


class CheckSql(Struct, frozen=True, forbid_unknown_fields=True):
    """The arguments of `check_sql`."""

    sql: Annotated[str, Meta(min_length=1, max_length=10_000)]


@record
class Tool:
    """A tool: what it is for, its arguments, and the function that answers."""

    description: str
    arguments: type[Struct]
    run: Callable[[Turn, Any], Observation]


def checked_call(name: str, arguments: Any) -> Call:
    """Return a call whose tool exists and whose arguments are of its form; raises QueryError."""
    if name not in TOOLS:
        raise QueryError(f"there is no tool {name[:100]!r}; there are {', '.join(TOOLS)}")
    try:
        checked = converted(arguments, TOOLS[name].arguments)
    except msgspec.ValidationError as error:
        raise QueryError(f"{name}: {error}") from None
    return Call(name, msgspec.structs.asdict(checked))


def observed(turn: Turn, call: Call) -> Observation:
    """Return what a call finds in the sources that the question is limited to; a line says what is refused."""
    tool = TOOLS[call.tool]
    try:
        return tool.run(turn, converted(call.arguments, tool.arguments))
    except CoderagError as error:
        return Observation(lines=(str(error)[:LINE_CHARACTERS],))


def _search(turn: Turn, asked: Search) -> Observation:
    hits = tuple(searched(turn, asked.query, k=HITS))
    return Observation(tuple(findings_of_hits(hits, turn.stem_weights(asked.query), route=Route.CODE)), hits)


def _symbol(turn: Turn, asked: SymbolOf) -> Observation:
    symbols = turn.index.symbols(asked.name, k=SYMBOLS)
    findings = (_of_symbol(turn, symbol) for symbol in symbols)
    return Observation(tuple(finding for finding in findings if finding is not None))


def _of_symbol(turn: Turn, symbol: Symbol) -> Finding | None:
    source = turn.places.source(
        symbol.repository,
        symbol.path,
        symbol.span.start_line,
        end=symbol.span.end_line,
        name=symbol.qualified_name,
    )
    if source is None:
        return None
    text = " ".join((symbol.signature or f"{symbol.kind} {symbol.qualified_name}").split())
    line = f"{text}: {symbol.doc}" if symbol.doc else text
    return Finding(line, source, Route.CODE, NAMED_CONFIDENCE)


def _outline(turn: Turn, asked: Outline) -> Observation:
    symbols = turn.index.outline(asked.path)
    lines = [
        f"{asked.path}:{symbol.span.start_line} {symbol.kind} {symbol.qualified_name}" for symbol in symbols[:OUTLINED]
    ]
    more = [f"and {len(symbols) - OUTLINED} more"] if len(symbols) > OUTLINED else []
    return Observation(lines=tuple(lines + more))


def _schema(turn: Turn, asked: Schema) -> Observation:
    limits = turn.options.within
    if not limits.has_tables:
        return Observation(lines=(f"only {', '.join(limits.kinds)} may answer",))
    data = data_answer(turn.index, asked.question, turn.places.of_data, conditions=limits.tables)
    lines = (f"{data.origin}: {' '.join(data.sql.split())}",) if data.sql else ()
    return Observation(data.findings, lines=lines)


def _refs(turn: Turn, asked: Refs) -> Observation:
    question = RelationQuestion(Sought(asked.relation), asked.name)
    return Observation(tuple(relation_findings(turn.index, question, turn.places)))


def _path(turn: Turn, asked: PathOf) -> Observation:
    question = RelationQuestion(Sought.PATH, asked.start, other=asked.to)
    return Observation(tuple(relation_findings(turn.index, question, turn.places)))


def _check_sql(turn: Turn, asked: CheckSql) -> Observation:
    faults = turn.index.check_sql(asked.sql, conditions=turn.options.within.tables)
    lines = [f"line {fault.line}: {fault.severity}: {fault.message}" for fault in faults[:FAULTS]]
    return Observation(lines=tuple(lines) or ("nothing is wrong with it",))


TOOLS: Mapping[str, Tool] = {
    "search": Tool("Find code, tables and documents by meaning, identifier or exact text.", Search, _search),
    "symbol": Tool("The whole definition of a name.", SymbolOf, _symbol),
    "outline": Tool("What a file defines, with line numbers.", Outline, _outline),
    "schema": Tool("Tables, joins and example queries for a question about data.", Schema, _schema),
    "refs": Tool(
        "What calls, reads, writes, tests or inherits a name, or breaks with it, from the graph.", Refs, _refs
    ),
    "path": Tool("How one name leads to another, call by call down to tables.", PathOf, _path),
    "check_sql": Tool("What is wrong with a query, given the schema.", CheckSql, _check_sql),
}


def _spec(name: str, tool: Tool) -> ToolSpec:
    _, definitions = msgspec.json.schema_components([tool.arguments])
    schema = definitions[tool.arguments.__name__]
    schema_fields = {
        key: schema[key] for key in ("type", "properties", "required", "additionalProperties") if key in schema
    }
    return ToolSpec(name, tool.description, schema_fields)


SPECS = tuple(_spec(name, tool) for name, tool in TOOLS.items())
