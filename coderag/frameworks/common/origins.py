"""Where in a file a declaration stands, and the note of one that was not read."""

from __future__ import annotations

from tree_sitter import Node

from coderag.sql.records import Source, Unparsed
from coderag.syntax.trees.tree import row_of, text_of

__all__ = ["COMPUTED_NAME", "COMPUTED_REASON", "lines_of", "unparsed_at"]

COMPUTED_REASON = "computed at run time"
COMPUTED_NAME = "its name is computed at run time"
HEAD_CHARS = 80


def lines_of(node: Node) -> Source:
    """Return a node's lines; one that ends at the very start of a line does not hold that line."""
    row, column = node.end_point
    last = row - 1 if column == 0 and row > node.start_point[0] else row
    return Source(start_line=node.start_point[0] + 1, end_line=last + 1)


def unparsed_at(node: Node, reason: str) -> Unparsed:
    """Return the note of a declaration or change of a table that was not read."""
    head = " ".join(text_of(node).partition("\n")[0].split())[:HEAD_CHARS]
    return Unparsed(line=row_of(node), head=head, reason=reason, table=True)
