"""Schemas as they are compared, and what the comparison found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

__all__ = ["Counts", "Reference", "Score", "Table", "plain"]


@dataclass(frozen=True, slots=True, order=True)
class Reference:
    """A foreign key: its columns and the table that it references, all names as `plain` gives them."""

    columns: tuple[str, ...]
    table: str


@dataclass(frozen=True, slots=True)
class Table:
    """What is compared of a table."""

    columns: frozenset[str]
    key: tuple[str, ...] = ()
    references: frozenset[Reference] = frozenset()


@dataclass(frozen=True, slots=True)
class Counts:
    """How many names are right, of how many true ones and of how many that were said."""

    right: int = 0
    true: int = 0
    said: int = 0

    @property
    def recall(self) -> float | None:
        """Return the share of true ones that were said; None where there are none."""
        return self.right / self.true if self.true else None

    @property
    def precision(self) -> float | None:
        """Return the share of what was said that is true; None where there was nothing to say, and nothing was."""
        if self.said:
            return self.right / self.said
        return 0.0 if self.true else None


@dataclass(frozen=True, slots=True)
class Score:
    """How the answer for one application compares."""

    tables: Counts
    columns: Counts
    references: Counts
    keys: Counts  # primary keys of tables that were found
    databases: int
    copies: int  # further entries of a table's name
    wrong: Mapping[str, tuple[str, ...]]  # what kind of error, and where


def plain(name: str) -> str:
    """Return a name as it is compared: without schema, quotes and case."""
    return name.rsplit(".", 1)[-1].strip('"`[]').casefold()
