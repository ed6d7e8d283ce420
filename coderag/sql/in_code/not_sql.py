"""Text to whether it is SQL or only words that begin like it: "select a user from the list"."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sqlglot import exp

__all__ = ["begins_like_sql", "in_capitals", "is_convincing", "is_prose"]

HEADS = (
    r"SELECT|INSERT|UPDATE|DELETE|WITH|MERGE|REPLACE|UPSERT|TRUNCATE|CREATE|ALTER|DROP|CALL|EXEC(?:UTE)?|VALUES|COPY"
    r"|EXPLAIN|DECLARE|LOAD|LOCK|REFRESH|VACUUM|ANALYZE|RENAME"
)
START = re.compile(rf"[\s(;]*+(?:(?:--[^\n]*+\n|/\*(?:[^*]|\*(?!/))*+\*/)[\s(;]*+)*+(?P<head>{HEADS})\b", re.IGNORECASE)
LONG = 20_000  # characters of a text in which the second keyword may stand far behind
# The second keyword that a statement has, and how it stands behind the first.
PAIRS = (
    re.compile(r"SELECT\b.{1,20000}?\bFROM\b", re.IGNORECASE | re.DOTALL),
    re.compile(r"EXPLAIN\b.{1,200}?\b(?:SELECT|INSERT|UPDATE|DELETE|WITH)\b", re.IGNORECASE | re.DOTALL),
    re.compile(r"SELECT\s+[\w.\"]+\s*\(", re.IGNORECASE),
    re.compile(r"(?:INSERT|REPLACE|MERGE|UPSERT)\s+(?:\w+\s+){0,3}?INTO\b", re.IGNORECASE),
    re.compile(r"UPDATE\b.{1,2000}?\bSET\b", re.IGNORECASE | re.DOTALL),
    re.compile(r"DELETE\s+(?:\w+\s+){0,2}?FROM\b|DELETE\s+\w++.{0,400}?\bFROM\b", re.IGNORECASE | re.DOTALL),
    re.compile(r"WITH\b.{1,4000}?\bAS\s*(?:\w+\s+){0,2}\(", re.IGNORECASE | re.DOTALL),
    re.compile(r"TRUNCATE\s+(?:TABLE\s+)?\S", re.IGNORECASE),
    re.compile(
        r"(?:CREATE|ALTER|DROP)\s+(?:\w+\s+){0,4}?(?:TABLE|VIEW|INDEX|TRIGGER|FUNCTION|PROCEDURE|SEQUENCE|TYPE)\b",
        re.IGNORECASE,
    ),
    re.compile(r"(?:CALL|EXEC(?:UTE)?)\s+[\w.\[\]\"]+", re.IGNORECASE),
    re.compile(r"COPY\s++(?:\S+?\b(?:FROM|TO)\b|\S++.{0,400}?\b(?:FROM|TO)\b)", re.IGNORECASE | re.DOTALL),
)
SECOND = re.compile(r"\b(?:FROM|INTO|SET|TABLE|VIEW|INDEX|AS|VALUES)\b", re.IGNORECASE)
ARTICLES = frozenset(
    "the an this that these those your our my his her its their each every any some which what it them us you".split()
) | {"a"}
SENTENCE_END = re.compile(r"[A-Za-z]{2}(?:[.!?:]|…)\s*\Z")  # what no statement ends in
DEFINING = frozenset({"CREATE", "ALTER", "DROP", "TRUNCATE"})
PROSE_END = re.compile(r"[A-Za-z]{2}(?:[.!?:]|\.\.\.|…)\s*\Z")
PROSE_WORDS = re.compile(
    r"\b(?:please|cannot|can't|don't|didn't|won't|should|failed|failure|because|could not|unable|invalid|must be"
    r"|is not|are not|was not|will be|you|your|our|their|the)\b",
    re.IGNORECASE,
)
SIGNS = re.compile(
    r"=|<>|[<>]|\*|\(\s*[\w'\"`?:$@%.]|%s|%\(|\?|\$\d|:\w|;|\w\.\w|['\"`]|\bcoderag_hole\b|,|\bwhere\b.{1,200}?\b(?:is|in|like)\b",
    re.IGNORECASE | re.DOTALL,
)
FIRM = re.compile(
    r"=|<>|\*|%s|(?<=[\s=(,])\?|\$\d|(?<!:):\w+|;\s*\Z|\w\.\w|'[^']*'|\(\s*\w+(?:\s*,\s*\w+)*\s*\)|\bcoderag_hole\b"
)
QUERY_NAMES = re.compile(r"sql|quer|stmt|statement|select|insert|update|delete|upsert|ddl|cte", re.IGNORECASE)


def begins_like_sql(text: str) -> bool:
    """Tell whether a text begins with a keyword of SQL, with the one that belongs to it behind."""
    start = START.match(text)
    if start is None:
        return False
    return len(text) > LONG or any(pair.match(text, start.start("head")) for pair in PAIRS)


def is_convincing(text: str, trees: list[exp.Expr], *, name: str = "") -> bool:
    """Tell whether a text that parses, and that nothing hands to a database, was meant as SQL.

    Keywords in capitals speak for it, as do signs that prose has not. `name` is that of what holds the text.
    """
    start = START.match(text)
    if start is None or SENTENCE_END.search(text) or is_prose(text, trees) or _has_idle_alias(trees):
        return False
    head_word = start["head"].upper()
    if head_word in DEFINING and not (QUERY_NAMES.search(name) or SIGNS.search(text[start.start("head") :])):
        return False
    if in_capitals(text):
        return True
    head, second = start["head"], SECOND.search(text, start.end("head"))
    bare = text[start.start("head") :]
    if head.islower() and second is not None and second[0].islower():
        return (
            bool(FIRM.search(bare))
            or ("\n" in bare.strip() and bool(SIGNS.search(bare)))
            or bool(QUERY_NAMES.search(name))
        )
    return bool(FIRM.search(bare)) and not PROSE_WORDS.search(bare)


def in_capitals(text: str) -> bool:
    """Tell whether the first keywords of a text are in capitals."""
    start = START.match(text)
    if start is None:
        return False
    second = SECOND.search(text, start.end("head"))
    return start["head"].isupper() and (second is None or second[0].isupper())


def _has_idle_alias(trees: list[exp.Expr]) -> bool:
    """Tell whether the one table of a statement has an alias that nothing uses: DELETE FROM users failed."""
    from sqlglot import exp

    for tree in trees:
        tables = list(tree.find_all(exp.Table))
        if len(tables) != 1 or not (alias := tables[0].alias):
            continue
        used = any(column.table.casefold() == alias.casefold() for column in tree.find_all(exp.Column))
        if not used and not isinstance(tree, exp.Insert):
            return True
    return False


def is_prose(text: str, trees: list[exp.Expr]) -> bool:
    """Tell whether a text is a sentence, though it parses: its tables are articles, or it reads like one."""
    from sqlglot import exp

    if PROSE_END.search(text) and not text.rstrip().endswith(";") and PROSE_WORDS.search(text):
        return True
    for tree in trees:
        if any(map(_is_article_table, tree.find_all(exp.Table))):
            return True
        if any(_is_article(expression) for select in tree.find_all(exp.Select) for expression in select.expressions):
            return True
    return False


def _is_article_table(table: exp.Table) -> bool:
    """Tell whether a table is called as an article: "select from the list"; or has one as its alias."""
    from sqlglot import exp

    quoted = isinstance(table.this, exp.Identifier) and table.this.args.get("quoted")
    if not quoted and not table.db and table.name.casefold() in ARTICLES:
        return True
    return table.alias.casefold() in ARTICLES and len(table.alias) > 1


def _is_article(expression: exp.Expr) -> bool:
    """Tell whether a selected column is called as an article: "select the best from"; "a" alone may be a column."""
    from sqlglot import exp

    if isinstance(expression, exp.Alias) and isinstance(expression.this, exp.Column):
        return expression.this.name.casefold() in ARTICLES and not expression.this.table
    if not isinstance(expression, exp.Column):
        return False
    return expression.name.casefold() in ARTICLES - {"a"} and not expression.table
