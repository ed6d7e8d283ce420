"""A literal or a regular expression to the places of a text that it matches, line by line, in linear time."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeAlias

from coderag.errors import QueryError
from coderag.index.storage.trigrams import KELVIN, LONG_S, MAX_LITERAL
from coderag.search.exact.required import Groups, intersection_column, literal_groups, required_literals
from coderag.types import Case, Term

__all__ = ["Pattern", "compiled"]

Spans: TypeAlias = Iterator[tuple[int, int]]

REGEX_BYTES = 16 << 20  # that an expression and its automata may take
BY_LINE = "(?m)"  # so that ^ and $ are the ends of a line
CACHED = 64  # patterns
LONGEST_FOLD = len(KELVIN)  # bytes that are equal to one of ASCII when case is ignored
# What of an expression is no character that stands for itself, but for what group 1 and 2 number, and group 3 is.
SYNTAX = re.compile(
    r"\\x(?:\{([0-9a-fA-F]{1,8})\}|([0-9a-fA-F]{2}))|\\[pP](?:\{\^?\w{1,40}\}|.)|\\(?:\w|(.))"
    r"|\(\?(?:P?<\w+>|[a-zA-Z-]*[:)])|\[:\^?\w+:\]|\{\d+(?:,\d*)?\}|[][(){}|.^$*+?]",
    re.DOTALL,
)
LAST_CHARACTER = 0x10FFFF
BACKREFERENCE = re.compile(r"(?:[^\\]|^)(?:\\\\)*(\\[1-9]|\\k<|\(\?P=)")
LOOKAROUND = re.compile(r"\(\?<?[=!]")


@dataclass(frozen=True, slots=True)
class Pattern:
    """What is looked for in texts of UTF-8."""

    spans: Callable[[bytes], Spans]  # first and end byte of each match, in order, none inside another
    needed: Groups  # literals without which no text matches (coderag.search.exact.required)
    # How many bytes a match has at most, if it begins with its one needed literal; 0: it may begin and end anywhere.
    reach: int = 0

    def matches(self, text: str) -> bool:
        """Tell whether it matches somewhere in a text."""
        return next(self.spans(text.encode("utf-8", "surrogateescape")), None) is not None


@lru_cache(maxsize=CACHED)
def compiled(term: Term) -> Pattern:
    """Return the pattern of a term.

    A literal is looked for as it is, also across nothing but one line; an expression has the syntax of RE2, in which
    `.` and classes match no line end and `^` and `$` are the ends of a line. Raises QueryError for a pattern that is
    empty or no expression, that matches nothing at all, and for more than a line.
    """
    value = term.value
    if not value:
        raise QueryError("the pattern is empty; give a text or a regular expression")
    if "\n" in value or "\r" in value:
        raise QueryError(f"the pattern {value!r} has more than one line; patterns match within a line")
    ignore_case = _ignores_case(term)
    if term.regex:
        return Pattern(_regex_spans(value, ignore_case=ignore_case), required_literals(value, ignore_case=ignore_case))
    spans, needed = _literal_spans(value, ignore_case=ignore_case), literal_groups(value, ignore_case=ignore_case)
    size = len(value.encode("utf-8", "surrogateescape"))
    is_local = bool(needed) and size <= MAX_LITERAL and (value.isascii() or not ignore_case)
    return Pattern(spans, needed, reach=LONGEST_FOLD * size if is_local else 0)


def _ignores_case(term: Term) -> bool:
    """Tell whether a pattern ignores case.

    A smart one does, as in ripgrep, unless a character that stands for itself is a capital, or none does: `\\x41`
    stands for itself, the names in `(?P<Id>...)` and `\\p{Lu}` do not.
    """
    if term.case is not Case.SMART:
        return term.case is Case.IGNORE
    own = SYNTAX.sub(_own, term.value) if term.regex else term.value
    return bool(own) and own == own.lower()


def _own(syntax: re.Match[str]) -> str:
    """Return the character that a piece of an expression stands for, or ""."""
    number = int(syntax[1] or syntax[2] or "0", 16)
    return chr(number) if 0 < number <= LAST_CHARACTER else syntax[3] or ""


def _literal_spans(value: str, *, ignore_case: bool) -> Callable[[bytes], Spans]:
    raw = value.encode("utf-8", "surrogateescape")
    if not ignore_case:
        return lambda text: _occurrences(text, raw)
    lowered = raw.lower()
    folding = re.compile(re.escape(value), re.IGNORECASE)  # of a literal, so it goes through a text once

    def spans(text: bytes) -> Spans:
        if raw.isascii() and (text.isascii() or not (LONG_S in text or KELVIN in text)):
            return _occurrences(text.lower(), lowered)
        return _in_bytes(text, folding)

    return spans


def _occurrences(text: bytes, literal: bytes) -> Spans:
    size, at = len(literal), text.find(literal)
    while at >= 0:
        yield at, at + size
        at = text.find(literal, at + size)


def _in_bytes(text: bytes, pattern: re.Pattern[str]) -> Spans:
    """Yield the matches of a pattern of characters in bytes."""
    decoded = text.decode("utf-8", "surrogateescape")
    at = place = 0
    for match in pattern.finditer(decoded):
        begin = place + len(decoded[at : match.start()].encode("utf-8", "surrogateescape"))
        at, place = match.end(), begin + len(match[0].encode("utf-8", "surrogateescape"))
        yield begin, place


def _regex_spans(value: str, *, ignore_case: bool) -> Callable[[bytes], Spans]:
    regex = _regex(value, ignore_case=ignore_case)

    def spans(text: bytes) -> Spans:
        for match in regex.finditer(text):
            begin, end = match.span()
            if begin < end:
                yield begin, end

    if any(match.start() == match.end() for match in regex.finditer(b"")):
        raise QueryError(f"the regular expression {value!r} matches the empty text, which is everywhere")
    return spans


def _regex(value: str, *, ignore_case: bool) -> Any:
    try:
        import re2  # a search without an expression needs no engine for them
    except ImportError as error:
        raise QueryError(
            'regular expressions need google-re2, which is not installed; run "pip install google-re2", or search for '
            "a literal"
        ) from error
    if column := intersection_column(value):
        raise QueryError(
            f"the regular expression {value!r} has && in a class at column {column}; classes are not intersected, "
            r"write \&& for the characters"
        )
    options = re2.Options()
    options.case_sensitive = not ignore_case
    options.never_nl = True
    options.max_mem = REGEX_BYTES
    options.log_errors = False
    try:
        return re2.compile(BY_LINE + value, options)
    except re2.error as error:
        raise QueryError(f"the regular expression {value!r} is not valid: {_why(value, error)}") from error
    except UnicodeEncodeError as error:
        raise QueryError(f"the regular expression {value!r} is no Unicode text") from error


def _why(value: str, error: Exception) -> str:
    """Return what is wrong with an expression, and where that is known."""
    if found := LOOKAROUND.search(value):
        return f"at column {found.start() + 1} it looks around, which no engine does in linear time"
    if found := BACKREFERENCE.search(value):
        return f"at column {found.start(1) + 1} it refers back to a group, which no engine does in linear time"
    said = error.args[0] if error.args else ""
    text = (said.decode("utf-8", "replace") if isinstance(said, bytes) else str(said)).replace(BY_LINE, "", 1)
    piece = text.rpartition(": ")[2]
    at = value.find(piece) if piece != text else -1
    return f"{text}, at column {at + 1}" if at >= 0 else text
