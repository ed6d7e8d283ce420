"""Numbers with their nouns."""

from __future__ import annotations

__all__ = ["counted"]


def counted(number: int, noun: str) -> str:
    """Return `1 file`, `2,000 files`, `3 entries`, `4 matches`."""
    plural = (
        noun[:-1] + "ies"
        if noun.endswith("y") and noun[-2:-1] not in "aeou"
        else noun + ("es" if noun.endswith("ch") else "s")
    )
    return f"{number:,} {noun if number == 1 else plural}"
