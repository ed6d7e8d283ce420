"""The patterns that take text of a dialect apart: what is passed over in one go, and where to stop and look.

Repeats are possessive: no text is tried twice, so the time is linear in what is passed over.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from coderag.sql.statements.dialect import Dialect, dialects
from coderag.sql.statements.lexemes import CLOSED, block_comment, q_quoted, quoted, quoted_name, triple_quoted

__all__ = ["Pattern", "Scanner", "scanner"]

Pattern = re.Pattern[bytes]

NEVER = "(?!)"
NESTED_COMMENTS = 4  # levels of /* /* */ */ that are read
TAGS = (
    r"\{%(?:[^%{]++|%(?!\})|\{(?!%))*+%\}",
    r"\{#(?:[^#{]++|#(?!\})|\{(?!#))*+#\}",
)
EXPRESSION = r"\{\{(?:[^{}]++|\{[^{}]*+\})*+\}\}"
BRACKETS = r"\([\w \t,.+*]*+\)"  # of types and columns; no statement begins in them
FLAT_COMMENT = block_comment(end=CLOSED)  # whatever is inside, also where comments nest
VERSION_COMMENT = r"/\*M?!(?!999999)\d*"  # no server is that new: mariadb-dump's comment for its client
DOLLAR = r"(?<![\w$])\$(?:[A-Za-z_]\w*+)?+\$"
BLOCK_WORDS = "begin|case|declare|end"
# What CREATE is followed by where it begins a statement, also one that lacks the ";" before it.
NOISE = (
    r"or\s+(?:replace|alter)|global|local|temp|temporary|unlogged|unique|transient|external|foreign|materialized"
    r"|recursive|force|editionable|noneditionable|clustered|nonclustered|fulltext|spatial|bitmap|virtual"
    r"|definer\s*=\s*\S+|algorithm\s*=\s*\w+|sql\s+security\s+\w+"
)
CREATED = (
    rf"(?i:create\s+(?:(?:{NOISE})\s+){{0,8}}+(?:database|domain|extension|function|index|package|proc|procedure|role|schema"
    r"|sequence|synonym|table|trigger|type|user|view)\b)(?!\s*[,)])"
)


@dataclass(frozen=True, slots=True)
class Scanner:
    """The compiled patterns of a dialect, for one sign that ends statements."""

    gap: Pattern  # white space, comments and tags of templates between statements
    comment: Pattern  # one comment
    between: Pattern  # a piece of a gap: a comment (group "comment"), or what may hold the sign of one
    # A string, a comment (group "comment"), a sign of a version comment (group "version"), text between, or all that
    # follows a quote or comment without an end (group "open").
    marks: Pattern
    plain: Pattern  # a statement up to what may end it
    nested: Pattern  # the same, and up to the words of blocks
    loose: Pattern  # the same, and up to brackets and any word that begins a statement
    delimiter: Pattern  # what ends a statement
    command: Pattern  # a line for the client program
    separator: Pattern  # a line that ends a statement
    set_delimiter: Pattern  # a line that sets what ends statements, with it as group 1
    starter: Pattern  # a word that begins a statement
    created: Pattern  # words that create something
    dollar: Pattern  # the sign around a text in dollar quotes


@lru_cache(maxsize=64)
def scanner(name: str, delimiter: str = ";", *, broken: bool = False) -> Scanner:
    """Return the patterns of the dialect of this name, while statements end at a delimiter.

    In a broken text the quotes do not pair: no string goes on in another line.

    "postgres"     -> dollar quotes are strings, ";" ends a statement
    "mysql", "$$"  -> only "$$" ends a statement, the front of a line none
    """
    dialect = dialects()[name]
    comments = [*_block_comments(dialect, broken=broken), *_line_comments(dialect)]
    strings = [rf"{sign}[^{sign}\n]*+{sign}" for sign in dialect.strings] if broken else _strings(dialect)
    strings += map(quoted_name, dialect.identifiers)
    version_comment = VERSION_COMMENT if dialect.version_comments else NEVER
    version_end = r"\*/" if dialect.version_comments else NEVER
    dollar = DOLLAR if "dollar" in dialect.escapes and not broken else NEVER
    usual = delimiter == ";"
    ends = [re.escape(delimiter), *(dialect.endings if usual else ())]
    separator = _line(dialect.separators, rest=r"[ \t]*+(?=\n|\Z)")
    set_delimiter = _line([dialect.delimiter] if dialect.delimiter else [], rest=r"[^\n]*+")
    starters = "|".join(dialect.starters)
    starter = _word(starters) if starters else NEVER
    # Another delimiter is set around bodies, in which lines begin with CREATE as well.
    begins = _line([starter, CREATED], rest="") if usual else NEVER
    front = _any([separator, set_delimiter, begins])
    stops = [*ends, rf"\n(?={front})" if front != NEVER else NEVER]
    if not broken:
        stops += [*dialect.strings, rf"(?!{version_comment})/\*", dollar]
    version = rf"(?P<version>{version_comment}\s?|{version_end})"
    comment = rf"(?P<comment>{_any(comments if broken else [*comments, FLAT_COMMENT])})"
    rest = NEVER if broken else rf"(?P<open>(?:{_any(dialect.strings)}|/\*).*+)"
    dull = [*strings, *comments, *TAGS, EXPRESSION]
    special = _special_signs(dialect, delimiter, dollar=dollar != NEVER)
    return Scanner(
        gap=_compile(rf"(?:\s++|{_any([version_comment, version_end, *comments, *TAGS])})*+"),
        comment=_compile(_any(comments)),
        between=_compile(_any([version_comment, version_end, comment, *TAGS])),
        marks=_compile(_any([version, *strings, comment, rf"[^{_signs(special)}*]++", rest])),
        plain=_compile(_run(dull, stops, special=special)),
        nested=_compile(_run(dull, stops, special=special, word=_word(BLOCK_WORDS))),
        loose=_compile(
            _run(
                [*dull, BRACKETS],
                [*stops, "[()]"],
                special={*special, *"()"},
                word=_word(f"case|end|{starters or 'end'}"),
            )
        ),
        delimiter=_compile(_any(ends)),
        command=_compile(_line(dialect.commands, rest=r"[^\n]*+(?:(?<=[ \t]-)\n[^\n]*+)*+")),
        separator=_compile(separator),
        set_delimiter=_compile(set_delimiter),
        starter=_compile(starter),
        created=_compile(CREATED),
        dollar=_compile(dollar),
    )


def _special_signs(dialect: Dialect, delimiter: str, *, dollar: bool) -> set[str]:
    """Return the signs with which a string, a comment, a template or the end of a statement begins."""
    special = {*dialect.strings, *dialect.identifiers, delimiter[0], *"-/{\n"}
    special |= {"#"} if any("#" in comment for comment in dialect.comments) else set()
    special |= {"$"} if dollar else set()
    special |= {"\\"} if dialect.endings else set()
    return special


def _compile(pattern: str) -> Pattern:
    return re.compile(pattern.encode(), re.DOTALL | re.MULTILINE)


def _any(patterns: Iterable[str]) -> str:
    kept = [pattern for pattern in patterns if pattern != NEVER]
    return "|".join(kept) if kept else NEVER


def _line(patterns: Iterable[str], *, rest: str) -> str:
    found = _any(patterns)
    return found if found == NEVER else rf"[ \t]*+(?:{found}){rest}"


def _word(words: str) -> str:
    return rf"(?<![\w.@#$&])(?i:{words})(?![\w$@#.])"


def _signs(special: set[str]) -> str:
    return "".join(rf"\x{ord(sign):02x}" for sign in sorted(special))


def _run(dull: list[str], stops: list[str], *, special: set[str], word: str = "") -> str:
    """Return a pattern that passes over everything up to a stop, which begins with a special sign or is a word."""
    signs = _signs(special)
    rest = rf"{_any(dull)}|(?!{_any(stops)})[{signs}]"
    if not word:
        return rf"(?:[^{signs}]++|{rest})*+"
    return rf"(?:[^\w{signs}]++|(?!{word})\w++|{rest})*+"


def _block_comments(dialect: Dialect, *, broken: bool) -> list[str]:
    block = r"/\*(?:[^*/\n]++|\*(?!/)|/(?!\*))*+\*/" if broken else FLAT_COMMENT
    for _ in range(NESTED_COMMENTS if dialect.nested_comments and not broken else 0):
        block = rf"/\*(?:[^*/]++|{block}|\*(?!/)|/(?!\*))*+\*/"
    return [rf"(?!{VERSION_COMMENT}){block}" if dialect.version_comments else block]


def _line_comments(dialect: Dialect) -> list[str]:
    found = [rf"(?:{comment})[^\n]*+" for comment in dialect.comments]
    if dialect.delimiter:  # Db2 sets it in what looks like a comment
        found = [rf"(?!{dialect.delimiter}){one}" for one in found]
    return found + [rf"(?:(?<=\n)|\A)[ \t]*+(?:{comment_line})[^\n]*+" for comment_line in dialect.comment_lines]


def _strings(dialect: Dialect) -> list[str]:
    """Return the patterns of strings that end; a prefix decides which pattern may match."""
    found = []
    prefixes = ""
    if "e" in dialect.escapes:
        prefixes += "eE"
        found.append(r"(?<=\W[eE])" + quoted("'", backslash=True, end=CLOSED))
    if "q" in dialect.escapes:
        prefixes += "qQ"
        found.append(rf"(?:(?<=\W[qQ])|(?<=\W[nN][qQ])){q_quoted(end=CLOSED)}")
    if "triple" in dialect.escapes:
        found += [triple_quoted(sign, end=CLOSED) for sign in dialect.strings]
    plain = rf"(?<!\W[{prefixes}])" if prefixes else ""
    backslash = "backslash" in dialect.escapes
    return found + [plain + quoted(sign, backslash=backslash, end=CLOSED) for sign in dialect.strings]
