"""A migration in JavaScript or TypeScript to the function that leads up."""

from __future__ import annotations

from tree_sitter import Node

from coderag.syntax.languages.javascript import Code, unwrapped
from coderag.syntax.trees.tree import descendants, text_of

__all__ = ["up_function"]


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
