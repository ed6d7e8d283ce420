"""The comments above and behind a node of a syntax tree, as the documentation of what it declares."""

from __future__ import annotations

import re

from tree_sitter import Node

from coderag.syntax.trees.tree import text_of
from coderag.text.comments import doc_summary

__all__ = ["comment_above", "comment_behind", "comment_of"]

# The annotate gem writes columns and keys of the table into the comment of its model.
ANNOTATION = re.compile(r"^[# \t]*(?:==|##)[ \t]*Schema Information.*", re.MULTILINE | re.DOTALL)
# Code that was commented out says nothing of what stands below it.
CODE_LIKE = re.compile(r"[;{}]\s*$|^\W*@\w+\(|^\W*(?:t|validates?|belongs_to|has_many|field|import|@Column)\b.*[:(\"]")


def comment_above(node: Node) -> str:
    """Return the first sentence of the comment that stands on the rows right above a node, "" for none."""
    found: list[str] = []
    row = node.start_point[0]
    above = node.prev_sibling
    while above is not None and "comment" in above.type and _last_row(above) == row - 1 and _leads_row(above):
        found.append(text_of(above).rstrip())
        row = above.start_point[0]
        above = above.prev_sibling
    return _words("\n".join(reversed(found)))


def comment_behind(node: Node) -> str:
    """Return the first sentence of the comment that stands behind a node on its last row, "" for none."""
    row = node.end_point[0]
    behind = node.next_sibling
    while behind is not None and behind.start_point[0] == row and (not behind.is_named or behind.type == "decorator"):
        behind = behind.next_sibling
    if behind is None or "comment" not in behind.type or behind.start_point[0] != row:
        return ""
    return _words(text_of(behind))


def comment_of(node: Node) -> str:
    """Return the comment above a node, or the one behind it."""
    return comment_above(node) or comment_behind(node)


def _words(text: str) -> str:
    text = ANNOTATION.sub("", text)
    return "" if not text or CODE_LIKE.search(text) else doc_summary(text)


def _last_row(node: Node) -> int:
    row, column = node.end_point
    return row - 1 if column == 0 and row > node.start_point[0] else row


def _leads_row(comment: Node) -> bool:
    """Tell whether nothing stands before a comment on its row, so that it does not belong to that."""
    before = comment.prev_sibling
    return before is None or _last_row(before) < comment.start_point[0]
