"""SQL text to sqlglot's trees, without its exceptions and without what it logs."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sqlglot import exp

__all__ = ["EXPLAIN", "SPACED", "load_parser", "parse_statements", "quiet_sqlglot"]

FREQUENT = ("", "postgres", "mysql")
EXPLAIN = re.compile(
    r"\A\s*+EXPLAIN\b(?:\s+(?:ANALYZE|ANALYSE|VERBOSE|QUERY\s+PLAN|EXTENDED|PLAN\s+FOR|FORMAT\s*=\s*\w+|\([^()]*\)))*\s*",
    re.IGNORECASE,
)
SPACED = re.compile(r"([<>!])\s+=")  # legal in T-SQL, and nothing that sqlglot reads
LOGGER = logging.getLogger("sqlglot")


def load_parser() -> None:
    """Load what the first text of the most frequent dialects would load."""
    for dialect in FREQUENT:
        parse_statements("SELECT 1", dialect)


@contextmanager
def quiet_sqlglot() -> Iterator[None]:
    """Keep sqlglot from writing every statement to stderr, as it is, that it passes through as a Command."""
    level = LOGGER.level
    LOGGER.setLevel(logging.ERROR)
    try:
        yield
    finally:
        LOGGER.setLevel(level)


def parse_statements(text: str, dialect: str) -> list[exp.Expr] | None:
    """Return the trees of a text's statements, or None if it does not parse; `dialect` is sqlglot's name of it."""
    import sqlglot
    from sqlglot import exp
    from sqlglot.errors import SqlglotError

    # Besides its own errors sqlglot raises those of Python for some of what is no SQL.
    no_sql = (SqlglotError, RecursionError, ValueError, AttributeError, TypeError, LookupError)
    try:
        with quiet_sqlglot():
            trees = sqlglot.parse(text, read=dialect)
    except no_sql:
        return None
    return [tree for tree in trees if tree is not None and not isinstance(tree, exp.Semicolon)]
