"""How much of a text of C its grammar cannot read, apart from macros that the preprocessor would replace."""

from __future__ import annotations

import re

from tree_sitter import Node

__all__ = ["error_size"]

# Where a macro may stand as one more word: `static INLINE int f(void)`, `int CDECL g(void)`.
SPECIFIED = frozenset({"declaration", "field_declaration", "function_definition", "parameter_declaration"})
WORD = re.compile(rb"\w+")
POINTER = re.compile(rb"[*\s]+")


def error_size(root: Node) -> int:
    """Return how many bytes below a node are in no rule of the grammar, and how many signs are missing in it."""
    found = 0
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if node.is_error or node.is_missing:
            found += 0 if _is_of_macro(node) else 1 + node.end_byte - node.start_byte
        elif node.has_error:
            waiting += node.children
    return found


def _is_of_macro(node: Node) -> bool:
    """Tell whether a macro explains an error, so that the names around it are read right."""
    around = node.parent.type if node.parent is not None else ""
    text = node.text or b""
    if node.is_missing:  # a macro that is a whole statement, or has a value where a type may stand
        return (around, node.type) in {("expression_statement", ";"), ("macro_type_specifier", ")")}
    if around in SPECIFIED:
        return WORD.fullmatch(text) is not None
    # offsetof(type, a.b); va_arg(list, type *); MACRO(5) in a struct
    return around in {"offsetof_expression", "macro_type_specifier"} or (
        around == "argument_list" and POINTER.fullmatch(text) is not None
    )
