"""The query of a request to the record of an endpoint's parameters; their limits are those of the library."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct, field

from coderag.decoding import converted
from coderag.errors import QueryError
from coderag.limits import BUDGET, DEPTH, GLOBS, ITEMS, MAP_BUDGET, SQL, WAYS, K

__all__ = [
    "AskParameters",
    "CheckSqlParameters",
    "FileParameters",
    "ImpactParameters",
    "MapParameters",
    "NoParameters",
    "OutlineParameters",
    "PathParameters",
    "RefsParameters",
    "SchemaParameters",
    "SearchParameters",
    "SymbolParameters",
    "TableFilters",
    "TableParameters",
    "TablesParameters",
    "decoded",
]

MOST_LINES = 100_000

Words = Annotated[list[str], Meta(max_length=int(ITEMS.most), description="with commas, or several times")]
Globs = Annotated[list[str], Meta(max_length=int(GLOBS.most), description='globs; "!" in front excludes')]
Count = Annotated[int, Meta(ge=int(K.least), le=int(K.most))]
Text = Annotated[str, Meta(min_length=1)]
Tests = Literal["include", "demote", "exclude"]
Line = Annotated[int, Meta(ge=1, le=2**31)]


class NoParameters(Struct, frozen=True, kw_only=True):
    """Nothing to choose."""


class SearchParameters(Struct, frozen=True, kw_only=True):
    """The parameters of `search`."""

    q: Annotated[Text, Meta(description="a question, an identifier, or terms: a phrase in quotes, /regex/, lang:go")]
    k: Count = 10
    kind: Words = []
    language: Words = []
    path: Globs = []
    repository: Words = []
    database: Words = []
    tests: Tests = "demote"
    context: Annotated[Literal["lines", "whole"], Meta(description="whole: with the text of each hit")] = "lines"


class AskParameters(Struct, frozen=True, kw_only=True):
    """The parameters of `ask`."""

    q: Annotated[Text, Meta(description="a question in words")]
    k: Count = 5
    budget: Annotated[int, Meta(ge=int(BUDGET.least), le=int(BUDGET.most))] = 2000
    path: Globs = []
    language: Words = []
    kind: Words = []
    database: Words = []
    tests: Tests = "demote"
    session: Annotated[
        str, Meta(description='a conversation of the caller to go on with, so that "where is it called?" is understood')
    ] = ""
    stream: Annotated[bool, Meta(description="answer by events as it is made, as for Accept: text/event-stream")] = (
        False
    )


class SymbolParameters(Struct, frozen=True, kw_only=True):
    """The parameters of `symbol`."""

    name: Text
    k: Count = 20


class _Target(Struct, frozen=True, kw_only=True):
    kind: Words = []
    path: Globs = []


class RefsParameters(_Target, frozen=True, kw_only=True):
    """The parameters of `refs`."""

    target: Annotated[Text, Meta(description="a symbol, FILE, FILE:LINE, table, table.column or route")]
    k: Count = 10


class ImpactParameters(_Target, frozen=True, kw_only=True):
    """The parameters of `impact`."""

    target: Annotated[Text, Meta(description="a symbol, FILE, FILE:LINE, table, table.column or route")]
    change: Literal["rename", "drop", "type"] = "rename"
    depth: Annotated[int, Meta(ge=int(DEPTH.least), le=int(DEPTH.most))] = 3


class PathParameters(_Target, frozen=True, kw_only=True):
    """The parameters of `path`."""

    source: Text = field(name="from")
    target: Text = field(name="to")
    k: Annotated[int, Meta(ge=int(WAYS.least), le=int(WAYS.most))] = 3


class MapParameters(Struct, frozen=True, kw_only=True):
    """The parameters of `map`."""

    q: str = ""
    budget: Annotated[int, Meta(ge=int(MAP_BUDGET.least), le=int(MAP_BUDGET.most))] = 1024
    path: Globs = []
    kind: Words = []
    language: Words = []
    database: Words = []
    tests: Tests = "exclude"
    k: Annotated[Count | None, Meta(description="parts of each repository")] = None


class TableFilters(Struct, frozen=True, kw_only=True):
    """Which tables are meant."""

    database: Words = []
    schema: Words = []
    dialect: Words = []
    environment: Words = []
    domain: Words = []
    path: Globs = []
    kind: Words = []
    language: Words = []
    tests: Tests = "demote"


class SchemaParameters(TableFilters, frozen=True, kw_only=True):
    """The parameters of `schema`."""

    q: Text
    budget: Annotated[int, Meta(ge=int(BUDGET.least), le=int(BUDGET.most))] = 8000
    k: Count = 20
    evidence: str = ""


class TablesParameters(TableFilters, frozen=True, kw_only=True):
    """The parameters of `tables`."""

    q: Annotated[str, Meta(description='a glob on names: "order*", "sales.*"')] = ""
    k: Count | None = None


class TableParameters(TableFilters, frozen=True, kw_only=True):
    """The parameters of `table`."""

    name: Text


class CheckSqlParameters(TableFilters, frozen=True, kw_only=True):
    """The parameters of `check-sql`."""

    sql: Annotated[str, Meta(min_length=1, max_length=int(SQL.most))]
    writes: Annotated[bool, Meta(description="let statements write")] = False


class FileParameters(Struct, frozen=True, kw_only=True):
    """The parameters of `file`."""

    path: Annotated[Text, Meta(description="from the root, with forward slashes")]
    repository: str = ""
    start: Line = 1
    end: Line | None = None


class OutlineParameters(Struct, frozen=True, kw_only=True):
    """The parameters of `outline`."""

    path: Annotated[Text, Meta(description="from the root, with forward slashes")]
    repository: str = ""
    kind: Words = []


def decoded(record: type[Struct], given: Iterable[tuple[str, Any]]) -> Any:
    """Return names and values as a record; a list may be one value with commas, or several. Raises QueryError."""
    known = _fields(record)
    values: dict[str, Any] = {}
    for name, value in given:
        if name not in known:
            raise QueryError(f"unknown parameter {name[:100]!r}; known are {', '.join(known) or 'none'}")
        if known[name]:
            values[name] = values.get(name, []) + _items(name, value)
        elif name in values:
            raise QueryError(f"{name} is given twice")
        else:
            values[name] = value
    try:
        return converted(values, record, strict=False)
    except msgspec.ValidationError as error:
        raise QueryError(str(error)) from None


@cache
def _fields(record: type[Struct]) -> Mapping[str, bool]:
    """Return the names of the parameters of a record, each with whether it is a list; msgspec reads the types again."""
    return {each.encode_name: isinstance(each.default_factory, type) for each in msgspec.structs.fields(record)}


def _items(name: str, value: Any) -> list[Any]:
    """Return the items of a list; globs may have commas in them."""
    if isinstance(value, list):
        return value
    if name == "path" or not isinstance(value, str):
        return [value]
    return [word.strip() for word in value.split(",") if word.strip()]
