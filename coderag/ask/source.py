"""A passage of the index that an answer may cite."""

from __future__ import annotations

from coderag.record import record

__all__ = ["Source"]


@record
class Source:
    """A passage with the number that cites it; its lines are 1-based and inclusive."""

    number: int  # from 1, as in [1]
    repository: str
    path: str
    start_line: int
    end_line: int
    text: str
    name: str = ""  # of what it defines

    @property
    def place(self) -> str:
        """The path and lines, as path:start-end."""
        return f"{self.path}:{self.start_line}-{self.end_line}"
