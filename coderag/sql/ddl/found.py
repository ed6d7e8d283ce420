"""What reading a statement needs to know of it, and what comes of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from coderag.sql.records import SchemaOperation, Unparsed
from coderag.sql.statements.cursor import Cursor
from coderag.sql.statements.dialect import Dialect

__all__ = ["About", "Found", "head_of_text"]

HEAD_CHARACTERS = 60


class About(NamedTuple):
    """What stands around a statement."""

    dialect: Dialect
    before: str = ""  # the comment above it
    after: str = ""  # the comment behind it, on the same line


@dataclass(slots=True)
class Found:
    """The operations of statements, and what of them could not be read."""

    operations: list[SchemaOperation] = field(default_factory=list)
    unparsed: list[Unparsed] = field(default_factory=list)

    def lose(self, cursor: Cursor, reason: str, *, first: int, table: bool) -> None:
        """Note that tokens from `first` on could not be read."""
        text = cursor.script.text[cursor.tokens[first].start :] if first < len(cursor.tokens) else ""
        self.unparsed.append(Unparsed(cursor.source(first).start_line, head_of_text(text), reason, table))

    def add(self, other: Found) -> None:
        """Take what another statement gave."""
        self.operations += other.operations
        self.unparsed += other.unparsed


def head_of_text(text: str) -> str:
    """Return the first words of a text, on one line."""
    head = " ".join(text[: 4 * HEAD_CHARACTERS].split())
    return head if len(head) <= HEAD_CHARACTERS else head[: HEAD_CHARACTERS - 1].rstrip() + "…"
