"""The arguments of the tools, and how what a language model writes is understood."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

import msgspec
from msgspec import Meta, Struct

from coderag.decoding import converted
from coderag.errors import QueryError

__all__ = [
    "AskArguments",
    "CheckSqlArguments",
    "OutlineArguments",
    "SchemaArguments",
    "SearchArguments",
    "SymbolArguments",
    "decoded",
    "words",
]

NAME_CHARACTERS = 1_000

Name = Annotated[str, Meta(max_length=NAME_CHARACTERS)]
Budget = Annotated[int, Meta(ge=200, le=50_000, description="tokens of the answer")]
Paths = Annotated[str, Meta(max_length=NAME_CHARACTERS, description='globs: "src/**,!**/legacy/**"')]
Kinds = Annotated[str, Meta(max_length=NAME_CHARACTERS)]


class SearchArguments(Struct, frozen=True, kw_only=True):
    """The arguments of `search`."""

    query: Annotated[str, Meta(min_length=1, max_length=30_000, description="question, identifier or exact text")]
    k: Annotated[int, Meta(ge=1, le=200, description="hits at most")] = 30
    budget: Budget = 3000
    kind: Annotated[Kinds, Meta(description="function,method,class,table,view,query,section,...")] = ""
    path: Paths = ""
    tests: Literal["demote", "include", "exclude"] = "demote"
    context: Annotated[Literal["whole", "brief", "names"], Meta(description="how much of each hit")] = "whole"


class SymbolArguments(Struct, frozen=True, kw_only=True):
    """The arguments of `symbol`."""

    name: Annotated[Name, Meta(min_length=1, description="Session.get, FILE:LINE, table, table.column or route")]
    what: Literal["definition", "references", "callers", "implementations", "impact", "path"] = "definition"
    to: Annotated[Name, Meta(description="where a path leads to")] = ""
    kind: Kinds = ""
    path: Paths = ""
    budget: Budget = 2000


class OutlineArguments(Struct, frozen=True, kw_only=True):
    """The arguments of `outline`."""

    path: Annotated[Name, Meta(description="file, folder or glob; empty for everything")] = ""
    about: Annotated[Name, Meta(description="puts the parts first that it is about")] = ""
    budget: Budget = 1500


class SchemaArguments(Struct, frozen=True, kw_only=True):
    """The arguments of `schema`."""

    question: Annotated[str, Meta(max_length=30_000, description="what the SQL is to answer")] = ""
    table: Annotated[Name, Meta(description="instead: all about this table, with the code that uses it")] = ""
    database: Annotated[Name, Meta(description="only these, if there are several")] = ""
    budget: Budget = 4000


class CheckSqlArguments(Struct, frozen=True, kw_only=True):
    """The arguments of `check_sql`."""

    sql: Annotated[str, Meta(min_length=1, max_length=1_000_000)]
    dialect: Name = ""
    database: Name = ""
    writes: Annotated[bool, Meta(description="allow statements that write")] = False


class AskArguments(Struct, frozen=True, kw_only=True):
    """The arguments of `ask`."""

    question: Annotated[str, Meta(min_length=1, max_length=30_000)]
    path: Paths = ""
    budget: Annotated[int, Meta(ge=200, le=50_000, description="tokens of the sources that the model reads")] = 2000
    agentic: Annotated[bool, Meta(description="the model may call the other tools first")] = False
    session: Annotated[Name, Meta(description="a name: goes on with the conversation of that name")] = ""


def words(text: str) -> list[str]:
    """Return the items of a list with commas."""
    return [word.strip() for word in text.split(",") if word.strip()]


def decoded(tool: str, record: type[msgspec.Struct], given: Mapping[str, Any]) -> Any:
    """Return the arguments of a tool as its record; raises QueryError.

    Language models write lists where a text with commas is meant, numbers as text, and null for what they leave out.
    """
    plain = {name: _plain(value) for name, value in given.items() if value is not None}
    known = [field.name for field in msgspec.structs.fields(record)]
    if unknown := sorted(set(plain) - set(known)):
        raise QueryError(f"{tool} has no argument {unknown[0]!r}; it has {', '.join(known)}")
    try:
        return converted(plain, record, strict=False)
    except msgspec.ValidationError as error:
        raise QueryError(f"{tool}: {error}{_choices(record, plain)}") from None


def _choices(record: type[msgspec.Struct], given: Mapping[str, Any]) -> str:
    """Return what the arguments may be that have none of their values, "" if all have one."""
    hints = get_type_hints(record)
    choices = {name: get_args(hints[name]) for name in given if get_origin(hints[name]) is Literal}
    return "".join(
        f"; {name} is {', '.join(values[:-1])} or {values[-1]}"
        for name, values in choices.items()
        if given[name] not in values
    )


def _plain(value: Any) -> Any:
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return ",".join(value)
    return value
