"""The records of an evaluation: questions, and what answers them."""

from __future__ import annotations

from dataclasses import dataclass

from coderag.types import Span

__all__ = ["JudgedQuestion", "Wanted"]


@dataclass(frozen=True, slots=True)
class Wanted:
    """Something that answers a question: a file, lines of one, a definition, or a table."""

    path: str = ""  # relative to the root; "" for a definition wherever it is, and for a table
    span: Span | None = None  # None: all of the file
    symbol: str = ""  # a qualified name or the end of one
    table: str = ""  # a table's name, with schema and database or without

    def __str__(self) -> str:
        """Return it as one would write it."""
        lines = f":{self.span.start_line}-{self.span.end_line}" if self.span else ""
        return self.table or " ".join(filter(None, (f"{self.path}{lines}", self.symbol)))


@dataclass(frozen=True, slots=True)
class JudgedQuestion:
    """A question and what answers it; one without anything wanted is answered by nothing in the index.

    Each of `wanted` is needed; it is a tuple of places of which any will do: overloads, copies, files named alike.
    """

    text: str
    wanted: tuple[tuple[Wanted, ...], ...]
    kind: str = ""  # of question: what its maker says, "commit", "documentation", "schema"
    language: str = ""  # "" if the answers tell it
    evidence: str = ""  # of a question about data: what else is known
    database: str = ""  # of a question about data: the only one to look in
    source: str = ""  # where it comes from: a line of a file, a commit, a definition

    @property
    def is_answerable(self) -> bool:
        """Whether the repository answers it; the right answer to another is that there is none."""
        return bool(self.wanted)

    @property
    def is_schema(self) -> bool:
        """Whether tables answer it."""
        return any(place.table for places in self.wanted for place in places)
