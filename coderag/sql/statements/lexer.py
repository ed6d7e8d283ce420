"""SQL text to tokens, in any dialect; templates (${x}, :x, {{ x }}) are parts of words."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from enum import StrEnum
from functools import cache
from operator import attrgetter
from typing import NamedTuple

from coderag.sql.statements.dialect import Dialect
from coderag.sql.statements.lexemes import CLOSED, DOLLARS, block_comment, q_quoted, quoted, quoted_name, triple_quoted
from coderag.text.code_points import character, paired

__all__ = ["END", "Remark", "Script", "Token", "TokenKind", "name_patterns", "scan", "string_patterns", "string_value"]


class TokenKind(StrEnum):
    """What a token is."""

    WORD = "word"  # also a number, also one with templates in it
    NAME = "name"  # in quotes that a name may have; a dialect may mean a string by "x"
    STRING = "string"
    SIGN = "sign"  # one character


class Token(NamedTuple):
    """A token and where it stands."""

    kind: TokenKind
    text: str  # as written
    key: str  # what is compared: a word in upper case, a sign; "" for names and strings
    start: int
    end: int


class Remark(NamedTuple):
    """A comment as written, with its signs."""

    text: str
    start: int
    end: int


END = Token(TokenKind.SIGN, "", "", 0, 0)  # what comes after the last token


class Script(NamedTuple):
    """A text taken apart."""

    text: str
    tokens: list[Token]
    remarks: list[Remark]
    closing: dict[int, int]  # the number of each "(" to that of its ")"; without one, the number of tokens
    breaks: list[int]  # offsets after each line end
    first_line: int  # the number of the first line, from 1
    dialect: Dialect

    def line(self, offset: int) -> int:
        """Return the number of the line that an offset is in."""
        return self.first_line + bisect_right(self.breaks, offset)

    def opens_line(self, offset: int) -> bool:
        """Tell whether nothing but white space precedes an offset on its line."""
        return not self.text[self.text.rfind("\n", 0, offset) + 1 : offset].strip()

    def slice(self, first: int, last: int) -> str:
        """Return the text of the tokens from `first` up to `last`, without comments, white space made single."""
        if first >= last:
            return ""
        start, end = self.tokens[first].start, self.tokens[last - 1].end
        pieces, at = [], start
        for remark in self.remarks_between(start, end):
            pieces.append(self.text[at : remark.start])
            at = remark.end
        pieces.append(self.text[at:end])
        return SPACES.sub(" ", " ".join(pieces)).strip()

    def remarks_between(self, start: int, end: int) -> list[Remark]:
        """Return the comments that begin between two offsets."""
        first = bisect_left(self.remarks, start, key=_start)
        return self.remarks[first : bisect_left(self.remarks, end, lo=first, key=_start)]


_start = attrgetter("start")

SPACES = re.compile(r"\s+")
WORD, NAME, STRING, SIGN = TokenKind.WORD, TokenKind.NAME, TokenKind.STRING, TokenKind.SIGN
KINDS = {"word": WORD, "string": STRING, "name": NAME, "sign": SIGN}
BACKSLASH = re.compile(r"\\(.)", re.DOTALL)
BACKSLASH_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "0": "\0", "Z": "\x1a"}
PREFIX = re.compile(r"[A-Za-z_&]\w*&?")
UNICODE_ESCAPE = re.compile(r"\\(?:([0-9A-Fa-f]{4})|\+([0-9A-Fa-f]{6}))")
LINE_END = re.compile("\n")
COMMENT_SIGN = re.compile(r"/\*|\*/|'[^']*'|--[^\n]*")

# Jinja, sqlcmd's $(x), ${x}, #{x}, {x}, Oracle's &x., psql's :x, Python's %(x)s
TEMPLATE = (
    r"\{\{[^{}\n]{0,200}+\}\}|(?<=\$)\([\w.]{1,80}+\)|\{[^{}\s]{0,200}+\}|(?<!:):(?=[A-Za-z_])|&{1,2}(?=\w)"
    r"|%\(\w{1,80}+\)s"
)


def string_patterns(dialect: Dialect) -> list[str]:
    """Return the patterns of strings in single quotes and dollars, with what may stand before them."""
    usual = quoted("'", backslash="backslash" in dialect.escapes)
    special = [f"[Rr]?{triple_quoted(sign)}" for sign in "'\""] if "triple" in dialect.escapes else []
    special += [f"[Nn]?[Qq]{q_quoted()}"] if "q" in dialect.escapes else []
    prefixed = [rf"[NnXxBbRrUu]{{1,2}}&?{usual}", rf"_\w++{usual}", "[Ee]" + quoted("'", backslash=True)]
    return [*special, usual, *prefixed, DOLLARS]


def name_patterns(dialect: Dialect) -> list[str]:
    """Return the patterns of names in quotes; a dialect may mean a string by "x"."""
    escaped = "backslash" in dialect.escapes and '"' in dialect.strings
    brackets = [quoted_name("[")] if "[" in dialect.identifiers else []
    return [quoted_name("`"), quoted('"', backslash=escaped, end=CLOSED), *brackets]


@cache
def _pattern(dialect: Dialect) -> re.Pattern[str]:
    """Return the expression of a dialect's tokens, the most special ones first."""
    line_comments = "|".join(dict.fromkeys(("--", *dialect.comments)))
    parts = (
        r"(?P<space>\s++|\{%[^%{}]{0,400}+%\}|\{\#[^#{}]{0,800}+\#\})",
        rf"(?P<remark>(?:{line_comments})[^\n]*+|{block_comment()})",
        rf"(?P<string>{'|'.join(string_patterns(dialect))})",
        rf"(?P<word>(?:[\w$#@]++|{TEMPLATE})++)",
        rf"(?P<name>{'|'.join(name_patterns(dialect))})",
        r"(?P<sign>.)",
    )
    return re.compile("|".join(parts), re.DOTALL)


