"""An expression of Go to the struct that it is of, as far as the file says so."""

from __future__ import annotations

import re

from tree_sitter import Node

from coderag.frameworks.usage.binding import Told
from coderag.frameworks.usage.entities import is_class_name
from coderag.frameworks.usage.source_file import CodeFile
from coderag.syntax.trees.call_chains import chain_of, unwrapped
from coderag.syntax.trees.tree import text_of

__all__ = ["struct_of"]

SLICE = re.compile(r"^(?:\[\d*\]|\*|&)+")


def struct_of(code: CodeFile, node: Node | None, depth: int = 0) -> str:
    """Return the struct that an expression is of, package included: "model.User"."""
    node = unwrapped(node)
    if node is None or depth > 8:
        return ""
    if node.type == "composite_literal":
        return _struct(text_of(node.child_by_field_name("type")))
    if node.type == "call_expression":
        function = text_of(node.child_by_field_name("function"))
        nodes = list((node.child_by_field_name("arguments") or node).named_children)
        return _struct(text_of(nodes[0])) if function in {"new", "make"} and nodes else ""
    chain = chain_of(node)
    if chain is None or any(link.arguments is not None and link.name != "[]" for link in chain.links):
        return ""
    bounds = code.bound(chain.links[0].name, node.start_byte)
    if chain.links[0].arguments is not None or [link for link in chain.links[1:] if link.name != "[]"]:
        return ""
    for bound in reversed(bounds):
        if bound.told is Told.TYPE:
            if found := _struct(text_of(bound.node)):
                return found
        elif found := struct_of(code, bound.node, depth + 1):
            return found
    return _result(code, chain.links[0].name, node)


def _result(code: CodeFile, name: str, node: Node) -> str:
    """Return the struct of a named result of the function around a place."""
    scope = code.scope(node.start_byte)
    if scope < 0:
        return ""
    definition = code.outline.definitions[scope]
    match = re.search(rf"[(,]\s*{re.escape(name)}\s+([\[\]*\w.]+)", definition.signature)
    return _struct(match[1]) if match else ""


def _struct(text: str) -> str:
    """Return the struct of a type as written: `*[]model.User` is "model.User"."""
    plain = SLICE.sub("", text.strip())
    while SLICE.match(plain):
        plain = SLICE.sub("", plain)
    plain = plain.partition("[")[0]
    return plain if is_class_name(plain.rpartition(".")[2]) else ""
