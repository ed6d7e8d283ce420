"""What is told of a secret; it is all that a search imports of how they are found."""

from __future__ import annotations

from coderag.record import record

__all__ = ["Secret"]


@record
class Secret:
    """Where a secret was; never what it was."""

    line: int  # the first of it, 1-based
    kind: str
