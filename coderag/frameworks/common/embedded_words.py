"""Which SQL in a string changes what a schema is, and which only changes rows."""

from __future__ import annotations

import re

__all__ = ["changes_schema"]

CHANGES = re.compile(
    r"(?i)\b(?:create|alter|drop|rename|comment\s+on)\s+(?:or\s+replace\s+)?(?:unlogged\s+|global\s+|local\s+)?"
    r"(?:temp(?:orary)?\s+)?(?:foreign\s+|unique\s+|materialized\s+)?"
    r"(?:table|type|view|function|procedure|trigger|domain|column|index)\b"
)


def changes_schema(text: str) -> bool:
    """Tell whether a text may create, change or drop something of a schema."""
    return CHANGES.search(text) is not None