def scan(text: str, dialect: Dialect, *, first_line: int = 1) -> Script:
    """Return the tokens and comments of a text; what ends inside a string or comment is taken up to its end."""
    shown = _flat_comments(text) if dialect.nested_comments and text.count("/*") > 1 else text
    tokens: list[Token] = []
    remarks: list[Remark] = []
    closing: dict[int, int] = {}
    open_: list[int] = []
    append = tokens.append
    for match in _pattern(dialect).finditer(shown):
        group = match.lastgroup
        if group == "space":
            continue
        start, end = match.span()
        if group == "word":
            word = match[0]
            append(Token(WORD, word, word.upper(), start, end))
        elif group == "sign":
            sign = match[0]
            if sign == "(":
                open_.append(len(tokens))
            elif sign == ")" and open_:
                closing[open_.pop()] = len(tokens)
            append(Token(SIGN, sign, sign, start, end))
        elif group == "remark":
            remarks.append(Remark(text[start:end], start, end))
        else:
            append(Token(KINDS[group or ""], match[0], "", start, end))
    for number in open_:
        closing[number] = len(tokens)
    breaks = [found.end() for found in LINE_END.finditer(text)]
    return Script(shown, tokens, remarks, closing, breaks, first_line, dialect)


def _flat_comments(text: str) -> str:
    """Return a text in which the signs of comments inside of comments are blanked out."""
    pieces, at, depth = [], 0, 0
    for match in COMMENT_SIGN.finditer(text):
        sign = match[0]
        if sign == "/*":
            depth += 1
            keep = depth == 1
        elif sign == "*/":
            depth = max(0, depth - 1)
            keep = depth == 0
        else:
            continue
        if not keep:
            pieces += [text[at : match.start()], "  "]
            at = match.end()
    return "".join(pieces) + text[at:]


def string_value(token: Token, *, backslash: bool = False) -> str:
    """Return what a string or quoted name stands for."""
    text = token.text
    if text.startswith("$"):
        tag = text[: text.index("$", 1) + 1]
        return text[len(tag) :].removesuffix(tag)
    prefix = PREFIX.match(text)
    mark = prefix[0].upper() if prefix else ""
    body = text[len(mark) :]
    if mark.endswith("Q"):
        return body[2:-2]
    for quote in ("'''", '"""'):
        if body.startswith(quote) and body.endswith(quote) and len(body) >= 2 * len(quote) and backslash:
            return body[3:-3]
    quote = body[:1]
    end = {"[": "]"}.get(quote, quote)
    inner = body[1:-1] if len(body) > 1 and body.endswith(end) else body[1:]
    if end * 2 in inner:
        inner = inner.replace(end * 2, end)
    if "\\" not in inner or mark == "R":
        return inner
    if mark == "U&":
        return paired(UNICODE_ESCAPE.sub(lambda match: character(int(match[1] or match[2], 16)), inner))
    if backslash or mark == "E":
        return BACKSLASH.sub(lambda match: BACKSLASH_ESCAPES.get(match[1], match[1]), inner)
    return inner
