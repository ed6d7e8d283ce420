"""The records of a repository's history: commits, and the lines that they changed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

__all__ = ["Change", "Commit", "Hunk", "Patch"]


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit."""

    id: str
    time: int  # seconds since 1970, when it was committed
    author: str  # as it is written, whatever signs that has
    subject: str
    parents: int


class Hunk(NamedTuple):
    """Lines of a file that became others, counted from 1; of none, the number is that of the line before."""

    old_start: int
    old_count: int
    new_start: int
    new_count: int


@dataclass(frozen=True, slots=True)
class Change:
    """What a commit did to a file; paths are relative to the root that was asked for."""

    old_path: str  # "" for a file that came
    new_path: str  # "" for a file that went
    old_blob: str
    new_blob: str
    hunks: tuple[Hunk, ...] = ()


@dataclass(frozen=True, slots=True)
class Patch:
    """The changes of a commit; of a merge, of the files that differ from all parents, one for each parent."""

    commit: str
    changes: tuple[Change, ...]
    is_merge: bool = False

    @property
    def lines(self) -> int:
        """How many lines went or came."""
        return sum(hunk.old_count + hunk.new_count for change in self.changes for hunk in change.hunks)
