"""A migration in JavaScript or TypeScript to the function that leads up, and the SQL of its calls to operations."""

from __future__ import annotations

from tree_sitter import Node

from coderag.frameworks.common.embedded_sql import read_embedded
from coderag.frameworks.common.embedded_words import changes_schema
from coderag.frameworks.common.origins import COMPUTED_REASON, lines_of, unparsed_at
from coderag.sql.records import Facts
from coderag.syntax.languages.javascript import Code, unwrapped
from coderag.syntax.trees.tree import descendants, text_of

__all__ = ["sql_facts", "up_function"]


def up_function(code: Code) -> Node | None:
    """Return the exported function `up`."""
    if (constant := code.constants.get("up")) is not None:
        return constant
    for node in descendants(code.root, "function_declaration", "assignment_expression", "pair", "method_definition"):
        name = node.child_by_field_name("name") or node.child_by_field_name("left") or node.child_by_field_name("key")
        if text_of(name).rpartition(".")[2] == "up":
            value = node.child_by_field_name("right") or node.child_by_field_name("value")
            return unwrapped(value) if value is not None else node
    return None


def sql_facts(call: Node, argument: Node, *, code: Code, path: str, dialect: str = "") -> Facts | None:
    """Return what the SQL that a call is given does; None for what changes rows only."""
    text = code.value(argument)
    if not changes_schema(text if isinstance(text, str) else text_of(argument)):
        return None
    if not isinstance(text, str):
        return Facts(unparsed=(unparsed_at(call, COMPUTED_REASON),))
    return read_embedded(text, source=lines_of(argument), path=path, dialect=dialect)
