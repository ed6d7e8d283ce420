"""Comments in DDL to the columns that they describe: behind a column, above it, or at the head of the table."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from typing import NamedTuple

from coderag.sql.statements.lexer import Remark, Script

__all__ = ["Notes", "Place", "notes_of", "remark_text", "table_comment"]


class Place(NamedTuple):
    """Where an item of a table begins and ends in the text."""

    start: int
    end: int


class Notes(NamedTuple):
    """What comments say of each item, "" if they say nothing, and of the table behind its "("."""

    items: list[str]
    table: str


FRONT = re.compile(r"(?:--+|//+|#+|/\*+!?|\*(?!/))?[ \t]?")
BACK = re.compile(r"(?<!\*)\*++/\Z")
RULE_SIGNS = "-=*#_~+/ \t"
MIN_RULE = 3  # signs
BLANK_LINE = re.compile(r"\n[ \t]*\n")
TYPES = (
    "INT|INTEGER|BIGINT|SMALLINT|NUMBER|NUMERIC|DECIMAL|VARCHAR2?|NVARCHAR2?|CHAR|TEXT|BOOLEAN|DATE|DATETIME|TIMESTAMP"
)
CODE = re.compile(
    rf"""(?ix)^\W*+(?:
          [\w"`\[\].]++\s++(?:{TYPES})\b.*(?:,\s*$|\bNULL\b|\bDEFAULT\b)
        | CONSTRAINT\s+\S+\s+(?:PRIMARY|FOREIGN|UNIQUE|CHECK|DEFAULT)\b
        | (?:PRIMARY|FOREIGN)\s+KEY\s*\( | UNIQUE\s*\( | (?:CREATE|ALTER|DROP)\s+(?:TABLE|VIEW|INDEX|SEQUENCE|TRIGGER)\b
        | (?:INSERT\s+INTO|SELECT\s+\*|DELETE\s+FROM|GRANT)\b
    )"""
)
# What tools write above statements, which says nothing of a table.
DIRECTIVE = re.compile(
    r"""(?ix)^(?:
          \+?(?:goose|micrate|migrate)\b | migrate:(?:up|down) | >?\s*statement-breakpoint | liquibase\b | changeset\b
        | rollback\b | precondition | noqa\b | sqlfluff | name:\s | generated\b | bun:split
        | (?:Create|Alter|Drop|Add|Rename|Redefine)(?:Table|Index|ForeignKey|Enum|Schema|Tables|PrimaryKey|Column)$
        | (?:table\s+|temporary\s+|final\s+)*(?:view\s+)?(?:structure|schema|definition|data)\s+(?:for|of)\b
        | dumping\b
        | (?:create|creating|drop|dropping|define)\s+(?:the\s+)?(?:tables?|views?|types?|schemas?|databases?)\b
          (?:\s++[\w."`\[\]]++){0,2}\W*$
        | (?:tables?|views?|object|indexes|constraints)\s*+(?::\s*+)?[\w."`\[\]]*+\s*$ | script\s+date\b | batch\b
    )"""
)


def remark_text(text: str) -> str:
    """Return the words of a comment on one line, without its signs and rules of dashes."""
    return " ".join(bare for line in text.split("\n") if (bare := _bare(line)))


def _bare(line: str) -> str:
    """Return a line of a comment without its signs."""
    bare = FRONT.sub("", BACK.sub("", line.strip()), count=1).strip()
    for shorter in (bare.rstrip(RULE_SIGNS), bare.lstrip(RULE_SIGNS)):
        if len(bare) - len(shorter) >= MIN_RULE:
            return bare.strip(RULE_SIGNS)
    return bare


def table_comment(before: str, inside: str = "", after: str = "") -> str:
    """Return what the comments around a statement say of it: above it, else behind its "(", else behind its end."""
    lines = [line.strip() for line in before.split("\n")]
    above = "\n".join(line for line in lines if line and not DIRECTIVE.match(line) and not CODE.match(line))
    return above or inside or after.strip()


def notes_of(script: Script, items: Sequence[Place], *, start: int, end: int) -> Notes:
    """Return what the comments between two offsets say of the items between them.

    CREATE TABLE t ( -- people
      a int, -- the key
      -- when born
      b date)              -> Notes(["the key", "when born"], "people")
    """
    remarks = script.remarks_between(start, end)
    if not remarks:
        return Notes([""] * len(items), "")
    sorter = _Sorter(script, items)
    for remark, following in zip(remarks, (*remarks[1:], None), strict=True):
        sorter.add(remark, following)
    return sorter.notes()


class _Sorter:
    """The comments of a table by the item that they describe."""

    def __init__(self, script: Script, items: Sequence[Place]) -> None:
        self._script = script
        self._items = items
        self._starts = [item.start for item in items]
        self._of_items: list[list[str]] = [[] for _ in items]
        self._of_table: list[str] = []
        self._above: list[str] = []  # the next item
        self._behind: Remark | None = None  # the last one behind an item, which lines below may continue

    def add(self, remark: Remark, following: Remark | None) -> None:
        """Take the next comment; `following` is the one after it."""
        number = bisect_right(self._starts, remark.start) - 1
        text = remark_text(remark.text)
        if number >= 0 and _is_behind(self._script, remark, self._items, number):
            self._above = []
            self._add_behind(number, remark, text)
        elif number >= 0 and remark.start < self._items[number].end:
            return  # inside of an item: of a part of it
        elif number >= 0 and self._behind is not None and _goes_on(self._script, self._behind, remark):
            self._add_behind(number, remark, text)
        elif number < 0 and self._is_of_table(remark):
            self._of_table.append(text)
        elif number + 1 < len(self._items):
            self._add_above(number + 1, remark, following, text)

    def notes(self) -> Notes:
        texts = [" ".join(filter(None, parts)) for parts in self._of_items]
        return Notes(texts, " ".join(filter(None, self._of_table)))

    def _add_behind(self, number: int, remark: Remark, text: str) -> None:
        self._of_items[number].append(text)
        self._behind = remark

    def _is_of_table(self, remark: Remark) -> bool:
        """Tell whether a comment stands behind the "(" of a table, and no item on its line."""
        if self._script.opens_line(remark.start):
            return False
        return not _same_line(self._script, remark, self._items, 0)

    def _add_above(self, number: int, remark: Remark, following: Remark | None, text: str) -> None:
        """Let a comment wait for the item below; one with a blank line behind it is a heading of several."""
        begin = self._starts[number]
        is_last = following is None or following.start > begin
        self._above.append("" if CODE.match(text) else text)
        if BLANK_LINE.search(
            self._script.text, remark.end, begin if following is None else min(begin, following.start)
        ):
            self._above = []
        elif is_last:
            self._of_items[number] += self._above
            self._above = []


def _is_behind(script: Script, remark: Remark, items: Sequence[Place], number: int) -> bool:
    """Tell whether a comment stands on the line on which an item ends, or inside of it with text before it."""
    item = items[number]
    if remark.start < item.end:
        return not script.opens_line(remark.start) and "\n" not in script.text[item.start : remark.start]
    if "\n" in script.text[item.end : remark.start]:
        return False
    return number + 1 == len(items) or not _same_line(script, remark, items, number + 1)


def _same_line(script: Script, remark: Remark, items: Sequence[Place], number: int) -> bool:
    """Tell whether an item begins on the line on which a comment before it ends."""
    return number < len(items) and "\n" not in script.text[remark.end - 1 : items[number].start]


def _goes_on(script: Script, behind: Remark, remark: Remark) -> bool:
    """Tell whether a comment on the next line begins at the same column as one behind an item."""
    if script.line(remark.start) != script.line(behind.end) + 1 or not script.opens_line(remark.start):
        return False
    return _column(script, remark.start) == _column(script, behind.start)


def _column(script: Script, offset: int) -> int:
    return offset - script.text.rfind("\n", 0, offset)
