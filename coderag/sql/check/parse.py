"""The text of a statement to its tree, in the dialect that it is written in where nobody says which."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.tokenizer_core import Token

from coderag.sql.check.written import written
from coderag.sql.statements.dialect import GENERIC, Dialect
from coderag.sql.statements.parsing import quiet_sqlglot

__all__ = ["NO_SQL", "Parsed", "parsed"]

# Besides its own errors sqlglot raises those of Python for some of what is no SQL.
NO_SQL = (SqlglotError, RecursionError, ValueError, AttributeError, TypeError, LookupError)
# Where the dialect is unknown, what is SQL in one of these is no error: `backticks`, [brackets], ~, TOP.
TRIED = ("", "sqlite", "postgres", "mysql", "tsql")
SPACED = re.compile(r"[<>!]\s+(?==)")  # of one comparison, as Transact-SQL lets them be written


@dataclass(frozen=True, slots=True)
class Parsed:
    """A statement's tree and tokens, whose places are those of the text."""

    tree: exp.Expr
    tokens: Sequence[Token]


def parsed(text: str, dialect: Dialect) -> Parsed:
    """Return the tree of a statement; raises one of NO_SQL."""
    if dialect.name != GENERIC:
        return _parsed(text, dialect.sqlglot)
    first: Exception | None = None
    for name in TRIED:
        try:
            return _parsed(text, name)
        except NO_SQL as error:
            first = first or error
    assert first is not None
    raise first


def _parsed(text: str, name: str) -> Parsed:
    with quiet_sqlglot():
        if name == "tsql" and SPACED.search(text):
            text = _closed_up(text)
        tokens = sqlglot.tokenize(text, read=name or None)
        tree = sqlglot.parse_one(text, read=name or None)
    return Parsed(written(tree, tokens), tokens)


def _closed_up(text: str) -> str:
    """Return a text of the same length whose comparisons have their white space behind them: `> =` as `>= `."""
    tokens = sqlglot.tokenize(text, read="tsql")
    characters = list(text)
    for one, other in pairwise(tokens):
        if one.text in {"<", ">", "!"} and other.text == "=" and other.start > one.end + 1:
            characters[one.end + 1], characters[other.start] = "=", " "
    return "".join(characters)
