"""Classes and DQL as code writes them: `Entry::class`, 'App\\Entity\\Entry', strings that are added up."""

from __future__ import annotations

import re

from tree_sitter import Node

from coderag.frameworks.usage.entities import is_class_name
from coderag.syntax.trees.call_chains import chain_of, literal, unwrapped
from coderag.syntax.trees.tree import named, text_of

__all__ = ["GENERAL", "class_in", "dql_in", "entity_of_repository"]

GENERAL = frozenset("Entity Object Document Service ServiceEntity Base Abstract".split())  # bases of repositories
CLASS_WORD = re.compile(r"^\\?(?:\w+[\\:])*([A-Z]\w*)$")
TEXTS = frozenset({"string_content", "nowdoc_string"})
MAX_PARTS = 100  # of a string that is added up


def class_in(node: Node | None) -> str:
    """Return the class of `Entry::class`, 'App\\Entity\\Entry' and 'AppBundle:Entry', the last part of its name."""
    node = unwrapped(node)
    if node is None:
        return ""
    if node.type == "class_constant_access_expression":
        name, _, constant = text_of(node).rpartition("::")
        last = name.rpartition("\\")[2]
        return last if constant == "class" and is_class_name(last) and last not in {"self", "static"} else ""
    match = CLASS_WORD.match(literal(node) or "")
    return match[1] if match is not None and is_class_name(match[1]) else ""


def entity_of_repository(text: str) -> str:
    """Return the entity of a repository by its type: Entry of `?EntryRepositoryInterface`."""
    for one in text.strip("?").split("|"):
        name = one.rpartition("\\")[2].strip().removesuffix("Interface")
        entity = name.removesuffix("Repository")
        if entity and entity != name and entity not in GENERAL:
            return entity
    return ""


def dql_in(node: Node | None, depth: int = 0) -> str | None:
    """Return a string, also one that is added up; what is put in at run time is a blank."""
    node = unwrapped(node)
    if node is None or depth > MAX_PARTS:
        return None
    if node.type == "binary_expression":
        sides = [dql_in(node.child_by_field_name(side), depth + 1) for side in ("left", "right")]
        return "".join(" " if side is None else side for side in sides)
    if node.type == "class_constant_access_expression":
        return class_in(node) or None
    body = node.child_by_field_name("value") if node.type in {"heredoc", "nowdoc"} else node
    if body is not node or (node.type == "encapsed_string" and literal(node) is None):
        return "".join(text_of(one) if one.type in TEXTS else " " for one in named(body))
    if node.type == "function_call_expression" and text_of(node.child_by_field_name("function")).endswith("sprintf"):
        chain = chain_of(node)
        return dql_in(chain.links[-1].argument(0), depth + 1) if chain is not None else None
    return literal(node)
