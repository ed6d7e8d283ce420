"""Text with holes to SQL that parses: each hole, and each placeholder of a driver, is filled by its neighbours."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from coderag.sql.in_code.constants import constant_name
from coderag.sql.in_code.evaluation.string_values import Hole, Text
from coderag.sql.lineage.scopes import HOLE
from coderag.sql.statements.lexemes import DOLLARS, block_comment, quoted, quoted_name

__all__ = ["CONSTANT", "Masked", "masked"]

MARK = "\x1a"  # a hole; no SQL has this character
CONSTANT = "coderag_constant_"  # and a number: a table whose name a constant of another file may hold
VALUE = "0"  # of a placeholder: a number may stand wherever a value may
STRING = "'x'"  # for a string with a hole
MAX_TEXT = 200_000
QUOTES = '"`[]'  # around a name

JDBC_CALL = re.compile(r"\A\s*\{\s*(?:\?\s*=\s*)?call\s++([^{}]*+)\}\s*\Z", re.IGNORECASE)
TOKEN = re.compile(
    rf"""(?P<comment>--[^\n]*|{block_comment()}|(?<![\w%#])\#(?=\ )[^\n]*)
      | (?P<string>[nNeEbBxXrRuU]?{quoted("'", backslash=True)})
      | (?P<dollar>{DOLLARS})
      | (?P<quoted>"(?:[^"\n]|"")*+"|{quoted_name("`")}|\[[^\[\]\n\d:'"()]{{0,200}}\])
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
BEFORE_TABLE = frozenset({"IF", "NOT", "LOW_PRIORITY", "IGNORE"})  # between DROP TABLE and the table's name
VALUED = frozenset("VALUES LIMIT OFFSET FETCH IN LIKE ILIKE FROM JOIN".split())  # clauses without columns
WRITING = frozenset({"INTO", "SET"})  # clauses whose columns are written
FILLED_VALUES = frozenset({VALUE, f"({VALUE})", STRING})
PLACEHOLDERS = frozenset({"mybatis", "names", "brace", "place"})  # kinds of tokens that are filled as a whole


class Masked(NamedTuple):
    """SQL without holes, and whether one of them was the name of a table."""

    text: str
    dynamic: bool
    parameters: tuple[Hole, ...] = ()  # the holes that are parameters; where one names a table, its number tells it
    columns: tuple[tuple[Hole, bool], ...] = ()  # the holes that stand where columns do, and whether these are written
    constants: tuple[str, ...] = ()  # those that are tables by a constant; each has its number behind CONSTANT


class _Token(NamedTuple):
    kind: str
    text: str
    before: str  # the white space before it


class _Neighbours(NamedTuple):
    """The tokens around a hole: the last one that was written and the next, and whether a table's name is due."""

    last: _Token
    following: _Token
    table: bool

    @property
    def before(self) -> str:
        return self.last.text.upper()

    @property
    def after(self) -> str:
        return self.following.text.upper()

    @property
    def is_before_name(self) -> bool:
        """Whether a word follows that begins no clause."""
        return self.following.kind == "word" and self.after not in CLAUSES


NO_TOKEN = _Token("", "", "")
NO_HOLE = Hole()


def masked(parts: Sequence[Text | Hole], *, double_quotes: bool = False, constants: bool = False) -> Masked:
    """Return text with its holes filled so that SQL parses; `double_quotes`: they may enclose strings.

    With `constants`, tables that are constants are numbered: another file may tell their names.

    A value is filled with 0, the name of a table or column with HOLE; a hole that is a clause of its own, or the
    direction of an order, is left out:

        "SELECT a FROM {} WHERE id = {}" -> "SELECT a FROM HOLE WHERE id = 0"
        "SELECT a FROM t ORDER BY a {}"  -> "SELECT a FROM t ORDER BY a"
        "SELECT a FROM t WHERE b IN (%s)" -> "SELECT a FROM t WHERE b IN (0)"
    """
    marked = "".join(part.text if isinstance(part, Text) else MARK for part in parts)[:MAX_TEXT]
    holes = [part for part in parts if isinstance(part, Hole)]
    names = _HoleNames(known=constants)
    met = 0  # holes so far
    tokens = _tokens(JDBC_CALL.sub(r"CALL \1", marked))
    fillers = FILLERS_WITH_STRINGS if double_quotes else FILLERS
    written: list[str] = []
    dynamic = False
    last, table, clause = NO_TOKEN, False, ""
    for token, following in zip(tokens, (*tokens[1:], NO_TOKEN), strict=False):
        kind = token.kind
        met += token.text.count(MARK)
        if kind == "comment":
            continue
        text: str | None = token.text
        if kind in fillers and (kind != "word" or MARK in token.text):
            around = _Neighbours(last, following, table)
            hole = holes[met - 1] if token.text.strip(QUOTES) == MARK else NO_HOLE
            constant = names.constant_at(hole, around)
            dynamic = dynamic or (table and not constant and _is_hole(token, following))
            text = names.filled(hole, fillers[kind](token, around), constant, clause, table=table)
        if text is None:
            written.append(token.before)
            continue
        written += [_space(token, text, written), text]
        last = _Token(kind, text, token.before)
        if kind == "word" and text.upper() in CLAUSES:
            clause = text.upper()
        table = _is_table_next(last, written, due=table)
    joined = "".join(written).strip()
    return Masked(joined, dynamic, tuple(names.parameters), tuple(names.columns), tuple(names.constants))


class _HoleNames:
    """The holes of a text that tables and columns are, and what is written for them; `known`: constants are tables."""

    def __init__(self, *, known: bool) -> None:
        self._known = known
        self.parameters: list[Hole] = []
        self.columns: list[tuple[Hole, bool]] = []
        self.constants: dict[str, int] = {}

    def constant_at(self, hole: Hole, around: _Neighbours) -> str:
        """Return the constant that a hole is which stands where a table does, "" for any other hole."""
        is_qualifier = around.after == "." and not around.following.before
        if not self._known or hole.parameter or not (around.table or is_qualifier):
            return ""
        return constant_name(hole.written)

    def filled(self, hole: Hole, text: str | None, constant: str, clause: str, *, table: bool) -> str | None:
        """Return what is written for a hole that was filled with a text, and note it."""
        if text is None or hole is NO_HOLE:
            return text
        if constant:
            name = f"{CONSTANT}{self.constants.setdefault(constant, len(self.constants))}"
            return text.replace(HOLE, name) if text[:1] in QUOTES else name
        if table and hole.parameter:
            text = text.replace(HOLE, f"{HOLE}_{len(self.parameters)}")
            self.parameters.append(hole)
        elif _is_column(text, clause, table=table):
            self.columns.append((hole, clause in WRITING))
        return text


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


def _is_column(text: str | None, clause: str, *, table: bool) -> bool:
    """Tell whether what a hole was filled with in a clause may be columns."""
    return not table and clause not in VALUED and text not in FILLED_VALUES


def _space(token: _Token, text: str, written: Sequence[str]) -> str:
    """Return the white space before a token; a space between two words that a hole has parted."""
    is_glued = not token.before and written and written[-1][-1:].isalnum() and text[:1].isalnum()
    return " " if is_glued else token.before


def _is_hole(token: _Token, following: _Token) -> bool:
    """Tell whether a token where a table's name is due is known at run time only; a schema may be."""
    if token.kind == "percent":
        return token.text != "%%"
    if token.kind == "word":
        return MARK in token.text and following.text != "."
    return token.kind in PLACEHOLDERS or (token.kind == "quoted" and MARK in token.text)


def _is_table_next(token: _Token, written: Sequence[str], *, due: bool) -> bool:
    """Tell whether the name of a table comes after a token; `due`: it came, or could have come, before the token."""
    if token.kind == "word":
        word = token.text.upper()
        return word in TABLES or (due and word in BEFORE_TABLE)
    if token.kind == "sign":
        return (due and token.text == ".") or (token.text == "," and _in_from(written))
    return False


# Fillers: what is written for a token; None if it and its place are skipped.


def _fill_string(token: _Token, _: _Neighbours) -> str:
    return STRING if MARK in token.text else token.text


def _fill_quoted(token: _Token, _: _Neighbours) -> str:
    return token.text.replace(MARK, HOLE)


def _fill_quoted_string(token: _Token, around: _Neighbours) -> str:
    """Fill what stands in double quotes in a dialect whose strings may: a = "b" compares, a = "b".c does not."""
    if token.text[0] != '"' or around.before not in COMPARED:
        return _fill_quoted(token, around)
    return token.text if around.following.text == "." else STRING


def _fill_percent(token: _Token, around: _Neighbours) -> str:
    if token.text == "%%":
        return "%"
    return HOLE if around.table else _value(around)


def _fill_mybatis(token: _Token, around: _Neighbours) -> str:
    """Fill #{value} and ${text} of MyBatis."""
    return _value(around) if token.text.startswith("#") and not around.table else _fill_hole(around)


def _fill_names(_: _Token, around: _Neighbours) -> str:
    return _fill_hole(around)


def _fill_placeholder(_: _Token, around: _Neighbours) -> str:
    if around.table:
        return HOLE
    if around.before == "SET" and around.following.text != "=":
        return f"{HOLE} = {VALUE}"
    return _value(around)


def _fill_word(token: _Token, around: _Neighbours) -> str | None:
    if token.text == MARK:
        return _fill_hole(around) or None
    return token.text.replace(MARK, HOLE)


FILLERS: Mapping[str, Callable[[_Token, _Neighbours], str | None]] = {
    "string": _fill_string,
    "dollar": _fill_string,
    "quoted": _fill_quoted,
    "percent": _fill_percent,
    "mybatis": _fill_mybatis,
    "names": _fill_names,
    "brace": _fill_placeholder,
    "place": _fill_placeholder,
    "word": _fill_word,
}  # by the kind of a token
FILLERS_WITH_STRINGS = {**FILLERS, "quoted": _fill_quoted_string}


def _value(around: _Neighbours) -> str:
    return f"({VALUE})" if around.before in LISTED else VALUE


def _fill_hole(around: _Neighbours) -> str:
    """Return what is written for a hole; "" if nothing is.

    "UPDATE t SET {}" -> "HOLE = 0", "WHERE a = {}" -> "0", "FROM t {} WHERE" -> "".
    """
    if around.table:
        return HOLE
    by_last = AFTER.get(around.before)
    return by_last(around) if by_last is not None else _after_operand(around)


def _after_bracket_or_comma(around: _Neighbours) -> str:
    if around.following.before and around.is_before_name and around.following.text != MARK:
        return ""  # SELECT a, {more} b: not that
    return HOLE


def _after_set(around: _Neighbours) -> str:
    return HOLE if around.after == "=" else f"{HOLE} = {VALUE}"


def _after_select(around: _Neighbours) -> str:
    is_result_next = around.is_before_name or around.following.kind == "quoted" or around.after == "*"
    return "" if is_result_next else HOLE


def _after_condition(around: _Neighbours) -> str:
    is_operand_next = around.is_before_name and around.after != MARK
    return "" if is_operand_next else HOLE  # WHERE {NOT} deleted


def _after_operator(around: _Neighbours) -> str:
    is_all_columns = around.before == "*" and around.following.kind == "word"
    if around.last.kind in {"sign", "word"} and not is_all_columns:
        return VALUE
    return _after_operand(around)


def _after_operand(around: _Neighbours) -> str:
    """Fill a hole that stands after a name, a value or nothing: an operator, a name, or nothing."""
    last, following = around.last, around.following
    if last.kind in OPERANDS and following.kind in OPERANDS and following.before:
        return "=" if following.kind in {"place", "string", "number"} else ""
    if around.after == "." and not following.before:
        return HOLE
    return "" if around.before else HOLE


def _name(_: _Neighbours) -> str:
    return HOLE


def _list(_: _Neighbours) -> str:
    return f"({VALUE})"


AFTER: Mapping[str, Callable[[_Neighbours], str]] = {
    **dict.fromkeys(("(", ","), _after_bracket_or_comma),
    "SET": _after_set,
    **dict.fromkeys(("SELECT", "DISTINCT", "RETURNING"), _after_select),
    **dict.fromkeys(LISTED, _list),
    **dict.fromkeys(CONDITIONS, _after_condition),
    **dict.fromkeys("BY LIMIT OFFSET THEN ELSE BETWEEN INTERVAL .".split(), _name),
    **dict.fromkeys(OPERATORS, _after_operator),
}  # by the last word or sign


def _in_from(written: Sequence[str]) -> bool:
    """Tell whether a comma stands in a list of FROM: the last word that begins a clause is FROM."""
    depth = 0
    for text in reversed(written[-80:]):
        word = text.upper()
        if word == ")":
            depth += 1
        elif word == "(":
            if depth == 0:
                return False
            depth -= 1
        elif depth == 0 and word == "FROM":
            return True
        elif depth == 0 and word in CLAUSES - {"AS"}:
            return False
    return False
