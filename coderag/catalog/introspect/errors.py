"""The errors of databases that are asked, besides DatabaseError."""

from __future__ import annotations

from coderag.errors import DatabaseError

__all__ = ["SlowDatabaseError", "StatementError"]


class SlowDatabaseError(DatabaseError):
    """A database that takes longer over a question than it may."""


class StatementError(DatabaseError):
    """One statement that a database refused; the connection goes on."""

    def __init__(self, text: str, position: int = -1) -> None:
        super().__init__(text)
        self.position = position  # of the sign in the statement that the database points at, -1 if it does not
