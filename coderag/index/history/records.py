"""The records of a stored history."""

from __future__ import annotations

from dataclasses import dataclass

from coderag.types import Span

__all__ = ["FileHistory", "LoggedChange", "LoggedCommit"]


@dataclass(frozen=True, slots=True)
class LoggedCommit:
    """A commit, as the index keeps it."""

    id: str  # the beginning of its hash
    time: int  # seconds since 1970, when it was committed
    author: str
    subject: str  # without control characters, secrets masked
    files: int  # that it changed below the root
    lines: int  # that went or came there


@dataclass(frozen=True, slots=True)
class FileHistory:
    """A commit that changed a file."""

    commit: int  # its number
    path: str
    spans: tuple[tuple[int, int], ...]  # lines that it changed, as they stand in HEAD; () if none is left


@dataclass(frozen=True, slots=True)
class LoggedChange:
    """A commit that changed a definition or a file."""

    commit: str  # the beginning of its hash
    date: str  # ISO 8601, UTC, when it was committed
    author: str
    subject: str
    path: str
    name: str  # qualified, of the definition; "" for a file
    lines: tuple[Span, ...]  # of the definition that it changed, as they stand now
    repository: str
    is_exact: bool  # whether the file is indexed as HEAD has it, so that the lines are sure
