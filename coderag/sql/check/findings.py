"""What is wrong with a statement, and where."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sqlglot import exp

__all__ = ["Code", "Finding", "Severity", "extent", "finding"]


class Severity(StrEnum):
    """How bad it is: an error will fail or is not meant, a warning may be."""

    ERROR = "error"
    WARNING = "warning"


class Code(StrEnum):
    """What is wrong."""

    SYNTAX = "syntax"
    UNKNOWN_TABLE = "unknown-table"
    UNKNOWN_COLUMN = "unknown-column"
    DUPLICATE_ALIAS = "duplicate-alias"
    AMBIGUOUS_COLUMN = "ambiguous-column"
    AMBIGUOUS_DATABASE = "ambiguous-database"  # several have all that is named
    OTHER_DATABASE = "other-database"  # a table is not in that of the others
    CARTESIAN_PRODUCT = "cartesian-product"
    UNGROUPED_COLUMN = "ungrouped-column"
    TYPE_MISMATCH = "type-mismatch"
    WRONG_FUNCTION = "wrong-function"
    WRITES = "writes"
    TOO_LARGE = "too-large"  # to be checked, or nested too deeply
    REFUSED = "refused"  # by the database that was asked to explain it


@dataclass(frozen=True, slots=True)
class Finding:
    """Something wrong, with its place: lines and columns are 1-based, the end is inclusive."""

    code: Code
    severity: Severity
    message: str
    line: int = 1
    column: int = 1
    end_column: int = 1
    suggestions: tuple[str, ...] = ()  # what may have been meant, the likeliest first


def finding(
    code: Code,
    message: str,
    *,
    text: str,
    extent: tuple[int, int],
    severity: Severity = Severity.ERROR,
    suggestions: tuple[str, ...] = (),
) -> Finding:
    """Return a finding about the characters `extent` (first, one past the last) of a text."""
    start, end = min(extent[0], len(text)), min(extent[1], len(text))
    begin = text.rfind("\n", 0, start) + 1
    until = text.find("\n", start)
    last = min(end, until if until >= 0 else len(text))
    line = text.count("\n", 0, start) + 1
    column = start - begin + 1
    return Finding(code, severity, message, line, column, max(last - begin, column), suggestions)


def extent(node: exp.Expr) -> tuple[int, int]:
    """Return the first and one past the last character of a node in the text that it was parsed from."""
    places = [one.meta for one in node.walk() if "start" in one.meta]
    if not places:
        return 0, 1
    return min(place["start"] for place in places), max(place["end"] for place in places) + 1
