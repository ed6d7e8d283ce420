"""Text with holes to SQL that parses: each hole, and each placeholder of a driver, by the place it stands in."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from coderag.sql.in_code.evaluation.string_values import Hole, Text
from coderag.sql.lineage.scopes import HOLE

__all__ = ["Masked", "masked"]

MARK = "\x1a"  # what no text of SQL holds
VALUE = "0"  # of a placeholder: a number stands wherever a value may
MAX_TEXT = 200_000

JDBC_CALL = re.compile(r"\A\s*\{\s*(?:\?\s*=\s*)?call\s++([^{}]*+)\}\s*\Z", re.IGNORECASE)
TOKEN = re.compile(
    rf"""(?P<comment>--[^\n]*|/\*.*?(?:\*/|\Z)|(?<![\w%#])\#(?=\ )[^\n]*)
      | (?P<string>[nNeEbBxXrRuU]?'(?:[^'\\]|''|\\.)*(?:'|\Z))
      | (?P<dollar>\$(?P<tag>[A-Za-z_]*)\$.*?(?:\$(?P=tag)\$|\Z))
      | (?P<quoted>"(?:[^"\n]|"")*+"|`[^`\n]{{0,200}}`|\[[^\[\]\n\d:'"()]{{0,200}}\])
      | (?P<mybatis>[$\#]\{{[^{{}}\n]*\}})
      | (?P<percent>%%|%\(\w+\)[a-z]|(?<![\w)%])%[sdifrvbqt](?!\w)|(?<=[=(,\s])%[sdifrvbqt](?!\w))
      | (?P<names>\?\?)
      | (?P<brace>\{{\w*(?::[^{{}}\n]*)?\}})
      | (?P<place>\?\d*|\$\d+|(?<![:\w\]]):(?:[A-Za-z_]\w*|\d+)(?!\w|:)|@[A-Za-z]\w*(?![\w.]))
      | (?P<word>(?:[^\W\d]|{MARK})[\w${MARK}\#@]*)
      | (?P<number>\d[\w.]*)
      | (?P<cast>::)
      | (?P<sign><>|<=|>=|!=|\|\||[^\s\w])
    """,
    re.VERBOSE | re.DOTALL,
)
TABLES = frozenset("FROM JOIN INTO UPDATE TABLE VIEW TRUNCATE ONLY REFERENCES EXISTS DESCRIBE".split())  # then a table
CLAUSES = frozenset(
    """FROM WHERE AND OR ON SET GROUP ORDER HAVING LIMIT OFFSET UNION VALUES AS JOIN LEFT RIGHT INNER OUTER FULL CROSS
    NATURAL RETURNING USING INTO EXCEPT INTERSECT WHEN THEN ELSE END IN IS NOT LIKE ILIKE BETWEEN ASC DESC FOR FETCH
    WINDOW OVER PARTITION BY DISTINCT ALL NULL SELECT DEFAULT CASCADE RESTRICT IF ADD DROP ALTER COLUMN ESCAPE
    COLLATE""".split()
)
CONDITIONS = frozenset("WHERE AND OR ON HAVING NOT WHEN".split())
OPERANDS = frozenset({"word", "quoted", "place", "string", "number", "brace"})
LISTED = frozenset({"IN", "VALUES", "ANY", "ALL"})
OPERATORS = frozenset("= < > <= >= <> != + - * / % || ~ LIKE ILIKE".split())
COMPARED = frozenset("= <> != < > LIKE".split())


class Masked(NamedTuple):
    """SQL without holes, and whether one of them was the name of a table."""

    text: str
    dynamic: bool


class _Token(NamedTuple):
    kind: str
    text: str
    before: str  # the white space before it


def masked(parts: Sequence[Text | Hole], *, double_quotes: bool = False) -> Masked:
    """Return text with its holes filled so that SQL parses; `double_quotes`: what stands in them may be a string.

    In the place of a value stands a value, in that of a table the name HOLE; a hole that is a clause of its own, or
    the direction of an order, is left out.
    """
    text = "".join(part.text if isinstance(part, Text) else MARK for part in parts)[:MAX_TEXT]
    text = JDBC_CALL.sub(r"CALL \1", text)
    tokens = _tokens(text)
    kept: list[str] = []
    dynamic = False
    last, table = _Token("", "", ""), False  # the last token that counts, and whether a table's name comes next
    for number, token in enumerate(tokens):
        following = tokens[number + 1] if number + 1 < len(tokens) else _Token("", "", "")
        kind, filled = token.kind, token.text
        if kind == "comment":
            continue
        if kind in {"string", "dollar"}:
            filled = "'x'" if MARK in filled else filled
        elif kind == "quoted" and double_quotes and filled[0] == '"' and last.text.upper() in COMPARED:
            filled = filled if following.text == "." else "'x'"
        elif kind == "quoted" and MARK in filled:
            filled, dynamic = filled.replace(MARK, HOLE), dynamic or table
        elif kind == "percent":
            dynamic = dynamic or (table and filled != "%%")
            filled = "%" if filled == "%%" else HOLE if table else _value(last)
        elif kind in {"mybatis", "names"} or (kind == "brace" and table):
            dynamic = dynamic or table
            filled = _value(last) if filled.startswith("#") and not table else _filled(last, following, table=table)
        elif kind == "brace" or kind == "place":
            dynamic = dynamic or table
            filled = HOLE if table else _value(last)
            if last.text.upper() == "SET" and following.text != "=":
                filled = f"{HOLE} = {VALUE}"
        elif kind == "word" and filled == MARK:
            dynamic = dynamic or (table and following.text != ".")
            filled = _filled(last, following, table=table)
            if not filled:
                kept.append(token.before)
                continue
        elif kind == "word" and MARK in filled:
            dynamic = dynamic or (table and following.text != ".")
            filled = filled.replace(MARK, HOLE)
        apart = not token.before and kept and kept[-1][-1:].isalnum() and filled[:1].isalnum()
        kept += [" " if apart else token.before, filled]
        word = filled.upper() if kind == "word" else ""
        if kind == "word" or kind == "sign":
            table = word in TABLES or (table and (word in {"IF", "NOT", "LOW_PRIORITY", "IGNORE"} or filled == "."))
            table = table or (filled == "," and _in_from(kept))
        else:
            table = False
        last = _Token(kind, filled, token.before)
    return Masked("".join(kept).strip(), dynamic)


def _tokens(text: str) -> list[_Token]:
    tokens: list[_Token] = []
    position = 0
    for token in TOKEN.finditer(text):
        kind = token.lastgroup or ""
        if kind == "tag":
            kind = "dollar"
        tokens.append(_Token(kind, token[0], text[position : token.start()]))
        position = token.end()
    return tokens


def _value(last: _Token) -> str:
    return f"({VALUE})" if last.text.upper() in LISTED else VALUE


def _filled(last: _Token, following: _Token, *, table: bool) -> str:
    """Return what stands for a hole between two tokens; "" where nothing does."""
    before, after = last.text.upper(), following.text.upper()
    if table:
        return HOLE
    if before in {"(", ","}:
        if following.before and following.kind == "word" and after not in CLAUSES and following.text != MARK:
            return ""  # SELECT a, {more} b: not that
        return HOLE
    if before == "SET":
        return HOLE if after == "=" else f"{HOLE} = {VALUE}"
    if before in {"SELECT", "DISTINCT", "RETURNING"}:
        is_next = following.kind in {"word", "quoted"} and after not in CLAUSES
        return "" if is_next or after == "*" else HOLE
    if before in LISTED:
        return f"({VALUE})"
    if before in CONDITIONS or before in {"BY", "LIMIT", "OFFSET", "THEN", "ELSE", "BETWEEN", "INTERVAL", "."}:
        if before in CONDITIONS and following.kind == "word" and after not in CLAUSES | {MARK}:
            return ""  # WHERE {NOT} deleted
        return HOLE
    if before in OPERATORS and last.kind in {"sign", "word"} and not (before == "*" and following.kind == "word"):
        return VALUE
    if last.kind in OPERANDS and following.kind in OPERANDS and following.before:
        if following.kind == "word" and after in CLAUSES:
            return ""
        return "=" if following.kind in {"place", "string", "number"} else ""
    if after == "." and not following.before:
        return HOLE
    if not before:
        return HOLE
    return ""


def _in_from(kept: Sequence[str]) -> bool:
    """Tell whether a comma stands in a list of FROM: the last word that begins a clause is FROM."""
    depth = 0
    for text in reversed(kept[-80:]):
        word = text.upper()
        if word == ")":
            depth += 1
        elif word == "(":
            if depth == 0:
                return False
            depth -= 1
        elif depth == 0 and word in {"FROM"}:
            return True
        elif depth == 0 and word in CLAUSES - {"AS"}:
            return False
    return False
