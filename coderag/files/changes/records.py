"""The records of a change: its files, with the texts and the changed lines of both sides."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from coderag.types import Span

__all__ = ["ChangeSet", "ChangedFile", "LeftOut", "WhyLeftOut"]


class WhyLeftOut(StrEnum):
    """Why the content of a changed file is not looked at."""

    BINARY = "binary"
    LINK = "a link or a submodule"
    TOO_LARGE = "too large"
    MISSING = "missing in this clone"
    DOES_NOT_FIT = "the patch does not fit the file as it is"
    TOO_MANY = "more files than are looked at"


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """A file that a change touches; paths are relative to the root, with forward slashes."""

    old_path: str  # "" for a file that comes
    new_path: str  # "" for a file that goes
    old: bytes = b""
    new: bytes = b""
    old_lines: tuple[Span, ...] = ()  # that went or changed
    new_lines: tuple[Span, ...] = ()  # that came or changed

    @property
    def path(self) -> str:
        """The path that the file has, else the one that it had."""
        return self.new_path or self.old_path


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A changed file that is not looked at."""

    path: str
    reason: WhyLeftOut


@dataclass(frozen=True, slots=True)
class ChangeSet:
    """A change of a root."""

    title: str  # what was compared: "the worktree with HEAD"
    files: tuple[ChangedFile, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
