"""The query language: phrases, regular expressions, fields and negations in a text, and the question that is left.

    "a phrase"  /regex/  sym:name  file:glob  lang:go  kind:method  repo:part  test:no  test:only  -x  x or y  ( )

Terms are conditions that all hold; `or` joins the two beside it. Whatever is no term is a question. So that a question
that happens to have a quotation in it stays one, phrases, expressions and bare `-x` are read as such only beside words
that are no sentence, and no message that a program prints: Cannot handle table "orders".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Unpack

from coderag.errors import QueryError
from coderag.limits import QUESTION, check_text
from coderag.record import record, replaced
from coderag.search.query.query import Conditions, make_query
from coderag.search.query.vocabulary import PROSE_WORDS
from coderag.text.tokens import words
from coderag.types import Field, Query, Term, TestPolicy

__all__ = ["Parsed", "may_be_prose", "parse_query", "read_query"]

FIELDS = {
    "sym": Field.SYMBOL,
    "symbol": Field.SYMBOL,
    "file": Field.FILE,
    "path": Field.FILE,
    "lang": Field.LANGUAGE,
    "language": Field.LANGUAGE,
    "kind": Field.KIND,
    "repo": Field.REPOSITORY,
    "test": Field.TEST,
}
TESTS = ("no", "only", "yes")
SENTENCE_WORDS = 8  # so many words beside a phrase are prose
MESSAGE_WORDS = 2  # ... of which the first has a capital, as a message begins
CAPITALISED = re.compile(r"[A-Z][a-z]+")
REGEX_MARKS = re.compile(r"[*+?\[({|^$\\]")  # what makes /.../ an expression rather than a folder
CODE = ("field", "phrase", "regex")  # pieces that are code where they touch a parenthesis that groups no terms
QUOTED = r'"(?P<{0}>(?:[^"\\]|\\.)+)"'
SLASHED = r"/(?P<{0}>(?=\S)(?:[^/\\\n]|\\.)+)/"
END = r"(?=\s|\)|$)"
# A value ends with the word. Code and addresses have others after the colon: file:str, file:///x, test:unit(...)
BARE = r"(?P<bare>(?![:/]/|:)[^\s\"'(){},;=<>]+)"
PIECE = rf"""(?P<space>\s+)
    | (?P<minus>-?)(?P<key>{"|".join(FIELDS)}):(?:{QUOTED.format("field_phrase")}|{SLASHED.format("field_regex")}
      |{BARE}){END}
    | (?P<not>-?)(?:{QUOTED.format("phrase")}|{SLASHED.format("regex")}){END}
    | -(?P<word>[^\W\d_][\w.]+){END}
    | (?P<open>\()
    | (?P<close>\)){END}
    | (?P<or>or|OR){END}
    | (?P<other>[^\s()]+\(?\S*|\S)
    """
MARKS = re.compile(r'[":]|(?:^|\s)[-/(]')  # what every term has one of


@record
class Parsed:
    """A text in the query language, taken apart."""

    text: str  # the question: what is no term, and the words of phrases; "" for none
    clauses: tuple[tuple[Term, ...], ...] = ()
    tests: TestPolicy | None = None  # None: not said


@record
class _Piece:
    """A part of a query between spaces, in which a quotation counts as one."""

    text: str
    column: int
    what: str = "other"  # "other", "field", "phrase", "regex", "minus", "or", "open" or "close"
    term: Term | None = None

    @property
    def end(self) -> int:
        """The column after it."""
        return self.column + len(self.text)

    @property
    def is_term(self) -> bool:
        return self.what in ("field", "phrase", "regex", "minus")

    @property
    def is_plain(self) -> bool:
        """Whether it may as well be a part of a sentence."""
        return self.what == "minus" or (self.term is not None and self.what != "field" and not self.term.negated)


def read_query(text: str, *, prose: bool = False, **conditions: Unpack[Conditions]) -> Query:
    """Return the query that a text in the query language asks for, under further conditions.

    With `prose` it is a sentence, in which quotations are no phrases. Raises QueryError for a term that makes no sense,
    with its place, and like `make_query`.
    """
    check_text(QUESTION, text)
    parsed = parse_query(text, prose=prose)
    if parsed.tests and conditions.get("tests", TestPolicy.DEMOTE) == TestPolicy.DEMOTE:
        conditions["tests"] = parsed.tests
    if parsed.clauses or conditions.get("clauses"):
        conditions["clauses"] = (*conditions.get("clauses", ()), *parsed.clauses)
    return make_query(parsed.text, **conditions)


def may_be_prose(text: str) -> bool:
    """Tell whether a text with phrases may be a sentence with quotations, as it has words beside them."""
    pieces = list(_pieces(text)) if '"' in text else []
    is_quoted = any(piece.what == "phrase" and piece.is_plain for piece in pieces)
    return is_quoted and len(_plain_words(pieces)) >= MESSAGE_WORDS


def parse_query(text: str, *, prose: bool = False) -> Parsed:
    """Return what a text asks for; one without a term is a question as it is, and so is a sentence (`prose`).

    Raises QueryError for an expression, a language or a kind that is wrong, with its column.
    """
    if not MARKS.search(text):
        return Parsed(text)
    pieces = _with_groups(_without_prose(list(_pieces(text)), is_prose=prose))
    if not any(piece.is_term for piece in pieces):
        return Parsed(text)
    for piece in pieces:
        if piece.term is not None:
            _check(piece)
    clauses = tuple(clause for clause in _clauses(pieces) if clause)
    left = [_question_text(piece) for piece in pieces] if any(piece.what == "other" for piece in pieces) else []
    return Parsed(" ".join(filter(None, left)), clauses, _tests(pieces))


def _pieces(text: str) -> Iterator[_Piece]:
    for match in _piece_pattern().finditer(text):
        if match["space"] is None:
            yield _piece(match)


@cache
def _piece_pattern() -> re.Pattern[str]:
    return re.compile(PIECE, re.VERBOSE)  # on first use: it takes as long as a tenth of a question


def _piece(match: re.Match[str]) -> _Piece:
    plain = _Piece(match[0], match.start() + 1)
    if match["key"]:
        return _field_piece(match, plain)
    if match["phrase"] is not None and match["phrase"].strip():
        term = Term(Field.TEXT, _unescaped(match["phrase"]), negated=bool(match["not"]))
        return replaced(plain, what="phrase", term=term)
    if match["regex"] is not None and REGEX_MARKS.search(match["regex"]):
        term = Term(Field.TEXT, match["regex"].replace(r"\/", "/"), regex=True, negated=bool(match["not"]))
        return replaced(plain, what="regex", term=term)
    if match["word"]:
        return replaced(plain, what="minus", term=Term(Field.TEXT, match["word"], negated=True))
    what = next((name for name in ("open", "close", "or") if match[name]), "other")
    return replaced(plain, what=what)


def _field_piece(match: re.Match[str], plain: _Piece) -> _Piece:
    field, negated = FIELDS[match["key"]], bool(match["minus"])
    value = match["bare"] or _unescaped(match["field_phrase"] or "")
    if field is Field.TEST:
        if value not in TESTS:
            return plain  # as in "npm run test:unit"
        if value == "yes" and not negated:
            return replaced(plain, what="field")
        return replaced(plain, what="field", term=Term(field, "", negated=(value == "no") != negated))
    if match["field_regex"] is not None:
        if field not in (Field.SYMBOL, Field.FILE) or not REGEX_MARKS.search(match["field_regex"]):
            value = f"/{match['field_regex']}/"
        else:
            regex = match["field_regex"].replace(r"\/", "/")
            return replaced(plain, what="field", term=Term(field, regex, regex=True, negated=negated))
    return replaced(plain, what="field", term=Term(field, value, negated=negated))


def _unescaped(text: str) -> str:
    return text.replace(r"\"", '"').replace("\\\\", "\\")


def _plain_words(pieces: Sequence[_Piece]) -> list[str]:
    return [word for piece in pieces if piece.what == "other" for word in words(piece.text)]


def _is_message(pieces: Sequence[_Piece], plain: Sequence[str]) -> bool:
    """Tell whether a text begins as a message does that a program prints: with a word with a capital, and another."""
    begins = bool(pieces) and pieces[0].what == "other" and CAPITALISED.fullmatch(pieces[0].text) is not None
    return begins and len(plain) >= MESSAGE_WORDS and not any(piece.what == "field" for piece in pieces)


def _without_prose(pieces: Sequence[_Piece], *, is_prose: bool) -> list[_Piece]:
    """Return the pieces; beside a sentence, a quotation, an expression and a bare -x are parts of it."""
    plain = _plain_words(pieces)
    found = [word.lower() for word in plain]
    asks = any(piece.what == "other" and piece.text.endswith("?") for piece in pieces)
    loose = any(piece.what == "or" and not _joins(pieces, at) for at, piece in enumerate(pieces))
    prose = is_prose or asks or loose or len(found) >= SENTENCE_WORDS or not PROSE_WORDS.isdisjoint(found)
    prose = prose or _is_message(pieces, plain)
    alone = not any(piece.is_term and piece.what != "minus" for piece in pieces)
    return [
        replaced(piece, what="other", term=None)
        if (prose and piece.is_plain) or (alone and piece.what == "minus")
        else piece
        for piece in pieces
    ]


def _with_groups(pieces: Sequence[_Piece]) -> list[_Piece]:
    """Return the pieces; an `or` that is not between two terms is a word, and so are other parentheses."""
    found = list(pieces)
    for at, piece in enumerate(found):
        if piece.what == "or" and not _joins(found, at):
            found[at] = replaced(piece, what="other")
    begin = -1
    for at, piece in enumerate(found):
        if piece.what == "open":
            begin = at
        elif piece.text == ")":
            inside = found[begin + 1 : at]
            if (
                piece.what != "close"
                or begin < 0
                or not inside
                or any(not one.is_term and one.what != "or" for one in inside)
            ):
                found[at] = replaced(piece, what="other")
                if at and found[at - 1].what in CODE and found[at - 1].end == piece.column:  # f(path:str), f("x")
                    found[at - 1] = replaced(found[at - 1], what="other", term=None)
            else:
                found[begin], found[at] = replaced(found[begin], what="group"), replaced(piece, what="group")
            begin = -1
    return [replaced(piece, what="other") if piece.what in ("open", "close") else piece for piece in found]


def _joins(pieces: Sequence[_Piece], at: int) -> bool:
    before = next((pieces[here] for here in range(at - 1, -1, -1) if pieces[here].what != "close"), None)
    after = next((pieces[here] for here in range(at + 1, len(pieces)) if pieces[here].what != "open"), None)
    return before is not None and after is not None and before.is_term and after.is_term


def _clauses(pieces: Sequence[_Piece]) -> Iterator[tuple[Term, ...]]:
    """Yield each term, with those that `or` joins to it."""
    clause: list[Term] = []
    joined = False
    for piece in pieces:
        if piece.what == "or":
            joined = True
        elif piece.is_term:
            if not joined:
                yield tuple(clause)
                clause = []
            clause += [] if piece.term is None else [piece.term]
            joined = False
    yield tuple(clause)


def _question_text(piece: _Piece) -> str:
    """Return what a piece is to the ranking: a phrase that is wanted ranks by its words."""
    if piece.what == "phrase" and piece.term is not None and not piece.term.negated:
        return piece.term.value
    return piece.text if piece.what == "other" else ""


def _tests(pieces: Sequence[_Piece]) -> TestPolicy | None:
    """Return that tests are not demoted, where they are asked for."""
    asked = (piece for piece in pieces if piece.what == "field" and piece.text.startswith("test:"))
    return TestPolicy.INCLUDE if any(piece.term is None or not piece.term.negated for piece in asked) else None


def _check(piece: _Piece) -> None:
    from coderag.search.exact.pattern import compiled  # most questions have no terms
    from coderag.search.query.terms import checked_term

    assert piece.term is not None
    try:
        term = checked_term(piece.term)
        if term.field in (Field.TEXT, Field.SYMBOL) or term.regex:
            compiled(term)
    except QueryError as error:
        advice = "" if piece.what == "phrase" else f'; for the text itself, write "{piece.text}" in quotes'
        raise QueryError(f"column {piece.column} of the query: {error}{advice}") from error
