"""A question to the example query that answers a similar one, with the number and the values that it asks for."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import pairwise

import sqlglot
from sqlglot.errors import SqlglotError
from sqlglot.tokenizer_core import Token, TokenType

from coderag.search.context.schema_context import SchemaContext
from coderag.sql.statements.dialect import Dialect

__all__ = ["adapted"]

TOP = re.compile(r"\b(?:top|first|best|last|latest|biggest|largest)\s+(\d{1,4})\b", re.IGNORECASE)
WORD = re.compile(r"\w+")
NAMES = frozenset({TokenType.VAR, TokenType.IDENTIFIER})


def adapted(sql: str, context: SchemaContext, dialect: Dialect) -> str:
    """Return an example query with the question's number of rows, and its values of columns whose values are known."""
    try:
        tokens = sqlglot.tokenize(sql, read=dialect.sqlglot or None)
    except SqlglotError:
        return sql
    values = _values(context)
    changes: dict[int, str] = {}
    for name, sign, value in zip(tokens, tokens[1:], tokens[2:], strict=False):
        if (
            name.token_type not in NAMES
            or sign.token_type is not TokenType.EQ
            or value.token_type is not TokenType.STRING
        ):
            continue
        asked = values.get(name.text.casefold(), "")
        if asked and value.text != asked:
            changes[value.start] = f"'{asked}'"
    if number := TOP.search(context.question):
        changes |= _limit(tokens, number[1])
    return _changed(sql, tokens, changes)


def _values(context: SchemaContext) -> Mapping[str, str]:
    """Return the value that the question names of each column with known values, by the column's name."""
    words = set(WORD.findall(context.question.casefold()))
    return {
        column.name.casefold(): value
        for table in context.tables
        for column in table.table.columns
        for value in column.values
        if value.isalnum() and value.casefold() in words
    }


def _limit(tokens: list[Token], number: str) -> dict[int, str]:
    """Return the change of the last LIMIT, {} if there is none."""
    for word, value in reversed(list(pairwise(tokens))):
        if word.token_type is TokenType.LIMIT and value.token_type is TokenType.NUMBER:
            return {value.start: number}
    return {}


def _changed(sql: str, tokens: list[Token], changes: Mapping[int, str]) -> str:
    parts, at = [], 0
    for token in tokens:
        if token.start in changes:
            parts += [sql[at : token.start], changes[token.start]]
            at = token.end + 1
    return "".join([*parts, sql[at:]])
