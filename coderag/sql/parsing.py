"""SQL text to sqlglot's trees, without its exceptions and without what it logs."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sqlglot import exp

__all__ = ["parse_statements"]

LOGGER = logging.getLogger("sqlglot")


def parse_statements(text: str, dialect: str) -> list[exp.Expr] | None:
    """Return the trees of a text's statements, or None where it does not parse; `dialect` is sqlglot's name of it."""
    import sqlglot
    from sqlglot import exp
    from sqlglot.errors import SqlglotError

    # Besides its own errors sqlglot raises those of Python for some of what is no SQL.
    no_sql = (SqlglotError, RecursionError, ValueError, AttributeError, TypeError, LookupError)
    level = LOGGER.level
    LOGGER.setLevel(logging.ERROR)  # it warns, on stderr, of every statement that it passes through as a Command
    try:
        trees = sqlglot.parse(text, read=dialect)
    except no_sql:
        return None
    finally:
        LOGGER.setLevel(level)
    return [tree for tree in trees if tree is not None and not isinstance(tree, exp.Semicolon)]
