"""The tools, their descriptions and the schemas of their arguments, for every server that offers them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

import msgspec

from coderag.errors import QueryError
from coderag.serve.answer import Answer
from coderag.serve.arguments import (
    AskArguments,
    CheckSqlArguments,
    OutlineArguments,
    SchemaArguments,
    SearchArguments,
    SymbolArguments,
    decoded,
)

if TYPE_CHECKING:
    from coderag.serve.workspace import Workspace

__all__ = ["INSTRUCTIONS", "MODEL_TOOLS", "TOOLS", "Tool", "call", "never", "offered"]

INSTRUCTIONS = """\
This project is indexed by coderag: its code, its database schema and its documents. Start here, before grep, find or
reading files: one `search` returns the whole functions that answer a question, with path:line. Use `symbol` for who
calls or uses something and for what a change would break, `schema` before you write SQL, `check_sql` after. The index
follows every edit. Grep only to list every occurrence of an exact string."""


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool and its words for a language model; a function of its name in coderag.serve.answers answers a call."""

    name: str
    description: str
    arguments: type[msgspec.Struct]
    asks_model: bool = False  # it sends what it found to the language model of the workspace

    def run(
        self, workspace: Workspace, arguments: msgspec.Struct, *, stopped: Callable[[], bool], owner: str = ""
    ) -> Answer:
        """Answer a call; raises CoderagError. What asks a language model ends when `stopped` says so.

        `owner` is the caller of several whose conversations it may go on with.
        """
        module = import_module(f"coderag.serve.answers.{self.name}")  # what lists the tools needs none of them
        more = {"stopped": stopped, "owner": owner} if self.asks_model else {}
        answer: Answer = getattr(module, self.name)(workspace, arguments, **more)
        return answer

    @property
    def parameters(self) -> dict[str, Any]:
        """The JSON schema of its arguments, an object."""
        _, definitions = msgspec.json.schema_components([self.arguments])
        schema = _bare(definitions[self.arguments.__name__])
        return {"type": "object", "properties": schema["properties"], "required": schema["required"]}


def _bare(schema: Any) -> Any:
    """Return a JSON schema without what a language model does not need: bounds of lengths, and empty defaults."""
    if isinstance(schema, list):
        return [_bare(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    unneeded = {"title", "minLength", "maxLength"} | ({"default"} if schema.get("default") in ("", False) else set())
    if "enum" in schema:
        unneeded.add("type")
    return {name: _bare(value) for name, value in schema.items() if name not in unneeded}


TOOLS: Mapping[str, Tool] = {
    tool.name: tool
    for tool in (
        Tool(
            "search",
            "Find code, tables, queries and documents by meaning, identifier or exact text. Use it before grep and "
            "before reading files, for every question such as 'where is X handled?', 'how does Y work?', and to find "
            "what to edit. Returns whole definitions, path:line first, the best first, within a budget of tokens; "
            "follow-up questions are cheap.",
            SearchArguments,
        ),
        Tool(
            "symbol",
            "Everything about one name, resolved by a graph of calls and data instead of text matches: its definition "
            "(whole), all references, callers, implementations, the impact of changing it (with the tests to run), or "
            "the path from it to another name, such as from a route to a table. Use it instead of grepping for a name.",
            SymbolArguments,
        ),
        Tool(
            "outline",
            "What a file defines, with line numbers; or a map of a folder or of the whole repository: its main parts "
            "and what matters most in each. Use it instead of listing folders and instead of reading a file to see "
            "what is in it.",
            OutlineArguments,
        ),
        Tool(
            "schema",
            "Before you write SQL: the tables, columns, keys, join paths, example queries and business rules that a "
            "question needs, from the schema itself. With 'table': everything about one table, and which code reads "
            "and writes it.",
            SchemaArguments,
        ),
        Tool(
            "check_sql",
            "After you wrote SQL: unknown tables and columns, wrong joins and types, statements that write; with what "
            "was probably meant.",
            CheckSqlArguments,
        ),
    )
}


# Those that are offered only where the user names a language model.
MODEL_TOOLS: Mapping[str, Tool] = {
    "ask": Tool(
        "ask",
        "A question in words, answered in prose by a language model from what is indexed. Each sentence cites its "
        "source as [n] and was checked against it; what the sources do not say is left out, or the answer is 'not "
        "found'. It takes seconds to minutes: use search where you can read for yourself.",
        AskArguments,
        asks_model=True,
    ),
}


def offered(language_model: str) -> Mapping[str, Tool]:
    """Return the tools that are offered with a language model, or without."""
    return {**TOOLS, **MODEL_TOOLS} if language_model else TOOLS


def never() -> bool:
    """Tell that somebody waits for an answer, whatever happens."""
    return False


def call(
    workspace: Workspace,
    name: str,
    arguments: Mapping[str, Any],
    *,
    stopped: Callable[[], bool] = never,
    owner: str = "",
) -> Answer:
    """Return the answer of a tool; raises QueryError for an unknown one and for wrong arguments, and CoderagError.

    `stopped` tells whether nobody waits for it any longer, `owner` the caller of several whose conversations they are.
    """
    tools = offered(workspace.language_model)
    tool = tools.get(name)
    if tool is None:
        raise QueryError(f"unknown tool {name!r}; there are {', '.join(tools)}")
    return tool.run(workspace, decoded(name, tool.arguments, arguments), stopped=stopped, owner=owner)
