"""SQL text with its literals covered, or with the holes of a template filled so that it parses."""

from __future__ import annotations

import re
from functools import cache

from coderag.sql.lineage.scopes import HOLE
from coderag.sql.statements.dialect import Dialect
from coderag.sql.statements.lexemes import DOLLARS, block_comment, quoted
from coderag.sql.statements.lexer import name_patterns, string_patterns

__all__ = ["fill_holes", "mask_literals"]

STRING_MASK = "'?'"
NUMBER_MASK = "0"
ORDINAL_DIGITS = 3  # ORDER BY 2 and LIMIT 100 are no data; ORDER BY 12345 is

# Numbers behind these words are part of a query's shape; in the second set, in a whole list.
COUNTED = frozenset({"LIMIT", "OFFSET", "TOP", "FIRST", "NEXT", "PRECEDING", "ROWS"})
LISTED = frozenset({"BY"})
TYPES = frozenset(
    """CHAR VARCHAR NCHAR NVARCHAR CHARACTER VARYING VARCHAR2 NVARCHAR2 DECIMAL NUMERIC NUMBER FLOAT BINARY VARBINARY
    TIME TIMESTAMP TIMESTAMPTZ DATETIME DATETIME2 BIT STRING INT BIGINT TINYINT SMALLINT DOUBLE DEC RAW DATETIMEOFFSET
    """.split()
)
LIST_ENDS = frozenset(
    """SELECT FROM WHERE HAVING LIMIT OFFSET UNION EXCEPT INTERSECT ROWS RANGE QUALIFY WINDOW FETCH INTO SET VALUES
    """.split()
)

NUMBER = r"(?<![\w$@:#.\]])(?:0[xX][0-9a-fA-F]+|(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)(?!\w)"


class _Lists:
    """The lists of ORDER BY and GROUP BY around the token that a text is read up to, by their depths in brackets."""

    def __init__(self) -> None:
        self._depth = 0
        self._starts: list[int] = []

    @property
    def is_inside(self) -> bool:
        """Whether the token is in such a list, not in brackets in it."""
        return bool(self._starts) and self._starts[-1] == self._depth

    def pass_word(self, word: str) -> None:
        """Read on behind a word, which is in upper case."""
        if word in LISTED:
            self._starts.append(self._depth)
        elif word in LIST_ENDS and self.is_inside:
            self._starts.pop()

    def pass_sign(self, sign: str) -> None:
        """Read on behind what is no word; a bracket changes the depth."""
        if sign == "(":
            self._depth += 1
        elif sign == ")":
            self._depth -= 1
            while self._starts and self._starts[-1] > self._depth:
                self._starts.pop()


def mask_literals(text: str, dialect: Dialect) -> str:
    """Return SQL with every string as '?' and every number as 0, except those that give its shape.

    Kept are the numbers of LIMIT and the like, places in ORDER BY and GROUP BY, and lengths of types.
    """
    kept: list[str] = []
    position = 0
    word = last = ""  # the last word, and the last token before this one
    lists = _Lists()
    for match in _pattern(dialect).finditer(text):
        kept.append(text[position : match.start()])
        position = match.end()
        token = match[0]
        if match["string"] is not None:
            # Two strings side by side would read as one that has a quote in it.
            token = f" {STRING_MASK}" if not kept[-1] and last == STRING_MASK else STRING_MASK
        elif match["number"] is not None:
            ordinal = lists.is_inside and last in {"BY", ","} and len(token) <= ORDINAL_DIGITS
            token = token if ordinal or _is_counted(word, last) else NUMBER_MASK
        elif match["word"] is not None:
            word = token.upper()
            lists.pass_word(word)
        else:
            lists.pass_sign(token)
        kept.append(token)
        if match["comment"] is None:
            last = word if match["word"] is not None else token.strip()
    return "".join(kept) + text[position:]


def _is_counted(word: str, last: str) -> bool:
    return (word in COUNTED and last in {word, "("}) or (word in TYPES and last in {"(", ","})


@cache
def _pattern(dialect: Dialect) -> re.Pattern[str]:
    strings = [pattern for pattern in string_patterns(dialect) if pattern is not DOLLARS or "dollar" in dialect.escapes]
    if '"' in dialect.strings:
        strings.append("[BbRr]{0,2}" + quoted('"', backslash="backslash" in dialect.escapes))
    comments = "|".join(dialect.comments)
    return re.compile(
        rf"(?P<comment>{block_comment()}|(?:{comments})[^\n]*+)|(?P<string>{'|'.join(strings)})"
        rf"|(?P<name>{'|'.join(name_patterns(dialect))})|(?P<number>{NUMBER})|(?P<word>[^\W\d][\w$]*)|[(),]",
        re.DOTALL,
    )


# The holes of Jinja, dbt, Metabase, shells, printf, format strings, SQL*Plus, psql and sqlcmd.
OPTIONAL = re.compile(r"\[\[([^\[\]]*\{\{[^\[\]]*)\]\]")
JINJA = r"\{\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}\}"
JINJA_NOTHING = re.compile(
    rf"\{{#[^#]*#\}}|\{{%[^%]*%\}}|\{{\{{\s*[#/^!>][^{{}}]*\}}\}}|<%(?!=)[^%]*%>|(?=\{{\{{-?\s*config\(){JINJA}"
)
JINJA_TABLE = re.compile(
    r"""\{\{-?\s*(?:ref|source)\(\s*(?:(['"])([^'"]+)\1\s*,\s*)?(['"])([^'"]+)\3[^)]{0,200}+\)\s*-?\}\}"""
)
HOLES = re.compile(
    rf"""{JINJA} | <%=[^%]*%> | [$\#@]\{{[^{{}}]*\}} | \$\(\w+\) | %\(\w+\)[sdifr] | (?<![\w%'"])%[sdifr](?!\w)
      | (?<!\$)\{{\w*(?:[.!:][^{{}}\n]*)?\}} | (?<![\w<])<[A-Za-z_][\w\ -]*>(?![\w=]) | (?<![&\w])&&?\w+\.?
      | :'\w+' | :"\w+"
    """,
    re.VERBOSE,
)


def fill_holes(text: str) -> str:
    """Return a template as SQL that may parse: names for its holes, dbt's references as tables, no control blocks."""
    text = OPTIONAL.sub(r"\1", text)
    text = JINJA_NOTHING.sub(" ", text)
    text = JINJA_TABLE.sub(
        lambda match: f"{match[2]}.{match[4]}" if match[2] and "source" in match[0] else match[4], text
    )
    return HOLES.sub(HOLE, text).replace("%%", "%")
