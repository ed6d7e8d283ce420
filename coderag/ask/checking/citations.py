"""The citations of a sentence: `[1]`, `[Source 2]`, `path:line`, `path:line-line`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import islice

from coderag.ask.checking.records import Citation
from coderag.record import record

__all__ = ["Cited", "find_citations", "listed_source"]

MAX_CITATIONS = 50  # of one sentence
MAX_ADDRESS = 200  # characters of an address before its host
MAX_RANGE = 30  # sources that [1-30] may name
NUMBERED = re.compile(
    r"\[(?:sources?|refs?|doc)?[ #^]{0,2}(\d{1,6}(?:\s{0,2}[,;\u2013-]\s{0,2}\d{1,6}){0,20})\](?!\()", re.I
)
# Possessive, so that a long word without a colon is looked at once.
PATHED = re.compile(
    r"(?<![\w/.@-])(?P<path>(?:\./)?[\w@+~-][\w@+~./-]{0,400}+)"
    r"(?::|\#)L?(?P<start>\d{1,7})(?:\s?[-\u2013]\s?L?(?P<end>\d{1,7}))?(?![\w:])"
)
PATH_SIGN = re.compile(r"[./]")
CODE = re.compile(r"(`{1,3})(?!`)([^`\n]{1,2000})(?<!`)\1(?!`)")
LISTED = re.compile(r"\[(?:source )?\^?(\d{1,6})\]:?\s{0,4}[-\u2013\u2014(]{0,2}\s?`?", re.I)
MAX_LISTED = 12  # words of a line that names a source


@record
class Cited:
    """The citations of a sentence, and the sentence without them."""

    citations: tuple[Citation, ...]
    text: str  # of the same length: each citation is blank


def find_citations(text: str) -> Cited:
    """Return what a sentence cites, in order; an index such as `rows[0]` in code is no citation."""
    code = [(match.start(), match.end()) for match in CODE.finditer(text)]
    citations: list[tuple[int, int, Citation]] = []
    for match in islice(PATHED.finditer(text), MAX_CITATIONS):
        path = match["path"]
        if not PATH_SIGN.search(path) or path.replace(".", "").isdigit() or _is_in_address(text, match):
            continue
        first = int(match["start"])
        last = int(match["end"] or first)
        citation = Citation(match[0], 0, path.removeprefix("./"), first, last)
        citations.append((match.start(), match.end(), citation))
    for match in islice(NUMBERED.finditer(text), MAX_CITATIONS):
        inside = any(start < match.start() < end for start, end in code)
        is_index = match.start() > 0 and (text[match.start() - 1].isalnum() or text[match.start() - 1] == "_")
        if not inside and not (
            is_index and not text[match.start() - 1].isspace() and _is_code_before(text, match.start())
        ):
            citations += [(match.start(), match.end(), Citation(match[0], number)) for number in _numbers(match[1])]
    citations.sort(key=lambda one: one[:2])
    return Cited(
        tuple(citation for *_, citation in citations[:MAX_CITATIONS]), _blank(text, [one[:2] for one in citations])
    )


def _is_in_address(text: str, match: re.Match[str]) -> bool:
    """Tell whether a path with a number is the host of an address with its port, and so no citation."""
    return (
        "//" in match["path"] or "://" in text[max(match.start() - MAX_ADDRESS, 0) : match.start()].rpartition(" ")[2]
    )


def _is_code_before(text: str, at: int) -> bool:
    """Tell whether a bracket stands behind a name as an index, such as rows[0], and not behind a word of prose."""
    begin = at
    while begin > 0 and (text[begin - 1].isalnum() or text[begin - 1] in "_."):
        begin -= 1
    word = text[begin:at]
    return "_" in word or not text[at + 1].isdigit() or text[at + 1] == "0"


def _numbers(text: str) -> Iterable[int]:
    """Yield the numbers of "1, 3-5"."""
    for part in re.split(r"[,;]", text):
        first, *last = (int(number) for number in re.split(r"[\u2013-]", part.strip()) if number.strip())
        yield from range(first, min(last[0] if last else first, first + MAX_RANGE) + 1)


def _blank(text: str, extents: Iterable[tuple[int, int]]) -> str:
    parts, at = [], 0
    for start, end in extents:
        if start >= at:
            parts += [text[at:start], " " * (end - start)]
            at = end
    return "".join([*parts, text[at:]])


def listed_source(text: str) -> Citation | None:
    """Return the source that a line of a list of sources names, such as "[1] shop/cart.py:28-85"; None for prose."""
    head = LISTED.match(text)
    if head is None or len(text) > 600:
        return None
    rest = text[head.end() :]
    named = PATHED.match(rest)
    if named is None or not PATH_SIGN.search(named["path"]) or len(rest[named.end() :].split()) > MAX_LISTED:
        return None
    first = int(named["start"])
    return Citation(text, int(head[1]), named["path"].removeprefix("./"), first, int(named["end"] or first))
