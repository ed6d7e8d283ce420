"""Numbers with their nouns."""

from __future__ import annotations

__all__ = ["ago", "counted"]

MINUTE, HOUR, DAY = 60, 3_600, 86_400  # seconds


def counted(number: int, noun: str) -> str:
    """Return `1 file`, `2,000 files`, `3 entries`, `4 matches`."""
    plural = (
        noun[:-1] + "ies"
        if noun.endswith("y") and noun[-2:-1] not in "aeou"
        else noun + ("es" if noun.endswith("ch") else "s")
    )
    return f"{number:,} {noun if number == 1 else plural}"


def ago(seconds: float) -> str:
    """Return `just now`, `5 minutes ago`, `3 days ago`."""
    for size, unit in ((DAY, "day"), (HOUR, "hour"), (MINUTE, "minute")):
        if seconds >= size:
            return f"{counted(int(seconds // size), unit)} ago"
    return "just now"
