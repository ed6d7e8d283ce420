"""Arguments of calls and annotations to what holds their text: objects, lists, scripts of MyBatis."""

from __future__ import annotations

import re

from tree_sitter import Node

from coderag.sql.in_code.evaluation.string_values import Text, Value
from coderag.syntax.trees.nodes import TEXT_KEYS, field_or, named_children, text_of

__all__ = ["declaration_of", "text_argument", "without_tags"]

TAG = re.compile(r"<[^<>]{1,400}>|<!\[CDATA\[|\]\]>")
LEADING = re.compile(r"\b(WHERE)\s{1,200}(?:AND|OR)\b", re.IGNORECASE)
TRAILING = re.compile(r",\s{0,200}(WHERE\b|\Z)", re.IGNORECASE)
MAX_LEVELS = 6  # between an annotation and what it stands before


def text_argument(node: Node) -> Node:
    """Return what holds the text of an argument that is an object: { text: "...", values: [] }, ["...", 1]."""
    if node.type == "object":
        for pair in named_children(node):
            if text_of(field_or(pair, "key")).strip("'\"") in TEXT_KEYS:
                return field_or(pair, "value") or node
    if node.type in {"array", "tuple", "array_creation_expression"} and (inner := named_children(node)):
        first = inner[0]
        return named_children(first)[0] if first.type == "array_element_initializer" and first.named_children else first
    return node


def declaration_of(node: Node) -> Node:
    """Return what an annotation stands before."""
    for _ in range(MAX_LEVELS):
        parent = node.parent
        if parent is None:
            return node
        if "declaration" in parent.type or parent.type in {"method", "function_item"}:
            return field_or(parent, "name") or parent
        node = parent
    return node


def without_tags(value: Value) -> Value:
    """Return a text without the tags that MyBatis has in its scripts."""
    if not any(isinstance(part, Text) and "<script>" in part.text for part in value):
        return value
    return tuple(part._replace(text=_plain(part.text)) if isinstance(part, Text) else part for part in value)


def _plain(text: str) -> str:
    text = text.replace("<where>", " WHERE ").replace("<set>", " SET ")
    text = TAG.sub(" ", text)
    text = LEADING.sub(r"\1", text)
    return TRAILING.sub(r" \1", text)
