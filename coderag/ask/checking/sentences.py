"""Markdown to the sentences of an answer, each with its place: prose, list items, rows of tables, fenced blocks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from enum import StrEnum

from coderag.record import record
from coderag.text.sentences import ends_sentence

__all__ = ["Form", "Passage", "split_sentences"]

MAX_PASSAGE = 8_000  # characters; a longer one is cut, so that no pattern sees more
FENCE = re.compile(r" {0,12}(?:>\s?)?(`{3,}|~{3,})[ \t]*(\S*)")
HEADING = re.compile(r" {0,3}#{1,6}(?:\s|$)")
ITEM = re.compile(r"[ \t]{0,24}(?:[-*+\u2022]|\d{1,3}[.)])[ \t]+")
QUOTED = re.compile(r" {0,3}>[ \t]?")
RULE = re.compile(r"[ \t]{0,8}(?:[-*_=][ \t]?){3,200}$")
ROW = re.compile(r"[ \t]{0,8}\|")
ROW_RULE = re.compile(r"[ \t|:\-]+$")
CITED = re.compile(r"\s{0,3}(?:\[[^\[\]\n]{1,80}\]|\((?:see )?`?[^()\s`]{1,200}:\d[\d:,L\u2013-]{0,20}`?\))")
INDENT = 8  # spaces of a list item that go on with the one before it


class Form(StrEnum):
    """What a passage is in Markdown."""

    PROSE = "prose"
    ITEM = "item"
    ROW = "row"
    FENCE = "fence"
    HEADING = "heading"


@record
class Passage:
    """A sentence or block and where it is: characters of the text, and its first line."""

    text: str
    start: int
    end: int
    line: int
    form: Form
    language: str = ""  # of a fence
    block: int = 0  # the number of the paragraph, item or fence that it is part of


@record
class _Block:
    """Lines that belong together, by their offsets."""

    form: Form
    start: int
    end: int
    language: str = ""


def split_sentences(text: str) -> Iterator[Passage]:
    """Yield the sentences and blocks of a Markdown text in order, in time linear in its length."""
    line, counted = 1, 0
    for number, block in enumerate(_blocks(text)):
        cuts = [(block.start, block.end)]
        if block.form in (Form.PROSE, Form.ITEM):
            cuts = list(_sentences(text, block.start, block.end))
        for start, end in cuts:
            start, end = _trimmed(text, start, end)
            if start < end:
                line += text.count("\n", counted, start)
                counted = start
                yield Passage(text[start:end], start, end, line, block.form, block.language, number)


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and text[start].isspace():
        start += 1
    while start < end and text[end - 1].isspace():
        end -= 1
    return start, end


def _blocks(text: str) -> Iterator[_Block]:
    """Yield the blocks of a text; what no rule knows is a paragraph."""
    fence: _Block | None = None
    mark = ""  # how the fence begins
    paragraph: _Block | None = None
    offset = 0
    for line in text.splitlines(keepends=True):
        start, offset = offset, offset + len(line)
        bare = line.rstrip("\r\n")[:MAX_PASSAGE]
        opening = FENCE.match(bare)
        if fence is not None:
            if opening and opening[1].startswith(mark) and not opening[2]:
                yield replace(fence, end=start)
                fence = None
            continue
        form = _form(bare)
        if paragraph is not None and (form is not None or not bare.strip() or opening):
            yield paragraph
            paragraph = None
        if opening:
            mark, fence = opening[1], _Block(Form.FENCE, offset, offset, opening[2].lower().strip("{}."))
        elif form in (Form.HEADING, Form.ROW):
            if not ROW_RULE.match(bare) and not RULE.match(bare):
                yield _Block(form, start, offset)
        elif bare.strip() and not RULE.match(bare):
            paragraph = _with_line(paragraph, form, bare, start=start, end=offset)
    if fence is not None:
        yield replace(fence, end=offset)
    elif paragraph is not None:
        yield paragraph


def _with_line(paragraph: _Block | None, form: Form | None, line: str, *, start: int, end: int) -> _Block:
    """Return a paragraph with a line more; one that begins leaves out the sign of its item or quotation."""
    if paragraph is not None:
        return replace(paragraph, end=end)
    sign = ITEM.match(line) or QUOTED.match(line)
    return _Block(form or Form.PROSE, start + (sign.end() if sign else 0), end)


def _form(line: str) -> Form | None:
    """Return what a line begins, None if it goes on with what is there."""
    if HEADING.match(line):
        return Form.HEADING
    if ITEM.match(line) and not RULE.match(line):
        return Form.ITEM
    return Form.ROW if ROW.match(line) else None


def _behind(text: str, at: int, end: int) -> int:
    """Return where the citations and closing signs behind a full stop end."""
    while at < end:
        cited = CITED.match(text, at, end)
        if cited is None and text[at] not in ".)*_":
            break
        at = cited.end() if cited else at + 1
    return at


def _sentences(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield where the sentences of a paragraph begin and end; citations behind a full stop belong to it."""
    begin, at, in_code = start, start, ""
    while at < end:
        sign = text[at]
        if sign == "`":
            run = at
            while run < end and text[run] == "`":
                run += 1
            ticks = text[at:run]
            if not in_code and text.find(ticks, run, end) >= 0:
                in_code = ticks
            elif ticks == in_code:
                in_code = ""
            at = run
            continue
        at += 1
        if in_code or (sign not in ".!?" and at - begin < MAX_PASSAGE):
            continue
        if sign in ".!?" and not ends_sentence(text, begin, at=at, end=end):
            continue
        at = _behind(text, at, end)
        yield begin, at
        begin = at
    yield begin, end
