"""The tools, their descriptions and the schemas of their arguments, for every server that offers them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from coderag.errors import QueryError
from coderag.serve.answer import Answer
from coderag.serve.answers.search import SearchArguments, search
from coderag.serve.workspace import Workspace

__all__ = ["INSTRUCTIONS", "TOOLS", "Tool", "call"]

INSTRUCTIONS = "Search this code base with coderag before grep."


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool, its words for a language model, and what answers a call."""

    name: str
    description: str
    arguments: type[msgspec.Struct]
    run: Callable[..., Answer]

    @property
    def parameters(self) -> dict[str, Any]:
        """The JSON schema of its arguments, an object."""
        _, definitions = msgspec.json.schema_components([self.arguments])
        schema: dict[str, Any] = definitions[self.arguments.__name__]
        return schema


TOOLS: Mapping[str, Tool] = {
    tool.name: tool for tool in (Tool("search", "Find code by what it does.", SearchArguments, search),)
}


def call(workspace: Workspace, name: str, arguments: Mapping[str, Any]) -> Answer:
    """Return the answer of a tool; raises QueryError for an unknown one and for wrong arguments, and CoderagError."""
    tool = TOOLS.get(name)
    if tool is None:
        raise QueryError(f"unknown tool {name!r}; there are {', '.join(TOOLS)}")
    try:
        given = msgspec.convert(dict(arguments), tool.arguments, strict=False)
    except msgspec.ValidationError as error:
        raise QueryError(f"{name}: {error}") from None
    return tool.run(workspace, given)
